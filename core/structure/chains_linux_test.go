package structure

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"combpred/core/structure/examples"
)

// untied returns a chain of layers whose arcs have scores of their own.
func untied(steps, states int) examples.Args {
	args := examples.Trellis(steps, states)
	arcs := pairsOf(args.Ints[:2*args.Scalars["arcs"]])
	return examples.Paths(int(args.Scalars["vertices"]), arcs, args.Scalars["source"], args.Scalars["target"], nil)
}

// BenchmarkChains measures decoding, ln Z and marginals of the recursions over chains, trees and sets.
func BenchmarkChains(b *testing.B) {
	for _, size := range []struct {
		name, structure string
		args            examples.Args
	}{
		{"chain of 40x8", "paths", untied(40, 8)},
		{"tied chain of 40x8", "paths", examples.Trellis(40, 8)},
		{"grid of 30x30", "paths", examples.Grid(30, 30)},
		{"sets of 10 of 50", "labelsets", examples.SizedSets(50, 10)},
		{"sets of 50 of 200", "labelsets", examples.SizedSets(200, 50)},
		{"sets of 200 of 1000", "labelsets", examples.SizedSets(1000, 200)},
		{"subtrees of 1000", "subtrees", examples.Subtrees(examples.BinaryTree(1000))},
		{"hierarchy of 1000", "hierarchy", examples.Hierarchy(examples.BinaryTree(1000), ones(1000))},
	} {
		space := mustNewBench(b, size.structure, size.args)
		for _, spread := range []float64{1, 300} {
			name := fmt.Sprintf("%s/spread %g", size.name, spread)
			rng := rand.New(rand.NewPCG(1, 2))
			scores, marginals := make([]float64, space.FeatureLen()), make([]float64, space.FeatureLen())
			for i := range scores {
				scores[i] = spread * rng.NormFloat64()
			}
			y := make([]int32, space.PartLen())
			b.Run(name+"/decode", func(b *testing.B) {
				onThread(b, func() error {
					_, err := space.(Decoder).Decode(y, Scores{Linear: scores})
					return err
				})
			})
			for _, into := range [][]float64{nil, marginals} {
				b.Run(name+map[bool]string{true: "/lnZ", false: "/marginals"}[into == nil], func(b *testing.B) {
					onThread(b, func() error {
						_, err := space.(Partitioner).LogPartition(into, scores, nil)
						return err
					})
				})
			}
		}
	}
}

// onThread reports the processor time that one thread spends, which does not grow when other programs run.
func onThread(b *testing.B, f func() error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := threadTime(b)
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(threadTime(b)-begin)/float64(b.N), "cpu-ns/op")
}

// rusageThread is RUSAGE_THREAD of Linux.
const rusageThread = 1

func threadTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func ones(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

func mustNewBench(b *testing.B, name string, args examples.Args) Space {
	space, err := build(name, args)
	if err != nil {
		b.Fatal(err)
	}
	return space
}

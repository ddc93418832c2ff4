package primal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/primal"
)

func BenchmarkPass(b *testing.B) {
	for _, c := range []struct{ p, k int }{{20, 10}, {100, 10}} {
		const n = 16384
		space, task := permutations(b, c.k)
		x, y := rankings(4, n, c.p, c.k)
		for _, double := range []bool{false, true} {
			task.Double = double
			rows := &primal.Rows{X: primal.Dense(x, n, c.p, c.p), Psi: encoded(b, space, y)}
			rows.Cache(1 << 30)
			d := space.FeatureLen()
			if err := task.AddSums(primal.NewSums(make([]float64, primal.SumsLen(c.p, d)), c.p, d), rows, 1, nil); err != nil {
				b.Fatal(err)
			}
			direction, product := asked(b, task, rows)
			b.Run(fmt.Sprintf("p=%d/double=%v", c.p, double), func(b *testing.B) {
				for b.Loop() {
					if err := task.AddProduct(product, direction, rows, 1, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}

// firstProduct stops at the first product that is asked for.
type firstProduct struct {
	task      *primal.Task
	rows      *primal.Rows
	direction primal.Direction
	product   linalg.Matrix[float64]
}

var errStop = errors.New("that is all")

func (f *firstProduct) AddSums(to primal.Sums) error { return f.task.AddSums(to, f.rows, 1, nil) }

func (f *firstProduct) AddProduct(to linalg.Matrix[float64], v primal.Direction) error {
	f.direction, f.product = v, to
	return errStop
}

func (f *firstProduct) Work(g func() error) error { return g() }

// asked returns the direction of which the first product is asked, and where it goes.
func asked(b *testing.B, task *primal.Task, rows *primal.Rows) (primal.Direction, linalg.Matrix[float64]) {
	_, p := rows.X.Size()
	f := &firstProduct{task: task, rows: rows}
	if _, err := task.SolveOver(linalg.Matrix[float64]{}, p, f, nil); err != errStop {
		b.Fatal(err)
	}
	return f.direction, f.product
}

func BenchmarkSparsePass(b *testing.B) {
	const n, p, d, k = 10000, 500, 5000, 10
	rng := rand.New(rand.NewPCG(9, 9))
	x, psi := make([]float32, n*p), &solve.Sparse{Rows: n, Cols: d, Indptr: []int64{0}}
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	for range n {
		for range k {
			psi.Indices, psi.Data = append(psi.Indices, int32(rng.IntN(d))), append(psi.Data, 1)
		}
		psi.Indptr = append(psi.Indptr, int64(len(psi.Data)))
	}
	task := &primal.Task{Coord: solve.IdentityCoordinates(d), Mean: slices.Repeat([]float64{0.5}, d), Lambda: 1, Margin: true, Tol: 1e-8}
	v := task.NewDirection(make([]float64, task.DirectionLen(p)), p)
	for i := range v.Data {
		v.Data[i] = 1
	}
	out := linalg.NewMatrix[float64](p, d)
	rows := &primal.Rows{X: primal.Dense(x, n, p, p), Psi: primal.SparsePsi(psi)}
	for b.Loop() {
		if err := task.AddProduct(out, v, rows, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}

package decode

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// chained are structures that are decoded along chains, at sizes that are decoded exactly for comparison.
var chained = map[string]int64{
	"permutations": 9, "weakorders": 7, "partialorders": 6, "cliques": 16, "cycles": 9, "directedcycles": 9, "routes": 8,
}

// TestChainsKeepTheGuarantee compares the methods: none below the guaranteed solution or beyond the optimum, and the chains
// at the optimum in most rows.
func TestChainsKeepTheGuarantee(t *testing.T) {
	rows := 6
	if testing.Short() { // the race detector sees the same accesses in any row
		rows = 2
	}
	for name, n := range slicex.InOrder(chained) {
		space := build(t, name, n)
		linear := gaussian(rows, space.FeatureLen(), 6)
		run := func(method Method, seed uint64, rows, workers int) ([]int32, []structure.Certificate) {
			dst, certs := make([]int32, rows*space.PartLen()), make([]structure.Certificate, rows)
			scores := linear
			scores.Rows = rows
			if err := Batch(structure.OneSpaceLinear(space, scores), method, seed, dst, certs, workers, nil); err != nil {
				t.Fatal(name, err)
			}
			return dst, certs
		}
		_, best := run(Exact, 0, rows, 2)
		_, start := run(Approx, 0, rows, 2)
		for _, method := range []Method{Anneal, Metropolis} {
			dst, certs := run(method, 3, rows, 1)
			again, _ := run(method, 3, 2, 4) // each row has a random stream of its own
			if !slices.Equal(dst[:len(again)], again) {
				t.Errorf("%s: method %d depends on the number of workers, or of rows", name, method)
			}
			psi, optima := make([]float64, space.FeatureLen()), 0
			for i, cert := range certs {
				y := dst[i*space.PartLen() : (i+1)*space.PartLen()]
				if err := space.Check(y); err != nil {
					t.Fatal(name, err)
				}
				space.Embed(psi, y)
				value := structure.Scores{Linear: row(linear, i)}.Value(psi)
				if math.Abs(value-cert.Value) > 1e-9 || cert.Value < start[i].Value || cert.Value > best[i].Value+1e-9 ||
					!cert.Optimal && (cert.Nu != start[i].Nu || cert.UpperBound != start[i].UpperBound) {
					t.Errorf("%s, method %d: %+v with score %v, the start has %+v, the optimum %+v", name, method, cert, value,
						start[i], best[i])
				}
				if cert.Value > best[i].Value-1e-9 {
					optima++
				}
			}
			if optima < rows/2 {
				t.Errorf("%s: method %d reaches %d of %d optima", name, method, optima, rows)
			}
		}
	}
}

// TestChainsDependOnTheSeed: chains that are too short to find the optimum end at different outputs.
func TestChainsDependOnTheSeed(t *testing.T) {
	space := build(t, "partialorders", 40)
	linear := gaussian(2, space.FeatureLen(), 7)
	copy(row(linear, 1), row(linear, 0))
	outputs := map[uint64][]int32{}
	for _, seed := range []uint64{1, 2} {
		outputs[seed] = make([]int32, 2*space.PartLen())
		if err := Batch(structure.OneSpaceLinear(space, linear), Metropolis, seed, outputs[seed], nil, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Equal(outputs[1], outputs[2]) {
		t.Error("two seeds give the same outputs")
	}
	if !slices.Equal(outputs[1][:space.PartLen()], outputs[1][space.PartLen():]) {
		t.Error("two rows of equal scores have different outputs")
	}
	// As a search draws for them independently.
	p := Process{Method: Metropolis, Runs: 1, Steps: 50, Seed: 1}
	if err := SearchBatch(structure.OneSpaceLinear(space, linear), p, outputs[1], nil, nil, 1, nil); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(outputs[1][:space.PartLen()], outputs[1][space.PartLen():]) {
		t.Error("two searches for equal rows follow the same chain")
	}
}

// TestChainsFollowFromTheirRow: what is found for a row depends on its scores, of squares, too, and neither on its place nor on other rows.
func TestChainsFollowFromTheirRow(t *testing.T) {
	space := build(t, "partialorders", 30)
	d, parts := space.FeatureLen(), space.PartLen()
	linear, magnitude := gaussian(3, d, 7), gaussian(1, d, 8)
	search := func(linear blas64.General, magnitude blas64.General) ([]int32, []int32) {
		found, searched := make([]int32, linear.Rows*parts), make([]int32, linear.Rows*parts)
		p := Process{Method: Anneal, Runs: 2, Steps: 100, Seed: 5}
		if err := errors.Join(Batch(structure.OneSpace(space, linear, magnitude), Metropolis, 5, found, nil, 2, nil),
			SearchBatch(structure.OneSpaceLinear(space, linear), p, searched, nil, nil, 2, nil)); err != nil {
			t.Fatal(err)
		}
		return found, searched
	}
	found, searched := search(linear, magnitude)
	last := blas64.General{Rows: 1, Cols: d, Stride: d, Data: row(linear, 2)}
	alone, own := search(last, magnitude)
	if !slices.Equal(alone, found[2*parts:]) || !slices.Equal(own, searched[2*parts:]) {
		t.Error("a row alone has another output")
	}
	if streamsOf(structure.OneSpace(space, last, magnitude))[0] == streamsOf(structure.OneSpaceLinear(space, last))[0] {
		t.Error("scores of squares do not matter")
	}
}

// TestExactStructuresNeedNoChain: where there is no search, all methods give the exact solution.
func TestExactStructuresNeedNoChain(t *testing.T) {
	space := build(t, "assignments", 5)
	linear := gaussian(4, space.FeatureLen(), 8)
	want := make([]int32, 4*space.PartLen())
	if err := Batch(structure.OneSpaceLinear(space, linear), Exact, 0, want, nil, 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, method := range []Method{Approx, Anneal, Metropolis} {
		got, certs := make([]int32, len(want)), make([]structure.Certificate, 4)
		err := Batch(structure.OneSpaceLinear(space, linear), method, 1, got, certs, 2, nil)
		if err != nil || !slices.Equal(got, want) || !certs[3].Optimal || certs[3].Nu != 0 {
			t.Errorf("method %d finds %v with %+v and the error %v, the optimum is %v", method, got, certs[3], err, want)
		}
	}
	if err := Batch(structure.OneSpaceLinear(searchOnly{space}, linear), Anneal, 0, want, nil, 1, nil); err == nil {
		t.Error("a search without local moves is annealed")
	} else if _, ok := errors.AsType[*structure.CapabilityError](err); !ok {
		t.Errorf("without local moves the error is %v", err)
	}
}

// embeddedOnly hides that gains are known without embedding both ends.
type embeddedOnly struct {
	structure.Searcher
	structure.Space
	structure.Proposer
}

func (e embeddedOnly) Facts() structure.Facts { return structure.Facts{Layout: e.Space.Facts().Layout} }

// TestGainsByEmbedding compares a chain that embeds every output with one that need not.
func TestGainsByEmbedding(t *testing.T) {
	space := build(t, "cliques", 16)
	slow := embeddedOnly{space.(structure.Searcher), space, space.(structure.Proposer)}
	linear := gaussian(3, space.FeatureLen(), 9)
	fast, embedded := make([]int32, 3*space.PartLen()), make([]int32, 3*space.PartLen())
	if err := Batch(structure.OneSpaceLinear(space, linear), Anneal, 5, fast, nil, 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := Batch(structure.OneSpaceLinear(slow, linear), Anneal, 5, embedded, nil, 1, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(fast, embedded) {
		t.Errorf("with gains %v, by embedding %v", fast, embedded)
	}
}

// TestCancelledWhileDecoding: a request that comes while a row is decoded ends it.
func TestCancelledWhileDecoding(t *testing.T) {
	space := build(t, "permutations", 300)
	linear := gaussian(1, space.FeatureLen(), 10)
	for _, method := range []Method{Search, Anneal, Metropolis} {
		decoder, err := decoderOf(space, method, 0, func() func() error {
			polls := 0
			return func() error {
				if polls++; polls > 30 {
					return parallel.ErrCancelled
				}
				return nil
			}
		}())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decoder(make([]int32, 300), structure.Scores{Linear: row(linear, 0)}, 0, 0); !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("method %d gives the error %v", method, err)
		}
	}
}

package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestHereditaryCounts: the forests of complete graphs of 2 to 6 vertices (OEIS A001858), their matchings (A000085) and
// bipartite subgraphs (A047864).
func TestHereditaryCounts(t *testing.T) {
	for property, want := range slicex.InOrder(map[int64][]int64{
		examples.Forests:   {2, 7, 38, 291, 2932},
		examples.Matchings: {2, 4, 10, 26, 76},
		examples.Bipartite: {2, 7, 41, 376, 5177},
	}) {
		for i, n := range want {
			space := mustNew(t, "graphs", examples.Hereditary(examples.Sized(int64(i+2)), property))
			if got := space.(Counter).Count().Int64(); got != n {
				t.Errorf("%v: %d, want %d", space, got, n)
			}
		}
		large := mustNew(t, "graphs", examples.Hereditary(examples.Sized(8), property))
		if _, listed := large.(Enumerator); listed {
			t.Errorf("%v are listed", large)
		}
	}
}

// TestHereditaryMoments: they are those of all sets of edges, and said to be relaxed.
func TestHereditaryMoments(t *testing.T) {
	all := mustNew(t, "graphs", examples.Sized(5))
	for property := examples.Forests; property <= examples.Bipartite; property++ {
		space := mustNew(t, "graphs", examples.Hereditary(examples.Sized(5), property))
		if kind := space.Facts().Moments; kind != RelaxedMoments {
			t.Errorf("%v: the moments are of kind %v", space, kind)
		}
		const d = 10
		one, other := make([]float64, d), make([]float64, d)
		all.(Momenter).Mean(one)
		space.(Momenter).Mean(other)
		m := blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
		s := blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
		all.(Momenter).SecondMoment(m)
		space.(Momenter).SecondMoment(s)
		for i := range d {
			for j := range d {
				if one[i] != other[i] || m.Data[i*d+j] != s.Data[i*d+j] {
					t.Fatalf("%v: moments differ from those of all sets", space)
				}
			}
		}
	}
}

func TestHereditaryMessages(t *testing.T) {
	triangle := [][2]int32{{4, 2}, {0, 4}, {2, 0}}
	for property, message := range slicex.InOrder(map[int64]string{
		examples.Forests:   "edge 2, (2, 0), closes a cycle with edges before it",
		examples.Matchings: "edge 1, (0, 4), shares a vertex with an edge before it",
		examples.Bipartite: "edge 2, (2, 0), closes a cycle of odd length with edges before it",
	}) {
		space := mustNew(t, "graphs", examples.Hereditary(examples.Graph(5, triangle), property))
		expectError(t, space.Check([]int32{1, 1, 1}), message)
		expectError(t, space.Check([]int32{1, 2, 1}), "found 2 in column 1; edge sets are 0/1 matrices")
	}
	for _, property := range []int64{-1, 4} {
		_, err := build("graphs", examples.Hereditary(examples.Sized(3), property))
		expectError(t, err, "property")
	}
	if _, any := mustNew(t, "graphs", examples.Hereditary(examples.Sized(3), 0)).(graphs); !any {
		t.Error("property 0 is not that of all sets")
	}
}

// TestHereditaryLarge: forests and matchings are best at sizes that no list covers, those of a cycle of 301 vertices by
// arithmetic; bipartite graphs are found with a bound, and a start keeps half of all at least.
func TestHereditaryLarge(t *testing.T) {
	const n = 301
	var cycle [][2]int32
	for v := range int32(n) {
		cycle = append(cycle, [2]int32{v, (v + 1) % n})
	}
	for property, want := range slicex.InOrder(map[int64]float64{examples.Forests: 300, examples.Matchings: 150, examples.Bipartite: 300}) {
		space := mustNew(t, "graphs", examples.Hereditary(examples.Graph(n, cycle), property))
		score, y := Scores{Linear: make([]float64, n)}, make([]int32, n)
		fill(score.Linear, 1)
		cert, err := space.(Decoder).Decode(y, score)
		if limit := (*LimitError)(nil); property == examples.Bipartite && errors.As(err, &limit) {
			cert, err = space.(Searcher).Search(y, score, nil)
			cert.Optimal = true // it is, but no triangle shows that one edge is lost
		}
		if err != nil || !cert.Optimal || cert.Value != want || space.Check(y) != nil {
			t.Errorf("%v: %+v, error %v", space, cert, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for property := examples.Matchings; property <= examples.Bipartite; property++ {
		space := mustNew(t, "graphs", examples.Hereditary(examples.Sized(40), property))
		score, y := Scores{Linear: make([]float64, 780)}, make([]int32, 780)
		for i := range score.Linear {
			score.Linear[i] = rng.NormFloat64()
		}
		start, err := space.(Searcher).Start(y, score, nil)
		if err != nil || space.Check(y) != nil || start.Nu > 0.5+1e-12 {
			t.Fatalf("%v: start %+v, error %v", space, start, err)
		}
		found, err := space.(Searcher).Search(y, score, nil)
		if err != nil || space.Check(y) != nil || found.Value < start.Value || found.UpperBound > start.UpperBound+1e-9 {
			t.Fatalf("%v: %+v after the start %+v, error %v", space, found, start, err)
		}
		if math.Abs((1-found.Nu)*found.UpperBound-found.Value) > 1e-9 || property == examples.Matchings && !found.Optimal {
			t.Errorf("%v: %+v", space, found)
		}
		stop := errors.New("stop")
		for _, f := range []func([]int32, Scores, func() error) (Certificate, error){space.(Searcher).Start, space.(Searcher).Search} {
			if _, err := f(y, score, func() error { return stop }); err != stop {
				t.Errorf("%v: the error is %v", space, err)
			}
		}
	}
	// Beyond what is decoded without a poll.
	space := mustNew(t, "graphs", examples.Hereditary(examples.Sized(700), examples.Matchings))
	score := Scores{Linear: make([]float64, space.FeatureLen())}
	fill(score.Linear, 1)
	limit := (*LimitError)(nil)
	if _, err := space.(Decoder).Decode(make([]int32, space.PartLen()), score); !errors.As(err, &limit) {
		t.Errorf("the error is %v", err)
	}
}

package walks_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/custom/walks"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/internal/loglineartest"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// own makes the moves of rankings for a caller.
type own struct {
	space   structure.Space
	rng     *rand.Rand
	outputs map[int64][]int32
	uniform int
}

func (o *own) Move(_, from, to []int64, psi, _ []float64) error {
	d := o.space.FeatureLen()
	for k := range from {
		z := make([]int32, o.space.PartLen())
		if from[k] < 0 {
			o.uniform++
			o.space.(structure.Sampler).Sample(z, o.rng)
		} else {
			o.space.(structure.Proposer).Propose(z, o.outputs[from[k]], o.rng)
		}
		o.outputs[to[k]] = z
		o.space.Embed(psi[k*d:(k+1)*d], z)
	}
	return nil
}

func scores(n, d int) blas64.General {
	return blas64.General{Rows: n, Cols: d, Stride: d, Data: loglineartest.Random(n*d, 1, 3)}
}

// TestSearch: searches on outputs of a caller's own find outputs with the scores that are told, nearly always the best ones of six labels,
// and traces say what was done.
func TestSearch(t *testing.T) {
	const n, steps = 20, 4000
	space := loglineartest.Build(t, "permutations", 6)
	d := space.FeatureLen()
	linear := scores(n, d)
	rows := structure.Rows(space, linear)
	for _, p := range []decode.Process{
		{Method: decode.Anneal}, {Method: decode.Metropolis}, {Method: decode.Anneal, Temperatures: []float64{2, 0.5, 0}},
		{Method: decode.Anneal, Epsilon: 0.1, Delta: 0.1}, {Method: decode.Anneal, Proposals: decode.Uniform},
	} {
		p.Runs, p.Steps, p.Seed = 1, steps, 4
		o := &own{space, rand.New(rand.NewPCG(2, 2)), map[int64][]int32{}, 0}
		from := walks.Starts{make([]float64, n*d), make([]float64, n)}
		for i := range n {
			y := make([]int32, 6)
			space.(structure.Sampler).Sample(y, o.rng)
			o.outputs[int64(i)] = y
			space.Embed(from.Psi[i*d:(i+1)*d], y)
			_, score := rows.Row(i)
			for _, s := range score.Linear {
				from.Spread[i] += 2 * math.Abs(s)
			}
		}
		best, value, traces, mon := make([]int64, n), make([]float64, n), make([]decode.Trace, n), new(parallel.Monitor)
		if err := walks.Search(o, rows, p, from, best, value, traces, mon); err != nil {
			t.Fatal(err)
		}
		found, psi, y := 0, make([]float64, d), make([]int32, 6)
		for i := range n {
			_, score := rows.Row(i)
			space.Embed(psi, o.outputs[best[i]])
			if got := score.Value(psi); got != value[i] {
				t.Fatalf("%+v: row %d scores %v, said to be %v", p, i, got, value[i])
			}
			cert, err := space.(structure.Decoder).Decode(y, score)
			if err != nil {
				t.Fatal(err)
			}
			if value[i] > cert.Value+1e-9 {
				t.Fatalf("row %d scores %v, beyond the best %v", i, value[i], cert.Value)
			}
			if value[i] > cert.Value-1e-9 {
				found++
			}
			if s := traces[i].Success; (s > 0.99) != (p.Proposals == decode.Uniform) || traces[i].Steps != steps {
				t.Errorf("%+v: %+v", p, traces[i])
			}
		}
		if found < n*3/4 || (o.uniform > 0) != (p.Proposals == decode.Uniform) || mon.Steps() != n*steps {
			t.Errorf("%+v: %d of %d found, %d steps", p, found, n, mon.Steps())
		}
		if last := traces[0].Temperature; len(p.Temperatures) > 0 && last != 0 {
			t.Errorf("the last temperature is %v", last)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	space := loglineartest.Build(t, "permutations", 3)
	rows := structure.Rows(space, scores(2, 3))
	p := decode.Process{Method: decode.Anneal, Runs: 1, Steps: 5}
	from := walks.Starts{make([]float64, 6), []float64{1, math.NaN()}}
	o := &own{space, rand.New(rand.NewPCG(2, 2)), map[int64][]int32{0: {1, 2, 3}, 1: {1, 2, 3}}, 0}
	run := func(p decode.Process) error {
		return walks.Search(o, rows, p, from, make([]int64, 2), make([]float64, 2), nil, new(parallel.Monitor))
	}
	if err := run(p); fault.RowOf(err) != 1 {
		t.Errorf("%v, must be about the spread of row 1", err)
	}
	from.Spread[1] = 0
	if err := run(p); err != nil {
		t.Error(err)
	}
	p.Temperatures = []float64{-1}
	if run(p) == nil {
		t.Error("a temperature below 0")
	}
	p.Temperatures, p.Steps = nil, 0
	if run(p) == nil {
		t.Error("no steps")
	}
	p.Steps, p.Runs = 1, 1<<31
	if err := run(p); fault.KindOf(err) != fault.KindMemory {
		t.Errorf("%v, must be about memory", err)
	}
}

// TestMoreRuns: the first run is the same however many there are, the others start at uniform outputs, and the best of all is kept.
func TestMoreRuns(t *testing.T) {
	const n = 12
	space := loglineartest.Build(t, "permutations", 5)
	d := space.FeatureLen()
	rows := structure.Rows(space, scores(n, d))
	values := make([][]float64, 0, 2)
	for _, runs := range []int{1, 6} {
		o := &own{space, rand.New(rand.NewPCG(2, 2)), map[int64][]int32{}, 0}
		from := walks.Starts{Psi: make([]float64, n*d)}
		for i := range int64(n) {
			o.outputs[i] = []int32{1, 2, 3, 4, 5}
			space.Embed(from.Psi[int(i)*d:int(i+1)*d], o.outputs[i])
		}
		p := decode.Process{Method: decode.Anneal, Temperatures: []float64{0.5}, Runs: runs, Steps: 8, Seed: 4}
		best, value, traces := make([]int64, n), make([]float64, n), make([]decode.Trace, n)
		if err := walks.Search(o, rows, p, from, best, value, traces, new(parallel.Monitor)); err != nil {
			t.Fatal(err)
		}
		if o.uniform != n*(runs-1) || traces[n-1].Steps != int64(8*runs) || traces[n-1].Accepted > traces[n-1].Steps {
			t.Errorf("%d runs: %d uniform starts, %+v", runs, o.uniform, traces[n-1])
		}
		psi := make([]float64, d)
		for i := range n {
			_, score := rows.Row(i)
			if space.Embed(psi, o.outputs[best[i]]); score.Value(psi) != value[i] {
				t.Fatalf("row %d scores %v, said to be %v", i, score.Value(psi), value[i])
			}
		}
		values = append(values, value)
	}
	gained := 0.0
	for i := range n {
		gained += values[1][i] - values[0][i]
	}
	if gained <= 0 {
		t.Error("more runs find no more")
	}
}

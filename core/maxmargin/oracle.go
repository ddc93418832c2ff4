package maxmargin

import (
	"math"
	"math/rand/v2"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Request is about some rows, for each of which an output is to be found. Its slices hold until it is answered.
type Request struct {
	// Planes says what is wanted: unless it is set, an output z of largest ⟨Linear, ψ(z)⟩ + ⟨Magnitude, ψ(z)²⟩; otherwise the largest plane
	// ℓ − ⟨f, v⟩ at the scores f in Linear, which is at least 0, or what ψ_i itself gives.
	Planes    bool
	Rows      []int64 // the numbers of the problem's rows
	Linear    matrix  // k×d
	Magnitude matrix  // k×d, or no rows for zero
	// Stream is the number of the random stream of the first row, if streams are needed; other rows have the next ones. No two requests
	// share any.
	Stream int

	// The answer: ψ(z), or v; ℓ of planes; and whether z is proven best. They are NaN and false before.
	Psi    matrix // k×d
	Offset []float64
	Proven []bool
}

// Oracle finds the outputs that training asks for.
type Oracle interface {
	// Answer answers a request. Errors about a row number it within the request.
	Answer(r Request, mon *parallel.Monitor) error
	// Work runs f, which multiplies large matrices, where that is to be done, and returns its error.
	Work(f func() error) error
}

// Here is part of an Oracle that lets large matrices be multiplied where training runs.
type Here struct{}

// Work runs f.
func (Here) Work(f func() error) error { return f() }

// heavy is how many multiplications are worth to be done where large products of matrices are.
const heavy = 1 << 16

// work runs f, of so many multiplications, where they are to be done.
func (s *planes) work(size int, f func() error) error {
	if size < heavy {
		return f()
	}
	return s.oracle.Work(f)
}

// weigh runs f, which multiplies the weights by the features of so many blocks.
func (s *planes) weigh(blocks int, f func() error) error {
	return s.work(blocks*s.X.Columns()*s.Psi.Cols, f)
}

// top returns the first k rows.
func top(m matrix, k int) matrix { return m.Slice(0, min(k, m.Rows), 0, m.Cols) }

// finite reports whether v is a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Decoder is an Oracle that decodes.
type Decoder struct {
	Here
	Space  structure.Space
	Method decode.Method
	// Candidates, where positive, replaces decoding: the best of so many uniform outputs is taken, drawn anew for each row.
	Candidates int
	// Seed of candidates and of random methods. Each decoding has a stream of its own.
	Seed    uint64
	Workers int

	single *finder // for requests of one row
}

// rowsAtOnce is the number of rows that a worker takes at a time.
const rowsAtOnce = 16

// Answer decodes the rows of a request.
func (e *Decoder) Answer(r Request, mon *parallel.Monitor) error {
	if r.Planes {
		return &structure.CapabilityError{Structure: structure.Describe(e.Space), Need: "an oracle that knows the loss, to find planes"}
	}
	some := func(f *finder, lo, hi int) error {
		for k := lo; k < hi; k++ {
			score := structure.Scores{Linear: r.Linear.Row(k)}
			if r.Magnitude.Rows > 0 {
				score.Magnitude = r.Magnitude.Row(k)
			}
			var err error
			if r.Proven[k], err = f.find(r.Psi.Row(k), score, r.Stream+k); err != nil {
				return fault.At(k, err)
			}
		}
		return nil
	}
	if r.Linear.Rows == 1 {
		if e.single == nil || e.single.mon != mon {
			var err error
			if e.single, err = e.finder(mon); err != nil {
				return err
			}
		}
		return some(e.single, 0, 1)
	}
	return parallel.For(r.Linear.Rows, rowsAtOnce, e.Workers, nil, func(lo, hi int) error {
		f, err := e.finder(mon)
		if err != nil {
			return err
		}
		return some(f, lo, hi)
	})
}

// finder finds the output of largest score, or a good one.
type finder struct {
	space   structure.Space
	one     decode.One        // nil where candidates are drawn
	sampler structure.Sampler // of candidates
	count   int
	seed    uint64
	source  rand.PCG
	rng     *rand.Rand
	parts   []int32
	trial   []float64
	mon     *parallel.Monitor
}

func (e *Decoder) finder(mon *parallel.Monitor) (*finder, error) {
	f := &finder{space: e.Space, count: e.Candidates, seed: e.Seed, parts: make([]int32, e.Space.PartLen()), mon: mon}
	if e.Candidates == 0 {
		var err error
		f.one, err = decode.NewOne(e.Space, e.Method, e.Seed, mon.Err)
		return f, err
	}
	var ok bool
	if f.sampler, ok = e.Space.(structure.Sampler); !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(e.Space), Need: "a uniform sampler, to draw candidates"}
	}
	f.rng = rand.New(&f.source)
	f.trial = make([]float64, e.Space.FeatureLen())
	return f, nil
}

// candidatesAtOnce is how many candidates are drawn between polls.
const candidatesAtOnce = 256

// find writes ψ of the output found to psi and says whether it is proven best.
func (f *finder) find(psi []float64, score structure.Scores, stream int) (bool, error) {
	if err := f.mon.Err(); err != nil {
		return false, err
	}
	for _, part := range [][]float64{score.Linear, score.Magnitude} {
		if err := structure.CheckScores(part); err != nil {
			return false, err
		}
	}
	if f.one != nil {
		cert, err := f.one(f.parts, score, stream)
		if err != nil {
			return false, err
		}
		f.space.Embed(psi, f.parts)
		return cert.Optimal, nil
	}
	parallel.Stream(&f.source, f.seed, stream)
	best := math.Inf(-1)
	for k := range f.count {
		if k%candidatesAtOnce == candidatesAtOnce-1 {
			if err := f.mon.Err(); err != nil {
				return false, err
			}
		}
		f.sampler.Sample(f.parts, f.rng)
		f.space.Embed(f.trial, f.parts)
		if v := score.Value(f.trial); v > best {
			best = v
			copy(psi, f.trial)
		}
	}
	return false, nil
}

// Decoder returns the oracle of the problem's space.
func (p *Problem) Decoder(workers int) *Decoder {
	return &Decoder{Space: p.Space, Method: p.Method, Candidates: p.Candidates, Seed: p.Seed, Workers: workers}
}

package conformal

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
)

// Sets are those of the rows of a table of E ψ, each with a threshold.
type Sets struct {
	*Parts
	Marginals  linalg.Matrix[float64]
	Thresholds []float64
	// Held are spaces of those outputs alone that satisfy conditions, and Of the number of that of each row, nil: the first. Without
	// conditions Held is nil.
	Held []structure.Space
	Of   []int32
}

// within returns the space of the outputs of row i that satisfy its conditions.
func (s *Sets) within(i int) structure.Space {
	switch {
	case s.Held == nil:
		return s.space
	case s.Of == nil:
		return s.Held[0]
	}
	return s.Held[s.Of[i]]
}

// grain is the number of rows that a worker takes at a time.
const grain = 8

// Scores writes the least probability of a part of the output of each row, all in y, to dst. An error is about its row.
func Scores(p *Parts, dst []float64, marginals linalg.Matrix[float64], y []int32, workers int, mon *parallel.Monitor) error {
	parts := p.space.PartLen()
	return eachRow(marginals.Rows, workers, mon, func(i int) (err error) {
		output := y[i*parts : (i+1)*parts]
		if err = p.space.Check(output); err == nil {
			dst[i], err = p.Least(marginals.Row(i), output)
		}
		return err
	})
}

// Contains writes to dst whether the set of each row contains an output, all in y. One that does not satisfy conditions is in no set.
func (s *Sets) Contains(dst []bool, y []int32, workers int, mon *parallel.Monitor) error {
	parts := s.space.PartLen()
	return eachRow(s.Marginals.Rows, workers, mon, func(i int) error {
		output := y[i*parts : (i+1)*parts]
		if err := s.space.Check(output); err != nil {
			return err
		}
		least, err := s.Least(s.Marginals.Row(i), output)
		dst[i] = least >= s.Thresholds[i] && s.within(i).Check(output) == nil
		return err
	})
}

// Allowed writes which values each entry of ψ may have, as AllowedTo and the conditions of its row say, to dst, packed.
func (s *Sets) Allowed(dst []structure.Values, workers int, mon *parallel.Monitor) error {
	d := s.space.FeatureLen()
	return eachRow(s.Marginals.Rows, workers, mon, func(i int) error {
		return s.allowedTo(dst[i*d:(i+1)*d], i)
	})
}

// allowedTo is Allowed for a row.
func (s *Sets) allowedTo(dst []structure.Values, i int) error {
	return s.AllowedTo(dst, s.Marginals.Row(i), s.Thresholds[i], s.within(i))
}

// LogSizes writes the logarithm of the number of outputs in each set to dst, −Inf where there is none. Where outputs are counted by a
// recursion that does not take the size, that is a *structure.LimitError.
func (s *Sets) LogSizes(dst []float64, workers int, mon *parallel.Monitor) error {
	zeros := s.zeros()
	return eachRow(s.Marginals.Rows, workers, mon, func(i int) error {
		dst[i] = math.Inf(-1)
		things, set, err := s.set(i)
		switch {
		case err != nil:
			return none(err)
		case set == nil:
			dst[i] = math.Log(float64(len(things)))
			return nil
		}
		if log, err := structure.LogCount(set); err == nil && !math.IsNaN(log) {
			dst[i] = log
			return nil
		}
		err = partition.Batch(structure.Rows(set, zeros), dst[i:i+1], nil, 1, mon.Quiet())
		if errors.Is(err, structure.ErrNone) {
			dst[i] = math.Inf(-1)
		}
		return none(err)
	})
}

// zeros returns scores under which all outputs are equally probable.
func (s *Sets) zeros() blas64.General {
	d := s.space.FeatureLen()
	return blas64.General{Rows: 1, Cols: d, Stride: max(d, 1), Data: make([]float64, d)}
}

// none returns no error where a set is empty.
func none(err error) error {
	if errors.Is(err, structure.ErrNone) {
		return nil
	}
	return err
}

// set returns what is in the set of row i: things, or a space. ErrNone: nothing.
func (s *Sets) set(i int) (things []int32, set structure.Space, err error) {
	mask := structure.NewMask()
	mask.Entries = make([]structure.Values, s.space.FeatureLen())
	if err := s.allowedTo(mask.Entries, i); err != nil {
		return nil, nil, err
	}
	if s.single == nil {
		set, err = structure.Within(s.within(i), mask)
		return nil, set, err
	}
	for j, v := range mask.Entries {
		if v.Has(1) {
			things = append(things, int32(j))
		}
	}
	if things == nil {
		err = structure.ErrNone
	}
	return things, nil, err
}

// Sample draws samples outputs from each set, independent and all equally probable, and writes first all of a row to dst. What is drawn
// for a row depends on the seed and its number. An empty set is an error that names its row.
func (s *Sets) Sample(dst []int32, samples int, seed uint64, workers int, mon *parallel.Monitor) error {
	parts, zeros := s.space.PartLen(), s.zeros()
	return eachRow(s.Marginals.Rows, workers, mon, func(i int) error {
		out := dst[i*samples*parts : (i+1)*samples*parts]
		things, set, err := s.set(i)
		if err == nil && set != nil {
			err = partition.SampleRows(structure.Rows(set, zeros), samples, seed, []uint64{uint64(i)}, out, 1, mon.Quiet())
		}
		if errors.Is(err, structure.ErrNone) {
			return errEmpty
		}
		if err != nil || set != nil {
			return err
		}
		var source rand.PCG
		parallel.Stream(&source, seed, i)
		rng := rand.New(&source)
		for k := range out {
			out[k] = things[rng.IntN(len(things))]
		}
		return nil
	})
}

// errEmpty is about sets from which nothing can be drawn.
var errEmpty = fault.Value("the set is empty: no output has parts of which all are probable enough, and satisfies the conditions")

// eachRow calls body for n rows, and returns an error about the row that it is of.
func eachRow(n, workers int, mon *parallel.Monitor, body func(i int) error) error {
	return parallel.For(n, grain, workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := fault.First(mon.Err(), body(i)); err != nil {
				return fault.At(i, err)
			}
		}
		return nil
	})
}

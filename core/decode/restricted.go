package decode

import (
	"errors"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Condition says that an entry of ψ must, or must not, have a value.
type Condition = structure.EntryCondition

// Restricted decodes under conditions: the outputs of row i are those that satisfy All[First[i]:First[i+1]]. With one range, it
// is that of all rows. Entries of ψ in conditions must be −1, 0 or 1.
type Restricted struct {
	First []int
	All   []Condition
}

// Constrained reports whether a method respects conditions.
func (m Method) Constrained() bool { return m == Auto || m == Exact || m == Search }

// rangesCheck returns an error about where the conditions of n rows, of which there are so many, begin and end.
func rangesCheck(first []int, all, n int) error {
	if len(first) != 2 && len(first) != n+1 {
		return fault.Value("there are conditions for %d rows, must be for 1 or %d", len(first)-1, n)
	}
	if first[0] != 0 || first[len(first)-1] != all {
		return fault.Value("the ranges of conditions go from %d to %d, must go from 0 to %d", first[0], first[len(first)-1], all)
	}
	for i, at := range first[1:] {
		if at < first[i] {
			return fault.Value("the conditions of row %d end at %d, before they begin", i, at)
		}
	}
	return nil
}

// ofRow returns the conditions of a row, given where those of each begin: of the one range, or of its own.
func ofRow[C any](first []int, all []C, row int) []C {
	if len(first) == 2 {
		row = 0
	}
	return all[first[row]:first[row+1]]
}

// check returns an error about the conditions on rows.
func (r *Restricted) check(b *structure.Batch) error {
	if err := rangesCheck(r.First, len(r.All), b.Len()); err != nil {
		return err
	}
	for k, c := range r.All {
		if c.Value < -1 || c.Value > 1 {
			return fault.Value("condition %d is about the value %d, must be -1, 0 or 1", k, c.Value)
		}
	}
	if len(r.First) == 2 {
		_, err := structure.ForSpaces(b, func(_ int, s structure.Space) (none struct{}, err error) {
			return none, featuresCheck(r.All, 0, s.FeatureLen())
		})
		return err
	}
	for i := range b.Len() {
		if err := featuresCheck(ofRow(r.First, r.All, i), r.First[i], b.Width(i)); err != nil {
			return fault.At(i, err)
		}
	}
	return nil
}

// featuresCheck returns an error about conditions, numbered from first on, on a ψ of d entries.
func featuresCheck(conditions []Condition, first, d int) error {
	for k, c := range conditions {
		if c.Feature < 0 || c.Feature >= d {
			return fault.Value("condition %d is about feature %d, there are %d", first+k, c.Feature, d)
		}
	}
	return nil
}

// Batch is Batch among the outputs that satisfy the conditions. met[i] gets whether the output of row i does: where it does not,
// the search has found none, and there is none if its certificate says that it is optimal. Bounds are those of the restricted
// outputs. Only the methods Auto, Exact and Search respect conditions.
func (r *Restricted) Batch(b *structure.Batch, method Method, dst []int32, certs []structure.Certificate, met []bool, workers int,
	mon *parallel.Monitor) error {
	if err := fault.First(b.Check(), r.check(b)); err != nil {
		return err
	}
	of := func(at, row int) (structure.Restriction, error) {
		d := b.Spaces()[at].FeatureLen()
		return structure.Restriction{Mask: structure.MaskOf(d, ofRow(r.First, r.All, row))}, nil
	}
	return within(b, of, len(r.First) == 2, method, dst, certs, met, workers, mon)
}

// restricted is a part of a space and what decodes in it.
type restricted struct {
	find decoder // nil: there are no outputs
	list func(y []int32)
}

// restrictedTo returns the part of a space that a restriction leaves. prepare is that of the space.
func restrictedTo(space structure.Space, r structure.Restriction, prepare func(poll func() error) error, method Method,
	mon *parallel.Monitor) (part restricted, err error) {
	part.list = r.List
	if space, err = r.Within(space); err == nil {
		part.find, err = preparedDecoder(space, prepare, method, 0, mon.Err)
	}
	if errors.Is(err, structure.ErrNone) {
		return part, nil
	}
	return part, err
}

// within decodes every row among the outputs of the restriction that of returns for it, given the number of its space, too. Shared
// restrictions are those of row 0; others are about one row alone, and so is what is wrong with them.
func within(b *structure.Batch, of func(at, row int) (structure.Restriction, error), shared bool, method Method, dst []int32,
	certs []structure.Certificate, met []bool, workers int, mon *parallel.Monitor) error {
	if !method.Constrained() {
		return fault.Value("method number %d takes no conditions", method)
	}
	if len(met) != b.Len() {
		return fault.Value("met has %d entries, must have %d", len(met), b.Len())
	}
	if err := checkShapes(b, dst, certs); err != nil {
		return err
	}
	decoders, err := structure.ForSpaces(b, func(at int, space structure.Space) (decoder, error) {
		prepare, blame := space.Facts().Prepare, fault.AtThis
		partOf := func(row int) (restricted, error) {
			r, err := of(at, row)
			if err != nil {
				return restricted{}, err
			}
			return restrictedTo(space, r, prepare, method, mon)
		}
		if shared {
			part, err := partOf(0)
			if err != nil {
				return nil, err
			}
			partOf, blame = func(int) (restricted, error) { return part, nil }, b.Blame
		}
		return withinParts(partOf, met, blame), nil
	})
	if err != nil {
		return err
	}
	return batch(b, rowsAtOnce, nil, decoders, dst, certs, workers, mon)
}

// withinParts returns what decodes rows in the parts that partOf returns for them.
func withinParts(partOf func(row int) (restricted, error), met []bool, blame func(row int, err error) error) decoder {
	return func(dst []int32, score structure.Scores, row int, _ uint64) (structure.Certificate, error) {
		part, err := partOf(row)
		if err != nil {
			return structure.Certificate{}, blame(row, err)
		}
		cert, err := part.decode(dst, score, row)
		met[row] = err == nil
		switch {
		case errors.Is(err, structure.ErrNone):
			return structure.Certificate{Optimal: true}, nil
		case errors.Is(err, structure.ErrUnmet):
			return structure.Certificate{}, nil
		case err != nil:
			err = blame(row, err)
		}
		return cert, err
	}
}

// decode writes the best output of the part, listed as its conditions ask for.
func (p *restricted) decode(dst []int32, score structure.Scores, row int) (structure.Certificate, error) {
	if p.find == nil {
		return structure.Certificate{}, structure.ErrNone
	}
	cert, err := p.find(dst, score, row, 0)
	if err == nil && p.list != nil {
		p.list(dst)
	}
	return cert, err
}

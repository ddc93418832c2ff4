package decode

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/parallel"
	"combpred/core/structure"
)

// Condition says that an entry of ψ must, or must not, have a value.
type Condition = structure.EntryCondition

// Restricted decodes under conditions: the outputs of row i are those that satisfy All[First[i]:First[i+1]]. With one range, it
// is that of all rows.
//
// The decoder of the structure knows nothing of conditions. It gets scores with penalties for violating them, which no score
// can outweigh, so that an output which satisfies them is found where the decoder is exact and there is one (an exact penalty
// method). The entries of ψ must be −1, 0 or 1.
type Restricted struct {
	First []int
	All   []Condition
}

// penalty is what a violated condition costs, after the scores of the row are scaled so that their magnitudes add up to less than 1.
// Two outputs then differ by less than 2, so no score outweighs a violation.
const penalty = 4.0

// Constrained reports whether a method respects conditions.
func (m Method) Constrained() bool { return m == Auto || m == Exact || m == Search }

// rangesCheck returns an error about where the conditions of n rows, of which there are so many, begin and end.
func rangesCheck(first []int, all, n int) error {
	if len(first) != 2 && len(first) != n+1 {
		return fmt.Errorf("decode: there are conditions for %d rows, must be for 1 or %d", len(first)-1, n)
	}
	if first[0] != 0 || first[len(first)-1] != all {
		return fmt.Errorf("decode: the ranges of conditions go from %d to %d, must go from 0 to %d", first[0], first[len(first)-1], all)
	}
	for i, at := range first[1:] {
		if at < first[i] {
			return fmt.Errorf("decode: the conditions of row %d end at %d, before they begin", i, at)
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

// check returns an error about the conditions on n rows of ψ with d entries.
func (r *Restricted) check(n, d int) error {
	if err := rangesCheck(r.First, len(r.All), n); err != nil {
		return err
	}
	for k, c := range r.All {
		if c.Feature < 0 || c.Feature >= d {
			return fmt.Errorf("decode: condition %d is about feature %d, there are %d", k, c.Feature, d)
		}
		if c.Value < -1 || c.Value > 1 {
			return fmt.Errorf("decode: condition %d is about the value %d, must be -1, 0 or 1", k, c.Value)
		}
	}
	return nil
}

// Batch is Batch among the outputs that satisfy the conditions. met[i] gets whether the output of row i does: where it does not,
// the search has found none, and there is none if its certificate says that it is optimal. Bounds are those of the restricted
// outputs, and Nu is 1 unless the output is optimal. Only the methods Auto, Exact and Search respect conditions.
func (r *Restricted) Batch(space structure.Space, linear, magnitude blas64.General, method Method, dst []int32,
	certs []structure.Certificate, met []bool, workers int, mon *parallel.Monitor) error {
	if err := r.check(linear.Rows, space.FeatureLen()); err != nil {
		return err
	}
	of := func(row int) (structure.Restriction, error) {
		return structure.Restriction{Conditions: ofRow(r.First, r.All, row)}, nil
	}
	return within(space, of, false, linear, magnitude, method, dst, certs, met, workers, mon)
}

// within decodes every row among the outputs of the restriction that of returns for it. Where rows have spaces of their own, what is
// wrong with one is about that row alone.
func within(space structure.Space, of func(row int) (structure.Restriction, error), own bool, linear, magnitude blas64.General,
	method Method, dst []int32, certs []structure.Certificate, met []bool, workers int, mon *parallel.Monitor) error {
	if !method.Constrained() {
		return fmt.Errorf("decode: method number %d takes no conditions", method)
	}
	if len(met) != linear.Rows {
		return fmt.Errorf("decode: met has %d entries, must have %d", len(met), linear.Rows)
	}
	if err := checkShapes(space, linear, magnitude, dst, certs); err != nil {
		return err
	}
	free, err := decoderOf(space, method, 0, mon.Err)
	if err != nil {
		return err
	}
	var buffers sync.Pool
	one := func(dst []int32, score structure.Scores, row int, _ uint64) (cert structure.Certificate, err error) {
		r, err := of(row)
		if err != nil {
			return cert, err
		}
		b, _ := buffers.Get().(*penalised)
		if b == nil {
			b = new(penalised)
		}
		defer buffers.Put(b)
		inner, find := space, free
		if r.Space != nil {
			inner = r.Space
			if find, err = decoderOf(inner, method, 0, mon.Err); err != nil {
				return cert, err
			}
		}
		if r.Entries != nil {
			if score.Magnitude != nil { // squares of sums are no sums of squares, unless the sums are 0 or 1: the space says whether
				if cert, err = free(dst, score, row, 0); err != nil {
					return cert, err
				}
			}
			score = structure.Scores{Linear: gathered(score.Linear, r.Entries), Magnitude: gathered(score.Magnitude, r.Entries)}
		}
		if cert, met[row], err = b.decode(inner, find, r.Conditions, dst, score, row); err != nil {
			return cert, err
		}
		if r.List != nil {
			r.List(dst)
		}
		return cert, nil
	}
	if !own {
		return batch(space, linear, magnitude, rowsAtOnce, nil, one, dst, certs, workers, mon)
	}
	alone := func(dst []int32, score structure.Scores, row int, stream uint64) (structure.Certificate, error) {
		cert, err := one(dst, score, row, stream)
		if err != nil && mon.Err() == nil {
			err = rowError{err}
		}
		return cert, err
	}
	return batch(space, linear, magnitude, rowsAtOnce, nil, alone, dst, certs, workers, mon)
}

// rowError is about one row, whatever the scores of others: it has conditions of its own.
type rowError struct{ error }

func (e rowError) Unwrap() error  { return e.error }
func (e rowError) EveryRow() bool { return false }

// gathered returns the scores of entries; none where there are none.
func gathered(score []float64, entries []int32) []float64 {
	if score == nil {
		return nil
	}
	out := make([]float64, len(entries))
	for i, e := range entries {
		out[i] = score[e]
	}
	return out
}

// decode decodes one row by find under conditions on entries of ψ, and says whether the output meets them.
func (b *penalised) decode(space structure.Space, find decoder, conditions []Condition, dst []int32, score structure.Scores,
	row int) (structure.Certificate, bool, error) {
	if len(conditions) == 0 {
		cert, err := find(dst, score, row, 0)
		return cert, true, err
	}
	d := space.FeatureLen()
	if implier, ok := space.(structure.Implier); ok {
		conditions = implied(implier, conditions, d)
	}
	b.resize(d)
	inner, exponent, reward := b.load(score, conditions)
	cert, err := find(dst, inner, row, 0)
	if err != nil {
		return cert, false, err
	}
	space.Embed(b.psi, dst)
	met := satisfied(conditions, b.psi)
	cert.Value = score.Value(b.psi)
	if cert.Optimal {
		cert.UpperBound, cert.Nu = cert.Value, 0
		return cert, met, nil
	}
	cert.UpperBound = max(math.Ldexp(cert.UpperBound-reward, exponent), cert.Value)
	cert.Nu = 1
	return cert, met, nil
}

// implied returns conditions together with those that follow from them.
func implied(implier structure.Implier, conditions []Condition, d int) []Condition {
	values := make([]int8, d)
	for _, c := range conditions {
		if c.Must && c.Value != 0 {
			values[c.Feature] = c.Value
		}
	}
	given := slices.Clone(values)
	implier.Implied(values)
	all := slices.Clone(conditions)
	for feature, v := range values {
		if v != given[feature] {
			all = append(all, Condition{Feature: feature, Value: v, Must: true})
		}
	}
	return all
}

// penalised are scores with penalties, and room for ψ.
type penalised struct{ linear, squares, psi []float64 }

func (b *penalised) resize(d int) {
	if cap(b.psi) < d {
		b.linear, b.squares, b.psi = make([]float64, d), make([]float64, d), make([]float64, d)
	}
	b.linear, b.squares, b.psi = b.linear[:d], b.squares[:d], b.psi[:d]
}

// load scales the scores by 2^−exponent and adds penalties. An output that satisfies the conditions gains reward by them.
func (b *penalised) load(score structure.Scores, conditions []Condition) (inner structure.Scores, exponent int, reward float64) {
	var total float64
	for _, v := range score.Linear {
		total += math.Abs(v)
	}
	for _, v := range score.Magnitude {
		total += math.Abs(v)
	}
	_, exponent = math.Frexp(total)
	for i, v := range score.Linear {
		b.linear[i] = math.Ldexp(v, -exponent)
	}
	clear(b.squares)
	for i, v := range score.Magnitude {
		b.squares[i] = math.Ldexp(v, -exponent)
	}
	squared := score.Magnitude != nil
	for _, c := range conditions {
		v := float64(c.Value)
		switch {
		case c.Must && c.Value != 0: // penalty for ±1, 0 for 0
			b.linear[c.Feature] += penalty * v
			reward += penalty
		case c.Must:
			b.squares[c.Feature] -= penalty
			squared = true
		case c.Value != 0: // −penalty for the value, 0 for its negative and for 0
			b.linear[c.Feature] -= penalty / 2 * v
			b.squares[c.Feature] -= penalty / 2
			squared = true
		default:
			b.squares[c.Feature] += penalty
			reward += penalty
			squared = true
		}
	}
	inner.Linear = b.linear
	if squared {
		inner.Magnitude = b.squares
	}
	return inner, exponent, reward
}

func satisfied(conditions []Condition, psi []float64) bool {
	for _, c := range conditions {
		if (psi[c.Feature] == float64(c.Value)) != c.Must {
			return false
		}
	}
	return true
}

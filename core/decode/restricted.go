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
type Condition struct {
	Feature int
	Value   int8 // −1, 0 or 1
	Must    bool
}

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

// ofRow returns the conditions of a row.
func (r *Restricted) ofRow(row int) []Condition {
	if len(r.First) == 2 {
		row = 0
	}
	return r.All[r.First[row]:r.First[row+1]]
}

// check returns an error about the conditions on n rows of ψ with d entries.
func (r *Restricted) check(n, d int) error {
	if len(r.First) != 2 && len(r.First) != n+1 {
		return fmt.Errorf("decode: there are conditions for %d rows, must be for 1 or %d", len(r.First)-1, n)
	}
	if r.First[0] != 0 || r.First[len(r.First)-1] != len(r.All) {
		return fmt.Errorf("decode: the ranges of conditions go from %d to %d, must go from 0 to %d", r.First[0],
			r.First[len(r.First)-1], len(r.All))
	}
	for i, at := range r.First[1:] {
		if at < r.First[i] {
			return fmt.Errorf("decode: the conditions of row %d end at %d, before they begin", i, at)
		}
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
	n, d := linear.Rows, space.FeatureLen()
	if !method.Constrained() {
		return fmt.Errorf("decode: method number %d takes no conditions", method)
	}
	if err := r.check(n, d); err != nil {
		return err
	}
	if len(met) != n {
		return fmt.Errorf("decode: met has %d entries, must have %d", len(met), n)
	}
	free, err := decoderOf(space, method, 0, mon.Err)
	if err != nil {
		return err
	}
	implier, implies := space.(structure.Implier)
	buffers := sync.Pool{New: func() any { return &penalised{make([]float64, d), make([]float64, d), make([]float64, d)} }}
	one := func(dst []int32, score structure.Scores, row int) (structure.Certificate, error) {
		conditions := r.ofRow(row)
		if len(conditions) == 0 {
			met[row] = true
			return free(dst, score, row)
		}
		b := buffers.Get().(*penalised)
		defer buffers.Put(b)
		if implies {
			conditions = implied(implier, conditions, d)
		}
		inner, exponent, reward := b.load(score, conditions)
		cert, err := free(dst, inner, row)
		if err != nil {
			return cert, err
		}
		space.Embed(b.psi, dst)
		met[row] = satisfied(conditions, b.psi)
		cert.Value = score.Value(b.psi)
		if cert.Optimal {
			cert.UpperBound, cert.Nu = cert.Value, 0
			return cert, nil
		}
		cert.UpperBound = max(math.Ldexp(cert.UpperBound-reward, exponent), cert.Value)
		cert.Nu = 1
		return cert, nil
	}
	return batch(space, linear, magnitude, one, dst, certs, workers, mon)
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
			all = append(all, Condition{feature, v, true})
		}
	}
	return all
}

// penalised are scores with penalties, and room for ψ.
type penalised struct{ linear, squares, psi []float64 }

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

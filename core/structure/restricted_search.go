package structure

import (
	"math"
	"slices"

	"combpred/core/fault"
)

// ErrUnmet says that a search found no output that satisfies the conditions. There may be one.
var ErrUnmet = fault.Value("the search found no output that satisfies the conditions; there may be one: leave some out, or add " +
	"some so that exact decoding is possible")

// penalty is what a value that a mask forbids costs in local search, after the scores of the row are scaled so that their magnitudes add up
// to less than 1. Two outputs then differ by less than 2, so no score outweighs a violation.
const penalty = 4.0

// penalisedSearch is the local search of a whole space with penalties for what a mask forbids (an exact penalty method), where the search
// itself knows nothing of masks. It is no part of any exact method.
type penalisedSearch struct {
	Searcher
	of *restricted
}

// Start is Search: a start in polynomial time need not keep to the mask.
func (p *penalisedSearch) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return p.Search(dst, score, poll)
}

// Search returns ErrUnmet where it finds no output that the mask allows. Bounds are those of the allowed outputs, and Nu is 1 unless the
// output is optimal.
func (p *penalisedSearch) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return searchPenalised(p.Searcher, p.of.all, &p.of.mask, dst, score, poll)
}

// searchPenalised searches a space for an output whose entries of ψ the mask allows.
func searchPenalised(by Searcher, space Space, mask *Mask, dst []int32, score Scores, poll func() error) (Certificate, error) {
	conditions := mask.EntryConditions()
	if len(conditions) == 0 {
		return by.Search(dst, score, poll)
	}
	inner, exponent, reward := penalised(score, conditions)
	cert, err := by.Search(dst, inner, poll)
	if err != nil {
		return cert, err
	}
	psi := make([]float64, space.FeatureLen())
	space.Embed(psi, dst)
	if !mask.Allows(psi) {
		if cert.Optimal {
			return cert, ErrNone
		}
		return cert, ErrUnmet
	}
	value := score.Value(psi)
	if cert.Optimal {
		return proven(value), nil
	}
	return Certificate{Value: value, UpperBound: max(math.Ldexp(cert.UpperBound-reward, exponent), value), Nu: 1}, nil
}

// penalised returns the scores, scaled by 2^−exponent, with penalties. An output that satisfies the conditions gains reward by them.
func penalised(score Scores, conditions []EntryCondition) (inner Scores, exponent int, reward float64) {
	var total float64
	for _, v := range slices.Concat(score.Linear, score.Magnitude) {
		total += math.Abs(v)
	}
	_, exponent = math.Frexp(total)
	linear, squares := make([]float64, len(score.Linear)), make([]float64, len(score.Linear))
	for i, v := range score.Linear {
		linear[i] = math.Ldexp(v, -exponent)
	}
	for i, v := range score.Magnitude {
		squares[i] = math.Ldexp(v, -exponent)
	}
	squared := score.Magnitude != nil
	for _, c := range conditions {
		v := float64(c.Value)
		switch {
		case c.Must && c.Value != 0: // penalty for ±1, 0 for 0
			linear[c.Feature] += penalty * v
			reward += penalty
			continue
		case c.Must:
			squares[c.Feature] -= penalty
		case c.Value != 0: // −penalty for the value, 0 for its negative and for 0
			linear[c.Feature] -= penalty / 2 * v
			squares[c.Feature] -= penalty / 2
		default:
			squares[c.Feature] += penalty
			reward += penalty
		}
		squared = true
	}
	inner.Linear = linear
	if squared {
		inner.Magnitude = squares
	}
	return inner, exponent, reward
}

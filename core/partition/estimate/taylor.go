package estimate

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"combpred/core/parallel"
	"combpred/core/structure"
)

// Taylor is the expansion of ln Z about scores of 0 on a space, from the number of its outputs and the moments of ψ:
// ln|Y| + ⟨s, μ⟩ + ln(1 + sᵀΣs/2), whose error is of third order in the scores.
type Taylor struct {
	LogCount   float64
	Mean       []float64
	Covariance blas64.General
	Kind       structure.MomentsKind
}

// NewTaylor computes the moments. Spaces without a count or moments are a *structure.CapabilityError, as are those whose moments are
// those of a larger space. Cost: that of the second moment, and O(d²) memory.
func NewTaylor(space structure.Space) (*Taylor, error) {
	m, ok := space.(structure.Momenter)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space),
			Need: "the mean and second moment of its embedding, to expand about the uniform distribution"}
	}
	t := &Taylor{Kind: space.Facts().Moments}
	if t.Kind == structure.RelaxedMoments {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space),
			Need: "moments of its own outputs, not those of a larger space"}
	}
	var err error
	if t.LogCount, err = logCountOf(space); err != nil {
		return nil, err
	}
	d := space.FeatureLen()
	t.Mean = make([]float64, d)
	t.Covariance = blas64.General{Rows: d, Cols: d, Stride: max(d, 1), Data: make([]float64, d*d)}
	m.Mean(t.Mean)
	m.SecondMoment(t.Covariance)
	mean := blas64.Vector{N: d, Inc: 1, Data: t.Mean}
	blas64.Ger(-1, mean, mean, t.Covariance)
	return t, nil
}

// Expansion is what Expand finds: columns of n entries each, and the gradients.
type Expansion struct {
	Value []float64
	// Variance is that of the scores under the uniform distribution.
	Variance []float64
	// Gradient (n×d) approximates E ψ.
	Gradient blas64.General
	// Lower and Upper always hold ln Z; ∓Inf where nothing is known.
	Lower, Upper []float64
	// Spread bounds |⟨s, ψ(y) − μ⟩| over all outputs; the approximation is good where it is at most 1. NaN where nothing is proven.
	Spread []float64
}

// Expand expands ln Z for every row of scores (n×d). plain takes the expansion of exp⟨s, ψ⟩ in place of that of exp⟨s, ψ − μ⟩: ln|Y| +
// ln(1 + ⟨s, μ⟩ + sᵀMs/2) with the second moment M, which is worse where ⟨s, μ⟩ is not 0. Cost: O(n d²). mon is polled, and counts
// nothing.
func (t *Taylor) Expand(scores blas64.General, plain bool, mon *parallel.Monitor) (Expansion, error) {
	n, d := scores.Rows, scores.Cols
	column := func() []float64 { return make([]float64, n) }
	e := Expansion{
		Value: column(), Variance: column(), Lower: column(), Upper: column(), Spread: column(),
		Gradient: blas64.General{Rows: n, Cols: d, Stride: max(d, 1), Data: make([]float64, n*d)},
	}
	most := max(1, expandedAtOnce/max(1, d*d))
	for lo := 0; lo < n && d > 0; lo += most {
		if err := mon.Err(); err != nil {
			return e, err
		}
		hi := min(lo+most, n)
		some := func(m blas64.General) blas64.General {
			return blas64.General{Rows: hi - lo, Cols: d, Stride: m.Stride, Data: m.Data[lo*m.Stride : (hi-1)*m.Stride+d]}
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, some(scores), t.Covariance, 0, some(e.Gradient))
	}
	for i := range n {
		s, g := rowOf(scores, i), rowOf(e.Gradient, i)
		first, variance := floats.Dot(s, t.Mean), max(floats.Dot(s, g), 0)
		e.Variance[i] = variance
		e.Lower[i], e.Upper[i], e.Spread[i] = math.Inf(-1), math.Inf(1), math.NaN()
		if plain {
			// E ⟨s, ψ⟩² is the variance and the square of the mean: 1 + t + t²/2 is never less than 1/2.
			bracket := first + (first*first+variance)/2
			e.Value[i] = t.LogCount + math.Log1p(bracket)
			floats.AddScaled(g, 1+first, t.Mean)
			floats.Scale(1/(1+bracket), g)
			continue
		}
		bracket := variance / 2
		e.Value[i] = t.LogCount + first + math.Log1p(bracket)
		floats.Scale(1/(1+bracket), g)
		floats.Add(g, t.Mean)
	}
	return e, nil
}

// expandedAtOnce is the number of products of numbers between polls: about a tenth of a second.
const expandedAtOnce = 1 << 28

// Bound finds the bounds of an expansion by decoding each row twice: Z lies between |Y| times the exponentials of the least and of the
// largest score, and is no less than that of any one output; where the mean μ of ψ is exact, Jensen's inequality gives
// ln Z ≥ ln|Y| + ⟨s, μ⟩. Spaces that cannot be decoded leave the bounds as they are.
func (t *Taylor) Bound(e Expansion, space structure.Space, scores blas64.General, workers int, mon *parallel.Monitor) error {
	found, err := extremes(structure.OneSpaceLinear(space, scores), workers, mon)
	if err != nil {
		if _, lacks := errors.AsType[*structure.CapabilityError](err); lacks {
			return nil
		}
		return err
	}
	for i := range scores.Rows {
		first := floats.Dot(rowOf(scores, i), t.Mean)
		up, down := found.up[i], found.down[i]
		e.Spread[i] = max(up.UpperBound-first, first+down.UpperBound)
		e.Lower[i] = max(t.LogCount-down.UpperBound, up.Value)
		if t.Kind == structure.ExactMoments {
			e.Lower[i] = max(t.LogCount+first, up.Value)
		}
		e.Upper[i] = t.LogCount + up.UpperBound
	}
	return nil
}

func rowOf(m blas64.General, i int) []float64 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

package structure

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
)

// Scores is what a decoder maximises: ⟨Linear, ψ(y)⟩ + ⟨Magnitude, ψ(y)²⟩, squares taken entry by entry, which are |ψ(y)| where ψ
// has entries in {0, ±1}. Magnitude may be nil, meaning zero. It carries the term −½‖ψ(y)‖² of the pre-image problem.
type Scores struct {
	Linear    []float64
	Magnitude []float64
}

// Value returns the score of an embedded output.
func (s Scores) Value(psi []float64) float64 {
	v := floats.Dot(s.Linear, psi)
	for i, m := range s.Magnitude {
		v += m * psi[i] * psi[i]
	}
	return v
}

// indicator returns the score of entry i where ψ_i is 0 or 1, so that |ψ_i| = ψ_i.
func (s Scores) indicator(i int) float64 {
	if s.Magnitude == nil {
		return s.Linear[i]
	}
	return s.Linear[i] + s.Magnitude[i]
}

// magnitude returns the score of |ψ_i|.
func (s Scores) magnitude(i int) float64 {
	if s.Magnitude == nil {
		return 0
	}
	return s.Magnitude[i]
}

// mustScores panics unless the scores have d entries each.
func mustScores(s Scores, d int) {
	mustLen("Linear", len(s.Linear), d)
	if s.Magnitude != nil {
		mustLen("Magnitude", len(s.Magnitude), d)
	}
}

// maxTotal bounds the sum of the magnitudes of one row's scores, so that no sum of them overflows.
const maxTotal = math.MaxFloat64 / 8

// Check is CheckScores for the scores of an output space.
func (s Scores) Check() error {
	if err := CheckScores(s.Linear); err != nil {
		return err
	}
	return CheckScores(s.Magnitude)
}

// CheckScores returns an error that names the first score which is infinite or NaN, or says that their sum overflows.
func CheckScores(scores []float64) error {
	var total float64
	for _, v := range scores {
		total += math.Abs(v)
	}
	if total <= maxTotal {
		return nil
	}
	for j, v := range scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Value("score %d is %v, must be finite", j, v)
		}
	}
	return fault.Value("the scores add up to more than %g, scale them down", maxTotal)
}

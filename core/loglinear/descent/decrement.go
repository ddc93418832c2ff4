package descent

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
)

const standardErrors = 2 // by which an estimate has to be below a limit to be taken as below

// Decrement is an estimate of how far the objective is above its minimum, with its standard error, 0 for exact gradients.
type Decrement struct{ Value, Error float64 }

// highest is an upper confidence bound.
func (d Decrement) highest() float64 { return d.Value + standardErrors*d.Error }

// within says whether it is at most a limit, with the certainty of two standard errors.
func (d Decrement) within(limit float64) bool { return d.highest() <= limit }

// beyond says whether it is more than a limit, with twice that certainty, as it is asked at many checkpoints.
func (d Decrement) beyond(limit float64) bool { return d.Value-2*standardErrors*d.Error > limit }

// checkpoint is where a descent was after some passes, and the gradient of the objective there. An estimate of that is the mean of two,
// whose difference tells its noise; without rows the gradient is exact.
type checkpoint struct {
	passes                        int
	weights, gradient, difference matrix
}

// known returns the decrement by exact gradients now and, unless half is nil, after half the passes: half the squared norm of the
// preconditioned gradient, or what the second half has gained. Scratch is q×d.
func known(now checkpoint, half *checkpoint, by *loglinear.Preconditioner, scratch matrix) (Decrement, error) {
	err := by.PullBackTo(scratch, now.gradient)
	newton := 0.5 * linalg.SquaredNorm(scratch.Data)
	if half == nil {
		return Decrement{Value: newton}, err
	}
	return Decrement{Value: max(newton, gain(now, *half))}, err
}

// gain returns the step from half to now times the mean of the gradients at its ends, negated.
func gain(now, half checkpoint) (g float64) {
	for i, v := range now.weights.Data {
		g += (now.gradient.Data[i] + half.gradient.Data[i]) * (half.weights.Data[i] - v)
	}
	return g / 2
}

// newtonGain returns half the product of two independent estimates of a vector; its error takes their noise as normal.
//
// With noise of variance v in each, a difference has the mean square 2v and the mean fourth power 12v², and the product of the entries
// the variance v² + 2v m² for their mean m. The square of the difference times the product has the mean 2v m² − 2v².
func newtonGain(one, two []float64) Decrement {
	var total, fourth, mixed float64
	for i, a := range one {
		product, square := a*two[i], (a-two[i])*(a-two[i])
		total += product
		fourth += square * square
		mixed += square * product
	}
	return Decrement{total / 2, math.Sqrt(fourth/12+max(mixed+fourth/6, 0)) / 2}
}

// recentGain returns the gain since half, with its error. Scratches are q×d.
func recentGain(now, half checkpoint, by *loglinear.Preconditioner, way, pulled matrix) (Decrement, error) {
	for i, v := range now.weights.Data {
		pulled.Data[i] = half.weights.Data[i] - v
	}
	err := by.CoordinatesTo(way, pulled)
	var variance float64
	for k, end := range []checkpoint{now, half} {
		// Half the difference is the noise of the mean, about uncorrelated when preconditioned; at weights of 0 there is none.
		if k == 1 && end.passes == 0 {
			continue
		}
		err = fault.First(err, by.PullBackTo(pulled, end.difference))
		for i, v := range pulled.Data {
			variance += v * v * way.Data[i] * way.Data[i] / 4
		}
	}
	return Decrement{gain(now, half), math.Sqrt(variance) / 2}, err
}

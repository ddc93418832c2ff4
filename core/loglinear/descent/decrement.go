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

// half returns the checkpoint after half the passes, nil where there is none.
func (s *descent) half() *checkpoint {
	if len(s.checkpoints) == 0 {
		return nil
	}
	return &s.checkpoints[0]
}

// point returns a checkpoint at some weights, but for its gradient.
func (s *descent) point(weights matrix) checkpoint {
	room := func() matrix { return linalg.NewMatrix[float64](s.o.Features, s.o.Outputs) }
	c := checkpoint{passes: s.passes, weights: room(), gradient: room()}
	if s.o.Sampled {
		c.difference = room()
	}
	c.weights.CopyFrom(weights)
	return c
}

// exact returns what is left at a point, whose gradient it writes.
func (s *descent) exact(now checkpoint) (Decrement, error) {
	sums, average := make([]float64, s.o.SumsLen(loglinear.Loss)), now.weights
	if err := loglinear.AddSums(s.o.Sizes, s.problem, loglinear.Loss, average, sums, s.oracle, s.mon); err != nil {
		return Decrement{}, err
	}
	s.objective = sums[loglinear.LossSum] + s.alpha*linalg.SquaredNorm(average.Data)
	now.gradient.CopyFrom(s.o.GradientOf(sums))
	linalg.Axpy(now.gradient.Data, average.Data, 2*s.alpha)
	if !linalg.Finite(now.gradient.Data) || math.IsNaN(s.objective) {
		return Decrement{}, fault.Numerical("the objective is %v, or its gradient is not finite: scale the inputs down", s.objective)
	}
	return known(now, s.half(), s.now, s.scratch)
}

// sampled estimates what is left by sampled gradients, until it is known on which side of the limit it is. Each evaluation of all rows
// gives two gradients, of draws that are independent of each other. As many are averaged as it takes, within 4 evaluations of all rows,
// or of 400 rows if that is more; for the last checkpoint, whose figure is told, that many unless little is left.
func (s *descent) sampled(now checkpoint) (left Decrement, err error) {
	pair := [2]matrix{linalg.NewMatrix[float64](s.o.Features, s.o.Outputs), linalg.NewMatrix[float64](s.o.Features, s.o.Outputs)}
	most := max(leastRounds, (roundRows-1)/s.problem.Len()+1)
	for rounds, more := 0, 1; ; more = min(rounds, most-rounds) {
		if err := s.addPairs(pair, now.weights, more); err != nil {
			return left, err
		}
		rounds += more
		var clear bool
		if left, clear, err = s.estimate(now, pair, float64(rounds)); err != nil || clear || rounds >= most {
			return left, err
		}
	}
}

// addPairs adds two estimates of the gradient of the loss of all rows, times draws, as from so many times as many draws as a step takes.
func (s *descent) addPairs(to [2]matrix, weights matrix, draws int) error {
	n, d := s.problem.Len(), s.o.Outputs
	k := s.o.BlockRows(n)
	scores, means := linalg.NewMatrix[float64](k, d), linalg.NewMatrix[float64](2*k, d)
	for lo := 0; lo < n; lo += k {
		at := loglinear.Between(lo, min(lo+k, n))
		r := loglinear.RowsRequest{Ask: loglinear.Pair, Rows: at, Draws: draws, Scores: scores.Slice(0, at.Len(), 0, d),
			Means: means.Slice(0, 2*at.Len(), 0, d)}
		if err := s.problem.ScoresTo(r.Scores, at, weights); err != nil {
			return err
		}
		if err := s.problem.Answer(s.oracle, r, s.mon); err != nil {
			return err
		}
		if err := s.problem.Residuals(r, float64(draws), s.mon); err != nil {
			return err
		}
		for i, to := range to {
			means := r.Means.Slice(i*at.Len(), (i+1)*at.Len(), 0, d)
			if err := s.problem.AddGradient(to, at, means); err != nil {
				return err
			}
		}
	}
	return nil
}

// estimate writes the gradient of a point by the pairs so far and returns what is left, and whether it is known on which side of the limit
// that is.
func (s *descent) estimate(now checkpoint, pair [2]matrix, rounds float64) (left Decrement, clear bool, err error) {
	for i := range now.gradient.Data {
		one, two := pair[0].Data[i]/rounds, pair[1].Data[i]/rounds
		now.gradient.Data[i] = (one+two)/2 + 2*s.alpha*now.weights.Data[i]
		now.difference.Data[i] = one - two
	}
	// The two gradients are their mean plus and minus half their difference, and so are they when preconditioned.
	one, two := s.gradient, s.scratch
	if err := fault.First(s.now.PullBackTo(one, now.gradient), s.now.PullBackTo(two, now.difference)); err != nil {
		return left, false, err
	}
	for i, m := range one.Data {
		one.Data[i], two.Data[i] = m+two.Data[i]/2, m-two.Data[i]/2
	}
	left = newtonGain(one.Data, two.Data)
	beyond := left.beyond(s.limit())
	if half := s.half(); half != nil {
		recent, err := recentGain(now, *half, s.now, one, two)
		if err != nil {
			return left, false, err
		}
		if recent.highest() > left.highest() {
			left = recent
		}
		beyond = beyond || recent.beyond(s.limit())
	}
	return left, left.within(s.limit()) || beyond && s.passes < s.o.MaxIter, nil
}

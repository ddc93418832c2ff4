package descent

import (
	"math"

	"combpred/core/fault"
	"combpred/core/loglinear"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
)

// prepare finds the preconditioner of the Hessian at W = 0, the first step size, and what there is to gain.
func (s *Descent) prepare(mon *parallel.Monitor) error {
	own, o, p := s.own, s.o, s.problem
	sums := own.sums[:o.SumsLen(loglinear.Moments)]
	clear(sums)
	pass, err := loglinear.NewPass(o.Sizes, p, loglinear.Moments, matrix{}, sums, own.pass)
	if err == nil {
		_, err = pass.Next(mon)
	}
	if err != nil {
		return err
	}
	*own.weight = sums[loglinear.WeightSum]
	if err := loglinear.SetZero(o.Sizes, o.Alpha, sums, &own.zero, own.curvature, own.variances, mon); err != nil {
		return err
	}
	if *own.steps.first, err = firstStep(p, s.stepping(), o.Sizes, o.Alpha, 1, own.curvature, mon); err != nil {
		return err
	}
	zero := own.checkpoints[0]
	if err := s.gradientAtZero(zero.gradient); err != nil {
		return err
	}
	*own.gain = known(zero, nil, s.preconditioner(), own.steps.scratch).Value
	*own.left = *own.gain
	// What an earlier fit has gained says nothing about what is left.
	if *own.points = 1; flat.Dot(own.steps.average.Data, own.steps.average.Data) > 0 {
		*own.points = 0
	}
	*own.check, *own.renew, *own.objective = 1, firstRenewed, math.NaN()
	*own.stage = descentShuffle
	return nil
}

// gradientAtZero writes the gradient at W = 0 to dst: every distribution is uniform there, and its mean is known.
func (s *Descent) gradientAtZero(dst matrix) error {
	n, d := s.problem.Len(), s.o.Outputs
	for lo := 0; lo < n; lo += batchRows {
		at := loglinear.Between(lo, min(lo+batchRows, n))
		means := s.own.steps.means.Slice(0, at.Len(), 0, d)
		for k := range means.Rows {
			copy(means.Row(k), s.problem.Mean)
		}
		if err := s.problem.Residuals(means, at, 1); err != nil {
			return err
		}
		if err := s.problem.AddGradient(dst, at, means); err != nil {
			return err
		}
	}
	return nil
}

// nextPass begins a pass over the rows.
func (s *Descent) nextPass() (loglinear.RowsRequest, error) {
	own := s.own
	*own.passes++
	own.steps.shuffle(s.o.Seed, int(*own.passes))
	*own.stage = descentStep
	return own.steps.ask(s.problem)
}

func (s *Descent) afterStep(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	own := s.own
	if err := own.steps.take(s.problem, s.stepping(), s.o.Alpha, 1); err != nil {
		return loglinear.RowsRequest{}, err
	}
	mon.Advance(1)
	if r, err := own.steps.ask(s.problem); err != nil || r.Ask != loglinear.Nothing {
		return r, err
	}
	last := int(*own.passes) >= s.o.MaxIter
	if *own.passes != *own.check && !last {
		return loglinear.RowsRequest{}, s.renew()
	}
	*own.check = max(*own.check+1, math.Floor(spacing**own.passes))
	s.dropPoints()
	if s.o.Sampled {
		own.pair[0].Zero()
		own.pair[1].Zero()
		*own.rounds, *own.asked, *own.at = 0, 1, 0
		*own.stage = descentPairs
		return s.askPairs()
	}
	sums := own.sums[:s.o.SumsLen(loglinear.Loss)]
	clear(sums)
	*own.stage = descentLoss
	pass, err := loglinear.NewPass(s.o.Sizes, s.problem, loglinear.Loss, own.steps.average, sums, own.pass)
	if err != nil {
		return loglinear.RowsRequest{}, err
	}
	return pass.Next(mon)
}

// dropPoints leaves, of the checkpoints at no more than half the passes, the last.
func (s *Descent) dropPoints() {
	own := s.own
	for *own.points > 1 && 2**own.checkpoints[1].passes <= *own.passes {
		for k := 1; k < int(*own.points); k++ {
			own.checkpoints[k-1].copyFrom(own.checkpoints[k])
		}
		*own.points--
	}
}

// half returns the checkpoint after half the passes, nil where there is none.
func (s *Descent) half() *checkpoint {
	if *s.own.points == 0 {
		return nil
	}
	return &s.own.checkpoints[0]
}

// point returns the checkpoint that comes next, at the average.
func (s *Descent) point() checkpoint {
	c := s.own.checkpoints[int(*s.own.points)]
	*c.passes = *s.own.passes
	c.weights.CopyFrom(s.own.steps.average)
	return c
}

func (s *Descent) afterLoss(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	own, average := s.own, s.own.steps.average
	sums := own.sums[:s.o.SumsLen(loglinear.Loss)]
	pass, err := loglinear.ResumePass(s.o.Sizes, s.problem, loglinear.Loss, average, sums, own.pass)
	if err != nil {
		return loglinear.RowsRequest{}, err
	}
	if r, err := pass.Next(mon); err != nil || r.Ask != loglinear.Nothing {
		return r, err
	}
	*own.objective = sums[loglinear.LossSum] + s.o.Alpha*flat.Dot(average.Data, average.Data)
	now := s.point()
	now.gradient.CopyFrom(s.o.GradientOf(sums))
	flat.Axpy(now.gradient.Data, 2*s.o.Alpha, average.Data)
	if !flat.Finite(now.gradient.Data) || math.IsNaN(*own.objective) {
		return loglinear.RowsRequest{}, fault.Numerical("the objective is %v, or its gradient is not finite: scale the inputs down",
			*own.objective)
	}
	return loglinear.RowsRequest{}, s.checked(known(now, s.half(), s.preconditioner(), own.steps.scratch), mon)
}

// checked keeps the checkpoint and ends the descent where little enough is left.
func (s *Descent) checked(left Decrement, mon *parallel.Monitor) error {
	own := s.own
	*own.points++
	*own.left, *own.leftError = left.Value, left.Error
	mon.Report(left.Value)
	if left.within(s.limit()) {
		*own.stage = descentEnd
		return nil
	}
	return s.renew()
}

// askPairs asks for pairs of means of a block of rows.
func (s *Descent) askPairs() (loglinear.RowsRequest, error) {
	own, n, d := s.own, s.problem.Len(), s.o.Outputs
	lo := int(*own.at)
	at := loglinear.Between(lo, min(lo+s.o.BlockRows(n), n))
	k := at.Len()
	r := loglinear.RowsRequest{Ask: loglinear.Pair, First: lo, Draws: int(*own.asked), Scores: own.pairScores.Slice(0, k, 0, d),
		Means: own.pairMeans.Slice(0, 2*k, 0, d)}
	flat.FillNaN(r.Means.Data)
	return r, s.problem.ScoresTo(r.Scores, at, own.steps.average)
}

// afterPairs estimates what is left by sampled gradients, until it is known on which side of the limit it is. Each evaluation of all rows
// gives two gradients, of draws that are independent of each other. As many are averaged as it takes, within 4 evaluations of all rows,
// or of 400 rows if that is more; for the last checkpoint, whose figure is told, that many unless little is left.
func (s *Descent) afterPairs(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	own, n, d := s.own, s.problem.Len(), s.o.Outputs
	lo := int(*own.at)
	at := loglinear.Between(lo, min(lo+s.o.BlockRows(n), n))
	for i, to := range own.pair {
		means := own.pairMeans.Slice(i*at.Len(), (i+1)*at.Len(), 0, d)
		if err := s.problem.Residuals(means, at, *own.asked); err != nil {
			return loglinear.RowsRequest{}, err
		}
		if err := s.problem.AddGradient(to, at, means); err != nil {
			return loglinear.RowsRequest{}, err
		}
	}
	if *own.at += float64(at.Len()); int(*own.at) < n {
		return s.askPairs()
	}
	*own.rounds += *own.asked
	most := float64(mostRounds(n))
	left, clear := s.estimate()
	if !clear && *own.rounds < most {
		*own.asked, *own.at = min(*own.rounds, most-*own.rounds), 0
		return s.askPairs()
	}
	return loglinear.RowsRequest{}, s.checked(left, mon)
}

// mostRounds returns by how many evaluations of all rows an estimate is averaged at most.
func mostRounds(n int) int { return max(leastRounds, (roundRows-1)/n+1) }

// estimate writes the checkpoint of the pairs so far and returns what is left, and whether it is known on which side of the limit that is.
func (s *Descent) estimate() (left Decrement, clear bool) {
	own, now, by := s.own, s.point(), s.preconditioner()
	for i := range now.gradient.Data {
		one, two := own.pair[0].Data[i] / *own.rounds, own.pair[1].Data[i] / *own.rounds
		now.gradient.Data[i] = (one+two)/2 + 2*s.o.Alpha*now.weights.Data[i]
		now.difference.Data[i] = one - two
	}
	// The two gradients are their mean plus and minus half their difference, and so are they when preconditioned.
	one, two := own.steps.gradient, own.steps.scratch
	by.PullBackTo(one, now.gradient)
	by.PullBackTo(two, now.difference)
	for i, m := range one.Data {
		one.Data[i], two.Data[i] = m+two.Data[i]/2, m-two.Data[i]/2
	}
	figures := []Decrement{newtonGain(one.Data, two.Data)}
	if half := s.half(); half != nil {
		figures = append(figures, recentGain(now, *half, by, one, two))
	}
	beyond := false
	for k, f := range figures {
		if k == 0 || f.highest() > left.highest() {
			left = f
		}
		beyond = beyond || f.beyond(s.limit())
	}
	last := int(*own.passes) >= s.o.MaxIter
	return left, left.within(s.limit()) || beyond && !last
}

// renew asks for the spread where it is time to precondition by the Hessian at the current average, and else goes on to the next pass.
func (s *Descent) renew() error {
	own := s.own
	if int(*own.passes) >= s.o.MaxIter {
		*own.stage = descentEnd
		return nil
	}
	*own.stage = descentShuffle
	if *own.passes != *own.renew {
		return nil
	}
	*own.renew *= 2
	if !s.o.HasCovariance() {
		return nil
	}
	*own.stage = descentSpread
	sums := own.sums[:s.o.SumsLen(loglinear.Spread)]
	clear(sums)
	_, err := loglinear.NewPass(s.o.Sizes, s.problem, loglinear.Spread, own.steps.average, sums, own.pass)
	return err
}

func (s *Descent) spreadPass() (*loglinear.Pass, error) {
	return loglinear.ResumePass(s.o.Sizes, s.problem, loglinear.Spread, s.own.steps.average,
		s.own.sums[:s.o.SumsLen(loglinear.Spread)], s.own.pass)
}

func (s *Descent) afterSpread(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	pass, err := s.spreadPass()
	if err != nil {
		return loglinear.RowsRequest{}, err
	}
	if r, err := pass.Next(mon); err != nil || r.Ask != loglinear.Nothing {
		return r, err
	}
	return loglinear.RowsRequest{}, s.follow(mon)
}

// preconditioner returns that of estimates: of the Hessian where the descent last was when it was renewed.
func (s *Descent) preconditioner() *loglinear.Preconditioner {
	if *s.own.renewed != 0 {
		return &s.own.now
	}
	return &s.own.zero
}

// stepping returns the preconditioner of steps.
func (s *Descent) stepping() *loglinear.Preconditioner {
	if *s.own.renewed != 0 {
		return &s.own.step
	}
	return &s.own.zero
}

// follow preconditions by the Hessian at the current average, where the spread is known.
func (s *Descent) follow(mon *parallel.Monitor) error {
	own, o := s.own, s.o
	f := loglinear.Following{Sizes: o.Sizes, Alpha: o.Alpha, Sums: own.sums[:o.SumsLen(loglinear.Spread)], Weight: *own.weight,
		Zero: &own.zero, Curvature: own.curvature, Variances: own.variances}
	if !f.Known() {
		*own.stage = descentShuffle
		return nil
	}
	if err := f.Set(&own.now, own.moved, own.spread, 0, mon); err != nil {
		return err
	}
	if err := f.Set(&own.step, own.moved, own.spread, damping, mon); err != nil {
		return err
	}
	first, err := firstStep(s.problem, &own.step, o.Sizes, o.Alpha, 1, own.curvature, mon)
	if err != nil {
		return err
	}
	*own.steps.first, *own.renewed, *own.stage = first, 1, descentShuffle
	// Steps that have shrunk are long again where much is left, else they go on shrinking, as noise is what is left.
	if *own.left > much**own.gain {
		*own.steps.begun = *own.steps.count
	}
	return nil
}

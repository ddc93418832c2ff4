package estimate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// MarginalOptions says how means of ψ are estimated.
type MarginalOptions struct {
	Options
	// Counting takes the quotient of Z_j = Σ_y ψ_j(y) exp⟨s, ψ(y)⟩ and Z, both annealed, with ψ_j shifted so that it is not negative:
	// Epsilon is then the error relative to the distance of each entry from its least value. Otherwise means are averages over as
	// many draws as Hoeffding's inequality asks for, and Epsilon is the absolute error of each entry.
	Counting bool
	// Low and High are the least and the largest value of each entry of ψ; nil: from the decoder.
	Low, High []float64
	// Mean is that of ψ over all outputs, for Counting; nil: that of the space, which must be exact.
	Mean []float64
}

// ladder are the levels by which chains come to p.
var ladder = []float64{0, 0.25, 0.5, 0.75, 1}

// HoeffdingSize returns how many independent draws put the mean of values within a range within epsilon of its expectation, with
// probability 1 − delta: ⌈(range/ε)² ln(2/δ)/2⌉, at least 1 (Hoeffding, 1963).
func HoeffdingSize(epsilon, delta, valueRange float64) float64 {
	ratio := valueRange / epsilon
	return max(1, math.Ceil(ratio*ratio*math.Log(2/delta)/2))
}

// Marginals estimates E ψ for every row of scores, and writes the estimates to value and bounds on the errors of their entries to bound,
// packed. Those of a row hold together with probability 1 − Delta where the sampler is exact. Errors, streams and the monitor are as for
// Anneal. Low, High and Mean are those of one space.
func Marginals(b *structure.Batch, opt MarginalOptions, value, bound []float64, workers int, mon *parallel.Monitor) ([]Row, error) {
	opt.Levels = Adaptive
	if err := fault.First(opt.Check(b.Len()), checkMeans(b, value, bound)); err != nil {
		return nil, err
	}
	if b.Mixed() && (opt.Low != nil || opt.High != nil || opt.Mean != nil) {
		return nil, fault.Value("low, high and mean are those of one space, leave them out for rows of several")
	}
	options, err := structure.ForSpaces(b, func(_ int, s structure.Space) (MarginalOptions, error) {
		own := opt
		err := own.complete(s, mon)
		return own, err
	})
	if err != nil {
		return nil, err
	}
	found := make([]Row, b.Len())
	return found, eachRow(b, opt.Options, workers, mon, func(i int, t *task) error {
		sampler, l, err := t.levelsOf(nil)
		if err != nil {
			return err
		}
		estimate := t.bySamples
		if opt.Counting {
			estimate = t.byCounting
		}
		if err := estimate(l, options[b.At(i)], b.Vector(value, i), b.Vector(bound, i)); err != nil {
			return err
		}
		found[i].Sampler, found[i].Samples, found[i].Steps, found[i].Accepted = sampler, t.samples, t.steps, t.accepted
		found[i].Trust, err = l.trust()
		return err
	})
}

// complete fills in what the structure knows, and checks what was given.
func (o *MarginalOptions) complete(space structure.Space, mon *parallel.Monitor) error {
	d := space.FeatureLen()
	if o.Counting && o.Mean == nil {
		m, ok := space.(structure.Momenter)
		if !ok || space.Facts().Moments != structure.ExactMoments {
			return &structure.CapabilityError{
				Structure:    structure.Describe(space),
				Need:         "the exact mean of ψ over all outputs, from which counting starts",
				Alternatives: "take method='samples'",
			}
		}
		o.Mean = make([]float64, d)
		m.Mean(o.Mean)
	}
	if o.Low == nil && o.High == nil {
		if _, external := space.(*External); external {
			return &structure.CapabilityError{
				Structure:    structure.Describe(space),
				Need:         "the range of each entry of ψ",
				Alternatives: "pass feature_range=(least, largest), numbers or arrays of shape (d,)",
			}
		}
		o.Low, o.High = make([]float64, d), make([]float64, d)
		one, err := decode.NewOne(space, decode.Auto, 0, mon.Err)
		if err != nil {
			return err
		}
		y, unit := make([]int32, space.PartLen()), make([]float64, d)
		for j := range d {
			for _, sign := range []float64{1, -1} {
				unit[j] = sign
				certificate, err := one(y, structure.Scores{Linear: unit}, 0)
				if err != nil {
					return err
				}
				if sign > 0 {
					o.High[j] = certificate.UpperBound
				} else {
					o.Low[j] = -certificate.UpperBound
				}
			}
			unit[j] = 0
			if err := mon.Err(); err != nil {
				return err
			}
		}
	}
	if len(o.Low) != d {
		return fault.Value("low has %d entries, must have %d", len(o.Low), d)
	}
	if len(o.High) != d {
		return fault.Value("high has %d entries, must have %d", len(o.High), d)
	}
	for j, low := range o.Low {
		if high := o.High[j]; !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0) {
			return fault.Value("feature_range: low and high of entry %d of ψ are %v and %v, must be finite, the first at most the second",
				j, low, high)
		}
	}
	return nil
}

// bySamples writes averages over draws from p, and the errors by Hoeffding's inequality.
func (t *task) bySamples(l levels, opt MarginalOptions, value, bound []float64) error {
	d := len(value)
	var widest float64
	for j := range value {
		widest = max(widest, opt.High[j]-opt.Low[j])
	}
	needed := HoeffdingSize(t.opt.Epsilon, t.opt.Delta/float64(d), widest)
	if !(needed < mostDraws) {
		return fault.Value("this takes %.3g samples; ask for a larger epsilon", needed)
	}
	for _, beta := range ladder {
		if err := l.visit(beta); err != nil {
			return err
		}
	}
	n, err := l.affordable([]float64{1}, needed)
	if err != nil {
		return err
	}
	clear(value)
	psi := make([]float64, d)
	width := t.space.PartLen()
	for at := 0; at < n; at += drawsAtOnce {
		many := min(drawsAtOnce, n-at)
		drawn, err := l.draw(1, many)
		if err != nil {
			return err
		}
		for k := range many {
			if k%outputsAtOnce == 0 {
				if err := t.mon.Err(); err != nil {
					return err
				}
			}
			t.space.Embed(psi, drawn.parts[k*width:(k+1)*width])
			floats.Add(value, psi)
		}
	}
	floats.Scale(1/float64(n), value)
	for j := range bound {
		bound[j] = (opt.High[j] - opt.Low[j]) * math.Sqrt(math.Log(2*float64(d)/t.opt.Delta)/(2*min(float64(n), needed)))
	}
	return nil
}

// byCounting writes quotients of annealed sums, and the errors that follow from those of both.
func (t *task) byCounting(l levels, opt MarginalOptions, value, bound []float64) error {
	// Of both sums, so that (1 + e)/(1 − e) is 1 + ε.
	epsilon, delta := t.opt.Epsilon/(2+t.opt.Epsilon), t.opt.Delta/float64(1+len(value))
	median := func(draw drawer) (float64, error) {
		s, err := adaptiveSchedule(draw, epsilon, delta)
		if err != nil {
			return 0, err
		}
		return medianLogRatio(l, draw, s)
	}
	logRatio, err := median(func(beta float64, n int) ([]float64, error) {
		drawn, err := l.draw(beta, n)
		return drawn.value, err
	})
	if err != nil {
		return err
	}
	for j := range value {
		low, width, shifted := opt.Low[j], opt.High[j]-opt.Low[j], 0.0
		if width > 0 && opt.Mean[j] > low {
			th := &thinned{task: t, levels: l, j: j, low: low, width: width, rate: 1}
			logWeighted, err := median(th.draw)
			if err != nil {
				return err
			}
			shifted = min(1, (opt.Mean[j]-low)/width*math.Exp(min(logWeighted-logRatio, 700)))
		}
		value[j], bound[j] = low+width*shifted, width*shifted*t.opt.Epsilon/(1-t.opt.Epsilon)
	}
	return nil
}

// thinned draws from the distribution proportional to (ψ_j − low) p_β, by accepting outputs of p_β.
type thinned struct {
	*task
	levels     levels
	j          int
	low, width float64
	rate       float64 // of outputs that are taken, about
}

func (t *thinned) draw(beta float64, n int) ([]float64, error) {
	found := make([]float64, 0, n)
	psi, parts := make([]float64, t.space.FeatureLen()), t.space.PartLen()
	for len(found) < n {
		if t.steps > t.opt.MaxSteps {
			return nil, spent("counting", t.steps, t.opt.MaxSteps, fmt.Sprintf("feature %d is above its least value in too few outputs, "+
				"which method='samples' does not need", t.j))
		}
		many := min(1<<12, int(math.Ceil(1.1*float64(n-len(found))/t.rate))+8)
		drawn, err := t.levels.draw(beta, many)
		if err != nil {
			return nil, err
		}
		accepted := 0
		for k, v := range drawn.value {
			t.space.Embed(psi, drawn.parts[k*parts:(k+1)*parts])
			if t.rng.Float64()*t.width < psi[t.j]-t.low {
				if accepted++; len(found) < n {
					found = append(found, v)
				}
			}
		}
		t.rate = max((t.rate+float64(accepted)/float64(many))/2, 1e-3)
	}
	return found, nil
}

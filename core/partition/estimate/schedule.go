package estimate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"combpred/core/fault"
)

// Z(β) is the sum of exp(β h(y)) over all outputs y, p_β(y) = exp(β h(y)) / Z(β). A schedule 0 = β_0 < … < β_l = 1 turns
// Z(1) / Z(0) into a product of ratios near 1, each a mean of few values under some p_β.

const (
	// smoothness is p of the thesis: neighbouring levels differ by factors within exp(±1/p).
	smoothness = 3.0
	// perLevel is the constant of the thesis's numbers of draws.
	perLevel = 65.0
	// mostLevels bounds the number of evenly spaced levels.
	mostLevels = 1e6
	// targetLogB is ln B of the steps that are tried, and mostExcess the largest bound on B − 1 of the steps that are taken.
	targetLogB = 0.4054651081081644 // ln 1.5
	mostExcess = 1.5
	// blockDraws is the number of draws of a block of the test, and mostBlocks bounds the number of blocks.
	blockDraws = 4
	mostBlocks = 1 << 18
	// pilotShare is the share of δ that bounds may fail with.
	pilotShare = 0.125
)

// Schedule says where to draw, how often, and what that rests on.
type Schedule struct {
	// Levels ascend from 0 to 1.
	Levels []float64
	// Draws is the number of draws in each batch of each repeat.
	Draws float64
	// Repeats is odd; the estimate is the median of so many.
	Repeats int
	// Variances bound the relative variance of one draw of each ratio.
	Variances []float64
	// Paired says that ratios are estimated from both sides, by draws at all levels, rather than from above, by draws at all but
	// the first.
	Paired bool
}

// batch is a batch of draws at a level: ln of the mean of exp(exponent·h) under p_β is ln Z(β + exponent) / Z(β).
type batch struct{ beta, exponent float64 }

// batches lists the batches of independent draws, level by level. Paired, steps are gone through up to their middle from both ends.
func (s Schedule) batches() []batch {
	found := make([]batch, 0, 2*len(s.Levels))
	for i, high := range s.Levels[1:] {
		low := s.Levels[i]
		if s.Paired {
			found = append(found, batch{low, (high - low) / 2}, batch{high, (low - high) / 2})
		} else {
			found = append(found, batch{high, low - high})
		}
	}
	return found
}

// FewestRepeats returns the smallest odd k such that the median of k repeats fails with probability at most delta where each fails
// with 1/4 at most. The median is off only if (k + 1)/2 repeats are; that is less than exp(−k/8) (Hoeffding, 1963), and the binomial
// distribution says how much less.
func FewestRepeats(delta float64) int {
	k := 1
	for mathext.RegIncBeta(float64((k+1)/2), float64((k+1)/2), 0.25) > delta {
		k += 2
	}
	return k
}

// CheapestRepeats returns an odd k and a probability p such that the median of k repeats, each off with p at most, is off with delta
// at most. By Chebyshev's inequality the number of draws of a repeat grows with 1/p, hence that of all with k/p, which is as small as
// possible.
func CheapestRepeats(delta float64) (repeats int, off float64) {
	repeats, off = 1, delta
	most := FewestRepeats(delta)
	for k := 3; k <= most; k += 2 {
		a := float64((k + 1) / 2)
		if p := mathext.InvRegIncBeta(a, a, delta); float64(k)*off < float64(repeats)*p {
			repeats, off = k, p
		}
	}
	return repeats, off
}

// EvenSchedule returns evenly spaced levels for scores within ± reach of some constant.
//
// With p = 3 and q = p·reach the levels are j/q and 1, l = ⌈q⌉ steps of at most 1/q (Vembu, 2010, section 6.3, where the last step may be
// longer). Draws at β_i of exp((β_{i−1} − β_i) h) have a relative variance of at most sinh²(1/p); ⌈65 ε⁻² l sinh²(1/p)⌉ of them at
// each level put the product within 1 ± ε with probability 3/4 and more. printed takes exp(2/p) in place of sinh²(1/p), as the thesis
// does.
func EvenSchedule(reach, epsilon, delta float64, printed bool) (Schedule, error) {
	q := smoothness * reach
	if !(q <= mostLevels) {
		return Schedule{}, fault.Value("the scores reach %.3g, which takes %.3g levels, more than %d; take "+
			"schedule='adaptive', or scale them down", reach, q, int(mostLevels))
	}
	steps := max(1, int(math.Ceil(q)))
	levels, variances := make([]float64, steps+1), make([]float64, steps)
	sinh := math.Sinh(1 / smoothness)
	for j := range steps {
		levels[j], variances[j] = float64(j)/max(q, 1), sinh*sinh
	}
	levels[steps] = 1
	factor := sinh * sinh
	if printed {
		factor = math.Exp(2 / smoothness)
	}
	return Schedule{
		Levels: levels, Draws: math.Ceil(perLevel * float64(steps) * factor / (epsilon * epsilon)), Repeats: FewestRepeats(delta),
		Variances: variances,
	}, nil
}

// drawer returns the scores h of n outputs drawn at a level.
type drawer func(beta float64, n int) ([]float64, error)

// adaptiveSchedule returns levels found by draws, and the numbers of draws for an error of ε with probability 1 − δ.
//
// A step from β to γ, with m halfway, is estimated as a quotient of means: exp((m − β) h) under p_β over exp((m − γ) h) under p_γ.
// Both have the second moment B = Z(β) Z(γ) / Z(m)² relative to the square of their mean. Steps are tried that look like B = 1.5 from
// draws at β, and taken where new draws prove B ≤ 2.5, see logMomentBound; the k-th test may be wrong with probability η / k(k + 1),
// η = δ/8.
//
// If all bounds hold, the products of numerators and of denominators, from S draws each, are independent and relative to their
// expectations 1 + P and 1 + Q with variances of at most ∏(1 + (B_i − 1)/S) − 1 = τ². The quotient is off by more than ε only if
// |P − Q| + ε|Q| > ε, whose probability is at most τ² (√2 + ε)² / ε² by Chebyshev's and Minkowski's inequalities. The median of k such
// estimates brings it down to 7δ/8 (Štefankovič, Vempala and Vigoda, 2009; paired product estimators: Huber, 2015).
func adaptiveSchedule(draw drawer, epsilon, delta float64) (Schedule, error) {
	n := blockDraws * int(min(math.Ceil(40/math.Sqrt(epsilon)), mostBlocks))
	s := Schedule{Levels: []float64{0}, Paired: true}
	seen, err := draw(0, n)
	if err != nil {
		return s, err
	}
	var tests float64
	for beta := 0.0; beta < 1; {
		step := promisingStep(seen, 1-beta)
		for {
			upper := beta + step
			if upper >= 1-1e-9 {
				upper = 1
			}
			low, err := draw(beta, n)
			if err != nil {
				return s, err
			}
			high, err := draw(upper, n)
			if err != nil {
				return s, err
			}
			tests++
			logB := logMomentBound(low, high, (upper-beta)/2, pilotShare*delta/(tests*(tests+1)))
			if logB <= math.Log1p(mostExcess) {
				s.Levels, s.Variances = append(s.Levels, upper), append(s.Variances, math.Expm1(logB))
				seen, beta = high, upper
				break
			}
			step *= min(0.7, max(0.05, math.Sqrt(targetLogB/logB))) // ln B grows with the square of short steps
			if beta+step == beta {
				return s, fault.Value("the scores are too far apart for a level after %g; scale them down", beta)
			}
		}
	}
	var off float64
	s.Repeats, off = CheapestRepeats((1 - pilotShare) * delta)
	share := epsilon / (math.Sqrt2 + epsilon)
	s.Draws = math.Ceil(floats.Sum(s.Variances) / math.Log1p(off*share*share))
	return s, nil
}

// logMomentBound returns an upper bound on ln B of a step of length 2·half, wrong with probability failure at most.
//
// low and high are scores of independent draws from both ends. With W = exp(half·h) at the lower and V = exp(−half·h) at the upper
// end, E W · E V = 1/B exactly. So means over blocks of draws have E ∏_b B W̄_b V̄_b = 1, and by Markov's inequality the product over r
// blocks is less than 1/failure with probability 1 − failure, whatever the scores: ln B is less than the mean of −ln W̄_b V̄_b plus
// ln(1/failure)/r.
func logMomentBound(low, high []float64, half, failure float64) float64 {
	var sum float64
	blocks := len(low) / blockDraws
	for b := range blocks {
		sum += logMeanExp(half, low[b*blockDraws:(b+1)*blockDraws]) + logMeanExp(-half, high[b*blockDraws:(b+1)*blockDraws])
	}
	return -(sum + math.Log(failure)) / float64(blocks)
}

// logMeanExp returns ln of the mean of exp(t·x), without overflow.
func logMeanExp(t float64, x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, t*v)
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(t*v - top)
	}
	return top + math.Log(sum/float64(len(x)))
}

// promisingStep returns the longest step up to most of which scores drawn at its lower end suggest B ≤ 1.5.
func promisingStep(values []float64, most float64) float64 {
	promising := func(step float64) bool {
		return logMeanExp(step, values)-2*logMeanExp(step/2, values) <= targetLogB
	}
	if promising(most) {
		return most
	}
	low := most
	for !promising(low) {
		low /= 2
	}
	high := 2 * low
	for range 8 {
		if middle := (low + high) / 2; promising(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// logRatios returns an estimate of ln Z(1) / Z(0) for each repeat, by n draws in each batch.
func logRatios(draw drawer, s Schedule, n int) ([]float64, error) {
	ratios := make([]float64, s.Repeats)
	for _, b := range s.batches() {
		for repeat := range ratios {
			total := math.Inf(-1)
			for at := 0; at < n; at += drawsAtOnce {
				values, err := draw(b.beta, min(drawsAtOnce, n-at))
				if err != nil {
					return nil, err
				}
				total = logAdd(total, logMeanExp(b.exponent, values)+math.Log(float64(len(values))))
			}
			ratios[repeat] += math.Copysign(1, b.exponent) * (total - math.Log(float64(n)))
		}
	}
	return ratios, nil
}

// logAdd returns ln(exp a + exp b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}

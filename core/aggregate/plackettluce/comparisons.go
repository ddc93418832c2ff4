package plackettluce

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Comparisons are weights of comparisons of two of k items each, to which a model of Bradley and Terry (1952) is fitted, or with ties one
// of Davidson (1970): u beats v, v beats u, and the two are tied, with probabilities proportional to exp(d/2), exp(−d/2) and ν, d being
// θ_u − θ_v. Both are concave in θ and ln ν.
type Comparisons struct {
	Wins linalg.Matrix[float64] // k×k: of the row over the column, the diagonal 0
	// Ties, unless it has no data, is symmetric, k×k, the diagonal 0. Where all are 0 so is ν.
	Ties linalg.Matrix[float64]
	// Covariates, k×p, of which θ = Zβ then; without data θ itself is fitted, of mean 0.
	Covariates linalg.Matrix[float64]
	// Penalty is c ≥ 0 in the negative logarithm of the likelihood plus c/2 ‖β‖², or c/2 ‖θ‖², which is minimised. It must be positive with
	// covariates.
	Penalty float64
	Names   []string // of the items, for messages; nil where they have their numbers alone
}

// errUnboundedTies says that no finite utilities and ν are best together.
var errUnboundedTies = fault.Value("no finite utilities and ties' parameter are best: no circle of items, each of which has beaten or " +
	"tied the next, has more wins than ties; take a positive penalty")

// params returns how many parameters there are: utilities or coefficients, and ln ν last.
func (c *Comparisons) params() (linear, all int) {
	linear = c.Wins.Rows
	if c.Covariates.Data != nil {
		linear = c.Covariates.Cols
	}
	all = linear
	if c.Ties.Data != nil {
		all++
	}
	return linear, all
}

func (c *Comparisons) check(dst []float64, covariance linalg.Matrix[float64]) error {
	k := c.Wins.Rows
	linear, all := c.params()
	switch {
	case k < 2 || linear < 1:
		return fault.Value("there are %d items with %d parameters, must be at least 2 with 1", k, linear)
	case len(dst) != all || covariance.Rows != all || covariance.Cols != all:
		return fault.Value("there are %d parameters, not %d, and covariances %d×%d", all, len(dst), covariance.Rows,
			covariance.Cols)
	case !(c.Penalty >= 0) || math.IsInf(c.Penalty, 1) || c.Covariates.Data != nil && c.Penalty == 0:
		return fault.Value("the penalty is %v, must be a number from 0 on, and above 0 with covariates", c.Penalty)
	}
	wins := 0.0
	for u := range k {
		for v := range k {
			w, t := c.Wins.Row(u)[v], c.tied(u, v)
			if !(w >= 0) || math.IsInf(w, 1) || !(t >= 0) || math.IsInf(t, 1) || u == v && w+t > 0 || t != c.tied(v, u) {
				return fault.At(u, fault.Value("the items %s have weights %v of wins and %v of ties, must be finite, not "+
					"negative, 0 on the diagonal, and of ties symmetric", listed([]int32{int32(u), int32(v)}, c.Names), w, t))
			}
			wins += w
		}
	}
	if wins == 0 {
		return fault.Value("there are no wins")
	}
	for at, x := range c.Covariates.Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fault.At(at/c.Covariates.Cols, fault.Value("a covariate is %v, must be finite; covariates are finite numbers", x))
		}
	}
	return nil
}

func (c *Comparisons) tied(u, v int) float64 {
	if c.Ties.Data == nil {
		return 0
	}
	return c.Ties.Row(u)[v]
}

// bounded reports whether finite parameters are best without a penalty. A direction along which the likelihood does not fall is a change
// of θ and of ln ν for which no outcome that was observed becomes less likely than another. With δ that of ln ν, a win of u over v asks for
// θ_u − θ_v ≥ 2δ, and a tie for a difference of at most 2δ. For δ = 0 that is none if all items reach one another by wins and ties;
// for δ > 0 these are constraints on differences, which a circle with more wins than ties contradicts.
func (c *Comparisons) bounded() error {
	k := c.Wins.Rows
	var p preceding
	p.Reset(k)
	for u := range k {
		for v := range k {
			if u != v && (c.Wins.Row(u)[v] > 0 || c.tied(u, v) > 0) {
				p.Add(u, v)
			}
		}
	}
	how := "before"
	if c.Ties.Data != nil {
		how = "before or tied with"
	}
	if err := p.requireStrong(how, c.Names); err != nil {
		return err
	}
	if c.Ties.Data == nil {
		return nil
	}
	most := make([]int, k) // wins less ties of the best way to an item: grows for ever around a circle with more wins than ties
	for range k {
		changed := false
		for u := range k {
			for v := range k {
				if c.Wins.Row(u)[v] > 0 && most[u]+1 > most[v] {
					most[v], changed = most[u]+1, true
				} else if c.tied(u, v) > 0 && most[u]-1 > most[v] {
					most[v], changed = most[u]-1, true
				}
			}
		}
		if !changed {
			return errUnboundedTies
		}
	}
	return nil
}

// untied returns the comparisons without ties.
func (c *Comparisons) untied() *Comparisons {
	bare := *c
	bare.Ties = linalg.Matrix[float64]{}
	return &bare
}

// fitUntied is FitTo with room for ν, which is 0 and does not vary.
func (c *Comparisons) fitUntied(dst []float64, covariance linalg.Matrix[float64], mon *parallel.Monitor) (bool, error) {
	linear, _ := c.params()
	own := linalg.NewMatrix[float64](linear, linear)
	done, err := c.FitTo(dst[:linear], own, mon)
	dst[linear] = math.Inf(-1)
	covariance.Zero()
	for i := range linear {
		copy(covariance.Row(i), own.Row(i))
	}
	return done, err
}

// UtilitiesTo writes the utilities that FitTo's parameters give the items, of mean 0, and their covariances, and returns the logarithm
// of the likelihood. Cost: O(k² p), and O(k²) without covariates.
func (c *Comparisons) UtilitiesTo(theta []float64, spread linalg.Matrix[float64], dst []float64,
	covariance linalg.Matrix[float64]) float64 {
	k, z := c.Wins.Rows, c.Covariates
	linear, all := c.params()
	if all > linear && math.IsInf(dst[linear], -1) {
		return c.untied().UtilitiesTo(theta, spread, dst[:linear], covariance)
	}
	likelihood := c.Penalty*linalg.Dot(dst[:linear], dst[:linear])/2 - c.model().derive(dst)
	if z.Data == nil {
		copy(theta, dst[:k])
		for u := range k {
			copy(spread.Row(u), covariance.Row(u)[:k])
		}
		return likelihood
	}
	centred, mean := linalg.NewMatrix[float64](k, linear), make([]float64, linear)
	for u := range k {
		linalg.Axpy(mean, z.Row(u), 1/float64(k))
	}
	moved := make([]float64, linear)
	for u := range k {
		copy(centred.Row(u), z.Row(u))
		linalg.Axpy(centred.Row(u), mean, -1)
		theta[u] = linalg.Dot(centred.Row(u), dst[:linear])
	}
	for u := range k {
		for i := range linear {
			moved[i] = linalg.Dot(covariance.Row(i)[:linear], centred.Row(u))
		}
		for v := range k {
			spread.Row(u)[v] = linalg.Dot(moved, centred.Row(v))
		}
	}
	return likelihood
}

// FitTo writes the parameters of largest penalised likelihood, θ or β and with ties ln ν last, and their covariances by the observed
// information: the inverse of the second derivatives of what is minimised, for θ among those of sum 0. It reports whether Newton's method
// with step halving was done after 100 steps. Without finite best parameters, an error. Cost: O(k²) and O(q³) for each step with
// q parameters, O(k² p) with covariates.
func (c *Comparisons) FitTo(dst []float64, covariance linalg.Matrix[float64], mon *parallel.Monitor) (bool, error) {
	if err := c.check(dst, covariance); err != nil {
		return false, err
	}
	if c.Ties.Data != nil && linalg.Sum(c.Ties.Data) == 0 {
		return c.untied().fitUntied(dst, covariance, mon)
	}
	if c.Penalty == 0 {
		if err := c.bounded(); err != nil {
			return false, err
		}
	}
	m := c.model()
	done := false
	for range newtonSteps {
		if err := mon.Err(); err != nil {
			return false, err
		}
		value := m.derive(m.x)
		factor, err := m.factor(mon)
		if err != nil {
			return false, err
		}
		copy(m.step.Data, m.gradient)
		if err := factor.Solve(m.step, mon); err != nil {
			return false, err
		}
		decrement := linalg.Dot(m.gradient, m.step.Data)
		if decrement <= newtonDecrement*newtonDecrement*m.total && settled(m.x, m.step.Data) {
			done = true
			break
		}
		length, moved := 1.0, make([]float64, len(m.x))
		for range newtonHalvings {
			for i, x := range m.x {
				moved[i] = x - length*m.step.Data[i]
			}
			if m.derive(moved) <= value-sufficientShare*length*decrement {
				break
			}
			length /= 2
		}
		if m.derive(moved) >= value { // what is left to gain is rounding
			done = decrement <= newtonDecrement*m.total && settled(m.x, m.step.Data)
			break
		}
		copy(m.x, moved)
	}
	m.derive(m.x)
	factor, err := m.factor(mon)
	if err != nil {
		return false, err
	}
	inverse := linalg.NewMatrix[float64](len(dst), len(dst))
	for i := range dst {
		inverse.Row(i)[i] = 1
	}
	if err := factor.Solve(inverse, mon); err != nil {
		return false, err
	}
	copy(dst, m.x)
	for i := range dst {
		for j := range dst {
			covariance.Row(i)[j] = inverse.Row(i)[j]
			if c.Covariates.Data == nil && i < c.Wins.Rows && j < c.Wins.Rows {
				covariance.Row(i)[j] -= 1 / (float64(c.Wins.Rows) * (m.gauge + c.Penalty)) // along (1, …, 1)
			}
		}
	}
	return done, nil
}

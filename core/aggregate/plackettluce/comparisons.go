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
	// Ties, unless it has no data, is symmetric, k×k, the diagonal 0. Some entry must be positive: ν is 0 otherwise.
	Ties linalg.Matrix[float64]
	// Covariates, k×p, of which θ = Zβ then; without data θ itself is fitted, of mean 0.
	Covariates linalg.Matrix[float64]
	// Penalty is c ≥ 0 in the negative logarithm of the likelihood plus c/2 ‖β‖², or c/2 ‖θ‖², which is minimised. It must be positive with
	// covariates.
	Penalty float64
}

// No finite parameters are best: the utilities, or these and ν together.
var (
	errUnbounded = fault.Value("no finite utilities are best: some item, or group of items, was never beaten or tied by the others; " +
		"take a positive penalty")
	errUnboundedTies = fault.Value("no finite utilities and ties' parameter are best: no circle of items, each of which has beaten or " +
		"tied the next, has more wins than ties; take a positive penalty")
)

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
	wins, ties := 0.0, 0.0
	for u := range k {
		for v := range k {
			w, t := c.Wins.Row(u)[v], c.tied(u, v)
			if !(w >= 0) || math.IsInf(w, 1) || !(t >= 0) || math.IsInf(t, 1) || u == v && w+t > 0 || t != c.tied(v, u) {
				return fault.At(u, fault.Value("the items %d and %d have weights %v of wins and %v of ties, must be finite, not "+
					"negative, 0 on the diagonal, and of ties symmetric", u, v, w, t))
			}
			wins += w
			ties += t
		}
	}
	if wins == 0 || c.Ties.Data != nil && ties == 0 {
		return fault.Value("there are no wins, or no ties although these are given")
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
	beats := func(u, v int) bool { return c.Wins.Row(u)[v] > 0 || c.tied(u, v) > 0 }
	for _, turned := range []bool{false, true} {
		seen, stack := make([]bool, k), []int{0}
		seen[0] = true
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for v := range k {
				if !seen[v] && (!turned && beats(u, v) || turned && beats(v, u)) {
					seen[v] = true
					stack = append(stack, v)
				}
			}
		}
		for _, reached := range seen {
			if !reached {
				return errUnbounded
			}
		}
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

// FitTo writes the parameters of largest penalised likelihood, θ or β and with ties ln ν last, and their covariances by the observed
// information: the inverse of the second derivatives of what is minimised, for θ among those of sum 0. It reports whether Newton's method
// with step halving was done after 100 steps. Without finite best parameters, an error. Cost: O(k²) and O(q³) for each step with
// q parameters, O(k² p) with covariates.
func (c *Comparisons) FitTo(dst []float64, covariance linalg.Matrix[float64], mon *parallel.Monitor) (bool, error) {
	if err := c.check(dst, covariance); err != nil {
		return false, err
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

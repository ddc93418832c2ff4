// Package plackettluce fits Plackett–Luce models to weighted rankings: a ranking is drawn place by place, each time one of the items
// that are left, with probability proportional to exp u of its utility u (Plackett, 1975; Luce, 1959). The distribution of the
// order of some items does not depend on the others, so that the likelihood of an incomplete ranking is that of its known items.
package plackettluce

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Sets are the sets of rankings of k items, to each of which a model is fitted.
type Sets struct {
	Items int // k
	// Ranks has k entries for each ranking and as many rankings for each set as Weights has columns: from 1 on without ties, 0
	// for items that are not ranked. Only the largest rank may be shared: those items are left, and none chosen before another.
	Ranks   []int32
	Weights linalg.Matrix[float64] // a row for each set, entries at least 0
	// Penalty is c ≥ 0 in −Σ_j w_j ln p(y_j) + c/2 ‖u‖². It must be positive where no ranking has an item from outside some group
	// before one of the group: without it utilities would be infinite there.
	Penalty float64
}

const (
	newtonDecrement = 1e-10 // per weight: a further step, quadratic as it is, leaves its square
	newtonStep      = 1e-5  // relative: where the loss is as flat as a tiny penalty leaves it, the decrement is small far from the end
	newtonSteps     = 100
	newtonHalvings  = 40
	sufficientShare = 1e-4  // share of the decrease that the slope promises with which a step is taken
	leastPivot      = 1e-15 // of a diagonal entry
	setsAtOnce      = 4     // sets that a worker fits at a time
)

// penaltyLost is the error of a penalty that is lost beside weights, of which the largest is given.
func penaltyLost(weight, penalty float64) error {
	return fault.Numerical("weights of up to %.3g leave nothing of penalty=%g, without which there is no largest likelihood: raise the "+
		"penalty, or scale the weights", weight, penalty)
}

// NotConvergedError says that some models are not fitted. All utilities are valid as far as they go.
type NotConvergedError struct{ Unfitted, Sets int }

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("%d of %d models are not fitted after %d steps of Newton's method: a larger penalty makes it easier",
		e.Unfitted, e.Sets, newtonSteps)
}

func (e *NotConvergedError) Kind() fault.Kind { return fault.KindNotConverged }

// FitTo writes the utilities of every set to dst, of mean 0 in each row, by Newton's method with step halving on the strictly convex
// loss. Sets that are not fitted after 100 steps are a *NotConvergedError, and a set whose weights are so large that the penalty is
// lost beside them is a numerical fault of its row. It advances mon by 1 for every set. Cost: O(m k²) for each step of a set of
// m rankings, and O(k³).
func (f *Sets) FitTo(dst linalg.Matrix[float64], workers int, mon *parallel.Monitor) error {
	if err := f.check(dst); err != nil {
		return err
	}
	n, m := f.Weights.Rows, f.Weights.Cols
	done := make([]bool, n)
	err := parallel.For(n, setsAtOnce, workers, mon, func(lo, hi int) error {
		s := newSet(f.Items, m, f.Penalty)
		for i := lo; i < hi; i++ {
			s.load(f.Ranks[i*m*f.Items:(i+1)*m*f.Items], f.Weights.Row(i))
			var err error
			if done[i], err = s.fitTo(dst.Row(i), mon); err != nil {
				return fault.At(i, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	unfitted := 0
	for _, fitted := range done {
		if !fitted {
			unfitted++
		}
	}
	if unfitted > 0 {
		return &NotConvergedError{unfitted, n}
	}
	return nil
}

func (f *Sets) check(dst linalg.Matrix[float64]) error {
	n, m := f.Weights.Rows, f.Weights.Cols
	switch {
	case f.Items < 1 || m < 1:
		return fault.Value("there are %d items and %d rankings for each set, must be at least 1", f.Items, m)
	case len(f.Ranks) != n*m*f.Items:
		return fault.Value("ranks have %d entries, %d sets of %d rankings of %d items have %d", len(f.Ranks), n, m, f.Items,
			n*m*f.Items)
	case dst.Rows != n || dst.Cols != f.Items:
		return fault.Value("utilities have shape %d×%d, must have %d×%d", dst.Rows, dst.Cols, n, f.Items)
	case !(f.Penalty >= 0) || math.IsInf(f.Penalty, 1):
		return fault.Value("the penalty is %v, must be a number from 0 on", f.Penalty)
	}
	for i := range n {
		for j, w := range f.Weights.Row(i) {
			if !(w >= 0) || math.IsInf(w, 1) {
				return fault.At(i, fault.Value("the weight of ranking %d is %v, must be a number from 0 on", j, w))
			}
		}
	}
	for at, r := range f.Ranks {
		if r < 0 {
			i := at / (m * f.Items)
			return fault.At(i, fault.Value("item %d has rank %d, must be at least 0", at%f.Items, r))
		}
	}
	return nil
}

// set is one set of rankings, and the scratch to fit it.
type set struct {
	k       int
	penalty float64
	weights []float64
	ranked  [][]int32 // the known items of every ranking, first to last
	chosen  []int     // how many of them are chosen one by one: all, or those before the ones that share the last place

	u, moved, worth, gradient []float64
	once, twice               []float64 // by place: Σ 1/C and Σ 1/C² over the places up to it, C being the worth that is left there
	hessian, step             linalg.Matrix[float64]
}

func newSet(k, m int, penalty float64) *set {
	s := &set{k: k, penalty: penalty, ranked: make([][]int32, m), chosen: make([]int, m)}
	s.u, s.moved, s.worth, s.gradient = make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	s.once, s.twice = make([]float64, k), make([]float64, k)
	s.hessian, s.step = linalg.NewMatrix[float64](k, k), linalg.NewMatrix[float64](k, 1)
	return s
}

func (s *set) load(ranks []int32, weights []float64) {
	s.weights = weights
	for j := range s.ranked {
		row := ranks[j*s.k : (j+1)*s.k]
		order := s.ranked[j][:0]
		for u, r := range row {
			if r > 0 {
				order = append(order, int32(u))
			}
		}
		slices.SortStableFunc(order, func(u, v int32) int { return cmp.Compare(row[u], row[v]) })
		s.ranked[j], s.chosen[j] = order, len(order)
		if n := len(order); n > 1 && row[order[n-2]] == row[order[n-1]] {
			s.chosen[j] = slices.IndexFunc(order, func(u int32) bool { return row[u] == row[order[n-1]] })
		}
	}
}

// fitTo writes the utilities and reports whether Newton's method is done.
func (s *set) fitTo(dst []float64, mon *parallel.Monitor) (bool, error) {
	clear(s.u)
	total := linalg.Sum(s.weights) + s.penalty
	for range newtonSteps {
		if err := mon.Err(); err != nil {
			return false, err
		}
		s.derive()
		copy(s.step.Data, s.gradient)
		diagonal := s.once
		for u := range s.k {
			diagonal[u] = s.hessian.Row(u)[u]
		}
		factor, err := linalg.FactorCholesky(blas.Lower, s.hessian, mon)
		if errors.Is(err, linalg.ErrNotPositiveDefinite) {
			return false, penaltyLost(slices.Max(s.weights), s.penalty)
		}
		for u := range s.k {
			// What is left of a diagonal entry of a singular matrix is its rounding error.
			if pivot := s.hessian.Row(u)[u]; err == nil && pivot*pivot <= leastPivot*diagonal[u] {
				return false, penaltyLost(slices.Max(s.weights), s.penalty)
			}
		}
		if err == nil {
			err = factor.Solve(s.step, mon)
		}
		if err != nil {
			return false, err
		}
		decrement := linalg.Dot(s.gradient, s.step.Data)
		if decrement <= newtonDecrement*total && settled(s.u, s.step.Data) {
			linalg.Axpy(s.u, s.step.Data, -1)
			copy(dst, s.u)
			return true, nil
		}
		s.descend(decrement)
	}
	copy(dst, s.u)
	return false, nil
}

// settled reports whether a step of Newton's method is small beside what it is taken from.
func settled(x, step []float64) bool {
	most, far := 0.0, 1.0
	for i, s := range step {
		most, far = max(most, math.Abs(s)), max(far, math.Abs(x[i]))
	}
	return most <= newtonStep*far
}

// descend takes a share of the step, halved until the loss falls by part of what the slope promises.
func (s *set) descend(decrement float64) {
	before := s.loss(s.u)
	share := 1.0
	for range newtonHalvings {
		for i, u := range s.u {
			s.moved[i] = u - share*s.step.Data[i]
		}
		if !(s.loss(s.moved) > before-sufficientShare*share*decrement) {
			break
		}
		share /= 2
	}
	s.u, s.moved = s.moved, s.u
}

// loss returns the penalised negative logarithm of the likelihood.
func (s *set) loss(u []float64) float64 {
	for i, x := range u {
		s.worth[i] = math.Exp(x)
	}
	loss := 0.5 * s.penalty * linalg.Dot(u, u)
	for j, order := range s.ranked {
		if s.weights[j] == 0 {
			continue
		}
		var left, sum float64
		for place := len(order) - 1; place >= 0; place-- {
			left += s.worth[order[place]]
			if place < s.chosen[j] {
				sum += math.Log(left / s.worth[order[place]])
			}
		}
		loss += s.weights[j] * sum
	}
	return loss
}

// derive finds the gradient of the loss, and in the lower triangle of hessian a matrix that gives Newton's step from it.
func (s *set) derive() {
	for i, x := range s.u {
		s.worth[i] = math.Exp(x)
		s.gradient[i] = 0
	}
	s.hessian.Zero()
	for j, order := range s.ranked {
		w := s.weights[j]
		if w == 0 {
			continue
		}
		var left float64
		for place := len(order) - 1; place >= 0; place-- {
			left += s.worth[order[place]]
			s.once[place], s.twice[place] = 0, 0
			if place < s.chosen[j] {
				s.once[place], s.twice[place] = 1/left, 1/(left*left)
			}
		}
		// An item at a place is chosen with probability exp(u)/C at that place and all before it.
		var once, twice float64
		for place, u := range order {
			once += s.once[place]
			twice += s.twice[place]
			s.gradient[u] += w * s.worth[u] * once
			if place < s.chosen[j] {
				s.gradient[u] -= w
			}
			s.hessian.Row(int(u))[u] += w * s.worth[u] * once // what follows subtracts from the diagonal, too
			// Two items meet up to the place of the earlier one.
			met := w * twice * s.worth[u]
			for _, v := range order[place:] {
				s.hessian.Row(int(max(u, v)))[min(u, v)] -= met * s.worth[v]
			}
		}
	}
	// Equal changes of all utilities, which the likelihood does not notice, are curved by the penalty alone, lost beside large
	// weights. The gradient has no part along them, so that more curvature leaves the step as it is.
	level := linalg.Sum(s.weights) / float64(s.k)
	for u := range s.k {
		s.gradient[u] += s.penalty * s.u[u]
		row := s.hessian.Row(u)
		for v := range row[:u+1] {
			row[v] += level
		}
		row[u] += s.penalty
	}
}

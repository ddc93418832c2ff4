package fit

import (
	"cmp"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/dual"
	"combpred/core/solve/loo"
	"combpred/core/structure"
)

// LeaveOneOut writes each row's leave-one-out scores (m×d) under each of the penalties alphas to the scores of the same number, from the
// m×m kernel matrix k, or, with features, from the matrix k of those whose linear kernel it is; where other rows say too little of one
// that is left out, a numerical fault leaves it to the kernel matrix. work is scratch, as two views of the same memory, of at least
// LeaveOneOutBytes bytes for the precision of the options. Where k is of low rank, or Σ has many eigenvalues, one decomposition serves
// all penalties, as does one banded form of k for five penalties or more under the squared loss; otherwise each has its factors, which
// are in double precision from the first penalty on that is too small for single, if work is large enough for that.
func (o Ridge) LeaveOneOut(space structure.Space, k linalg.Matrix[float64], features bool, targets Targets, alphas []float64,
	work32 []float32, work64 []float64, scores []linalg.Matrix[float64], mon *parallel.Monitor) error {
	if len(alphas) == 0 {
		return fault.Value("there are no penalties")
	}
	for i, alpha := range alphas {
		if !(alpha > 0) || math.IsInf(alpha, 1) {
			return fault.Value("alphas[%d] is %g, must be positive and finite", i, alpha)
		}
	}
	if targets.First != nil {
		return fault.Value("leave-one-out needs one output for each row")
	}
	if features {
		if err := badEntry("X", k); err != nil {
			return err
		}
	} else if _, err := largestEntry(k, o.Workers, mon); err != nil {
		return err
	}
	l, err := o.leaveOneOut(space, k, features, targets, slices.Min(alphas), mon)
	if err != nil {
		return err
	}
	l.work32, l.work64 = work32, work64
	double, err := o.LeaveOneOutBytes(space, k.Rows, 0, Double)
	if err != nil {
		return err
	}
	l.widened = int64(len(work64))*8 >= double
	order := make([]int, len(alphas))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(alphas[b], alphas[a]) })
	if l.thin == nil && !l.p.Margin && len(alphas) >= enoughForBands {
		if order, err = l.together(order, alphas, scores); err != nil {
			return err
		}
	}
	c := linalg.NewMatrix[float64](k.Rows, l.p.Coord.Len())
	for _, i := range order { // from the largest on: what is too small for single precision comes last
		p := *l.p
		p.Lambda = alphas[i]
		if err := l.score(&p, c); err != nil {
			if fault.KindOf(err) == fault.KindNumerical {
				return fault.Wrap("%w; alpha is %g: "+remedies, err, alphas[i])
			}
			return err
		}
		p.Coord.SynthesizeTo(scores[i], c)
	}
	return nil
}

// enoughForBands is from how many penalties on the banded form of the kernel matrix takes less time than factors for each.
const enoughForBands = 5

// together writes the scores of the squared loss under the penalties of the given numbers, from the largest on, from one banded form of the
// kernel matrix, and returns the numbers of those that it is not accurate enough for.
func (l *leaving) together(order []int, alphas []float64, scores []linalg.Matrix[float64]) ([]int, error) {
	if l.double {
		return byBands(l, l.work64, order, alphas, scores)
	}
	return byBands(l, l.work32, order, alphas, scores)
}

func byBands[T linalg.Float](l *leaving, work []T, order []int, alphas []float64, scores []linalg.Matrix[float64]) ([]int, error) {
	b, err := loo.NewBanded(l.p, dual.NewKernel(l.p, l.k, l.o.Shift), work)
	if err != nil {
		return nil, err
	}
	for len(order) > 0 {
		// As many at a time as make products with the kernel matrix efficient.
		some := order[:min(len(order), max(1, 512/max(l.p.Coord.Len(), 1)))]
		penalties, dst := make([]float64, len(some)), make([]linalg.Matrix[float64], len(some))
		for k, i := range some {
			penalties[k], dst[k] = alphas[i], scores[i] // the coordinates of the squared loss are the scores themselves
		}
		done, err := b.Squared(penalties, dst)
		if err != nil {
			return nil, err
		}
		order = order[done:]
		if done < len(some) {
			break
		}
	}
	return order, nil
}

// leaving is what all penalties have in common.
type leaving struct {
	o    Ridge
	p    *solve.Problem
	k    linalg.Matrix[float64]
	thin *loo.Thin // or nil

	features bool // k holds features: thin is not nil

	work32  []float32
	work64  []float64
	widened bool // work is large enough for double precision
	double  bool // single precision was not enough for a larger penalty
}

func (o Ridge) leaveOneOut(space structure.Space, k linalg.Matrix[float64], features bool, targets Targets, least float64,
	mon *parallel.Monitor) (*leaving, error) {
	p, err := o.problem(space, targets, mon)
	if err != nil {
		return nil, err
	}
	l := &leaving{o: o, p: p, k: k, features: features, double: o.Precision == Double}
	if features {
		l.thin, err = loo.FromFeatures(p, k, o.Shift)
		return l, err
	}
	op := dual.NewKernel(p, k, o.Shift)
	if groups := p.Coord.Groups(); len(groups) > 0 {
		if l.thin, err = loo.NewLowRank(p, op, 2*least/groups[0].Sigma); err != nil {
			return nil, err
		}
	}
	if l.thin == nil && p.Coord.Distinct() > maxFactors {
		l.thin, err = loo.NewFull(p, op)
	}
	return l, err
}

// score writes the coordinates of the scores under the penalty of p to dst.
func (l *leaving) score(p *solve.Problem, dst linalg.Matrix[float64]) error {
	if l.thin != nil {
		var err error
		if l.o.Precision == Single {
			err = loo.FromThin(p, l.thin, l.work32, dst)
		} else {
			err = loo.FromThin(p, l.thin, l.work64, dst)
		}
		if err != loo.ErrInaccurate || p.Coord.Distinct() > maxFactors || l.features {
			return err
		}
	}
	op := dual.NewKernel(p, l.k, l.o.Shift)
	if !l.double {
		err := loo.Factored(p, op, l.work32, dst)
		if err == nil || fault.KindOf(err) != fault.KindNumerical || !l.widened {
			return err
		}
		l.double = true
	}
	return loo.Factored(p, op, l.work64, dst)
}

// LeaveOneOutBytes returns the bytes of work that LeaveOneOut needs for m rows in the given precision, from so many features, or, with 0,
// from the kernel matrix.
func (o Ridge) LeaveOneOutBytes(space structure.Space, m, features int, precision Precision) (int64, error) {
	coord, err := o.coordinates(space)
	if err != nil {
		return 0, err
	}
	margin, distinct := o.Loss == AUC, coord.Distinct()
	if features > 0 && (!margin || loo.FewWeights(coord, m, features+1)) {
		return 0, nil
	}
	if features > 0 || distinct > maxFactors {
		if precision == Single {
			return loo.ThinWork[float32](m, margin), nil
		}
		return loo.ThinWork[float64](m, margin), nil
	}
	if precision == Single {
		return loo.FactoredWork[float32](m, distinct, margin), nil
	}
	return loo.FactoredWork[float64](m, distinct, margin), nil
}

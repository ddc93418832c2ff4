package maxmargin

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/maxmargin/simplex"
	"combpred/core/parallel"
)

// Cutting planes bound R(W) = Σ_i C_i H_i(Wᵀx_i) from below. Each iteration decodes all blocks at the current weights, which gives a plane
// that touches R there, and minimises with R replaced by the largest of all planes so far (Joachims, Finley and Yu 2009, "Cutting-plane
// training of structural SVMs"). That problem is solved in its dual, one variable for each plane: its value is a lower bound, from which
// the gap follows. Idle planes are dropped.
//
// The next weights lie near the best so far, on the way to that minimum, where a plane says more about the optimum (Franc and Sonnenburg
// 2009, "Optimized cutting plane algorithm for large-scale risk minimization", search along this way). Unless such weights are better by
// δ, the plane is by convexity at least the best value at the minimum, less δ over the share of the way, so that the gap closes. The share
// doubles where the weights became better, as at small penalties, and is halved where they did not.
//
// Where decoding is approximate it may overlook what another pass has found. The value of weights is therefore at least that of all planes
// there, those of later passes included, and the share remains small: next to the best weights, passes soon find what the value of these
// has missed.
const (
	mostIdle    = 30    // iterations after which a plane that plays no part is dropped
	leastShare  = 0.1   // of the way from the best weights to those that minimise the planes
	innerGap    = 0.3   // of the gap, how well the problem of the planes is solved: the next plane changes it by more
	largest     = 1e300 // of the squares of planes, some hundred of which are added up
	firstPlanes = 32    // that there is room for at first
	mostPlanes  = 1 << 20
)

// cut trains by cutting planes.
func (t *svm) cut() error {
	best, plane, b := t.newWeights(), t.newWeights(), &bundle{length: len(t.weights.Data)}
	var start float64
	for i, weight := range t.Weights {
		start += weight * t.startOf(i)
	}
	if err := b.add(plane.Data, start); err != nil { // the plane of ψ_i themselves lies below all losses
		return err
	}
	b.shares[0] = 1
	t.cache = t.newCache()
	primal, bound, share := math.Inf(1), start, leastShare
	t.found.Weights, t.found.Exact = best, true
	for iter := 1; ; iter++ {
		s, err := t.sweep(plane)
		if err != nil {
			return err
		}
		risk := s.risk
		if s.unproven > 0 {
			if risk, err = t.atLeast(risk, b); err != nil {
				return err
			}
		}
		isBetter := s.norm+risk < primal
		if isBetter {
			primal, t.found.Exact = s.norm+risk, s.unproven == 0
			best.CopyFrom(t.weights)
		}
		gap, isLast := primal-bound, iter >= t.o.MaxIter
		t.mon.Advance(1)
		t.mon.Report(gap)
		if gap <= t.o.Tol*primal || !isLast { // the plane of the last sweep still raises the bound
			if t.look(iter, primal, bound) {
				return nil
			}
		}
		dual, err := t.raise(b, plane, s.offset, innerGap*gap)
		if err != nil {
			return err
		}
		if !t.found.Exact {
			primal = max(primal, linalg.Dot(best.Data, best.Data)/2+s.offset-linalg.Dot(plane.Data, best.Data))
		}
		if t.cache != nil && !isLast && s.unproven == 0 {
			if dual, err = t.refine(b, plane, dual, gap); err != nil {
				return err
			}
		}
		bound = max(bound, dual)
		if t.found.Exact {
			bound = min(bound, primal) // above it by rounding
		}
		if isLast {
			t.look(iter, primal, bound)
			return nil
		}
		share = nextShare(share, isBetter && s.unproven == 0)
		t.approach(best, share)
	}
}

// atLeast returns the value of the largest plane at the weights, or risk if that is larger.
func (t *svm) atLeast(risk float64, b *bundle) (float64, error) {
	products := make([]float64, len(b.offsets))
	err := t.work(len(products)*b.length, func() error {
		b.productsTo(products, t.weights.Data)
		return nil
	})
	for j, v := range products {
		risk = max(risk, b.offsets[j]-v)
	}
	return risk, err
}

// bundle holds the planes offset − ⟨W, plane⟩, and the solution of their problem.
type bundle struct {
	length  int
	planes  matrix // with room for more
	gram    matrix // inner products of the planes
	offsets []float64
	shares  []float64
	idle    []int // iterations
}

// productsTo writes the inner products of the planes with v to dst.
func (b *bundle) productsTo(dst, v []float64) {
	if len(v) == 0 {
		clear(dst)
		return
	}
	if len(dst) > 0 {
		blas64.Gemv(blas.NoTrans, 1, linalg.General(top(b.planes, len(dst))), vector(v), 0, vector(dst))
	}
}

// add adds a plane to the others.
func (b *bundle) add(plane []float64, offset float64) error {
	k := len(b.offsets)
	if k == mostPlanes {
		return fault.Numerical("more planes play a part than can be kept; lower C, or raise tol")
	}
	if k == b.planes.Rows {
		room := max(firstPlanes, 2*k)
		b.planes, b.gram = enlarged(b.planes, room, b.length), enlarged(b.gram, room, room)
	}
	square := linalg.Dot(plane, plane)
	if !(square < largest) {
		return fault.Numerical("C times the features in X has squares that overflow; scale the inputs, or lower C")
	}
	copy(b.planes.Row(k), plane)
	products := b.gram.Row(k)[:k]
	b.productsTo(products, plane)
	for j, v := range products {
		b.gram.Row(j)[k] = v
	}
	b.gram.Row(k)[k] = square
	b.offsets, b.shares, b.idle = append(b.offsets, offset), append(b.shares, 0), append(b.idle, 0)
	return nil
}

// enlarged returns a matrix of more rows and columns that begins with those of m.
func enlarged(m matrix, rows, columns int) matrix {
	out := linalg.NewMatrix[float64](rows, columns)
	out.CopyFrom(m)
	return out
}

// minimise solves the problem of the planes to within a gap, writes the weights to lowest, and returns the value.
func (b *bundle) minimise(lowest []float64, gap float64, mon *parallel.Monitor) (float64, error) {
	k := len(b.offsets)
	if err := simplex.Maximise(b.gram.Slice(0, k, 0, k), b.offsets, b.shares, gap, mon); err != nil {
		return 0, err
	}
	if len(lowest) > 0 {
		blas64.Gemv(blas.Trans, 1, linalg.General(top(b.planes, k)), vector(b.shares), 0, vector(lowest))
	}
	value := linalg.Dot(b.offsets, b.shares) - linalg.Dot(lowest, lowest)/2
	b.dropIdle()
	return value, nil
}

// dropIdle forgets the planes that have long played no part.
func (b *bundle) dropIdle() {
	var active []int
	for j, share := range b.shares {
		if b.idle[j]++; share > 0 {
			b.idle[j] = 0
		}
		if b.idle[j] < mostIdle {
			active = append(active, j)
		}
	}
	if len(active) == len(b.shares) {
		return
	}
	for to, from := range active {
		copy(b.planes.Row(to), b.planes.Row(from))
		b.offsets[to], b.shares[to], b.idle[to] = b.offsets[from], b.shares[from], b.idle[from]
		for l, j := range active {
			b.gram.Row(to)[l] = b.gram.Row(from)[j]
		}
	}
	k := len(active)
	b.offsets, b.shares, b.idle = b.offsets[:k], b.shares[:k], b.idle[:k]
}

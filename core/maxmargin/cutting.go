package maxmargin

import (
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
	mostIdle   = 30    // iterations after which a plane that plays no part is dropped
	leastShare = 0.1   // of the way from the best weights to those that minimise the planes
	innerGap   = 0.3   // of the gap, how well the problem of the planes is solved: the next plane changes it by more
	largest    = 1e300 // of the squares of planes, some hundred of which are added up
)

// bundle holds the planes offset − ⟨W, plane⟩, and the solution of their problem.
type bundle struct {
	plane   matrix // the one that a sweep makes, q×d
	planes  matrix // capacity × q·d
	offsets []float64
	shares  []float64
	idle    []float64
	gram    matrix // inner products of the planes, capacity × capacity
}

func (b *bundle) layout(t *tape, capacity, length int) {
	b.planes = t.matrix(capacity, length)
	b.layoutPerPlane(t, capacity)
}

// layoutPerPlane lays out the numbers of each plane, which come after the planes and move when there is room for more of them.
func (b *bundle) layoutPerPlane(t *tape, capacity int) {
	b.offsets, b.shares, b.idle, b.gram = t.take(capacity), t.take(capacity), t.take(capacity), t.matrix(capacity, capacity)
}

func (b *bundle) copyPerPlane(from bundle) {
	copy(b.offsets, from.offsets)
	copy(b.shares, from.shares)
	copy(b.idle, from.idle)
	b.gram.CopyFrom(from.gram)
}

// productsTo writes the inner products of the first k planes with v to dst.
func (b *bundle) productsTo(dst, v []float64, k int) {
	if len(v) == 0 {
		clear(dst)
		return
	}
	blas64.Gemv(blas.NoTrans, 1, linalg.General(top(b.planes, k)), vector(v), 0, vector(dst))
}

// judgePlane compares the weights of a sweep with the best so far.
func (m *SVM) judgePlane(norm float64, mon *parallel.Monitor) Request {
	h, k := m.head, int(m.head[svmPlanes])
	risk, proven := h[svmRisk], h[svmUnproven] == 0
	if !proven {
		products := make([]float64, k)
		m.cut.productsTo(products, m.weights.Data, k)
		for j, v := range products {
			risk = max(risk, m.cut.offsets[j]-v)
		}
	}
	h[svmImproved] = flag(norm+risk < h[svmPrimal])
	if h[svmImproved] == 1 {
		h[svmPrimal], h[svmProven] = norm+risk, flag(proven)
		copy(m.best.Data, m.weights.Data)
	}
	h[svmGap] = h[svmPrimal] - h[svmBound]
	mon.Advance(1)
	mon.Report(h[svmGap])
	h[headPhase] = phaseAdd
	if h[svmGap] <= m.o.Tol*h[svmPrimal] {
		h[headPhase] = phaseDone
	} else if int(h[svmIter]) >= m.o.MaxIter {
		return Request{} // the plane of the last sweep still raises the bound
	}
	return m.looked()
}

// addPlane adds the plane of the sweep to the others.
func (m *SVM) addPlane() (Request, error) {
	h, b, k := m.head, &m.cut, int(m.head[svmPlanes])
	if capacity := int(h[svmCapacity]); k == capacity {
		if capacity > mostPlanes/2 {
			return Request{}, fault.Numerical("more planes play a part than can be kept; lower C, or raise tol")
		}
		return Request{Ask: More, Length: m.length(2 * capacity)}, nil
	}
	square := linalg.Dot(b.plane.Data, b.plane.Data)
	if !(square < largest) {
		return Request{}, fault.Numerical("C times the features in X has squares that overflow; scale the inputs, or lower C")
	}
	copy(b.planes.Row(k), b.plane.Data)
	products := b.gram.Row(k)[:k]
	b.productsTo(products, b.plane.Data, k)
	for j, v := range products {
		b.gram.Row(j)[k] = v
	}
	b.gram.Row(k)[k] = square
	b.offsets[k], b.shares[k], b.idle[k] = h[svmOffset], 0, 0
	h[svmPlanes]++
	if h[svmProven] != 1 {
		best := m.best.Data
		h[svmPrimal] = max(h[svmPrimal], linalg.Dot(best, best)/2+b.offsets[k]-linalg.Dot(b.plane.Data, best))
	}
	h[headPhase] = phaseMinimise
	return Request{}, nil
}

// minimise solves the problem of the planes and moves to the next weights.
func (m *SVM) minimise(mon *parallel.Monitor) (Request, error) {
	h, b, k := m.head, &m.cut, int(m.head[svmPlanes])
	shares := append([]float64(nil), b.shares[:k]...)
	if err := simplex.Maximise(b.gram.Slice(0, k, 0, k), b.offsets[:k], shares, innerGap*h[svmGap], mon); err != nil {
		return Request{}, err
	}
	copy(b.shares, shares)
	lowest := m.weights.Data
	clear(lowest)
	if len(lowest) > 0 {
		blas64.Gemv(blas.Trans, 1, linalg.General(top(b.planes, k)), vector(shares), 0, vector(lowest))
	}
	h[svmBound] = max(h[svmBound], linalg.Dot(b.offsets[:k], shares)-linalg.Dot(lowest, lowest)/2)
	if h[svmProven] == 1 {
		h[svmBound] = min(h[svmBound], h[svmPrimal]) // above it by rounding
	}
	if h[svmImproved] == 1 && h[svmUnproven] == 0 {
		h[svmShare] = min(1, 2*h[svmShare])
	} else {
		h[svmShare] = max(leastShare, h[svmShare]/2)
	}
	for j, best := range m.best.Data {
		lowest[j] = best + h[svmShare]*(lowest[j]-best)
	}
	m.dropIdle(k)
	if int(h[svmIter]) >= m.o.MaxIter {
		h[headPhase] = phaseDone
		return m.looked(), nil
	}
	h[svmIter]++
	m.beginSweep()
	return Request{}, nil
}

// dropIdle forgets the planes that have long played no part.
func (m *SVM) dropIdle(k int) {
	b := &m.cut
	var active []int
	for j := range k {
		if b.idle[j]++; b.shares[j] > 0 {
			b.idle[j] = 0
		}
		if b.idle[j] < mostIdle {
			active = append(active, j)
		}
	}
	if len(active) == k {
		return
	}
	for to, from := range active {
		copy(b.planes.Row(to), b.planes.Row(from))
		b.offsets[to], b.shares[to], b.idle[to] = b.offsets[from], b.shares[from], b.idle[from]
		for l, j := range active {
			b.gram.Row(to)[l] = b.gram.Row(from)[j]
		}
	}
	m.head[svmPlanes] = float64(len(active))
}

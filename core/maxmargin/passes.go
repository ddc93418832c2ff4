package maxmargin

import (
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// beginSweep makes the next phases look for planes at the weights.
func (m *SVM) beginSweep() {
	h := m.head
	h[headPhase], h[svmCursor] = phaseSweep, 0
	h[svmRisk], h[svmOffset], h[svmUnproven] = 0, 0, 0
	if m.o.Solver == CuttingPlanes {
		m.cut.plane.Zero()
	}
}

func (m *SVM) beginBatch() error {
	first := int(m.head[svmCursor])
	if first >= m.p.blocks() {
		return errDamaged
	}
	numbers := m.oracle.begin(first, min(m.oracle.f.Rows, m.p.blocks()-first))
	m.head[headPhase] = phaseSeek
	return m.p.scoresTo(m.oracle.some(m.oracle.f), m.weights, numbers, m.o.Workers)
}

// sweep adds the planes of a batch up.
func (m *SVM) sweep(mon *parallel.Monitor) (Request, error) {
	s, h := m.oracle, m.head
	r, done, err := s.next(mon)
	if err != nil || !done {
		return r, err
	}
	count := s.count()
	for k := range count {
		weight := m.p.Weights[int(s.numbers[k])]
		h[svmRisk] += weight * s.value(k)
		h[svmOffset] += weight * s.offset[k]
		h[svmUnproven] += 1 - flag(s.proven[k] == 1)
		if m.o.Solver == CuttingPlanes {
			linalg.ScaleTo(s.psi.Row(k), weight, s.psi.Row(k))
		}
	}
	if m.o.Solver == CuttingPlanes {
		m.p.combineTo(m.cut.plane, s.some(s.psi), s.numbers[:count])
	}
	h[svmCursor] += float64(count)
	h[svmCalls] += float64(count)
	h[headPhase] = phaseSweep
	if int(h[svmCursor]) >= m.p.blocks() {
		h[headPhase] = phaseSwept
	}
	return Request{}, nil
}

func (m *SVM) judge(mon *parallel.Monitor) (Request, error) {
	norm := linalg.Dot(m.weights.Data, m.weights.Data) / 2
	primal := norm + m.head[svmRisk]
	if !finite(primal) {
		return Request{}, fault.Numerical("the numbers overflow; scale the inputs, or lower C")
	}
	if m.o.Solver == Blockwise {
		return m.judgePass(norm, primal, mon), nil
	}
	return m.judgePlane(norm, mon), nil
}

// spacing is by how much a look at the gap comes later than the one before.
const spacing = 1.3

// shuffle writes the order of a pass: a random one, which follows from the seed and the number of the pass.
func shuffle(order []float64, seed uint64, pass int) {
	var source rand.PCG
	parallel.Stream(&source, seed, pass)
	rng := rand.New(&source)
	for i := range order {
		order[i] = float64(i)
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
}

func (m *SVM) beginPass() {
	h := m.head
	h[svmIter]++
	h[svmCursor], h[svmGap], h[headPhase] = 0, 0, phaseStep
	shuffle(m.order, m.o.Seed, int(h[svmIter]))
}

// beginStep computes the scores of the next block of the pass, or ends that.
func (m *SVM) beginStep(mon *parallel.Monitor) error {
	h := m.head
	if int(h[svmCursor]) >= len(m.order) {
		mon.Advance(1)
		mon.Report(h[svmGap])
		if h[svmIter] < h[svmLook] && int(h[svmIter]) < m.o.MaxIter {
			h[headPhase] = phasePass
			return nil
		}
		h[svmLook] = float64(max(int(h[svmIter])+1, int(spacing*h[svmIter])))
		m.weights.Zero()
		m.p.expand(m.weights, m.oracle, func(dst []float64, i int) {
			copy(dst, m.steps.V.Row(i))
			if m.o.Average {
				linalg.Axpy(dst, m.steps.LateV.Row(i), -1/FrankWolfe.Share(m.steps.Step))
			}
		})
		m.beginSweep()
		return nil
	}
	at := m.order[int(h[svmCursor])]
	if !counts(at, m.p.blocks()-1) {
		return errDamaged
	}
	i := int(at)
	m.oracle.begin(i, 1)
	h[svmNorm] = m.p.rowScores(m.oracle.f.Row(0), m.steps.W, i)
	h[headPhase] = phaseTake
	return nil
}

// expand adds Σ_i C_i x_i a_iᵀ over all blocks to the weights w, of writing a_i to dst.
func (p *Problem) expand(w matrix, s *planes, of func(dst []float64, i int)) {
	for lo := 0; lo < p.blocks(); lo += s.f.Rows {
		count := min(s.f.Rows, p.blocks()-lo)
		numbers := s.begin(lo, count)
		for k := range count {
			a := s.linear.Row(k)
			of(a, lo+k)
			linalg.ScaleTo(a, p.Weights[lo+k], a)
		}
		p.combineTo(w, top(s.linear, count), numbers)
	}
}

// takeStep takes the step towards the plane of the block.
func (m *SVM) takeStep(mon *parallel.Monitor) (Request, error) {
	s, h := m.oracle, m.head
	r, done, err := s.next(mon)
	if err != nil || !done {
		return r, err
	}
	i := int(s.numbers[0])
	gap, _ := m.p.towards(&m.steps, i, s.f.Row(0), s.psi.Row(0), s.offset[0], h[svmNorm])
	h[svmGap] += m.p.Weights[i] * gap
	m.steps.Step++
	h[svmSteps]++
	h[svmCursor]++
	h[svmCalls]++
	h[headPhase] = phaseStep
	return Request{}, nil
}

// judgePass looks at the gap.
func (m *SVM) judgePass(norm, primal float64, mon *parallel.Monitor) Request {
	h := m.head
	dual, share := -norm, FrankWolfe.Share(m.steps.Step)
	for i, weight := range m.p.Weights {
		offset := m.steps.Offset[i]
		if m.o.Average {
			offset -= m.steps.LateOffset[i] / share
		}
		dual += weight * offset
	}
	h[svmPrimal], h[svmBound], h[svmProven] = primal, dual, flag(h[svmUnproven] == 0)
	mon.Report(primal - dual)
	h[headPhase] = phasePass
	if primal-dual <= m.o.Tol*primal || int(h[svmIter]) >= m.o.MaxIter {
		h[headPhase] = phaseDone
	}
	return m.looked()
}

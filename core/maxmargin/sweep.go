package maxmargin

import (
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
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
	numbers := m.seeker.begin(first, min(m.seeker.f.Rows, m.p.blocks()-first))
	m.head[headPhase] = phaseSeek
	return m.p.scoresTo(m.seeker.some(m.seeker.f), m.weights, numbers, m.o.Workers)
}

// sweep adds the planes of a batch up.
func (m *SVM) sweep(mon *parallel.Monitor) (Request, error) {
	s, h := m.seeker, m.head
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
	if int(h[svmCursor]) == m.p.blocks() {
		h[headPhase] = phaseSwept
	}
	return Request{}, nil
}

func (m *SVM) judge(mon *parallel.Monitor) (Request, error) {
	norm := linalg.Dot(m.weights.Data, m.weights.Data) / 2
	primal := norm + m.head[svmRisk]
	if !finite(primal) {
		return Request{}, &solve.NumericalError{What: "the numbers overflow; scale the inputs, or lower C"}
	}
	if m.o.Solver == Blockwise {
		return m.judgePass(norm, primal, mon), nil
	}
	return m.judgePlane(norm, mon), nil
}

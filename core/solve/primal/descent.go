package primal

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

const (
	// The residual is computed anew when the recurrence's has fallen to this part of it, or near the drift, if the drift is going to
	// matter.
	verifyAt    = 1e-3
	driftMargin = 30
	// Drift of single precision where it has not been measured yet, far above what is usual.
	assumedDrift = 1e-5
	// What is expected of the drift to come, relative to what was measured.
	driftFactor = 10
	// With more drift than this single precision is given up.
	mostDrift = 1e-2
	// Where a residual computed anew has not fallen to this part of the last one, rounding is all that is left.
	stallFactor = 0.3
	epsilon     = 0x1p-52
)

// begin takes the sums and diagonalises S.
func (m *Machine) begin(mon *parallel.Monitor) error {
	sums := m.Sums()
	gram, cross := sums.Gram(), sums.Cross()
	if sums.Rows() == 0 {
		return fault.Value("n is 0, must be at least 1")
	}
	total := sums.Weight()
	if !(total > 0) {
		return fault.Value("the weights of all rows are zero, at least one must be positive")
	}
	for _, v := range sums.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return overflow()
		}
	}
	m.standardise(gram, sums.Rows())
	rhs := m.scratch // B = Σ w x ψ̃ᵀ
	for k := range m.q {
		copy(rhs.Row(k), cross.Row(k))
		linalg.Axpy(rhs.Row(k), m.t.Mean, -gram.Row(k)[m.p])
	}
	m.vectors.CopyFrom(gram.Slice(0, m.q, 0, m.q))
	if !m.t.Margin {
		m.mw.CopyFrom(rhs)
	}
	if err := mon.Err(); err != nil {
		return err
	}
	if _, err := linalg.SymEig(linalg.General(m.vectors)); err != nil {
		return err
	}
	if err := m.quotients(gram, mon); err != nil {
		return err
	}
	if err := linalg.GemmPolled(blas.Trans, m.vectors, rhs, m.b, mon); err != nil {
		return err
	}
	m.head[headPasses] = 1
	m.head[headNorm] = math.Sqrt(inner(m.b.Data, m.b.Data))
	m.head[headObjective] = sums.Squares() - 2*linalg.Dot(m.t.Mean, cross.Row(m.p)) + total*linalg.Dot(m.t.Mean, m.t.Mean) // Σ w ‖ψ̃‖²
	if !m.t.Margin {
		return nil
	}
	m.r.CopyFrom(m.b)
	z, rho, err := m.precondition(mon)
	if err != nil {
		return err
	}
	m.head[headStart], m.head[headDrift] = rho, assumedDrift
	if !(rho > 0) {
		return m.finish(mon)
	}
	m.head[headRelative], m.head[headBase] = 1, 1
	m.current().p.CopyFrom(z)
	m.current().mp.CopyFrom(m.r) // M Z is R, and stays so along directions: no product with M is needed
	return m.ask(phaseStep, m.current().p, mon)
}

// quotients sets the eigenvalues to the Rayleigh quotients of the vectors. Those found with the vectors are off by rounding of the largest
// of them, which features of very different scales make much of.
func (m *Machine) quotients(gram matrix, mon *parallel.Monitor) error {
	image := linalg.NewMatrix[float64](m.q, m.q)
	if err := linalg.GemmPolled(blas.NoTrans, gram.Slice(0, m.q, 0, m.q), m.vectors, image, mon); err != nil {
		return err
	}
	clear(m.values)
	for j := range m.q {
		v, s := m.vectors.Row(j), image.Row(j)
		for k := range v {
			m.values[k] += v[k] * s[k]
		}
	}
	for k, v := range m.values {
		m.values[k] = max(v, 0)
	}
	return nil
}

// standardise fixes centre and scale of the features, by which single precision does not lose what they have in common.
func (m *Machine) standardise(gram matrix, rows int) {
	total := gram.Row(m.p)[m.p]
	m.direction.Data[1] = total / float64(rows)
	centre, scale := m.direction.centre(), m.direction.scale()
	for j := range centre {
		mean := gram.Row(j)[m.p] / total
		square := gram.Row(j)[j] / total
		centre[j] = mean
		scale[j] = math.Sqrt(max(square-mean*mean, 1e-14*square)) // differences are rounded
		if !(scale[j] > 0) {
			scale[j] = 1
		}
	}
}

func overflow() error {
	return fault.Numerical("sums over the rows overflow: scale the inputs")
}

// ask requests the product with v, given in the basis of the vectors.
func (m *Machine) ask(phase float64, v matrix, mon *parallel.Monitor) error {
	m.head[headPhase] = phase
	m.direction.setSingle(phase == phaseStep && m.head[headDouble] == 0)
	return linalg.GemmPolled(blas.NoTrans, m.vectors, v, m.direction.Weights(), mon)
}

// answer returns the product that was asked for, in the basis of the vectors.
func (m *Machine) answer(mon *parallel.Monitor) (matrix, error) {
	return m.scratch, linalg.GemmPolled(blas.Trans, m.vectors, m.Product(), m.scratch, mon)
}

// precondition returns M⁻¹R and ⟨R, M⁻¹R⟩. The norm of R is measured so: its square is at least twice the distance of the objective from
// its least value, because H ≥ M.
func (m *Machine) precondition(mon *parallel.Monitor) (matrix, float64, error) {
	err := m.t.Coord.ResolventTo(m.scratch, m.r, 2*m.t.Lambda, m.values, mon)
	return m.scratch, inner(m.r.Data, m.scratch.Data), err
}

func (m *Machine) exhausted() bool {
	limit := float64(m.t.MaxIter)
	if limit == 0 {
		limit = maxSteps
	}
	return m.head[headPasses] >= limit+1
}

// drift bounds the relative distance of the recurrence's residual from the true one: what single precision makes of it, and rounding of
// its products in double.
func (m *Machine) drift() float64 {
	h := m.head
	d := epsilon * h[headPasses] * h[headNorm] / math.Sqrt(2*m.t.Lambda*h[headStart])
	if h[headDouble] == 0 {
		d += h[headDrift] * h[headBase]
	}
	return d
}

func (m *Machine) relative(rho float64) float64 { return math.Sqrt(max(rho, 0) / m.head[headStart]) }

// step takes the product with the direction and makes one step of conjugate gradient.
func (m *Machine) step(mon *parallel.Monitor) error {
	h := m.head
	product, err := m.answer(mon)
	if err != nil {
		return err
	}
	h[headPasses]++
	dir := m.current()
	for k, v := range product.Data {
		dir.hp.Data[k] = v + dir.mp.Data[k]
	}
	energy := inner(dir.p.Data, dir.hp.Data)
	if !(energy > 0) || math.IsInf(energy, 1) {
		switch {
		case h[headDouble] == 0 && !m.exhausted(): // single precision does not do for these numbers
			h[headDouble] = 1
			return m.ask(phaseStep, dir.p, mon)
		case !(energy <= 0):
			return overflow()
		}
		return m.finish(mon) // what is left is rounding
	}
	dir.energy[0] = energy
	m.along(dir)
	z, rho, err := m.precondition(mon)
	if err != nil {
		return err
	}
	h[headRelative] = m.relative(rho)
	mon.Report(h[headRelative])
	drift := m.drift()
	switch {
	case m.exhausted():
		return m.finish(mon)
	case h[headRelative] <= m.t.Tol && drift <= m.t.Tol/10:
		return m.finish(mon)
	case h[headRelative] <= m.t.Tol, h[headDouble] == 0 && drift > m.t.Tol/10 &&
		h[headRelative] <= max(verifyAt, driftMargin*h[headDrift])*h[headBase]:
		return m.ask(phaseVerify, m.w, mon)
	}
	return m.turn(z, mon)
}

// along makes the best step along a direction.
func (m *Machine) along(dir conjugate) {
	step := inner(dir.p.Data, m.r.Data) / dir.energy[0]
	linalg.Axpy(m.w.Data, dir.p.Data, step)
	linalg.Axpy(m.mw.Data, dir.mp.Data, step)
	linalg.Axpy(m.r.Data, dir.hp.Data, -step)
}

// turn makes the next direction from z = M⁻¹R, conjugate to all that are stored, and asks for the product with it. Exact arithmetic would
// only need the last one. In single precision that alone cost some steps, as what rounding brings back of the others had to be removed
// anew.
func (m *Machine) turn(z matrix, mon *parallel.Monitor) error {
	mz := linalg.NewMatrix[float64](m.q, m.d)
	mz.CopyFrom(m.r)
	for _, dir := range m.known() {
		c := -inner(z.Data, dir.hp.Data) / dir.energy[0]
		linalg.Axpy(z.Data, dir.p.Data, c)
		linalg.Axpy(mz.Data, dir.mp.Data, c)
	}
	m.head[headSteps]++
	next := m.current()
	next.p.CopyFrom(z)
	next.mp.CopyFrom(mz)
	return m.ask(phaseStep, next.p, mon)
}

// known returns the directions whose products with H are known.
func (m *Machine) known() []conjugate {
	return m.directions[:min(len(m.directions), int(m.head[headSteps])+1)]
}

// verify takes the product with W and puts the true residual in the place of the recurrence's.
func (m *Machine) verify(mon *parallel.Monitor) error {
	h := m.head
	product, err := m.answer(mon)
	if err != nil {
		return err
	}
	h[headPasses]++
	h[headVerified]++
	residual := linalg.NewMatrix[float64](m.q, m.d)
	for k, v := range product.Data {
		residual.Data[k] = m.b.Data[k] - m.mw.Data[k] - v
		m.r.Data[k] -= residual.Data[k]
	}
	_, drift, err := m.precondition(mon)
	if err != nil {
		return err
	}
	m.r.CopyFrom(residual)
	for _, dir := range m.known() {
		m.along(dir) // what the drift brought back
	}
	z, rho, err := m.precondition(mon)
	if err != nil {
		return err
	}
	base := h[headBase]
	h[headRelative] = m.relative(rho)
	h[headDrift] = driftFactor * m.relative(drift) / base
	if !(h[headRelative] < math.Inf(1)) {
		return overflow()
	}
	mon.Report(h[headRelative])
	if h[headRelative] <= m.t.Tol || m.exhausted() {
		return m.finish(mon)
	}
	h[headBase] = h[headRelative]
	stalled := h[headRelative] > stallFactor*base
	if stalled && h[headDouble] != 0 {
		return m.finish(mon)
	}
	if stalled || h[headDrift] > mostDrift {
		h[headDouble] = 1
	}
	return m.turn(z, mon)
}

// finish writes weights and objective.
func (m *Machine) finish(mon *parallel.Monitor) error {
	m.head[headPhase] = phaseDone
	m.head[headObjective] = -(inner(m.w.Data, m.b.Data) + inner(m.w.Data, m.r.Data)) / 2
	return linalg.GemmPolled(blas.NoTrans, m.vectors, m.w, m.direction.Weights(), mon)
}

// squared solves (2λ + S) W = B, whose right-hand side is in mw.
func (m *Machine) squared() (Request, error) {
	h := m.head
	b, lambda := m.mw, m.t.Lambda
	w := m.direction.Weights()
	gram := m.Sums().Gram()
	residual := func() {
		m.r.CopyFrom(b)
		linalg.Axpy(m.r.Data, w.Data, -2*lambda)
		linalg.Gemm(blas.NoTrans, blas.NoTrans, -1, gram.Slice(0, m.q, 0, m.q), w, 1, m.r)
	}
	w.Zero()
	for range 2 { // the second time for what rounding has left
		residual()
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, m.vectors, m.r, 0, m.scratch)
		for k, s := range m.values {
			linalg.ScaleTo(m.scratch.Row(k), 1/(2*lambda+s), m.scratch.Row(k))
		}
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, m.vectors, m.scratch, 1, w)
	}
	residual()
	h[headPhase], h[headVerified] = phaseDone, 1
	h[headObjective] = (h[headObjective] - inner(w.Data, b.Data) - inner(w.Data, m.r.Data)) / 2
	if h[headNorm] > 0 {
		h[headRelative] = math.Sqrt(inner(m.r.Data, m.r.Data)) / h[headNorm]
	}
	return Done, m.convergence(max(m.t.Tol, 1e-10))
}

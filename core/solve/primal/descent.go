package primal

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
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
func (s *solver) begin(sums Sums) error {
	gram, cross := sums.Gram(), sums.Cross()
	if sums.Rows() == 0 {
		return fault.Value("the sums are of no rows, must be of at least one")
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
	s.standardise(gram, sums.Rows())
	rhs := s.scratch // B = Σ w x ψ̃ᵀ
	for k := range s.q {
		copy(rhs.Row(k), cross.Row(k))
		linalg.Axpy(rhs.Row(k), s.t.Mean, -gram.Row(k)[s.p])
	}
	s.vectors.CopyFrom(gram.Slice(0, s.q, 0, s.q))
	if !s.t.Margin {
		s.mw.CopyFrom(rhs)
	}
	if err := s.mon.Err(); err != nil {
		return err
	}
	if _, err := linalg.SymEig(linalg.General(s.vectors)); err != nil {
		return err
	}
	if err := s.quotients(gram); err != nil {
		return err
	}
	if err := linalg.GemmPolled(blas.Trans, s.vectors, rhs, s.b, s.mon); err != nil {
		return err
	}
	s.passes = 1
	s.norm = math.Sqrt(inner(s.b.Data, s.b.Data))
	s.objective = sums.Squares() - 2*linalg.Dot(s.t.Mean, cross.Row(s.p)) + total*linalg.Dot(s.t.Mean, s.t.Mean) // Σ w ‖ψ̃‖²
	if !s.t.Margin {
		return nil
	}
	s.r.CopyFrom(s.b)
	z, rho, err := s.precondition()
	if err != nil {
		return err
	}
	s.start, s.drift = rho, assumedDrift
	if !(rho > 0) {
		return s.finish()
	}
	s.relative, s.base = 1, 1
	s.current().p.CopyFrom(z)
	s.current().mp.CopyFrom(s.r) // M Z is R, and stays so along directions: no product with M is needed
	return s.ask(along, s.current().p)
}

// quotients sets the eigenvalues to the Rayleigh quotients of the vectors. Those found with the vectors are off by rounding of the largest
// of them, which features of very different scales make much of.
func (s *solver) quotients(gram matrix) error {
	image := linalg.NewMatrix[float64](s.q, s.q)
	if err := linalg.GemmPolled(blas.NoTrans, gram.Slice(0, s.q, 0, s.q), s.vectors, image, s.mon); err != nil {
		return err
	}
	clear(s.values)
	for j := range s.q {
		v, w := s.vectors.Row(j), image.Row(j)
		for k := range v {
			s.values[k] += v[k] * w[k]
		}
	}
	for k, v := range s.values {
		s.values[k] = max(v, 0)
	}
	return nil
}

// standardise fixes centre and scale of the features, by which single precision does not lose what they have in common.
func (s *solver) standardise(gram matrix, rows int) {
	total := gram.Row(s.p)[s.p]
	s.direction.Data[1] = total / float64(rows)
	centre, scale := s.direction.centre(), s.direction.scale()
	for j := range centre {
		mean := gram.Row(j)[s.p] / total
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
func (s *solver) ask(next wanted, v matrix) error {
	s.next = next
	s.direction.setSingle(next == along && !s.isDouble)
	return linalg.GemmPolled(blas.NoTrans, s.vectors, v, s.direction.Weights(), s.mon)
}

// answer returns the product that was asked for, in the basis of the vectors.
func (s *solver) answer() (matrix, error) {
	return s.scratch, linalg.GemmPolled(blas.Trans, s.vectors, s.product, s.scratch, s.mon)
}

// precondition returns M⁻¹R and ⟨R, M⁻¹R⟩. The norm of R is measured so: its square is at least twice the distance of the objective from
// its least value, because H ≥ M.
func (s *solver) precondition() (matrix, float64, error) {
	err := s.t.Coord.ResolventTo(s.scratch, s.r, 2*s.t.Lambda, s.values, s.mon)
	return s.scratch, inner(s.r.Data, s.scratch.Data), err
}

func (s *solver) exhausted() bool {
	limit := s.t.MaxIter
	if limit == 0 {
		limit = maxSteps
	}
	return s.passes > limit
}

// totalDrift bounds the relative distance of the recurrence's residual from the true one: what single precision makes of it, and rounding
// of its products in double.
func (s *solver) totalDrift() float64 {
	d := epsilon * float64(s.passes) * s.norm / math.Sqrt(2*s.t.Lambda*s.start)
	if !s.isDouble {
		d += s.drift * s.base
	}
	return d
}

func (s *solver) distance(rho float64) float64 { return math.Sqrt(max(rho, 0) / s.start) }

// step takes the product with the direction and makes one step of conjugate gradient.
func (s *solver) step() error {
	product, err := s.answer()
	if err != nil {
		return err
	}
	s.passes++
	dir := s.current()
	for k, v := range product.Data {
		dir.hp.Data[k] = v + dir.mp.Data[k]
	}
	energy := inner(dir.p.Data, dir.hp.Data)
	if !(energy > 0) || math.IsInf(energy, 1) {
		switch {
		case !s.isDouble && !s.exhausted(): // single precision does not do for these numbers
			s.isDouble = true
			return s.ask(along, dir.p)
		case !(energy <= 0):
			return overflow()
		}
		return s.finish() // what is left is rounding
	}
	dir.energy = energy
	s.move(dir)
	z, rho, err := s.precondition()
	if err != nil {
		return err
	}
	s.relative = s.distance(rho)
	s.mon.Report(s.relative)
	drift := s.totalDrift()
	switch {
	case s.exhausted():
		return s.finish()
	case s.relative <= s.t.Tol && drift <= s.t.Tol/10:
		return s.finish()
	case s.relative <= s.t.Tol, !s.isDouble && drift > s.t.Tol/10 &&
		s.relative <= max(verifyAt, driftMargin*s.drift)*s.base:
		return s.ask(anew, s.w)
	}
	return s.turn(z)
}

// move makes the best step along a direction.
func (s *solver) move(dir *conjugate) {
	step := inner(dir.p.Data, s.r.Data) / dir.energy
	linalg.Axpy(s.w.Data, dir.p.Data, step)
	linalg.Axpy(s.mw.Data, dir.mp.Data, step)
	linalg.Axpy(s.r.Data, dir.hp.Data, -step)
}

// turn makes the next direction from z = M⁻¹R, conjugate to all that are stored, and asks for the product with it. Exact arithmetic would
// only need the last one. In single precision that alone cost some steps, as what rounding brings back of the others had to be removed
// anew.
func (s *solver) turn(z matrix) error {
	mz := linalg.NewMatrix[float64](s.q, s.d)
	mz.CopyFrom(s.r)
	for _, dir := range s.known() {
		c := -inner(z.Data, dir.hp.Data) / dir.energy
		linalg.Axpy(z.Data, dir.p.Data, c)
		linalg.Axpy(mz.Data, dir.mp.Data, c)
	}
	s.steps++
	next := s.current()
	next.p.CopyFrom(z)
	next.mp.CopyFrom(mz)
	return s.ask(along, next.p)
}

// known returns the directions whose products with H are known.
func (s *solver) known() []*conjugate {
	return s.directions[:min(len(s.directions), s.steps+1)]
}

// verify takes the product with W and puts the true residual in the place of the recurrence's.
func (s *solver) verify() error {
	product, err := s.answer()
	if err != nil {
		return err
	}
	s.passes++
	s.verified++
	residual := linalg.NewMatrix[float64](s.q, s.d)
	for k, v := range product.Data {
		residual.Data[k] = s.b.Data[k] - s.mw.Data[k] - v
		s.r.Data[k] -= residual.Data[k]
	}
	_, drift, err := s.precondition()
	if err != nil {
		return err
	}
	s.r.CopyFrom(residual)
	for _, dir := range s.known() {
		s.move(dir) // what the drift brought back
	}
	z, rho, err := s.precondition()
	if err != nil {
		return err
	}
	base := s.base
	s.relative = s.distance(rho)
	s.drift = driftFactor * s.distance(drift) / base
	if !(s.relative < math.Inf(1)) {
		return overflow()
	}
	s.mon.Report(s.relative)
	if s.relative <= s.t.Tol || s.exhausted() {
		return s.finish()
	}
	s.base = s.relative
	stalled := s.relative > stallFactor*base
	if stalled && s.isDouble {
		return s.finish()
	}
	if stalled || s.drift > mostDrift {
		s.isDouble = true
	}
	return s.turn(z)
}

// finish writes weights and objective.
func (s *solver) finish() error {
	s.next = done
	s.objective = -(inner(s.w.Data, s.b.Data) + inner(s.w.Data, s.r.Data)) / 2
	return linalg.GemmPolled(blas.NoTrans, s.vectors, s.w, s.direction.Weights(), s.mon)
}

// squared solves (2λ + S) W = B, whose right-hand side is in mw.
func (s *solver) squared(gram matrix) {
	b, lambda := s.mw, s.t.Lambda
	w := s.direction.Weights()
	residual := func() {
		s.r.CopyFrom(b)
		linalg.Axpy(s.r.Data, w.Data, -2*lambda)
		linalg.Gemm(blas.NoTrans, blas.NoTrans, -1, gram.Slice(0, s.q, 0, s.q), w, 1, s.r)
	}
	w.Zero()
	for range 2 { // the second time for what rounding has left
		residual()
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, s.vectors, s.r, 0, s.scratch)
		for k, v := range s.values {
			linalg.ScaleTo(s.scratch.Row(k), 1/(2*lambda+v), s.scratch.Row(k))
		}
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, s.vectors, s.scratch, 1, w)
	}
	residual()
	s.verified = 1
	s.objective = (s.objective - inner(w.Data, b.Data) - inner(w.Data, s.r.Data)) / 2
	if s.norm > 0 {
		s.relative = math.Sqrt(inner(s.r.Data, s.r.Data)) / s.norm
	}
}

package solve

// Inverse is a Resolvent that also solves with 2λI + σK̃.
type Inverse interface {
	Resolvent
	// SolveTo writes (2λI + σK̃)⁻¹v to dst, which may be v.
	SolveTo(dst, v matrix) error
	// Accuracy returns the relative residual below which its rounding errors drown a solution.
	Accuracy() float64
}

// ClosedForm writes the coefficients C to dst: the margins q from G q = b, then C = (2λI + σK̃)⁻¹(diag(√w − q) Z), refined until the
// residual R(C), computed in double precision with op, is at most opt.Tol relative to R(0). So inverses in single precision are
// enough as long as they contract (see refine for the errors). margins is nil for the squared loss.
func ClosedForm(p *Problem, op Operator, inv Inverse, margins MarginSolver, dst matrix, opt Options) (Info, error) {
	dst.Zero()
	e := &dual{p: p, op: op, inv: inv, c: dst, res: p.newBlock(), kc: p.newBlock()}
	return refine(p, e, margins, inv.Accuracy(), opt)
}

// dual is the equation of the coefficients C, an m×Len block.
type dual struct {
	p          *Problem
	op         Operator
	inv        Inverse
	c, res, kc matrix // coefficients, R(C), K̃C
}

func (e *dual) residual() (float64, error) { return e.p.residualTo(e.res, e.c, e.kc) }

func (e *dual) probe(b []float64) error {
	if err := e.inv.ApplyTo(e.kc, e.res); err != nil {
		return err
	}
	return e.p.dotsTo(b, e.kc)
}

// correct adds E = (2λI + σK̃)⁻¹(R − diag(q) Z).
func (e *dual) correct(q []float64) error {
	if q != nil {
		if err := e.p.combineTo(e.kc, q); err != nil {
			return err
		}
		if err := e.p.rows(func(i int) { axpy(e.res.Row(i), e.kc.Row(i), -1) }); err != nil {
			return err
		}
	}
	if err := e.inv.SolveTo(e.res, e.res); err != nil {
		return err
	}
	if err := e.p.rows(func(i int) { axpy(e.c.Row(i), e.res.Row(i), 1) }); err != nil {
		return err
	}
	return e.op.MulTo(e.kc, e.c)
}

func (e *dual) objective() (float64, error) { return e.p.objective(e.c, e.kc) }

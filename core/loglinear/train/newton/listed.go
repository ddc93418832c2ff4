package newton

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/structure"
)

// mostListed is the number of outputs up to which a space is trained as classes that share weights.
const mostListed = 1024

// fewOutputs reports whether a space has so few outputs that they are listed: no more than entries of ψ, so that sums over the outputs cost
// no more than those over the entries.
func fewOutputs(space structure.Space) bool {
	if _, ok := space.(structure.Enumerator); !ok {
		return false
	}
	log, err := structure.LogCount(space)
	return err == nil && log < math.Log(float64(min(mostListed, space.FeatureLen()))+0.5)
}

// outputs are those of a space, listed: K classes whose scores A s are sums of the d scores s, of which A has ψ of each output in its
// rows. Gradients and the Hessian by s are those by A s, pulled back: Aᵀ g and Aᵀ H A.
type outputs struct {
	psi       *linalg.Sparse // A, K×d
	transpose linalg.Sparse  // Aᵀ
}

func listOf(space structure.Space) *outputs {
	d := space.FeatureLen()
	a := &linalg.Sparse{Cols: d, Indptr: []int64{0}}
	psi := make([]float64, d)
	for y := range space.(structure.Enumerator).All() {
		space.Embed(psi, y)
		for j, v := range psi {
			if v != 0 {
				a.Data, a.Indices = append(a.Data, v), append(a.Indices, int32(j))
			}
		}
		a.Indptr = append(a.Indptr, int64(len(a.Data)))
		a.Rows++
	}
	return &outputs{a, a.Transpose()}
}

// mean returns that of ψ over all outputs.
func (o *outputs) mean() []float64 {
	mean := make([]float64, o.psi.Cols)
	for at, j := range o.psi.Indices {
		mean[j] += o.psi.Data[at] / float64(o.psi.Rows)
	}
	return mean
}

// combine writes a times the rows of src, in the columns from lo to hi, to dst.
func combine(dst matrix, a *linalg.Sparse, src matrix, lo, hi int) {
	for k := range a.Rows {
		to := dst.Row(k)[lo:hi]
		clear(to)
		columns, values := a.Row(k)
		for at, j := range columns {
			linalg.Axpy(to, src.Row(int(j))[lo:hi], values[at])
		}
	}
}

// covarianceTo writes Σ_k share_k a_k a_kᵀ − Σ_i m_i m_iᵀ to dst, for the means m of rows in the columns of means.
func (o *outputs) covarianceTo(dst matrix, shares []float64, means matrix) {
	linalg.Gemm(blas.NoTrans, blas.Trans, -1, means, means, 0, dst)
	for k, share := range shares {
		columns, values := o.psi.Row(k)
		for at, j := range columns {
			linalg.Scatter(dst.Row(int(j)), columns, values, share*values[at])
		}
	}
}

// kronecker preconditions by Kronecker products C ⊗ M + 2α, for the second moment M of the features and a covariance C of ψ.
type kronecker struct {
	features  matrix // eigenvectors of M, without rows where it is diagonal
	curvature []float64
	variances []float64
	// With C under the uniform distribution, to judge gradients by, and with the mean of those of the rows, to solve by.
	uniform, around *loglinear.Preconditioner
}

// newKronecker returns one for uniform distributions. Moment is M, or its diagonal.
func newKronecker(f *fit, moment matrix) (*kronecker, error) {
	d, q := f.o.Outputs, f.o.Features
	p := &kronecker{curvature: make([]float64, q), variances: make([]float64, d)}
	if moment.Rows == q && q > 1 {
		p.features = linalg.NewMatrix[float64](q, q)
		p.features.CopyFrom(moment)
		if err := loglinear.Diagonalise(p.curvature, p.features, f.mon); err != nil {
			return nil, err
		}
	} else {
		copy(p.curvature, moment.Data)
	}
	shares := make([]float64, f.list.psi.Rows)
	for k := range shares {
		shares[k] = 1 / float64(len(shares))
	}
	err := p.turn(f, shares, linalg.Shaped(f.list.mean(), d, 1))
	p.uniform = p.around
	return p, err
}

// turn preconditions by the covariance that shares and means have, see covarianceTo.
func (p *kronecker) turn(f *fit, shares []float64, means matrix) error {
	d := len(p.variances)
	vectors := linalg.NewMatrix[float64](d, d)
	f.list.covarianceTo(vectors, shares, means)
	if err := loglinear.Diagonalise(p.variances, vectors, f.mon); err != nil {
		return err
	}
	p.around = loglinear.NewPreconditioner(vectors, p.features, d, len(p.curvature), f.problem.Work)
	p.around.ScaleTo(f.o.Alpha, p.variances, p.curvature)
	return nil
}

// follow preconditions by the mean covariance of ψ of the rows, given their shares and residuals.
func (t *joint) follow() error {
	shares, means := make([]float64, t.shares.Rows), t.directionScores // which are not in use yet
	for k := range shares {
		for i, p := range t.shares.Row(k) {
			shares[k] += weightOf(t.fit.weights, i) * p / t.total
		}
	}
	for j := range means.Rows {
		to, residual, psi := means.Row(j), t.factors.Row(j), t.psi.Row(j)
		for i := range to {
			w := weightOf(t.fit.weights, i)
			to[i] = (residual[i]/w + psi[i]) * math.Sqrt(w/t.total)
		}
	}
	return t.kronecker.turn(t.fit, shares, means)
}

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
// rows. Gradients and the Hessian by s are those by A s, pulled back: Aᵀ g and Aᵀ H A. As the scores are linear in the features, too, A is
// applied to weights: passes over the rows have a column for each of the K classes, no more than d.
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

// covarianceTo writes Aᵀ C A to dst, for a covariance C of the classes.
func (o *outputs) covarianceTo(dst, of matrix) {
	half := linalg.NewMatrix[float64](of.Rows, o.psi.Cols) // C A
	for k := range of.Rows {
		for l, c := range of.Row(k) {
			columns, values := o.psi.Row(l)
			linalg.Scatter(half.Row(k), columns, values, c)
		}
	}
	combine(dst, &o.transpose, half, 0, half.Cols)
}

// nearest returns the output whose ψ is nearest to psi: itself, of one that is listed.
func (o *outputs) nearest(psi []float64) (best int) {
	least := math.Inf(1)
	for k := range o.psi.Rows {
		columns, values := o.psi.Row(k)
		var distance float64 // less ‖psi‖²
		for at, j := range columns {
			distance += values[at] * (values[at] - 2*psi[j])
		}
		if distance < least {
			best, least = k, distance
		}
	}
	return best
}

// observe finds the outputs that are nearest to those of the rows, and what means of several differ from them by.
func (t *joint) observe() error {
	near := make([]int, t.problem.Len())
	err := t.overRows(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			near[i] = t.list.nearest(t.psiOf(i))
			t.observed.Row(near[i])[i] = 1
		}
	})
	if err != nil {
		return err
	}
	var apart matrix // w (ψ − ψ of the nearest), without rows where that is 0
	difference := make([]float64, t.o.Outputs)
	for i, k := range near {
		copy(difference, t.psiOf(i))
		columns, values := t.list.psi.Row(k)
		linalg.Scatter(difference, columns, values, -1)
		if largest(difference) == 0 {
			continue
		}
		if apart.Rows == 0 {
			apart = linalg.NewMatrix[float64](t.o.Outputs, len(near))
		}
		for j, v := range difference {
			apart.Row(j)[i] = weightOf(t.fit.weights, i) * v
		}
	}
	if apart.Rows == 0 {
		return nil
	}
	t.rest = linalg.NewMatrix[float64](t.o.Outputs, t.o.Features)
	return t.productsTo(t.rest, apart)
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
	classes := f.list.psi.Rows
	even := linalg.NewMatrix[float64](classes, classes)
	for k := range even.Data {
		even.Data[k] = -1 / (float64(classes) * float64(classes))
	}
	for k := range classes {
		even.Row(k)[k] += 1 / float64(classes)
	}
	err := p.turn(f, even)
	p.uniform = p.around
	return p, err
}

// turn preconditions by a covariance of the classes.
func (p *kronecker) turn(f *fit, covariance matrix) error {
	d := len(p.variances)
	vectors := linalg.NewMatrix[float64](d, d)
	f.list.covarianceTo(vectors, covariance)
	if err := loglinear.Diagonalise(p.variances, vectors, f.mon); err != nil {
		return err
	}
	p.around = loglinear.NewPreconditioner(vectors, p.features, d, len(p.curvature), f.problem.Work)
	p.around.ScaleTo(f.o.Alpha, p.variances, p.curvature)
	return nil
}

// follow preconditions by the mean covariance of ψ of the rows, given their shares.
func (t *joint) follow() error {
	scaled, covariance := t.directionScores, linalg.NewMatrix[float64](t.shares.Rows, t.shares.Rows) // the first is not in use yet
	for k := range scaled.Rows {
		to := scaled.Row(k)
		for i, p := range t.shares.Row(k) {
			w := weightOf(t.fit.weights, i) / t.total
			to[i] = math.Sqrt(w) * p
			covariance.Row(k)[k] += w * p
		}
	}
	linalg.Gemm(blas.NoTrans, blas.Trans, -1, scaled, scaled, 1, covariance)
	return t.kronecker.turn(t.fit, covariance)
}

package solve

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

const rowGrain = 256

// Problem is one training problem in coordinates. Its fields are read by the solvers and not changed.
type Problem struct {
	Lambda  float64
	Margin  bool         // the AUC loss; false is the squared loss
	Coord   *Coordinates // of Σ, or the identity for the squared loss
	Z       matrix       // m×Len, coordinates of the centred outputs
	Root    []float64    // m, square roots of the sample weights
	Workers int
	Mon     *parallel.Monitor

	sigma []float64 // of each column
	total float64   // ‖diag(Root)·Z‖, what residuals are relative to
}

// NewProblem centres the embedded outputs psi (m×d) by mean and takes their coordinates. weights may be nil, meaning all 1.
func NewProblem(lambda float64, margin bool, coord *Coordinates, psi matrix, mean, weights []float64, workers int, mon *parallel.Monitor) (*Problem, error) {
	m := psi.Rows
	p := &Problem{Lambda: lambda, Margin: margin, Coord: coord, Z: linalg.NewMatrix[float64](m, coord.Len()),
		Root: make([]float64, m), Workers: workers, Mon: mon, sigma: coord.sigmas()}
	// Centre a block of rows at a time, so that no second copy of psi is held.
	block := linalg.NewMatrix[float64](min(m, rowGrain), psi.Cols)
	for lo := 0; lo < m; lo += rowGrain {
		hi := min(lo+rowGrain, m)
		b := block.Slice(0, hi-lo, 0, psi.Cols)
		for i := lo; i < hi; i++ {
			row := b.Row(i - lo)
			for j, v := range psi.Row(i) {
				row[j] = v - mean[j]
			}
		}
		coord.AnalyzeTo(p.Z.Slice(lo, hi, 0, p.Z.Cols), b)
		if err := mon.Err(); err != nil {
			return nil, err
		}
	}
	for i := range m {
		p.Root[i] = 1
		if weights != nil {
			p.Root[i] = math.Sqrt(weights[i])
		}
		for _, z := range p.Z.Row(i) {
			p.total += p.Root[i] * p.Root[i] * z * z
		}
	}
	p.total = math.Sqrt(p.total)
	return p, nil
}

// rows calls f for every row, in parallel.
func (p *Problem) rows(f func(i int)) error { return p.ranges(len(p.Root), rowGrain, f) }

// ranges calls f(i) for i in [0, n), in parallel. It has no monitor: these loops are short, and progress is counted elsewhere.
func (p *Problem) ranges(n, grain int, f func(i int)) error {
	return parallel.For(n, grain, p.Workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			f(i)
		}
		return nil
	})
}

// residualTo writes R(C) to dst, given kc = K̃C, and returns its norm relative to that of R(0). dst may be c or kc.
func (p *Problem) residualTo(dst, c, kc matrix) (float64, error) {
	norms := make([]float64, len(p.Root))
	err := p.rows(func(i int) {
		z, ci, fi, out := p.Z.Row(i), c.Row(i), kc.Row(i), dst.Row(i)
		scale := p.Root[i]
		if p.Margin {
			scale -= dot(z, fi)
		}
		var s float64
		for j, zj := range z {
			r := scale*zj - 2*p.Lambda*ci[j] - p.sigma[j]*fi[j]
			out[j] = r
			s += r * r
		}
		norms[i] = s
	})
	return p.relative(norms), err
}

// relative returns the root of the sum of squares over the norm of the right-hand side (0 for 0/0).
func (p *Problem) relative(squares []float64) float64 {
	s := math.Sqrt(sum(squares))
	if s == 0 {
		return 0
	}
	return s / p.total
}

// objective returns the value of the training objective, given kc = K̃C.
func (p *Problem) objective(c, kc matrix) (float64, error) {
	terms := make([]float64, len(p.Root))
	err := p.rows(func(i int) {
		terms[i] = p.Lambda*dot(c.Row(i), kc.Row(i)) + p.loss(i, kc.Row(i))
	})
	return sum(terms), err
}

// loss returns the weighted loss of row i, given its scores times √w.
func (p *Problem) loss(i int, f []float64) float64 {
	z, w := p.Z.Row(i), p.Root[i]
	var v float64
	if p.Margin {
		for j, fj := range f {
			v += p.sigma[j] * fj * fj
		}
		r := w - dot(z, f)
		return (v + r*r - w*w) / 2
	}
	for j, fj := range f {
		r := fj - w*z[j]
		v += r * r
	}
	return v / 2
}

// hessianTo writes 2λd + σK̃d + rowsum(Z ∘ K̃d)·Z to dst, given kd = K̃d.
func (p *Problem) hessianTo(dst, d, kd matrix) error {
	return p.rows(func(i int) {
		z, di, fi, out := p.Z.Row(i), d.Row(i), kd.Row(i), dst.Row(i)
		var s float64
		if p.Margin {
			s = dot(z, fi)
		}
		for j, zj := range z {
			out[j] = 2*p.Lambda*di[j] + p.sigma[j]*fi[j] + s*zj
		}
	})
}

// inner returns the inner product of two blocks, summed in row order.
func (p *Problem) inner(x, y matrix) (float64, error) {
	terms := make([]float64, len(p.Root))
	err := p.rows(func(i int) { terms[i] = dot(x.Row(i), y.Row(i)) })
	return sum(terms), err
}

// scaleRowsTo writes diag(v)·Z to dst.
func (p *Problem) scaleRowsTo(dst matrix, v []float64) error {
	return p.rows(func(i int) {
		out := dst.Row(i)
		for j, z := range p.Z.Row(i) {
			out[j] = v[i] * z
		}
	})
}

// largestRow returns the largest norm of a row of Z.
func (p *Problem) largestRow() float64 {
	var top float64
	for i := range p.Root {
		top = max(top, dot(p.Z.Row(i), p.Z.Row(i)))
	}
	return math.Sqrt(top)
}

// rowDotsTo writes rowsum(Z ∘ v) to dst.
func (p *Problem) rowDotsTo(dst []float64, v matrix) error {
	return p.rows(func(i int) { dst[i] = dot(p.Z.Row(i), v.Row(i)) })
}

func (p *Problem) newBlock() matrix { return linalg.NewMatrix[float64](len(p.Root), p.Coord.Len()) }

func dot(x, y []float64) float64 {
	var s float64
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func sum(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}

package solve

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// RowGrain is the number of rows that are worked on together.
const RowGrain = 256

// Problem is one training problem in coordinates. Its fields are read by the solvers and not changed.
type Problem struct {
	Lambda      float64
	Margin      bool         // the AUC loss; false is the squared loss
	Coord       *Coordinates // of Σ, or the identity for the squared loss
	Z           matrix       // coordinates of the centred outputs, one row each (see Sets for what they are divided by)
	Root        []float64    // m, square roots of the weights
	Workers     int
	Mon         *parallel.Monitor
	Sets        Sets      // of rows of Z: the outputs of each example
	Sigma       []float64 // of each column
	InitialNorm float64   // ‖R(0)‖, what residuals are relative to

	fixed  float64   // part of the objective that coefficients do not change
	spread []float64 // of it, that of each row; nil where there is none
}

// Targets are the outputs to learn.
type Targets struct {
	Psi     matrix    // embedded outputs, one row each
	Mean    []float64 // of ψ under the uniform distribution
	Weights []float64 // of the examples; nil means all 1
	// First gives example i the outputs First[i] to First[i+1] of Psi, each of them as correct as the others; nil means one
	// output for each example.
	First []int
	Share float64 // 2 over the number of members of the space; only read where First is given
}

// NewProblem centres the embedded outputs and takes their coordinates. Under the squared loss a set of outputs is replaced by its
// mean, with the weight of all of them: the rest is constant.
func NewProblem(lambda float64, margin bool, coord *Coordinates, t Targets, workers int, mon *parallel.Monitor) (*Problem, error) {
	p := &Problem{Lambda: lambda, Margin: margin, Coord: coord, Z: linalg.NewMatrix[float64](t.Psi.Rows, coord.Len()),
		Workers: workers, Mon: mon, Sets: Sets{first: t.First, share: t.Share}, Sigma: coord.Sigmas()}
	// Centre a block of rows at a time, so that no second copy of psi is held.
	block := linalg.NewMatrix[float64](min(t.Psi.Rows, RowGrain), t.Psi.Cols)
	for lo := 0; lo < t.Psi.Rows; lo += RowGrain {
		hi := min(lo+RowGrain, t.Psi.Rows)
		b := block.Slice(0, hi-lo, 0, t.Psi.Cols)
		for i := lo; i < hi; i++ {
			row := b.Row(i - lo)
			for j, v := range t.Psi.Row(i) {
				row[j] = v - t.Mean[j]
			}
		}
		coord.AnalyzeTo(p.Z.Slice(lo, hi, 0, p.Z.Cols), b)
		if err := mon.Err(); err != nil {
			return nil, err
		}
	}
	p.Root = make([]float64, p.Sets.examples(p.Z.Rows))
	for i := range p.Root {
		w := 1.0
		if t.Weights != nil {
			w = t.Weights[i]
		}
		p.Root[i] = math.Sqrt(w * p.Sets.size(i))
	}
	if p.Sets.first != nil {
		p.Sets.divide(p.Z)
		if !margin {
			p.replaceByMeans()
		}
	}
	start, zero := make([]float64, p.Z.Cols), make([]float64, p.Z.Cols)
	for i := range p.Root {
		clear(start)
		p.pull(start, zero, i)
		p.InitialNorm += linalg.Dot(start, start)
	}
	p.InitialNorm = math.Sqrt(p.InitialNorm)
	return p, nil
}

// replaceByMeans replaces each set of outputs by its mean.
func (p *Problem) replaceByMeans() {
	means := p.Sets.means(p.Z)
	p.spread = make([]float64, len(p.Root))
	for i, root := range p.Root {
		// Σ_y ½‖f − z_y‖² = n/2 ‖f − z̄‖² + ½(Σ_y ‖z_y‖² − n‖z̄‖²), with rows of Z divided by √n and root² = wn.
		spread := -linalg.Dot(means.Row(i), means.Row(i))
		lo, hi := p.Sets.Rows(i)
		for a := lo; a < hi; a++ {
			spread += linalg.Dot(p.Z.Row(a), p.Z.Row(a))
		}
		p.spread[i] = root * root * spread / 2
		p.fixed += p.spread[i]
	}
	p.Z, p.Sets = means, Sets{}
}

// EachRow calls f for every row, in parallel.
func (p *Problem) EachRow(f func(i int)) error { return p.Each(len(p.Root), RowGrain, f) }

// Each calls f(i) for i in [0, n), in parallel, until it is cancelled. Progress is counted elsewhere, so that the loop has no monitor.
func (p *Problem) Each(n, grain int, f func(i int)) error {
	return parallel.For(n, grain, p.Workers, nil, func(lo, hi int) error {
		if err := p.Mon.Err(); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			f(i)
		}
		return nil
	})
}

// Tiles calls f(i, j0, j1) for the columns j0 to j1 of row i until all of rows lo to hi of the lower triangle is covered, in square
// tiles, so that walking a triangle down its columns stays in cache.
func (p *Problem) Tiles(lo, hi int, f func(i, j0, j1 int)) error {
	const tile = 64
	return p.Each((hi-1)/tile+1, 1, func(t int) {
		for i0 := max(lo, t*tile) / tile * tile; i0 < hi; i0 += tile {
			for i := max(i0, lo, t*tile); i < min(i0+tile, hi); i++ {
				f(i, t*tile, min((t+1)*tile, i+1))
			}
		}
	})
}

// ResidualTo writes R(C) to dst, given kc = K̃C, and returns its norm relative to that of R(0). dst may be c or kc.
func (p *Problem) ResidualTo(dst, c, kc matrix) (float64, error) {
	norms := make([]float64, len(p.Root))
	err := p.Each((len(p.Root)-1)/RowGrain+1, 1, func(t int) {
		pulled := make([]float64, p.Z.Cols)
		for i := t * RowGrain; i < min((t+1)*RowGrain, len(p.Root)); i++ {
			ci, fi, out := c.Row(i), kc.Row(i), dst.Row(i)
			clear(pulled)
			p.pull(pulled, fi, i)
			var s float64
			for j, v := range pulled {
				r := v - 2*p.Lambda*ci[j] - p.Sigma[j]*fi[j]
				out[j] = r
				s += r * r
			}
			norms[i] = s
		}
	})
	return p.Relative(norms), err
}

// Relative returns the root of the sum of squares over the norm of the right-hand side (0 for 0/0).
func (p *Problem) Relative(squares []float64) float64 {
	s := math.Sqrt(linalg.Sum(squares))
	if s == 0 {
		return 0
	}
	return s / p.InitialNorm
}

// Objective returns the value of the training objective, given kc = K̃C.
func (p *Problem) Objective(c, kc matrix) (float64, error) {
	terms := make([]float64, len(p.Root))
	err := p.EachRow(func(i int) {
		terms[i] = p.Lambda*linalg.Dot(c.Row(i), kc.Row(i)) + p.loss(i, kc.Row(i))
	})
	return p.fixed + linalg.Sum(terms), err
}

// HessianTo writes 2λd + σK̃d + the second derivative of the margin terms to dst, given kd = K̃d.
func (p *Problem) HessianTo(dst, d, kd matrix) error {
	return p.EachRow(func(i int) {
		di, fi, out := d.Row(i), kd.Row(i), dst.Row(i)
		for j := range out {
			out[j] = -2*p.Lambda*di[j] - p.Sigma[j]*fi[j]
		}
		if p.Margin {
			p.Sets.pull(p.Z, out, fi, i, 0)
		}
		for j := range out {
			out[j] = -out[j]
		}
	})
}

// Inner returns the inner product of two blocks, summed in row order.
func (p *Problem) Inner(x, y matrix) (float64, error) {
	terms := make([]float64, len(p.Root))
	err := p.EachRow(func(i int) { terms[i] = linalg.Dot(x.Row(i), y.Row(i)) })
	return linalg.Sum(terms), err
}

// CombineTo writes the sum of each example's rows of Z, times v, to dst: diag(v)·Z where it has one row.
func (p *Problem) CombineTo(dst matrix, v []float64) error {
	return p.EachRow(func(i int) {
		out := dst.Row(i)
		clear(out)
		lo, hi := p.Sets.Rows(i)
		for a := lo; a < hi; a++ {
			linalg.Axpy(out, p.Z.Row(a), v[a])
		}
	})
}

// DotsTo writes the inner product of each row of Z with its example's row of v to dst: rowsum(Z ∘ v) where examples have one row.
func (p *Problem) DotsTo(dst []float64, v matrix) error {
	return p.EachRow(func(i int) {
		lo, hi := p.Sets.Rows(i)
		for a := lo; a < hi; a++ {
			dst[a] = linalg.Dot(p.Z.Row(a), v.Row(i))
		}
	})
}

// LargestRow returns the largest norm of an example's rows of Z.
func (p *Problem) LargestRow() float64 {
	var top float64
	for i := range p.Root {
		var s float64
		lo, hi := p.Sets.Rows(i)
		for a := lo; a < hi; a++ {
			s += linalg.Dot(p.Z.Row(a), p.Z.Row(a))
		}
		top = max(top, s)
	}
	return math.Sqrt(top)
}

func (p *Problem) NewBlock() matrix { return linalg.NewMatrix[float64](len(p.Root), p.Coord.Len()) }

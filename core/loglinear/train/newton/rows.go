package newton

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// job is what a pass over the rows does for one column: scores = X·in, unless in is nil, and out = Xᵀ·residual, or out =
// Xᵀ·(variance∘scores) where residual is nil, unless out is. X has the constant feature.
type job struct {
	in, scores         []float64
	variance, residual []float64
	out                []float64
}

// factor returns what row i is multiplied by in out, after its score is known.
func (j *job) factor(i int, score float64) float64 {
	switch {
	case j.residual != nil:
		return j.residual[i]
	case j.variance != nil:
		return j.variance[i] * score
	}
	return 0
}

// pass is a pass over the rows for several jobs at once.
type pass interface {
	clear()
	add(j job)
	run(mon *parallel.Monitor) error
}

// rows are those of a problem that count.
type rows interface {
	// independent says that what a pass finds for a column does not depend on the others.
	independent() bool
	// pass returns one for up to so many columns.
	pass(width int) pass
}

// sparseShare is the share of numbers that are not zero up to which dense features are treated as sparse ones, from a copy of them.
const sparseShare = 1.0 / 8

func newRows(p *loglinear.Problem) rows {
	n, x := p.Len(), p.X.Dense
	if p.X.Sparse != nil {
		return sparseRows{p.X, p.X.Sparse, n, p.Row}
	}
	if x := sparseCopy(p); x != nil {
		return sparseRows{p.X, x, n, func(i int) int { return i }}
	}
	if n < p.X.Len() { // products take rows that lie together
		x = linalg.NewMatrix[float64](n, p.X.Features())
		for i := range n {
			copy(x.Row(i), p.X.Dense.Row(p.Row(i)))
		}
	}
	return denseRows{p.X, x}
}

// sparseCopy returns the dense features of the rows that count, or nil where more than a share of them is not zero.
func sparseCopy(p *loglinear.Problem) *solve.Sparse {
	n, stored := p.Len(), 0
	most := int(sparseShare * float64(n) * float64(p.X.Features()))
	for i := range n {
		for _, v := range p.X.Dense.Row(p.Row(i)) {
			if v != 0 {
				stored++
			}
		}
		if stored > most {
			return nil
		}
	}
	x := &solve.Sparse{Rows: n, Cols: p.X.Features(), Data: make([]float64, 0, stored), Indices: make([]int32, 0, stored),
		Indptr: make([]int64, 1, n+1)}
	for i := range n {
		for k, v := range p.X.Dense.Row(p.Row(i)) {
			if v != 0 {
				x.Data, x.Indices = append(x.Data, v), append(x.Indices, int32(k))
			}
		}
		x.Indptr = append(x.Indptr, int64(len(x.Data)))
	}
	return x
}

// blockNumbers bounds the rows of dense features that are read twice in turn, for a product with them and with their transpose: half a
// megabyte, which stays in the cache of a processor.
const blockNumbers = 1 << 16

type denseRows struct {
	design *solve.Design
	x      matrix // the rows that count, without the constant feature
}

func (denseRows) independent() bool { return false }

func (r denseRows) pass(width int) pass {
	p := r.x.Cols
	block := max(1, min(r.x.Rows, max(64, blockNumbers/max(p, 1))))
	return &densePass{rows: r, in: linalg.NewMatrix[float64](width, p), out: linalg.NewMatrix[float64](width, p),
		scores: linalg.NewMatrix[float64](width, block), block: block}
}

type densePass struct {
	rows   denseRows
	jobs   []job
	block  int
	in     matrix // of the columns that have one, side by side
	out    matrix
	scores matrix // of a block of rows; then their factors
}

func (p *densePass) clear()    { p.jobs = p.jobs[:0] }
func (p *densePass) add(j job) { p.jobs = append(p.jobs, j) }

func (p *densePass) run(mon *parallel.Monitor) error {
	x, k := p.rows.x, len(p.jobs)
	var scored, summed []*job
	for at := range p.jobs {
		j := &p.jobs[at]
		if j.in != nil {
			copy(p.in.Row(len(scored)), j.in[:x.Cols])
			scored = append(scored, j)
		}
		if j.out != nil {
			summed = append(summed, j)
			clear(j.out)
		}
	}
	out := p.out.Slice(0, len(summed), 0, x.Cols)
	for lo := 0; lo < x.Rows && k > 0; lo += p.block {
		if err := mon.Err(); err != nil {
			return err
		}
		hi := min(lo+p.block, x.Rows)
		some := x.Slice(lo, hi, 0, x.Cols)
		scores := p.scores.Slice(0, len(scored), 0, hi-lo)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, p.in.Slice(0, len(scored), 0, x.Cols), some, 0, scores)
		for at, j := range scored {
			to := j.scores[lo:hi]
			copy(to, scores.Row(at))
			if p.rows.design.Intercept {
				constant := j.in[x.Cols]
				for i := range to {
					to[i] += constant
				}
			}
		}
		if len(summed) == 0 {
			continue
		}
		factors := p.scores.Slice(0, len(summed), 0, hi-lo)
		for at, j := range summed {
			to := factors.Row(at)
			if j.residual != nil {
				copy(to, j.residual[lo:hi])
			} else {
				variance, score := j.variance[lo:hi], j.scores[lo:hi]
				for i := range to {
					to[i] = variance[i] * score[i]
				}
			}
			if p.rows.design.Intercept {
				j.out[x.Cols] += linalg.Sum(to)
			}
		}
		beta := 1.0
		if lo == 0 {
			beta = 0
			out.Zero()
		}
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, factors, some, beta, out)
	}
	for at, j := range summed {
		copy(j.out[:x.Cols], out.Row(at))
	}
	return nil
}

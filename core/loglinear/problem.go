package loglinear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// Problem holds rows of features and the embedded outputs observed for them. Rows of weight 0 are left out: those that count are numbered
// from 0 without them.
type Problem struct {
	X       *solve.Design
	Psi     matrix    // n×d: ψ of the observed outputs, or means of several
	Weights []float64 // nil: all 1
	Mean    []float64 // of ψ under the uniform distribution, d
	Workers int       // for products with sparse features
	Work    Workplace // of products with dense ones
	// Seen knows the distributions on what was seen, of which Psi has means then. nil: every row has one output, or counts as one with the
	// mean.
	Seen Seen
	// Uneven says that the outputs of rows are of different spaces, so that Mean is not that of all of them.
	Uneven bool

	weighted []int  // the rows of positive weight; nil: all
	scratch  matrix // gathered or scaled rows of dense features
}

// Prepare checks a problem, but for the entries of X and Psi, and finds out which rows count. It comes before all else.
func (p *Problem) Prepare() error {
	n, d := p.X.Len(), p.Psi.Cols
	switch {
	case p.Psi.Rows != n:
		return fault.Value("psi has %d rows, must have %d", p.Psi.Rows, n)
	case p.Weights != nil && len(p.Weights) != n:
		return fault.Value("weights has %d entries, must have %d", len(p.Weights), n)
	case len(p.Mean) != d:
		return fault.Value("the mean has %d entries, must have %d", len(p.Mean), d)
	}
	if err := p.X.Check(); err != nil {
		return err
	}
	p.weighted = nil
	for i, w := range p.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fault.At(i, fault.Value("the weight is %v, must be finite and at least 0", w))
		}
		switch {
		case w > 0 && p.weighted != nil:
			p.weighted = append(p.weighted, i)
		case w == 0 && p.weighted == nil:
			p.weighted = make([]int, i, n)
			for k := range i {
				p.weighted[k] = k
			}
		}
	}
	return nil
}

// longest bounds the squares of a row: sums over rows, and products with weights, stay finite below it.
const longest = 1e280

// Check returns an error about the first row of X or Psi that holds what is infinite or NaN, among those that count, or
// whose squares overflow in sums.
func (p *Problem) Check() error {
	for i := range p.Len() {
		at, finite, squares := p.Row(i), true, 0.0
		p.X.Entries(at, func(_ int, v float64) {
			finite = finite && !math.IsInf(v, 0) && !math.IsNaN(v)
			squares += v * v
		})
		switch {
		case !finite:
			return fault.At(at, errFeatures)
		case squares > longest:
			return fault.At(at, errLong)
		case !linalg.Finite(p.Psi.Row(at)):
			return fault.At(at, errPsi)
		}
	}
	return nil
}

// Len returns the number of rows that count.
func (p *Problem) Len() int {
	if p.weighted != nil {
		return len(p.weighted)
	}
	return p.X.Len()
}

// Row returns the number among all rows of one that counts.
func (p *Problem) Row(i int) int {
	if p.weighted != nil {
		return p.weighted[i]
	}
	return i
}

// Weight returns the weight of a row that counts.
func (p *Problem) Weight(i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[p.Row(i)]
}

// Rows are some of those that count: consecutive ones or, with numbers, those.
type Rows struct {
	lo, hi  int
	numbers []int64
}

// Between returns the rows from lo up to hi.
func Between(lo, hi int) Rows { return Rows{lo: lo, hi: hi} }

// Numbered returns the rows of these numbers.
func Numbered(numbers []int64) Rows { return Rows{numbers: numbers} }

// Len returns how many there are.
func (r Rows) Len() int {
	if r.numbers != nil {
		return len(r.numbers)
	}
	return r.hi - r.lo
}

// At returns the number of one of them.
func (r Rows) At(k int) int {
	if r.numbers != nil {
		return int(r.numbers[k])
	}
	return r.lo + k
}

// dense returns the features of rows but for the constant one: a view where they lie together, else in memory that is reused.
func (p *Problem) dense(r Rows) matrix {
	if r.numbers == nil && p.weighted == nil {
		return p.X.Dense.Slice(r.lo, r.hi, 0, p.X.Features())
	}
	to := p.buffer(r.Len())
	for k := range to.Rows {
		copy(to.Row(k), p.X.Dense.Row(p.Row(r.At(k))))
	}
	return to
}

// buffer returns a matrix of as many rows of features.
func (p *Problem) buffer(n int) matrix {
	if len(p.scratch.Data) < n*p.X.Features() {
		p.scratch = linalg.NewMatrix[float64](n, p.X.Features())
	}
	return linalg.Shaped(p.scratch.Data[:n*p.X.Features()], n, p.X.Features())
}

// ScoresTo writes the scores Wᵀφ of rows to dst.
func (p *Problem) ScoresTo(dst matrix, r Rows, w matrix) error {
	if p.X.Sparse != nil {
		return p.sparseScoresTo(dst, r, w)
	}
	return p.Work.do(r.Len()*w.Rows*w.Cols, func() { p.X.ScoresTo(dst, p.dense(r), w) })
}

// AddGradient adds Σ φ rᵀ over rows with the gradients r by their scores to dst.
func (p *Problem) AddGradient(dst matrix, r Rows, residual matrix) error {
	if p.X.Sparse != nil {
		return p.addSparseGradient(dst, r, residual)
	}
	return p.Work.do(r.Len()*dst.Rows*dst.Cols, func() { p.X.AddProducts(dst, p.dense(r), residual) })
}

// addMoment adds Σ s φφᵀ over rows with factors s to dst, q×q, or the diagonal of that to dst, 1×q.
func (p *Problem) addMoment(dst matrix, r Rows, factors []float64) error {
	switch {
	case dst.Rows == 1:
		for k, s := range factors {
			p.X.Entries(p.Row(r.At(k)), func(j int, v float64) { dst.Data[j] += s * v * v })
		}
	case p.X.Sparse != nil:
		for k, s := range factors {
			i := p.Row(r.At(k))
			p.X.Entries(i, func(j int, v float64) {
				to := dst.Row(j)
				p.X.Entries(i, func(l int, u float64) { to[l] += s * v * u })
			})
		}
	default:
		return p.Work.do(r.Len()*dst.Rows*dst.Rows, func() { p.addDenseMoment(dst, r, factors) })
	}
	return nil
}

func (p *Problem) addDenseMoment(dst matrix, r Rows, factors []float64) {
	n := p.X.Features()
	scaled := p.buffer(r.Len())
	for k, s := range factors {
		root := math.Sqrt(s)
		linalg.ScaleTo(scaled.Row(k), root, p.X.Dense.Row(p.Row(r.At(k))))
	}
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, scaled, scaled, 1, dst.Slice(0, n, 0, n))
	if !p.X.Intercept {
		return
	}
	last := dst.Row(n)
	for k, s := range factors {
		linalg.Axpy(last[:n], scaled.Row(k), math.Sqrt(s))
		last[n] += s
	}
	for j := range n {
		dst.Row(j)[n] = last[j]
	}
}

const (
	sparseRows    = 64 // rows that a worker takes at a time
	sparseOutputs = 16 // columns of a gradient that it takes
)

// sparseScoresTo is scoresTo of sparse features.
func (p *Problem) sparseScoresTo(dst matrix, r Rows, w matrix) error {
	return parallel.For(r.Len(), sparseRows, p.Workers, nil, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			to := dst.Row(k)
			clear(to)
			p.X.Entries(p.Row(r.At(k)), func(j int, v float64) { linalg.Axpy(to, w.Row(j), v) })
		}
		return nil
	})
}

// addSparseGradient is addGradient of sparse features. Workers share the columns, so that sums have one order.
func (p *Problem) addSparseGradient(dst matrix, r Rows, residual matrix) error {
	return parallel.For(dst.Cols, sparseOutputs, p.Workers, nil, func(lo, hi int) error {
		for k := range r.Len() {
			from := residual.Row(k)[lo:hi]
			p.X.Entries(p.Row(r.At(k)), func(j int, v float64) { linalg.Axpy(dst.Row(j)[lo:hi], from, v) })
		}
		return nil
	})
}

// Errors of rows without weight, and of weights to start from.
var (
	ErrNoWeight = fault.Value("the weight of a row must be positive, at least of one")
	errFeatures = fault.Value("the features are infinite or NaN")
	errLong     = fault.Value("the squares of the features in X overflow; scale the inputs")
	errPsi      = fault.Value("the embedded output is infinite or NaN")
	ErrStart    = fault.Value("the start has entries that are infinite or NaN")
)

// MeanOutputs returns the mean embedded outputs of rows whose outputs First[i] to First[i+1] of psi are equally good, and their weights:
// a set of k outputs is as k rows with one of them each.
func MeanOutputs(psi matrix, first []int, weights []float64) (matrix, []float64) {
	means, total := linalg.NewMatrix[float64](len(first)-1, psi.Cols), make([]float64, len(first)-1)
	for i := range total {
		for a := first[i]; a < first[i+1]; a++ {
			linalg.Axpy(means.Row(i), psi.Row(a), 1)
		}
		many := float64(first[i+1] - first[i])
		floats.Scale(1/many, means.Row(i))
		if total[i] = many; weights != nil {
			total[i] *= weights[i]
		}
	}
	return means, total
}

// seen answers a request for the outputs that agree with what was seen of rows, in place of all. Psi and the scores tell without Seen.
func (p *Problem) seen(r RowsRequest, mon *parallel.Monitor) error {
	numbers := make([]int64, r.Rows.Len())
	for k := range numbers {
		numbers[k] = int64(p.Row(r.Rows.At(k)))
	}
	r.Rows = Numbered(numbers)
	err := p.Seen.Answer(r, mon.Quiet())
	return fault.Renumbered(err, func(row int) int { return int(numbers[row]) })
}

// Residuals replaces the means of a request, those of Pair too, by factor·w_i times what they differ from what was seen, the gradient by
// the scores.
func (p *Problem) Residuals(r RowsRequest, factor float64, mon *parallel.Monitor) error {
	n, seen := r.Rows.Len(), matrix{}
	if p.Seen != nil {
		seen = linalg.NewMatrix[float64](r.Means.Rows, r.Means.Cols)
		ask := r
		ask.Means, ask.LogZ = seen, make([]float64, n)
		if err := p.seen(ask, mon); err != nil {
			return err
		}
	}
	for k := range r.Means.Rows {
		i := r.Rows.At(k % n)
		w, mean, psi := factor*p.Weight(i), r.Means.Row(k), p.Psi.Row(p.Row(i))
		if p.Seen != nil {
			psi = seen.Row(k)
		}
		for j, v := range psi {
			mean[j] = w * (mean[j] - v)
		}
		if !linalg.Finite(mean) {
			return fault.At(p.Row(i), ErrUnanswered)
		}
	}
	return nil
}

// Package newton trains log-linear models of outputs whose entries of ψ take their values whatever the others are (FreeValues of
// structure.Facts): sets of labels of any size, tournaments; of classes (Exclusive ones); and of outputs that are few enough to be listed,
// such as the nodes of a tree, which are classes that share weights. The objective
//
//	α‖W‖² + Σ_i w_i [ln Z(x_i) − ⟨Wᵀφ_i, ψ_i⟩]
//
// then falls into one of each column of W, which are minimised separately by Newton's method: a step is the solution of H s = −g by
// conjugate gradients to the accuracy that is worth while where the search has got to (Dembo, Eisenstat and Steihaug 1982), shortened until
// the objective falls. As scores are linear along a step, that takes no product with the features.
//
// All work but that of single rows and features is products with the features. Columns go through them side by side, each with a
// solver and at a step of its own: a pass reads the rows once for all of them, and a column that has ended makes room for the next one. The
// columns of classes are minimised together, in the same way, with two passes for each product, and so are those of listed outputs.
package newton

import (
	"math"
	"runtime"
	"sync"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// Options are those of a search. Sizes, Alpha, Tol and MaxIter, of steps for each column, mean what they mean there.
type Options = loglinear.SearchOptions

// columnsTogether is how many columns of dense features' weights are treated side by side: as many for any number of workers, as what
// BLAS rounds depends on it.
const columnsTogether = 16

var errObjective = fault.Numerical("the objective, or its gradient, is not finite: scale the inputs down")

var errUneven = fault.Capability("solver='newton' takes one whole output of the whole space a row, or sets of labels of which some are " +
	"unknown: take solver='auto'")

// Able reports whether Minimise takes a space.
func Able(space structure.Space) bool {
	facts := space.Facts()
	return facts.Exclusive || facts.FreeValues != nil || fewOutputs(space)
}

// Suits reports whether Minimise is expected to be no slower than a search by gradients whose sums cost so many operations a row. Listed
// outputs whose ψ has many entries are many, so that each step diagonalises a large covariance: on 200 grades, of 25 times the operations,
// .7 to 1.0 times as long was measured, on 400, of 50 times, 1.2.
func Suits(space structure.Space, operations float64) bool {
	facts := space.Facts()
	if facts.Exclusive || facts.FreeValues != nil {
		return true
	}
	return fewOutputs(space) && float64(len(listOf(space).psi.Data)) <= 25*operations
}

// distributionOf returns that of every entry of ψ, and the list of the outputs where that is what a space is trained by.
func distributionOf(space structure.Space) (distribution, *outputs, error) {
	facts, d := space.Facts(), space.FeatureLen()
	switch {
	case facts.Exclusive:
		return classDistribution(d, d), nil, nil
	case facts.FreeValues != nil:
		var taken []float64
		for _, v := range facts.FreeValues {
			taken = append(taken, float64(v))
		}
		return newDistribution(taken), nil, nil
	case fewOutputs(space):
		list := listOf(space)
		return classDistribution(list.psi.Rows, d), list, nil
	}
	return distribution{}, nil, &structure.CapabilityError{Structure: structure.Describe(space),
		Need: "entries of ψ that do not depend on each other, or no more outputs than entries, for solver='newton'"}
}

// fit is what the columns have in common.
type fit struct {
	o         Options
	problem   *loglinear.Problem
	dist      distribution
	rows      rows
	weights   []float64 // of the rows that count; nil: all 1
	total     float64   // their sum
	metric    *metric
	list      *outputs   // nil unless outputs are listed
	kronecker *kronecker // likewise
	slopes    matrix     // d×q, gradients at zero
	first     float64    // the largest entry of them, preconditioned
	limit     float64    // what it is to be reduced to
	found     matrix     // q×d
	mon       *parallel.Monitor
	mu        sync.Mutex
	sum       float64 // guarded by mu: of the objectives of the columns where they have got to
}

// column is what one has ended with.
type column struct {
	objective, largest float64
	steps              int
}

// Minimise fits a model to the rows of a problem. Start, unless it has no rows, are weights (q×d) to begin with; columns that are better
// off at zero begin there. Cost: a product with the features and their transpose for each step, and each of its conjugate gradients.
func Minimise(o Options, p *loglinear.Problem, space structure.Space, start matrix, mon *parallel.Monitor) (loglinear.Found, error) {
	if err := o.Check(); err != nil {
		return loglinear.Found{}, err
	}
	dist, list, err := distributionOf(space)
	q, d := o.Features, o.Outputs
	switch {
	case err != nil:
		return loglinear.Found{}, err
	case p.X.Columns() != q || p.Psi.Cols != d || space.FeatureLen() != d:
		return loglinear.Found{}, fault.Value("the rows have %d features and %d outputs, must have %d and %d", p.X.Columns(),
			p.Psi.Cols, q, d)
	case start.Rows != 0 && (start.Rows != q || start.Cols != d):
		return loglinear.Found{}, fault.Value("the start is %d×%d, must be %d×%d", start.Rows, start.Cols, q, d)
	case p.Len() == 0:
		return loglinear.Found{}, loglinear.ErrNoWeight
	case p.Uneven || p.Seen != nil && (p.Seen.Sets() || space.Facts().FreeValues == nil):
		return loglinear.Found{}, errUneven
	}
	f := &fit{o: o, problem: p, dist: dist, list: list, found: linalg.NewMatrix[float64](q, d), slopes: linalg.NewMatrix[float64](d, q),
		mon: mon}
	f.rows = newRows(p)
	f.setWeights()
	if err := fault.First(f.setMetric(), f.setZero()); err != nil {
		return loglinear.Found{}, err
	}
	if list != nil || space.Facts().Exclusive {
		t, err := newJoint(f)
		if err == nil {
			err = t.run(start)
		}
		if err != nil {
			return loglinear.Found{}, err
		}
		return f.end([]column{t.column}), nil
	}
	columns := make([]column, d)
	if err := f.each(d, func(q *queue) error { return f.run(q, start, columns) }); err != nil {
		return loglinear.Found{}, err
	}
	return f.end(columns), nil
}

// end returns what is found, given what columns, or all of them together, have ended with.
func (f *fit) end(columns []column) loglinear.Found {
	out := loglinear.Found{Weights: f.found}
	for _, c := range columns {
		out.Objective += c.objective
		out.Residual = max(out.Residual, c.largest)
		out.Iterations = max(out.Iterations, c.steps)
	}
	if f.first > 0 {
		out.Residual /= f.first
	}
	return out
}

// setWeights keeps the weights of the rows that count.
func (f *fit) setWeights() {
	n := f.problem.Len()
	f.total = float64(n)
	if f.problem.Weights == nil {
		return
	}
	f.weights, f.total = make([]float64, n), 0
	for i := range f.weights {
		f.weights[i] = f.problem.Weight(i)
		f.total += f.weights[i]
	}
}

// weightsOf returns the weights of rows for one column, and their sum: rows of which the entry of ψ is not known have none there.
func (f *fit) weightsOf(j int) ([]float64, float64) {
	if f.problem.Seen == nil {
		return f.weights, f.total
	}
	weights, total := make([]float64, f.problem.Len()), 0.0
	for i := range weights {
		if !f.problem.Seen.Open(f.problem.Row(i), j) {
			weights[i] = weightOf(f.weights, i)
		}
		total += weights[i]
	}
	return weights, total
}

// setMetric finds what gradients are judged by.
func (f *fit) setMetric() error {
	moment, err := f.moment()
	switch {
	case err != nil:
		return err
	case f.list != nil:
		f.kronecker, err = newKronecker(f, moment)
	default:
		f.metric, err = newMetric(f, moment)
	}
	return err
}

// setZero finds the gradients at zero and the largest entry of them, preconditioned, which says what is to be reached.
func (f *fit) setZero() error {
	n, d := f.problem.Len(), f.o.Outputs
	mean := make([]float64, d)
	for j := range mean {
		mean[j] = f.dist.mean
	}
	if f.list != nil {
		mean = f.list.mean()
	}
	err := f.each(d, func(all *queue) error {
		p := f.rows.pass(all.width)
		buffer := linalg.NewMatrix[float64](all.width, n)
		for {
			p.clear()
			many := 0
			for ; many < all.width; many++ {
				j, ok := all.next()
				if !ok {
					break
				}
				residual := buffer.Row(many)
				weights, _ := f.weightsOf(j)
				for i := range residual {
					residual[i] = weightOf(weights, i) * (mean[j] - f.psiOf(i)[j])
				}
				p.add(job{residual: residual, out: f.slopes.Row(j)})
			}
			if many == 0 {
				return nil
			}
			if err := p.run(f.mon); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	for j := range d {
		_, total := f.weightsOf(j)
		f.sum += total * f.dist.logZero
	}
	if f.first, err = f.largestOf(f.slopes, linalg.NewMatrix[float64](d, f.o.Features)); err != nil {
		return err
	}
	f.limit = f.o.Tol * f.first
	f.mon.Report(f.sum)
	return nil
}

// largestOf returns the largest entry of a gradient of all columns, preconditioned by the Hessian at zero. Scratch is as large.
func (f *fit) largestOf(gradient, scratch matrix) (top float64, err error) {
	if f.kronecker != nil {
		if err := f.kronecker.uniform.PullBackTo(scratch, gradient); err != nil {
			return 0, err
		}
		for j := range scratch.Rows {
			top = max(top, largest(scratch.Row(j)))
		}
	} else {
		tops := make([]float64, gradient.Rows)
		err = parallel.For(len(tops), 1, f.problem.Workers, nil, func(j, _ int) error {
			tops[j] = f.metric.largest(gradient.Row(j), scratch.Row(j))
			return nil
		})
		top = largest(tops)
	}
	if math.IsNaN(top) || math.IsInf(top, 0) {
		return 0, errObjective
	}
	return top, err
}

// largest returns the largest size of an entry of v, NaN if there is one.
func largest(v []float64) (top float64) {
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	return top
}

// psiOf returns ψ of a row that counts.
func (f *fit) psiOf(i int) []float64 { return f.problem.Psi.Row(f.problem.Row(i)) }

func weightOf(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// moved adds to the objective and reports it.
func (f *fit) moved(by float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sum += by
	f.mon.Report(f.sum)
}

// queue hands out columns.
type queue struct {
	mu     sync.Mutex
	at, hi int
	width  int // how many are treated side by side
}

func (q *queue) next() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.at == q.hi {
		return 0, false
	}
	q.at++
	return q.at - 1, true
}

// each calls body on the workers with queues that hold d columns between them. Products with sparse features do not depend on which
// columns are side by side, so that the workers share one queue there. Others do: there, columns are cut into blocks.
func (f *fit) each(d int, body func(q *queue) error) error {
	if f.rows.independent() {
		workers := f.problem.Workers
		if workers < 1 {
			workers = runtime.GOMAXPROCS(0)
		}
		workers = min(workers, d)
		all := &queue{hi: d, width: min(widest, max(1, (d+workers-1)/workers))}
		return parallel.For(workers, 1, workers, nil, func(int, int) error { return body(all) })
	}
	return parallel.For(d, columnsTogether, f.problem.Workers, nil, func(lo, hi int) error {
		return body(&queue{at: lo, hi: hi, width: hi - lo})
	})
}

// run treats the columns of a queue, as many at once as its width.
func (f *fit) run(q *queue, start matrix, columns []column) error {
	var idle, busy []*columnSolver
	p := f.rows.pass(q.width)
	for {
		for len(busy) < q.width {
			j, ok := q.next()
			if !ok {
				break
			}
			if len(idle) == 0 {
				idle = append(idle, newColumnSolver(f))
			}
			s := idle[len(idle)-1]
			idle = idle[:len(idle)-1]
			if err := s.begin(j, start); err != nil {
				return err
			}
			busy = append(busy, s)
		}
		still := busy[:0]
		for _, s := range busy {
			if s.stage != atEnd {
				still = append(still, s)
				continue
			}
			for k, v := range s.weights {
				f.found.Row(k)[s.j] = v
			}
			columns[s.j] = s.column
			idle = append(idle, s)
			f.mon.Advance(1)
		}
		if ended := len(still) < len(busy); ended {
			busy = still
			continue // others may take their places
		}
		if len(busy) == 0 {
			return nil
		}
		p.clear()
		for _, s := range busy {
			p.add(s.job())
		}
		if err := p.run(f.mon); err != nil {
			return err
		}
		for _, s := range busy {
			if err := s.advance(); err != nil {
				return err
			}
		}
	}
}

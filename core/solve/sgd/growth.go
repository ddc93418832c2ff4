package sgd

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

const (
	expansionBatch = 128      // visits: a step's own work grows with it, and the work for the others falls
	batchWork      = 64 << 20 // visits times rows times coefficients of one output: a batch takes well under a second
	diagonalRows   = 4096     // whose values with themselves are asked for at a time
	valueBlock     = 1 << 21  // kernel values of a block of the objective
	longest        = 1e280    // of kernel values of a row with itself: sums of them over rows stay finite
	passSeed       = 0x5EED   // of the order of a pass, with its number
	tooLong        = "its kernel value with itself overflows; scale the inputs, or the kernel"
)

// Growth is a descent in passes over the rows of a problem, each of which joins the support as it is visited.
type Growth struct {
	Problem   *solve.Problem // with the weights of one visit
	Kernel    Kernel         // of First rows that are in the support alone, and those of the problem after them
	First     int
	Shift     float64 // added to kernel values
	Eta       float64 // p of the step sizes
	Seen      int     // visits before
	Curvature float64 // the largest of the rows then, and in the end of these, too
	Passes    Passes
	Support   *Support

	batch  int // visits in a batch; 0: as many as expansionBatch and batchWork say. For tests.
	counts []float64
	rows   []int64 // that are visited, each once
	done   Outcome
	quiet  int // passes in a row that gained little
}

// Run takes the steps. When it is cancelled, or fails, the outcome and Support are those of the last batch of steps that was complete. Cost
// of a pass over n rows with a support of τ: n τ kernel values, and O(n τ d); the same for the objective.
func (g *Growth) Run() (Outcome, error) {
	err := fault.First(g.prepare(), g.Problem.Mon.Err())
	if err == nil {
		err = g.begin()
	}
	for err == nil && !g.done.Converged && g.done.Passes < g.Passes.Most {
		err = g.pass()
	}
	return g.done, err
}

// prepare returns an error unless Support can be that of the data.
func (g *Growth) prepare() error {
	n, s := int64(len(g.Problem.Root)), g.Support
	g.counts = make([]float64, n)
	for t, i := range g.Passes.Order {
		if i < 0 || i >= n {
			return fault.Value("order[%d] is %d, must be from 0 to %d", t, i, n-1)
		}
		g.counts[i]++
	}
	if s.Len < 0 || s.Len > len(s.Rows) {
		return fault.Value("the support has %d rows, must have 0 to %d", s.Len, len(s.Rows))
	}
	seen := map[int64]bool{}
	for t, row := range s.Rows[:s.Len] {
		if row < 0 || row >= int64(g.First)+n || seen[row] {
			return fault.Value("row %d of the support is %d, must be from 0 to %d, each once", t, row, int64(g.First)+n-1)
		}
		seen[row] = true
	}
	need := s.Len
	for i, c := range g.counts {
		if c > 0 {
			g.rows = append(g.rows, int64(i))
			if !seen[int64(g.First+i)] {
				need++
			}
		}
	}
	if s.Most > 0 {
		if need = min(need, s.Most); s.Len > s.Most {
			return fault.Value("the support has %d rows, must have at most %d", s.Len, s.Most)
		}
	}
	if need > len(s.Rows) {
		return fault.Value("there is room for a support of %d rows, it may have %d", len(s.Rows), need)
	}
	return nil
}

// numbers returns the numbers by which the kernel knows rows of the problem.
func (g *Growth) numbers(rows []int64) []int64 {
	out := make([]int64, len(rows))
	for t, row := range rows {
		out[t] = row + int64(g.First)
	}
	return out
}

// begin finds the largest curvature of the loss of a row as a function of f, from which step sizes follow, and the objective of the
// function that is zero.
func (g *Growth) begin() error {
	zero := make([]float64, g.Problem.Coord.Len())
	for lo := 0; lo < len(g.rows); lo += diagonalRows {
		rows := g.rows[lo:min(lo+diagonalRows, len(g.rows))]
		values := make([]float64, len(rows))
		if err := fault.First(g.Kernel.DiagonalTo(values, g.numbers(rows)), g.Problem.Mon.Err()); err != nil {
			return err
		}
		for t, row := range rows {
			if !(values[t] <= longest) {
				return fault.At(int(row), fault.Value(tooLong))
			}
			g.Curvature = max(g.Curvature, g.Problem.Curvature(int(row))*(values[t]+g.Shift))
			g.done.Start += g.counts[row] * g.Problem.Loss(int(row), zero)
		}
	}
	return nil
}

// pass visits all rows, and notes the objective where it is wanted.
func (g *Growth) pass() error {
	order := g.Passes.Order
	if g.Passes.Shuffle { // by a stream of the pass
		order = append([]int64(nil), order...)
		rng := rand.New(rand.NewPCG(g.Passes.Seed, passSeed+uint64(g.done.Passes)))
		rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	}
	g.done.Loss, g.done.Weight = 0, 0
	for step := g.batchLength(); len(order) > 0; {
		rows := order[:min(step, len(order))]
		if err := fault.First(g.visit(rows), g.Problem.Mon.Err()); err != nil {
			return err
		}
		order = order[len(rows):]
	}
	if len(g.Passes.Curve) > 0 {
		value, err := g.objective()
		if err != nil {
			return err
		}
		g.Passes.Curve[g.done.Passes] = value
		g.quiet = g.Passes.quiet(&g.done, g.quiet)
	}
	g.done.Passes++
	g.done.Converged = g.quiet == patience
	g.Problem.Mon.Advance(1)
	return nil
}

func (g *Growth) batchLength() int {
	if g.batch > 0 {
		return g.batch
	}
	n, d, most := g.First+len(g.counts), g.Support.Coef.Cols, g.Support.Most
	if most == 0 {
		most = n
	}
	return min(n, max(16, min(expansionBatch, batchWork/max((most+d)*d, 1)))) // whoever is asked has room for n
}

// scored are the rows whose scores the objective takes: those that are visited, and others of the support, for the penalty.
func (g *Growth) scored() []int64 {
	out := g.numbers(g.rows)
	for _, row := range g.Support.Rows[:g.Support.Len] {
		if i := row - int64(g.First); i < 0 || g.counts[i] == 0 {
			out = append(out, row)
		}
	}
	return out
}

// objective returns the objective of the function that predicts.
func (g *Growth) objective() (value float64, err error) {
	support, p := g.Support, g.Problem
	model := support.Coef
	if support.Average.Rows > 0 {
		model = support.Average
	}
	model = model.Slice(0, support.Len, 0, model.Cols)
	slot := make(map[int64]int, support.Len)
	for j, row := range support.Rows[:support.Len] {
		slot[row] = j
	}
	constant := make([]float64, model.Cols)
	for j := range model.Rows {
		linalg.Axpy(constant, model.Row(j), g.Shift)
	}
	all, step := g.scored(), max(1, valueBlock/max(1, support.Len, model.Cols))
	for ; len(all) > 0 && err == nil; all = all[min(step, len(all)):] {
		rows := all[:min(step, len(all))]
		values, scores := linalg.NewMatrix[float64](len(rows), support.Len), linalg.NewMatrix[float64](len(rows), model.Cols)
		if err := g.Kernel.ValuesTo(values, rows, support.Rows[:support.Len]); err != nil {
			return 0, err
		}
		if err := linalg.GemmPolled(blas.NoTrans, values, model, scores, p.Mon); err != nil {
			return 0, err
		}
		f := linalg.NewMatrix[float64](len(rows), p.Coord.Len())
		for t := range rows {
			linalg.Axpy(scores.Row(t), constant, 1)
		}
		p.Coord.AnalyzeTo(f, scores)
		for t, row := range rows {
			if i := int(row) - g.First; i >= 0 && g.counts[i] > 0 {
				value += g.counts[i] * p.Loss(i, f.Row(t))
			}
			if j, in := slot[row]; in {
				value += p.Lambda * linalg.Dot(model.Row(j), scores.Row(t))
			}
		}
		err = p.Mon.Err()
	}
	return value, fault.First(err, solve.CheckFinite(value))
}

package sgd

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// Stages of a descent.
const (
	stageCurvature = iota
	stageSteps
	stageObjective
	stageDone
)

// Progress says where a descent stands: zero at the beginning. Nothing else is needed to go on.
type Progress struct {
	Outcome
	Stage     int
	At        int     // what has been done of the stage: rows, or visits
	Quiet     int     // passes in a row that gained little
	Value     float64 // that part of the objective
	Curvature float64 // the largest of those rows of which it is known
}

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
	Curvature float64 // of the rows then
	Passes    Passes
	Support   *Support
	Progress  *Progress

	batch  int // visits in a batch; 0: as many as expansionBatch and batchWork say. For tests.
	counts []float64
	rows   []int64 // that are visited, each once
	order  []int64
}

// Run takes the steps. When it is cancelled, or values are asked for, Support and Progress are those of the last batch of steps that was
// complete, and another call with the same data goes on from there. Cost of a pass over n rows with a support of τ: n τ kernel values, and
// O(n τ d); the same for the objective.
func (g *Growth) Run() error {
	if err := g.prepare(); err != nil {
		return err
	}
	s := g.Progress
	for s.Stage != stageDone {
		if err := g.Problem.Mon.Err(); err != nil {
			return err
		}
		var err error
		switch s.Stage {
		case stageCurvature:
			err = g.curvature()
		case stageSteps:
			err = g.steps()
		default:
			err = g.objective()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare returns an error unless Support and Progress can be those of the data.
func (g *Growth) prepare() error {
	n, s, at := int64(len(g.Problem.Root)), g.Support, g.Progress
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
	most := []int{len(g.rows), len(g.Passes.Order), len(g.scored()), 0}
	if at.Stage < 0 || at.Stage > stageDone || at.At < 0 || at.At > most[at.Stage] || at.Passes < 0 || at.Passes > g.Passes.Most ||
		(at.Passes == g.Passes.Most && at.Stage != stageDone) || at.Steps < 0 || at.Steps > 1<<52 || !(at.Curvature >= 0) {
		return fault.Value("the descent cannot stand there: begin with zeros, and change nothing between calls")
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

// curvature finds the largest curvature of the loss of a row as a function of f, from which step sizes follow, and the objective of the
// function that is zero.
func (g *Growth) curvature() error {
	s := g.Progress
	if s.At == 0 {
		s.Curvature = g.Curvature
	}
	if s.At < len(g.rows) {
		rows := g.rows[s.At:min(s.At+diagonalRows, len(g.rows))]
		values := make([]float64, len(rows))
		if err := g.Kernel.DiagonalTo(values, g.numbers(rows)); err != nil {
			return err
		}
		for t, row := range rows {
			if !(values[t] <= longest) {
				return fault.At(int(row), fault.Value(tooLong))
			}
			s.Curvature = max(s.Curvature, g.Problem.Curvature(int(row))*(values[t]+g.Shift))
		}
		if s.At += len(rows); s.At < len(g.rows) {
			return nil
		}
	}
	zero := make([]float64, g.Problem.Coord.Len())
	s.Start = 0
	for _, row := range g.rows {
		s.Start += g.counts[row] * g.Problem.Loss(int(row), zero)
	}
	s.Stage, s.At = stageSteps, 0
	return nil
}

// steps takes the steps of one batch of visits.
func (g *Growth) steps() error {
	s := g.Progress
	if g.order == nil || s.At == 0 {
		g.order = g.Passes.Order
		if g.Passes.Shuffle { // by a stream of the pass, so that a later call finds the same order
			g.order = append([]int64(nil), g.Passes.Order...)
			rng := rand.New(rand.NewPCG(g.Passes.Seed, passSeed+uint64(s.Passes)))
			rng.Shuffle(len(g.order), func(a, b int) { g.order[a], g.order[b] = g.order[b], g.order[a] })
		}
	}
	if s.At == 0 {
		s.Loss, s.Weight = 0, 0
	}
	if s.At < len(g.order) {
		rows := g.order[s.At:min(s.At+g.batchLength(), len(g.order))]
		if err := g.visit(rows); err != nil {
			return err
		}
		if s.At += len(rows); s.At < len(g.order) {
			return nil
		}
	}
	if s.Stage, s.At, s.Value = stageObjective, 0, 0; len(g.Passes.Curve) == 0 {
		g.finishPass(0)
	}
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

// objective adds up the objective of one block of rows at the function that predicts.
func (g *Growth) objective() error {
	s, support, p := g.Progress, g.Support, g.Problem
	model := support.Coef
	if support.Average.Rows > 0 {
		model = support.Average
	}
	model = model.Slice(0, support.Len, 0, model.Cols)
	all := g.scored()
	rows := all[s.At:min(s.At+max(1, valueBlock/max(1, support.Len, model.Cols)), len(all))]
	values, scores := linalg.NewMatrix[float64](len(rows), support.Len), linalg.NewMatrix[float64](len(rows), model.Cols)
	if err := g.Kernel.ValuesTo(values, rows, support.Rows[:support.Len]); err != nil {
		return err
	}
	if err := linalg.GemmPolled(blas.NoTrans, values, model, scores, p.Mon); err != nil {
		return err
	}
	constant := make([]float64, model.Cols)
	for j := range model.Rows {
		linalg.Axpy(constant, model.Row(j), g.Shift)
	}
	slot := make(map[int64]int, support.Len)
	for j, row := range support.Rows[:support.Len] {
		slot[row] = j
	}
	f := linalg.NewMatrix[float64](len(rows), p.Coord.Len())
	for t := range rows {
		linalg.Axpy(scores.Row(t), constant, 1)
	}
	p.Coord.AnalyzeTo(f, scores)
	for t, row := range rows {
		if i := int(row) - g.First; i >= 0 && g.counts[i] > 0 {
			s.Value += g.counts[i] * p.Loss(i, f.Row(t))
		}
		if j, in := slot[row]; in {
			s.Value += p.Lambda * linalg.Dot(model.Row(j), scores.Row(t))
		}
	}
	if s.At += len(rows); s.At < len(all) {
		return nil
	}
	if err := solve.CheckFinite(s.Value); err != nil {
		return err
	}
	g.finishPass(s.Value)
	return nil
}

// finishPass notes the objective and says whether a pass follows.
func (g *Growth) finishPass(value float64) {
	s := g.Progress
	if len(g.Passes.Curve) > 0 {
		g.Passes.Curve[s.Passes] = value
		s.Quiet = g.Passes.quiet(&s.Outcome, s.Quiet)
	}
	s.Passes++
	g.Problem.Mon.Advance(1)
	s.Stage, s.At, s.Converged = stageSteps, 0, s.Quiet == patience
	if s.Converged || s.Passes == g.Passes.Most {
		s.Stage = stageDone
	}
}

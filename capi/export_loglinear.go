package main

// #include "combpred.h"
import "C"

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/floats"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/train"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// The distributions that are no method of chains.
var exact, drawn = distribution("exact"), distribution("draws")

func distribution(name string) int {
	number, err := catalogue.Distributions.Number("distribution", name)
	if err != nil {
		panic(err)
	}
	return number
}

// loglinearCall is what calls of log-linear training have in common.
type loglinearCall struct {
	space        structure.Space
	opt          train.Options
	distribution int
	seen         bool
	conditions   *conditionsIn
	spaces       expect.Spaces // of the rows that count
	problem      *loglinear.Problem
	model        *train.Model
}

// call returns the options of training with q features.
func (in *loglinearOptionsIn) call(space structure.Space, q int) (*loglinearCall, error) {
	c := &loglinearCall{space: space}
	c.opt = train.Options{Features: q, Alpha: in.alpha, Tol: in.tol, MaxIter: in.maxIter, Seed: in.seed}
	var err error
	if c.opt.Solver, err = choice[train.Solver](catalogue.LoglinearSolvers, in.solver, "solver"); err != nil {
		return nil, err
	}
	if c.distribution, err = choice[int](catalogue.Distributions, in.distribution, "distribution"); err != nil {
		return nil, err
	}
	if c.opt.Diagonal, err = flag(in.c.kernel, "kernel"); err != nil {
		return nil, err
	}
	if c.opt.Sampled, err = flag(in.c.sampled, "sampled"); err != nil {
		return nil, err
	}
	if _, err := flag(in.c.intercept, "intercept"); err != nil {
		return nil, err
	}
	if c.seen, err = flag(in.c.seen, "seen"); err != nil {
		return nil, err
	}
	if c.conditions = in.conditions; c.conditions != nil && !c.seen {
		return nil, cabi.Illegal("conditions are for the option seen")
	}
	if q < 1 || q > maxRows {
		return nil, cabi.Illegal("q is %d, must be from 1 to %d", q, maxRows)
	}
	return c, nil
}

// outputs checks targets of n rows and returns what was seen of them.
func (c *loglinearCall) outputs(targets *targetsIn, n int) (o expect.Outputs, weights []float64, err error) {
	if err := equal("targets.d", C.int64_t(targets.d), c.space.FeatureLen()); err != nil {
		return o, nil, err
	}
	t, err := targets.targets()
	if err != nil {
		return o, nil, err
	}
	if err := cabi.Equal("targets.n", int64(targets.n), "the design", n); err != nil {
		return o, nil, err
	}
	if targets.c.parts != nil {
		if err := equal("targets.part_len", C.int64_t(targets.partLen), c.space.PartLen()); err != nil {
			return o, nil, err
		}
	}
	if t.First != nil {
		for i := range t.First[1:] {
			if t.First[i] < 0 || t.First[i+1] <= t.First[i] {
				return o, nil, cabi.Illegal("first[%d] is %d, first[%d] is %d: a set must have outputs", i, t.First[i], i+1, t.First[i+1])
			}
		}
	}
	if targets.c.parts == nil && c.conditions != nil {
		return o, nil, cabi.Illegal("targets.parts is NULL, which conditions are about")
	}
	o = expect.Outputs{Parts: targets.parts, Psi: t.Psi, First: t.First, Conditions: c.conditions != nil,
		Weights: t.Weights}
	o.Spaces, err = c.spacesOf(n, t.Weights)
	return o, t.Weights, err
}

// rows takes in the rows of training.
func (c *loglinearCall) rows(x *solve.Design, targets *targetsIn, workers int) error {
	o, weights, err := c.outputs(targets, x.Len())
	if err != nil {
		return err
	}
	mean, err := loglinear.MeanOf(c.space)
	if err != nil {
		return err
	}
	c.problem = &loglinear.Problem{X: x, Weights: weights, Mean: mean, Workers: workers}
	if err := c.take(c.problem, o, workers); err != nil {
		return err
	}
	if err := c.problem.Prepare(); err != nil {
		return err
	}
	c.spaces = o.Spaces.Counting(c.problem)
	return c.problem.Check()
}

// spacesOf returns those of the outputs of n rows with weights, nil for 1 each.
func (c *loglinearCall) spacesOf(n int, weights []float64) (expect.Spaces, error) {
	if c.conditions == nil {
		return expect.One(c.space), nil
	}
	keyed, err := c.conditions.of(n, "the number of rows")
	if err != nil {
		return expect.Spaces{}, err
	}
	list, of, err := keyed.Counting(weights).Spaces(c.space, n)
	return expect.Spaces{List: list, Of: of}, err
}

// take adds outputs to a problem, whose weights are those of their rows.
func (c *loglinearCall) take(p *loglinear.Problem, o expect.Outputs, workers int) error {
	p.Psi, p.Uneven = o.Psi, c.conditions != nil
	weights := p.Weights
	if o.First != nil {
		p.Psi, weights = loglinear.MeanOutputs(o.Psi, o.First, p.Weights)
	}
	if !c.seen {
		p.Weights = weights
		return nil
	}
	seen, err := expect.NewSeen(o, p.X.Len(), c.opt.Seed, workers)
	if seen != nil {
		p.Seen = seen
	}
	return err
}

// begin takes in what training begins from.
func (c *loglinearCall) begin(in *loglinearModelIn) error {
	if err := fault.First(cabi.Equal("model.q", int64(in.q), "the design, with the constant,", c.opt.Features),
		equal("model.d", C.int64_t(in.d), c.space.FeatureLen())); err != nil {
		return err
	}
	if in.steps < 0 || in.steps > maxSteps || in.rows < 0 || in.rows > maxSteps {
		return cabi.Illegal("model: steps and rows are %d and %d, must be from 0 to %d", in.steps, in.rows, int64(maxSteps))
	}
	if len(in.moment) != in.nMoment {
		return cabi.Illegal("model: moment is NULL and n_moment %d, must be 0", in.nMoment)
	}
	known, err := flag(in.c.has_moment, "model.has_moment")
	c.model = &train.Model{Weights: in.weights, Average: in.average, Moment: in.moment, Known: known, Variance: in.variance,
		Steps: in.steps, Rows: in.rows, Seen: in.seen}
	return err
}

// end writes what training has ended with.
func (c *loglinearCall) end(model *loglinearModelIn, info *loglinearInfoIn, r train.Report, err error) error {
	if err != nil {
		return err
	}
	m, out := c.model, model.c
	out.has_moment, out.variance, out.seen = asFlag(m.Known), C.double(m.Variance), C.double(m.Seen)
	out.steps, out.rows = C.int64_t(m.Steps), C.int64_t(m.Rows)
	model.to.Set(out)
	info.to.Set(C.cp_loglinear_info{objective: C.double(r.Objective), residual: C.double(r.Residual), n_iter: C.int64_t(r.Iterations),
		left: C.double(r.Left), left_error: C.double(r.Error), limit: C.double(r.Limit), gain: C.double(r.Gain)})
	return r.Err(c.opt)
}

// oracle returns what knows distributions.
func (c *loglinearCall) oracle(workers int) (loglinear.Oracle, *expect.Sampled, error) {
	if c.distribution == exact {
		return expect.Exact{Spaces: c.spaces, Workers: workers}, nil, nil
	}
	method := chain.Method(0)
	if c.distribution != drawn {
		method = chain.Method(c.distribution)
	}
	e, err := expect.NewSampled(c.spaces, c.problem.Len(), method, c.distribution == drawn, c.opt.Seed, workers)
	return e, e, err
}

// loglinearRows returns the call of training on rows.
func loglinearRows(space structure.Space, options *loglinearOptionsIn, design *designIn, targets *targetsIn, model *loglinearModelIn,
	workers int) (*loglinearCall, error) {
	x, err := design.design()
	if err != nil {
		return nil, err
	}
	c, err := options.call(space, x.Columns())
	if err != nil {
		return nil, err
	}
	if err := c.begin(model); err != nil {
		return nil, err
	}
	return c, c.rows(x, targets, workers)
}

func doLoglinearFit(a *loglinearFitArgs) error {
	c, err := loglinearRows(a.space, a.options, a.design, a.targets, a.model, a.workers)
	if err != nil {
		return err
	}
	at, parts := unsafe.Pointer(a.model.c.chains), c.space.PartLen()
	chains, err := cabi.Optional[int32](at, "model.chains", int64(c.problem.Len()), 2, int64(parts))
	if err != nil {
		return err
	}
	c.opt.Sampled = c.distribution != exact
	oracle, sampled, err := c.oracle(a.workers)
	if err != nil {
		return err
	}
	report, err := train.Run(c.opt, c.space, c.problem, oracle, c.model, a.mon)
	if err == nil && sampled != nil && len(chains) > 0 {
		copy(chains, sampled.States())
	}
	return c.end(a.model, a.info, report, err)
}

func doLoglinearStart(a *loglinearStartArgs) error {
	c, err := loglinearRows(a.space, a.options, a.design, a.targets, a.model, a.workers)
	if err != nil {
		return err
	}
	if c.conditions != nil {
		return fault.Capability("conditions take distributions that the library knows")
	}
	if c.opt.Solver == train.Newton {
		return fault.Capability("solver='newton' takes exact distributions that the library knows: take solver='auto'")
	}
	c.opt.Proposed = c.distribution == int(chain.Meta)
	return openSession(&a.session[0], a.mon, func(s *session) error {
		c.problem.Work = s.onCaller
		if c.distribution == int(chain.LocalMoves) {
			c.opt.Mover = moves{s}
		}
		report, err := train.Run(c.opt, c.space, c.problem, distributions{s}, c.model, a.mon)
		return c.end(a.model, a.info, report, err)
	})
}

// distributions of rows that the caller of a session knows.
type distributions struct{ *session }

// asks are the numbers of requests for them.
var asks = map[loglinear.Ask]C.int64_t{loglinear.Expect: C.CP_ASK_EXPECT, loglinear.Mean: C.CP_ASK_MEAN, loglinear.Pair: C.CP_ASK_PAIR,
	loglinear.Draw: C.CP_ASK_PSI, loglinear.Uniform: C.CP_ASK_UNIFORM}

func (o distributions) Answer(r loglinear.RowsRequest, _ *parallel.Monitor) error {
	numbers := make([]int64, r.Rows.Len())
	for k := range numbers {
		numbers[k] = int64(r.Rows.At(k))
	}
	for _, answer := range [][]float64{r.Means.Data, r.LogZ, r.Psi.Data} {
		for i := range answer {
			answer[i] = math.NaN()
		}
	}
	to := &o.request
	to.n, to.draws = C.int64_t(len(numbers)), C.int64_t(r.Draws)
	to.rows, to.linear = (*C.cp_in_i64)(lend(o.session, numbers)), (*C.cp_in_f64)(lend(o.session, r.Scores.Data))
	to.means, to.log_z = (*C.double)(lend(o.session, r.Means.Data)), (*C.double)(lend(o.session, r.LogZ))
	to.psi = (*C.double)(lend(o.session, r.Psi.Data))
	err := o.ask(asks[r.Ask])
	if err == nil && r.Ask == loglinear.Draw && math.IsNaN(r.Psi.Data[0]) {
		return loglinear.ErrNoDraws
	}
	return err
}

func doLoglinearSearchStart(a *loglinearSearchStartArgs) error {
	c, err := a.options.call(a.space, a.model.q)
	if err != nil {
		return err
	}
	if c.opt.Solver != train.LBFGS {
		return cabi.Illegal("solver must be \"lbfgs\" for a search by sums")
	}
	if err := c.begin(a.model); err != nil {
		return err
	}
	return openSession(&a.session[0], a.mon, func(s *session) error {
		report, err := train.Search(c.opt, c.space, sumsElsewhere{s}, c.model, s.onCaller, a.mon)
		return c.end(a.model, a.info, report, err)
	})
}

// sumsElsewhere are those that the caller of a session knows.
type sumsElsewhere struct{ *session }

func (o sumsElsewhere) AddSums(kind loglinear.Kind, weights linalg.Matrix[float64], sums []float64) error {
	ask := C.int64_t(C.CP_ASK_MOMENTS)
	if kind != loglinear.Moments {
		ask, o.request.linear = C.CP_ASK_LOSS, (*C.cp_in_f64)(lend(o.session, weights.Data))
	}
	if kind == loglinear.Spread {
		ask = C.CP_ASK_SPREAD
	}
	o.request.n, o.request.sums = C.int64_t(len(sums)), (*C.double)(lend(o.session, sums))
	return o.ask(ask)
}

func doLoglinearArraySizes(a *loglinearArraySizesArgs) error {
	c, err := a.options.call(a.space, a.q)
	if err != nil {
		return err
	}
	search := c.opt.Search(c.space)
	if err := search.Check(); err != nil {
		return err
	}
	a.sizes.to.Set(C.cp_loglinear_sizes{moments: C.int64_t(search.SumsLen(loglinear.Moments)),
		loss: C.int64_t(search.SumsLen(loglinear.Loss)), spread: C.int64_t(search.SumsLen(loglinear.Spread)),
		moment: C.int64_t(c.opt.MomentLen(c.space))})
	return nil
}

func doLoglinearKernel(a *loglinearKernelArgs) error {
	if a.n < 1 || a.n > maxRows {
		return cabi.Illegal("n is %d, must be from 1 to %d", a.n, maxRows)
	}
	f, err := loglinear.NewKernelFeatures(a.kernel, a.weights, a.shift, a.mon)
	if err != nil {
		return err
	}
	a.q[0] = int64(copy(a.curvature, f.Curvature))
	return nil
}

func doLoglinearKernelWeights(a *loglinearKernelWeightsArgs) error {
	f := loglinear.KernelFeatures{Rows: a.features.rows, Curvature: a.features.curvature, Weights: a.features.weights}
	which, err := choice[int](catalogue.KernelConversions, a.wanted, "wanted")
	if err != nil {
		return err
	}
	from, to, convert := f.Rows.Rows, f.Rows.Cols, f.OfScoresTo
	switch which {
	case catalogue.ToDual:
		from, to, convert = to, from, f.DualTo
	case catalogue.FromDual:
		convert = f.OfDualTo
	}
	convert(a.dst.Slice(0, to, 0, a.d), a.x.Slice(0, from, 0, a.d))
	return nil
}

func doLoglinearSums(a *loglinearSumsArgs) error {
	rows, err := rowsOfBoth(a.space, a.features, a.outputs)
	if err != nil {
		return err
	}
	mean, err := loglinear.MeanOf(a.space)
	if err != nil {
		return err
	}
	if err := rows.Check(&primal.Task{Mean: mean}); err != nil {
		return err
	}
	c, err := a.options.call(a.space, a.features.p+a.options.intercept)
	if err != nil {
		return err
	}
	which, err := choice[loglinear.Kind](catalogue.LoglinearSums, a.kind, "kind")
	if err != nil {
		return err
	}
	search := c.opt.Search(c.space)
	if err := search.Check(); err != nil {
		return err
	}
	sums, err := cabi.View[float64](a.sums, "sums", int64(search.SumsLen(which)))
	if err != nil {
		return err
	}
	if which != loglinear.Moments && a.weights.Data == nil {
		return cabi.Illegal("weights is NULL")
	}
	if c.distribution != exact {
		return cabi.Illegal("distribution must be \"exact\" for sums")
	}
	if c.conditions != nil && a.outputs.c.parts == nil {
		return cabi.Illegal("outputs.parts is NULL, which conditions are about")
	}
	spaces, err := c.spacesOf(a.features.n, rows.Weights)
	if err != nil {
		return err
	}
	return rows.EachWide(a.mon, func(lo int, some primal.Wide) error {
		x := &solve.Design{Rows: some.X, Intercept: a.options.intercept == 1}
		part := &loglinear.Problem{X: x, Weights: some.Weights, Mean: mean, Workers: a.workers}
		o := expect.Outputs{Spaces: spaces, Psi: some.Psi, First: some.First, Conditions: c.conditions != nil, Weights: some.Weights}
		if spaces.Of != nil {
			o.Spaces.Of = spaces.Of[lo : lo+x.Len()]
		}
		if a.outputs.c.parts != nil {
			from := lo
			if rows.First != nil {
				from = rows.First[lo]
			}
			o.Parts = a.outputs.parts[from*a.outputs.partLen : (from+some.Psi.Rows)*a.outputs.partLen]
		}
		e := c.take(part, o, a.workers)
		if e == nil {
			e = part.Prepare()
		}
		if e == nil {
			oracle := expect.Exact{Spaces: o.Spaces.Counting(part), Workers: a.workers}
			e = loglinear.AddSums(search.Sizes, part, which, a.weights, sums, oracle, a.mon)
		}
		return fault.Renumbered(e, func(row int) int { return lo + row })
	})
}

func doLogSeen(a *logSeenArgs) error {
	if a.rows.Mixed() {
		return cabi.Illegal("the rows of scores are of several spaces, must be of one")
	}
	c := &loglinearCall{space: a.rows.Spaces()[0], seen: true}
	if a.conditions.given {
		c.conditions = a.conditions
	}
	n, d := a.rows.Len(), c.space.FeatureLen()
	o, _, err := c.outputs(a.targets, n)
	if err := fault.First(err, a.rows.CheckLinear(), a.rows.CheckAllScores()); err != nil {
		return err
	}
	scores := linalg.NewMatrix[float64](n, d)
	for i := range n {
		copy(scores.Row(i), a.rows.Linear(i))
	}
	seen, err := expect.NewSeen(o, n, 0, a.workers)
	if err != nil {
		return err
	}
	if seen == nil {
		for i := range n {
			a.logSeen[i] = floats.Dot(scores.Row(i), o.Psi.Row(i))
		}
		return nil
	}
	r := loglinear.RowsRequest{Ask: loglinear.Expect, Rows: loglinear.Between(0, n), Scores: scores, LogZ: a.logSeen,
		Means: linalg.NewMatrix[float64](n, d)}
	return seen.Answer(r, a.mon)
}

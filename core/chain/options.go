package chain

import (
	"math"

	"combpred/core/fault"
	"combpred/core/structure"
)

// Method says how to draw. A new one takes a constant here and its entry in ways.
type Method int

const (
	Meta         Method = iota // chains of uniform proposals
	LocalMoves                 // chains of the structure's local moves
	CubeMoves                  // chains that put single elements in or out, for sets
	FromPast                   // coupling from the past for Meta, exact
	Reject                     // rejection sampling, exact
	MonotonePast               // monotone coupling from the past by the heat bath, exact, for sets
)

// way is what there is to know of a method: how it makes a chain, or exact draws.
type way struct {
	name, doc        string // as users spell it, and what a structure has with which it works
	uniform, bounded bool
	kernel           func(structure.Space, structure.Scores) (Kernel, error)
	draws            func(b *batch, space structure.Space, score structure.Scores, bound float64) (exactDraw, error)
}

// ways are the methods by their numbers.
var ways = [...]way{
	Meta:       {name: "meta", doc: "has the chain of uniform proposals", uniform: true, kernel: chained(NewIndependence)},
	LocalMoves: {name: "local", doc: "has the chain of local moves", kernel: chained(NewLocal)},
	CubeMoves:  {name: "cube", doc: "has the chain of single elements that come and go", kernel: chained(NewCube)},
	FromPast: {name: "cftp", doc: "has coupling from the past by uniform proposals", uniform: true, bounded: true,
		draws: drawsFromPast},
	Reject:       {name: "rejection", doc: "has rejection sampling", uniform: true, bounded: true, draws: drawsByRejection},
	MonotonePast: {name: "monotone", doc: "has monotone coupling from the past by the heat bath", draws: drawsMonotone},
}

func is[T any](s structure.Space) bool {
	_, ok := s.(T)
	return ok
}

func chained[K Kernel](make func(structure.Space, structure.Scores) (K, error)) func(structure.Space, structure.Scores) (Kernel, error) {
	return func(space structure.Space, score structure.Scores) (Kernel, error) { return make(space, score) }
}

// Methods returns all methods.
func Methods() []Method {
	all := make([]Method, len(ways))
	for m := range all {
		all[m] = Method(m)
	}
	return all
}

// String returns the name of a method, and Doc what a structure has with which it works.
func (m Method) String() string { return ways[m].name }
func (m Method) Doc() string    { return ways[m].doc }

// Exact reports whether a method draws independent samples of exactly p, and Chained whether from chains.
func (m Method) Exact() bool   { return m.known() && ways[m].draws != nil }
func (m Method) Chained() bool { return m.known() && ways[m].kernel != nil }

// Uniform reports whether the proposals of a method are uniform outputs, so that it needs a uniform sampler.
func (m Method) Uniform() bool { return m.known() && ways[m].uniform }

// Bounded reports whether a method needs bounds on scores.
func (m Method) Bounded() bool { return m.known() && ways[m].bounded }

func (m Method) known() bool { return m >= 0 && int(m) < len(ways) }

// Options says what to draw for every row of scores.
type Options struct {
	Method Method
	Draws  int // outputs for each row, at least 1
	BurnIn int // steps before the first draw of a chain
	Thin   int // steps of a chain from draw to draw, at least 1; the first draw follows as many after BurnIn
	Budget int // most steps for one exact draw, at least 1
	Seed   uint64
	// Streams holds the numbers of the rows' random streams; nil: those that follow from scores.
	Streams []uint64
	// Start holds where the chain of each row begins, packed; nil: in a uniform output where there is a Sampler, otherwise in
	// the guaranteed solution. Exact methods have no start.
	Start []int32
	// Bound holds a bound on the scores of all outputs for each row, for FromPast and Reject; nil: UpperBound's.
	Bound []float64
}

// Draws is where the outputs go, and what is known about each: n rows × Draws. All but Y may be nil.
type Draws struct {
	Y        []int32 // PartLen parts each, packed
	Value    []float64
	Steps    []int64 // made for this draw alone: since the draw before, or those back in time, or the proposals
	Accepted []int64 // among them
}

// MostSteps bounds numbers of steps, so that sums of them do not overflow.
const MostSteps = 1 << 40

// CheckSteps returns an error that names the first number of steps that is out of its range.
func (o Options) CheckSteps() error {
	switch {
	case o.BurnIn < 0 || o.BurnIn > MostSteps:
		return fault.Value("burn_in is %d, must be between 0 and 2^40", o.BurnIn)
	case o.Thin < 1 || o.Thin > MostSteps:
		return fault.Value("thin is %d, must be between 1 and 2^40", o.Thin)
	case o.Budget < 1 || o.Budget > MostSteps:
		return fault.Value("max_steps, the budget, is %d, must be between 1 and 2^40", o.Budget)
	}
	return nil
}

// check returns an error that names the first argument of Batch that is illegal.
func check(rows *structure.Batch, opt Options, dst Draws) error {
	if err := rows.CheckLinear(); err != nil {
		return err
	}
	if !opt.Method.known() {
		return fault.Value("there is no method number %d", opt.Method)
	}
	_, err := structure.ForSpaces(rows, func(_ int, s structure.Space) (none struct{}, err error) {
		return none, checkCapable(s, opt.Method)
	})
	return fault.First(err, Check(rows, opt, dst))
}

// Check returns an error that names the first of Batch's numbers and lengths that is illegal.
func Check(rows *structure.Batch, opt Options, dst Draws) error {
	n, parts := rows.Len(), rows.Parts()
	if err := opt.CheckSteps(); err != nil {
		return err
	}
	switch {
	case opt.Draws < 1:
		return fault.Value("n_samples is %d, must be at least 1", opt.Draws)
	case opt.Streams != nil && len(opt.Streams) != n:
		return fault.Value("there are %d random streams for %d rows", len(opt.Streams), n)
	case opt.Start != nil && opt.Method.Exact():
		return fault.Value("exact methods have no start, leave it out")
	case opt.Start != nil && len(opt.Start) != parts:
		return fault.Value("start has %d entries, must have %d", len(opt.Start), parts)
	case opt.Bound != nil && !opt.Method.Bounded():
		return fault.Value("only coupling from the past and rejection sampling take bounds, leave them out")
	case opt.Bound != nil && len(opt.Bound) != n:
		return fault.Value("bound has %d entries, must have %d", len(opt.Bound), n)
	case len(dst.Y) != opt.Draws*parts:
		return fault.Value("dst has %d entries, must have %d", len(dst.Y), opt.Draws*parts)
	case dst.Value != nil && len(dst.Value) != n*opt.Draws,
		dst.Steps != nil && len(dst.Steps) != n*opt.Draws,
		dst.Accepted != nil && len(dst.Accepted) != n*opt.Draws:
		return fault.Value("the diagnostics must have %d entries each", n*opt.Draws)
	}
	for i := range n {
		if err := rows.CheckScores(i); err != nil {
			return fault.At(i, err)
		}
		if opt.Bound != nil && (math.IsNaN(opt.Bound[i]) || math.IsInf(opt.Bound[i], 0)) {
			return fault.At(i, fault.Value("the bound is %v, must be finite", opt.Bound[i]))
		}
	}
	return nil
}

// Capable returns a *structure.CapabilityError for a structure from which Batch cannot draw by the method, where neither a start
// nor bounds on scores are given.
func Capable(space structure.Space, method Method) error {
	if err := checkCapable(space, method); err != nil {
		return err
	}
	switch {
	case method.Chained():
		return checkStart(space)
	case method.Bounded():
		return checkBounded(space)
	}
	return nil
}

// checkCapable returns a *structure.CapabilityError for a structure that lacks what a method needs of it.
func checkCapable(space structure.Space, method Method) (err error) {
	if method.Uniform() {
		_, err = samplerOf(space)
		return err
	}
	none := structure.Scores{Linear: make([]float64, space.FeatureLen())}
	if method.Chained() {
		_, err = ways[method].kernel(space, none)
		return err
	}
	_, err = newSites(space, none)
	return err
}

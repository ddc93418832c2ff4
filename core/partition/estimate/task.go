package estimate

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Sampler says how outputs are drawn at a level: the number of a chain.Method, or one of these.
type Sampler int

const (
	// AutoSampler takes the first of MonotonePast, ExactSampler, FromPast, LocalMoves and Meta that the space has and that is
	// expected to need no more than the budget. The recursion behind ExactSampler sums over all outputs itself, and an estimate from
	// its draws would be no evidence beside that sum; draws by the heat bath do not rest on it.
	AutoSampler Sampler = -2
	// ExactSampler draws by the structure's recursion, or from a list of its outputs.
	ExactSampler Sampler = -1
)

// Exact reports whether draws are independent and exactly distributed, and bounded whether they need bounds on scores.
func (s Sampler) Exact() bool   { return s == ExactSampler || chain.Method(s).Exact() }
func (s Sampler) bounded() bool { return s >= 0 && chain.Method(s).Bounded() }

// Levels says how the levels of a schedule are found.
type Levels int

const (
	Adaptive Levels = iota // from draws, as far apart as tests that prove a bound on the variance allow
	Uniform                // 3 for each unit of half the range of scores
	Thesis                 // 3 for each unit of max ‖ψ‖ ‖s‖, or of the bound, with the printed number of draws
)

const (
	// drawsAtOnce is the number of draws that are held at a time.
	drawsAtOnce = 1 << 14
	// outputsAtOnce is the number of outputs that a worker draws or embeds at a time.
	outputsAtOnce = 64
	// mostDraws bounds the draws of a batch, which come as int.
	mostDraws = 1 << 50
)

// Options says what to estimate and how.
type Options struct {
	Epsilon, Delta float64 // within 1 ± Epsilon with probability 1 − Delta, both between 0 and 1
	Sampler        Sampler
	Levels         Levels
	MaxSteps       int64 // of chains, or proposals, for a row; at least 1
	Seed           uint64
	Streams        []uint64  // numbers of the rows' random streams; nil: those that follow from scores
	Bound          []float64 // of each row, on the magnitudes of all scores, in place of what the structure proves; or nil
}

// Trust says how far the draws of a row can be trusted.
type Trust struct {
	// Share is effective sample size over number of draws, at the level where that is smallest.
	Share float64
	// RHat is the largest split R̂ of the scores at a level.
	RHat float64
	// Failure says why the draws should not be trusted; "" where they can be.
	Failure string
}

// Row is what was found for a row of scores.
type Row struct {
	LogRatio                 float64 // ln Z(1) / Z(0)
	Schedule                 Schedule
	Sampler                  Sampler
	Samples, Steps, Accepted int64 // draws and steps in total, and how many of these were accepted
	Trust
}

// spent is the error of an exact sampler that was not done within its budget.
func spent(sampler string, steps, most int64, figure string) error {
	return fault.Budget("sampler='%s' made %d of at most max_steps=%d steps, and %s; allow more, ask for a larger epsilon, or take a "+
		"chain, sampler='local' or sampler='meta'", sampler, steps, most, figure)
}

// String returns the name by which users know the sampler.
func (s Sampler) String() string {
	switch s {
	case AutoSampler:
		return "auto"
	case ExactSampler:
		return "exact"
	}
	return chain.Method(s).String()
}

// task is the estimate of one row, with what its draws took so far.
type task struct {
	space    structure.Space
	scores   structure.Scores
	opt      Options
	bound    float64
	hasBound bool
	rng      *rand.Rand // of which seeds are taken
	workers  int
	mon      *parallel.Monitor
	external *External // the space, where the caller draws

	samples, steps, accepted int64
}

func newTask(b *structure.Batch, opt Options, i, workers int, mon *parallel.Monitor) *task {
	space, scores := b.Row(i)
	var source rand.PCG
	parallel.Stream(&source, opt.Seed, int(opt.Streams[i]))
	t := &task{
		space: space, scores: scores, opt: opt, rng: rand.New(&source), workers: workers, mon: mon,
	}
	if opt.Bound != nil {
		t.bound, t.hasBound = opt.Bound[i], true
	}
	t.external, _ = space.(*External)
	return t
}

// draws are outputs with their scores.
type draws struct {
	value []float64
	parts []int32
}

// count adds to what the draws took.
func (t *task) count(samples, steps, accepted int64, beta float64) {
	t.samples, t.steps, t.accepted = t.samples+samples, t.steps+steps, t.accepted+accepted
	t.mon.Advance(int(samples))
	t.mon.Report(beta)
}

// uniform returns n uniform outputs.
func (t *task) uniform(n int) (draws, error) {
	sampler, ok := t.space.(structure.Sampler)
	if !ok {
		return draws{}, &structure.CapabilityError{
			Structure: structure.Describe(t.space), Need: "a uniform sampler, for draws",
		}
	}
	seed, parts := t.rng.Uint64(), t.space.PartLen()
	d := draws{parts: make([]int32, n*parts)}
	err := t.supply(n, func(mon *parallel.Monitor) error {
		if err := structure.Prepare(t.space, mon.Err); err != nil {
			return err
		}
		return parallel.For(n, outputsAtOnce, t.workers, mon, func(lo, hi int) error {
			var source rand.PCG
			rng := rand.New(&source)
			for i := lo; i < hi; i++ {
				parallel.Stream(&source, seed, i)
				sampler.Sample(d.parts[i*parts:(i+1)*parts], rng)
			}
			return nil
		})
	})
	if err != nil {
		return d, err
	}
	t.count(int64(n), int64(n), int64(n), 0)
	d.value, err = t.score(d.parts, n)
	return d, err
}

// supply runs draws of about so many uniform outputs, which the caller of an External supplies.
func (t *task) supply(want int, run func(mon *parallel.Monitor) error) error {
	if t.external == nil {
		return run(t.mon.Quiet()) // samplers count in other units
	}
	return t.external.Run(want, t.mon.Quiet(), run)
}

// score returns the scores of n outputs.
func (t *task) score(parts []int32, n int) ([]float64, error) {
	values := make([]float64, n)
	err := t.embedEach(parts, n, func(i int, psi []float64) { values[i] = t.scores.Value(psi) })
	return values, err
}

// embedEach calls see with ψ of each output; psi is reused.
func (t *task) embedEach(parts []int32, n int, see func(i int, psi []float64)) error {
	width := t.space.PartLen()
	return parallel.For(n, outputsAtOnce, t.workers, t.mon.Quiet(), func(lo, hi int) error {
		psi := make([]float64, t.space.FeatureLen())
		for i := lo; i < hi; i++ {
			t.space.Embed(psi, parts[i*width:(i+1)*width])
			see(i, psi)
		}
		return nil
	})
}

// sample runs chain.Batch on rows of β times the scores.
func (t *task) sample(rows int, beta float64, opt chain.Options, want int) (d chain.Draws, err error) {
	features := len(t.scores.Linear)
	linear := blas64.General{Rows: rows, Cols: features, Stride: features, Data: make([]float64, rows*features)}
	for i := range linear.Data {
		linear.Data[i] = beta * t.scores.Linear[i%features]
	}
	b, n := structure.Rows(t.space, linear), rows*opt.Draws
	d = chain.Draws{
		Y: make([]int32, n*t.space.PartLen()), Value: make([]float64, n), Steps: make([]int64, n), Accepted: make([]int64, n),
	}
	opt.Seed = t.rng.Uint64()
	if opt.Method == chain.FromPast && t.external != nil {
		opt.Method = chain.Reject // of the same distribution; coupling would draw an output a second time
	}
	if t.external != nil && opt.Method == chain.LocalMoves {
		err = t.external.walk(b, opt, d, t.mon.Quiet())
	} else {
		err = t.supply(want, func(mon *parallel.Monitor) error {
			return chain.Batch(structure.Rows(t.space, linear), opt, d, t.workers, mon)
		})
	}
	if err != nil {
		if exceeded, ok := errors.AsType[*chain.BoundError](err); ok && t.hasBound {
			return d, exceedsBound(exceeded.Value/beta, t.bound)
		}
		return d, fault.At(fault.NoRow, err) // rows here are chains
	}
	var steps, accepted int64
	for i := range n {
		steps, accepted = steps+d.Steps[i], accepted+d.Accepted[i]
		d.Value[i] /= beta
	}
	t.count(int64(n), steps, accepted, beta)
	return d, nil
}

// capable is chain.Capable, for what the caller supplies, too.
func (t *task) capable(method chain.Method) error {
	if t.external != nil {
		return t.external.Capable(method)
	}
	return chain.Capable(t.space, method)
}

// Count is an estimate of ln of the number of outputs, from Samples draws, of which Repeats had been drawn before.
type Count struct {
	Log              float64
	Samples, Repeats int64
}

// comparedAtOnce is the number of draws that Counts compares at a time.
const comparedAtOnce = 1 << 10

// Counts estimates the number of outputs of the space of each row, whatever its scores, from repeats among exactly uniform draws: outputs
// are told apart by ψ. With t the sum over all draws of the different outputs before them, an output of N is a repeat with probability
// t/N in total, and where as many repeats are awaited as below, t over their number is N/(1 ± Epsilon) with probability 1 − Delta, by the
// tails of Poisson's distribution, of which the upper one is the heavier. An error of the kind of capabilities says how many outputs there
// are at least where MaxSteps draws do not suffice. Streams, errors and the monitor are as for Anneal.
func Counts(b *structure.Batch, opt Options, workers int, mon *parallel.Monitor) ([]Count, error) {
	if err := opt.Check(b.Len()); err != nil {
		return nil, err
	}
	found := make([]Count, b.Len())
	return found, eachRow(b, opt, workers, mon, func(i int, t *task) (err error) {
		found[i], err = t.countByRepeats()
		return err
	})
}

func (t *task) countByRepeats() (found Count, err error) {
	needed := int64(math.Ceil(math.Log(2/t.opt.Delta) / (t.opt.Epsilon - math.Log1p(t.opt.Epsilon))))
	met, total := map[string]struct{}{}, 0.0
	d, width := t.space.FeatureLen(), t.space.PartLen()
	psi, key := make([]float64, d), make([]byte, 0, 8*d)
	for {
		many := int(min(comparedAtOnce, t.opt.MaxSteps-found.Samples))
		if many == 0 {
			return found, t.tooMany(found.Repeats, needed, total)
		}
		drawn, err := t.uniform(many)
		if err != nil {
			return found, err
		}
		for k := range many {
			t.space.Embed(psi, drawn.parts[k*width:(k+1)*width])
			key = key[:0]
			for _, v := range psi {
				if v == 0 {
					v = 0 // of either sign
				}
				key = binary.NativeEndian.AppendUint64(key, math.Float64bits(v))
			}
			found.Samples++
			total += float64(len(met))
			if _, is := met[string(key)]; !is {
				met[string(key)] = struct{}{}
			} else if found.Repeats++; found.Repeats == needed {
				found.Log = math.Log(total / float64(needed))
				return found, nil
			}
		}
		if t.external != nil { // whose draws are not looked at again
			t.external.Draws, t.external.next = t.external.Draws[:0], 0
		}
	}
}

// tooMany is the error of draws that show too few repeats.
func (t *task) tooMany(repeats, needed int64, total float64) error {
	least := math.Log((1 - math.Exp(-1)) * total / (float64(repeats) + math.Log(1/t.opt.Delta)))
	return fault.Capability("%s has too many outputs to be counted by repeats: %d draws show %d of %d, so that with probability %g there "+
		"are more than exp(%.4g); give log_count, or raise epsilon, delta or max_draws", structure.Describe(t.space), t.opt.MaxSteps,
		repeats, needed, 1-t.opt.Delta, least)
}

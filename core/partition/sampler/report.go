package sampler

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// Chains is the number of chains that are run for each row to measure them.
const Chains = 4

const (
	drawsOfEach = 64 // of the chains of a row, for diagnostics
	// slow is the number of draws that are worth one independent draw, at most; where they are more, draws are too near.
	slow = 8
	// longer is how many times as many steps lie between draws then.
	longer = 4
	// relaxed is the number of autocorrelation times between samples: correlations of exp(−3) where they fall exponentially.
	relaxed = 1.5
	// laggedDraws are drawn of each chain at least, for the correlation of successive samples.
	laggedDraws = 32
	// mixingDistance is the total variation at which a chain counts as mixed.
	mixingDistance = 0.01
	// sampledSeed is what the seed of samples is ahead of that of diagnostics.
	sampledSeed = 1 << 31
)

// Report is what four chains of each row say, by the scores of their outputs: columns of n rows.
type Report struct {
	Steps, Thin   []int64   // made in all, and between samples
	Acceptance    []float64 // share of the steps that were accepted, before samples were drawn
	EffectiveSize []float64 // how many independent draws the 256 of the four chains are worth
	RHat          []float64 // split R̂
	Time          []float64 // steps that are worth one independent draw
	Correlation   []float64 // between successive samples, or without samples between draws of the diagnostics
	MixingBound   []float64 // proven number of steps to total variation 0.01, infinite where none is known
	States        []int32   // where the first chain of each row was after the diagnostics
}

// trials returns how often draws may be taken to be too near: uniform proposals do not become better by being far apart.
func trials(method chain.Method) int {
	if method == chain.Meta {
		return 3
	}
	return 5
}

// measured runs four chains for each row, and then goes on with one of them to draw the samples, if there are any.
func (r *run) measured(method chain.Method) (*Report, error) {
	report, err := r.diagnose(method)
	if err != nil || r.opt.Draws == 0 {
		return report, err
	}
	n, parts := r.rows.Len(), r.space.PartLen()
	many := max(r.opt.Draws, laggedDraws)
	thin := int(max(1, math.Ceil(relaxed*slices.Max(report.Time))))
	opt := chain.Options{Method: method, Draws: many, Thin: thin, Budget: 1, Seed: r.opt.Seed + sampledSeed, Streams: r.opt.Streams,
		Start: report.States}
	drawn := newDraws(n*many, parts)
	if many == r.opt.Draws {
		drawn.Y = r.dst.Y
	}
	if err := r.batch(r.rows, opt, drawn); err != nil {
		return nil, err
	}
	first, lags := many-r.opt.Draws, make([]float64, 2)
	for i := range n {
		for _, steps := range drawn.Steps[i*many : (i+1)*many] {
			report.Steps[i] += steps
		}
		chain.Autocorrelation(lags, drawn.Value[i*many:(i+1)*many])
		report.Correlation[i], report.Thin[i] = known(lags[1]), int64(thin)
		lo, hi, to := i*many+first, (i+1)*many, i*r.opt.Draws
		if first > 0 {
			copy(r.dst.Y[to*parts:], drawn.Y[lo*parts:hi*parts])
		}
		keep(r.dst.Value, to, drawn.Value[lo:hi])
		keep(r.dst.Steps, to, drawn.Steps[lo:hi])
		keep(r.dst.Accepted, to, drawn.Accepted[lo:hi])
	}
	return report, nil
}

func newDraws(n, parts int) chain.Draws {
	return chain.Draws{Y: make([]int32, n*parts), Value: make([]float64, n), Steps: make([]int64, n), Accepted: make([]int64, n)}
}

// keep copies to a column that the caller may not want.
func keep[T any](column []T, at int, values []T) {
	if column != nil {
		copy(column[at:], values)
	}
}

// known returns 0 for the correlation of draws that are all equal.
func known(correlation float64) float64 {
	if math.IsNaN(correlation) {
		return 0
	}
	return correlation
}

// diagnose runs four chains for each row, with more steps between draws as long as they mix slowly.
func (r *run) diagnose(method chain.Method) (*Report, error) {
	n, d, parts := r.rows.Len(), r.space.FeatureLen(), r.space.PartLen()
	four := blas64.General{Rows: Chains * n, Cols: d, Stride: d, Data: make([]float64, 0, Chains*n*d)}
	streams := make([]uint64, Chains*n)
	for i := range streams {
		four.Data = append(four.Data, r.row(i/Chains).Linear...)
		streams[i] = parallel.Substream(r.opt.Streams[i/Chains], i%Chains)
	}
	column := func() []float64 { return make([]float64, n) }
	report := &Report{
		Steps: make([]int64, n), Thin: make([]int64, n), Acceptance: column(), EffectiveSize: column(), RHat: column(), Time: column(),
		Correlation: column(), States: make([]int32, 0, n*parts),
	}
	const each = Chains * drawsOfEach // draws of a row
	lags, accepted := make([]float64, 2*Chains*n), make([]int64, n)
	drawn := newDraws(n*each, parts)
	states, thin := r.opt.Start, estimate.NaturalThin(r.space, method)
	for trial := range trials(method) {
		opt := chain.Options{Method: method, Draws: drawsOfEach, Thin: thin, Budget: 1, Seed: r.opt.Seed + uint64(trial), Streams: streams,
			Start: states}
		if states == nil {
			opt.BurnIn = 16 * thin
		}
		if err := r.batch(structure.OneSpaceLinear(r.space, four), opt, drawn); err != nil {
			return nil, fault.Renumbered(err, func(chain int) int { return chain / Chains })
		}
		states = make([]int32, 0, four.Rows*parts)
		for c := range four.Rows {
			last := (c+1)*drawsOfEach - 1
			states = append(states, drawn.Y[last*parts:(last+1)*parts]...)
		}
		for k, steps := range drawn.Steps {
			report.Steps[k/each] += steps
			accepted[k/each] += drawn.Accepted[k]
		}
		err := chain.Diagnose(Chains, drawn.Value, report.EffectiveSize, report.RHat, lags, r.workers, r.mon)
		if err != nil {
			return nil, err
		}
		if report.read(lags, thin) {
			break
		}
		thin *= longer
	}
	for i := range n {
		report.Acceptance[i] = float64(accepted[i]) / float64(report.Steps[i])
		report.States = append(report.States, states[i*Chains*parts:(i*Chains+1)*parts]...)
	}
	var err error
	report.MixingBound, err = r.mixingBounds(method)
	return report, err
}

// read takes in what the draws of a trial say, and reports whether they are far enough apart in all rows.
func (t *Report) read(lags []float64, thin int) bool {
	const each = Chains * drawsOfEach
	mixed := true
	for i := range t.RHat {
		t.Correlation[i] = 0
		for c := i * Chains; c < (i+1)*Chains; c++ {
			t.Correlation[i] += known(lags[2*c+1]) / Chains
		}
		if math.IsNaN(t.RHat[i]) { // all outputs score alike
			t.EffectiveSize[i], t.RHat[i] = each, 1
		}
		t.EffectiveSize[i] = min(t.EffectiveSize[i], each)
		t.Time[i], t.Thin[i] = float64(thin)*each/t.EffectiveSize[i], int64(thin)
		mixed = mixed && t.RHat[i] <= estimate.MaxRHat && each/t.EffectiveSize[i] <= slow
	}
	return mixed
}

// mixingBounds returns proven mixing times.
func (r *run) mixingBounds(method chain.Method) ([]float64, error) {
	return MixingBounds(r.rows, method, mixingDistance, r.mon)
}

// MixingBounds returns for every row of scores after how many steps a chain is within epsilon of its distribution in total
// variation, from any start: proven, and +Inf where nothing is.
func MixingBounds(b *structure.Batch, method chain.Method, epsilon float64, mon *parallel.Monitor) ([]float64, error) {
	if err := b.CheckLinear(); err != nil {
		return nil, err
	}
	bounds := make([]float64, b.Len())
	for i := range bounds {
		bounds[i] = math.Inf(1)
	}
	for g := range b.Groups() {
		if math.IsInf(chain.MixingBound(g.Space, method, 0, epsilon), 1) {
			continue
		}
		if err := boundRows(b, g, method, epsilon, bounds, mon); err != nil && !lacking(err) {
			return nil, err
		}
	}
	return bounds, nil
}

// boundRows writes the bounds of the rows of a space, up to the first that it cannot decode.
func boundRows(b *structure.Batch, g structure.Group, method chain.Method, epsilon float64, bounds []float64, mon *parallel.Monitor) error {
	one, err := decode.NewOne(g.Space, decode.Auto, 0, mon.Err)
	if err != nil {
		return err
	}
	y, negative := make([]int32, g.Space.PartLen()), make([]float64, g.Space.FeatureLen())
	for k := range g.Len() {
		if err := mon.Err(); err != nil {
			return err
		}
		i := g.Row(k)
		_, score := b.Row(i)
		for j, v := range score.Linear {
			negative[j] = -v
		}
		up, err := one(y, score, i)
		if err == nil {
			var down structure.Certificate
			down, err = one(y, structure.Scores{Linear: negative}, i)
			up.UpperBound += down.UpperBound
		}
		if err != nil {
			return b.Blame(i, err)
		}
		bounds[i] = chain.MixingBound(g.Space, method, up.UpperBound, epsilon)
	}
	return nil
}

package walks

import (
	"math"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Starts are where the searches of rows start, on outputs of a caller's own: row i at the output number i.
type Starts struct {
	Psi    []float64 // of these, row by row
	Spread []float64 // bounds on the ranges of scores, from which temperatures follow; 0, or nil: only what scores no less is accepted
}

// Search does what decode.SearchBatch does, with one run for each row, where a mover knows the outputs: by its moves, or by uniform
// draws. It returns the numbers of the best outputs and their scores. Temperatures that are given may be 0.
func Search(mover Mover, b *structure.Batch, p decode.Process, from Starts, best []int64, value []float64, traces []decode.Trace,
	mon *parallel.Monitor) error {
	q := p
	q.Temperatures = nil
	if err := fault.First(q.Check(), b.CheckLinear(), checkSteps(p)); err != nil {
		return err
	}
	n := b.Len()
	if n == 0 {
		return nil
	}
	space, _ := b.Row(0)
	if b.Mixed() || len(from.Psi) != n*space.FeatureLen() {
		return fault.Value("a caller's own outputs are those of one space, with ψ of %d entries for each row", space.FeatureLen())
	}
	spread := from.Spread
	if len(spread) == 0 {
		spread = make([]float64, n)
	}
	scores, at, levels := make([]structure.Scores, n), make([]int64, n), make([][]float64, n)
	logCount, err := structure.LogCount(space)
	if err != nil {
		logCount = math.NaN()
	}
	if p.Epsilon > 0 && math.IsNaN(logCount) {
		return &structure.CapabilityError{Structure: structure.Describe(space), Need: "the number of its outputs, for epsilon"}
	}
	for i := range n {
		if _, scores[i] = b.Row(i); !(spread[i] >= 0) || math.IsInf(spread[i], 1) {
			return fault.At(i, fault.Value("the spread is %v, must be finite and at least 0", spread[i]))
		}
		at[i] = int64(i)
		switch {
		case len(p.Temperatures) > 0:
			levels[i] = p.Temperatures
		case spread[i] > 0:
			levels[i] = p.Levels(spread[i], space.FeatureLen(), logCount)
		default:
			levels[i] = []float64{0}
		}
	}
	streams := p.Streams
	if streams == nil {
		streams = b.Streams()
	}
	chains := NewLockstep(mover, scores, space.FeatureLen(), Numbers(int64(n), n), p.Seed, streams)
	chains.Uniform = p.Proposals == decode.Uniform
	chains.Begin(at, from.Psi)
	beta := make([]float64, n)
	for step := range p.Steps {
		for i, of := range levels {
			beta[i] = 1 / of[levelAt(step, p.Steps, len(of))]
		}
		if err := chains.Step(beta, false); err != nil {
			return err
		}
		mon.Advance(n)
		mon.Report(chains.Most[n-1])
	}
	copy(best, chains.Best)
	copy(value, chains.Most)
	for i := range traces {
		traces[i] = decode.Trace{Temperature: levels[i][len(levels[i])-1], Steps: int64(p.Steps), Accepted: chains.Accepted[i]}
		if chains.Uniform && !math.IsNaN(logCount) {
			traces[i].Success = -math.Expm1(float64(p.Steps) * math.Log1p(-math.Exp(-logCount)))
		}
	}
	return nil
}

// levelAt returns the level of a step: all levels have equal shares, up to one step, of which the first ones are no larger.
func levelAt(step, steps, levels int) int {
	return int(math.Floor((float64(step) + 0.5) / float64(steps) * float64(levels)))
}

func checkSteps(p decode.Process) error {
	if p.Steps < 1 {
		return fault.Value("there are %d steps, must be at least 1", p.Steps)
	}
	for i, t := range p.Temperatures {
		if !(t >= 0) || math.IsInf(t, 1) {
			return fault.Value("temperature %d is %v, must be finite and at least 0", i, t)
		}
	}
	return nil
}

package walks

import (
	"math"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Starts are where the searches of rows start, on outputs of a caller's own.
type Starts struct {
	// Psi is that of outputs 0, 1, …, one after the other: the first runs of all rows start there, then the second ones, and so on. Runs
	// for which there is none start at uniform outputs.
	Psi    []float64
	Spread []float64 // bounds on the ranges of scores, from which temperatures follow; 0, or nil: only what scores no less is accepted
}

// mostNumbers bounds what all chains are at.
const mostNumbers = 1 << 27

// Search does what decode.SearchBatch does, where a mover knows the outputs: by its moves, or by uniform draws. It returns the numbers of
// the best outputs and their scores. Temperatures that are given may be 0.
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
	d, many := space.FeatureLen(), n*p.Runs
	if b.Mixed() || len(from.Psi)%d != 0 || len(from.Psi) > many*d {
		return fault.Value("a caller's own outputs are those of one space, with ψ of %d entries for each start, one of each run at most", d)
	}
	if float64(many)*float64(d) > mostNumbers {
		return fault.Memory("%d runs of %d rows take chains with more than %d numbers: ask for fewer at once", p.Runs, n, mostNumbers)
	}
	logCount, err := structure.LogCount(space)
	if err != nil {
		logCount = math.NaN()
	}
	levels, err := levelsOf(b, p, from.Spread, logCount)
	if err != nil {
		return err
	}
	streams := p.Streams
	if streams == nil {
		streams = b.Streams()
	}
	scores, own, rows := make([]structure.Scores, many), make([]uint64, many), make([]int64, many)
	for c := range many {
		_, scores[c] = b.Row(c % n)
		own[c], rows[c] = parallel.Substream(streams[c%n], c/n), int64(c%n)
	}
	starts := int64(len(from.Psi) / d)
	chains := NewLockstep(mover, scores, d, Numbers(starts, many), p.Seed, own)
	chains.Of, chains.Uniform = rows, p.Proposals == decode.Uniform
	chains.Begin(counted(starts), from.Psi)
	if err := chains.Draw(int(starts)); err != nil {
		return err
	}
	beta := make([]float64, many)
	for step := range p.Steps {
		for c := range beta {
			of := levels[c%n]
			beta[c] = 1 / of[levelAt(step, p.Steps, len(of))]
		}
		chains.Ahead = p.Steps - step
		if err := chains.Step(beta, false); err != nil {
			return fault.Renumbered(err, func(c int) int { return c % n })
		}
		mon.Advance(many)
		mon.Report(chains.Most[many-1])
	}
	for c := range many {
		if i := c % n; c < n || chains.Most[c] > value[i] {
			best[i], value[i] = chains.Best[c], chains.Most[c]
		}
	}
	for i := range traces {
		traces[i] = decode.Trace{Temperature: levels[i][len(levels[i])-1], Steps: int64(p.Steps * p.Runs)}
		for c := i; c < many; c += n {
			traces[i].Accepted += chains.Accepted[c]
		}
		if chains.Uniform && !math.IsNaN(logCount) {
			traces[i].Success = -math.Expm1(float64(traces[i].Steps) * math.Log1p(-math.Exp(-logCount)))
		}
	}
	return nil
}

// counted returns the numbers 0, 1, …, n − 1.
func counted(n int64) []int64 {
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	return numbers
}

// levelsOf returns the temperatures of rows.
func levelsOf(b *structure.Batch, p decode.Process, spread []float64, logCount float64) ([][]float64, error) {
	space, _ := b.Row(0)
	if p.Epsilon > 0 && math.IsNaN(logCount) {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the number of its outputs, for epsilon"}
	}
	if len(spread) == 0 {
		spread = make([]float64, b.Len())
	}
	levels := make([][]float64, b.Len())
	for i := range levels {
		switch {
		case !(spread[i] >= 0) || math.IsInf(spread[i], 1):
			return nil, fault.At(i, fault.Value("the spread is %v, must be finite and at least 0", spread[i]))
		case len(p.Temperatures) > 0:
			levels[i] = p.Temperatures
		case spread[i] > 0:
			levels[i] = p.Levels(spread[i], space.FeatureLen(), logCount)
		default:
			levels[i] = []float64{0}
		}
	}
	return levels, nil
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

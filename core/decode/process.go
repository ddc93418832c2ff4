package decode

import (
	"math"
	"math/rand/v2"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Proposals says what the chains of a Process propose.
type Proposals int

const (
	AnyProposals Proposals = iota // moves, for structures that have them, otherwise uniform outputs
	Moves                         // the structure's local moves
	Uniform                       // uniform outputs: the chain MC(α) of Vembu (2010), ch. 7
)

// Process is a search along Markov chains, the parameters of Anneal and Metropolis. The score of a proposal less that of
// the present output is its gain g, and it is accepted with probability min(1, exp(g/T)), which is min(1, α^g) for
// α = exp(1/T). The zero value of a parameter is the choice of the method.
type Process struct {
	Method       Method // Anneal or Metropolis
	Proposals    Proposals
	Temperatures []float64 // T on the levels of a run, which have equal shares of its steps
	// Epsilon and Delta end the cooling of Anneal at T = ε/ln(|Y|/δ). There a draw is within ε of the largest score with
	// probability 1 − δ, for the outputs that are not have probability exp(−ε/T) at most each.
	Epsilon, Delta float64
	Steps          int // of a run
	Runs           int // independent ones, of which the best output is kept; from 1 on
	Seed           uint64
	Streams        []uint64 // numbers of the rows' random streams; nil: they follow from scores, equal rows having independent ones

	progress func(runs int) // told of finished runs but the last of a row; nil: nobody is
}

// Trace is what a Process did for a row.
type Trace struct {
	Temperature     float64 // of the last level; NaN where no step was made
	Steps, Accepted int64   // of all runs
	// Success is a bound from below on the probability of finding an output of largest score: 1 where the one found
	// is proven to be. Runs of n uniform proposals, each of them of largest score with probability 1/|Y| at least, have
	// 1 − (1 − 1/|Y|)ⁿ whatever the temperatures: what beats all before is accepted. 0 where nothing is proven.
	Success float64

	runs int
}

// SearchBatch searches for the output of largest score for every row, by its linear scores, as Batch does, and writes what it
// did to traces, unless that is nil. Its first run starts at the guaranteed solution of structures that have one; all
// others start at uniform outputs, or there, too, where no uniform sampler is known. Certificates are those of the
// guaranteed solution with a better value; without one the bound is the largest score where that is decoded exactly,
// and +Inf elsewhere.
func SearchBatch(b *structure.Batch, p Process, dst []int32, certs []structure.Certificate, traces []Trace, workers int,
	mon *parallel.Monitor) error {
	if err := fault.First(p.Check(), b.CheckLinear(), checkShapes(b, dst, certs)); err != nil {
		return err
	}
	p.progress = mon.Advance
	decoders, err := structure.ForSpaces(b, func(_ int, s structure.Space) (decoder, error) { return p.decoder(s, traces, mon.Err) })
	if err != nil {
		return err
	}
	streams := p.Streams
	if streams == nil {
		streams = b.Streams()
	}
	return batch(b, 1, streams, decoders, dst, certs, workers, mon)
}

// Check returns an error that names the first parameter that is illegal.
func (p *Process) Check() error {
	if p.Method != Anneal && p.Method != Metropolis {
		return fault.Value("method number %d is not a chain", p.Method)
	}
	for i, t := range p.Temperatures {
		if !(t > 0) || math.IsInf(t, 0) {
			return fault.Value("schedule: temperature %d is %v, must be finite and above 0", i, t)
		}
	}
	switch {
	case p.Method == Metropolis && len(p.Temperatures) > 1:
		return fault.Value("a process of one temperature is given %d", len(p.Temperatures))
	case p.Runs < 1 || p.Steps < 0:
		return fault.Value("n_runs is %d and n_steps %d, must be at least 1 and 0", p.Runs, p.Steps)
	case !(p.Epsilon >= 0) || math.IsInf(p.Epsilon, 1) || p.Epsilon > 0 && !(p.Delta > 0 && p.Delta < 1):
		return fault.Value("epsilon and delta are %v and %v, must be at least 0, and between 0 and 1", p.Epsilon, p.Delta)
	case p.Epsilon > 0 && (p.Method != Anneal || p.Temperatures != nil):
		return fault.Value("epsilon is where schedule='anneal' ends, leave it out or give no other schedule")
	}
	return nil
}

// proposer returns what proposes, and whether that is uniform outputs.
func (p *Process) proposer(space structure.Space) (structure.Proposer, bool, error) {
	moves, canMove := space.(structure.Proposer)
	if canMove && p.Proposals != Uniform {
		return moves, false, nil
	}
	sampler, canDraw := space.(structure.Sampler)
	if canDraw && p.Proposals != Moves {
		return chain.Uniform{Sampler: sampler}, true, nil
	}
	need := "local moves, for chains of them"
	if p.Proposals == Uniform {
		need = "a uniform sampler, for proposals"
	}
	return nil, false, &structure.CapabilityError{Structure: structure.Describe(space), Need: need}
}

// decoder returns what searches for one row.
func (p *Process) decoder(space structure.Space, traces []Trace, poll func() error) (decoder, error) {
	proposer, drawn, err := p.proposer(space)
	if err != nil {
		return nil, err
	}
	ends, err := newEnds(space, poll)
	if err == nil && (drawn || p.Runs > 1 || ends.starter == nil) {
		err = structure.Prepare(space, poll)
	}
	if err != nil {
		return nil, err
	}
	logCount, err := structure.LogCount(space)
	if err != nil {
		logCount = math.NaN()
	}
	if p.Epsilon > 0 && math.IsNaN(logCount) {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the number of its outputs, for epsilon"}
	}
	return func(dst []int32, score structure.Scores, row int, stream uint64) (structure.Certificate, error) {
		var source rand.PCG
		parallel.Stream(&source, p.Seed, int(stream))
		trace := Trace{Temperature: math.NaN()}
		cert, err := ends.start(dst, score, &source)
		if err == nil && !cert.Optimal {
			cert, err = p.search(space, proposer, ends, dst, score, &source, stream, logCount, cert, &trace, poll)
		}
		switch {
		case cert.Optimal:
			trace.Success = 1
		case drawn && !math.IsNaN(logCount):
			trace.Success = -math.Expm1(float64(trace.Steps) * math.Log1p(-math.Exp(-logCount)))
		}
		if traces != nil {
			traces[row] = trace
		}
		if p.progress != nil {
			p.progress(max(0, p.Runs-max(1, trace.runs)))
		}
		return cert, err
	}, nil
}

// search makes the runs from a start, and returns the certificate of the best output.
func (p *Process) search(space structure.Space, proposer structure.Proposer, ends *ends, dst []int32, score structure.Scores,
	source *rand.PCG, stream uint64, logCount float64, cert structure.Certificate, trace *Trace, poll func() error,
) (structure.Certificate, error) {
	levels := p.Temperatures
	if levels == nil {
		spread, err := ends.spread(score, cert.UpperBound)
		if err != nil || !(spread > 0) {
			return cert, err
		}
		levels = p.Levels(spread, len(dst), logCount)
	}
	steps := p.Steps
	if steps == 0 {
		steps = chainSteps(len(dst))
	}
	rng := rand.New(source)
	for run := range p.Runs {
		w := newWalk(space, score, dst)
		if run > 0 {
			parallel.Stream(source, p.Seed, int(parallel.Substream(stream, run)))
			if ends.sampler != nil {
				y := make([]int32, len(dst))
				ends.sampler.Sample(y, rng)
				w.begin(y)
			}
		}
		left := steps
		for i, t := range levels {
			share := left / (len(levels) - i)
			left -= share
			if err := w.follow(chain.NewMetropolis(space, proposer, score, 1/t), share, rng, poll); err != nil {
				return structure.Certificate{}, err
			}
		}
		trace.Steps += int64(steps)
		trace.Accepted += w.Accepted
		trace.Temperature = levels[len(levels)-1]
		if cert = w.finish(dst, cert); cert.Optimal {
			trace.runs = run + 1
			break
		}
		if trace.runs = run + 1; p.progress != nil && trace.runs < p.Runs {
			p.progress(1)
		}
	}
	return cert, nil
}

// Levels returns the temperatures of the method, given the range of scores.
func (p *Process) Levels(spread float64, parts int, logCount float64) []float64 {
	n := float64(max(2, parts))
	if p.Method == Metropolis {
		return []float64{spread / (10 * n)}
	}
	factor := 1 - 1/math.Sqrt(n)
	if p.Epsilon > 0 {
		last := p.Epsilon / (logCount - math.Log(p.Delta))
		found := []float64{}
		for t := spread; t > last; t *= factor {
			found = append(found, t)
		}
		return append(found, last)
	}
	found := make([]float64, int(math.Ceil(2*math.Log(4*n)/-math.Log(factor))))
	for i, t := 0, spread; i < len(found); i, t = i+1, t*factor {
		found[i] = t
	}
	return found
}

// ends are the first output of a search, and bounds on scores.
type ends struct {
	space   structure.Space
	starter structure.Searcher // nil: none
	exact   structure.Decoder  // without a starter; nil: none
	sampler structure.Sampler  // nil: none
	poll    func() error
}

func newEnds(space structure.Space, poll func() error) (*ends, error) {
	e := &ends{space: space, poll: poll}
	e.starter, _ = space.(structure.Searcher)
	e.sampler, _ = space.(structure.Sampler)
	if e.starter == nil {
		e.exact, _ = space.(structure.Decoder)
		if e.sampler == nil && e.exact == nil {
			return nil, &structure.CapabilityError{
				Structure: structure.Describe(space),
				Need:      "a uniform sampler, for outputs to begin with",
			}
		}
	}
	return e, nil
}

// start writes the first output.
func (e *ends) start(dst []int32, score structure.Scores, source *rand.PCG) (structure.Certificate, error) {
	if e.starter != nil {
		return e.starter.Start(dst, score, e.poll)
	}
	bound := math.Inf(1)
	if e.exact != nil {
		cert, err := e.exact.Decode(dst, score)
		if err != nil || e.sampler == nil {
			return cert, err
		}
		bound = cert.UpperBound
	}
	e.sampler.Sample(dst, rand.New(source))
	psi := make([]float64, e.space.FeatureLen())
	e.space.Embed(psi, dst)
	return structure.Certificate{Value: score.Value(psi), UpperBound: bound, Nu: 1}, nil
}

// spread returns a bound on the difference of any two scores, given one on all of them: the least score is the negative
// of the largest one for the negated scores.
func (e *ends) spread(score structure.Scores, bound float64) (float64, error) {
	negated := structure.Scores{Linear: negative(score.Linear)}
	if score.Magnitude != nil {
		negated.Magnitude = negative(score.Magnitude)
	}
	y := make([]int32, e.space.PartLen())
	switch {
	case e.starter != nil:
		cert, err := e.starter.Start(y, negated, e.poll)
		return bound + cert.UpperBound, err
	case e.exact != nil:
		cert, err := e.exact.Decode(y, negated)
		return bound + cert.UpperBound, err
	}
	return 0, &structure.CapabilityError{
		Structure: structure.Describe(e.space),
		Need:      "a decoder that bounds scores, for temperatures of its own",
	}
}

package maxmargin

import (
	"math"
	"math/rand/v2"

	"combpred/core/decode"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// oracle finds the output of largest score, or a good one.
type oracle struct {
	space   structure.Space
	one     decode.One        // nil where candidates are drawn
	sampler structure.Sampler // of candidates
	count   int
	seed    uint64
	source  rand.PCG
	rng     *rand.Rand
	parts   []int32
	trial   []float64
}

func newOracle(p *Problem, poll func() error) (*oracle, error) {
	o := &oracle{space: p.Space, count: p.Candidates, seed: p.Seed, parts: make([]int32, p.Space.PartLen())}
	if p.Candidates == 0 {
		var err error
		o.one, err = decode.NewOne(p.Space, p.Method, p.Seed, poll)
		return o, err
	}
	var ok bool
	if o.sampler, ok = p.Space.(structure.Sampler); !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(p.Space), Need: "a Sampler, to draw candidates"}
	}
	o.rng = rand.New(&o.source)
	o.trial = make([]float64, p.Space.FeatureLen())
	return o, nil
}

// find writes ψ of the output found in a step to psi and says whether it is proven best.
func (o *oracle) find(psi []float64, score structure.Scores, step int) (bool, error) {
	if o.one != nil {
		cert, err := o.one(o.parts, score, step)
		if err != nil {
			return false, err
		}
		o.space.Embed(psi, o.parts)
		return cert.Optimal, nil
	}
	parallel.Stream(&o.source, o.seed, step)
	best := math.Inf(-1)
	for range o.count {
		o.sampler.Sample(o.parts, o.rng)
		o.space.Embed(o.trial, o.parts)
		if v := score.Value(o.trial); v > best {
			best = v
			copy(psi, o.trial)
		}
	}
	return false, nil
}

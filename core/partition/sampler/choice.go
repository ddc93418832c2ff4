package sampler

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

const (
	// trialDraws is the number of uniform outputs that tell how many proposals coupling takes.
	trialDraws = 64
	// mostProposals bounds the uniform proposals that AutoSampler makes for all rows.
	mostProposals = 1e7
)

// chains are the chains that AnyChain tries, in this order.
var chains = []chain.Method{chain.LocalMoves, chain.Meta}

// able returns the samplers that may be used, the best first; a *structure.CapabilityError where there is none.
//
// The exact one is first: where the heat bath could take its place, it is ten times as fast.
func (r *run) able() ([]estimate.Sampler, error) {
	switch r.opt.Sampler {
	case estimate.AutoSampler:
	case AnyChain:
		s, err := r.anyChain()
		return []estimate.Sampler{s}, err
	case estimate.ExactSampler:
		return []estimate.Sampler{r.opt.Sampler}, drawable(r.space)
	default:
		return []estimate.Sampler{r.opt.Sampler}, r.capable(chain.Method(r.opt.Sampler))
	}
	var found []estimate.Sampler
	if r.opt.Start == nil {
		seconds, err := partition.Seconds(r.space, true)
		if err == nil && seconds*float64(max(r.opt.Rows, r.rows.Len())) <= r.opt.ExactSeconds && partition.Drawable(r.space) {
			return []estimate.Sampler{estimate.ExactSampler}, nil
		}
		if r.capable(chain.MonotonePast) == nil {
			return []estimate.Sampler{estimate.Sampler(chain.MonotonePast)}, nil
		}
		if r.capable(chain.FromPast) == nil {
			found = append(found, estimate.Sampler(chain.FromPast))
		}
	}
	last, err := r.anyChain()
	return append(found, last), err
}

// drawable returns the error of a structure from which package partition cannot draw.
func drawable(space structure.Space) error {
	if partition.Drawable(space) {
		return nil
	}
	if _, _, err := partition.Choose(space, true); err != nil {
		return err
	}
	return &structure.CapabilityError{Structure: structure.Describe(space), Need: "a recursion that draws outputs"}
}

// capable returns a *structure.CapabilityError for a method for which the structure lacks something.
func (r *run) capable(method chain.Method) error {
	if _, samples := r.space.(structure.Sampler); samples && method.Bounded() && r.opt.Bound != nil {
		return nil
	}
	if r.external != nil {
		return r.external.Capable(method)
	}
	return chain.Capable(r.space, method)
}

func (r *run) anyChain() (estimate.Sampler, error) {
	var err error
	for _, method := range chains {
		if err = chain.Capable(r.space, method); err == nil {
			return estimate.Sampler(method), nil
		}
	}
	return AnyChain, err
}

// promising returns the samplers without uniform proposals that are likely to take long, where there are others.
//
// A sample takes 1/β proposals on average, for β = E exp(h − max h) under the uniform distribution, of which scores of uniform outputs tell
// no less than is true: they show no score above the largest. A bound that is given takes the place of max h.
func (r *run) promising(able []estimate.Sampler) ([]estimate.Sampler, error) {
	n := r.rows.Len()
	if len(able) == 1 || n == 0 {
		return able, nil
	}
	values, err := r.trial()
	if err != nil {
		return nil, err
	}
	most, needed := 0.0, 0.0
	for i, h := range values {
		top := floats.Max(h)
		if r.opt.Bound != nil {
			top = r.opt.Bound[i]
		}
		steps := math.Exp(top + math.Log(trialDraws) - floats.LogSumExp(h))
		most, needed = max(most, steps), needed+steps
	}
	if float64(r.opt.Draws)*needed <= mostProposals && 4*most <= trialDraws {
		return able, nil
	}
	return able[1:], nil
}

// trial returns the scores of uniform outputs for each row.
func (r *run) trial() ([][]float64, error) {
	values, scores := make([][]float64, r.rows.Len()), make([]structure.Scores, r.rows.Len())
	for i := range values {
		values[i], scores[i] = make([]float64, trialDraws), r.row(i)
		if err := structure.CheckScores(scores[i].Linear); err != nil {
			return nil, fault.At(i, err)
		}
	}
	each := func(mon *parallel.Monitor) error {
		return estimate.UniformScores(values, r.space, scores, 0, trialDraws, mon)
	}
	if r.external != nil {
		return values, r.external.Run(trialDraws, r.mon, each)
	}
	return values, each(r.mon)
}

package chain

import (
	"fmt"
	"math"
	"math/rand/v2"

	"combpred/core/structure"
)

// Proposals are the uniform outputs and exponential numbers that the chain META draws: z and E = −ln u. A state y takes
// the proposal if h(y) ≤ h(z) + E, its reach. A proposal that reaches the bound on all scores is taken by every state:
// after it the chains from all starts are the same. The mean number of proposals up to the first such one is
// 1/E exp(h − bound) under the uniform distribution.
//
// A Proposals is not safe for concurrent use.
type Proposals struct {
	space   structure.Space
	sampler structure.Sampler
	score   structure.Scores
	bound   float64
	total   float64
	budget  int
	poll    func() error

	source rand.PCG
	rng    *rand.Rand
	psi    []float64
	past   []proposal
	logSum float64 // ln Σ exp(h − bound) over the proposals of a draw
}

// proposal is one proposal of the past, without its output: source draws that again.
type proposal struct {
	value, reach float64
	source       rand.PCG
}

// MaxBudget bounds the proposals of one draw by CFTP, which keeps 32 bytes of each.
const MaxBudget = 1 << 26

// NewProposals prepares exact samplers of one score vector. bound must not be less than the score of any output, see
// UpperBound; an output drawn that scores more is a *BoundError. No draw takes more than budget proposals. poll may be
// nil; otherwise it is called every few milliseconds and its first error ends the draw. A structure without an exactly
// uniform Sampler is a *structure.CapabilityError.
func NewProposals(space structure.Space, score structure.Scores, bound float64, budget int, poll func() error) (
	*Proposals, error) {
	sampler, err := samplerOf(space)
	if err != nil {
		return nil, err
	}
	if poll == nil {
		poll = func() error { return nil }
	}
	p := &Proposals{
		space: space, sampler: sampler, score: score, bound: bound, total: total(score),
		budget: min(budget, MaxBudget), poll: poll, psi: make([]float64, space.FeatureLen()),
	}
	p.rng = rand.New(&p.source)
	return p, nil
}

// Rejection writes the first proposal that reaches the bound to dst, an exact sample, and returns how many proposals it
// took. source is left where the draw ended.
func (p *Proposals) Rejection(dst []int32, source *rand.PCG) (steps int, err error) {
	p.source = *source
	p.logSum = math.Inf(-1)
	for steps < p.budget {
		value, reach, err := p.propose(dst, steps)
		if err != nil {
			return 0, err
		}
		if steps++; reach >= p.bound {
			*source = p.source
			return steps, p.checkTop(value)
		}
	}
	return 0, p.exhausted("rejection sampling")
}

// CFTP writes the state of the chain META at time 0, started in the infinite past, to dst: an exact sample. Going back
// in time, the first proposal that reaches the bound is the state of all chains after it; from there the same proposals
// are gone through forwards. It returns how far back that was, and how many proposals were taken from there on.
// source is left where the draw ended.
func (p *Proposals) CFTP(dst []int32, source *rand.PCG) (steps, accepted int, err error) {
	p.source = *source
	p.logSum = math.Inf(-1)
	p.past = p.past[:0]
	for coalesced := false; !coalesced; {
		if len(p.past) >= p.budget {
			return 0, 0, p.exhausted("coupling from the past")
		}
		before := p.source
		value, reach, err := p.propose(dst, len(p.past))
		if err != nil {
			return 0, 0, err
		}
		p.past = append(p.past, proposal{value, reach, before})
		coalesced = reach >= p.bound
	}
	*source = p.source
	last := len(p.past) - 1
	state, accepted := p.past[last], 1
	for i := last - 1; i >= 0; i-- {
		if p.past[i].reach >= state.value {
			state = p.past[i]
			accepted++
		}
	}
	p.source = state.source
	p.sampler.Sample(dst, p.rng)
	return last + 1, accepted, p.checkTop(state.value)
}

// propose draws the next proposal to dst and returns its score and its reach.
func (p *Proposals) propose(dst []int32, number int) (value, reach float64, err error) {
	if number%pollSteps(len(dst)) == 0 {
		if err := p.poll(); err != nil {
			return 0, 0, err
		}
	}
	p.sampler.Sample(dst, p.rng)
	p.space.Embed(p.psi, dst)
	value = p.score.Value(p.psi)
	p.logSum = logAdd(p.logSum, value-p.bound)
	return value, value + p.rng.ExpFloat64(), p.checkTop(value)
}

func (p *Proposals) checkTop(value float64) error { return checkBound(value, p.bound, p.total) }

// exhausted says how many proposals would have been needed, by the mean of those that were drawn.
func (p *Proposals) exhausted(method string) error {
	log10 := (math.Log(float64(p.budget)) - p.logSum) / math.Ln10
	return &BudgetError{
		Method: method, Steps: int64(p.budget),
		Figure: fmt.Sprintf("by the scores of these proposals it takes about 10^%.1f of them", log10),
	}
}

// logAdd returns ln(exp a + exp b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// pollSteps returns after how many steps on outputs of so many parts to poll: within about a millisecond.
func pollSteps(parts int) int { return min(256, 1+1<<14/max(parts, 1)) }

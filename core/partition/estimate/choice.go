package estimate

import (
	"errors"
	"math"
	"math/big"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/partition"
	"combpred/core/structure"
)

const (
	// trialDraws is the number of uniform outputs that tell whether coupling from the past is affordable.
	trialDraws = 1024
	// mostOperations bounds those of a recursion at each level.
	mostOperations = 1e8
)

// autoOrder is the order in which AutoSampler tries samplers.
var autoOrder = []Sampler{
	Sampler(chain.MonotonePast), ExactSampler, Sampler(chain.FromPast), Sampler(chain.LocalMoves), Sampler(chain.Meta),
}

// exceedsBound is the error of an output whose score is beyond the bound that was given.
func exceedsBound(value, bound float64) error {
	return fault.Value("an output scores %.6g, beyond the bound %.6g on the magnitudes of all scores; correct bound", value, bound)
}

// boundSlack is the rounding allowed between a bound and a score.
const boundSlack = 1e-9

// refuseExceeded returns an error where a draw scores beyond the bound that was given.
func (t *task) refuseExceeded(values []float64) error {
	if !t.hasBound {
		return nil
	}
	extreme := 0.0
	for _, v := range values {
		if math.Abs(v) > math.Abs(extreme) {
			extreme = v
		}
	}
	if math.Abs(extreme) > t.bound+boundSlack*(1+t.bound) {
		return exceedsBound(extreme, t.bound)
	}
	return nil
}

// top returns a bound on the scores of all outputs: the one given, or what the structure proves.
func (t *task) top(score structure.Scores) (float64, error) {
	if t.hasBound {
		return t.bound, nil
	}
	v, err := scoreBound(t.space, score, t.mon.Err)
	if _, lacks := errors.AsType[*structure.CapabilityError](err); lacks {
		return v, fault.Wrap("%w, or give bound=, a number that no |⟨s, ψ(y)⟩| exceeds", err)
	}
	return v, err
}

// scoreBound returns a proven bound on all scores.
func scoreBound(space structure.Space, score structure.Scores, poll func() error) (float64, error) {
	one, err := decode.NewOne(space, decode.Auto, 0, poll)
	if err != nil {
		return 0, err
	}
	certificate, err := one(make([]int32, space.PartLen()), score, 0)
	return certificate.UpperBound, err
}

// spread returns a bound on the range of the scores of all outputs.
func (t *task) spread() (float64, error) {
	up, err := t.top(t.scores)
	if err != nil {
		return 0, err
	}
	negative := make([]float64, len(t.scores.Linear))
	for i, v := range t.scores.Linear {
		negative[i] = -v
	}
	down, err := t.top(structure.Scores{Linear: negative})
	return up + down, err
}

// fixedSchedule returns the schedule that follows from bounds on scores; nil for the adaptive one.
func (t *task) fixedSchedule() (*Schedule, error) {
	if t.opt.Levels == Adaptive {
		return nil, nil
	}
	var reach float64
	switch {
	case t.hasBound:
		reach = t.bound
	case t.opt.Levels == Thesis:
		score := structure.Scores{Linear: make([]float64, len(t.scores.Linear)), Magnitude: make([]float64, len(t.scores.Linear))}
		for i := range score.Magnitude {
			score.Magnitude[i] = 1
		}
		squared, err := t.top(score)
		if err != nil {
			return nil, err
		}
		reach = math.Sqrt(max(squared, 0)) * blas64.Nrm2(blas64.Vector{N: len(t.scores.Linear), Inc: 1, Data: t.scores.Linear})
	default:
		spread, err := t.spread()
		if err != nil {
			return nil, err
		}
		reach = max(spread, 0) / 2
	}
	s, err := EvenSchedule(reach, t.opt.Epsilon, t.opt.Delta, t.opt.Levels == Thesis)
	return &s, err
}

// levelsOf returns the sampler and its draws; a *structure.CapabilityError where the structure lacks what it needs.
func (t *task) levelsOf(fixed *Schedule) (Sampler, levels, error) {
	if t.opt.Sampler != AutoSampler {
		l, err := t.levels(t.opt.Sampler)
		return t.opt.Sampler, l, err
	}
	last := autoOrder[len(autoOrder)-1]
	for _, s := range autoOrder[:len(autoOrder)-1] {
		l, err := t.affordable(s, fixed)
		if err == nil && l != nil {
			return s, l, nil
		}
		if err != nil && !lacking(err) {
			return s, nil, err
		}
	}
	l, err := t.levels(last)
	return last, l, err
}

// lacking reports whether an error says that a structure cannot do something.
func lacking(err error) bool {
	_, capability := errors.AsType[*structure.CapabilityError](err)
	_, limit := errors.AsType[*structure.LimitError](err)
	return capability || limit
}

// affordable returns the draws of a sampler if their expected cost is within the budget, and otherwise nil.
func (t *task) affordable(s Sampler, fixed *Schedule) (levels, error) {
	beta := 0.0
	switch s {
	case ExactSampler:
		if !partition.Drawable(t.space) {
			return nil, nil
		}
		if _, cost, err := partition.Choose(t.space, false); err != nil || cost > mostOperations {
			return nil, err
		}
		beta = 1 // what it lacks shows at once
	case Sampler(chain.FromPast):
		top, err := t.top(t.scores)
		if err != nil {
			return nil, err
		}
		trial, err := t.uniform(trialDraws)
		if err != nil {
			return nil, err
		}
		if err := t.refuseExceeded(trial.value); err != nil {
			return nil, err
		}
		var reached float64
		for _, v := range trial.value {
			reached += math.Exp(v-top) / trialDraws
		}
		needed, err := t.expectedDraws(fixed)
		if err != nil || !(needed <= float64(t.opt.MaxSteps)*reached) {
			return nil, err
		}
	default:
		if err := chain.Capable(t.space, chain.Method(s)); err != nil {
			return nil, err
		}
	}
	l, err := t.levels(s)
	if err != nil {
		return nil, err
	}
	_, err = l.draw(beta, 1)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// expectedDraws returns about how many draws the estimate takes: by √ln|Y| levels where these are not known yet.
func (t *task) expectedDraws(fixed *Schedule) (float64, error) {
	if fixed != nil {
		return float64(fixed.Repeats) * fixed.Draws * float64(len(fixed.batches())), nil
	}
	logCount, err := structure.LogCount(t.space)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(logCount) {
		return 0, unknownCount(t.space)
	}
	steps := max(logCount, 1)
	repeats, off := CheapestRepeats(t.opt.Delta)
	share := (math.Sqrt2 + t.opt.Epsilon) / t.opt.Epsilon
	return float64(repeats) * 2 * steps * share * share / off, nil
}

func unknownCount(space structure.Space) error {
	return &structure.CapabilityError{Structure: structure.Describe(space),
		Need: "the number of its outputs, which is not known at this size"}
}

// free reports whether a space is that of all subsets of a set.
func free(space structure.Space) bool {
	counter, counts := space.(structure.Counter)
	return counts && space.Facts().Lattice != nil && counter.Count().Cmp(new(big.Int).Lsh(big.NewInt(1), uint(space.PartLen()))) == 0
}

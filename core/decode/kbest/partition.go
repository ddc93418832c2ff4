package kbest

import (
	"errors"
	"fmt"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// FeatureError says that an entry of ψ takes values other than −1, 0 and 1, so that the space cannot be partitioned.
type FeatureError struct {
	Structure string
	Feature   int
	Min, Max  float64 // values that it takes
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("%s: feature %d takes values from %g to %g, and the best outputs can be listed in order only where "+
		"features are -1, 0 or 1 or the outputs few", e.Structure, e.Feature, e.Min, e.Max)
}

// EveryRow is true: it is so for any scores.
func (e *FeatureError) EveryRow() bool { return true }

func (e *FeatureError) Kind() fault.Kind { return fault.KindCapability }

// partition lists outputs by a machine, whose requests the decoder of the space answers.
func (l *lister) partition(yield emit) error {
	if err := structure.Prepare(l.space, l.mon.Err); err != nil {
		return err
	}
	m := NewMachine(l.space, l.score, l.nu, l.most, batchNumbers/max(1, l.space.FeatureLen()))
	var answers []int32
	var none []bool
	for {
		r, err := m.Next(answers, none)
		if err != nil {
			return err
		}
		answers, none = nil, nil
		switch r.Ask {
		case Done:
			return nil
		case Listed:
			if !yield(r.Parts, r.Value) {
				return nil
			}
		case Decode:
			if answers, none, err = l.answer(&r); err != nil {
				return err
			}
		}
	}
}

// answer finds the outputs that a request asks for, under the masks of subproblems where the space takes masks.
func (l *lister) answer(r *Request) (answers []int32, none []bool, err error) {
	p := l.space.PartLen()
	answers = make([]int32, r.Linear.Rows*p)
	if none = make([]bool, r.Linear.Rows); r.Domains != nil {
		err = l.decodeWithin(answers, none, r.Domains)
	}
	if _, lacks := errors.AsType[*structure.CapabilityError](err); lacks || r.Domains == nil {
		none = nil
		err = decode.Batch(structure.OneSpace(l.space, r.Linear, r.Magnitude), decode.Exact, 0, answers, nil, l.workers, l.mon)
	}
	if err == nil || errors.Is(err, parallel.ErrCancelled) {
		return answers, none, err
	}
	if limit, ok := errors.AsType[*structure.LimitError](err); ok {
		alone := *limit
		alone.Alternatives = "decode for the best one alone"
		err = &alone
	}
	// A row would be the number of the subproblem.
	return nil, nil, fault.At(fault.NoRow, fault.Wrap("outputs are listed in order by exact decodings, and %w", err))
}

// decodeWithin writes a best output of each subproblem to answers, or says in none that there is none.
func (l *lister) decodeWithin(answers []int32, none []bool, domains [][]structure.Values) error {
	p := l.space.PartLen()
	return parallel.For(len(domains), 1, l.workers, l.mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			mask := structure.NewMask()
			mask.Entries = domains[i]
			err := l.bestWithin(mask, answers[i*p:(i+1)*p])
			if none[i] = errors.Is(err, structure.ErrNone); err != nil && !none[i] {
				return err
			}
		}
		return nil
	})
}

// bestWithin writes a best output that a mask allows to dst.
func (l *lister) bestWithin(mask structure.Mask, dst []int32) error {
	space, err := structure.Within(l.space, mask)
	if err != nil {
		return err
	}
	_, err = space.(structure.Decoder).Decode(dst, l.score)
	return err
}

// batchNumbers is the number of scores in a batch of subproblems.
const batchNumbers = 1 << 21

package kbest

import (
	"errors"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// batchNumbers is the number of scores in a batch of subproblems.
const batchNumbers = 1 << 21

// partition lists outputs by a partition in which the decoder of the space decodes.
func (l *lister) partition(yield emit) error {
	if err := structure.Prepare(l.space, l.mon.Err); err != nil {
		return err
	}
	return newPartition(l.space, l.score, batchNumbers/max(1, l.space.FeatureLen()), l.best).list(l.nu, l.most, yield)
}

// best finds the best outputs of subproblems, under masks where the space takes masks.
func (l *lister) best(of Subproblems, dst []int32) (none []bool, err error) {
	if none = make([]bool, of.Linear.Rows); of.Domains != nil {
		err = l.decodeWithin(dst, none, of.Domains)
	}
	if _, lacks := errors.AsType[*structure.CapabilityError](err); lacks || of.Domains == nil {
		none = nil
		err = decode.Batch(structure.OneSpace(l.space, of.Linear, of.Magnitude), decode.Exact, 0, dst, nil, l.workers, l.mon)
	}
	if err == nil || errors.Is(err, parallel.ErrCancelled) {
		return none, err
	}
	if limit, ok := errors.AsType[*structure.LimitError](err); ok {
		alone := *limit
		alone.Alternatives = "decode for the best one alone"
		err = &alone
	}
	// A row would be the number of the subproblem.
	return nil, fault.At(fault.NoRow, fault.Wrap("outputs are listed in order by exact decodings, and %w", err))
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

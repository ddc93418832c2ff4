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
	d, p := max(1, l.space.FeatureLen()), l.space.PartLen()
	m := NewMachine(l.space, l.score, l.nu, l.most, batchNumbers/d)
	var answers []int32
	for {
		r, err := m.Next(answers)
		if err != nil {
			return err
		}
		switch r.Ask {
		case Done:
			return nil
		case Listed:
			if answers = nil; !yield(r.Parts, r.Value) {
				return nil
			}
		case Decode:
			answers = make([]int32, r.Linear.Rows*p)
			err := decode.Batch(l.space, r.Linear, r.Magnitude, decode.Exact, 0, answers, nil, l.workers, l.mon)
			if errors.Is(err, parallel.ErrCancelled) {
				return err
			}
			if limit, ok := errors.AsType[*structure.LimitError](err); ok {
				alone := *limit
				alone.Alternatives = "decode for the best one alone"
				err = &alone
			}
			if err != nil { // a row would be the number of the subproblem
				return fault.At(fault.NoRow, fault.Wrap("outputs are listed in order by exact decodings, and %w", err))
			}
		}
	}
}

// batchNumbers is the number of scores in a batch of subproblems.
const batchNumbers = 1 << 21

package chain

import (
	"fmt"

	"combpred/core/fault"
)

// BudgetError says that an exact sampler was not done within its budget. There is no sample then.
type BudgetError struct {
	Method string // the sampler, such as "coupling from the past"
	Draw   int    // the number of the sample, from 0 on
	Steps  int64  // steps made
	Figure string // what they say about how many it takes
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("sample %d: %s did not end within %d steps; %s", e.Draw, e.Method, e.Steps, e.Figure)
}

func (e *BudgetError) Kind() fault.Kind { return fault.KindBudget }

// BoundError says that an output scores more than the bound on all scores that was given.
type BoundError struct{ Value, Bound float64 }

func (e *BoundError) Error() string {
	return fmt.Sprintf("an output scores %.6g, more than the bound %.6g on all scores; correct bound", e.Value, e.Bound)
}

package fit

import (
	"math"
	"testing"

	"combpred/core/structure"
)

// The problem in the weights of features has the moments, the coordinates and the number of members of its space.
func TestPrimalTask(t *testing.T) {
	s := space(t, "permutations", sized(4))
	o := plain()
	o.Shift = 1
	task, err := o.Primal(s)
	if err != nil {
		t.Fatal(err)
	}
	if task.Share != 2.0/24 || !task.Margin || !task.Intercept || task.Lambda != 1 || len(task.Mean) != 6 || task.Coord.Distinct() != 2 {
		t.Errorf("%+v", task)
	}
	if task, err = o.Primal(space(t, "permutations", sized(1000))); err != nil || task.Share != 0 {
		t.Errorf("the share of one of 1000! rankings is %v, error %v", task.Share, err)
	}
	o.Loss = "squared"
	if task, err = o.Primal(s); err != nil || task.Margin || task.Coord.Distinct() != 1 || task.Structure != structure.Describe(s) {
		t.Errorf("%+v, %v", task, err)
	}
	o.Shift = 0.5
	if _, err := o.Primal(s); err == nil {
		t.Error("a constant feature of another number than 1 is taken")
	}
	o.Shift, o.Alpha = 0, math.NaN()
	if _, err := o.Primal(s); err == nil {
		t.Error("a penalty of NaN is taken")
	}
}

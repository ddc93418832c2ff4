package dual

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// indefinite is how far below zero, relative to the largest, rounding may take an eigenvalue of a positive semi-definite matrix.
const indefinite = 1e-8

// definiteness watches the products of an iteration for a sign that K̃ is not positive semi-definite.
type definiteness struct {
	scale float64 // what is known of the largest eigenvalue of K̃: at first the operator's Scale, then ‖K̃d‖/‖d‖
}

// check returns an error if kd = K̃d shows negative curvature beyond rounding.
func (w *definiteness) check(d, kd matrix) error {
	var form, dd, kk float64
	for i := range d.Rows {
		form += linalg.Dot(d.Row(i), kd.Row(i))
		dd += linalg.Dot(d.Row(i), d.Row(i))
		kk += linalg.Dot(kd.Row(i), kd.Row(i))
	}
	if err := solve.CheckFinite(form); err != nil {
		return err
	}
	if dd > 0 {
		w.scale = max(w.scale, math.Sqrt(kk/dd))
	}
	if form < -indefinite*w.scale*dd {
		return fault.Numerical("the kernel matrix is not positive semi-definite")
	}
	return nil
}

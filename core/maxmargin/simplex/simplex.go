// Package simplex maximises concave quadratic functions over the simplex, of few variables: the dual of the problem that cutting planes
// solve in each iteration, and the nearest point of a polytope.
package simplex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

const (
	negligible = 1e-15 // of the sum of magnitudes that make up a derivative: gains below it are none
	ridge      = 1e-13 // of the trace, added where equations are solved for a step: planes may depend on each other
)

// Maximise moves x to the maximum of ⟨b, x⟩ − ½xᵀQx over the simplex x ≥ 0, Σx = 1, or to within gap of it, Q being positive
// semi-definite (k×k) and x a point of the simplex to begin with; the value never falls.
//
// It is an active-set method: the variable of largest derivative joins those that are free, whose maximum under the sum is found by linear
// equations; where that is outside the simplex, the first variable to vanish on the way leaves (Wolfe 1976, "Finding the nearest point in
// a polytope"). A round costs O(k³) for k free variables, and few are free.
func Maximise(gram linalg.Matrix[float64], b, x []float64, gap float64, mon *parallel.Monitor) error {
	k := len(b)
	free := make([]bool, k)
	for i, v := range x {
		free[i] = v > 0
	}
	for range 20 * k {
		if err := toFaceMaximum(gram, b, x, free, mon); err != nil {
			return err
		}
		joining, along, size := 0, 0.0, 0.0
		best := math.Inf(-1)
		for i := range k {
			derivative, magnitude := b[i], math.Abs(b[i])
			for j, v := range gram.Row(i) {
				derivative -= v * x[j]
				magnitude += math.Abs(v) * x[j]
			}
			along += x[i] * derivative
			size = max(size, magnitude)
			if derivative > best {
				best, joining = derivative, i
			}
		}
		// By concavity, the maximum is at most by best − ⟨x, derivative⟩ above the value at x.
		if free[joining] || best <= along+max(negligible*size, gap) {
			break
		}
		free[joining] = true
	}
	sum := linalg.Sum(x)
	for i := range x {
		x[i] /= sum
	}
	return nil
}

// toFaceMaximum moves x to the maximum over the free variables, taking those that vanish out of them.
func toFaceMaximum(gram linalg.Matrix[float64], b, x []float64, free []bool, mon *parallel.Monitor) error {
	var at []int
	for i, f := range free {
		if f {
			at = append(at, i)
		}
	}
	for {
		if err := mon.Err(); err != nil {
			return err
		}
		step, err := faceStep(gram, b, x, at)
		if err != nil {
			return err
		}
		first, ratio, inside := -1, math.Inf(1), true
		for k, i := range at {
			if x[i]+step[k] > 0 {
				continue
			}
			inside = false
			r := 0.0 // free at zero, and staying there
			if step[k] < 0 {
				r = x[i] / -step[k]
			}
			if r < ratio {
				first, ratio = k, r
			}
		}
		if inside {
			for k, i := range at {
				x[i] += step[k]
			}
			return nil
		}
		for k, i := range at {
			x[i] = max(x[i]+min(ratio, 1)*step[k], 0)
		}
		x[at[first]], free[at[first]] = 0, false
		at = append(at[:first], at[first+1:]...)
	}
}

// faceStep returns the way from x to the maximum over the variables at.
func faceStep(gram linalg.Matrix[float64], b, x []float64, at []int) ([]float64, error) {
	n := len(at)
	system := linalg.NewMatrix[float64](n+1, n+1)
	step := make([]float64, n+1)
	var trace float64
	for k, i := range at {
		row, q := system.Row(k), gram.Row(i)
		step[k] = b[i] // the residual at x: the ridge then bends no maximum
		for l, j := range at {
			row[l] = q[j]
			step[k] -= q[j] * x[j]
		}
		row[n], system.Row(n)[k] = 1, 1
		trace += q[i]
	}
	if trace == 0 {
		trace = 1
	}
	for k := range at {
		system.Row(k)[k] += ridge * trace
	}
	pivots := make([]int, n+1)
	if !lapack64.Getrf(linalg.General(system), pivots) {
		return nil, fault.Numerical("the equations of a step are singular; scale the inputs, or lower C")
	}
	lapack64.Getrs(blas.NoTrans, linalg.General(system), blas64.General{Rows: n + 1, Cols: 1, Stride: 1, Data: step}, pivots)
	return step[:n], nil
}

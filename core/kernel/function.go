package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// Kind is a kernel of inputs.
type Kind int

const (
	Linear Kind = iota
	Polynomial
	RBF
	Laplacian
	Cosine
)

// Function is a kernel with its parameters.
type Function struct {
	Kind   Kind
	Gamma  float64 // of Polynomial, RBF and Laplacian; positive
	Degree float64 // of Polynomial; at least 0
	Coef0  float64 // of Polynomial
}

// Check returns an error unless the kernel and the parameters that it uses are legal.
func (f Function) Check() error {
	if f.Kind < Linear || f.Kind > Cosine {
		return fault.Value("there is no kernel number %d", f.Kind)
	}
	if f.usesGamma() && !(f.Gamma > 0 && f.Gamma <= math.MaxFloat64) {
		return fault.Value("gamma is %g, must be positive and finite", f.Gamma)
	}
	if f.Kind != Polynomial {
		return nil
	}
	if !(f.Degree >= 0 && f.Degree <= math.MaxFloat64) {
		return fault.Value("degree is %g, must be finite and at least 0", f.Degree)
	}
	if f.Coef0-f.Coef0 != 0 {
		return fault.Value("coef0 is %g, must be finite", f.Coef0)
	}
	return nil
}

func (f Function) usesGamma() bool {
	return f.Kind == Polynomial || f.Kind == RBF || f.Kind == Laplacian
}

// Unit reports whether k(x, x) is 1 for every x.
func (f Function) Unit() bool { return f.Kind == RBF || f.Kind == Laplacian }

// rooted reports whether negative bases have no power.
func (f Function) rooted() bool { return f.Kind == Polynomial && f.Degree != math.Trunc(f.Degree) }

// RootError says that a polynomial kernel has no value where its base is negative.
type RootError struct{ Degree float64 }

func (e *RootError) Error() string {
	return fmt.Sprintf("gamma⟨x, x'⟩ + coef0 is negative there, and has no power of degree %g; take a whole degree, or a larger "+
		"coef0", e.Degree)
}

// powers overwrites inner products with the polynomial kernel.
func (f Function) powers(values []float64) {
	whole := int(min(f.Degree, maxWhole))
	if float64(whole) != f.Degree {
		for j, v := range values {
			values[j] = math.Pow(f.Gamma*v+f.Coef0, f.Degree)
		}
		return
	}
	for j, v := range values {
		base := f.Gamma*v + f.Coef0
		power := 1.0
		for e := whole; e > 0; e >>= 1 {
			if e&1 == 1 {
				power *= base
			}
			if e > 1 {
				base *= base
			}
		}
		values[j] = power
	}
}

// maxWhole is the largest degree of which powers are products: beyond it rounding adds up, and math.Pow is as fast.
const maxWhole = 32

// GammaScale returns 1 / (p·v) for the variance v of all entries of n rows of p features, those of row i counted weights[i] times
// (nil: once), or 1 where they do not vary. An overflow is an error, and so is a number that is not finite. Cost: O(n p), or O(nnz) for
// sparse rows.
func GammaScale(x Rows, weights []float64, workers int, mon *parallel.Monitor) (float64, error) {
	x = canonical(x)
	n, p := x.Len(), x.Features()
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	var mean float64
	deviations := make([]float64, n) // of each row: the sum, then the sum of squares around the mean
	pass := func(of func(values, buffer []float64) float64) error {
		return parallel.For(n, max(1, grainValues/max(p, 1)), workers, nil, func(lo, hi int) error {
			buffer := make([]float64, p)
			for i := lo; i < hi; i++ {
				values := rowAt(x, i).values
				deviations[i] = weight(i) * of(values, buffer[:len(values)])
			}
			return mon.Err()
		})
	}
	var total float64
	for i := range n {
		total += weight(i) * float64(p)
	}
	if total == 0 {
		return 1, nil
	}
	if err := pass(func(values, _ []float64) float64 { return floats.Sum(values) }); err != nil {
		return 0, err
	}
	mean = floats.Sum(deviations) / total
	if err := pass(func(values, buffer []float64) float64 {
		copy(buffer, values)
		floats.AddConst(-mean, buffer)
		return floats.Dot(buffer, buffer) + float64(p-len(values))*mean*mean
	}); err != nil {
		return 0, err
	}
	scale := float64(p) * (floats.Sum(deviations) / total)
	switch {
	case scale-scale != 0:
		for i := range n {
			for _, v := range rowAt(x, i).values {
				if v-v != 0 {
					return 0, fault.At(i, fault.Value("a feature is %g, must be finite", v))
				}
			}
		}
		return 0, fault.Value("gamma='scale' needs the variance of the inputs, which overflows: scale the inputs")
	case scale > 0:
		return 1 / scale, nil
	}
	return 1, nil
}

// norms returns what kernel values need to know of every row alone.
func (f Function) norms(x Rows) []float64 {
	switch f.Kind {
	case RBF:
		return norms(x)
	case Laplacian:
		return absolutes(x)
	case Cosine:
		return lengths(x)
	}
	return nil
}

// norms returns ‖x‖² of every row.
func norms(x Rows) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		v := rowAt(x, i).vector()
		out[i] = blas64.Dot(v, v)
	}
	return out
}

// absolutes returns ‖x‖₁ of every row.
func absolutes(x Rows) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = blas64.Asum(rowAt(x, i).vector())
	}
	return out
}

// lengths returns ‖x‖ of every row, computed without overflow.
func lengths(x Rows) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = blas64.Nrm2(rowAt(x, i).vector())
	}
	return out
}

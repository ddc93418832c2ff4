package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/fit"
	"combpred/core/kernel"
	"combpred/core/linalg"
)

// kernelFunction reads a kernel for inputs of p features.
func kernelFunction(in *C.cp_in_kernel_function, p int) (kernel.Function, error) {
	r, err := cabi.Record(in, "function")
	if err != nil {
		return kernel.Function{}, err
	}
	kind, err := named[kernel.Kind](catalogue.InputKernels, r.name, "name")
	if err != nil {
		return kernel.Function{}, err
	}
	f := kernel.Function{Kind: kind, Gamma: float64(r.gamma), Degree: float64(r.degree), Coef0: float64(r.coef0)}
	if f.Gamma == 0 {
		f.Gamma = 1 / float64(max(p, 1))
	}
	return f, f.Check()
}

// rowsOf returns all rows of features.
func rowsOf(in *C.cp_in_features, name string) (kernel.Rows, error) {
	x, _, err := readFeatures(in)
	if err != nil {
		return kernel.Rows{}, argumentNamed(err, name)
	}
	n, _ := x.Size()
	return x.Rows(0, n, new([]float64)), nil
}

// argumentNamed says which of several arguments of a kind an error is about.
func argumentNamed(err error, name string) error { return fault.Wrap("%s: %w", name, err) }

//export go_cp_kernel
func go_cp_kernel(function *C.cp_in_kernel_function, x, y *C.cp_in_features, first C.int64_t, kind *C.cp_in_char,
	values unsafe.Pointer, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		rows, e := rowsOf(x, "x")
		if e != nil {
			return e
		}
		others := rows
		if y != nil {
			if others, e = rowsOf(y, "y"); e != nil {
				return e
			}
		}
		if first < 0 || first > maxRows {
			return cabi.Illegal("first is %d, must be from 0 to %d", int64(first), maxRows)
		}
		f, e := kernelFunction(function, rows.Features())
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		number, e := named[catalogue.NumberType](catalogue.NumberTypes, kind, "type")
		if e != nil {
			return e
		}
		o := kernel.Options{First: int(first), Workers: t.workers, Monitor: t.mon}
		switch number {
		case catalogue.Float64:
			return kernelValues(f, rows, others, y == nil, values, o, (*kernel.Matrix).ValuesTo, (*kernel.Matrix).GramTo)
		case catalogue.Float32:
			return kernelValues(f, rows, others, y == nil, values, o, (*kernel.Matrix).SinglesTo, (*kernel.Matrix).SingleGramTo)
		}
		return cabi.Illegal("type is %q, must be float64 or float32", catalogue.NumberTypes.Of(int(number)))
	})
}

// kernelValues writes the kernel of x with y in one of two precisions.
func kernelValues[T linalg.Float](f kernel.Function, x, y kernel.Rows, itself bool, values unsafe.Pointer, o kernel.Options,
	between func(*kernel.Matrix, linalg.Matrix[T], kernel.Rows, kernel.Options) error,
	among func(*kernel.Matrix, linalg.Matrix[T], kernel.Options) error) error {
	n, m := x.Len(), y.Len()
	data, err := cabi.View[T](values, "values", int64(n), int64(m))
	if err != nil {
		return err
	}
	dst := linalg.Matrix[T]{Rows: n, Cols: m, Stride: max(m, 1), Data: data}
	k, err := kernel.New(f, y)
	if err != nil {
		return err
	}
	if itself {
		return among(k, dst, o)
	}
	return between(k, dst, x, o)
}

//export go_cp_kernel_scale
func go_cp_kernel_scale(x *C.cp_in_features, weights *C.cp_in_f64, gamma *C.double, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		rows, e := rowsOf(x, "x")
		if e != nil {
			return e
		}
		w, e := optionalFloat64s(weights, "weights", C.int64_t(rows.Len()))
		if e != nil {
			return e
		}
		for i, v := range w {
			if !(v >= 0) || v-v != 0 {
				return fault.At(i, fault.Value("the weight is %g, must be finite and not negative", v))
			}
		}
		out, e := cabi.One(gamma, "gamma")
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		scale, e := kernel.GammaScale(rows, w, t.workers, t.mon)
		*out = C.double(scale)
		return e
	})
}

//export go_cp_nearest
func go_cp_nearest(x, y *C.cp_in_features, m C.int64_t, numbers *C.int64_t, squares *C.double, workers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		rows, e := rowsOf(x, "x")
		if e != nil {
			return e
		}
		others, e := rowsOf(y, "y")
		if e != nil {
			return e
		}
		if m < 1 || m > C.int64_t(others.Len()) {
			return cabi.Illegal("m is %d, must be from 1 to the %d rows of y", int64(m), others.Len())
		}
		n := C.int64_t(rows.Len())
		dst, e := matrix(squares, "squares", n, m)
		if e != nil {
			return e
		}
		which, e := int64s(numbers, "numbers", n, m)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return kernel.NearestTo(which, dst, rows, others, t.workers, t.mon)
	})
}

// squareMatrix reads a matrix [n, n].
func squareMatrix(p *C.cp_in_f64, name string, n C.int64_t) (linalg.Matrix[float64], error) {
	if n < 1 || n > maxRows {
		return linalg.Matrix[float64]{}, cabi.Illegal("n is %d, must be from 1 to %d", int64(n), maxRows)
	}
	return matrix(p, name, n, n)
}

//export go_cp_kernel_check
func go_cp_kernel_check(values *C.cp_in_f64, n C.int64_t, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		k, e := squareMatrix(values, "kernel", n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return fit.CheckKernel(k, t.workers, t.mon)
	})
}

//export go_cp_kernel_semidefinite
func go_cp_kernel_semidefinite(values *C.cp_in_f64, n C.int64_t, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		k, e := squareMatrix(values, "kernel", n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		if e := fit.CheckKernel(k, t.workers, t.mon); e != nil {
			return e
		}
		return linalg.RequireSemidefinite(k, t.mon)
	})
}

//export go_cp_symmetric_eigen
func go_cp_symmetric_eigen(values *C.double, n C.int64_t, eigenvalues *C.double, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		a, e := squareMatrix(values, "matrix", n)
		if e != nil {
			return e
		}
		out, e := float64s(eigenvalues, "values", n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return linalg.EigenTo(out, a, t.workers, t.mon)
	})
}

// readOrders reads the argument of that name.
func readOrders(in *C.cp_in_orders, name string) (*kernel.Orders, error) {
	r, err := cabi.Record(in, name)
	if err != nil {
		return nil, err
	}
	if r.n < 0 || r.n > maxRows || r.n_items < 2 || r.n_items > kernel.MostItems {
		return nil, cabi.Illegal("%s: n and n_items are %d and %d: n must be from 0 to %d, n_items from 2 to %d", name, int64(r.n),
			int64(r.n_items), maxRows, kernel.MostItems)
	}
	o := &kernel.Orders{N: int(r.n), Items: int(r.n_items)}
	if r.positions != nil {
		o.Positions, err = float64s(r.positions, name+".positions", r.n, r.n_items)
		return o, err
	}
	o.Signs, err = cabi.View[int8](unsafe.Pointer(r.signs), name+".signs", int64(r.n), int64(r.n_items*(r.n_items-1)/2))
	return o, err
}

//export go_cp_order_kernel
func go_cp_order_kernel(function *C.cp_in_order_function, x, y *C.cp_in_orders, values *C.double, workers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		r, e := cabi.Record(function, "function")
		if e != nil {
			return e
		}
		kind, e := named[kernel.OrderKind](catalogue.OrderKernels, r.name, "name")
		if e != nil {
			return e
		}
		f := kernel.OrderFunction{Kind: kind, Gamma: float64(r.gamma)}
		if f.Normalize, e = flag(r.normalize, "normalize"); e != nil {
			return e
		}
		if f.Logarithms, e = flag(r.logarithms, "logarithms"); e != nil {
			return e
		}
		if f.MostDownsets, e = downsetsLimit(r.most_downsets); e != nil {
			return e
		}
		f.Epsilon, f.Delta, f.Seed = float64(r.epsilon), float64(r.delta), uint64(r.seed)
		f.Estimated = (*int64)(unsafe.Pointer(r.n_estimated))
		rows, e := readOrders(x, "x")
		if e != nil {
			return e
		}
		if f.Kappa, e = optionalFloat64s(r.kappa, "kappa", C.int64_t(rows.Items), C.int64_t(rows.Items)); e != nil {
			return e
		}
		if f.Weights, e = optionalFloat64s(r.weights, "weights", C.int64_t(rows.Items)); e != nil {
			return e
		}
		if f.Gamma == 0 {
			f.Gamma = 1 / (float64(rows.Items) * float64(rows.Items))
		}
		others, m := (*kernel.Orders)(nil), rows.N
		if y != nil {
			if others, e = readOrders(y, "y"); e != nil {
				return e
			}
			m = others.N
		}
		dst, e := matrix(values, "values", C.int64_t(rows.N), C.int64_t(m))
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return kernel.OrdersTo(dst, f, rows, others, t.workers, t.mon)
	})
}

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
	"combpred/core/parallel"
)

// argumentNamed says which of several arguments of a kind an error is about.
func argumentNamed(err error, name string) error { return fault.Wrap("%s: %w", name, err) }

// function returns a kernel for inputs of p features.
func (in *kernelFunctionIn) function(p int) (kernel.Function, error) {
	kind, err := catalogue.InputKernels.Number("name", in.name)
	if err != nil {
		return kernel.Function{}, err
	}
	f := kernel.Function{Kind: kernel.Kind(kind), Gamma: in.gamma, Degree: in.degree, Coef0: in.coef0}
	if f.Gamma == 0 {
		f.Gamma = 1 / float64(max(p, 1))
	}
	return f, f.Check()
}

// rows returns all rows of features, an argument of that name.
func (in *featuresIn) rows(name string) (kernel.Rows, error) {
	x, _, err := in.inputs()
	if err != nil {
		return kernel.Rows{}, argumentNamed(err, name)
	}
	n, _ := x.Size()
	return x.Rows(0, n, new([]float64)), nil
}

func doKernel(a *kernelArgs) error {
	rows, err := a.x.rows("x")
	others := rows
	if err == nil && a.y.given {
		others, err = a.y.rows("y")
	}
	if err != nil {
		return err
	}
	if err := checkCount(a.first, "first"); err != nil {
		return err
	}
	f, err := a.function.function(rows.Features())
	if err != nil {
		return err
	}
	number, err := catalogue.NumberTypes.Number("type", a.type_)
	if err != nil {
		return err
	}
	o := kernel.Options{First: a.first, Workers: a.workers, Monitor: a.mon}
	switch catalogue.NumberType(number) {
	case catalogue.Float64:
		return kernelValues(f, rows, others, !a.y.given, a.values, o, (*kernel.Matrix).ValuesTo, (*kernel.Matrix).GramTo)
	case catalogue.Float32:
		return kernelValues(f, rows, others, !a.y.given, a.values, o, (*kernel.Matrix).SinglesTo, (*kernel.Matrix).SingleGramTo)
	}
	return cabi.Illegal("type is %q, must be float64 or float32", a.type_)
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

func doKernelScale(a *kernelScaleArgs) error {
	rows, err := a.x.rows("x")
	if err != nil {
		return err
	}
	for i, v := range a.weights {
		if !(v >= 0) || v-v != 0 {
			return fault.At(i, fault.Value("the weight is %g, must be finite and not negative", v))
		}
	}
	a.gamma[0], err = kernel.GammaScale(rows, a.weights, a.workers, a.mon)
	return err
}

func doRowStreams(a *rowStreamsArgs) error {
	rows, err := a.x.rows("x")
	if err != nil {
		return err
	}
	apart, err := flag(a.apart, "apart")
	if err != nil {
		return err
	}
	streams := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(a.streams))), len(a.streams))
	kernel.StreamsTo(streams, rows)
	if apart {
		parallel.Apart(streams, nil)
	}
	return nil
}

func doNearest(a *nearestArgs) error {
	rows, err := a.x.rows("x")
	if err != nil {
		return err
	}
	others, err := a.y.rows("y")
	if err != nil {
		return err
	}
	if a.m < 1 || a.m > others.Len() {
		return cabi.Illegal("m is %d, must be from 1 to the %d rows of y", a.m, others.Len())
	}
	return kernel.NearestTo(a.numbers, a.squares, rows, others, a.workers, a.mon)
}

// checkRows checks the number of rows of a matrix, of which there must be some.
func checkRows(n int) error {
	if n < 1 || n > maxRows {
		return cabi.Illegal("n is %d, must be from 1 to %d", n, maxRows)
	}
	return nil
}

func doKernelCheck(a *kernelCheckArgs) error {
	semidefinite, err := flag(a.semidefinite, "semidefinite")
	if err := fault.First(err, checkRows(a.n)); err != nil {
		return err
	}
	if err := fit.CheckKernel(a.kernel, a.workers, a.mon); err != nil || !semidefinite {
		return err
	}
	return linalg.RequireSemidefinite(a.kernel, a.mon)
}

func doSymmetricEigen(a *symmetricEigenArgs) error {
	if err := checkRows(a.n); err != nil {
		return err
	}
	return linalg.EigenTo(a.values, a.matrix, a.workers, a.mon)
}

// orders returns the argument of that name.
func (in *ordersIn) orders(name string) (*kernel.Orders, error) {
	if in.n < 0 || in.n > maxRows || in.nItems < 2 || in.nItems > kernel.MostItems {
		return nil, cabi.Illegal("%s: n and n_items are %d and %d: n must be from 0 to %d, n_items from 2 to %d", name, in.n, in.nItems,
			maxRows, kernel.MostItems)
	}
	o := &kernel.Orders{N: in.n, Items: in.nItems}
	switch {
	case in.c.positions != nil:
		o.Positions = in.positions.Data
	case in.signs == nil && in.n > 0:
		return nil, cabi.Illegal("%s: positions and signs are NULL", name)
	default:
		o.Signs = in.signs
	}
	return o, nil
}

func doOrderKernel(a *orderKernelArgs) error {
	in := a.function
	kind, err := catalogue.OrderKernels.Number("name", in.name)
	if err != nil {
		return err
	}
	f := kernel.OrderFunction{Kind: kernel.OrderKind(kind), Gamma: in.gamma, Epsilon: in.epsilon, Delta: in.delta, Seed: in.seed,
		Kappa: in.kappa.Data, Weights: in.weights}
	if f.Normalize, err = flag(in.normalize, "normalize"); err != nil {
		return err
	}
	if f.Logarithms, err = flag(in.logarithms, "logarithms"); err != nil {
		return err
	}
	if err := checkDownsets(in.mostDownsets); err != nil {
		return err
	}
	f.MostDownsets = in.mostDownsets
	if in.nEstimated != nil {
		f.Estimated = &in.nEstimated[0]
	}
	rows, err := a.x.orders("x")
	if err != nil {
		return err
	}
	switch {
	case f.Gamma == 0:
		f.Gamma = 1 / (float64(rows.Items) * float64(rows.Items))
	case f.Kind != kernel.PositionsRBF:
		return cabi.Illegal("gamma is %g, and is for base='rbf' alone", f.Gamma)
	}
	var others *kernel.Orders
	if a.y.given {
		if others, err = a.y.orders("y"); err != nil {
			return err
		}
	}
	return kernel.OrdersTo(a.values, f, rows, others, a.workers, a.mon)
}

package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/linalg"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// rowsOfBoth returns features and outputs, whose pages are given back where they lie in mapped files.
func rowsOfBoth(sp structure.Space, features *featuresIn, outputs *outputsIn) (*primal.Rows, error) {
	x, xPages, err := features.inputs()
	if err != nil {
		return nil, err
	}
	rows := &primal.Rows{X: x}
	psiPages, err := outputs.addTo(rows, sp)
	if err != nil {
		return nil, err
	}
	if xPages.start != 0 || psiPages.start != 0 {
		rows.Release = func(lo, hi int) {
			xPages.giveBack(lo, hi)
			if rows.First != nil {
				lo, hi = rows.First[lo], rows.First[hi]
			}
			psiPages.giveBack(lo, hi)
		}
	}
	return rows, nil
}

// addTo adds the outputs to rows of features.
func (in *outputsIn) addTo(rows *primal.Rows, sp structure.Space) (pages, error) {
	var r refusals
	n, _ := rows.X.Size()
	count := int(cabi.Last(in.first, float64(n)))
	r.add(cabi.Equal("outputs.n", int64(in.n), "the matrix of features", n))
	r.add(checkCount(count, "outputs.first[n]"))
	partial, mapped := r.flag(in.partial, "outputs.partial"), r.flag(in.mapped, "outputs.mapped")
	if r.err != nil {
		return pages{}, r.err
	}
	rows.First, rows.Weights = ints(in.first), in.weights
	var err error
	switch {
	case in.c.parts != nil:
		if rows.Psi, err = primal.Encoded(sp, in.parts, count, partial); !mapped || err != nil {
			return pages{}, err
		}
		return pages{uintptr(unsafe.Pointer(in.c.parts)), uintptr(in.partLen) * unsafe.Sizeof(*in.c.parts)}, nil
	case in.c.psi != nil || count*in.d == 0:
		in.psi.Rows, in.psi.Cols, in.psi.Stride = count, in.d, max(in.d, 1)
		rows.Psi = primal.Embedded(in.psi)
		return pages{}, nil
	}
	psi, err := sparse(in.data, in.indices, in.indptr, count, in.d, "outputs")
	if err != nil {
		return pages{}, err
	}
	rows.Psi = primal.SparsePsi(psi)
	return pages{}, nil
}

// primalCall returns the problem and its rows; light problems do for passes over rows.
func primalCall(sp structure.Space, options *ridgeOptionsIn, features *featuresIn, outputs *outputsIn, light bool) (*primal.Task,
	*primal.Rows, error) {
	rows, err := rowsOfBoth(sp, features, outputs)
	if err != nil {
		return nil, nil, err
	}
	task, err := options.primal(sp, light)
	if err != nil {
		return nil, nil, err
	}
	return task, rows, rows.Check(task)
}

// primal returns the problem of a space.
func (in *ridgeOptionsIn) primal(sp structure.Space, light bool) (*primal.Task, error) {
	opt, err := in.ridge(sp, 1)
	if err != nil {
		return nil, err
	}
	if light {
		return opt.PrimalRows(sp)
	}
	return opt.Primal(sp)
}

func doRidgeFeatures(a *ridgeFeaturesArgs) error {
	task, rows, err := primalCall(a.space, a.options, a.features, a.outputs, false)
	if err != nil {
		return err
	}
	if a.budget < 0 {
		return cabi.Illegal("budget is %d, must not be negative", a.budget)
	}
	rows.Cache(int64(a.budget))
	result, err := task.Solve(a.coef, rows, a.workers, a.mon)
	a.info.set(result)
	return err
}

func doRidgeSums(a *ridgeSumsArgs) error {
	task, rows, err := primalCall(a.space, a.options, a.features, a.outputs, true)
	if err != nil {
		return err
	}
	return task.AddSums(primal.NewSums(a.sums, a.features.p, a.outputs.d), rows, a.workers, a.mon)
}

func doRidgeProduct(a *ridgeProductArgs) error {
	task, rows, err := primalCall(a.space, a.options, a.features, a.outputs, true)
	if err != nil {
		return err
	}
	return task.AddProduct(a.product, task.NewDirection(a.direction, a.features.p), rows, a.workers, a.mon)
}

func doRidgePrimalStart(a *ridgePrimalStartArgs) error {
	if err := checkCount(a.p, "p"); err != nil {
		return err
	}
	task, err := a.options.primal(a.space, false)
	if err != nil {
		return err
	}
	return openSession(&a.session[0], a.mon, func(s *session) error {
		result, err := task.SolveOver(a.coef, a.p, rowsElsewhere{s}, a.mon)
		a.info.set(result)
		return err
	})
}

// rowsElsewhere are rows that only the caller of a session can read.
type rowsElsewhere struct{ *session }

func (r rowsElsewhere) AddSums(to primal.Sums) error {
	r.request.sums = (*C.double)(lend(r.session, to.Data))
	return r.ask(C.CP_ASK_SUMS)
}

func (r rowsElsewhere) AddProduct(to linalg.Matrix[float64], v primal.Direction) error {
	r.request.linear = (*C.double)(lend(r.session, v.Data))
	r.request.results = (*C.double)(lend(r.session, to.Data))
	return r.ask(C.CP_ASK_PRODUCT)
}

func (r rowsElsewhere) Work(f func() error) error { return r.onCaller(f) }

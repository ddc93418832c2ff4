package main

// #include "combpred.h"
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/decode/predict"
	"combpred/core/decode/setloss"
	"combpred/core/fault"
	"combpred/core/fit"
	"combpred/core/kernel"
	"combpred/core/solve/primal"
)

// inputs are rows to predict for, of which those in a mapped file are given back once the next are asked for.
type inputs struct {
	primal.Inputs
	pages  pages
	buffer []float64
	done   int
}

func (x *inputs) Len() int      { n, _ := x.Size(); return n }
func (x *inputs) Features() int { _, p := x.Size(); return p }
func (x *inputs) Check() error  { return nil }

func (x *inputs) Slice(lo, hi int) kernel.Rows {
	x.release(lo)
	return x.Rows(lo, hi, &x.buffer)
}

// release gives back the pages of rows before hi.
func (x *inputs) release(hi int) {
	x.pages.giveBack(x.done, hi)
	x.done = hi
}

// fitted returns what predictions of rows of p features follow from; with a function and rows of training, k(x, train).
func (a *predictArgs) fitted(p int) (*predict.Model, error) {
	in, m := a.model, &predict.Model{Space: a.space, Coef: a.model.coef, Intercept: a.model.intercept}
	if a.function.given != a.train.given {
		return nil, cabi.Illegal("function and train belong together, and one of them is NULL")
	}
	if a.function.given {
		f, err := a.function.function(p)
		if err != nil {
			return nil, err
		}
		train, err := a.train.rows("train")
		if err == nil {
			err = cabi.Equal("model.m", int64(in.m), "train", train.Len())
		}
		if err != nil {
			return nil, err
		}
		if m.Kernel, err = kernel.New(f, train); err != nil {
			return nil, err
		}
	}
	if err := m.TakeShift(in.shift, p); err != nil {
		return nil, err
	}
	var err error
	if m.Expected, err = fit.Expected(a.space, fit.Loss(in.loss), fit.Decision(in.decision)); err != nil {
		return nil, err
	}
	if m.Expected != nil {
		m.Expected.Mean = in.mean
	}
	return m, m.Check()
}

func doPredict(a *predictArgs) error {
	x, err := &inputs{}, error(nil)
	if x.Inputs, x.pages, err = a.x.inputs(); err != nil {
		return argumentNamed(err, "x")
	}
	m, err := a.fitted(x.Features())
	if err != nil {
		return err
	}
	how, err := a.options.how()
	if err != nil {
		return err
	}
	if a.options.constraints != nil || a.options.conditions != nil {
		return cabi.Illegal("options: constraints and conditions must be NULL here: score the rows, and decode the scores by cp_decode")
	}
	to, n := a.predictions, x.Len()
	if err := fault.First(checkCount(to.first, "predictions.first"), cabi.Equal("predictions.n", int64(to.n), "x", n)); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	o := predict.Options{Method: how, Seed: a.options.seed, First: to.first, Workers: a.workers, Monitor: a.mon}
	cert := certified(n, to.value, to.upperBound, to.nu, to.optimal)
	if out := to.outputs; to.c.outputs != nil || cert.rows != nil {
		if to.c.outputs == nil {
			out = make([]int32, n*a.space.PartLen())
		}
		err = m.PredictTo(out, cert.rows, to.scores, x, o)
	} else {
		err = m.ScoresTo(to.scores, x, o)
	}
	if err != nil {
		return err
	}
	x.release(n)
	cert.write()
	return nil
}

func doSetsDecide(a *setsDecideArgs) error {
	by, err := choice[setloss.Loss](catalogue.SetLosses, a.loss, "loss")
	if err != nil {
		return err
	}
	var keyed *decode.Keyed
	if a.conditions.given {
		if keyed, err = a.conditions.of(a.rows.Len(), "scores.n"); err != nil {
			return err
		}
	}
	return setloss.Batch(a.rows.Batch, by, keyed, a.dst, a.value, a.workers, a.mon)
}

func doSetsValue(a *setsValueArgs) error {
	by, err := choice[setloss.Loss](catalogue.SetLosses, a.loss, "loss")
	if err != nil {
		return err
	}
	return setloss.Values(a.rows.Batch, by, a.y, a.value, a.workers, a.mon)
}

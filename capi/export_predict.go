package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"gonum.org/v1/gonum/floats"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/decode/predict"
	"combpred/core/decode/setloss"
	"combpred/core/fit"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/solve/primal"
	"combpred/core/structure"
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

// readModel reads what predictions of rows of p features follow from; with a function and rows of training, k(x, train).
func readModel(sp structure.Space, in *C.cp_in_model, function *C.cp_in_kernel_function, train *C.cp_in_features,
	p int) (*predict.Model, error) {
	r, err := cabi.Record(in, "model")
	if err != nil {
		return nil, err
	}
	if err := equal("model.d", r.d, sp.FeatureLen()); err != nil {
		return nil, err
	}
	coef, err := matrix(r.coef, "model.coef", r.m, r.d)
	if err != nil {
		return nil, err
	}
	m := &predict.Model{Space: sp, Coef: coef}
	intercept, err := optionalFloat64s(r.intercept, "model.intercept", r.d)
	if err != nil {
		return nil, err
	}
	shift := float64(r.shift)
	if shift-shift != 0 {
		return nil, cabi.Illegal("shift is %g, must be finite", shift)
	}
	if intercept != nil || shift != 0 {
		m.Intercept = make([]float64, r.d)
		copy(m.Intercept, intercept)
	}
	if (function == nil) != (train == nil) {
		return nil, cabi.Illegal("function and train belong together, and one of them is NULL")
	}
	if function == nil {
		features := p
		if shift != 0 { // the last row is that of the constant feature
			features++
		}
		if int64(r.m) != int64(features) {
			return nil, cabi.Illegal("model.m is %d, %d features with shift %g need %d", int64(r.m), p, shift, features)
		}
		if shift != 0 {
			floats.AddScaled(m.Intercept, shift, coef.Row(p))
			m.Coef = coef.Slice(0, p, 0, coef.Cols)
		}
	} else {
		if shift != 0 {
			for i := range coef.Rows {
				floats.AddScaled(m.Intercept, shift, coef.Row(i))
			}
		}
		f, err := kernelFunction(function, p)
		if err != nil {
			return nil, err
		}
		rows, err := rowsOf(train, "train")
		if err != nil {
			return nil, err
		}
		if err := cabi.Equal("model.m", r.m, "train", rows.Len()); err != nil {
			return nil, err
		}
		if m.Kernel, err = kernel.New(f, rows); err != nil {
			return nil, err
		}
	}
	loss, err := cabi.Name(unsafe.Pointer(r.loss), "model.loss")
	if err != nil {
		return nil, err
	}
	decision, err := cabi.Name(unsafe.Pointer(r.decision), "model.decision")
	if err != nil {
		return nil, err
	}
	if m.Expected, err = fit.Expected(sp, fit.Loss(loss), fit.Decision(decision)); err != nil {
		return nil, err
	}
	if m.Expected != nil {
		if m.Expected.Mean, err = optionalFloat64s(r.mean, "model.mean", r.d); err != nil {
			return nil, err
		}
	}
	return m, m.Check()
}

//export go_cp_predict
func go_cp_predict(s C.cp_space, model *C.cp_in_model, function *C.cp_in_kernel_function, train, x *C.cp_in_features,
	options *C.cp_in_decode_options, predictions *C.cp_in_predictions, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, e := space(s)
		if e != nil {
			return e
		}
		rows := &inputs{}
		if rows.Inputs, rows.pages, e = readFeatures(x); e != nil {
			return argumentNamed(e, "x")
		}
		m, e := readModel(sp, model, function, train, rows.Features())
		if e != nil {
			return e
		}
		opt, how, e := decodeOptions(options)
		if e != nil {
			return e
		}
		if opt.constraints != nil || opt.conditions != nil {
			return cabi.Illegal("options: constraints and conditions must be NULL here: score the rows, and decode the scores by cp_decode")
		}
		o := predict.Options{Method: how, Seed: uint64(opt.seed)}
		r, e := cabi.Record(predictions, "predictions")
		if e != nil {
			return e
		}
		if r.first < 0 || r.first > maxRows {
			return cabi.Illegal("predictions.first is %d, must be from 0 to %d", int64(r.first), maxRows)
		}
		o.First = int(r.first)
		n := rows.Len()
		if e := cabi.Equal("predictions.n", r.n, "x", n); e != nil {
			return e
		}
		var scores linalg.Matrix[float64]
		if r.scores != nil {
			if scores, e = matrix(r.scores, "predictions.scores", r.n, C.int64_t(sp.FeatureLen())); e != nil {
				return e
			}
		}
		cert, e := certificateColumns(r.n, r.value, r.upper_bound, r.nu, r.optimal)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		o.Workers, o.Monitor = t.workers, t.mon
		if n == 0 {
			return nil
		}
		var out []int32
		switch {
		case r.outputs != nil:
			if out, e = outputs(sp, r.outputs, r.part_len, r.n); e != nil {
				return e
			}
		case cert.rows != nil:
			out = make([]int32, n*sp.PartLen())
		default:
			e = m.ScoresTo(scores, rows, o)
			rows.release(n)
			return e
		}
		if e := m.PredictTo(out, cert.rows, scores, rows, o); e != nil {
			return e
		}
		rows.release(n)
		cert.write()
		return nil
	})
}

// readSetLoss reads distributions over label sets, and the loss by which they decide.
func readSetLoss(s C.cp_space, in *C.cp_in_scores, loss *C.cp_in_char) (scores, setloss.Loss, error) {
	sc, err := readLinear(s, in)
	if err != nil {
		return sc, 0, err
	}
	by, err := named[setloss.Loss](catalogue.SetLosses, loss, "loss")
	return sc, by, err
}

//export go_cp_sets_decide
func go_cp_sets_decide(s C.cp_space, in *C.cp_in_scores, loss *C.cp_in_char, conditions *C.cp_in_conditions,
	dst *C.int32_t, partLen C.int64_t, value *C.double, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, by, e := readSetLoss(s, in, loss)
		if e != nil {
			return e
		}
		var keyed *decode.Keyed
		if conditions != nil {
			if keyed, e = readConditions(conditions); e != nil {
				return e
			}
			if e := oneOrEach("conditions.n", C.int64_t(len(keyed.First)-1), "scores.n", sc.n); e != nil {
				return e
			}
		}
		out, e := outputs(sc.space, dst, partLen, sc.n)
		if e != nil {
			return e
		}
		var values []float64
		if value != nil {
			if values, e = float64s(value, "value", sc.n); e != nil {
				return e
			}
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return setloss.Batch(sc.rows, by, keyed, out, values, t.workers, t.mon)
	})
}

//export go_cp_sets_value
func go_cp_sets_value(s C.cp_space, in *C.cp_in_scores, loss *C.cp_in_char, y *C.cp_in_i32, partLen C.int64_t,
	value *C.double, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, by, e := readSetLoss(s, in, loss)
		if e != nil {
			return e
		}
		if e := equal("part_len", partLen, sc.space.PartLen()); e != nil {
			return e
		}
		sets, e := int32s(y, "y", sc.n, partLen)
		if e != nil {
			return e
		}
		values, e := float64s(value, "value", sc.n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return setloss.Values(sc.rows, by, sets, values, t.workers, t.mon)
	})
}

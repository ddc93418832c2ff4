package main

// #include "combpred.h"
import "C"

import (
	"strings"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode/predict"
	"combpred/core/fit"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/partition"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// scores are those of n rows, and the structure that they are about.
type scores struct {
	space             structure.Space
	n                 C.int64_t
	linear, magnitude blas64.General
}

// readScores reads scores and checks that they are as long as ψ.
func readScores(s *C.cp_in_structure, in *C.cp_in_scores) (scores, error) {
	var out scores
	sp, err := space(s)
	if err != nil {
		return out, err
	}
	r, err := cabi.Record(in, "scores")
	if err != nil {
		return out, err
	}
	if err := equal("d", r.d, sp.FeatureLen()); err != nil {
		return out, err
	}
	linear, err := float64s(r.linear, "linear", r.n, r.d)
	if err != nil {
		return out, err
	}
	if r.n_magnitude != 0 && r.n_magnitude != 1 && r.n_magnitude != r.n {
		return out, cabi.Illegal("n_magnitude is %d, must be 0, 1 or n = %d", int64(r.n_magnitude), int64(r.n))
	}
	magnitude, err := float64s(r.magnitude, "magnitude", r.n_magnitude, r.d)
	return scores{sp, r.n, general(r.n, r.d, linear), general(r.n_magnitude, r.d, magnitude)}, err
}

// readLinear is readScores where a distribution is made of the scores.
func readLinear(s *C.cp_in_structure, in *C.cp_in_scores) (scores, error) {
	out, err := readScores(s, in)
	if err == nil && out.magnitude.Rows != 0 {
		return out, cabi.Illegal("n_magnitude is %d, must be 0 for a distribution", out.magnitude.Rows)
	}
	return out, err
}

// general returns data, of rows×cols numbers, as a matrix.
func general(rows, cols C.int64_t, data []float64) blas64.General {
	return blas64.General{Rows: int(rows), Cols: int(cols), Stride: max(int(cols), 1), Data: data}
}

// outputs returns the encoded outputs dst[rows…, part_len] of a space.
func outputs(sp structure.Space, dst *C.int32_t, partLen C.int64_t, rows ...C.int64_t) ([]int32, error) {
	if err := equal("part_len", partLen, sp.PartLen()); err != nil {
		return nil, err
	}
	return int32s(dst, "dst", append(rows, partLen)...)
}

//export go_cp_log_partition
func go_cp_log_partition(s *C.cp_in_structure, in *C.cp_in_scores, logZ, marginals *C.double, info *C.cp_partition_info,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		out, e := float64s(logZ, "log_z", sc.n)
		if e != nil {
			return e
		}
		var mean blas64.General
		if marginals != nil {
			d := C.int64_t(sc.space.FeatureLen())
			data, e := float64s(marginals, "marginals", sc.n, d)
			if e != nil {
				return e
			}
			mean = general(sc.n, d, data)
		}
		told, e := cabi.OutRecord(info, "info", true)
		if e != nil {
			return e
		}
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		engine, cost, e := partition.Choose(sc.space, marginals != nil)
		if e != nil {
			return e
		}
		if sc.n > 0 {
			if _, e := partition.Batch(sc.space, sc.linear, out, mean, t.workers, t.mon); e != nil {
				return e
			}
		}
		result := C.cp_partition_info{cost: C.double(cost)}
		cabi.PutName(result.engine[:], catalogue.Engines.Of(int(engine)))
		told.Set(result)
		return nil
	})
}

//export go_cp_sample_distribution
func go_cp_sample_distribution(s *C.cp_in_structure, in *C.cp_in_scores, nSamples C.int64_t, seed C.uint64_t, dst *C.int32_t,
	partLen C.int64_t, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		out, e := outputs(sc.space, dst, partLen, nSamples, sc.n)
		if e != nil {
			return e
		}
		t, e := readTail(workers, control)
		if e != nil || sc.n == 0 || nSamples == 0 {
			return e
		}
		return partition.Sample(sc.space, sc.linear, int(nSamples), uint64(seed), out, t.workers, t.mon)
	})
}

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
	if err := equal("model: d", r.d, sp.FeatureLen()); err != nil {
		return nil, err
	}
	coef, err := matrix(r.coef, "coef", r.m, r.d)
	if err != nil {
		return nil, err
	}
	m := &predict.Model{Space: sp, Coef: coef}
	given, err := optionalFloat64s(r.intercept, "intercept", r.d)
	if err != nil {
		return nil, err
	}
	shift := float64(r.shift)
	if shift-shift != 0 {
		return nil, cabi.Illegal("shift is %g, must be finite", shift)
	}
	if given != nil || shift != 0 {
		m.Intercept = make([]float64, r.d)
		copy(m.Intercept, given)
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
			return nil, cabi.Illegal("model: m is %d, %d features with shift %g need %d", int64(r.m), p, shift, features)
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
		if err := cabi.Equal("model: m", r.m, "train", rows.Len()); err != nil {
			return nil, err
		}
		if m.Kernel, err = kernel.New(f, rows); err != nil {
			return nil, err
		}
	}
	loss, err := cabi.Name(unsafe.Pointer(r.loss), "loss")
	if err != nil {
		return nil, err
	}
	switch loss {
	case "", "auc":
	case "squared":
		m.PreImage = true
		if m.Mean, err = optionalFloat64s(r.mean, "mean", r.d); err != nil {
			return nil, err
		}
	default:
		return nil, cabi.Illegal("loss is %q, must be one of %s", loss, strings.Join(fit.Losses, ", "))
	}
	return m, m.Check()
}

//export go_cp_predict
func go_cp_predict(s *C.cp_in_structure, model *C.cp_in_model, function *C.cp_in_kernel_function, train, x *C.cp_in_features,
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
		if opt.constraints != nil {
			return cabi.Illegal("options: constraints must be NULL here: score the rows, and decode the scores by cp_decode")
		}
		o := predict.Options{Method: how, Seed: uint64(opt.seed)}
		r, e := cabi.Record(predictions, "predictions")
		if e != nil {
			return e
		}
		if r.first < 0 || r.first > maxRows {
			return cabi.Illegal("predictions: first is %d, must be from 0 to %d", int64(r.first), maxRows)
		}
		o.First = int(r.first)
		n := rows.Len()
		if e := cabi.Equal("predictions: n", r.n, "x", n); e != nil {
			return e
		}
		var scores linalg.Matrix[float64]
		if r.scores != nil {
			if scores, e = matrix(r.scores, "scores", r.n, C.int64_t(sp.FeatureLen())); e != nil {
				return e
			}
		}
		cert, e := certificateColumns(r.n, r.value, r.upper_bound, r.nu, r.optimal)
		if e != nil {
			return e
		}
		t, e := readTail(workers, control)
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

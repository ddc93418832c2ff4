package main

// #include "combpred.h"
import "C"

import (
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/partition"
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

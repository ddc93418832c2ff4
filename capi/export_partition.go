package main

// #include "combpred.h"
import "C"

import (
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/partition"
)

//export go_cp_log_partition
func go_cp_log_partition(s *C.cp_in_structure, scores *C.cp_in_f64, n, d C.int64_t, logZ, marginals *C.double,
	engine *C.int32_t, cost *C.double, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		if err := equal("d", d, sp.FeatureLen()); err != nil {
			return err
		}
		rows, err := float64s(scores, "scores", n, d)
		if err != nil {
			return err
		}
		out, err := outFloat64s(logZ, "log_z", n)
		if err != nil {
			return err
		}
		var mean blas64.General
		if marginals != nil {
			data, err := outFloat64s(marginals, "marginals", n, d)
			if err != nil {
				return err
			}
			mean = general(n, d, data)
		}
		w, err := workers(nWorkers)
		if err != nil {
			return err
		}
		if _, err := one(engine, "engine"); engine != nil && err != nil {
			return err
		}
		if _, err := one(cost, "cost"); cost != nil && err != nil {
			return err
		}
		chosen, operations, err := partition.Choose(sp, marginals != nil)
		if err != nil {
			return err
		}
		if n > 0 {
			if _, err := partition.Batch(sp, general(n, d, rows), out, mean, w, monitor(control)); err != nil {
				return err
			}
		}
		if engine != nil {
			*engine = C.int32_t(chosen)
		}
		if cost != nil {
			*cost = C.double(operations)
		}
		return nil
	})
}

//export go_cp_sample_distribution
func go_cp_sample_distribution(s *C.cp_in_structure, scores *C.cp_in_f64, n, d, nSamples C.int64_t, seed C.uint64_t,
	dst *C.int32_t, partLen C.int64_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		if err := equal("d", d, sp.FeatureLen()); err != nil {
			return err
		}
		if err := equal("part_len", partLen, sp.PartLen()); err != nil {
			return err
		}
		rows, err := float64s(scores, "scores", n, d)
		if err != nil {
			return err
		}
		out, err := outInt32s(dst, "dst", nSamples, n, partLen)
		if err != nil {
			return err
		}
		w, err := workers(nWorkers)
		if err != nil {
			return err
		}
		if n == 0 || nSamples == 0 {
			return nil
		}
		return partition.Sample(sp, general(n, d, rows), int(nSamples), uint64(seed), out, w, monitor(control))
	})
}

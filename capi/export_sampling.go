package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/core/chain"
)

//export go_cp_chain_sample
func go_cp_chain_sample(s *C.cp_in_structure, linear *C.cp_in_f64, n, d C.int64_t, method C.int32_t, nSamples, burnIn,
	thin, budget C.int64_t, seed C.uint64_t, start *C.cp_in_i32, bound *C.cp_in_f64, dst *C.int32_t, partLen C.int64_t,
	value *C.double, steps, accepted *C.int64_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
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
		opt := chain.Options{Draws: int(nSamples), BurnIn: int(burnIn), Thin: int(thin), Budget: int(budget), Seed: uint64(seed)}
		if opt.Method, err = methodOf(method, chain.MonotonePast, "CP_CHAIN_"); err != nil {
			return err
		}
		lin, err := float64s(linear, "linear", n, d)
		if err != nil {
			return err
		}
		if start != nil {
			if opt.Start, err = int32s(start, "start", n, partLen); err != nil {
				return err
			}
		}
		if bound != nil {
			if opt.Bound, err = float64s(bound, "bound", n); err != nil {
				return err
			}
		}
		var out chain.Draws
		if out.Y, err = outInt32s(dst, "dst", n, nSamples, partLen); err != nil {
			return err
		}
		if value != nil {
			if out.Value, err = outFloat64s(value, "value", n, nSamples); err != nil {
				return err
			}
		}
		if out.Steps, err = optionalInt64s(steps, "steps", n, nSamples); err != nil {
			return err
		}
		if out.Accepted, err = optionalInt64s(accepted, "accepted", n, nSamples); err != nil {
			return err
		}
		w, err := workers(nWorkers)
		if err != nil {
			return err
		}
		return chain.Batch(sp, general(n, d, lin), opt, out, w, monitor(control))
	})
}

// optionalInt64s returns an output that may be NULL, which gives nil.
func optionalInt64s(p *C.int64_t, name string, dims ...C.int64_t) ([]int64, error) {
	if p == nil {
		return nil, nil
	}
	return view[int64](unsafe.Pointer(p), name, dims)
}

//export go_cp_chain_diagnose
func go_cp_chain_diagnose(x *C.cp_in_f64, nChains, nDraws C.int64_t, effectiveSize, rHat, autocorrelation *C.double,
	nLags C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		draws, err := float64s(x, "x", nChains, nDraws)
		if err != nil {
			return err
		}
		if _, err := one(effectiveSize, "effective_size"); err != nil {
			return err
		}
		if _, err := one(rHat, "r_hat"); err != nil {
			return err
		}
		if nLags > nDraws {
			return illegal("n_lags is %d, must be at most n_draws = %d", int64(nLags), int64(nDraws))
		}
		lags, err := outFloat64s(autocorrelation, "autocorrelation", nChains, nLags)
		if err != nil {
			return err
		}
		m := general(nChains, nDraws, draws)
		*effectiveSize, *rHat = C.double(chain.EffectiveSampleSize(m)), C.double(chain.SplitRHat(m))
		for i, k := 0, int(nLags); len(lags) > 0 && i < m.Rows; i++ {
			chain.Autocorrelation(lags[i*k:(i+1)*k], draws[i*m.Cols:(i+1)*m.Cols])
		}
		return nil
	})
}

package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/chain"
	"combpred/core/extensions"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
)

//export go_cp_chain_sample
func go_cp_chain_sample(s *C.cp_in_structure, in *C.cp_in_scores, options *C.cp_in_chain_options, dst *C.int32_t,
	partLen C.int64_t, record *C.cp_chain_record, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		opt, samples, e := readChainOptions(options, sc.n, partLen)
		if e != nil {
			return e
		}
		out, e := readChainRecord(record, sc.n, samples)
		if e != nil {
			return e
		}
		if out.Y, e = outputs(sc.space, dst, partLen, sc.n, samples); e != nil {
			return e
		}
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		found, e := sampler.Batch(sc.space, sc.linear, opt, out.Draws, t.workers, t.mon)
		if e == nil {
			out.finish(found)
		}
		return e
	})
}

// readChainOptions reads what to draw for n rows, and how many samples of each.
func readChainOptions(p *C.cp_in_chain_options, n, partLen C.int64_t) (opt sampler.Options, samples C.int64_t, err error) {
	r, err := cabi.Record(p, "options")
	if err != nil {
		return opt, 0, err
	}
	opt = sampler.Options{
		Draws: int(r.n_samples), BurnIn: int(r.burn_in), Thin: int(r.thin), Budget: int(r.budget), Seed: uint64(r.seed),
		Rows: int(r.n_rows), ExactSeconds: float64(r.exact_seconds),
	}
	if opt.Sampler, err = named[estimate.Sampler](catalogue.SampleMethods, r.method, "options.method"); err != nil {
		return opt, 0, err
	}
	chains := C.int64_t(1)
	if opt.Diagnosed, err = flag(r.diagnosed, "options.diagnosed"); opt.Diagnosed {
		chains = sampler.Chains
	}
	if err != nil {
		return opt, 0, err
	}
	if opt.Start, err = cabi.Optional[int32](unsafe.Pointer(r.start), "options.start", n, chains, partLen); err != nil {
		return opt, 0, err
	}
	opt.Bound, err = optionalFloat64s(r.bound, "options.bound", n)
	return opt, r.n_samples, err
}

func optionalInt64s(p *C.int64_t, name string, dims ...C.int64_t) ([]int64, error) {
	return cabi.Optional[int64](unsafe.Pointer(p), name, dims...)
}

//export go_cp_chain_diagnose
func go_cp_chain_diagnose(x *C.cp_in_f64, n, nChains, nDraws C.int64_t, effectiveSize, rHat, autocorrelation *C.double,
	nLags C.int64_t, workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		draws, err := float64s(x, "x", n, nChains, nDraws)
		if err != nil {
			return err
		}
		sizes, err := float64s(effectiveSize, "effective_size", n)
		if err != nil {
			return err
		}
		factors, err := float64s(rHat, "r_hat", n)
		if err != nil {
			return err
		}
		if nLags > nDraws {
			return cabi.Illegal("n_lags is %d, must be at most n_draws = %d", int64(nLags), int64(nDraws))
		}
		lags, err := float64s(autocorrelation, "autocorrelation", n, nChains, nLags)
		if err != nil {
			return err
		}
		t, err := readTail(workers, control)
		if err != nil {
			return err
		}
		return chain.Diagnose(int(nChains), draws, sizes, factors, lags, t.workers, t.mon)
	})
}

//export go_cp_extensions_sample
func go_cp_extensions_sample(pairs *C.cp_in_i32, nPairs, nElements C.int64_t, method *C.cp_in_char, seed C.uint64_t, dst *C.int32_t,
	nSamples C.int64_t, steps *C.int64_t, nWorkers C.int32_t, control *C.cp_control, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		poset, err := posetOf(pairs, nPairs, nElements)
		if err != nil {
			return err
		}
		how, err := named[extensions.Method](catalogue.ExtensionMethods, method, "method")
		if err != nil {
			return err
		}
		out, err := int32s(dst, "dst", nSamples, nElements)
		if err != nil {
			return err
		}
		made, err := optionalInt64s(steps, "steps", nSamples)
		if err != nil {
			return err
		}
		t, err := readTail(nWorkers, control)
		if err != nil {
			return err
		}
		return extensions.Batch(poset, how, uint64(seed), out, made, t.workers, t.mon)
	})
}

//export go_cp_extensions_count
func go_cp_extensions_count(pairs *C.cp_in_i32, nPairs, nElements, mostDownsets C.int64_t, dst *C.char, dstCap C.int64_t,
	needed *C.int64_t, nWorkers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		poset, err := posetOf(pairs, nPairs, nElements)
		if err != nil {
			return err
		}
		most, err := downsetsLimit(mostDownsets)
		if err != nil {
			return err
		}
		out, err := roomFor(dst, dstCap, needed)
		if err != nil {
			return err
		}
		t, err := readTail(nWorkers, control)
		if err != nil {
			return err
		}
		number, err := extensions.Count(poset, most, t.workers, t.mon)
		if err != nil {
			return err
		}
		writeDigits(out, number)
		return nil
	})
}

//export go_cp_extensions_estimate
func go_cp_extensions_estimate(pairs *C.cp_in_i32, nPairs, nElements C.int64_t, options *C.cp_in_extensions_options,
	dst *C.char, dstCap C.int64_t, needed *C.int64_t, info *C.cp_extensions_info, nWorkers C.int32_t, control *C.cp_control,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		poset, err := posetOf(pairs, nPairs, nElements)
		if err != nil {
			return err
		}
		o := C.cp_extensions_options{epsilon: 0.1, delta: 0.05, most_downsets: 1 << 21}
		if options != nil {
			if o, err = cabi.Record(options, "options"); err != nil {
				return err
			}
		}
		most, err := downsetsLimit(o.most_downsets)
		if err != nil {
			return err
		}
		out, err := roomFor(dst, dstCap, needed)
		if err != nil {
			return err
		}
		known, err := cabi.OutRecord(info, "info", true)
		if err != nil {
			return err
		}
		t, err := readTail(nWorkers, control)
		if err != nil {
			return err
		}
		found, err := extensions.Estimate(poset, float64(o.epsilon), float64(o.delta), most, uint64(o.seed), t.workers, t.mon)
		if err != nil {
			return err
		}
		known.Set(C.cp_extensions_info{
			log_count: C.double(found.Log), n_levels: C.int64_t(found.Levels), n_samples: C.int64_t(found.Samples),
		})
		writeDigits(out, found.Number)
		return nil
	})
}

//export go_cp_extensions_before
func go_cp_extensions_before(pairs *C.cp_in_i32, nPairs, nElements, mostDownsets C.int64_t, dst *C.double, nWorkers C.int32_t,
	control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		poset, err := posetOf(pairs, nPairs, nElements)
		if err != nil {
			return err
		}
		most, err := downsetsLimit(mostDownsets)
		if err != nil {
			return err
		}
		out, err := float64s(dst, "dst", nElements, nElements)
		if err != nil {
			return err
		}
		t, err := readTail(nWorkers, control)
		if err != nil {
			return err
		}
		return extensions.Before(out, poset, most, t.workers, t.mon)
	})
}

//export go_cp_extensions_common
func go_cp_extensions_common(x *C.cp_in_i32, n C.int64_t, y *C.cp_in_i32, m, nElements, mostDownsets C.int64_t,
	dst *C.double, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if nElements < 2 || nElements > extensions.MostElements {
			return cabi.Illegal("n_elements is %d, must be between 2 and %d", int64(nElements), extensions.MostElements)
		}
		pairs := nElements * (nElements - 1) / 2
		rows, err := int32s(x, "x", n, pairs)
		if err != nil {
			return err
		}
		var columns []int32
		if y != nil {
			if columns, err = int32s(y, "y", m, pairs); err != nil {
				return err
			}
		} else if m != n {
			return cabi.Illegal("m is %d without y, must be n, %d", int64(m), int64(n))
		}
		most, err := downsetsLimit(mostDownsets)
		if err != nil {
			return err
		}
		out, err := float64s(dst, "dst", n, m)
		if err != nil {
			return err
		}
		t, err := readTail(nWorkers, control)
		if err != nil || len(out) == 0 {
			return err
		}
		return extensions.Common(out, rows, columns, int(nElements), most, t.workers, t.mon)
	})
}

// posetOf reads a partial order.
func posetOf(pairs *C.cp_in_i32, nPairs, nElements C.int64_t) (*extensions.Poset, error) {
	flat, err := int32s(pairs, "pairs", nPairs, 2)
	if err != nil {
		return nil, err
	}
	if nElements < 1 || nElements > extensions.MostElements {
		return nil, cabi.Illegal("n_elements is %d, must be between 1 and %d", int64(nElements), extensions.MostElements)
	}
	relation := make([][2]int32, nPairs)
	for i := range relation {
		relation[i] = [2]int32{flat[2*i], flat[2*i+1]}
	}
	return extensions.New(int(nElements), relation)
}

// downsetsLimit checks the number of downsets to count over at most.
func downsetsLimit(most C.int64_t) (int, error) {
	if most < 1 || most > extensions.MostCounted {
		return 0, cabi.Illegal("most_downsets is %d, must be between 1 and %d", int64(most), extensions.MostCounted)
	}
	return int(most), nil
}

package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/chain"
	"combpred/core/decode"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/structure"
)

//export go_cp_chain_sample
func go_cp_chain_sample(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_chain_options, dst *C.int32_t,
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
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		opt.Streams = sc.streams
		found, e := sampler.Batch(sc.rows, opt, out.Draws, t.workers, t.mon)
		if e == nil {
			out.finish(found)
		}
		return e
	})
}

//export go_cp_chain_start
func go_cp_chain_start(supplied *C.cp_in_supplied, options *C.cp_in_chain_options, dst *C.int32_t, record *C.cp_chain_record,
	to *C.cp_session, workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		space, linear, _, e := readExternal(supplied)
		if e != nil {
			return e
		}
		opt, samples, e := readChainOptions(options, 1, 1)
		if e != nil {
			return e
		}
		out, e := readChainRecord(record, firstRow, samples)
		if e != nil {
			return e
		}
		if out.Y, e = int32s(dst, "dst", samples); e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return openSession(to, t.mon, func(s *session) error {
			space.Supply = s.supply(space)
			row := structure.OneSpaceLinear(space, general(1, C.int64_t(len(linear)), linear))
			found, err := sampler.Batch(row, opt, out.Draws, 1, t.mon)
			if err == nil {
				out.finish(found)
			}
			return err
		})
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
	if opt.Sampler, err = named[estimate.Sampler](catalogue.SampleMethods, r.method, "method"); err != nil {
		return opt, 0, err
	}
	chains := C.int64_t(1)
	if opt.Diagnosed, err = flag(r.diagnosed, "diagnosed"); opt.Diagnosed {
		chains = sampler.Chains
	}
	if err != nil {
		return opt, 0, err
	}
	if opt.Start, err = cabi.Optional[int32](unsafe.Pointer(r.start), "start", n, chains, partLen); err != nil {
		return opt, 0, err
	}
	opt.Bound, err = optionalFloat64s(r.bound, "bound", n)
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
		t, err := readExecution(workers, control)
		if err != nil {
			return err
		}
		return chain.Diagnose(int(nChains), draws, sizes, factors, lags, t.workers, t.mon)
	})
}

//export go_cp_search
func go_cp_search(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_search_options, dst *C.int32_t,
	partLen C.int64_t, record *C.cp_in_search_record, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		process, e := readProcess(options)
		if e != nil {
			return e
		}
		out, e := outputs(sc.space, dst, partLen, sc.n)
		if e != nil {
			return e
		}
		known, e := readSearchRecord(record, sc.n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		process.Streams = sc.streams
		certs, traces := make([]structure.Certificate, sc.n), make([]decode.Trace, sc.n)
		if e := decode.SearchBatch(sc.rows, process, out, certs, traces, t.workers, t.mon); e != nil {
			return e
		}
		known.write(certs, traces)
		return nil
	})
}

// readProcess reads the parameters of a search.
func readProcess(p *C.cp_in_search_options) (process decode.Process, err error) {
	r, err := cabi.Record(p, "options")
	if err != nil {
		return process, err
	}
	process = decode.Process{
		Epsilon: float64(r.epsilon), Delta: float64(r.delta), Steps: int(r.steps), Runs: int(r.runs), Seed: uint64(r.seed),
	}
	if r.steps < 0 || r.steps > 1<<40 || r.runs < 1 || r.runs > 1<<31 {
		return process, cabi.Illegal("options: %d runs of %d steps, must be between 1 and 2^31 of 0 to 2^40", int64(r.runs), int64(r.steps))
	}
	if process.Method, err = named[decode.Method](catalogue.RandomDecoders(), r.method, "method"); err != nil {
		return process, err
	}
	if process.Proposals, err = named[decode.Proposals](catalogue.Proposals, r.proposals, "proposals"); err != nil {
		return process, err
	}
	temperatures, err := float64s(r.temperatures, "temperatures", r.n_levels)
	if err == nil && len(temperatures) > 0 {
		process.Temperatures = temperatures
	}
	return process, err
}

// searchRecord has the caller's columns, each of which may be missing.
type searchRecord struct {
	certificates
	temperature, success []float64
	steps, accepted      []int64
}

func readSearchRecord(p *C.cp_in_search_record, n C.int64_t) (out searchRecord, err error) {
	if p == nil {
		return out, nil
	}
	r, err := cabi.Record(p, "record")
	if err != nil {
		return out, err
	}
	if err := cabi.Equal("record.n", r.n, "scores", int(n)); err != nil {
		return out, err
	}
	if out.certificates, err = certificateColumns(n, r.value, r.upper_bound, r.nu, r.optimal); err != nil {
		return out, err
	}
	if out.temperature, err = optionalFloat64s(r.temperature, "record.temperature", n); err != nil {
		return out, err
	}
	if out.success, err = optionalFloat64s(r.success, "record.success", n); err != nil {
		return out, err
	}
	if out.steps, err = optionalInt64s(r.steps, "record.steps", n); err != nil {
		return out, err
	}
	out.accepted, err = optionalInt64s(r.accepted, "record.accepted", n)
	return out, err
}

func (r *searchRecord) write(certs []structure.Certificate, traces []decode.Trace) {
	r.rows = certs
	r.certificates.write()
	for i, t := range traces {
		if r.temperature != nil {
			r.temperature[i] = t.Temperature
		}
		if r.success != nil {
			r.success[i] = t.Success
		}
		if r.steps != nil {
			r.steps[i] = t.Steps
		}
		if r.accepted != nil {
			r.accepted[i] = t.Accepted
		}
	}
}

//export go_cp_mixing_bound
func go_cp_mixing_bound(s C.cp_space, in *C.cp_in_scores, method *C.cp_in_char, epsilon C.double, bound *C.double,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		how, e := named[chain.Method](catalogue.ChainMethods, method, "method")
		if e != nil {
			return e
		}
		if !(epsilon > 0 && epsilon < 1) {
			return cabi.Illegal("epsilon is %v, must be between 0 and 1", float64(epsilon))
		}
		out, e := cabi.View[float64](unsafe.Pointer(bound), "bound", sc.n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		found, e := sampler.MixingBounds(sc.rows, how, float64(epsilon), t.mon)
		copy(out, found)
		return e
	})
}

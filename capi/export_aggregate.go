package main

// #include "combpred.h"
import "C"

import (
	"errors"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/aggregate"
	"combpred/core/aggregate/plackettluce"
	"combpred/core/catalogue"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// readProfile reads rankings and checks them; NULL gives nil.
func readProfile(in *C.cp_in_profile) (*aggregate.Profile, error) {
	if in == nil {
		return nil, nil
	}
	r, err := cabi.Record(in, "profile")
	if err != nil {
		return nil, err
	}
	p := &aggregate.Profile{Extensions: int(r.n_extensions)}
	if p.Ranks, err = matrix(r.ranks, "profile.ranks", r.n, r.k); err != nil {
		return nil, err
	}
	if p.Weights, err = optionalFloat64s(r.weights, "profile.weights", r.n); err != nil {
		return nil, err
	}
	return p, p.Check()
}

// viewPairs views the caller's weights of pairs, of which those of ties may be missing; NULL gives nil.
func viewPairs(in *C.cp_in_pairs) (*aggregate.Pairs, error) {
	if in == nil {
		return nil, nil
	}
	r, err := cabi.Record(in, "pairs")
	if err != nil {
		return nil, err
	}
	var w aggregate.Pairs
	if w.Before, err = matrix(r.before, "pairs.before", r.k, r.k); err == nil && r.tied != nil {
		w.Tied, err = matrix(r.tied, "pairs.tied", r.k, r.k)
	}
	return &w, err
}

// readPairs is viewPairs for weights that the caller gives.
func readPairs(in *C.cp_in_pairs) (*aggregate.Pairs, error) {
	w, err := viewPairs(in)
	if err != nil || w == nil {
		return nil, err
	}
	return w, w.Check()
}

// readPrograms reads solutions of programs; NULL gives nil.
func readPrograms(in *C.cp_in_programs) (*aggregate.Programs, error) {
	if in == nil {
		return nil, nil
	}
	r, err := cabi.Record(in, "programs")
	if err != nil {
		return nil, err
	}
	var p aggregate.Programs
	if p.X, err = matrix(r.x, "programs.x", r.k, r.k); err != nil {
		return nil, err
	}
	if p.State, err = cabi.View[aggregate.ProgramState](unsafe.Pointer(r.state), "programs.state", r.n_groups); err != nil {
		return nil, err
	}
	p.LowerBound, err = float64s(r.lower_bound, "programs.lower_bound", r.n_groups)
	return &p, err
}

//export go_cp_aggregate
func go_cp_aggregate(profile *C.cp_in_profile, pairs *C.cp_in_pairs, options *C.cp_in_aggregate_options, programs *C.cp_in_programs,
	dst *C.int32_t, dstLen C.int64_t, info *C.cp_consensus_info, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		p, e := readProfile(profile)
		if e != nil {
			return e
		}
		w, e := readPairs(pairs)
		if e != nil {
			return e
		}
		var k int
		switch {
		case p != nil:
			k = p.Items()
		case w != nil:
			k = w.Items()
		default:
			return cabi.Illegal("profile and pairs are both NULL")
		}
		o, e := readAggregateOptions(options)
		if e != nil {
			return e
		}
		if o.Programs, e = readPrograms(programs); e != nil {
			return e
		}
		want := k
		if o.Output == aggregate.Partial {
			want = k * k
		}
		if e := cabi.Equal("dst_len", dstLen, "the consensus", want); e != nil {
			return e
		}
		out, e := int32s(dst, "dst", dstLen)
		if e != nil {
			return e
		}
		told, e := cabi.OutRecord(info, "info", true)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		o.Workers, o.Monitor = t.workers, t.mon
		c, e := consensus(p, w, o)
		if e != nil {
			return e
		}
		writeConsensus(c, out, told)
		return nil
	})
}

// consensus counts pairs where they are wanted and not given.
func consensus(p *aggregate.Profile, w *aggregate.Pairs, o aggregate.Options) (*aggregate.Consensus, error) {
	if o.Method.Kendall() {
		if w == nil {
			var err error
			if w, err = aggregate.CountPairs(p, o.Workers, o.Monitor); err != nil {
				return nil, err
			}
		}
		return aggregate.Kemeny(p, w, o)
	}
	if o.Output != aggregate.Order {
		return nil, aggregate.OrdersOnly(o.Method)
	}
	if p == nil {
		return nil, cabi.Illegal("profile is NULL, method %v needs rankings", o.Method)
	}
	find := map[aggregate.Method]func(*aggregate.Profile, int, *parallel.Monitor) (*aggregate.Consensus, error){
		aggregate.BordaCount: aggregate.Borda, aggregate.Assignment: aggregate.Footrule, aggregate.MedianRanks: aggregate.MedianRank,
	}[o.Method]
	return find(p, o.Workers, o.Monitor)
}

func writeConsensus(c *aggregate.Consensus, dst []int32, info cabi.Out[C.cp_consensus_info]) {
	if c.Relation != nil {
		putBools(dst, c.Relation)
	} else {
		copy(dst, c.Positions)
	}
	told := C.cp_consensus_info{
		distance: C.double(c.Distance), lower_bound: C.double(c.LowerBound), ratio: C.double(c.Ratio),
		standard_error: C.double(c.StandardError), expected: asFlag(c.Expected), optimal: asFlag(c.Optimal),
	}
	cabi.PutName(told.method[:], catalogue.Aggregations.Of(int(c.Method)))
	cabi.PutName(told.reason[:], c.Reason)
	info.Set(told)
}

// putBools writes 0 and 1.
func putBools(dst []int32, values []bool) {
	for i := range dst {
		dst[i] = int32(asFlag(values[i]))
	}
}

// asFlag is 1 for true.
func asFlag(value bool) C.int64_t {
	if value {
		return 1
	}
	return 0
}

func readAggregateOptions(in *C.cp_in_aggregate_options) (o aggregate.Options, err error) {
	if in == nil {
		return aggregate.Options{Penalty: 0.5, Method: aggregate.Auto, Output: aggregate.Order}, nil
	}
	r, err := cabi.Record(in, "options")
	if err != nil {
		return o, err
	}
	o.Penalty, o.Seed = float64(r.penalty), uint64(r.seed)
	if o.Method, err = named[aggregate.Method](catalogue.Aggregations, r.method, "method"); err != nil {
		return o, err
	}
	o.Output, err = named[aggregate.Output](catalogue.Consensuses, r.output, "output")
	return o, err
}

// readWeights reads a k×k matrix of weights of pairs.
func readWeights(before *C.cp_in_f64, name string, k C.int64_t) (linalg.Matrix[float64], error) {
	m, err := matrix(before, name, k, k)
	if err != nil {
		return m, err
	}
	return m, (&aggregate.Pairs{Before: m}).Check()
}

//export go_cp_aggregate_acyclic
func go_cp_aggregate_acyclic(margins *C.cp_in_f64, k C.int64_t, options *C.cp_in_aggregate_options, programs *C.cp_in_programs,
	relation, kept *C.int32_t, info *C.cp_acyclic_info, workers C.int32_t, control *C.cp_control, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		w, e := readWeights(margins, "margins", k)
		if e != nil {
			return e
		}
		o, e := readAggregateOptions(options)
		if e != nil {
			return e
		}
		if o.Programs, e = readPrograms(programs); e != nil {
			return e
		}
		closed, e := cabi.Optional[int32](unsafe.Pointer(relation), "relation", k, k)
		if e != nil {
			return e
		}
		own, e := cabi.Optional[int32](unsafe.Pointer(kept), "kept", k, k)
		if e != nil {
			return e
		}
		told, e := cabi.OutRecord(info, "info", true)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		o.Workers, o.Monitor = t.workers, t.mon
		a, e := aggregate.Acyclic(w, o)
		if e != nil {
			return e
		}
		putBools(closed, a.Relation)
		putBools(own, a.Kept)
		result := C.cp_acyclic_info{weight: C.double(a.Weight), upper_bound: C.double(a.UpperBound), ratio: C.double(a.Ratio),
			optimal: asFlag(a.Optimal)}
		cabi.PutName(result.method[:], catalogue.Aggregations.Of(int(a.Method)))
		told.Set(result)
		return nil
	})
}

//export go_cp_plackett_luce_fit
func go_cp_plackett_luce_fit(sets *C.cp_in_ranked_sets, penalty C.double, utilities *C.double, nUnfitted *C.int64_t,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		r, e := cabi.Record(sets, "sets")
		if e != nil {
			return e
		}
		f := plackettluce.Sets{Items: int(r.k), Penalty: float64(penalty)}
		if f.Ranks, e = int32s(r.ranks, "sets.ranks", r.n, r.m, r.k); e != nil {
			return e
		}
		if f.Weights, e = matrix(r.weights, "sets.weights", r.n, r.m); e != nil {
			return e
		}
		out, e := matrix(utilities, "utilities", r.n, r.k)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		if _, e := cabi.One(nUnfitted, "n_unfitted"); e != nil {
			return e
		}
		*nUnfitted = 0
		e = f.FitTo(out, t.workers, t.mon)
		if partial, is := errors.AsType[*plackettluce.NotConvergedError](e); is {
			*nUnfitted = C.int64_t(partial.Unfitted)
		}
		return e
	})
}

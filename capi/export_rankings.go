package main

// #include "combpred.h"
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/aggregate"
	"combpred/core/catalogue"
	"combpred/core/extensions"
)

//export go_cp_aggregate_pairs
func go_cp_aggregate_pairs(profile *C.cp_in_profile, pairs *C.cp_in_pairs, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if profile == nil || pairs == nil {
			return cabi.Illegal("profile or pairs is NULL")
		}
		p, e := readProfile(profile)
		if e != nil {
			return e
		}
		out, e := viewPairs(pairs)
		if e != nil {
			return e
		}
		if e := cabi.Equal("pairs.k", C.int64_t(out.Items()), "profile", p.Items()); e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		w, e := aggregate.CountPairs(p, t.workers, t.mon)
		if e != nil {
			return e
		}
		copy(out.Before.Data, w.Before.Data)
		copy(out.Tied.Data, w.Tied.Data)
		return nil
	})
}

//export go_cp_aggregate_groups
func go_cp_aggregate_groups(before *C.cp_in_f64, k C.int64_t, group *C.int32_t, nGroups *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		w, err := readWeights(before, "before", k)
		if err != nil {
			return err
		}
		out, err := int32s(group, "group", k)
		if err != nil {
			return err
		}
		if _, err := cabi.One(nGroups, "n_groups"); err != nil {
			return err
		}
		groups := aggregate.Groups(w.Rows, func(u, v int) bool { return w.Row(u)[v] > w.Row(v)[u] })
		for c, items := range groups {
			for _, u := range items {
				out[u] = int32(c)
			}
		}
		*nGroups = C.int64_t(len(groups))
		return nil
	})
}

//export go_cp_aggregate_margins
func go_cp_aggregate_margins(pairs *C.cp_in_pairs, threshold C.double, dst *C.double, k C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		w, err := readPairs(pairs)
		if err != nil {
			return err
		}
		if w == nil {
			return cabi.Illegal("pairs is NULL")
		}
		if err := cabi.Equal("k", k, "pairs", w.Items()); err != nil {
			return err
		}
		out, err := float64s(dst, "dst", k, k)
		if err != nil {
			return err
		}
		margins, err := aggregate.Margins(w, float64(threshold))
		if err != nil {
			return err
		}
		copy(out, margins.Data)
		return nil
	})
}

//export go_cp_aggregate_extend
func go_cp_aggregate_extend(relations *C.cp_in_relations, nExtensions C.int64_t, seed C.uint64_t, ranks, weights *C.double,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		r, e := cabi.Record(relations, "relations")
		if e != nil {
			return e
		}
		before, e := int32s(r.before, "relations.before", r.n, r.k, r.k)
		if e != nil {
			return e
		}
		relationWeights, e := optionalFloat64s(r.weights, "relations.weights", r.n)
		if e != nil {
			return e
		}
		out, e := float64s(ranks, "ranks", r.n, nExtensions, r.k)
		if e != nil {
			return e
		}
		shares, e := float64s(weights, "weights", r.n, nExtensions)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		related := make([]bool, len(before))
		for i, value := range before {
			related[i] = value != 0
		}
		p, e := aggregate.Extend(related, int(r.k), relationWeights, int(nExtensions), uint64(seed), t.workers, t.mon)
		if e != nil {
			return e
		}
		copy(out, p.Ranks.Data)
		copy(shares, p.Weights)
		return nil
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
		t, err := readExecution(nWorkers, control)
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
		t, err := readExecution(nWorkers, control)
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
		t, err := readExecution(nWorkers, control)
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
		t, err := readExecution(nWorkers, control)
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
		t, err := readExecution(nWorkers, control)
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

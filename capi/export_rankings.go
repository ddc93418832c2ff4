package main

// #include "combpred.h"
import "C"

import (
	"errors"

	"combpred/capi/cabi"
	"combpred/core/aggregate"
	"combpred/core/aggregate/plackettluce"
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
		t, e := readTail(workers, control)
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
		given, e := optionalFloat64s(r.weights, "relations.weights", r.n)
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
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		related := make([]bool, len(before))
		for i, value := range before {
			related[i] = value != 0
		}
		p, e := aggregate.Extend(related, int(r.k), given, int(nExtensions), uint64(seed), t.workers, t.mon)
		if e != nil {
			return e
		}
		copy(out, p.Ranks.Data)
		copy(shares, p.Weights)
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
		t, e := readTail(workers, control)
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

package main

// #include "combpred.h"
import "C"

import (
	"combpred/core/extensions"
)

//export go_cp_extensions_sample
func go_cp_extensions_sample(pairs *C.cp_in_i32, nPairs, nElements C.int64_t, method C.int32_t, seed C.uint64_t, dst *C.int32_t,
	nSamples C.int64_t, steps *C.int64_t, nWorkers C.int32_t, control *C.cp_control, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		poset, err := posetOf(pairs, nPairs, nElements)
		if err != nil {
			return err
		}
		how, err := methodOf(method, extensions.Coupling, "CP_EXTENSIONS_")
		if err != nil {
			return err
		}
		out, err := outInt32s(dst, "dst", nSamples, nElements)
		if err != nil {
			return err
		}
		made, err := optionalInt64s(steps, "steps", nSamples)
		if err != nil {
			return err
		}
		w, err := workers(nWorkers)
		if err != nil {
			return err
		}
		return extensions.Batch(poset, how, uint64(seed), out, made, w, monitor(control))
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
		w, err := workers(nWorkers)
		if err != nil {
			return err
		}
		number, err := extensions.Count(poset, most, w, monitor(control))
		if err != nil {
			return err
		}
		writeDigits(out, needed, number)
		return nil
	})
}

//export go_cp_extensions_common
func go_cp_extensions_common(x *C.cp_in_i32, n C.int64_t, y *C.cp_in_i32, m, nElements, mostDownsets C.int64_t,
	dst *C.double, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if nElements < 2 || nElements > extensions.MostElements {
			return illegal("n_elements is %d, must be between 2 and %d", int64(nElements), extensions.MostElements)
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
			return illegal("m is %d without y, must be n, %d", int64(m), int64(n))
		}
		most, err := downsetsLimit(mostDownsets)
		if err != nil {
			return err
		}
		out, err := outFloat64s(dst, "dst", n, m)
		if err != nil {
			return err
		}
		w, err := workers(nWorkers)
		if err != nil || len(out) == 0 {
			return err
		}
		return extensions.Common(out, rows, columns, int(nElements), most, w, monitor(control))
	})
}

// posetOf reads a partial order.
func posetOf(pairs *C.cp_in_i32, nPairs, nElements C.int64_t) (*extensions.Poset, error) {
	flat, err := int32s(pairs, "pairs", nPairs, 2)
	if err != nil {
		return nil, err
	}
	if nElements < 1 || nElements > extensions.MostElements {
		return nil, illegal("n_elements is %d, must be between 1 and %d", int64(nElements), extensions.MostElements)
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
		return 0, illegal("most_downsets is %d, must be between 1 and %d", int64(most), extensions.MostCounted)
	}
	return int(most), nil
}

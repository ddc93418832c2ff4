package main

// #include "combpred.h"
import "C"

import (
	"combpred/core/parallel"
)

//export go_cp_test_panic
func go_cp_test_panic(inWorker C.int32_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		if inWorker == 0 {
			panic("test of a panic in the calling goroutine")
		}
		return parallel.For(2, 1, 2, nil, func(lo, _ int) error {
			if lo == 1 {
				panic("test of a panic in a worker")
			}
			return nil
		})
	})
}

//go:build !cgo

package hostblas

import "combpred/core/fault"

var errPure = fault.Value("built without cgo, which calls routines of the host")

// Activate refuses: nothing of the host can be called.
func Activate() error { return errPure }

// Open refuses likewise.
func Open(string) error { return errPure }

//go:build cgo

package hostblas

import (
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"combpred/core/fault"
)

// Activate tests the offered routines and installs them. All of them are needed: a process that runs half on one BLAS and half
// on another could not say where its numbers come from. The choice is global and must be made before any computation.
func Activate() error {
	mu.Lock()
	defer mu.Unlock()
	return activate()
}

// activate is Activate under the lock.
func activate() error {
	if active != nil {
		return fault.Value("a BLAS of the host is already active")
	}
	var missing []string
	for _, r := range offered.routines() {
		if *r.at == 0 {
			missing = append(missing, r.name)
		}
	}
	if len(missing) > 0 {
		return fault.Value("the host does not offer %s", strings.Join(missing, ", "))
	}
	t := offered
	if err := selfTest(&t); err != nil {
		return err
	}
	blas64.Use(host64{t: &t})
	blas32.Use(host32{t: &t})
	lapack64.Use(hostLapack{t: &t})
	active = &t
	return nil
}

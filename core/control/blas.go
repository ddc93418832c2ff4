package control

import (
	"combpred/core/linalg/hostblas"
)

// HostRoutines lists the BLAS and LAPACK routines that the host may offer, one a line: the name, a space, and one letter for each
// argument: c for char *, i for int *, x for a pointer to numbers.
func HostRoutines() string {
	return hostblas.Routines()
}

// OfferRoutine records the address of the host's routine called name, with the Fortran calling convention and 32-bit integers; it may
// take hidden string lengths or not. The routine must stay loaded for the life of the process. Nothing changes before ActivateHostBLAS.
func OfferRoutine(name string, address uintptr) (err error) {
	defer recoverTo(&err)
	return hostblas.Offer(name, address)
}

// ActivateHostBLAS tests the offered routines against the library's own and uses them from now on. On failure nothing changes. It
// must be called before any computation starts, and at most once.
func ActivateHostBLAS() (err error) {
	defer recoverTo(&err)
	return hostblas.Activate()
}

// BLASStatus says which BLAS is in use: "gonum", or "host".
func BLASStatus() string {
	return hostblas.Status()
}

package control

import (
	"strings"

	"combpred/core/linalg/hostblas"
)

// BlasRoutines lists the BLAS and LAPACK routines that the host may offer, one a line: the name, a space, and one letter for each
// argument: c for char *, i for int *, x for a pointer to numbers.
func BlasRoutines() string { return hostblas.Routines() }

// BlasOffer records the address of the host's routine called name, with the Fortran calling convention and 32-bit integers; it may
// take hidden string lengths or not. Its arguments, in letters or as a signature in C, such as "void (char *, int *)", must be those of
// BlasRoutines. It must stay loaded for the life of the process. Nothing changes before BlasActivate.
func BlasOffer(name, arguments string, address uintptr) (err error) {
	defer recoverTo(&err)
	if strings.Contains(arguments, "(") {
		arguments = hostblas.Kinds(arguments)
	}
	if err := hostblas.Check(name, arguments); err != nil {
		return err
	}
	return hostblas.Offer(name, address)
}

// BlasActivate tests the offered routines against the library's own and uses them from now on. On failure nothing changes. It
// must be called before any computation starts, and at most once.
func BlasActivate() (err error) {
	defer recoverTo(&err)
	return hostblas.Activate()
}

// BlasOpen offers the routines of the shared library at path, or, where that is empty, of the first that serves of those with a usual
// name, and activates them.
func BlasOpen(path string) (err error) {
	defer recoverTo(&err)
	return hostblas.Open(path)
}

// BlasStatus says which BLAS is in use: "gonum" or "host", and behind that the library where it came by BlasOpen.
func BlasStatus() string {
	if library := hostblas.Source(); library != "" {
		return hostblas.Status() + " " + library
	}
	return hostblas.Status()
}

// Package hostblas lets gonum compute on the BLAS and LAPACK of the program that loaded the library, given as function pointers.
//
// A Python process with SciPy has an optimised BLAS in memory already; its level 3 routines and eigensolver are about ten times
// faster than portable Go. Offer collects the pointers, Activate tests them against pure Go and then installs them behind gonum's
// blas32, blas64 and lapack64. Until then, and whenever the test fails, everything runs on pure Go. Open finds the pointers in a shared
// library. Without cgo nothing but the names is here.
package hostblas

import (
	"fmt"
	"strings"
	"sync"

	"combpred/core/fault"
)

// table holds the addresses of the host's routines.
type table struct {
	dgemm, dsyrk, dtrsm, dtrmm, dsymm, dgemv, dsymv uintptr
	dpotrf, dpotri, dsyevd                          uintptr
	sgemm, ssyrk, strsm, strmm, ssymm, ssymv        uintptr
}

// routine is one entry of the table: its name, the kinds of its arguments (c: char *, i: int *, x: numbers) and its place.
type routine struct {
	name, args string
	at         *uintptr
}

func (t *table) routines() []routine {
	return []routine{
		{"dgemm", "cciiixxixixxi", &t.dgemm},
		{"dsyrk", "cciixxixxi", &t.dsyrk},
		{"dtrsm", "cccciixxixi", &t.dtrsm},
		{"dtrmm", "cccciixxixi", &t.dtrmm},
		{"dsymm", "cciixxixixxi", &t.dsymm},
		{"dgemv", "ciixxixixxi", &t.dgemv},
		{"dsymv", "cixxixixxi", &t.dsymv},
		{"dpotrf", "cixii", &t.dpotrf},
		{"dpotri", "cixii", &t.dpotri},
		{"dsyevd", "ccixixxiiii", &t.dsyevd},
		{"sgemm", "cciiixxixixxi", &t.sgemm},
		{"ssyrk", "cciixxixxi", &t.ssyrk},
		{"strsm", "cccciixxixi", &t.strsm},
		{"strmm", "cccciixxixi", &t.strmm},
		{"ssymm", "cciixxixixxi", &t.ssymm},
		{"ssymv", "cixxixixxi", &t.ssymv},
	}
}

var (
	mu      sync.Mutex
	offered table
	active  *table // set once by Activate, before any computation
	source  string // the library that Open took active from
)

// Routines lists the names and arguments of all routines, one a line.
func Routines() string {
	var b strings.Builder
	for _, r := range new(table).routines() {
		fmt.Fprintf(&b, "%s %s\n", r.name, r.args)
	}
	return b.String()
}

// Offer records the address of a routine.
func Offer(name string, address uintptr) error {
	mu.Lock()
	defer mu.Unlock()
	if active != nil {
		return fault.Value("%s offered after activation", name)
	}
	if address == 0 {
		return fault.Value("%s offered at address 0", name)
	}
	for _, r := range offered.routines() {
		if r.name == name {
			*r.at = address
			return nil
		}
	}
	return fault.Value("there is no use for a routine called %s", name)
}

// Status returns "host" after a successful Activate and "gonum" before.
func Status() string {
	mu.Lock()
	defer mu.Unlock()
	if active != nil {
		return "host"
	}
	return "gonum"
}

// Source returns the shared library that Open has activated, "" where the routines in use came another way.
func Source() string {
	mu.Lock()
	defer mu.Unlock()
	return source
}

// Check returns an error unless a routine called name takes arguments of such kinds, as Routines writes them.
func Check(name, args string) error {
	for _, r := range new(table).routines() {
		if r.name == name && r.args != args {
			return fault.Value("%s takes the arguments %s here, not %s", name, r.args, args)
		}
	}
	return nil
}

// Kinds abbreviates the arguments of a function without result, given its signature in C, to one letter each: c for char *, i for int *,
// x for a pointer to anything else, and ? otherwise. Names of number types differ between versions of SciPy. 64-bit integers come out
// as x, which no expected list has there.
func Kinds(signature string) string {
	inside, isVoid := strings.CutPrefix(strings.Join(strings.Fields(signature), ""), "void(")
	inside, isClosed := strings.CutSuffix(inside, ")")
	if !isVoid || !isClosed {
		return ""
	}
	var b strings.Builder
	for argument := range strings.SplitSeq(inside, ",") {
		switch {
		case argument == "char*":
			b.WriteByte('c')
		case argument == "int*":
			b.WriteByte('i')
		case strings.HasSuffix(argument, "*"):
			b.WriteByte('x')
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

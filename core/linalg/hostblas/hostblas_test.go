//go:build cgo

package hostblas

import (
	"math"
	"testing"

	"combpred/core/slicex"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
)

// The host's routines themselves are tested where a host is: by the self-test at every activation. Here the table is empty, so
// that any call to the host would end the test process; what is tested is that illegal, empty and small arguments never get there.

var h = host64{t: &table{}}

// panicOf returns what f panics with.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestIllegalArgumentsPanicAsInGonum(t *testing.T) {
	const n = 40
	ok, short := make([]float64, n*n), make([]float64, n*n-1)
	calls := map[string]func(b blas.Float64){
		"dgemm short c":     func(b blas.Float64) { b.Dgemm('N', 'N', n, n, n, 1, ok, n, ok, n, 0, short, n) },
		"dgemm short a":     func(b blas.Float64) { b.Dgemm('N', 'N', n, n, n, 1, short, n, ok, n, 0, ok, n) },
		"dgemm short b":     func(b blas.Float64) { b.Dgemm('N', 'T', n, n, n, 1, ok, n, short, n, 0, ok, n) },
		"dgemm stride":      func(b blas.Float64) { b.Dgemm('N', 'N', n, n, n, 1, ok, n-1, ok, n, 0, ok, n) },
		"dgemm transpose":   func(b blas.Float64) { b.Dgemm('X', 'N', n, n, n, 1, ok, n, ok, n, 0, ok, n) },
		"dgemm negative":    func(b blas.Float64) { b.Dgemm('N', 'N', -n, n, -n, 1, ok, n, ok, n, 0, ok, n) },
		"dsyrk triangle":    func(b blas.Float64) { b.Dsyrk('X', 'N', n, n, 1, ok, n, 0, ok, n) },
		"dsyrk short":       func(b blas.Float64) { b.Dsyrk('U', 'N', n, n, 1, short, n, 0, ok, n) },
		"dtrsm side":        func(b blas.Float64) { b.Dtrsm('X', 'U', 'N', 'N', n, n, 1, ok, n, ok, n) },
		"dtrsm diagonal":    func(b blas.Float64) { b.Dtrsm('L', 'U', 'N', 'X', n, n, 1, ok, n, ok, n) },
		"dtrsm short":       func(b blas.Float64) { b.Dtrsm('L', 'U', 'N', 'N', n, n, 1, ok, n, short, n) },
		"dtrmm short":       func(b blas.Float64) { b.Dtrmm('R', 'U', 'N', 'N', n, n, 1, short, n, ok, n) },
		"dsymm short":       func(b blas.Float64) { b.Dsymm('L', 'U', n, n, 1, ok, n, ok, n, 0, short, n) },
		"dgemv short":       func(b blas.Float64) { b.Dgemv('N', n, 4*n, 1, ok, 4*n, ok, 1, 0, ok, 1) },
		"dgemv increment":   func(b blas.Float64) { b.Dgemv('N', n, n, 1, ok, n, ok, 0, 0, ok, 1) },
		"dgemv short input": func(b blas.Float64) { b.Dgemv('N', n, n, 1, ok, n, ok[:n-1], 1, 0, ok, 1) },
	}
	for name, call := range slicex.InOrder(calls) {
		want := panicOf(func() { call(gonum.Implementation{}) })
		if got := panicOf(func() { call(h) }); got != want || want == nil {
			t.Errorf("%s: panics with %v, gonum with %v", name, got, want)
		}
	}
}

func TestEmptyAndSmallProductsStayInGo(t *testing.T) {
	c := []float64{1, 2, 3, 4}
	h.Dgemm('N', 'N', 2, 2, 0, 1, make([]float64, 2), 1, nil, 2, 2, c, 2)
	if c[0] != 2 || c[3] != 8 {
		t.Errorf("beta·c = %v", c)
	}
	h.Dgemm('N', 'N', 0, 2, 2, 1, nil, 2, c, 2, 0, nil, 2)
	h.Dgemm('N', 'T', 2, 2, 2, 1, c, 2, []float64{1, 0, 0, 1}, 2, 0, c[:4:4], 2)
	h.Dtrsm('L', 'U', 'N', 'N', 0, 0, 1, nil, 1, nil, 1)
}

func TestSizesBeyondThirtyTwoBitsStayInGo(t *testing.T) {
	if worth(math.MaxInt32+1, 2, 2) || !worth(math.MaxInt32, 1, 1) || worth(-1, -1, 1<<20) || worth(0, 1<<20) {
		t.Error("worth misjudges a size")
	}
	if fits([]float64{1, 2}, 1, 2, math.MaxInt32+1) || !fits([]float64{1, 2}, 1, 2, math.MaxInt32) {
		t.Error("fits misjudges a stride")
	}
	if fitsVector(make([]float64, 5), 3, 3) || !fitsVector(make([]float64, 5), 3, -2) || fitsVector(make([]float64, 5), 1, 0) {
		t.Error("fitsVector misjudges an increment")
	}
}

func TestEigensolverRefusesWhatIsNotFinite(t *testing.T) {
	const n = 20
	lp := hostLapack{t: &table{}}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
			a := make([]float64, n*n)
			if ul == blas.Upper {
				a[3*n+7] = bad
			} else {
				a[7*n+3] = bad
			}
			if lp.Dsyev(lapack.EVCompute, ul, n, a, n, make([]float64, n), make([]float64, 3*n), 3*n) {
				t.Errorf("%c: converged on a matrix with %g", ul, bad)
			}
		}
	}
}

func TestTransposeInPlace(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 70} {
		lda := n + 3
		a := make([]float64, n*lda)
		for i := range a {
			a[i] = float64(i)
		}
		transpose(n, a, lda)
		for i := range n {
			for j := range n {
				if a[i*lda+j] != float64(j*lda+i) {
					t.Fatalf("n=%d: entry %d,%d is %g", n, i, j, a[i*lda+j])
				}
			}
			for j := n; j < lda; j++ {
				if a[i*lda+j] != float64(i*lda+j) {
					t.Fatalf("n=%d: padding changed", n)
				}
			}
		}
	}
}

func TestKindsOfSignatures(t *testing.T) {
	for _, of := range [][2]string{
		{"void (char *, int *, __pyx_t_5scipy_6linalg_13cython_lapack_d *, int *, int *)", "cixii"},
		{"void (char *, npy_int64 *, double *, npy_int64 *, int *)", "cxxxi"},
		{"void (char *, int)", "c?"},
		{"int (char *)", ""},
		{"void (char *, int *", ""},
	} {
		if got := Kinds(of[0]); got != of[1] {
			t.Errorf("%s has the kinds %q, want %q", of[0], got, of[1])
		}
	}
}

package hostblas

// The host's routines follow the Fortran convention: everything by address, matrices in columns. Each trampoline takes scalars by
// value, which keeps them off the Go heap, and calls through the address.

/*
#include <stddef.h>
#include <stdint.h>

// Fortran compilers pass the length of every char * behind the arguments. Routines written in C take no such lengths, and find them in
// registers, or in a place on the caller's stack, that they do not look at.
#define ONE (size_t)1

#define GEMM(NAME, T)                                                                                                          \
  static void NAME(uintptr_t f, char ta, char tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb,      \
                   T beta, T *c, int ldc) {                                                                                    \
    ((void (*)(char *, char *, int *, int *, int *, T *, const T *, int *, const T *, int *, T *, T *, int *, size_t,          \
               size_t))f)(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, ONE, ONE);                           \
  }
#define SYRK(NAME, T)                                                                                                          \
  static void NAME(uintptr_t f, char ul, char t, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc) {          \
    ((void (*)(char *, char *, int *, int *, T *, const T *, int *, T *, T *, int *, size_t, size_t))f)(                       \
        &ul, &t, &n, &k, &alpha, a, &lda, &beta, c, &ldc, ONE, ONE);                                                           \
  }
#define TRXM(NAME, T)                                                                                                          \
  static void NAME(uintptr_t f, char s, char ul, char t, char d, int m, int n, T alpha, const T *a, int lda, T *b, int ldb) {  \
    ((void (*)(char *, char *, char *, char *, int *, int *, T *, const T *, int *, T *, int *, size_t, size_t, size_t,        \
               size_t))f)(&s, &ul, &t, &d, &m, &n, &alpha, a, &lda, b, &ldb, ONE, ONE, ONE, ONE);                              \
  }
#define SYMM(NAME, T)                                                                                                          \
  static void NAME(uintptr_t f, char s, char ul, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta,      \
                   T *c, int ldc) {                                                                                            \
    ((void (*)(char *, char *, int *, int *, T *, const T *, int *, const T *, int *, T *, T *, int *, size_t, size_t))f)(     \
        &s, &ul, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, ONE, ONE);                                                  \
  }
#define SYMV(NAME, T)                                                                                                          \
  static void NAME(uintptr_t f, char ul, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy) {  \
    ((void (*)(char *, int *, T *, const T *, int *, const T *, int *, T *, T *, int *, size_t))f)(                            \
        &ul, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy, ONE);                                                             \
  }
#define POTR(NAME, T)                                                                                                          \
  static int NAME(uintptr_t f, char ul, int n, T *a, int lda) {                                                                \
    int info = 0;                                                                                                              \
    ((void (*)(char *, int *, T *, int *, int *, size_t))f)(&ul, &n, a, &lda, &info, ONE);                                     \
    return info;                                                                                                               \
  }

GEMM(hb_dgemm, double)
GEMM(hb_sgemm, float)
SYRK(hb_dsyrk, double)
SYRK(hb_ssyrk, float)
TRXM(hb_dtrxm, double)
TRXM(hb_strxm, float)
SYMM(hb_dsymm, double)
SYMM(hb_ssymm, float)
SYMV(hb_dsymv, double)
SYMV(hb_ssymv, float)
POTR(hb_dpotr, double)

static void hb_dgemv(uintptr_t f, char t, int m, int n, double alpha, const double *a, int lda, const double *x, int incx,
                     double beta, double *y, int incy) {
  ((void (*)(char *, int *, int *, double *, const double *, int *, const double *, int *, double *, double *, int *, size_t))f)(
      &t, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy, ONE);
}

static int hb_dsyevd(uintptr_t f, char job, char ul, int n, double *a, int lda, double *w, double *work, int lwork, int *iwork,
                     int liwork) {
  int info = 0;
  ((void (*)(char *, char *, int *, double *, int *, double *, double *, int *, int *, int *, int *, size_t, size_t))f)(
      &job, &ul, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info, ONE, ONE);
  return info;
}

#cgo noescape hb_dgemm
#cgo nocallback hb_dgemm
#cgo noescape hb_sgemm
#cgo nocallback hb_sgemm
#cgo noescape hb_dsyrk
#cgo nocallback hb_dsyrk
#cgo noescape hb_ssyrk
#cgo nocallback hb_ssyrk
#cgo noescape hb_dtrxm
#cgo nocallback hb_dtrxm
#cgo noescape hb_strxm
#cgo nocallback hb_strxm
#cgo noescape hb_dpotr
#cgo nocallback hb_dpotr
#cgo noescape hb_dsymm
#cgo nocallback hb_dsymm
#cgo noescape hb_ssymm
#cgo nocallback hb_ssymm
#cgo noescape hb_dsymv
#cgo nocallback hb_dsymv
#cgo noescape hb_ssymv
#cgo nocallback hb_ssymv
#cgo noescape hb_dgemv
#cgo nocallback hb_dgemv
#cgo noescape hb_dsyevd
#cgo nocallback hb_dsyevd
*/
import "C"

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// The wrappers below speak column-major; callers turn row-major around. All sizes have been checked to fit a C int.

func f64(s []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(s))) }
func f32(s []float32) *C.float  { return (*C.float)(unsafe.Pointer(unsafe.SliceData(s))) }

func dgemm(f uintptr, ta, tb blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	C.hb_dgemm(C.uintptr_t(f), C.char(ta), C.char(tb), C.int(m), C.int(n), C.int(k), C.double(alpha), f64(a), C.int(lda),
		f64(b), C.int(ldb),
		C.double(beta), f64(c), C.int(ldc))
}

func sgemm(f uintptr, ta, tb blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	C.hb_sgemm(C.uintptr_t(f), C.char(ta), C.char(tb), C.int(m), C.int(n), C.int(k), C.float(alpha), f32(a), C.int(lda), f32(b), C.int(ldb),
		C.float(beta), f32(c), C.int(ldc))
}

func dsyrk(f uintptr, ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	C.hb_dsyrk(C.uintptr_t(f), C.char(ul), C.char(t), C.int(n), C.int(k), C.double(alpha), f64(a), C.int(lda), C.double(beta),
		f64(c), C.int(ldc))
}

func ssyrk(f uintptr, ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	C.hb_ssyrk(C.uintptr_t(f), C.char(ul), C.char(t), C.int(n), C.int(k), C.float(alpha), f32(a), C.int(lda), C.float(beta),
		f32(c), C.int(ldc))
}

// dtrxm calls dtrsm or dtrmm, which take the same arguments.
func dtrxm(f uintptr, s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	C.hb_dtrxm(C.uintptr_t(f), C.char(s), C.char(ul), C.char(t), C.char(d), C.int(m), C.int(n), C.double(alpha), f64(a),
		C.int(lda), f64(b), C.int(ldb))
}

func strxm(f uintptr, s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int) {
	C.hb_strxm(C.uintptr_t(f), C.char(s), C.char(ul), C.char(t), C.char(d), C.int(m), C.int(n), C.float(alpha), f32(a),
		C.int(lda), f32(b), C.int(ldb))
}

// dpotr calls dpotrf or dpotri and returns its info.
func dpotr(f uintptr, ul blas.Uplo, n int, a []float64, lda int) int {
	return int(C.hb_dpotr(C.uintptr_t(f), C.char(ul), C.int(n), f64(a), C.int(lda)))
}

func dsymm(f uintptr, s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	C.hb_dsymm(C.uintptr_t(f), C.char(s), C.char(ul), C.int(m), C.int(n), C.double(alpha), f64(a), C.int(lda), f64(b), C.int(ldb),
		C.double(beta), f64(c), C.int(ldc))
}

func ssymm(f uintptr, s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int,
	beta float32, c []float32, ldc int) {
	C.hb_ssymm(C.uintptr_t(f), C.char(s), C.char(ul), C.int(m), C.int(n), C.float(alpha), f32(a), C.int(lda), f32(b), C.int(ldb),
		C.float(beta), f32(c), C.int(ldc))
}

func dgemv(f uintptr, t blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64,
	y []float64, incY int) {
	C.hb_dgemv(C.uintptr_t(f), C.char(t), C.int(m), C.int(n), C.double(alpha), f64(a), C.int(lda), f64(x), C.int(incX),
		C.double(beta), f64(y), C.int(incY))
}

func dsymv(f uintptr, ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64,
	incY int) {
	C.hb_dsymv(C.uintptr_t(f), C.char(ul), C.int(n), C.double(alpha), f64(a), C.int(lda), f64(x), C.int(incX), C.double(beta),
		f64(y), C.int(incY))
}

func ssymv(f uintptr, ul blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32,
	incY int) {
	C.hb_ssymv(C.uintptr_t(f), C.char(ul), C.int(n), C.float(alpha), f32(a), C.int(lda), f32(x), C.int(incX), C.float(beta),
		f32(y), C.int(incY))
}

// dsyevd returns the info of the call. A query has lwork = liwork = -1.
func dsyevd(f uintptr, job lapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int, iwork []int32,
	liwork int) int {
	return int(C.hb_dsyevd(C.uintptr_t(f), C.char(job), C.char(ul), C.int(n), f64(a), C.int(lda), f64(w), f64(work), C.int(lwork),
		(*C.int)(unsafe.Pointer(unsafe.SliceData(iwork))), C.int(liwork)))
}

package main

// #include "combpred.h"
import "C"

import (
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode"
	"combpred/core/structure"
)

//export go_cp_decode
func go_cp_decode(s *C.cp_in_structure, linear *C.cp_in_f64, n, d C.int64_t, magnitude *C.cp_in_f64,
	nMagnitude C.int64_t, method C.int32_t, seed C.uint64_t, dst *C.int32_t, partLen C.int64_t, value, upperBound,
	nu *C.double, optimal *C.uint8_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		if err := equal("d", d, sp.FeatureLen()); err != nil {
			return err
		}
		if err := equal("part_len", partLen, sp.PartLen()); err != nil {
			return err
		}
		how, err := methodOf(method, decode.Metropolis, "CP_DECODE_")
		if err != nil {
			return err
		}
		lin, err := float64s(linear, "linear", n, d)
		if err != nil {
			return err
		}
		if nMagnitude != 0 && nMagnitude != 1 && nMagnitude != n {
			return illegal("n_magnitude is %d, must be 0, 1 or n = %d", int64(nMagnitude), int64(n))
		}
		mag, err := float64s(magnitude, "magnitude", nMagnitude, d)
		if err != nil {
			return err
		}
		out, err := outInt32s(dst, "dst", n, partLen)
		if err != nil {
			return err
		}
		cert, err := newCertificates(n, value, upperBound, nu, optimal)
		if err != nil {
			return err
		}
		w, err := workers(nWorkers)
		if err != nil {
			return err
		}
		if err := decode.Batch(sp, general(n, d, lin), general(nMagnitude, d, mag), how, uint64(seed), out, cert.rows, w,
			monitor(control)); err != nil {
			return err
		}
		cert.write()
		return nil
	})
}

// general returns data, of rows×cols numbers, as a matrix.
func general(rows, cols C.int64_t, data []float64) blas64.General {
	return blas64.General{Rows: int(rows), Cols: int(cols), Stride: max(int(cols), 1), Data: data}
}

// certificates are the caller's columns of the certificate, each of which may be missing, and the rows that fill them.
type certificates struct {
	rows                  []structure.Certificate
	value, upperBound, nu []float64
	optimal               []byte
}

func newCertificates(n C.int64_t, value, upperBound, nu *C.double, optimal *C.uint8_t) (c certificates, err error) {
	if value != nil {
		if c.value, err = outFloat64s(value, "value", n); err != nil {
			return c, err
		}
	}
	if upperBound != nil {
		if c.upperBound, err = outFloat64s(upperBound, "upper_bound", n); err != nil {
			return c, err
		}
	}
	if nu != nil {
		if c.nu, err = outFloat64s(nu, "nu", n); err != nil {
			return c, err
		}
	}
	if optimal != nil {
		if c.optimal, err = outBytes(optimal, "optimal", n); err != nil {
			return c, err
		}
	}
	if c.value != nil || c.upperBound != nil || c.nu != nil || c.optimal != nil {
		c.rows = make([]structure.Certificate, n)
	}
	return c, nil
}

func (c certificates) write() {
	for i, r := range c.rows {
		if c.value != nil {
			c.value[i] = r.Value
		}
		if c.upperBound != nil {
			c.upperBound[i] = r.UpperBound
		}
		if c.nu != nil {
			c.nu[i] = r.Nu
		}
		if c.optimal != nil {
			c.optimal[i] = 0
			if r.Optimal {
				c.optimal[i] = 1
			}
		}
	}
}

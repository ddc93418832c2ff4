package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/partition"
	"combpred/core/structure"
)

// general returns data, of rows×cols numbers, as a matrix.
func general(rows, cols C.int64_t, data []float64) blas64.General {
	return blas64.General{Rows: int(rows), Cols: int(cols), Stride: max(int(cols), 1), Data: data}
}

// how returns the method of decoding.
func (in *decodeOptionsIn) how() (decode.Method, error) {
	return choice[decode.Method](catalogue.Decoders, in.method, "method")
}

// decodeOptions reads how scores are decoded; NULL has the defaults.
func decodeOptions(p *C.cp_in_decode_options) (opt C.cp_decode_options, how decode.Method, err error) {
	if p != nil {
		if opt, err = cabi.Record(p, "options"); err != nil {
			return opt, 0, err
		}
	}
	how, err = named[decode.Method](catalogue.Decoders, opt.method, "method")
	return opt, how, err
}

//export go_cp_decode
func go_cp_decode(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_decode_options, dst *C.int32_t,
	partLen C.int64_t, certificates *C.cp_in_certificates, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readScores(s, in)
		if e != nil {
			return e
		}
		opt, how, e := decodeOptions(options)
		if e != nil {
			return e
		}
		restricted, e := readRestricted(opt, how, sc.n)
		if e != nil {
			return e
		}
		out, e := sc.outputs(dst, "dst", partLen)
		if e != nil {
			return e
		}
		cert, e := newCertificates(sc.n, certificates)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		if restricted == nil {
			e = decode.BatchStreams(sc.rows, how, uint64(opt.seed), sc.streams, out, cert.rows, t.workers, t.mon)
		} else {
			e = cert.within(sc, restricted, how, out, t)
		}
		if e != nil {
			return e
		}
		cert.write()
		return nil
	})
}

// certificates are the caller's columns of the certificate, each of which may be missing, and the rows that fill them.
type certificates struct {
	rows                  []structure.Certificate
	value, upperBound, nu []float64
	optimal, met          []byte
}

func newCertificates(n C.int64_t, p *C.cp_in_certificates) (c certificates, err error) {
	if p == nil {
		return c, nil
	}
	r, err := cabi.Record(p, "certificates")
	if err != nil {
		return c, err
	}
	if err := cabi.Equal("certificates.n", r.n, "scores", int(n)); err != nil {
		return c, err
	}
	if c, err = certificateColumns(n, r.value, r.upper_bound, r.nu, r.optimal); err != nil {
		return c, err
	}
	if c.met, err = cabi.Optional[byte](unsafe.Pointer(r.met), "certificates.met", n); err != nil {
		return c, err
	}
	c.rows = make([]structure.Certificate, n)
	return c, nil
}

// certificateColumns reads the columns, each of which may be NULL, and makes rows where there is one.
func certificateColumns(n C.int64_t, value, upperBound, nu *C.double, optimal *C.uint8_t) (c certificates, err error) {
	if c.value, err = optionalFloat64s(value, "value", n); err != nil {
		return c, err
	}
	if c.upperBound, err = optionalFloat64s(upperBound, "upper_bound", n); err != nil {
		return c, err
	}
	if c.nu, err = optionalFloat64s(nu, "nu", n); err != nil {
		return c, err
	}
	if c.optimal, err = cabi.Optional[byte](unsafe.Pointer(optimal), "optimal", n); err != nil {
		return c, err
	}
	if value != nil || upperBound != nil || nu != nil || optimal != nil {
		c.rows = make([]structure.Certificate, n)
	}
	return c, nil
}

// within decodes under conditions, and says which rows meet them: without room for that, one that does not is an error.
func (c certificates) within(sc scores, restricted restrictedDecoder, how decode.Method, out []int32, t execution) error {
	met := make([]bool, sc.n)
	if err := restricted.Batch(sc.rows, how, out, c.rows, met, t.workers, t.mon); err != nil {
		return err
	}
	for i, m := range met {
		if c.met == nil && !m {
			return fault.At(i, fault.Value("no output was found that satisfies the constraints"))
		}
		if c.met != nil {
			c.met[i] = flagged(m)
		}
	}
	return nil
}

// certified returns the columns, and rows where there is one.
func certified(n int, value, upperBound, nu []float64, optimal []byte) certificates {
	c := certificates{value: value, upperBound: upperBound, nu: nu, optimal: optimal}
	if value != nil || upperBound != nil || nu != nil || optimal != nil {
		c.rows = make([]structure.Certificate, n)
	}
	return c
}

func flagged(b bool) byte {
	if b {
		return 1
	}
	return 0
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
			c.optimal[i] = flagged(r.Optimal)
		}
	}
}

//export go_cp_log_partition
func go_cp_log_partition(s C.cp_space, in *C.cp_in_scores, logZ, marginals *C.double, info *C.cp_partition_info,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		out, e := float64s(logZ, "log_z", sc.n)
		if e != nil {
			return e
		}
		mean, e := optionalFloat64s(marginals, "marginals", sc.each, sc.entries())
		if e != nil {
			return e
		}
		told, e := cabi.OutRecord(info, "info", true)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		cost, _, e := partition.Costs(sc.rows, marginals != nil)
		if e != nil {
			return e
		}
		if sc.n > 0 {
			if e := partition.Batch(sc.rows, out, mean, t.workers, t.mon); e != nil {
				return e
			}
		}
		result := C.cp_partition_info{cost: C.double(cost.Operations), seconds: C.double(cost.Seconds)}
		cabi.PutName(result.engine[:], catalogue.Engines.Of(int(cost.Engine)))
		told.Set(result)
		return nil
	})
}

//export go_cp_order_positions
func go_cp_order_positions(s C.cp_space, in *C.cp_in_scores, dst *C.double, partLen C.int64_t, workers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		if e := sc.partLen(partLen); e != nil {
			return e
		}
		out, e := float64s(dst, "dst", C.int64_t(partition.Places(sc.rows)))
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return partition.Positions(sc.rows, out, t.workers, t.mon)
	})
}

//export go_cp_sample_distribution
func go_cp_sample_distribution(s C.cp_space, in *C.cp_in_scores, nSamples C.int64_t, seed C.uint64_t, dst *C.int32_t,
	partLen C.int64_t, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readLinear(s, in)
		if e != nil {
			return e
		}
		out, e := sc.outputs(dst, "dst", partLen, nSamples)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil || sc.n == 0 || nSamples == 0 {
			return e
		}
		return partition.Sample(sc.rows, int(nSamples), uint64(seed), sc.streams, out, t.workers, t.mon)
	})
}

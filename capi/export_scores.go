package main

// #include "combpred.h"
import "C"

import (
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/partition"
	"combpred/core/structure"
)

// general returns data, of rows×cols numbers, as a matrix.
func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// how returns the method of decoding.
func (in *decodeOptionsIn) how() (decode.Method, error) {
	return choice[decode.Method](catalogue.Decoders, in.method, "method")
}

func doDecode(a *decodeArgs) error {
	how, err := a.options.how()
	if err != nil {
		return err
	}
	n, to := a.scores.n, a.certificates
	restricted, err := a.options.restricted(how, n)
	if err != nil {
		return err
	}
	if to.given {
		if err := cabi.Equal("certificates.n", int64(to.n), "scores", n); err != nil {
			return err
		}
	}
	cert := certified(n, to.value, to.upperBound, to.nu, to.optimal)
	if restricted == nil {
		err = decode.BatchStreams(a.rows.Batch, how, a.options.seed, a.rows.streams, a.dst, cert.rows, a.workers, a.mon)
	} else {
		met := make([]bool, n)
		err = restricted.Batch(a.rows.Batch, how, a.dst, cert.rows, met, a.workers, a.mon)
		for i := 0; i < n && err == nil; i++ { // without room to say which rows meet conditions, one that does not is an error
			if put(to.met, i, flagged(met[i])); to.met == nil && !met[i] {
				return fault.At(i, fault.Value("no output was found that satisfies the constraints"))
			}
		}
	}
	if err != nil {
		return err
	}
	cert.write()
	return nil
}

// certificates are the caller's columns of the certificate, each of which may be missing, and the rows that fill them.
type certificates struct {
	rows                  []structure.Certificate
	value, upperBound, nu []float64
	optimal               []byte
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
		put(c.value, i, r.Value)
		put(c.upperBound, i, r.UpperBound)
		put(c.nu, i, r.Nu)
		put(c.optimal, i, flagged(r.Optimal))
	}
}

func doLogPartition(a *logPartitionArgs) error {
	held, err := a.conditions.within(a.rows.Batch)
	if err != nil {
		return err
	}
	return partition.Batch(held.Batch, a.logZ, a.marginals.Data, a.workers, a.mon)
}

func doOrderPositions(a *orderPositionsArgs) error {
	dst, err := cabi.View[float64](a.dst, "dst", int64(partition.Places(a.rows.Batch)))
	if err != nil {
		return err
	}
	held, err := a.conditions.within(a.rows.Batch)
	if err != nil {
		return err
	}
	return partition.Positions(held.Batch, dst, a.workers, a.mon)
}

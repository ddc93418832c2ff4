package main

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/structure"
)

// FuzzRidge trains on whatever options, numbers and weights come: a call must end with an error or with finite coefficients, and
// never with a panic.
func FuzzRidge(f *testing.F) {
	for _, options := range []string{
		``, `{}`, `{"loss":"squared"}`, `{"solver":"cg","alpha":0.5}`, `{"solver":"newton-cg","tol":1e-3}`,
		`{"precision":"double","shift":1}`,
		`{"alpha":1e-300}`, `{"alpha":1e300,"max_iter":1}`, `{"tol":null}`, `{"alpha":"1"}`, `{"unknown":1}`, `[]`, `{}{}`,
		`{"max_iter":1e99}`,
	} {
		f.Add([]byte(options), []byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(4), true)
	}
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, options, raw []byte, rows uint8, gram bool) {
		opt, err := ridgeOptions(options)
		if err != nil {
			return
		}
		opt.MaxIter = min(opt.MaxIter, 200)
		if opt.MaxIter == 0 {
			opt.MaxIter = 200
		}
		m, d := 1+int(rows%9), space.FeatureLen()
		next := func() float64 {
			if len(raw) < 8 {
				return 0.5
			}
			v := math.Float64frombits(binary.LittleEndian.Uint64(raw))
			raw = raw[8:]
			return v
		}
		x, psi := linalg.NewMatrix[float64](m, m), linalg.NewMatrix[float64](m, d)
		for i := range x.Data {
			x.Data[i] = next()
		}
		for i := range psi.Data {
			psi.Data[i] = next()
		}
		k := x
		if gram { // a legal kernel matrix, otherwise anything
			k = linalg.NewMatrix[float64](m, m)
			linalg.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, k)
		}
		weights := make([]float64, m)
		for i := range weights {
			weights[i] = math.Abs(next())
		}
		bytes, err := opt.WorkBytes(space, m, opt.Precision)
		if err != nil {
			t.Fatal(err)
		}
		dual := linalg.NewMatrix[float64](m, d)
		info, err := opt.Kernel(space, k, fit.Targets{Psi: psi, Weights: weights},
			make([]float32, bytes/4), make([]float64, bytes/8), dual, nil)
		var partial *solve.NotConvergedError
		if err != nil && !errors.As(err, &partial) {
			return
		}
		for i, v := range dual.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("coefficient %d is %g (%+v, error %v)", i, v, info, err)
			}
		}
	})
}

package structure

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/structure/examples"
)

func build(name string, args examples.Args) (Space, error) { return New(name, Args(args)) }

func mustNew(tb testing.TB, name string, args examples.Args) Space {
	tb.Helper()
	space, err := build(name, args)
	if err != nil {
		tb.Fatal(err)
	}
	return space
}

// smallest returns the small sizes of a structure.
func smallest(tb testing.TB, name string) []examples.Args {
	tb.Helper()
	sizes, ok := examples.Of(name)
	if !ok {
		tb.Fatalf("package examples has no sizes of %s", name)
	}
	return sizes.Small()
}

func square(d int) blas64.General {
	return blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
}

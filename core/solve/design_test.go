package solve_test

import (
	"testing"

	"combpred/core/solve"
)

func TestSparseCheckRefusesMalformedArrays(t *testing.T) {
	good := solve.Sparse{Rows: 2, Cols: 2, Data: []float64{1, 2}, Indices: []int32{0, 1}, Indptr: []int64{0, 1, 2}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]solve.Sparse{
		"column out of range": {Rows: 2, Cols: 1, Data: good.Data, Indices: good.Indices, Indptr: good.Indptr},
		"decreasing indptr":   {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices, Indptr: []int64{0, 3, 2}},
		"short indptr":        {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices, Indptr: []int64{0, 2}},
		"lengths differ":      {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices[:1], Indptr: good.Indptr},
	} {
		if bad.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

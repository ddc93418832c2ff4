package predict

import (
	"math"
	"slices"
	"strings"
	"testing"

	"combpred/core/kernel"
	"combpred/core/linalg"
)

// TestTheConstantFeatureIsTakenIn: it adds shift times its weights, or times the sum of all coefficients of rows, to the intercept.
func TestTheConstantFeatureIsTakenIn(t *testing.T) {
	coef := linalg.Matrix[float64]{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, 4}}
	k, err := kernel.New(kernel.Function{Kind: kernel.Linear}, kernel.Rows{Dense: linalg.NewMatrix[float64](2, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kernel   *kernel.Matrix
		shift    float64
		features int
		rows     int
		want     []float64
		fails    string
	}{
		{nil, 0, 2, 2, []float64{5, 6}, ""},
		{nil, 2, 1, 1, []float64{11, 14}, ""},
		{k, 2, 1, 2, []float64{13, 18}, ""},
		{nil, 1, 2, 2, nil, "2 features with shift 1 need 3"},
		{nil, math.Inf(1), 1, 2, nil, "must be finite"},
	} {
		given := []float64{5, 6}
		m := Model{Coef: coef, Kernel: c.kernel, Intercept: given}
		err := m.TakeShift(c.shift, c.features)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("shift %g: %v, must say %q", c.shift, err, c.fails)
			}
			continue
		}
		if err != nil || !slices.Equal(m.Intercept, c.want) || m.Coef.Rows != c.rows || given[0] != 5 {
			t.Errorf("shift %g: %v with %d rows, error %v; want %v with %d", c.shift, m.Intercept, m.Coef.Rows, err, c.want, c.rows)
		}
	}
}

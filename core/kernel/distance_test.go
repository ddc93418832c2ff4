package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
)

// TestDistancesOfRowsFarFromTheOrigin: a common offset and clusters far apart leave the kernel of what differs.
func TestDistancesOfRowsFarFromTheOrigin(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const n, p = 300, 40 // of more rows than a panel
	offset := linalg.NewMatrix[float64](n, p)
	clusters := linalg.NewMatrix[float64](n, p)
	for i := range n {
		for j := range p {
			offset.Row(i)[j] = 1e7 + rng.NormFloat64()
			clusters.Row(i)[j] = float64(i%3)*1e5*float64(j%5) + rng.NormFloat64()
		}
	}
	copy(clusters.Row(9), clusters.Row(270))
	for name, x := range map[string]matrix{"offset": offset, "clusters": clusters} {
		for _, f := range []Function{{Kind: RBF, Gamma: 1.0 / p}, {Kind: Laplacian, Gamma: 1.0 / p}} {
			for _, rows := range []Rows{{Dense: x}, compressed(x, rng)} {
				k := gram(t, f, rows, 2)
				requireSymmetric(t, name, k, f)
				part := x.Slice(250, n, 0, p)
				for i := range part.Rows {
					for j := range n {
						// Entries of sparse rows stored as halves add up to the same.
						if want := direct(f, part.Row(i), x.Row(j)); math.Abs(k.Row(250 + i)[j]-want) > 2e-13 {
							t.Fatalf("%s: k = %.17g, want %.17g", name, k.Row(250 + i)[j], want)
						}
					}
				}
				if name == "clusters" && k.Row(9)[270] != 1 {
					t.Errorf("equal rows have the value %g", k.Row(9)[270])
				}
			}
		}
	}
	k, err := New(Function{Kind: RBF, Gamma: 1.0 / p}, Rows{Dense: offset})
	if err != nil || k.origin == nil {
		t.Errorf("rows far from the origin are not centred (%v)", err)
	}
	if k, err = New(Function{Kind: RBF, Gamma: 1.0 / p}, Rows{Dense: rough(50, p, rng)}); err != nil || k.origin != nil {
		t.Errorf("rows near the origin are copied (%v)", err)
	}
}

// TestExtremeLengths: cosines do not depend on scale, and distances beyond the largest number are infinite.
func TestExtremeLengths(t *testing.T) {
	for _, scale := range []float64{1e-300, 1e-170, 1, 1e170, 1e300} {
		x := matrix{Rows: 3, Cols: 2, Stride: 2, Data: []float64{scale, 0, scale, scale, -scale, 0}}
		k := gram(t, Function{Kind: Cosine}, Rows{Dense: x}, 1)
		if math.Abs(k.Data[1]-math.Sqrt(0.5)) > 1e-15 || k.Data[0] != 1 || k.Data[2] != -1 {
			t.Errorf("scale %g: cosines %v", scale, k.Data)
		}
	}
	x := matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1e200, -1e200}}
	for _, f := range []Function{{Kind: RBF, Gamma: 1}, {Kind: Laplacian, Gamma: 1e200}} {
		if k := gram(t, f, Rows{Dense: x}, 1); !slices.Equal(k.Data, []float64{1, 0, 0, 1}) {
			t.Errorf("kernel %v of rows far apart: %v", f, k.Data)
		}
	}
}

// TestExponentials are within two units in the last place of math.Exp.
func TestExponentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	check := func(v float64) {
		got, want := exp(v), math.Exp(v)
		if math.Abs(got-want) > 2*(math.Nextafter(want, math.Inf(1))-want) {
			t.Fatalf("exp(%v) = %v, want %v", v, got, want)
		}
	}
	for range 200000 {
		check(-math.Exp(rng.Float64()*60 - 53))
	}
	for _, v := range []float64{0, math.Copysign(0, -1), -5e-324, -700, math.Nextafter(-700, 0), -745, -800, math.Inf(-1)} {
		check(v)
	}
	if exp(0) != 1 || !math.IsNaN(exp(math.NaN())) {
		t.Error("exp of 0 or NaN")
	}
}

func BenchmarkExponentials(b *testing.B) {
	x := make([]float64, 4096)
	for i := range x {
		x[i] = -4 * float64(i) / float64(len(x))
	}
	for name, f := range map[string]func(float64) float64{"table": exp, "math": math.Exp} {
		b.Run(name, func(b *testing.B) {
			var sum float64
			for b.Loop() {
				for _, v := range x {
					sum += f(v)
				}
			}
			_ = sum
		})
	}
}

// TestAbsoluteDistancesOfManyRows are those of one after the other, whatever the number of entries; padding is not read.
func TestAbsoluteDistancesOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for p := range 37 {
		y := rough(5, p, rng)
		x := make([]float64, p)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		for n := range 6 {
			got := make([]float64, n)
			absoluteDistances(got, x, y)
			for i, v := range got {
				if want := absoluteDistance(row{values: x}, row{values: y.Row(i)}); math.Abs(v-want) > 1e-14*want {
					t.Errorf("%d entries, row %d of %d: %v, want %v", p, i, n, v, want)
				}
			}
		}
		if p > 0 {
			same := make([]float64, 1)
			if absoluteDistances(same, y.Row(3), y.Slice(3, 4, 0, p)); same[0] != 0 {
				t.Errorf("%d entries: a row has distance %v to itself", p, same[0])
			}
		}
	}
}

package count

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFubini compares with the published numbers (OEIS A000670), and beyond them with the recurrence over the size of the
// first block, F(n) = Σ_j C(n,j) F(n−j).
func TestFubini(t *testing.T) {
	published := []int64{1, 1, 3, 13, 75, 541, 4683, 47293, 545835, 7087261, 102247563}
	const n = 220
	f := Fubini(n)
	for m, want := range published {
		if f[m].Cmp(big.NewInt(want)) != 0 {
			t.Errorf("F(%d) is %v, want %d", m, f[m], want)
		}
	}
	for _, m := range []int{11, 60, 171, n} {
		want := new(big.Int)
		for j := 1; j <= m; j++ {
			want.Add(want, new(big.Int).Mul(Binomial(m, j), f[m-j]))
		}
		if f[m].Cmp(want) != 0 {
			t.Errorf("F(%d) is %v, want %v", m, f[m], want)
		}
	}
}

// TestUniform: numbers below 5, and below 5·2²⁰⁰ by their leading part, come up equally often. The χ² statistic with 4
// degrees of freedom exceeds 23.5 with probability 1e-4.
func TestUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var u Uniform
	for _, shift := range []uint{0, 200} {
		n := new(big.Int).Lsh(big.NewInt(5), shift)
		var seen [5]float64
		const draws = 50000
		drawn := new(big.Int)
		for range draws {
			u.Draw(drawn, n, rng)
			if drawn.Sign() < 0 || drawn.Cmp(n) >= 0 {
				t.Fatalf("%v is not below %v", drawn, n)
			}
			seen[drawn.Rsh(drawn, shift).Int64()]++
		}
		var statistic float64
		for _, f := range seen {
			statistic += (f - draws/5) * (f - draws/5) / (draws / 5)
		}
		if statistic > 23.5 {
			t.Errorf("below 5·2^%d: χ² is %v, not uniform", shift, statistic)
		}
	}
	if u.Draw(new(big.Int), big.NewInt(1), rng).Sign() != 0 {
		t.Error("the only number below 1 is 0")
	}
}

func TestFubiniPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"Fubini(-1)": func() { Fubini(-1) },
		"Draw(0)":    func() { new(Uniform).Draw(new(big.Int), new(big.Int), nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			call()
		}()
	}
}

package combin

import (
	"math/big"
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

func TestFubiniPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Fubini(-1) does not panic")
		}
	}()
	Fubini(-1)
}

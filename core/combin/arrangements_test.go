package combin

import (
	"math/big"
	"testing"
)

// TestArrangements compares with OEIS A000522 and with the defining sums.
func TestArrangements(t *testing.T) {
	for n, want := range []int64{1, 2, 5, 16, 65, 326, 1957, 13700, 109601, 986410} {
		if got := Arrangements(n); got.Cmp(big.NewInt(want)) != 0 {
			t.Errorf("Arrangements(%d) is %v, want %d", n, got, want)
		}
	}
	for _, n := range []int{0, 1, 2, 9, 40, 200} {
		arrangements, cycles := new(big.Int), new(big.Int)
		for k := 0; k <= n; k++ {
			term := new(big.Int).Quo(Factorial(n), Factorial(n-k))
			arrangements.Add(arrangements, term)
			if k > 0 {
				cycles.Add(cycles, term.Quo(term, big.NewInt(int64(k))))
			}
		}
		if last, sum := SumArrangements(n); last.Cmp(arrangements) != 0 || sum.Cmp(cycles) != 0 {
			t.Errorf("SumArrangements(%d) is %v, %v, want %v, %v", n, last, sum, arrangements, cycles)
		}
	}
}

package combin

import (
	"math"
	"math/big"
	"testing"

	"combpred/core/slicex"
)

// TestBinomial compares with the standard library's quotient, with Pascal's rule beyond the sieve's threshold, and at
// the edges.
func TestBinomial(t *testing.T) {
	for n := 0; n <= 300; n += 1 + n/40 {
		for k := -1; k <= n+1; k++ {
			want := new(big.Int)
			if k >= 0 && k <= n {
				want.Binomial(int64(n), int64(k))
			}
			if got := Binomial(n, k); got.Cmp(want) != 0 {
				t.Fatalf("Binomial(%d, %d) is %v, want %v", n, k, got, want)
			}
		}
	}
	n, k := 5000, 1700
	sum := new(big.Int).Add(Binomial(n-1, k-1), Binomial(n-1, k))
	if Binomial(n, k).Cmp(sum) != 0 {
		t.Errorf("Pascal's rule fails at (%d, %d)", n, k)
	}
}

func TestFactorial(t *testing.T) {
	want := big.NewInt(1)
	for n := 0; n <= 250; n++ {
		if n > 0 {
			want.Mul(want, big.NewInt(int64(n)))
		}
		if got := Factorial(n); got.Cmp(want) != 0 {
			t.Fatalf("Factorial(%d) is %v, want %v", n, got, want)
		}
	}
}

// TestLogInt compares with the logarithm of float64s where they reach and with log-gamma beyond.
func TestLogInt(t *testing.T) {
	for _, x := range []int64{1, 2, 3, 10, 1 << 40, math.MaxInt64} {
		if got, want := LogInt(big.NewInt(x)), math.Log(float64(x)); got != want {
			t.Errorf("LogInt(%d) is %v, want %v", x, got, want)
		}
	}
	for _, n := range []int{170, 171, 1000, 20000} {
		want, _ := math.Lgamma(float64(n + 1))
		if got := LogInt(Factorial(n)); math.Abs(got-want) > 1e-14*want {
			t.Errorf("LogInt(%d!) is %v, want %v", n, got, want)
		}
	}
	power := new(big.Int).Lsh(big.NewInt(1), 1<<20)
	if got, want := LogInt(power), (1<<20)*math.Ln2; math.Abs(got-want) > 1e-15*want {
		t.Errorf("LogInt(2^2^20) is %v, want %v", got, want)
	}
}

// TestRatio compares with exact rationals, whose Float64 is correctly rounded, also where both terms overflow a
// float64.
func TestRatio(t *testing.T) {
	cases := [][2]*big.Int{
		{big.NewInt(1), big.NewInt(3)},
		{big.NewInt(-2), big.NewInt(7)},
		{big.NewInt(0), big.NewInt(7)},
		{Factorial(400), Factorial(401)},
		{Binomial(3000, 1400), Binomial(3000, 1401)},
		{Binomial(3000, 3), Binomial(3000, 1500)},
	}
	for _, c := range cases {
		want, _ := new(big.Rat).SetFrac(c[0], c[1]).Float64()
		if got := Ratio(c[0], c[1]); got != want {
			t.Errorf("Ratio of numbers of %d and %d bits is %v, want %v", c[0].BitLen(), c[1].BitLen(), got, want)
		}
	}
}

// TestPanics: arguments outside the domain are the caller's bug.
func TestPanics(t *testing.T) {
	for name, call := range slicex.InOrder(map[string]func(){
		"Factorial(-1)":    func() { Factorial(-1) },
		"Binomial(-1, 0)":  func() { Binomial(-1, 0) },
		"LogInt(0)":        func() { LogInt(new(big.Int)) },
		"Arrangements(-1)": func() { Arrangements(-1) },
		"Ratio(1, 0)":      func() { Ratio(big.NewInt(1), new(big.Int)) },
	}) {
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

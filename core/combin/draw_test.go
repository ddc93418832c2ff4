package combin

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// falseAlarm is the probability with which a correct sampler fails one χ² test. Seeds are fixed, so that what passes goes
// on passing.
const falseAlarm = 1e-5

// perCell is the expected frequency of the rarest cell.
const perCell = 100

// chiSquare draws and compares the frequencies of the results with their probabilities.
func chiSquare(t *testing.T, probabilities []float64, draw func(rng *rand.Rand) int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(len(probabilities))))
	draws := int(perCell / slices.Min(probabilities))
	frequency := make([]float64, len(probabilities))
	for range draws {
		frequency[draw(rng)]++
	}
	var statistic float64
	for i, p := range probabilities {
		expected := p * float64(draws)
		statistic += (frequency[i] - expected) * (frequency[i] - expected) / expected
	}
	freedom := float64(len(probabilities) - 1)
	if p := mathext.GammaIncRegComp(freedom/2, statistic/2); p < falseAlarm {
		t.Errorf("χ² is %.1f with %.0f degrees of freedom, p = %.2g", statistic, freedom, p)
	}
}

func uniform(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

// script is a generator that gives listed words and counts them.
type script struct {
	words []uint64
	used  int
}

func (s *script) Uint64() uint64 {
	s.used++
	return s.words[(s.used-1)%len(s.words)]
}

// TestBatchesAreExact: the words that give a batch the result number c, digits least first by value, are consecutive, about
// 2⁶⁴/B of them for a product B of faces. Of each result exactly ⌊2⁶⁴/B⌋ must be taken. The words around both ends of the
// runs of some results are tried, with products so large that the runs are short.
func TestBatchesAreExact(t *testing.T) {
	for _, n := range []uint64{1<<31 - 1, 3 << 29, 1664509} {
		dice := 0
		faces := uint64(1)
		for faces <= mostFaces/n {
			faces *= n
			dice++
		}
		most := math.MaxUint64 / faces // no product that is no power of two divides 2⁶⁴
		rng := rand.New(rand.NewPCG(1, n))
		for range 200 {
			cell := rng.Uint64N(faces)
			first := new(big.Int).Lsh(new(big.Int).SetUint64(cell), 64)
			first.Add(first, new(big.Int).SetUint64(faces-1))
			first.Quo(first, new(big.Int).SetUint64(faces)) // ⌈cell·2⁶⁴/B⌉
			taken := uint64(0)
			for word := first.Uint64() - 2; word != first.Uint64()+most+3; word++ {
				source := &script{words: []uint64{word, 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb}}
				dst := make([]int32, dice)
				Below(dst, int(n), rand.New(source))
				if source.used > 1 {
					continue
				}
				var number uint64
				for _, d := range dst {
					number = number*n + uint64(d)
				}
				if number == cell {
					taken++
				}
			}
			if taken != most {
				t.Fatalf("%d faces: %d words give result %d, want %d", n, taken, cell, most)
			}
		}
	}
}

// TestGrowing: batches fit a word, and all dice get thrown.
func TestGrowing(t *testing.T) {
	for least := 2; least < 1<<31; least += 1 + least/7 {
		dice, faces := growing(least, math.MaxInt32)
		product := uint64(1)
		for i := range dice {
			over, p := bits.Mul64(product, uint64(least+i))
			if over > 0 {
				t.Fatalf("%d dice from %d faces on overflow", dice, least)
			}
			product = p
		}
		if dice < 1 || product != faces || faces > mostFaces {
			t.Errorf("%d dice from %d faces on have the product %d, said to be %d", dice, least, product, faces)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, n := range []int{2, 3, 7, 10} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dst := make([]int32, 66) // more than one word holds
			cell := 0
			chiSquare(t, uniform(n*n), func(rng *rand.Rand) int {
				if cell++; cell%22 == 1 {
					Below(dst, n, rng)
				}
				at := cell % 22 * 3
				return int(dst[at])*n + int(dst[at+1])
			})
		})
	}
	dst := []int32{5, 5}
	Below(dst, 1, nil)
	if !slices.Equal(dst, []int32{0, 0}) {
		t.Errorf("numbers below 1 are %v", dst)
	}
}

// TestPermutation: all permutations of up to 5 numbers come up equally often; of 25, which take two words, the places of
// the first and the last number are independent but for being different.
func TestPermutation(t *testing.T) {
	Permutation(nil, 1, nil)
	for n := 2; n <= 5; n++ {
		index := map[string]int{}
		dst := make([]int32, n)
		total := 1
		for i := 2; i <= n; i++ {
			total *= i
		}
		chiSquare(t, uniform(total), func(rng *rand.Rand) int {
			Permutation(dst, 3, rng)
			key := fmt.Sprint(dst)
			if _, seen := index[key]; !seen {
				index[key] = len(index)
			}
			return index[key]
		})
		sorted := slices.Sorted(slices.Values(dst))
		if sorted[0] != 3 || sorted[n-1] != int32(n+2) || len(slices.Compact(sorted)) != n {
			t.Errorf("%v is no permutation of %d numbers from 3 on", dst, n)
		}
	}
	const n = 25
	dst := make([]int32, n)
	chiSquare(t, uniform(n*(n-1)), func(rng *rand.Rand) int {
		Permutation(dst, 0, rng)
		first, last := slices.Index(dst, 0), slices.Index(dst, n-1)
		if last > first {
			last--
		}
		return first*(n-1) + last
	})
}

// TestSubset: all subsets of a size come up equally often.
func TestSubset(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for size := 0; size <= n; size++ {
			total := new(big.Int).Binomial(int64(n), int64(size)).Int64()
			index := map[string]int{}
			dst := make([]int32, n)
			draw := func(rng *rand.Rand) int {
				for i := range dst {
					dst[i] = 9
				}
				Subset(dst, size, rng)
				key := fmt.Sprint(dst)
				if _, seen := index[key]; !seen {
					index[key] = len(index)
				}
				return index[key]
			}
			if total == 1 {
				draw(rand.New(rand.NewPCG(1, 1)))
			} else {
				chiSquare(t, uniform(int(total)), draw)
			}
			members := 0
			for _, in := range dst {
				members += int(in)
			}
			if members != size {
				t.Errorf("%v is no set of %d", dst, size)
			}
		}
	}
}

// geometric has the probabilities 2/3, 2/9, 2/27, …: infinitely many cells.
func geometric(yield func(numerator, denominator *big.Int) bool) {
	power, numerator := big.NewInt(1), new(big.Int)
	for {
		power.Mul(power, big.NewInt(3))
		if !yield(numerator.Sub(power, big.NewInt(1)), power) {
			return
		}
	}
}

// weights are so many that a table of them has a guide.
var weights = []int64{5, 0, 1, 7, 3, 3, 9, 2, 4, 6}

func weighted() iter.Seq2[*big.Int, *big.Int] {
	return Weighted(func(yield func(*big.Int) bool) {
		for _, w := range weights {
			if !yield(big.NewInt(w)) {
				return
			}
		}
	}, big.NewInt(40))
}

func TestTable(t *testing.T) {
	var p []float64
	for _, w := range weights {
		if w > 0 {
			p = append(p, float64(w)/40)
		}
	}
	position := func(cell int) int {
		if weights[cell] == 0 {
			t.Fatalf("cell %d, of probability 0, is drawn", cell)
		}
		return max(0, cell-1) // cell 1 is empty
	}
	table := NewTable(weighted())
	if len(table.guide) < 2 {
		t.Error("the table has no guide")
	}
	chiSquare(t, p, func(rng *rand.Rand) int { return position(table.Draw(rng)) })
	// The same from few digits, so that ties are common.
	for _, digits := range []uint{0, 1, 3} {
		chiSquare(t, p, func(rng *rand.Rand) int {
			number := new(big.Int).SetUint64(rng.Uint64() & (1<<digits - 1))
			return position(table.settle(number, digits, rng))
		})
	}
	infinite := NewTable(geometric)
	tail := []float64{2.0 / 3, 2.0 / 9, 2.0 / 27, 1.0 / 27}
	chiSquare(t, tail, func(rng *rand.Rand) int { return min(3, infinite.Draw(rng)) })
	chiSquare(t, tail, func(rng *rand.Rand) int {
		return min(3, infinite.settle(new(big.Int).SetUint64(rng.Uint64()&1), 1, rng))
	})
}

// TestTies: where the first word is that of a threshold, the next ones decide; behind the last threshold of an infinite
// table, too.
func TestTies(t *testing.T) {
	infinite := NewTable(geometric)
	tie := infinite.digits[0] // those of 2/3 = 0.1010…
	const third = math.MaxUint64 / 3
	for _, c := range []struct {
		words []uint64
		cell  int
	}{
		{[]uint64{tie - 1}, 0},
		{[]uint64{tie + 1}, 1},
		{[]uint64{tie, 2*third - 1}, 0},
		{[]uint64{tie, 2*third + 1}, 1},
		{[]uint64{tie, 2 * third, 2 * third, 0}, 0},
		{[]uint64{math.MaxUint64, 0}, 40},                                  // 3⁻⁴⁰ > 2⁻⁶⁴ > 3⁻⁴¹
		{[]uint64{math.MaxUint64, math.MaxUint64, 0}, 80},                  // 3⁻⁸⁰ > 2⁻¹²⁸ > 3⁻⁸¹
		{[]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, 0}, 121}, // 3⁻¹²¹ > 2⁻¹⁹² > 3⁻¹²²
	} {
		source := &script{words: c.words}
		if got := infinite.Draw(rand.New(source)); got != c.cell || source.used != len(c.words) {
			t.Errorf("the words %x give cell %d after %d, want %d after all", c.words, got, source.used, c.cell)
		}
	}
}

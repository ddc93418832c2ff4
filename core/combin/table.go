package combin

import (
	"iter"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
)

// Table draws the number of a cell 0, 1, … from a distribution whose cumulative probabilities are ratios of big integers.
// The number of cells may be infinite. It is safe for concurrent use.
//
// A uniform real number lies in the first cell whose cumulative probability exceeds it. Its first 64 binary digits settle
// that unless they are those of a cumulative probability, which happens with probability 2⁻⁶⁴ for each cell; it is then
// drawn on until they do.
type Table struct {
	digits     []uint64 // the first 64 of each cumulative probability below 1
	complete   bool     // whether the cell behind the last of digits is the last one of all
	guide      []int32  // by the leading digits of a number: the first cell that it can lie in
	shift      int
	cumulative iter.Seq2[*big.Int, *big.Int]
}

// Cells of a table that are found without a guide.
const unguided = 4

// NewTable tabulates a distribution. The sequence yields for each cell the numerator and the denominator of the
// probability of all cells up to it, which must end with 1 or converge to it; it is run again where 64 digits do not
// settle a draw. Numbers that it yields are not changed, and not kept. Cost: a division for each cell of which more than
// 2⁻⁶⁴ of the probability lies behind.
func NewTable(cumulative iter.Seq2[*big.Int, *big.Int]) *Table {
	t := &Table{cumulative: cumulative}
	var digits big.Int
	for numerator, denominator := range cumulative {
		if numerator.Cmp(denominator) == 0 {
			t.complete = true
			break
		}
		digits.Quo(digits.Lsh(numerator, 64), denominator)
		t.digits = append(t.digits, digits.Uint64())
		if t.digits[len(t.digits)-1] == math.MaxUint64 {
			break
		}
	}
	t.guide, t.shift = []int32{0}, 64
	if len(t.digits) > unguided {
		t.shift -= bits.Len(uint(len(t.digits))) + 1
		t.guide = make([]int32, 1<<(64-t.shift))
		cell := 0
		for i := range t.guide {
			for cell < len(t.digits) && t.digits[cell] < uint64(i)<<t.shift {
				cell++
			}
			t.guide[i] = int32(cell)
		}
	}
	return t
}

// Draw returns the number of a random cell.
func (t *Table) Draw(rng *rand.Rand) int {
	word := rng.Uint64()
	cell := int(t.guide[word>>t.shift])
	for cell < len(t.digits) && word > t.digits[cell] {
		cell++
	}
	if cell < len(t.digits) && word < t.digits[cell] || cell == len(t.digits) && t.complete {
		return cell
	}
	return t.settle(new(big.Int).SetUint64(word), 64, rng)
}

// settle returns the cell of the number with the given first binary digits, and draws as many more as it takes.
func (t *Table) settle(number *big.Int, digits uint, rng *rand.Rand) int {
	var threshold, scaled, word big.Int
	for {
		cell, open := 0, false
		for numerator, denominator := range t.cumulative {
			threshold.Lsh(numerator, digits)
			scaled.Mul(number, denominator)
			if threshold.Cmp(&scaled) > 0 { // the number with no further digits lies in this cell
				open = threshold.Cmp(scaled.Add(&scaled, denominator)) < 0
				break
			}
			cell++
		}
		if !open {
			return cell
		}
		number.Lsh(number, 64)
		number.Or(number, word.SetUint64(rng.Uint64()))
		digits += 64
	}
}

// Weighted turns weights and their total into cumulative probabilities. The yielded numerator is reused.
func Weighted(weights iter.Seq[*big.Int], total *big.Int) iter.Seq2[*big.Int, *big.Int] {
	return func(yield func(numerator, denominator *big.Int) bool) {
		var sum big.Int
		for weight := range weights {
			if !yield(sum.Add(&sum, weight), total) {
				return
			}
		}
	}
}

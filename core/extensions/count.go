package extensions

import (
	"math/big"
	"math/bits"

	"combpred/core/combin"
	"combpred/core/parallel"
)

// MostCounted is how many downsets may be counted over in a few seconds: those of 24 elements with any relations that keep
// them from being taken apart, and of many more with many relations.
const MostCounted = 1 << 24

// Count returns the number of linear extensions of a poset. Posets are taken apart: components that no relation joins are
// merged freely, and of parts that come one after the other the numbers are multiplied. What can be taken apart no further
// is counted over its downsets; more than most of them there, or 64 elements, are a *LimitError. Components are shared among
// workers. Cost: O(n²) for each level at which n elements are taken apart, O(n) for each downset, and memory for the
// downsets of two sizes.
func Count(p *Poset, most, workers int, mon *parallel.Monitor) (*big.Int, error) {
	ways := make([]*big.Int, len(p.sets))
	err := parallel.For(len(p.sets), 1, workers, mon, func(k, _ int) (err error) {
		ways[k], err = countConnected(p, p.sets[k], most, mon.Err)
		return err
	})
	if err != nil {
		return nil, err
	}
	return merges(p.sets, ways), nil
}

// countAll is Count on one goroutine.
func countAll(p *Poset, most int, poll func() error) (_ *big.Int, err error) {
	ways := make([]*big.Int, len(p.sets))
	for k, set := range p.sets {
		if ways[k], err = countConnected(p, set, most, poll); err != nil {
			return nil, err
		}
	}
	return merges(p.sets, ways), nil
}

// merges returns the number of extensions, given those of each component: their orders are merged in any way.
func merges(sets [][]int, ways []*big.Int) *big.Int {
	total, placed := big.NewInt(1), 0
	for k, set := range sets {
		placed += len(set)
		total.Mul(total, ways[k])
		total.Mul(total, combin.Binomial(placed, len(set)))
	}
	return total
}

// countConnected counts for elements that relations connect, given along an extension.
func countConnected(p *Poset, elements []int, most int, poll func() error) (*big.Int, error) {
	if len(elements) == 1 {
		return big.NewInt(1), nil
	}
	incomparable := func(u, v int) bool { return !p.Before(u, v) && !p.Before(v, u) }
	factors := split(elements, incomparable)
	if len(factors) == 1 {
		return countDownsets(p, elements, most, poll)
	}
	total := big.NewInt(1)
	for _, factor := range factors {
		sets := split(factor, func(u, v int) bool { return !incomparable(u, v) })
		ways := make([]*big.Int, len(sets))
		for k, set := range sets {
			var err error
			if ways[k], err = countConnected(p, set, most, poll); err != nil {
				return nil, err
			}
		}
		total.Mul(total, merges(sets, ways))
	}
	return total, nil
}

// split returns the parts that a symmetric relation connects, each in the order of elements. Cost: O(n²).
func split(elements []int, joined func(u, v int) bool) [][]int {
	part := make([]int, len(elements)) // 1, 2, …; 0 for none yet
	var parts [][]int
	var reached []int
	for start := range elements {
		if part[start] != 0 {
			continue
		}
		parts = append(parts, nil)
		part[start] = len(parts)
		for reached = append(reached, start); len(reached) > 0; {
			i := reached[len(reached)-1]
			reached = reached[:len(reached)-1]
			for j := range elements {
				if part[j] == 0 && joined(elements[i], elements[j]) {
					part[j] = len(parts)
					reached = append(reached, j)
				}
			}
		}
	}
	for i, u := range elements {
		parts[part[i]-1] = append(parts[part[i]-1], u)
	}
	return parts
}

// countDownsets counts, size by size, the ways in which each downset is reached by adding one element after the other.
func countDownsets(p *Poset, elements []int, most int, poll func() error) (*big.Int, error) {
	lattice, err := newIdeals(p, elements)
	if err != nil {
		return nil, err
	}
	n := len(elements)
	words := (combin.Factorial(n).BitLen() + 63) / 64 // of a number: no downset has more than n! extensions
	sets, ways := []uint64{0}, make([]uint64, words)
	ways[0] = 1
	for total := 1; n > 0; n-- {
		next, err := lattice.larger(sets, total, most, poll)
		if err != nil {
			return nil, err
		}
		total += len(next)
		sums := make([]uint64, words*len(next))
		err = lattice.steps(sets, next, poll, func(from, to int) {
			addTo(sums[to*words:(to+1)*words], ways[from*words:(from+1)*words])
		})
		if err != nil {
			return nil, err
		}
		sets, ways = next, sums
	}
	number := new(big.Int)
	for k := words - 1; k >= 0; k-- {
		number.Lsh(number, 64).Or(number, new(big.Int).SetUint64(ways[k]))
	}
	return number, nil
}

// addTo adds src to dst, both with their lowest words first. The sum must fit.
func addTo(dst, src []uint64) {
	var carry uint64
	for k, word := range src {
		dst[k], carry = bits.Add64(dst[k], word, carry)
	}
}

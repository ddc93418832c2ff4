package extensions

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/relation"
)

const (
	pilotDraws   = 64      // that choose which element is taken away
	batchNumbers = 1 << 22 // of draws that are made at once
	// mostSuccesses is how many draws may end in an element: of more, rounding would spoil errorBound.
	mostSuccesses = 1 << 32
)

// Estimated is a number of linear extensions, or an estimate of it.
type Estimated struct {
	Number  *big.Int // rounded to the nearest
	Log     float64
	Levels  int   // elements that were taken away; 0: the number is exact
	Samples int64 // extensions drawn
}

// Estimate returns the number of linear extensions within the factors 1 − epsilon and 1 + epsilon with probability at
// least 1 − delta. Results do not depend on workers. Where epsilon is 0 it is Count.
//
// An element m is the last one (or the first) in a share p of the extensions of a part P, and ℓ(P) = ℓ(P∖m)/p. Elements
// are taken away, those first that most of 64 draws agree on, until what can be taken apart no further has at most `most`
// downsets, over which it is counted. Then each share is estimated from new draws, independent and exactly uniform, until
// k of them end in m, at draw N. With T drawn from Gamma(N), pT follows Gamma(k) whatever p is (Huber, 2017), so that the
// error of ln ℓ̂ = ln ℓ(rest) + Σ (ln T − ψ(k)) has a known distribution, and k follows from epsilon and delta.
//
// Cost: k/p draws for each of M levels, for k about 2 M ln(2/delta)/epsilon², each by coupling from the past.
func Estimate(p *Poset, epsilon, delta float64, most int, seed uint64, workers int, mon *parallel.Monitor) (Estimated, error) {
	if epsilon == 0 {
		number, err := Count(p, most, workers, mon)
		if err != nil {
			return Estimated{}, err
		}
		return Estimated{Number: number, Log: combin.LogInt(number)}, nil
	}
	if !(epsilon > 0 && epsilon < 1 && delta > 0 && delta < 1) {
		return Estimated{}, fault.Value("epsilon is %v and delta %v, must be between 0 and 1", epsilon, delta)
	}
	if err := mon.Err(); err != nil {
		return Estimated{}, err
	}
	e := estimator{seed: seed, workers: workers, mon: mon}
	known, levels := big.NewInt(1), []level(nil)
	open := inseparable(p, p.All(), known)
	for len(open) > 0 {
		part := open[len(open)-1]
		open = open[:len(open)-1]
		ways, err := countDownsets(p, part, most, mon.Err)
		if _, tooLarge := errors.AsType[*LimitError](err); tooLarge {
			next, err := e.level(p, part)
			if err != nil {
				return Estimated{}, err
			}
			levels = append(levels, next)
			open = append(open, inseparable(p, next.rest, known)...)
			continue
		}
		if err != nil {
			return Estimated{}, err
		}
		known.Mul(known, ways)
	}
	found := Estimated{Number: known, Log: combin.LogInt(known), Levels: len(levels)}
	if len(levels) == 0 {
		return found, nil
	}
	successes, logFactor := successesNeeded(len(levels), epsilon, delta), 0.0
	if successes > mostSuccesses {
		return Estimated{}, fault.Value("an error of epsilon = %v takes more than %d draws; ask for a larger epsilon", epsilon,
			mostSuccesses)
	}
	for _, at := range levels {
		flip := func(many int) ([]bool, error) { return e.ends(at, many) }
		log, err := logInverse(flip, successes, at.share, max(1, batchNumbers/at.part.Len()), e.rng())
		if err != nil {
			return Estimated{}, err
		}
		logFactor += log
	}
	found.Number, found.Log, found.Samples = scaled(known, logFactor), found.Log+logFactor, e.samples
	return found, nil
}

// All returns all elements, along a linear extension.
func (p *Poset) All() []int {
	var all []int
	for _, set := range p.sets {
		all = append(all, set...)
	}
	return all
}

// inseparable takes a part apart into those of two elements on that relations neither leave unconnected nor put one after
// the other, and multiplies ways by the number of ways in which the orders of the parts are merged.
func inseparable(p *Poset, elements []int, ways *big.Int) (parts [][]int) {
	comparable := func(u, v int) bool { return p.Before(u, v) || p.Before(v, u) }
	for _, joined := range [...]func(u, v int) bool{comparable, func(u, v int) bool { return !comparable(u, v) }} {
		sets := split(elements, joined)
		if len(sets) == 1 {
			continue
		}
		placed, isMerged := 0, comparable(sets[0][0], sets[1][0])
		for _, set := range sets {
			placed += len(set)
			if !isMerged {
				ways.Mul(ways, combin.Binomial(placed, len(set)))
			}
			parts = append(parts, inseparable(p, set, ways)...)
		}
		return parts
	}
	if len(elements) > 1 {
		parts = append(parts, elements)
	}
	return parts
}

// level is a part and the element that is taken away from one end of its orders.
type level struct {
	part    *Poset
	rest    []int // the elements of the whole that are left
	element int32
	place   int
	share   float64 // of orders with the element there, about
}

// estimator draws, and counts its draws.
type estimator struct {
	seed    uint64
	batches int
	samples int64
	workers int
	mon     *parallel.Monitor
}

// rng returns a random stream that no other call gets.
func (e *estimator) rng() *rand.Rand {
	var source rand.PCG
	parallel.Stream(&source, e.seed, e.batches)
	e.batches++
	return rand.New(&source)
}

// draw returns so many uniform extensions of a part.
func (e *estimator) draw(part *Poset, many int) ([]int32, error) {
	orders := make([]int32, many*part.Len())
	if err := Batch(part, Coupling, e.rng().Uint64(), orders, nil, e.workers, e.mon); err != nil {
		return nil, err
	}
	e.samples += int64(many)
	return orders, nil
}

// level chooses the element, and the end, that most of some orders agree in.
func (e *estimator) level(p *Poset, elements []int) (level, error) {
	part := p.induced(elements)
	orders, err := e.draw(part, pilotDraws)
	if err != nil {
		return level{}, err
	}
	n := part.Len()
	best, most := level{part: part}, 0
	for _, place := range [...]int{0, n - 1} {
		times := make([]int, n)
		for at := place; at < len(orders); at += n {
			times[orders[at]]++
		}
		for u, t := range times {
			if t > most {
				best.element, best.place, most = int32(u), place, t
			}
		}
	}
	best.share = float64(most) / pilotDraws
	best.rest = append(append(best.rest, elements[:best.element]...), elements[best.element+1:]...)
	return best, nil
}

// ends returns for so many draws whether the element of a level is at its place.
func (e *estimator) ends(at level, many int) ([]bool, error) {
	orders, err := e.draw(at.part, many)
	if err != nil {
		return nil, err
	}
	found := make([]bool, many)
	for j := range found {
		found[j] = orders[j*at.part.Len()+at.place] == at.element
	}
	return found, nil
}

// induced returns the partial order on some of the elements, by their places in the list.
func (p *Poset) induced(elements []int) *Poset {
	n := len(elements)
	q := &Poset{after: relation.New(n)}
	for i, u := range elements {
		for j, v := range elements {
			if p.Before(u, v) {
				q.after.Add(i, j)
			}
		}
	}
	q.sets = q.components() // what follows from the relations is in p
	return q
}

// logInverse returns an estimate of ln(1/p), without bias, for a coin that shows true with probability p > 0: coins are
// flipped, at most `most` at once, until so many successes. How many are flipped at once depends on a guess of p, the
// distribution of the result does not.
func logInverse(flip func(many int) ([]bool, error), successes int, guess float64, most int, rng *rand.Rand) (float64, error) {
	seen, trials := 0, 0
	for seen < successes {
		coins, err := flip(min(most, int(math.Ceil(1.02*float64(successes-seen)/guess))+8))
		if err != nil {
			return 0, err
		}
		for _, coin := range coins {
			if seen < successes {
				trials++
				if coin {
					seen++
				}
			}
		}
	}
	t := distuv.Gamma{Alpha: float64(trials), Beta: 1, Src: rng}.Rand()
	return math.Log(t) - mathext.Digamma(float64(successes)), nil
}

// errorBound bounds the probability that a product of so many estimates, each from k successes, is off by more than epsilon.
//
// The logarithm of the product is off by D = Σ (ln G − ψ(k)) over m variables G of Gamma(k), for which E exp(θD) =
// exp(mΛ(θ)), Λ(θ) = ln Γ(k+θ) − ln Γ(k) − θψ(k). By Markov's inequality P(D ≥ t) ≤ exp(mΛ(θ) − θt) for all θ > 0, and
// likewise below. Here t is ln(1+ε) above and −ln(1−ε) below, and θ is the best one for a normal D, in reach of the best.
func errorBound(levels, successes int, epsilon float64) float64 {
	m, k, total := float64(levels), float64(successes), 0.0
	variance := m * mathext.Zeta(2, k)
	atK, _ := math.Lgamma(k)
	for _, side := range [...]struct{ sign, t float64 }{{1, math.Log1p(epsilon)}, {-1, -math.Log1p(-epsilon)}} {
		theta := side.sign * min(side.t/variance, k/2)
		there, _ := math.Lgamma(k + theta)
		total += math.Exp(min(0, m*(there-atK-theta*mathext.Digamma(k))-math.Abs(theta)*side.t))
	}
	return total
}

// successesNeeded returns the least k, up to rounding, for which errorBound is at most delta, or a number above
// mostSuccesses.
func successesNeeded(levels int, epsilon, delta float64) int {
	low, high := 1, 2
	for high <= mostSuccesses && errorBound(levels, high, epsilon) > delta {
		low, high = high, 2*high
	}
	for high <= mostSuccesses && high-low > 1 {
		if middle := (low + high) / 2; errorBound(levels, middle, epsilon) <= delta {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// scaled returns the integer nearest to number · exp(logFactor), which may be far beyond floats.
func scaled(number *big.Int, logFactor float64) *big.Int {
	power := math.Floor(logFactor / math.Ln2)
	factor := big.NewFloat(math.Exp(logFactor - power*math.Ln2))
	product := new(big.Float).SetPrec(uint(number.BitLen()) + 128).SetInt(number)
	product.Mul(product, factor).SetMantExp(product, int(power))
	nearest, _ := product.Add(product, big.NewFloat(0.5)).Int(nil)
	return nearest
}

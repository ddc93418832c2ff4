// Package walks follows Markov chains on outputs that only a caller knows, who is asked for one move after the other: to draw, to estimate,
// to train, and to search for outputs of largest score.
package walks

import (
	"math"
	"math/rand/v2"
	"slices"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// Mover makes moves between outputs that only a caller knows. Outputs have numbers, and of each there are some figures: ψ, or whatever
// scores are of.
type Mover interface {
	// Move moves, for every k, the output number from[k] to another one, which is number to[k] from then on in place of what had that
	// number; from FromNowhere it draws a uniform one. It writes the figures of the new outputs to psi, one after the other, and
	// ln q(y|z) − ln q(z|y) to ratio, q being the probabilities of moves and y → z the move: −Inf where it leads to no output. Both are
	// zero before. of[k] is the number of the row, so that each may have random numbers of its own.
	Move(of, from, to []int64, psi, ratio []float64) error
}

// FromNowhere stands for the output that a uniform draw comes from.
const FromNowhere = -1

const (
	// scratch is how many numbers a chain writes to in turn: where it is, its best output, and what it tries.
	scratch = 3
	// mostAhead is how many uniform outputs a chain asks for at once: they depend on nothing that it finds on its way.
	mostAhead = 32
)

// Lockstep is Markov chains on outputs that a Mover knows, accepted by the rule of Metropolis and Hastings. They step together, so that the
// caller is asked once for the moves of all.
type Lockstep struct {
	At       []int64   // the output where each chain is
	Psi      []float64 // its figures, chain by chain
	Value    []float64 // its score
	Best     []int64   // of all outputs where the chain has been, one of largest score
	Most     []float64 // that score
	Accepted []int64
	Of       []int64 // the row of each chain; nil: its number
	Uniform  bool    // proposals are uniform outputs
	Ahead    int     // with Uniform, how many steps follow with the next one, as far as it is known

	mover  Mover
	scores []structure.Scores
	rng    []*rand.Rand
	numbers,
	who, of, from, to []int64
	next, ratio []float64
	used        int   // of the moves that there are, with Uniform
	fresh       int64 // no output has this number yet, nor any above
}

// Numbers returns what NewLockstep takes for n chains, from first on.
func Numbers(first int64, n int) []int64 {
	numbers := make([]int64, scratch*n)
	for i := range numbers {
		numbers[i] = first + int64(i)
	}
	return numbers
}

// NewLockstep returns chains for rows of scores, which have d figures each. They write to three numbers each, and beyond the largest of all
// where outputs are pinned, and where uniform ones are drawn ahead.
func NewLockstep(mover Mover, scores []structure.Scores, d int, numbers []int64, seed uint64, streams []uint64) *Lockstep {
	n := len(scores)
	l := &Lockstep{At: make([]int64, n), Psi: make([]float64, n*d), Value: make([]float64, n), Best: make([]int64, n),
		Most: make([]float64, n), Accepted: make([]int64, n), mover: mover, scores: scores, rng: make([]*rand.Rand, n),
		numbers: numbers, fresh: slices.Max(numbers) + 1}
	for c := range scores {
		source := new(rand.PCG)
		parallel.Stream(source, seed, int(streams[c]))
		l.rng[c] = rand.New(source)
	}
	return l
}

// Fresh returns a number that no output has had.
func (l *Lockstep) Fresh() int64 {
	l.fresh++
	return l.fresh - 1
}

// Begin puts the first chains to outputs with known figures.
func (l *Lockstep) Begin(at []int64, psi []float64) { l.begin(0, at, psi) }

func (l *Lockstep) begin(first int, at []int64, psi []float64) {
	d := len(l.Psi) / len(l.At)
	copy(l.At[first:], at)
	copy(l.Psi[first*d:], psi)
	for c := first; c < first+len(at); c++ {
		l.Value[c] = l.scores[c].Value(l.Psi[c*d : (c+1)*d])
		l.Best[c], l.Most[c] = l.At[c], l.Value[c]
	}
}

// Draw puts the chains from one on to uniform outputs.
func (l *Lockstep) Draw(first int) error {
	l.forget()
	for c := first; c < len(l.At); c++ {
		l.plan(c, FromNowhere, l.numbers[c*l.each()])
	}
	if err := l.move(); err != nil {
		return err
	}
	for k := range l.who {
		if math.IsInf(l.ratio[k], -1) {
			return fault.Value("a uniform draw led to no output")
		}
	}
	l.begin(first, l.to, l.next)
	l.forget()
	return nil
}

// Step makes a step of every chain, at the inverse temperature β: +Inf takes what scores no less, whatever the ratio. A lazy chain stays
// with one step in chain.HoldOneIn.
func (l *Lockstep) Step(beta []float64, lazy bool) error {
	first, err := l.propose(lazy)
	if err != nil {
		return err
	}
	d := len(l.Psi) / len(l.At)
	for k := first; k < len(l.who) && k < first+len(l.At); k++ {
		c := l.who[k]
		if math.IsInf(l.ratio[k], -1) {
			continue
		}
		psi := l.next[k*d : (k+1)*d]
		value := l.scores[c].Value(psi)
		gain := value - l.Value[c]
		if math.IsInf(beta[c], 1) {
			if gain < 0 {
				continue
			}
		} else if !chain.Accepts(beta[c]*gain+l.ratio[k], l.rng[c]) {
			continue
		}
		l.At[c], l.Value[c] = l.to[k], value
		copy(l.Psi[int(c)*d:], psi)
		l.Accepted[c]++
		if value > l.Most[c] {
			l.Best[c], l.Most[c] = l.At[c], value
		}
	}
	return nil
}

// propose has the moves of a step ready, and returns the first of them: one of each chain that does not stay.
func (l *Lockstep) propose(lazy bool) (first int, err error) {
	n := len(l.At)
	if l.Uniform {
		if l.used += n; l.used < len(l.who) {
			return l.used, nil
		}
	}
	l.forget()
	if l.Uniform {
		for range min(max(1, l.Ahead), mostAhead) {
			for c := range n {
				l.plan(c, FromNowhere, l.spare(c, len(l.who)/n))
			}
		}
		return 0, l.move()
	}
	for c := range n {
		if lazy && l.rng[c].Uint64N(chain.HoldOneIn) == 0 {
			l.Accepted[c]++ // what is proposed is what already is
			continue
		}
		l.plan(c, l.At[c], l.spare(c, 0))
	}
	return 0, l.move()
}

func (l *Lockstep) forget() {
	l.who, l.of, l.from, l.to, l.used = l.who[:0], l.of[:0], l.from[:0], l.to[:0], 0
}

func (l *Lockstep) plan(c int, from, to int64) {
	row := int64(c)
	if l.Of != nil {
		row = l.Of[c]
	}
	l.who, l.of, l.from, l.to = append(l.who, int64(c)), append(l.of, row), append(l.from, from), append(l.to, to)
}

// each returns how many numbers a chain writes to.
func (l *Lockstep) each() int { return len(l.numbers) / len(l.At) }

// Pin has the output where a chain is keep its number.
func (l *Lockstep) Pin(c int) int64 {
	for i, number := range l.numbers[c*l.each() : (c+1)*l.each()] {
		if number == l.At[c] {
			l.numbers[c*l.each()+i] = l.Fresh()
		}
	}
	return l.At[c]
}

// spare returns one of the numbers that chain c may write to, in their order.
func (l *Lockstep) spare(c, which int) int64 {
	if which+scratch > l.each() {
		l.grow()
	}
	for _, number := range l.numbers[c*l.each() : (c+1)*l.each()] {
		if number == l.At[c] || number == l.Best[c] {
			continue
		}
		if which--; which < 0 {
			return number
		}
	}
	panic("walks: a chain has too few numbers")
}

// grow gives every chain the numbers for mostAhead moves at once.
func (l *Lockstep) grow() {
	before := l.each()
	numbers := make([]int64, 0, len(l.At)*(mostAhead+scratch-1))
	for c := range l.At {
		numbers = append(numbers, l.numbers[c*before:(c+1)*before]...)
		for range mostAhead + scratch - 1 - before {
			numbers = append(numbers, l.Fresh())
		}
	}
	l.numbers = numbers
}

// move has the mover move, and checks what has come.
func (l *Lockstep) move() error {
	if len(l.who) == 0 {
		return nil
	}
	d := len(l.Psi) / len(l.At)
	l.next, l.ratio = slicex.Grow(l.next, len(l.who)*d), slicex.Grow(l.ratio, len(l.who))
	clear(l.next)
	clear(l.ratio)
	if err := l.mover.Move(l.of, l.from, l.to, l.next, l.ratio); err != nil {
		return err
	}
	for k, r := range l.ratio {
		switch {
		case math.IsNaN(r):
			return fault.At(int(l.who[k]), fault.Value("the ratio of a move is NaN"))
		case math.IsInf(r, -1):
			continue
		}
		for _, v := range l.next[k*d : (k+1)*d] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.At(int(l.who[k]), fault.Value("the output of a move has the number %v, must be finite", v))
			}
		}
	}
	return nil
}

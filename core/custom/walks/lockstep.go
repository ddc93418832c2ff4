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
	"combpred/core/structure"
)

// Mover makes moves between outputs that only a caller knows. Outputs have numbers, and of each there are some figures: ψ, or whatever
// scores are of.
type Mover interface {
	// Move moves, for every k, the output number from[k] to another one, which is number to[k] from then on in place of what had that
	// number; from FromNowhere it draws a uniform one. It writes the figures of the new outputs to psi, one after the other, and
	// ln q(y|z) − ln q(z|y) to ratio, q being the probabilities of moves and y → z the move: −Inf where it leads to no output. Both are
	// zero before.
	Move(from, to []int64, psi, ratio []float64) error
}

// FromNowhere stands for the output that a uniform draw comes from.
const FromNowhere = -1

// scratch is how many numbers a chain writes to in turn: where it is, its best output, and what it tries.
const scratch = 3

// Lockstep is Markov chains on outputs that a Mover knows, accepted by the rule of Metropolis and Hastings. They step together, so that the
// caller is asked once for the moves of all.
type Lockstep struct {
	At       []int64   // the output where each chain is
	Psi      []float64 // its figures, chain by chain
	Value    []float64 // its score
	Best     []int64   // of all outputs where the chain has been, one of largest score
	Most     []float64 // that score
	Accepted []int64
	Uniform  bool // proposals are uniform outputs

	mover  Mover
	scores []structure.Scores
	rng    []*rand.Rand
	numbers,
	who, from, to []int64
	next, ratio []float64
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
// where outputs are pinned.
func NewLockstep(mover Mover, scores []structure.Scores, d int, numbers []int64, seed uint64, streams []uint64) *Lockstep {
	n := len(scores)
	l := &Lockstep{At: make([]int64, n), Psi: make([]float64, n*d), Value: make([]float64, n), Best: make([]int64, n),
		Most: make([]float64, n), Accepted: make([]int64, n), mover: mover, scores: scores, rng: make([]*rand.Rand, n),
		numbers: numbers, next: make([]float64, n*d), ratio: make([]float64, n), fresh: slices.Max(numbers) + 1}
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

// Begin puts the chains to outputs with known figures.
func (l *Lockstep) Begin(at []int64, psi []float64) {
	copy(l.At, at)
	copy(l.Psi, psi)
	d := len(l.Psi) / len(l.At)
	for c, score := range l.scores {
		l.Value[c] = score.Value(l.Psi[c*d : (c+1)*d])
	}
	copy(l.Best, l.At)
	copy(l.Most, l.Value)
}

// Draw puts the chains to uniform outputs.
func (l *Lockstep) Draw() error {
	l.who, l.from, l.to = l.who[:0], l.from[:0], l.to[:0]
	for c := range l.At {
		l.who, l.from, l.to = append(l.who, int64(c)), append(l.from, FromNowhere), append(l.to, l.numbers[scratch*c])
	}
	if err := l.move(); err != nil {
		return err
	}
	for _, r := range l.ratio {
		if math.IsInf(r, -1) {
			return fault.Value("a uniform draw led to no output")
		}
	}
	l.Begin(l.to, l.next)
	return nil
}

// Step makes a step of every chain, at the inverse temperature β: +Inf takes what scores no less, whatever the ratio. A lazy chain stays
// with one step in chain.HoldOneIn.
func (l *Lockstep) Step(beta []float64, lazy bool) error {
	l.who, l.from, l.to = l.who[:0], l.from[:0], l.to[:0]
	for c := range l.At {
		if lazy && l.rng[c].Uint64N(chain.HoldOneIn) == 0 {
			l.Accepted[c]++ // what is proposed is what already is
			continue
		}
		from := l.At[c]
		if l.Uniform {
			from = FromNowhere
		}
		l.who, l.from, l.to = append(l.who, int64(c)), append(l.from, from), append(l.to, l.spare(c))
	}
	if len(l.who) == 0 {
		return nil
	}
	if err := l.move(); err != nil {
		return err
	}
	d := len(l.Psi) / len(l.At)
	for k, c := range l.who {
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

// Pin has the output where a chain is keep its number.
func (l *Lockstep) Pin(c int) int64 {
	for i, number := range l.numbers[scratch*c : scratch*(c+1)] {
		if number == l.At[c] {
			l.numbers[scratch*c+i] = l.Fresh()
		}
	}
	return l.At[c]
}

// spare returns a number that chain c may write to.
func (l *Lockstep) spare(c int) int64 {
	for _, number := range l.numbers[scratch*c : scratch*(c+1)] {
		if number != l.At[c] && number != l.Best[c] {
			return number
		}
	}
	panic("walks: a chain holds three outputs of its own")
}

// move has the mover move, and checks what has come.
func (l *Lockstep) move() error {
	d := len(l.Psi) / len(l.At)
	psi, ratio := l.next[:len(l.who)*d], l.ratio[:len(l.who)]
	clear(psi)
	clear(ratio)
	if err := l.mover.Move(l.from, l.to, psi, ratio); err != nil {
		return err
	}
	for k, r := range ratio {
		switch {
		case math.IsNaN(r):
			return fault.At(int(l.who[k]), fault.Value("the ratio of a move is NaN"))
		case math.IsInf(r, -1):
			continue
		}
		for _, v := range psi[k*d : (k+1)*d] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.At(int(l.who[k]), fault.Value("the output of a move has the number %v, must be finite", v))
			}
		}
	}
	return nil
}

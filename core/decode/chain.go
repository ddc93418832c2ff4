package decode

import (
	"math"
	"math/rand/v2"

	"combpred/core/chain"
	"combpred/core/structure"
)

const (
	// chainWork, sweeps and mostWork determine the number of steps of a chain for outputs of p parts: chainWork/(p+partsFree),
	// or sweeps for each part if that is more, but no more than mostWork/p.
	chainWork, partsFree = 1 << 22, 16
	sweeps               = 64
	mostWork             = 1 << 27
	// pollWork is about how many parts are copied between polls.
	pollWork = 1 << 14
)

// chainSteps returns the number of steps of a chain for outputs of p parts. At a few tenths of a microsecond each for up to
// 20 parts they take less than a tenth of a second.
func chainSteps(p int) int {
	return max(1, min(max(chainWork/(p+partsFree), sweeps*p), mostWork/p))
}

// chainOf returns the decoder that starts at the guaranteed solution and follows a Markov chain of local moves from
// there, in which a move of gain g is accepted with probability min(1, exp(g/T)) (Metropolis et al., 1953). The best
// output on the way is returned.
//
// Anneal lowers T from R, a bound on the range of the scores, by the factor 1 − 1/√n after every share of the steps, n
// being the number of parts of an output, until it is R/(4n)² (Kirkpatrick, Gelatt and Vecchi, 1983; the schedule is that
// of Vembu, 2010, ch. 7, and of Kalai and Vempala, 2006). Metropolis keeps T = R/(10n), of the size of what single moves
// gain or lose.
//
// The certificate is that of the start with a better value, as no chain of polynomial length proves more.
func chainOf(space structure.Space, method Method, seed uint64, poll func() error) (decoder, error) {
	p := Process{Method: method, Proposals: Moves, Runs: 1, Seed: seed}
	return p.decoder(space, nil, poll)
}

func negative(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = -v
	}
	return y
}

// walk is a Markov chain on the outputs of a space and the best output that it has visited.
type walk struct {
	*chain.State
	space structure.Space
	score structure.Scores
	best  []int32
	most  float64 // the score of best, up to the rounding of the gains
}

// newWalk returns a walk that begins at an output.
func newWalk(space structure.Space, score structure.Scores, start []int32) *walk {
	w := &walk{State: chain.NewState(space), space: space, score: score, best: make([]int32, len(start)), most: math.Inf(-1)}
	w.begin(start)
	return w
}

// begin goes to an output, and keeps the best one so far.
func (w *walk) begin(y []int32) {
	w.Set(w.space, w.score, y)
	w.see()
}

func (w *walk) see() {
	if w.Value > w.most {
		w.most = w.Value
		copy(w.best, w.Y)
	}
}

// follow makes steps of a chain.
func (w *walk) follow(kernel chain.Kernel, steps int, rng *rand.Rand, poll func() error) error {
	every := min(256, 1+pollWork/len(w.Y))
	for i := range steps {
		if i%every == 0 {
			if err := poll(); err != nil {
				return err
			}
		}
		kernel.Step(w.State, rng)
		w.see()
	}
	return nil
}

// finish writes the best output to dst, which holds the start, if it scores more, and returns its certificate.
func (w *walk) finish(dst []int32, cert structure.Certificate) structure.Certificate {
	w.Set(w.space, w.score, w.best)
	if w.Value <= cert.Value {
		return cert
	}
	copy(dst, w.best)
	cert.Value = w.Value
	if w.Value >= cert.UpperBound {
		return structure.Certificate{Value: w.Value, UpperBound: w.Value, Optimal: true}
	}
	return cert
}

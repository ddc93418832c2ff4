package decode

import (
	"math"
	"math/rand/v2"

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

// chain is a Markov chain on the outputs of a space and the best output it has visited.
type chain struct {
	space    structure.Space
	proposer structure.Proposer
	gainOf   func(z, y []int32, score structure.Scores) float64 // a move; nil where that takes the embedding
	score    structure.Scores
	source   rand.PCG
	psi      []float64
	now      []int32
	next     []int32
	best     []int32
	value    float64 // of now, up to the rounding of the gains
	most     float64 // of best
	accepted int64   // proposals
}

func newChain(space structure.Space, proposer structure.Proposer, score structure.Scores, start []int32,
	value float64) *chain {
	n := len(start)
	buf := make([]int32, 3*n)
	c := &chain{
		space: space, proposer: proposer, score: score, value: value, most: value,
		now: buf[:n:n], next: buf[n : 2*n : 2*n], best: buf[2*n:],
		psi: make([]float64, space.FeatureLen()),
	}
	if _, drawn := proposer.(uniform); !drawn {
		c.gainOf = space.Facts().Moves.Gain
	}
	copy(c.now, start)
	copy(c.best, start)
	return c
}

// run makes steps of one temperature.
func (c *chain) run(temperature float64, steps int, poll func() error) error {
	rng := rand.New(&c.source)
	every := min(256, 1+pollWork/len(c.now))
	for i := range steps {
		if i%every == 0 {
			if err := poll(); err != nil {
				return err
			}
		}
		c.proposer.Propose(c.next, c.now, rng)
		gain := c.gain()
		if gain < 0 && rng.Float64() >= math.Exp(gain/temperature) {
			continue
		}
		c.now, c.next = c.next, c.now
		c.value += gain
		c.accepted++
		if c.value > c.most {
			c.most = c.value
			copy(c.best, c.now)
		}
	}
	return nil
}

// gain returns the score of next less that of now.
func (c *chain) gain() float64 {
	if c.gainOf != nil {
		return c.gainOf(c.next, c.now, c.score)
	}
	c.space.Embed(c.psi, c.next)
	return c.score.Value(c.psi) - c.value
}

// finish writes the best output to dst, which holds the start, if it scores more, and returns its certificate.
func (c *chain) finish(dst []int32, cert structure.Certificate) structure.Certificate {
	c.space.Embed(c.psi, c.best)
	value := c.score.Value(c.psi)
	if value <= cert.Value {
		return cert
	}
	copy(dst, c.best)
	cert.Value = value
	if value >= cert.UpperBound {
		return structure.Certificate{Value: value, UpperBound: value, Optimal: true}
	}
	return cert
}

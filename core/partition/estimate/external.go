package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// External is a space of which a caller draws the outputs, exactly uniformly: all that is known of them are the numbers that the
// caller gives for each, its ψ, or its score under the scores of the one row that is estimated. An output is the number of its draw.
//
// Draws are taken in their order. An estimate that needs more than there are ends in a *Short, and begins anew when these have been
// added: it then takes the same draws for the same purposes, and goes further. So what an estimate has to keep are the draws alone.
//
// A caller who has moves of its own follows chains of them, for chain.LocalMoves: a *Short then names a Walk, and the states of its
// chains are added to Walked. These are numbered from FirstWalked on.
// An External is not safe for concurrent use.
type External struct {
	// Draws holds ψ of each draw, one after the other, and Walked that of the states of all walks, in the order in which they were asked
	// for: of each walk the states of its first chain, then those of the next.
	Draws, Walked []float64
	Accepted      []int64 // of the moves that led to each state of Walked, how many were accepted
	Moves         bool    // whether the caller has moves
	Features      int     // length of ψ
	Log           float64 // ln of the number of outputs, NaN where it is not known

	next, walked int
	short        bool
	expected     float64 // draws that the estimate takes in all, as far as it is known
	least        int     // draws that are asked for at a time
}

var (
	_ structure.Space   = (*External)(nil)
	_ structure.Sampler = (*External)(nil)
)

// Short says that there are fewer draws than an estimate needs.
type Short struct {
	// More is how many should be added, of uniform draws, or else of the states of a walk.
	More int
	Walk *Walk
}

// Walk asks for chains of a caller's own moves, accepted by the rule of Metropolis and Hastings, with the distribution ∝ exp(Beta · score):
// from each of the starts so many states, Thin moves apart, the first of them after BurnIn moves more.
type Walk struct {
	Beta                float64
	Start               []int32 // numbers of draws and states, one for each chain
	BurnIn, Thin, Draws int
}

// FirstWalked is the number of the first state of a walk.
const FirstWalked = 1 << 30

func (e *Short) Error() string { return fmt.Sprintf("%d more draws are needed", e.More) }

// leastMore is the smallest number of draws that an estimate asks for at a time, and leastProposals a sampler.
const (
	leastMore      = 1024
	leastProposals = 128
)

func (s *External) String() string  { return "outputs that are drawn by the caller" }
func (s *External) PartLen() int    { return 1 }
func (s *External) FeatureLen() int { return s.Features }

// Facts says that ψ is whatever the caller gives.
func (s *External) Facts() structure.Facts {
	return structure.Facts{LogCount: func() float64 { return s.Log }}
}

// Check returns nil for the number of a draw, or of a state of a walk.
func (s *External) Check(y []int32) error {
	if len(y) != 1 || y[0] < 0 || int(y[0]) >= s.Len() && (int(y[0]) < FirstWalked || int(y[0]) >= FirstWalked+len(s.Accepted)) {
		return fault.Value("%v is not the number of a draw", y)
	}
	return nil
}

// Len returns the number of draws.
func (s *External) Len() int { return len(s.Draws) / s.Features }

// CheckDraws returns an error that names the first draw with a number that is not finite.
func (s *External) CheckDraws() error {
	for _, draws := range [][]float64{s.Draws, s.Walked} {
		for i, v := range draws {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.Value("draw %d has the number %v, must be finite", i/s.Features, v)
			}
		}
	}
	return nil
}

// Embed copies the numbers of a draw.
func (s *External) Embed(dst []float64, y []int32) { copy(dst, s.psi(int(y[0]))) }

func (s *External) psi(number int) []float64 {
	if number >= FirstWalked {
		return s.Walked[(number-FirstWalked)*s.Features:][:s.Features]
	}
	return s.Draws[number*s.Features:][:s.Features]
}

// Sample takes the next draw. Past the last it takes the first, until the end of the work at the next poll.
func (s *External) Sample(dst []int32, _ *rand.Rand) {
	if s.next >= min(s.Len(), FirstWalked) {
		s.short, dst[0] = true, 0
		return
	}
	dst[0] = int32(s.next)
	s.next++
}

// Begin goes back to the first draw, for a sampler, or to that behind those where its chains start.
func (s *External) Begin(start []int32) error {
	s.Rewind()
	s.least = leastProposals
	for i, number := range start {
		if err := s.Check(start[i : i+1]); err != nil {
			return err
		}
		if number < FirstWalked {
			s.next = max(s.next, int(number)+1)
		}
	}
	return nil
}

// Batch draws as chain.Batch does by Meta, FromPast and Reject, with the draws that come next: dst holds numbers of draws. FromPast is
// done by Reject, of the same distribution: coupling would draw an output a second time.
func (s *External) Batch(rows *structure.Batch, opt chain.Options, dst chain.Draws, mon *parallel.Monitor) error {
	want := opt.Draws
	switch {
	case opt.Method == chain.LocalMoves:
		return s.walk(rows, 1, opt, dst)
	case opt.Method == chain.FromPast:
		opt.Method = chain.Reject
	case opt.Method == chain.Meta && opt.Thin > 0 && float64(opt.BurnIn)+float64(opt.Draws)*float64(opt.Thin) < mostDraws:
		want = opt.BurnIn + opt.Draws*opt.Thin
		if opt.Start == nil {
			want++
		}
	}
	return s.Run(want*rows.Len(), mon, func(mon *parallel.Monitor) error {
		return chain.Batch(rows, opt, dst, 1, mon)
	})
}

// Rewind goes back to the first draw, for an estimate that begins.
func (s *External) Rewind() {
	s.next, s.walked, s.short, s.expected, s.least = 0, 0, false, 0, leastMore
}

// Capable is chain.Capable, but for local moves, which the caller may have.
func (s *External) Capable(method chain.Method) error {
	if method == chain.LocalMoves && s.Moves {
		return nil
	}
	return chain.Capable(s, method)
}

// walk draws as chain.Batch does by LocalMoves, with chains that the caller follows. Scores are those of ψ for each chain, β included.
func (s *External) walk(rows *structure.Batch, beta float64, opt chain.Options, dst chain.Draws) error {
	if err := s.Capable(chain.LocalMoves); err != nil {
		return err
	}
	start, chains := opt.Start, rows.Len()
	if start == nil { // with the uniform draws that come next
		if more := s.next + chains - s.Len(); more > 0 {
			return &Short{More: more}
		}
		for range chains {
			start = append(start, int32(s.next))
			s.next++
		}
	}
	if states := chains * opt.Draws; s.walked+states > len(s.Accepted) {
		return &Short{More: states, Walk: &Walk{beta, start, opt.BurnIn, opt.Thin, opt.Draws}}
	}
	for k := range chains * opt.Draws {
		number := FirstWalked + s.walked
		dst.Y[k] = int32(number)
		if dst.Value != nil {
			_, score := rows.Row(k / opt.Draws)
			dst.Value[k] = score.Value(s.psi(number))
		}
		if dst.Accepted != nil {
			dst.Accepted[k] = s.Accepted[s.walked]
		}
		if dst.Steps != nil {
			dst.Steps[k] = int64(opt.Thin)
			if k%opt.Draws == 0 {
				dst.Steps[k] += int64(opt.BurnIn)
			}
		}
		s.walked++
	}
	return nil
}

// expect says how many draws will be taken from here on.
func (s *External) expect(more float64) { s.expected = float64(s.next) + more }

// Run runs what takes about so many draws, and returns a *Short if there are fewer.
func (s *External) Run(want int, mon *parallel.Monitor, body func(mon *parallel.Monitor) error) error {
	if err := mon.Err(); err != nil {
		return err
	}
	have := s.Len()
	if have == 0 || s.next+min(want, s.least) > have {
		return s.shortage(want)
	}
	var own parallel.Monitor
	err := body(&own)
	if s.short {
		return s.shortage(want)
	}
	return err
}

// shortage returns how many more draws to ask for: what is wanted, and beyond that as many as it will take or as there are, so that an
// estimate begins anew some ten times and not thousands of times.
func (s *External) shortage(want int) *Short {
	have := float64(s.Len())
	more := max(float64(s.next+want)-have, float64(s.least), have/4)
	if s.expected > have {
		more = max(float64(s.next+want)-have, min(s.expected-have, max(have, float64(s.least))))
	}
	return &Short{More: int(min(more, mostDraws))}
}

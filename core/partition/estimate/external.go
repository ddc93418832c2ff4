package estimate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"combpred/core/chain"
	"combpred/core/custom/walks"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// External is a space of which a caller draws the outputs, exactly uniformly: all that is known of them are the numbers that the
// caller gives for each, its ψ, or its score under the scores of the one row that is estimated. An output is the number of its draw.
//
// Draws are taken in their order. Where an estimate needs more than there are, it asks for them. Chains of a caller's own moves, for
// chain.LocalMoves, ask for one move after the other: their states are numbered from FirstWalked on.
//
// An External serves one estimate. It is not safe for concurrent use.
type External struct {
	// Draws holds ψ of each draw, one after the other.
	Draws    []float64
	Mover    walks.Mover       // the caller's moves; nil: there are none
	Keep     bool              // whether samples get the numbers that a Mover gave them, one of its own for each row
	Still    bool              // the Mover draws uniform outputs, but does not move
	Rows     int               // with Keep, the rows of scores: where there are more, several chains follow one of these
	Features int               // length of ψ
	Log      float64           // ln of the number of outputs, NaN where it is not known
	Supply   func(n int) error // adds n draws to Draws

	walked   map[int64][]float64 // ψ of the states of chains that may go on
	used     int64               // numbers of states of chains, from FirstWalked on
	next     int
	want     int     // draws that the work under way was expected to take
	err      error   // of Supply
	expected float64 // draws that the estimate takes in all, as far as it is known
	least    int     // draws that a sampler asks for at a time
	stop     *parallel.Monitor
}

var (
	_ structure.Space   = (*External)(nil)
	_ structure.Sampler = (*External)(nil)
)

// FirstWalked is the number of the first state of a chain. There are no more draws than that.
const FirstWalked = 1 << 30

// mostWalked bounds the numbers of all states of chains.
const mostWalked = 1 << 27

// leastProposals is the smallest number of draws that a sampler asks for at a time.
const leastProposals = 128

func (s *External) String() string  { return "a structure that is given by functions" }
func (s *External) PartLen() int    { return 1 }
func (s *External) FeatureLen() int { return s.Features }

// Facts says that ψ is whatever the caller gives.
func (s *External) Facts() structure.Facts {
	return structure.Facts{LogCount: func() float64 { return s.Log }}
}

// Check returns nil for the number of a draw, or of a state of a chain.
func (s *External) Check(y []int32) error {
	if len(y) == 1 && y[0] >= 0 {
		if _, known := s.walked[int64(y[0])]; known || int(y[0]) < s.Len() {
			return nil
		}
	}
	return fault.Value("%v is not the number of a draw", y)
}

// Len returns the number of draws.
func (s *External) Len() int { return len(s.Draws) / s.Features }

// supply asks for n draws, and checks what has come.
func (s *External) supply(n int) error {
	before := len(s.Draws)
	if before/s.Features+n > FirstWalked {
		return fault.Memory("this takes more than %d draws", FirstWalked)
	}
	if err := s.Supply(n); err != nil {
		return err
	}
	fresh := s.Draws[before:]
	if len(fresh) != n*s.Features {
		return fault.Value("%d numbers were supplied for %d draws of %d", len(fresh), n, s.Features)
	}
	return s.check(fresh)
}

// CheckDraws returns an error that names the first draw with a number that is not finite, of those that there are at the beginning.
func (s *External) CheckDraws() error { return s.check(s.Draws) }

func (s *External) check(draws []float64) error {
	for i, v := range draws {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.At(i/s.Features, fault.Value("the draw has the number %v, must be finite", v))
		}
	}
	return nil
}

// Embed copies the numbers of a draw.
func (s *External) Embed(dst []float64, y []int32) { copy(dst, s.psi(int(y[0]))) }

func (s *External) psi(number int) []float64 {
	if number >= FirstWalked {
		return s.walked[int64(number)]
	}
	return s.Draws[number*s.Features:][:s.Features]
}

// Sample takes the next draw. After an error it takes the first, until the end of the work at the next poll.
func (s *External) Sample(dst []int32, _ *rand.Rand) {
	if s.next >= s.Len() && s.err == nil {
		s.err = s.supply(s.shortage(s.want))
	}
	if s.next >= s.Len() {
		s.stop.Cancel()
		dst[0] = 0
		return
	}
	dst[0] = int32(s.next)
	s.next++
}

// Begin goes back to the first draw, for a sampler, or to that behind those where its chains start.
func (s *External) Begin(start []int32) error {
	s.next, s.err, s.least = 0, nil, leastProposals
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
//
// With Keep, rows draw for themselves, so that a row's samples depend on no other row, and what is no sample is forgotten on the way.
func (s *External) Batch(rows *structure.Batch, opt chain.Options, dst chain.Draws, mon *parallel.Monitor) error {
	want := opt.Draws
	if s.Keep {
		if err := chain.Check(rows, opt, dst); err != nil {
			return err
		}
	}
	switch {
	case opt.Method == chain.LocalMoves || opt.Method == chain.Meta && s.Keep:
		return s.walk(rows, opt, dst, mon)
	case s.Keep:
		return s.reject(rows, opt, dst, mon)
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

// Capable is chain.Capable, but for local moves, which the caller may have.
func (s *External) Capable(method chain.Method) error {
	if method == chain.LocalMoves && s.Mover != nil && !s.Still {
		return nil
	}
	if method.Bounded() {
		return &structure.CapabilityError{Structure: s.String(), Need: "a bound on the scores of all outputs"}
	}
	return chain.Capable(s, method)
}

// walk draws as chain.Batch does by LocalMoves, by moves of the caller's, or by Meta.
func (s *External) walk(rows *structure.Batch, opt chain.Options, dst chain.Draws, mon *parallel.Monitor) error {
	if err := s.Capable(opt.Method); err != nil {
		return err
	}
	n, streams := rows.Len(), opt.Streams
	if streams == nil {
		streams = rows.Streams()
	}
	states := n*(opt.Draws+4) + len(s.walked)
	if float64(states)*float64(s.Features) > mostWalked {
		return fault.Memory("it would take %d states of chains with %d numbers each: ask for a larger epsilon, or for fewer steps", states,
			s.Features)
	}
	scores, ones := make([]structure.Scores, n), make([]float64, n)
	for i := range n {
		_, scores[i] = rows.Row(i)
		ones[i] = 1 // their temperature is in the scores
	}
	l := walks.NewLockstep(s.Mover, scores, s.Features, walks.Numbers(FirstWalked+s.used, n), opt.Seed, streams)
	for c := range n {
		l.Of = append(l.Of, int64(c*max(s.Rows, 1)/n))
	}
	l.Uniform, l.Ahead = opt.Method == chain.Meta, opt.BurnIn+opt.Draws*opt.Thin
	if err := s.begin(l, opt.Start); err != nil {
		return err
	}
	accepted := make([]int64, n)
	for j := range opt.Draws {
		steps := opt.Thin
		if j == 0 {
			steps += opt.BurnIn
		}
		for range steps {
			if err := fault.First(mon.Err(), l.Step(ones, !l.Uniform)); err != nil {
				return err
			}
			l.Ahead--
		}
		for c := range n {
			number := l.Fresh()
			if s.Keep || j == opt.Draws-1 {
				number = l.Pin(c)
			}
			s.remember(number, l.Psi[c*s.Features:][:s.Features])
			k := c*opt.Draws + j
			dst.Y[k] = int32(number)
			record(dst, k, l.Value[c], int64(steps), l.Accepted[c]-accepted[c])
			accepted[c] = l.Accepted[c]
		}
	}
	s.used = l.Fresh() - FirstWalked
	return nil
}

func record(dst chain.Draws, k int, value float64, steps, accepted int64) {
	if dst.Value != nil {
		dst.Value[k] = value
	}
	if dst.Steps != nil {
		dst.Steps[k] = steps
	}
	if dst.Accepted != nil {
		dst.Accepted[k] = accepted
	}
}

// begin puts chains to where they start, by default to the uniform draws that come next.
func (s *External) begin(l *walks.Lockstep, start []int32) error {
	n := len(l.At)
	if start == nil && s.Keep {
		return l.Draw(0)
	}
	if start == nil {
		if more := s.next + n - s.Len(); more > 0 {
			if err := s.supply(more); err != nil {
				return err
			}
		}
		for range n {
			start = append(start, int32(s.next))
			s.next++
		}
	}
	at, psi := make([]int64, n), make([]float64, 0, n*s.Features)
	for c, number := range start {
		at[c], psi = int64(number), append(psi, s.psi(int(number))...)
	}
	l.Begin(at, psi)
	return nil
}

// remember keeps ψ of a state; that of a draw is known.
func (s *External) remember(number int64, psi []float64) {
	if number < FirstWalked {
		return
	}
	if s.walked == nil {
		s.walked = map[int64][]float64{}
	}
	s.walked[number] = slices.Clone(psi)
}

// reject draws as chain.Batch does by Reject, row by row.
func (s *External) reject(rows *structure.Batch, opt chain.Options, dst chain.Draws, mon *parallel.Monitor) error {
	for i := range rows.Len() {
		_, score := rows.Row(i)
		own := &ownDraws{External: s, row: int64(i)}
		poll := func() error { return fault.First(own.err, mon.Err()) }
		proposals, err := chain.NewProposals(own, score, opt.Bound[i], opt.Budget, poll)
		if err != nil {
			return fault.At(i, err)
		}
		var source rand.PCG
		parallel.Stream(&source, opt.Seed, int(opt.Streams[i]))
		for j := range opt.Draws {
			k := i*opt.Draws + j
			steps, err := proposals.Rejection(dst.Y[k:k+1], &source)
			if err = fault.First(own.err, err); err != nil {
				if spent, ok := errors.AsType[*chain.BudgetError](err); ok {
					spent.Draw = j
				}
				return fault.At(i, err)
			}
			at := int(dst.Y[k])
			dst.Y[k] = int32(own.numbers[at])
			record(dst, k, score.Value(own.psi[at*s.Features:][:s.Features]), int64(steps), 1)
			own.numbers[at] = FirstWalked + s.used
			s.used++
			own.since = 0
		}
	}
	return nil
}

// ownDraws are uniform outputs that a caller draws for one row, of which some are in hand: an output is its place among these. Numbers of
// outputs that were looked at, and are no samples, are used again.
type ownDraws struct {
	*External
	row     int64
	numbers []int64 // of the outputs in hand, at the beginning of all that the row has
	psi     []float64
	at      int // the next that is not looked at yet
	since   int // how many were looked at since the last sample
}

func (s *ownDraws) Embed(dst []float64, y []int32) { copy(dst, s.psi[int(y[0])*s.Features:]) }

// Sample takes the next output. After an error it goes on with what there is, until the error is polled.
func (s *ownDraws) Sample(dst []int32, _ *rand.Rand) {
	if s.at == len(s.numbers) {
		s.more(min(max(s.since, fewestAsked), mostAsked))
	}
	dst[0] = int32(s.at)
	s.at++
	s.since++
}

const fewestAsked, mostAsked = 16, 1024 // outputs for a row, at once

// more has the caller draw n outputs in place of those in hand.
func (s *ownDraws) more(n int) {
	all := s.numbers[:cap(s.numbers)]
	for len(all) < n {
		all = append(all, FirstWalked+s.used)
		s.used++
	}
	s.numbers, s.at = slices.Clip(all)[:n], 0
	s.psi = make([]float64, n*s.Features)
	of, from := slices.Repeat([]int64{s.row}, n), slices.Repeat([]int64{walks.FromNowhere}, n)
	if s.err == nil {
		s.err = fault.First(s.Mover.Move(of, from, s.numbers, s.psi, make([]float64, n)), s.check(s.psi))
	}
}

// expect says how many draws will be taken from here on.
func (s *External) expect(more float64) { s.expected = float64(s.next) + more }

// Run runs what takes about so many draws.
func (s *External) Run(want int, mon *parallel.Monitor, body func(mon *parallel.Monitor) error) error {
	if err := mon.Err(); err != nil {
		return err
	}
	s.want, s.stop = want, &parallel.Monitor{}
	if have := s.Len(); have == 0 || s.next+min(want, s.least) > have {
		if err := s.supply(s.shortage(want)); err != nil {
			return err
		}
	}
	err := body(s.stop)
	if s.err != nil {
		return s.err
	}
	return err
}

// shortage returns how many more draws to ask for: what is wanted, and beyond that as many as it will take or as there are, so that an
// estimate asks some ten times and not thousands of times.
func (s *External) shortage(want int) int {
	have := float64(s.Len())
	more := max(float64(s.next+want)-have, float64(s.least), have/4)
	if s.expected > have {
		more = max(float64(s.next+want)-have, min(s.expected-have, max(have, float64(s.least))))
	}
	return int(min(more, mostDraws))
}

package expect

import (
	"math"
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
)

const (
	proposalNumbers = 1 << 17 // of ψ of uniform outputs that are asked for at once
	fewProposals    = 64
	manyProposals   = 1 << 12

	proposedMark = 0x70726f70
)

// Proposed answers what a machine asks by two persistent Metropolis chains for each row, as Sampled does, whose proposals are uniform
// outputs that the caller draws: all that it asks is ψ of so many of them, by requests Uniform, which are about no row. It is a machine
// itself, whose state is that of the machine and then its own.
type Proposed struct {
	Machine loglinear.Machine
	seed    uint64
	usual   int // draws of each chain for a mean
	n, d    int
	inner   []float64 // the state of the machine
	own     proposedState
}

// proposedState is what Proposed knows.
type proposedState struct {
	mark, calls *float64
	// The request of the machine: ask is 0 for none. Places are those of its entries in the state of the machine, −1 for none.
	ask, first, k, draws, numbers, scores, means, psi *float64
	row, at, asked                                    *float64 // of the request; of all proposals for the row; as many as were asked for

	proposals matrix    // those asked for last
	chains    matrix    // rows × 2 × d: ψ of where the chains are
	begun     []float64 // 1 where they are
}

type matrix = linalg.Matrix[float64]

func proposalsAtOnce(d int) int { return min(max(proposalNumbers/d, fewProposals), manyProposals) }

func layoutProposed(n, d int, state []float64) (proposedState, int) {
	t := &flat.Tape{Data: state}
	var s proposedState
	for _, field := range []**float64{&s.mark, &s.calls, &s.ask, &s.first, &s.k, &s.draws, &s.numbers, &s.scores, &s.means, &s.psi,
		&s.row, &s.at, &s.asked} {
		if number := t.Take(1); number != nil {
			*field = &number[0]
		}
	}
	s.proposals, s.chains, s.begun = t.Matrix(proposalsAtOnce(d), d), t.Matrix(n*chains, d), t.Take(n)
	return s, t.At
}

// ProposedLen returns the length of the state for n rows that count and ψ of d entries, given that of the machine.
func ProposedLen(machine, n, d int) (int, error) {
	switch {
	case n < 0 || d < 1:
		return 0, fault.Value("there are %d rows and %d dimensions, must be at least 0 and 1", n, d)
	case n > (math.MaxInt/64-machine)/d/4:
		return 0, fault.Memory("chains of %d rows in %d dimensions are too many", n, d)
	}
	_, own := layoutProposed(n, d, nil)
	return machine + own, nil
}

// NewProposed begins, where the state is all zeros behind that of the machine, or goes on.
func NewProposed(machine loglinear.Machine, state []float64, length, n, d int, seed uint64) (*Proposed, error) {
	whole, err := ProposedLen(length, n, d)
	if err != nil {
		return nil, err
	}
	if err := flat.CheckLength(state, whole); err != nil {
		return nil, err
	}
	p := &Proposed{Machine: machine, seed: seed, usual: drawsFor(n), n: n, d: d, inner: state[:length:length]}
	p.own, _ = layoutProposed(n, d, state[length:])
	if *p.own.mark == 0 {
		*p.own.mark = proposedMark
		return p, nil
	}
	return p, p.check()
}

// check returns an error where the state cannot be that of Proposed.
func (p *Proposed) check() error {
	s := p.own
	if *s.mark != proposedMark {
		return fault.Value("the state belongs to something else: its chains are marked by %v", *s.mark)
	}
	if err := flat.CheckWhole(*s.calls, 0, 1<<53); err != nil || *s.ask == 0 {
		return err
	}
	for _, whole := range []struct {
		v           float64
		least, most int
	}{
		{*s.ask, int(loglinear.Mean), int(loglinear.Pair)}, {*s.k, 1, len(p.inner)}, {*s.draws, 0, 1 << 20}, {*s.row, 0, int(*s.k) - 1},
		{*s.first, 0, p.n}, {*s.at, 0, 1 << 53}, {*s.asked, 1, s.proposals.Rows}, {*s.numbers, -1, len(p.inner) - int(*s.k)},
		{*s.scores, 0, len(p.inner) - int(*s.k)*p.d},
	} {
		if err := flat.CheckWhole(whole.v, whole.least, whole.most); err != nil {
			return err
		}
	}
	place, rows := *s.means, int(*s.k)
	switch loglinear.Ask(*s.ask) {
	case loglinear.Pair:
		rows *= 2
	case loglinear.Draw:
		place, rows = *s.psi, rows*int(*s.draws)
	}
	return flat.CheckWhole(place, 0, len(p.inner)-rows*p.d)
}

// Decline implements loglinear.Machine.
func (p *Proposed) Decline() error { return fault.Value("uniform outputs cannot be declined") }

// Next implements loglinear.Machine.
func (p *Proposed) Next(mon *parallel.Monitor) (loglinear.RowsRequest, error) {
	s := p.own
	if *s.ask != 0 && *s.asked > 0 {
		if err := p.advance(); err != nil {
			return loglinear.RowsRequest{}, err
		}
	}
	if *s.ask == 0 {
		r, err := p.Machine.Next(mon)
		if err != nil || r.Ask == loglinear.Nothing {
			return r, err
		}
		p.keep(r)
	}
	i, err := p.number()
	if err != nil {
		return loglinear.RowsRequest{}, err
	}
	work, err := planFor(p.request(), p.usual)
	if err != nil {
		return loglinear.RowsRequest{}, err
	}
	many := min(p.proposalsFor(work, i)-int(*s.at), s.proposals.Rows)
	*s.asked = float64(many)
	asked := s.proposals.Slice(0, many, 0, p.d)
	flat.FillNaN(asked.Data)
	scores := p.request().Scores
	return loglinear.RowsRequest{Ask: loglinear.Uniform, First: i, Scores: scores.Slice(int(*s.row), int(*s.row)+1, 0, p.d),
		Draws: many, Psi: asked}, nil
}

// keep remembers a request of the machine.
func (p *Proposed) keep(r loglinear.RowsRequest) {
	s := p.own
	*s.ask, *s.first, *s.k, *s.draws = float64(r.Ask), float64(r.First), float64(r.Scores.Rows), float64(r.Draws)
	*s.numbers, *s.scores = p.place(r.Numbers), p.place(r.Scores.Data)
	*s.means, *s.psi = p.place(r.Means.Data), p.place(r.Psi.Data)
	*s.row, *s.at, *s.asked = 0, 0, 0
}

// place returns where a part of the machine's state begins.
func (p *Proposed) place(part []float64) float64 {
	if len(part) == 0 {
		return -1
	}
	return float64(flat.Place(p.inner, part))
}

// request returns the request that was kept.
func (p *Proposed) request() loglinear.RowsRequest {
	s := p.own
	r := loglinear.RowsRequest{Ask: loglinear.Ask(*s.ask), First: int(*s.first), Draws: int(*s.draws)}
	k := int(*s.k)
	part := func(place *float64, rows int) matrix {
		if *place < 0 {
			return matrix{}
		}
		at := int(*place)
		return flat.Shaped(p.inner[at:at+rows*p.d], rows, p.d)
	}
	r.Scores = part(s.scores, k)
	if at := int(*s.numbers); at >= 0 {
		r.Numbers = p.inner[at : at+k]
	}
	switch r.Ask {
	case loglinear.Draw:
		r.Psi = part(s.psi, k*r.Draws)
	case loglinear.Pair:
		r.Means = part(s.means, 2*k)
	default:
		r.Means = part(s.means, k)
	}
	return r
}

// number returns the number of the row that proposals are for.
func (p *Proposed) number() (int, error) {
	i := p.request().Rows().At(int(*p.own.row))
	if i < 0 || i >= p.n {
		return 0, fault.Value("row %d is not one of the %d that the chains are for", i, p.n)
	}
	return i, nil
}

// proposalsFor returns how many proposals a row takes: both chains begin with one, where they have not begun yet.
func (p *Proposed) proposalsFor(work plan, i int) int {
	each := work.draws * work.spacing * metaThin
	if p.own.begun[i] == 0 {
		each += 1 + burnIn*metaThin
	}
	return chains * each
}

// advance makes the steps of the chains of a row that the proposals are for.
func (p *Proposed) advance() error {
	s, r := p.own, p.request()
	i, err := p.number()
	if err != nil {
		return err
	}
	work, err := planFor(r, p.usual)
	if err != nil {
		return err
	}
	row, many := int(*s.row), int(*s.asked)
	proposals := s.proposals.Slice(0, many, 0, p.d)
	if !flat.Finite(proposals.Data) {
		return fault.Value("ψ of uniform outputs is infinite or NaN, or was not written")
	}
	var source rand.PCG
	parallel.Stream(&source, p.seed, int(*s.calls))
	*s.calls++
	rng, scores := rand.New(&source), r.Scores.Row(row)
	whole, thin, ahead := p.proposalsFor(work, i), work.spacing*metaThin, 0
	if s.begun[i] == 0 {
		ahead = 1 + burnIn*metaThin
	}
	if int(*s.at)+many > whole {
		return fault.Value("the state has been damaged: %v proposals were made for a row that takes %d", *s.at, whole)
	}
	value, known := 0.0, -1
	for k := range many {
		at := int(*s.at) + k
		c, step := at/(whole/chains), at%(whole/chains)
		state := s.chains.Row(i*chains + c)
		if known != c {
			value, known = flat.Dot(scores, state), c
		}
		proposal := proposals.Row(k)
		if v := flat.Dot(scores, proposal); ahead > 0 && step == 0 || v-value >= -rng.ExpFloat64() {
			copy(state, proposal)
			value = v
		}
		if made := step + 1 - ahead; made > 0 && made%thin == 0 {
			work.take(row, state, c*work.draws+made/thin-1)
		}
	}
	*s.at += float64(many)
	*s.asked = 0
	if int(*s.at) == whole {
		s.begun[i], *s.at = 1, 0
		if *s.row++; *s.row == *s.k {
			*s.ask = 0
		}
	}
	return nil
}

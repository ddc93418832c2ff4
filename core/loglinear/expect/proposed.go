package expect

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
)

const (
	proposalNumbers = 1 << 17 // of ψ of uniform outputs that are asked for at once
	fewProposals    = 64
	manyProposals   = 1 << 12
)

type matrix = linalg.Matrix[float64]

// Proposed answers by two persistent Metropolis chains for each row, as Sampled does, whose proposals are uniform outputs that another
// oracle draws: all that it asks that one is ψ of so many of them, by requests Uniform, for one row at a time.
type Proposed struct {
	drawer    loglinear.Oracle
	seed      uint64
	usual     int // draws of each chain for a mean
	calls     int
	proposals matrix // those asked for last
	chains    matrix // rows × 2 × d: ψ of where the chains are
	begun     []bool // whether they are anywhere
}

// NewProposed returns an oracle for n rows that count and ψ of d entries.
func NewProposed(drawer loglinear.Oracle, n, d int, seed uint64) *Proposed {
	many := min(max(proposalNumbers/d, fewProposals), manyProposals)
	return &Proposed{drawer: drawer, seed: seed, usual: drawsFor(n), proposals: linalg.NewMatrix[float64](many, d),
		chains: linalg.NewMatrix[float64](n*chains, d), begun: make([]bool, n)}
}

// Answer implements loglinear.Oracle.
func (p *Proposed) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	work, err := planFor(r, p.usual)
	if err != nil {
		return err
	}
	for row := range r.Rows.Len() {
		i := r.Rows.At(row)
		if i >= len(p.begun) {
			return fault.Value("row %d is beyond the %d that the chains are for", i, len(p.begun))
		}
		w := walk{row: row, chain: work.draws * work.spacing * metaThin, states: p.chains.Slice(i*chains, (i+1)*chains, 0, r.Scores.Cols)}
		if !p.begun[i] {
			w.ahead = 1 + burnIn*metaThin
			w.chain += w.ahead
		}
		scores := r.Scores.Slice(row, row+1, 0, r.Scores.Cols)
		for w.at < chains*w.chain {
			psi := p.proposals.Slice(0, min(chains*w.chain-w.at, p.proposals.Rows), 0, scores.Cols)
			ask := loglinear.RowsRequest{Ask: loglinear.Uniform, Rows: loglinear.Between(i, i+1), Scores: scores, Draws: psi.Rows, Psi: psi}
			if err := p.drawer.Answer(ask, mon); err != nil {
				return fault.Renumbered(err, func(int) int { return row })
			}
			if !linalg.Finite(psi.Data) {
				return fault.At(row, fault.Value("ψ of uniform outputs is infinite or NaN, or was not written"))
			}
			p.advance(scores.Row(0), psi, w, work)
			w.at += psi.Rows
		}
		p.begun[i] = true
	}
	return nil
}

// walk is where the chains of a row of a request have got to.
type walk struct {
	row    int
	at     int    // proposals so far, of all for the row: those of the second chain come after all of the first
	chain  int    // proposals of each
	ahead  int    // of these, how many come before draws; a chain that begins takes the first, whatever it is
	states matrix // ψ of where they are
}

// advance makes the steps that proposals are for.
func (p *Proposed) advance(scores []float64, proposals matrix, w walk, work plan) {
	var source rand.PCG
	parallel.Stream(&source, p.seed, p.calls)
	p.calls++
	rng, thin := rand.New(&source), work.spacing*metaThin
	value, known := 0.0, -1
	for k := range proposals.Rows {
		c, step := (w.at+k)/w.chain, (w.at+k)%w.chain
		state, proposal := w.states.Row(c), proposals.Row(k)
		if known != c {
			value, known = floats.Dot(scores, state), c
		}
		if v := floats.Dot(scores, proposal); w.ahead > 0 && step == 0 || v-value >= -rng.ExpFloat64() {
			copy(state, proposal)
			value = v
		}
		if made := step + 1 - w.ahead; made > 0 && made%thin == 0 {
			work.take(w.row, state, c*work.draws+made/thin-1)
		}
	}
}

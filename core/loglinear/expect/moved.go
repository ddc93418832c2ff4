package expect

import (
	"math/rand/v2"
	"slices"

	"combpred/core/custom/walks"
	"combpred/core/fault"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Moved answers by two persistent chains for each row, as Sampled does, of moves of outputs that only a caller knows.
type Moved struct {
	mover  walks.Mover
	seed   uint64
	usual  int // draws of each chain for a mean
	calls  int
	psi    matrix // rows × chains × d: ψ of where the chains are
	at     []int64
	begun  []bool
	blocks []int64 // the numbers that belong to each chain
}

// NewMoved returns an oracle for n rows that count and ψ of d entries.
func NewMoved(mover walks.Mover, n, d int, seed uint64) *Moved {
	return &Moved{mover: mover, seed: seed, usual: drawsFor(n), psi: matrix{Rows: n * chains, Cols: d, Stride: d,
		Data: make([]float64, n*chains*d)}, at: make([]int64, n*chains), begun: make([]bool, n), blocks: walks.Numbers(0, n*chains)}
}

// Answer implements loglinear.Oracle.
func (m *Moved) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	work, err := planFor(r, m.usual)
	if err != nil {
		return err
	}
	var warm, cold []int
	for k := range r.Rows.Len() {
		switch i := r.Rows.At(k); {
		case i >= len(m.begun):
			return fault.Value("row %d is beyond the %d that the chains are for", i, len(m.begun))
		case m.begun[i]:
			warm = append(warm, k)
		default:
			cold = append(cold, k)
		}
	}
	for _, part := range [][]int{warm, cold} {
		if len(part) == 0 {
			continue
		}
		if err := m.follow(r, part, work, mon); err != nil {
			return fault.Renumbered(err, func(c int) int { return part[c/chains] })
		}
	}
	return nil
}

// follow goes on with the chains of some rows of a request, which have all begun or none.
func (m *Moved) follow(r loglinear.RowsRequest, part []int, work plan, mon *parallel.Monitor) error {
	n, d, thin := len(part)*chains, m.psi.Cols, localPassed*m.psi.Cols*work.spacing
	scores, numbers := make([]structure.Scores, n), make([]int64, 0, len(m.blocks)/len(m.at)*n)
	at, psi, ones := make([]int64, 0, n), make([]float64, 0, n*d), make([]float64, n)
	size := len(m.blocks) / len(m.begun)
	for k, row := range part {
		i := r.Rows.At(row)
		numbers = append(numbers, m.blocks[i*size:(i+1)*size]...)
		at, psi = append(at, m.at[i*chains:(i+1)*chains]...), append(psi, m.psi.Data[i*chains*d:(i+1)*chains*d]...)
		for c := range chains {
			scores[k*chains+c] = structure.Scores{Linear: slices.Clone(r.Scores.Row(row))}
			ones[k*chains+c] = 1
		}
	}
	var source rand.PCG
	parallel.Stream(&source, m.seed, m.calls)
	m.calls++
	l := walks.NewLockstep(m.mover, scores, d, numbers, source.Uint64(), parallel.Numbered(n))
	for c := range n {
		l.Of = append(l.Of, int64(r.Rows.At(part[c/chains])))
	}
	ahead := 0
	if m.begun[r.Rows.At(part[0])] {
		l.Begin(at, psi)
	} else if err := l.Draw(0); err != nil {
		return err
	} else {
		ahead = burnIn * localPassed * d
	}
	for draw := range work.draws {
		for range thin + ahead {
			if err := fault.First(mon.Err(), l.Step(ones, true)); err != nil {
				return err
			}
		}
		ahead = 0
		for c := range n {
			work.take(part[c/chains], l.Psi[c*d:(c+1)*d], c%chains*work.draws+draw)
		}
	}
	for k, row := range part {
		i := r.Rows.At(row)
		copy(m.at[i*chains:(i+1)*chains], l.At[k*chains:])
		copy(m.psi.Data[i*chains*d:(i+1)*chains*d], l.Psi[k*chains*d:])
		m.begun[i] = true
	}
	return nil
}

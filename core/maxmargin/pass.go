package maxmargin

import (
	"fmt"

	"combpred/core/badrow"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Report is what a pass saw.
type Report struct {
	Gap     float64 // sum of the examples' duality gaps, each before its step; FrankWolfe only
	Updates int     // steps that moved the weights; for the perceptron the mistakes
	Proven  int     // decodings proven optimal
	Radius  float64 // largest ‖x_i‖²‖ψ_i − ψ(z)‖² of the updates; Perceptron only
}

// Pass takes a step on each block of the order. A step costs one decoding and two products of the example's features with rows of d
// weights. After an error the state is unspecified.
func (p *Problem) Pass(order []int64, s *State, mon *parallel.Monitor) (Report, error) {
	if err := p.check(order, s); err != nil {
		return Report{}, err
	}
	finder, err := (&Decoder{Space: p.Space, Method: p.Method, Candidates: p.Candidates, Seed: p.Seed}).finder(mon)
	if err != nil {
		return Report{}, err
	}
	var report Report
	d := p.Psi.Cols
	f, linear, found := make([]float64, d), make([]float64, d), make([]float64, d)
	for _, at := range order {
		if err := mon.Err(); err != nil {
			return report, err
		}
		i := int(at)
		norm := p.rowScores(f, s.W, i)
		copy(linear, f)
		score := structure.Scores{Linear: linear}
		if p.Rule == FrankWolfe {
			score = p.augmented(linear, f, p.row(i))
		}
		proven, err := finder.find(found, score, s.Step)
		if err != nil {
			return report, fmt.Errorf("maxmargin: %w", badrow.At(p.row(i), err))
		}
		if proven {
			report.Proven++
		}
		if p.Rule == FrankWolfe {
			gap, moved := p.towards(s, i, f, found, p.planeOf(p.row(i), f, found), norm)
			report.Gap += p.Weights[i] * gap
			if moved {
				report.Updates++
			}
		} else if square := p.away(s, i, f, found); square > 0 {
			report.Updates++
			report.Radius = max(report.Radius, norm*square)
		}
		s.Step++
		mon.Advance(1)
	}
	return report, nil
}

// augmented returns the scores f with the loss of a row added, the linear ones in dst.
func (p *Problem) augmented(dst, f []float64, row int) structure.Scores {
	loss := p.Loss.scores(row)
	for j, g := range loss.Linear {
		dst[j] = f[j] + g
	}
	return structure.Scores{Linear: dst, Magnitude: loss.Magnitude}
}

// planeOf makes the plane of margin rescaling of ψ(z), which decoding with the loss added has found: it overwrites it by the direction and
// returns the offset.
func (p *Problem) planeOf(row int, f, psi []float64) float64 {
	own := p.Psi.Row(row)
	// ψ_i itself is a mean of outputs that may be taken: what an approximate decoder finds below is no violation.
	offset, least := p.Loss.of(row, psi), p.Loss.of(row, own)
	value := offset
	for j, z := range psi {
		psi[j] = own[j] - z
		value -= f[j] * psi[j]
	}
	if value < least {
		clear(psi)
		return least
	}
	return offset
}

package maxmargin

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// listed bounds the values of outputs that a worker holds at once.
const listed = 1 << 20

// byList finds planes by a look at all outputs, for either rescaling and any loss.
func (s *planes) byList(mon *parallel.Monitor) error {
	members := s.Members.Rows
	grain := max(1, min(64, listed/members))
	return parallel.For(s.count(), grain, s.workers, nil, func(lo, hi int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		products := linalg.NewMatrix[float64](hi-lo, members)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, s.f.Slice(lo, hi, 0, s.f.Cols), s.Members, 0, products)
		losses := linalg.NewMatrix[float64](hi-lo, members)
		for k := lo; k < hi; k++ {
			s.lossesTo(losses.Row(k-lo), s.row(int(s.numbers[k])))
			s.choose(k, losses.Row(k-lo), products.Row(k-lo))
		}
		return nil
	})
}

// lossesTo writes the losses of all outputs against that of a row.
func (s *planes) lossesTo(dst []float64, row int) {
	for z := range dst {
		psi := s.Members.Row(z)
		if !s.Loss.ZeroOne {
			dst[z] = s.Loss.of(row, psi)
			continue
		}
		dst[z] = 0
		for j, own := range s.Psi.Row(row) {
			if psi[j] != own {
				dst[z] = 1
				break
			}
		}
	}
}

// choose makes the plane of the worst output, given losses and scores of all.
func (s *planes) choose(k int, losses, scores []float64) {
	own := s.Psi.Row(s.row(int(s.numbers[k])))
	score := linalg.Dot(s.f.Row(k), own)
	best, worst := math.Inf(-1), 0
	for z, loss := range losses {
		v := loss - (score - scores[z])
		if s.Slack {
			v = loss * (1 - (score - scores[z]))
		}
		if v > best {
			best, worst = v, z
		}
	}
	factor := 1.0
	if s.Slack {
		factor = losses[worst]
	}
	direction := s.psi.Row(k)
	for j, z := range s.Members.Row(worst) {
		direction[j] = factor * (own[j] - z)
	}
	s.offset[k], s.proven[k] = losses[worst], 1
	if s.value(k) < 0 {
		clear(direction)
		s.offset[k] = 0
	}
}

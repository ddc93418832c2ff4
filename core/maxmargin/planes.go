package maxmargin

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// planes finds the largest planes of some blocks at scores, by an oracle where it has to.
type planes struct {
	*Problem
	oracle  Oracle
	mon     *parallel.Monitor
	workers int
	stream  int // rows asked for so far

	numbers []int  // the blocks
	f       matrix // their scores
	psi     matrix // what the oracle has answered, in the end the directions
	offset  []float64
	proven  []bool

	asked     []int // places among the blocks of those that a request is about
	rows      []int64
	linear    matrix
	magnitude matrix

	search []search // of slack rescaling
	best   matrix   // and ψ of the best output so far
}

func (p *Problem) searches() bool { return p.Slack && !p.Asked && p.Members.Rows == 0 }

// newPlanes returns what finds the planes of so many blocks at once, 0 for as many as are quick.
func (p *Problem) newPlanes(rows, workers int, oracle Oracle, mon *parallel.Monitor) *planes {
	if rows == 0 {
		rows = p.defaultRows()
	}
	rows = min(rows, p.blocks())
	each := func() matrix { return linalg.NewMatrix[float64](rows, p.Psi.Cols) }
	s := &planes{Problem: p, oracle: oracle, mon: mon, workers: workers, f: each(), psi: each(), linear: each(),
		magnitude: matrix{Cols: p.Psi.Cols}, offset: make([]float64, rows), proven: make([]bool, rows), rows: make([]int64, rows)}
	if p.Loss.Magnitude.Rows > 0 {
		s.magnitude = each()
	}
	if p.searches() {
		s.search, s.best = make([]search, rows), each()
	}
	return s
}

// some returns the rows of a matrix that belong to the blocks.
func (s *planes) some(m matrix) matrix { return top(m, len(s.numbers)) }

// begin says of which consecutive blocks planes are wanted: up to so many.
func (s *planes) begin(first, most int) {
	s.numbers, s.asked = s.numbers[:0], s.asked[:0]
	for block := first; block < min(first+most, s.blocks()); block++ {
		s.numbers = append(s.numbers, block)
	}
}

// score computes the scores of the blocks.
func (s *planes) score(w matrix) error {
	return s.weigh(len(s.numbers), func() error { return s.scoresTo(s.some(s.f), w, s.numbers, s.workers) })
}

// findAt finds the planes at the weights w of a batch of blocks that begins with the given one.
func (s *planes) findAt(w matrix, first int) error {
	s.begin(first, s.f.Rows)
	if err := s.score(w); err != nil {
		return err
	}
	return s.find()
}

// find finds the planes at scores that are in f: directions are then in psi, offsets in offset.
func (s *planes) find() (err error) {
	if err := s.mon.Err(); err != nil {
		return err
	}
	switch {
	case s.Asked:
		err = s.byCaller()
	case s.Members.Rows > 0:
		err = s.byList()
	case s.Slack:
		err = s.bySearch()
	default:
		err = s.byDecoding()
	}
	if err != nil {
		return err
	}
	for k, block := range s.numbers {
		if !finite(s.value(k)) {
			return fault.At(s.row(block), errPlane)
		}
	}
	return nil
}

var errPlane = fault.Value("what was found has no finite loss or score")

// ask adds a block, by its place k among those of the batch, to the next request.
func (s *planes) ask(k int) (place int) {
	s.asked = append(s.asked, k)
	return len(s.asked) - 1
}

// answered gets an answer to the request about the blocks asked for.
func (s *planes) answered(magnitude matrix) error {
	k := len(s.asked)
	r := Request{Planes: s.Asked, Rows: s.rows[:k], Linear: top(s.linear, k), Magnitude: top(magnitude, k), Stream: s.stream,
		Psi: top(s.psi, k), Offset: s.offset[:k], Proven: s.proven[:k]}
	s.stream += k
	for i, at := range s.asked {
		row := s.row(s.numbers[at])
		s.rows[i] = int64(row)
		err := structure.CheckScores(r.Linear.Row(i))
		if err == nil && r.Magnitude.Rows > 0 {
			err = structure.CheckScores(r.Magnitude.Row(i))
		}
		if err != nil {
			return fault.At(row, err)
		}
		// What is left unanswered is not to pass for an answer.
		r.Offset[i], r.Proven[i] = math.NaN(), false
	}
	for j := range r.Psi.Data {
		r.Psi.Data[j] = math.NaN()
	}
	return fault.Renumbered(s.oracle.Answer(r, s.mon), func(place int) int { return int(s.rows[place]) })
}

// byCaller asks for the planes.
func (s *planes) byCaller() error {
	for k := range s.numbers {
		copy(s.linear.Row(s.ask(k)), s.f.Row(k))
	}
	return s.answered(s.magnitude)
}

// byDecoding asks for the output of largest loss plus score.
func (s *planes) byDecoding() error {
	for k, block := range s.numbers {
		place := s.ask(k)
		score := s.augmented(s.linear.Row(place), s.f.Row(k), s.row(block))
		if s.magnitude.Rows > 0 {
			copy(s.magnitude.Row(place), score.Magnitude)
		}
	}
	if err := s.answered(s.magnitude); err != nil {
		return err
	}
	for k, block := range s.numbers {
		s.offset[k] = s.planeOf(s.row(block), s.f.Row(k), s.psi.Row(k))
	}
	return nil
}

// value returns the value of the plane of a block of the batch at its scores.
func (s *planes) value(k int) float64 {
	return s.offset[k] - linalg.Dot(s.f.Row(k), s.psi.Row(k))
}

// listed bounds the values of outputs that a worker holds at once.
const listed = 1 << 20

// byList finds planes by a look at all outputs, for either rescaling and any loss.
func (s *planes) byList() error {
	members := s.Members.Rows
	grain := max(1, min(64, listed/members))
	var squares matrix
	if s.Loss.Magnitude.Rows > 0 && !s.Loss.ZeroOne {
		squares = linalg.NewMatrix[float64](members, s.Members.Cols)
		for z := range members {
			floats.MulTo(squares.Row(z), s.Members.Row(z), s.Members.Row(z))
		}
	}
	return parallel.For(len(s.numbers), grain, s.workers, nil, func(lo, hi int) error {
		if err := s.mon.Err(); err != nil {
			return err
		}
		products := linalg.NewMatrix[float64](hi-lo, members)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, s.f.Slice(lo, hi, 0, s.f.Cols), s.Members, 0, products)
		losses := s.losses(s.numbers[lo:hi], squares)
		for k := lo; k < hi; k++ {
			s.choose(k, losses.Row(k-lo), products.Row(k-lo))
		}
		return nil
	})
}

// losses returns the losses of all outputs, whose squares are given where they count, against those of some blocks.
func (s *planes) losses(blocks []int, squares matrix) matrix {
	dst := linalg.NewMatrix[float64](len(blocks), s.Members.Rows)
	if s.Loss.ZeroOne {
		for k, block := range blocks {
			own := s.Psi.Row(s.row(block))
			for z := range dst.Cols {
				if !slices.Equal(s.Members.Row(z), own) {
					dst.Row(k)[z] = 1
				}
			}
		}
		return dst
	}
	some := linalg.NewMatrix[float64](len(blocks), s.Members.Cols)
	for k, block := range blocks {
		copy(some.Row(k), s.Loss.Gradient.Row(s.row(block)))
		floats.AddConst(s.Loss.Constant[s.row(block)], dst.Row(k))
	}
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, some, s.Members, 1, dst)
	if squares.Rows > 0 {
		for k, block := range blocks {
			copy(some.Row(k), s.Loss.Magnitude.Row(s.row(block)))
		}
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, some, squares, 1, dst)
	}
	return dst
}

// choose makes the plane of the worst output, given losses and scores of all.
func (s *planes) choose(k int, losses, scores []float64) {
	own := s.Psi.Row(s.row(s.numbers[k]))
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
	s.offset[k], s.proven[k] = losses[worst], true
	if s.value(k) < 0 {
		clear(direction)
		s.offset[k] = 0
	}
}

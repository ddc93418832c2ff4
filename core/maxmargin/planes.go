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

// planes finds the largest planes of some blocks at scores, asking for decodings or for the planes themselves where it has to. All that
// it knows lies in a state.
type planes struct {
	*Problem
	head      []float64 // of the whole state
	own       []float64 // planesLen numbers of its own
	numbers   []float64 // blocks
	f         matrix    // their scores
	asked     []float64 // blocks that a request is about
	rows      []float64 // their rows
	linear    matrix
	magnitude matrix
	psi       matrix // replies, in the end the directions
	offset    []float64
	proven    []float64
	search    []float64 // of slack rescaling: searchLen numbers a block
	best      matrix    // and ψ of the best output so far
	workers   int
}

const (
	ownStage = iota // how many replies were asked for
	ownBlocks
	planesLen
)

func (p *Problem) searches() bool { return p.Slack && !p.Asked && p.Members.Rows == 0 }

// newPlanes takes its part of a state for up to so many blocks at once.
func (p *Problem) newPlanes(t *tape, rows, workers int) *planes {
	d := p.Psi.Cols
	s := &planes{Problem: p, own: t.take(planesLen), numbers: t.take(rows), f: t.matrix(rows, d), asked: t.take(rows), rows: t.take(rows),
		linear: t.matrix(rows, d), psi: t.matrix(rows, d), offset: t.take(rows), proven: t.take(rows), workers: workers}
	s.magnitude, s.best = shaped(nil, 0, d), shaped(nil, 0, d)
	if p.Loss.Magnitude.Rows > 0 {
		s.magnitude = t.matrix(rows, d)
	}
	if p.searches() {
		s.search, s.best = t.take(rows*searchLen), t.matrix(rows, d)
	}
	return s
}

func (s *planes) count() int { return int(s.own[ownBlocks]) }

// intact reports whether what the state says of the blocks can be.
func (s *planes) intact() bool {
	if !counts(s.own[ownBlocks], s.f.Rows) || s.own[ownBlocks] == 0 || !counts(s.own[ownStage], 2+hullRounds) {
		return false
	}
	for _, block := range s.numbers[:s.count()] {
		if !counts(block, s.blocks()-1) {
			return false
		}
	}
	return true
}

// some returns the rows of a matrix that belong to the blocks.
func (s *planes) some(m matrix) matrix { return top(m, s.count()) }

// begin says of which consecutive blocks planes are wanted; their scores are to be written to f before next is called.
func (s *planes) begin(first, count int) []float64 {
	s.own[ownStage], s.own[ownBlocks] = 0, float64(count)
	for k := range count {
		s.numbers[k] = float64(first + k)
	}
	return s.numbers[:count]
}

// next takes in the reply, if any, and returns the next request, or none when the planes are there: directions in psi, offsets in offset.
func (s *planes) next(mon *parallel.Monitor) (r Request, done bool, err error) {
	if !s.intact() {
		return Request{}, false, errDamaged
	}
	stage := int(s.own[ownStage])
	switch {
	case s.Asked:
		done, err = s.byCaller(stage)
	case s.Members.Rows > 0:
		done, err = true, s.byList(mon)
	case s.Slack:
		done, err = s.bySearch(stage)
	default:
		done, err = s.byDecoding(stage)
	}
	if err == nil && done {
		err = s.checkPlanes()
	}
	if err != nil || done {
		return Request{}, done, err
	}
	s.own[ownStage]++
	r, err = s.request()
	return r, false, err
}

// ask adds a block, by its place k among those of the batch, to the next request.
func (s *planes) ask(k int) (place int) {
	place = int(s.head[headCount])
	s.asked[place] = s.numbers[k]
	s.head[headCount]++
	return place
}

// request returns the request about the blocks asked for.
func (s *planes) request() (Request, error) {
	k := int(s.head[headCount])
	r := Request{Ask: Decode, Linear: top(s.linear, k), Magnitude: top(s.magnitude, k), Psi: top(s.psi, k), Offset: s.offset[:k],
		Proven: s.proven[:k], Rows: s.rows[:k], Stream: int(s.head[headStream]), numbers: s.asked[:k]}
	if s.Asked {
		r.Ask = Planes
	}
	s.head[headStream] += float64(k)
	for i := range k {
		r.Rows[i] = float64(s.row(r.Block(i)))
		err := structure.CheckScores(r.Linear.Row(i))
		if err == nil && r.Magnitude.Rows > 0 {
			err = structure.CheckScores(r.Magnitude.Row(i))
		}
		if err != nil {
			return r, fault.At(s.row(r.Block(i)), err)
		}
	}
	// What is left unanswered is not to pass for an answer.
	clearNaN(r.Psi)
	clear(r.Proven)
	return r, nil
}

// byCaller asks for the planes.
func (s *planes) byCaller(stage int) (bool, error) {
	if stage > 0 {
		return true, nil
	}
	s.head[headCount] = 0
	for k := range s.count() {
		place := s.ask(k)
		copy(s.linear.Row(place), s.f.Row(k))
		s.offset[place] = math.NaN()
	}
	return false, nil
}

// byDecoding asks for the output of largest loss plus score.
func (s *planes) byDecoding(stage int) (bool, error) {
	if stage > 0 {
		for k := range s.count() {
			s.offset[k] = s.planeOf(s.row(int(s.numbers[k])), s.f.Row(k), s.psi.Row(k))
		}
		return true, nil
	}
	s.head[headCount] = 0
	for k := range s.count() {
		place := s.ask(k)
		score := s.augmented(s.linear.Row(place), s.f.Row(k), s.row(int(s.numbers[k])))
		if s.magnitude.Rows > 0 {
			copy(s.magnitude.Row(place), score.Magnitude)
		}
	}
	return false, nil
}

// value returns the value of the plane of a block of the batch at its scores.
func (s *planes) value(k int) float64 {
	return s.offset[k] - linalg.Dot(s.f.Row(k), s.psi.Row(k))
}

var errPlane = fault.Value("what was found has no finite loss or score")

// checkPlanes returns an error for the first block whose plane is not finite.
func (s *planes) checkPlanes() error {
	for k := range s.count() {
		if !finite(s.value(k)) {
			return fault.At(s.row(int(s.numbers[k])), errPlane)
		}
	}
	return nil
}

// listed bounds the values of outputs that a worker holds at once.
const listed = 1 << 20

// byList finds planes by a look at all outputs, for either rescaling and any loss.
func (s *planes) byList(mon *parallel.Monitor) error {
	members := s.Members.Rows
	grain := max(1, min(64, listed/members))
	var squares matrix
	if s.Loss.Magnitude.Rows > 0 && !s.Loss.ZeroOne {
		squares = linalg.NewMatrix[float64](members, s.Members.Cols)
		for z := range members {
			floats.MulTo(squares.Row(z), s.Members.Row(z), s.Members.Row(z))
		}
	}
	return parallel.For(s.count(), grain, s.workers, nil, func(lo, hi int) error {
		if err := mon.Err(); err != nil {
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
func (s *planes) losses(blocks []float64, squares matrix) matrix {
	dst := linalg.NewMatrix[float64](len(blocks), s.Members.Rows)
	if s.Loss.ZeroOne {
		for k, block := range blocks {
			own := s.Psi.Row(s.row(int(block)))
			for z := range dst.Cols {
				dst.Row(k)[z] = flag(!slices.Equal(s.Members.Row(z), own))
			}
		}
		return dst
	}
	some := linalg.NewMatrix[float64](len(blocks), s.Members.Cols)
	for k, block := range blocks {
		copy(some.Row(k), s.Loss.Gradient.Row(s.row(int(block))))
		floats.AddConst(s.Loss.Constant[s.row(int(block))], dst.Row(k))
	}
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, some, s.Members, 1, dst)
	if squares.Rows > 0 {
		for k, block := range blocks {
			copy(some.Row(k), s.Loss.Magnitude.Row(s.row(int(block))))
		}
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, some, squares, 1, dst)
	}
	return dst
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

package maxmargin

import (
	"errors"
	"math"

	"combpred/core/badrow"
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
	s := &planes{Problem: p, own: t.take(planesLen), numbers: t.take(rows), f: t.matrix(rows, d), asked: t.take(rows),
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
		Proven: s.proven[:k], Stream: int(s.head[headStream]), numbers: s.asked[:k]}
	if s.Asked {
		r.Ask = Planes
	}
	s.head[headStream] += float64(k)
	for i := range k {
		err := structure.CheckScores(r.Linear.Row(i))
		if r.Magnitude.Rows > 0 {
			err = errors.Join(err, structure.CheckScores(r.Magnitude.Row(i)))
		}
		if err != nil {
			return r, badrow.At(s.row(r.Block(i)), err)
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
	v := s.offset[k]
	for j, f := range s.f.Row(k) {
		v -= f * s.psi.Row(k)[j]
	}
	return v
}

var errPlane = errors.New("what was found has no finite loss or score")

// checkPlanes returns an error for the first block whose plane is not finite.
func (s *planes) checkPlanes() error {
	for k := range s.count() {
		if !finite(s.value(k)) {
			return badrow.At(s.row(int(s.numbers[k])), errPlane)
		}
	}
	return nil
}

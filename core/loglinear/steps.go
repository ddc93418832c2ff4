package loglinear

import (
	"math/rand/v2"

	"combpred/core/badrow"
	"combpred/core/parallel"
)

const averaging = 3 // the last step counts 1 + this, in steps so far

// steps are those of preconditioned stochastic gradient descent on mini-batches, and the average of the iterates with weights that grow as
// the cube of their number (Shamir and Zhang 2013), which keeps the noise of gradients out of the result (Polyak and Juditsky 1992).
type steps struct {
	count, first, begun *float64 // steps so far, the first size, and the number of the step that has it
	batch               *float64 // the mini-batch of this pass that comes next
	weights, average    matrix
	gradient, scratch   matrix // q×d
	order               []float64
	scores, means       matrix // batchRows×d
}

// layoutSteps takes what steps over n rows need from a tape, with four numbers of a header.
func layoutSteps(t *tape, header []float64, s Sizes, n int) (own steps) {
	if header != nil {
		own.count, own.first, own.begun, own.batch = &header[0], &header[1], &header[2], &header[3]
	}
	own.weights, own.average = t.matrix(s.Features, s.Outputs), t.matrix(s.Features, s.Outputs)
	own.gradient, own.scratch = t.matrix(s.Features, s.Outputs), t.matrix(s.Features, s.Outputs)
	own.order = t.take(n)
	own.scores, own.means = t.matrix(batchRows, s.Outputs), t.matrix(batchRows, s.Outputs)
	return own
}

// shuffle begins a pass: its order follows from the seed and its number.
func (s *steps) shuffle(seed uint64, pass int) {
	var source rand.PCG
	parallel.Stream(&source, seed, pass)
	for i, v := range rand.New(&source).Perm(len(s.order)) {
		s.order[i] = float64(v)
	}
	*s.batch = 0
}

// numbers returns the rows of a mini-batch; their lengths differ by one at most.
func (s *steps) numbers(batch int) []float64 {
	n := len(s.order)
	batches := (n-1)/batchRows + 1
	size, more := n/batches, n%batches
	lo := batch*size + min(batch, more)
	if batch < more {
		size++
	}
	return s.order[lo : lo+size]
}

// ask returns the request of the next mini-batch, or asks for nothing where the pass is over.
func (s *steps) ask(p *Problem) (RowsRequest, error) {
	if batches := (len(s.order)-1)/batchRows + 1; int(*s.batch) >= batches {
		return RowsRequest{}, nil
	}
	numbers := s.numbers(int(*s.batch))
	k, d := len(numbers), s.weights.Cols
	r := RowsRequest{Ask: Mean, Numbers: numbers, Scores: s.scores.Slice(0, k, 0, d), Means: s.means.Slice(0, k, 0, d)}
	fillNaN(r.Means.Data)
	return r, p.scoresTo(r.Scores, r.rows(), s.weights)
}

// take makes the step of the mini-batch that was asked for: against the gradient of the penalty plus the loss of the mini-batch, in
// proportion, preconditioned. The objective counts the rows share times.
func (s *steps) take(p *Problem, by *preconditioner, alpha, share float64) error {
	numbers := s.numbers(int(*s.batch))
	k, d := len(numbers), s.weights.Cols
	at, means := rows{numbers: numbers}, s.means.Slice(0, k, 0, d)
	share *= float64(len(s.order)) / float64(k)
	if err := p.residuals(means, at, share); err != nil {
		return err
	}
	copy(s.gradient.Data, s.weights.Data)
	scale(2*alpha, s.gradient.Data)
	if err := p.addGradient(s.gradient, at, means); err != nil {
		return err
	}
	by.applyTo(s.scratch, s.gradient)
	axpy(s.weights.Data, -stepSize(*s.first, *s.count, *s.begun), s.scratch.Data)
	*s.count++
	*s.batch++
	share = (1 + averaging) / (*s.count + averaging)
	for i, w := range s.weights.Data {
		s.average.Data[i] += share * (w - s.average.Data[i])
	}
	return nil
}

// residuals replaces means by factor·w_i times what they differ from ψ_i, the gradient by the scores.
func (p *Problem) residuals(means matrix, at rows, factor float64) error {
	for k := range means.Rows {
		i := at.at(k)
		w, mean := factor*p.weight(i), means.Row(k)
		for j, v := range p.Psi.Row(p.row(i)) {
			mean[j] = w * (mean[j] - v)
		}
		if !finite(mean) {
			return badrow.At(p.row(i), errUnanswered)
		}
	}
	return nil
}

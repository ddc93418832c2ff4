package descent

import (
	"math"
	"math/rand/v2"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/flat"
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
func layoutSteps(t *flat.Tape, header []float64, s loglinear.Sizes, n int) (own steps) {
	if header != nil {
		own.count, own.first, own.begun, own.batch = &header[0], &header[1], &header[2], &header[3]
	}
	own.weights, own.average = t.Matrix(s.Features, s.Outputs), t.Matrix(s.Features, s.Outputs)
	own.gradient, own.scratch = t.Matrix(s.Features, s.Outputs), t.Matrix(s.Features, s.Outputs)
	own.order = t.Take(n)
	own.scores, own.means = t.Matrix(batchRows, s.Outputs), t.Matrix(batchRows, s.Outputs)
	return own
}

// check returns an error unless the mini-batch of a state is one, and its rows are.
func (s *steps) check() error {
	n := len(s.order)
	if err := flat.CheckWhole(*s.batch, 0, (n-1)/batchRows+1); err != nil {
		return err
	}
	for _, row := range s.order {
		if err := flat.CheckWhole(row, 0, n-1); err != nil {
			return err
		}
	}
	return nil
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
func (s *steps) ask(p *loglinear.Problem) (loglinear.RowsRequest, error) {
	if batches := (len(s.order)-1)/batchRows + 1; int(*s.batch) >= batches {
		return loglinear.RowsRequest{}, nil
	}
	numbers := s.numbers(int(*s.batch))
	k, d := len(numbers), s.weights.Cols
	r := loglinear.RowsRequest{Ask: loglinear.Mean, Numbers: numbers, Scores: s.scores.Slice(0, k, 0, d), Means: s.means.Slice(0, k, 0, d)}
	flat.FillNaN(r.Means.Data)
	return r, p.ScoresTo(r.Scores, r.Rows(), s.weights)
}

// take makes the step of the mini-batch that was asked for: against the gradient of the penalty plus the loss of the mini-batch, in
// proportion, preconditioned. The objective counts the rows share times.
func (s *steps) take(p *loglinear.Problem, by *loglinear.Preconditioner, alpha, share float64) error {
	numbers := s.numbers(int(*s.batch))
	k, d := len(numbers), s.weights.Cols
	at, means := loglinear.Numbered(numbers), s.means.Slice(0, k, 0, d)
	share *= float64(len(s.order)) / float64(k)
	if err := p.Residuals(means, at, share); err != nil {
		return err
	}
	copy(s.gradient.Data, s.weights.Data)
	flat.Scale(2*alpha, s.gradient.Data)
	if err := p.AddGradient(s.gradient, at, means); err != nil {
		return err
	}
	by.ApplyTo(s.scratch, s.gradient)
	flat.Axpy(s.weights.Data, -stepSize(*s.first, *s.count, *s.begun), s.scratch.Data)
	*s.count++
	*s.batch++
	share = (1 + averaging) / (*s.count + averaging)
	for i, w := range s.weights.Data {
		s.average.Data[i] += share * (w - s.average.Data[i])
	}
	return nil
}

const (
	batchRows  = 32 // of one step: the gradient of one row costs little more than the request for it
	decay      = 0.6
	plateau    = 10 // steps before they begin to fall, in units of the inverse of the first step size
	powers     = 10 // steps of power iteration: within some ten per cent
	tiny       = 2.2250738585072014e-308
	levelsRows = 1 << 18 // entries of the features of rows whose leverages are computed together
)

// stepSize returns the size of a step by its number, where the first has the number begun: sizes fall slowly enough for averages to be
// optimal.
func stepSize(first, number, begun float64) float64 {
	return first * math.Pow(1+(number-begun)*first/plateau, -decay)
}

// firstStep returns the first step size that is stable with a preconditioner, for rows whose weights are multiplied by share and features
// whose second moment at zero has the eigenvalues, or the diagonal, curvature.
//
// Preconditioned, the Hessian of a mini-batch of b of m rows is m/b·Σ w_i x_i x_iᵀ at most, for the preconditioned features x of rows,
// the identity on average. Steps of 1/(ρ + R²/b) are stable, with ρ its largest eigenvalue and R² the mean of m w_i ‖x_i‖², weighted by
// itself (Bach and Moulines 2013).
func firstStep(p *loglinear.Problem, by *loglinear.Preconditioner, s loglinear.Sizes, alpha, share float64, curvature []float64,
	mon *parallel.Monitor) (float64, error) {
	factors := topScale(by, alpha, curvature)
	found, err := leverages(p, by.Features, factors, mon)
	if err != nil {
		return 0, err
	}
	var squares, total float64
	for i, l := range found {
		l *= float64(len(found)) * share * p.Weight(i)
		squares += l * l
		total += l
	}
	largest := 1.0
	if by.Features.Rows == 0 {
		// Along eigenvectors no eigenvalue exceeds 1; a diagonal that is taken for the moment may be far from it.
		top, err := stretch(p, s, factors, share, curvature, mon)
		if err != nil {
			return 0, err
		}
		largest = max(1, top)
	}
	return 1 / (largest + squares/max(total, tiny)/batchRows), nil
}

// topScale returns by what the squares of the features along their directions are multiplied: of the Hessian's eigenvalues 2α + λ_j σ_k
// those with the largest σ, in which the mean of rows is largest.
func topScale(by *loglinear.Preconditioner, alpha float64, curvature []float64) []float64 {
	q, d := by.Scale.Rows, by.Scale.Cols
	sums := make([]float64, d)
	for j := range q {
		for k, v := range by.Scale.Row(j) {
			sums[k] += v * v
		}
	}
	top := 0
	for k, v := range sums {
		if v < sums[top] {
			top = k
		}
	}
	factors, moment := make([]float64, q), 0.0
	for j := range factors {
		v := by.Scale.Row(j)[top]
		factors[j] = v * v
		moment += max(1/factors[j]-2*alpha, 0)
	}
	flat.Scale(moment/max(flat.Sum(curvature), tiny), factors)
	return factors
}

// leverages returns Σ_j factor_j ⟨u_j, φ_i⟩² of each row that counts, for the directions u_j in columns, or those of the axes.
func leverages(p *loglinear.Problem, directions matrix, factors []float64, mon *parallel.Monitor) ([]float64, error) {
	found := make([]float64, p.Len())
	if directions.Rows == 0 {
		for i := range found {
			p.X.Entries(p.Row(i), func(j int, v float64) { found[i] += factors[j] * v * v })
		}
		return found, nil
	}
	q := len(factors)
	step := max(1, min(levelsRows/q, len(found)))
	along := linalg.NewMatrix[float64](step, q)
	for lo := 0; lo < len(found); lo += step {
		if err := mon.Err(); err != nil {
			return nil, err
		}
		at := loglinear.Between(lo, min(lo+step, len(found)))
		part := along.Slice(0, at.Len(), 0, q)
		if err := p.ScoresTo(part, at, directions); err != nil {
			return nil, err
		}
		for k := range part.Rows {
			for j, v := range part.Row(k) {
				found[lo+k] += factors[j] * v * v
			}
		}
	}
	return found, nil
}

// stretch returns the largest eigenvalue of Σ w_i φ_i φ_iᵀ after the axes are scaled by the roots of factors: known where the moment is
// diagonal, else by power iteration.
func stretch(p *loglinear.Problem, s loglinear.Sizes, factors []float64, share float64, curvature []float64,
	mon *parallel.Monitor) (top float64, err error) {
	if s.Diagonal {
		for j, f := range factors {
			top = max(top, f*curvature[j])
		}
		return top, nil
	}
	q, n := len(factors), p.Len()
	vector, image := linalg.NewMatrix[float64](q, 1), linalg.NewMatrix[float64](q, 1)
	for j := range q {
		vector.Data[j] = 1 / math.Sqrt(float64(q))
	}
	step := max(1, min(n, linalg.PanelWidth(n, 2*float64(q))))
	along := linalg.NewMatrix[float64](step, 1)
	for range powers {
		for j, f := range factors {
			vector.Data[j] *= math.Sqrt(f)
		}
		image.Zero()
		for lo := 0; lo < n; lo += step {
			if err := mon.Err(); err != nil {
				return 0, err
			}
			at := loglinear.Between(lo, min(lo+step, n))
			part := along.Slice(0, at.Len(), 0, 1)
			if err := p.ScoresTo(part, at, vector); err != nil {
				return 0, err
			}
			for k := range part.Rows {
				part.Data[k] *= share * p.Weight(lo+k)
			}
			if err := p.AddGradient(image, at, part); err != nil {
				return 0, err
			}
		}
		for j, f := range factors {
			vector.Data[j] = math.Sqrt(f) * image.Data[j]
		}
		if top = flat.Norm(vector.Data); top == 0 {
			return 0, nil
		}
		flat.Scale(1/top, vector.Data)
	}
	return top, nil
}

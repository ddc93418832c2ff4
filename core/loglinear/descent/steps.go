package descent

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
)

const averaging = 3 // the last step counts 1 + this, in steps so far

// steps are those of preconditioned stochastic gradient descent on mini-batches, and the average of the iterates with weights that grow as
// the cube of their number (Shamir and Zhang 2013), which keeps the noise of gradients out of the result (Polyak and Juditsky 1992).
type steps struct {
	problem           *loglinear.Problem
	oracle            loglinear.Oracle
	mon               *parallel.Monitor
	alpha             float64
	share             float64 // how many times the objective counts the rows
	count, begun      int     // steps so far, and the number of the step that has the first size
	first             float64 // size
	weights, average  matrix
	gradient, scratch matrix // q×d
}

func newSteps(o Options, p *loglinear.Problem, oracle loglinear.Oracle, mon *parallel.Monitor) *steps {
	room := func() matrix { return linalg.NewMatrix[float64](o.Features, o.Outputs) }
	return &steps{problem: p, oracle: oracle, mon: mon, alpha: o.Alpha, share: 1,
		weights: room(), average: room(), gradient: room(), scratch: room()}
}

// pass makes the steps of a pass over all rows, whose order follows from the seed and its number.
func (s *steps) pass(by *loglinear.Preconditioner, seed uint64, number int) error {
	n, d := s.problem.Len(), s.weights.Cols
	var source rand.PCG
	parallel.Stream(&source, seed, number)
	order := make([]int64, n)
	for i, v := range rand.New(&source).Perm(n) {
		order[i] = int64(v)
	}
	scores, means := linalg.NewMatrix[float64](batchRows, d), linalg.NewMatrix[float64](batchRows, d)
	batches := (n-1)/batchRows + 1
	for batch := range batches { // their lengths differ by one at most
		k := (n + batches - 1 - batch) / batches
		r := loglinear.RowsRequest{Ask: loglinear.Mean, Rows: loglinear.Numbered(order[:k]), Scores: scores.Slice(0, k, 0, d),
			Means: means.Slice(0, k, 0, d)}
		order = order[k:]
		if err := s.problem.ScoresTo(r.Scores, r.Rows, s.weights); err != nil {
			return err
		}
		if err := s.problem.Answer(s.oracle, r, s.mon); err != nil {
			return err
		}
		if err := s.take(by, r); err != nil {
			return err
		}
		s.mon.Advance(1)
	}
	return nil
}

// take makes the step of a mini-batch: against the gradient of the penalty plus the loss of the mini-batch, in proportion,
// preconditioned.
func (s *steps) take(by *loglinear.Preconditioner, r loglinear.RowsRequest) error {
	share := s.share * (float64(s.problem.Len()) / float64(r.Scores.Rows))
	if err := s.problem.Residuals(r, share, s.mon); err != nil {
		return err
	}
	copy(s.gradient.Data, s.weights.Data)
	floats.Scale(2*s.alpha, s.gradient.Data)
	if err := s.problem.AddGradient(s.gradient, r.Rows, r.Means); err != nil {
		return err
	}
	if err := by.ApplyTo(s.scratch, s.gradient); err != nil {
		return err
	}
	linalg.Axpy(s.weights.Data, s.scratch.Data, -stepSize(s.first, float64(s.count-s.begun)))
	s.count++
	share = (1 + averaging) / (float64(s.count) + averaging)
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

// stepSize returns the size of a step by its number, from 0 on: sizes fall slowly enough for averages to be optimal.
func stepSize(first, number float64) float64 {
	return first * math.Pow(1+number*first/plateau, -decay)
}

// firstStep returns the first step size that is stable with a preconditioner, for rows whose weights are multiplied by share.
//
// Preconditioned, the Hessian of a mini-batch of b of m rows is m/b·Σ w_i x_i x_iᵀ at most, for the preconditioned features x of rows,
// the identity on average. Steps of 1/(ρ + R²/b) are stable, with ρ its largest eigenvalue and R² the mean of m w_i ‖x_i‖², weighted by
// itself (Bach and Moulines 2013).
func firstStep(p *loglinear.Problem, by *loglinear.Preconditioner, at *loglinear.Hessian, share float64,
	mon *parallel.Monitor) (float64, error) {
	factors := topScale(by, at.Alpha, at.Curvature)
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
		top, err := stretch(p, at, factors, share, mon)
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
	floats.Scale(moment/max(linalg.Sum(curvature), tiny), factors)
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
func stretch(p *loglinear.Problem, at *loglinear.Hessian, factors []float64, share float64,
	mon *parallel.Monitor) (top float64, err error) {
	if at.Sizes.Diagonal {
		for j, f := range factors {
			top = max(top, f*at.Curvature[j])
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
		if top = floats.Norm(vector.Data, 2); top == 0 {
			return 0, nil
		}
		floats.Scale(1/top, vector.Data)
	}
	return top, nil
}

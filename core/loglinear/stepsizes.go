package loglinear

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

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
func (p *Problem) firstStep(by *preconditioner, s Sizes, alpha, share float64, curvature []float64, mon *parallel.Monitor) (float64, error) {
	factors := p.topScale(by, alpha, curvature)
	leverages, err := p.leverages(by.features, factors, mon)
	if err != nil {
		return 0, err
	}
	var squares, total float64
	for i, l := range leverages {
		l *= float64(len(leverages)) * share * p.weight(i)
		squares += l * l
		total += l
	}
	stretch := 1.0
	if by.features.Rows == 0 {
		// Along eigenvectors no eigenvalue exceeds 1; a diagonal that is taken for the moment may be far from it.
		found, err := p.stretch(s, factors, share, curvature, mon)
		if err != nil {
			return 0, err
		}
		stretch = max(1, found)
	}
	return 1 / (stretch + squares/max(total, tiny)/batchRows), nil
}

// topScale returns by what the squares of the features along their directions are multiplied: of the Hessian's eigenvalues 2α + λ_j σ_k
// those with the largest σ, in which the mean of rows is largest.
func (p *Problem) topScale(by *preconditioner, alpha float64, curvature []float64) []float64 {
	q, d := by.scale.Rows, by.scale.Cols
	sums := make([]float64, d)
	for j := range q {
		for k, v := range by.scale.Row(j) {
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
		v := by.scale.Row(j)[top]
		factors[j] = v * v
		moment += max(1/factors[j]-2*alpha, 0)
	}
	scale(moment/max(sum(curvature), tiny), factors)
	return factors
}

// leverages returns Σ_j factor_j ⟨u_j, φ_i⟩² of each row that counts, for the directions u_j in columns, or those of the axes.
func (p *Problem) leverages(directions matrix, factors []float64, mon *parallel.Monitor) ([]float64, error) {
	found := make([]float64, p.Len())
	if directions.Rows == 0 {
		for i := range found {
			p.X.Entries(p.row(i), func(j int, v float64) { found[i] += factors[j] * v * v })
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
		at := rows{lo: lo, hi: min(lo+step, len(found))}
		part := along.Slice(0, at.len(), 0, q)
		if err := p.scoresTo(part, at, directions); err != nil {
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
func (p *Problem) stretch(s Sizes, factors []float64, share float64, curvature []float64, mon *parallel.Monitor) (top float64, err error) {
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
	step := max(1, min(n, linalg.Strip(n, 2*float64(q))))
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
			at := rows{lo: lo, hi: min(lo+step, n)}
			part := along.Slice(0, at.len(), 0, 1)
			if err := p.scoresTo(part, at, vector); err != nil {
				return 0, err
			}
			for k := range part.Rows {
				part.Data[k] *= share * p.weight(lo+k)
			}
			if err := p.addGradient(image, at, part); err != nil {
				return 0, err
			}
		}
		for j, f := range factors {
			vector.Data[j] = math.Sqrt(f) * image.Data[j]
		}
		if top = norm(vector.Data); top == 0 {
			return 0, nil
		}
		scale(1/top, vector.Data)
	}
	return top, nil
}

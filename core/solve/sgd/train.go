package sgd

import (
	"math"
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// Passes says how Train goes over the rows.
type Passes struct {
	Order   []int64   // the rows that a pass visits, one after the other; a row may come several times
	Weights []float64 // of one visit of each row, for Outcome.Weight; or nil
	Shuffle bool      // whether each pass has a new random order of them, drawn from Seed
	Seed    uint64
	Most    int     // passes
	Tol     float64 // of a pass, see Outcome.Converged
	// Curve gets the objective after each pass, where it has room for that of Most passes; with none it is not computed, and nothing
	// ends the passes early.
	Curve []float64
}

// Outcome says what Train did, also where it was cancelled: then of the steps until then.
type Outcome struct {
	Passes    int     // that were completed
	Steps     int     // that were taken
	Loss      float64 // sum of the weighted losses of the last pass, be it complete or not, each before the step on its row
	Weight    float64 // of the visits that are counted in it
	Start     float64 // the objective of the function that is zero
	Converged bool    // the last patience passes changed the objective by at most Tol of what was gained since zero
}

const (
	patience = 5 // passes in a row that gain little before the descent stops, as in scikit-learn's SGD
	plateau  = 1000.0
)

// NewStepSizes returns the sizes of the steps after the first seen rows of m, in which no step may expand: with curvature the largest
// w_i k(x_i, x_i)(σ_max + ‖z_i‖²), the operator of the step on row i is the identity less a positive one of norm η times that at most.
// t₀ bounds η by the inverse, and the factor by which a step shrinks from below by one half. Rows that come as a stream are weighed
// against ever less penalty, and p·m/(λ(t + t₀)) would not fall: then the bound does, as the square root of the rows seen beyond a
// thousand.
func NewStepSizes(lambda, eta, curvature float64, seen, m int) StepSizes {
	stable := eta * float64(m) * curvature / lambda * math.Sqrt(1+float64(seen)/plateau)
	return StepSizes{Rows: float64(m), First: eta, Shift: max(4*eta, stable), Done: seen}
}

// Curvature returns the largest curvature of the loss of a row of p as a function of W, for inputs x; rows of weight 0 have none.
func Curvature(p *solve.Problem, x *solve.Design) float64 {
	var top float64
	for i := range p.Root {
		if p.Root[i] == 0 {
			continue
		}
		var square float64
		x.Entries(i, func(_ int, v float64) { square += v * v })
		top = max(top, p.Curvature(i)*square)
	}
	return top
}

// Train takes steps on the rows of p, whose inputs are x, in passes. The weights of p are those of one visit. coef, average and velocity
// (features × d; the latter two may have no rows) are changed in place, and so are gains (d); when it is cancelled they hold what the steps
// until then have made of them. Cost of a pass: that of two products of the inputs with the coefficients, twice as many with an average,
// and that of one more for the objective.
func Train(p *solve.Problem, steps StepSizes, x *solve.Design, passes Passes, coef, average, velocity matrix,
	gains []float64) (Outcome, error) {
	var out Outcome
	if err := steps.check(); err != nil {
		return out, err
	}
	counts := make([]float64, len(p.Root))
	for at, i := range passes.Order {
		if i < 0 || i >= int64(len(counts)) {
			return out, fault.Value("order[%d] is %d, must be from 0 to %d", at, i, len(counts)-1)
		}
		counts[i]++
	}
	d, err := prepare(p, steps, func(m matrix, _ bool) (bank, error) { return newFeatureBank(p, x, m), nil }, coef, average,
		velocity, gains)
	if err != nil {
		return out, err
	}
	zero := make([]float64, p.Coord.Len())
	for i, c := range counts {
		if c > 0 {
			out.Start += c * p.Loss(i, zero)
		}
	}
	err = d.passes(x, passes, counts, &out)
	if err != nil && p.Mon.Err() == nil {
		return out, err
	}
	out.Steps = d.steps.Done - steps.Done
	d.finish()
	if d.meta != nil {
		d.meta.gainsTo(gains)
	}
	return out, err
}

// passes takes the steps. After an error of the monitor the functions are those of the last step.
func (d *Descent) passes(x *solve.Design, passes Passes, counts []float64, out *Outcome) error {
	order := append([]int64(nil), passes.Order...)
	rng := rand.New(rand.NewPCG(passes.Seed, 0x5EED))
	quiet := 0
	for out.Passes < passes.Most {
		if passes.Shuffle {
			copy(order, passes.Order)
			rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		}
		d.Loss, out.Weight = 0, 0
		for at, i := range order {
			if at%pollSteps == 0 {
				if err := d.p.Mon.Err(); err != nil {
					return err
				}
			}
			d.step(int(i))
			out.Loss = d.Loss
			if passes.Weights != nil {
				out.Weight += passes.Weights[i]
			}
		}
		if err := solve.CheckFinite(d.Loss); err != nil {
			return err
		}
		if len(passes.Curve) > 0 {
			value, err := d.objective(x, counts)
			if err != nil {
				return err
			}
			passes.Curve[out.Passes] = value
			quiet = passes.quiet(out, quiet)
		}
		out.Passes++
		d.p.Mon.Advance(1)
		if out.Converged = quiet == patience; out.Converged {
			break
		}
	}
	return nil
}

// quiet returns how many passes in a row have changed little, with the one that has just been made.
func (p Passes) quiet(out *Outcome, before int) int {
	if out.Passes == 0 {
		return 0
	}
	value, last := p.Curve[out.Passes], p.Curve[out.Passes-1]
	if math.Abs(last-value) <= p.Tol*max(math.Abs(out.Start-value), math.SmallestNonzeroFloat64) {
		return before + 1
	}
	return 0
}

// objective returns the value of the objective at the function that predicts.
func (d *Descent) objective(x *solve.Design, counts []float64) (float64, error) {
	p, iterate := d.p, d.iterate.(*featureBank).own
	model := linalg.NewMatrix[float64](iterate.Rows, iterate.Cols)
	model.CopyFrom(iterate)
	if d.average == nil {
		scaleRows(model, d.scale)
	} else {
		scaleRows(model, d.summed)
		addScaled(model, d.average.(*featureBank).own, ones(len(d.scale)))
		scaleRows(model, filled(len(d.scale), 1/totalAt(d.averaged)))
	}
	square := linalg.Dot(model.Data, model.Data)
	if p.Coord.Redundant() {
		psi := linalg.NewMatrix[float64](model.Rows, d.iterate.(*featureBank).psi.Cols)
		p.Coord.SynthesizeTo(psi, model)
		square = linalg.Dot(psi.Data, psi.Data)
	}
	value := p.Lambda * square
	block := linalg.NewMatrix[float64](min(solve.RowGrain, x.Len()), model.Cols)
	for lo := 0; lo < x.Len(); lo += solve.RowGrain {
		if err := p.Mon.Err(); err != nil {
			return 0, err
		}
		hi := min(lo+solve.RowGrain, x.Len())
		f := block.Slice(0, hi-lo, 0, block.Cols)
		scoresTo(f, x, lo, model)
		for i := lo; i < hi; i++ {
			if counts[i] > 0 {
				value += counts[i] * p.Loss(i, f.Row(i-lo))
			}
		}
	}
	return value, solve.CheckFinite(value)
}

// scoresTo writes Wᵀx of the rows from lo on to f.
func scoresTo(f matrix, x *solve.Design, lo int, w matrix) {
	if x.Sparse == nil {
		x.ScoresTo(f, x.Dense.Slice(lo, lo+f.Rows, 0, x.Features()), w)
		return
	}
	for i := range f.Rows {
		row := f.Row(i)
		clear(row)
		x.Entries(lo+i, func(k int, v float64) { linalg.Axpy(row, w.Row(k), v) })
	}
}

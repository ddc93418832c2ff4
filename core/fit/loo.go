package fit

import (
	"errors"
	"fmt"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/solve/dual"
	"combpred/core/solve/loo"
	"combpred/core/structure"
)

// LeaveOneOut writes each row's leave-one-out scores (m×d) to scores, from the m×m kernel matrix k, with factors in the precision of
// the options. work is scratch of LeaveOneOutBytes bytes, as two views of the same memory.
func (o Ridge) LeaveOneOut(space structure.Space, k linalg.Matrix[float64], targets Targets, work32 []float32, work64 []float64,
	scores linalg.Matrix[float64], mon *parallel.Monitor) error {
	if _, err := largestEntry(k, o.Workers, mon); err != nil {
		return err
	}
	return o.leaveOneOut(space, targets, scores, mon, func(p *solve.Problem, c linalg.Matrix[float64]) error {
		op := dual.NewKernel(p, k, o.Shift)
		if o.Precision == "single" {
			return loo.Factored(p, op, work32, c)
		}
		return loo.Factored(p, op, work64, c)
	})
}

// LeaveOneOutSpectral is LeaveOneOut from the eigendecomposition of D(K + shift)D, for the AUC loss.
func (o Ridge) LeaveOneOutSpectral(space structure.Space, eigenvalues []float64, vectors linalg.Matrix[float64], targets Targets,
	work32 []float32, work64 []float64, scores linalg.Matrix[float64], mon *parallel.Monitor) error {
	if o.Loss != "auc" {
		return fmt.Errorf("fit: loss is %q, must be \"auc\" to leave rows out by an eigendecomposition", o.Loss)
	}
	return o.leaveOneOut(space, targets, scores, mon, func(p *solve.Problem, c linalg.Matrix[float64]) error {
		sp, err := dual.NewSpectral(p, eigenvalues, vectors)
		if err != nil {
			return err
		}
		if o.Precision == "single" {
			return loo.Spectral(p, sp, work32, c)
		}
		return loo.Spectral(p, sp, work64, c)
	})
}

func (o Ridge) leaveOneOut(space structure.Space, targets Targets, scores linalg.Matrix[float64], mon *parallel.Monitor,
	coordinates func(*solve.Problem, linalg.Matrix[float64]) error) error {
	if targets.First != nil {
		return errors.New("fit: leave-one-out needs one output for each row")
	}
	p, err := o.problem(space, targets, mon)
	if err != nil {
		return err
	}
	c := linalg.NewMatrix[float64](targets.examples(), p.Coord.Len())
	if err := coordinates(p, c); err != nil {
		return err
	}
	p.Coord.SynthesizeTo(scores, c)
	return nil
}

// LeaveOneOutBytes returns the bytes of work that LeaveOneOut, or LeaveOneOutSpectral, needs for m rows in the given precision.
func (o Ridge) LeaveOneOutBytes(space structure.Space, m int, precision string, spectral bool) (int64, error) {
	coord, err := o.coordinates(space)
	switch {
	case err != nil:
		return 0, err
	case spectral && precision == "single":
		return loo.SpectralWork[float32](m), nil
	case spectral:
		return loo.SpectralWork[float64](m), nil
	case precision == "single":
		return loo.FactoredWork[float32](m, coord.Distinct(), o.Loss == "auc"), nil
	}
	return loo.FactoredWork[float64](m, coord.Distinct(), o.Loss == "auc"), nil
}

package loglinear

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/badrow"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
)

// Engine answers the requests of a machine. Errors about a row number it within the request.
type Engine interface {
	Answer(r RowsRequest, mon *parallel.Monitor) error
}

// ErrNoDraws is what an engine says that cannot draw independent outputs at once.
var ErrNoDraws = errors.New("loglinear: no independent draws")

// Exact answers by the exact partition functions of a structure.
type Exact struct {
	Space   structure.Space
	Workers int
}

// Answer implements Engine.
func (e Exact) Answer(r RowsRequest, mon *parallel.Monitor) error {
	switch r.Ask {
	case Expect:
		_, err := partition.Batch(e.Space, linalg.General(r.Scores), r.LogZ, linalg.General(r.Means), e.Workers, mon)
		return err
	case Mean:
		_, err := partition.Batch(e.Space, linalg.General(r.Scores), make([]float64, r.Scores.Rows), linalg.General(r.Means), e.Workers, mon)
		return err
	case Draw:
		if !partition.Drawable(e.Space) {
			return ErrNoDraws
		}
		return e.draw(r, mon)
	}
	return errors.New("loglinear: exact expectations need no pairs")
}

// draw draws by seeds that follow from the rows: the draws steer a search and leave where it ends alone.
func (e Exact) draw(r RowsRequest, mon *parallel.Monitor) error {
	n, parts := r.Scores.Rows, e.Space.PartLen()
	y := make([]int32, r.Draws*n*parts)
	if err := partition.Sample(e.Space, linalg.General(r.Scores), r.Draws, uint64(r.First), y, e.Workers, mon); err != nil {
		return err
	}
	return parallel.For(n, sparseRows, e.Workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			for k := range r.Draws {
				at := (k*n + i) * parts
				e.Space.Embed(r.Psi.Row(i*r.Draws+k), y[at:at+parts])
			}
		}
		return nil
	})
}

// machine is what a driver drives.
type machine interface {
	Next(mon *parallel.Monitor) (RowsRequest, error)
	Decline() error
}

// drive answers the requests of a machine until it has finished.
func drive(m machine, p *Problem, engine Engine, mon *parallel.Monitor) error {
	for {
		r, err := m.Next(mon)
		if err != nil || r.Ask == Nothing {
			return err
		}
		steps := mon.Steps()
		err = engine.Answer(r, mon)
		mon.Restep(steps) // engines count rows, and a fit iterations
		if errors.Is(err, ErrNoDraws) && r.Ask == Draw {
			err = m.Decline()
		}
		if err != nil {
			return p.renumbered(r, err)
		}
	}
}

// renumbered returns an error about a row of a request as one about a row of the problem.
func (p *Problem) renumbered(r RowsRequest, err error) error {
	bad, ok := errors.AsType[*badrow.Error](err)
	if !ok {
		return err
	}
	return badrow.At(p.row(r.rows().at(bad.Row)), bad.Err)
}

// rows returns the rows of a request.
func (r RowsRequest) rows() rows {
	return rows{lo: r.First, hi: r.First + r.Scores.Rows, numbers: r.Numbers}
}

// Minimise fits a model to the rows of a problem, with expectations from an engine. Start is as for NewSearch.
func Minimise(o SearchOptions, p *Problem, space structure.Space, engine Engine, start matrix, mon *parallel.Monitor) (Found, error) {
	covariance, err := Covariance(space)
	if err != nil {
		return Found{}, err
	}
	length, err := p.StateLen(o)
	if err != nil {
		return Found{}, err
	}
	f, err := NewFit(o, p, make([]float64, length), covariance, start)
	if err != nil {
		return Found{}, err
	}
	if err := drive(f, p, engine, mon); err != nil {
		return Found{}, err
	}
	return f.Found(), nil
}

// Descend fits a model to the rows of a problem by stochastic gradient descent. Start is as for NewDescent.
func Descend(o DescentOptions, p *Problem, space structure.Space, engine Engine, start matrix, mon *parallel.Monitor) (Descended, error) {
	covariance, err := Covariance(space)
	if err != nil {
		return Descended{}, err
	}
	length, err := p.DescentLen(o)
	if err != nil {
		return Descended{}, err
	}
	d, err := NewDescent(o, p, make([]float64, length), covariance, start)
	if err != nil {
		return Descended{}, err
	}
	if err := drive(d, p, engine, mon); err != nil {
		return Descended{}, err
	}
	return d.Found(), nil
}

// Continue passes once over the rows of a problem from the progress of a descent over earlier ones.
func Continue(o OnlineOptions, p *Problem, space structure.Space, engine Engine, from Progress, mon *parallel.Monitor) (Progress, error) {
	covariance, err := Covariance(space)
	if err != nil {
		return Progress{}, err
	}
	length, err := p.OnlineLen(o)
	if err != nil {
		return Progress{}, err
	}
	s, err := NewOnline(o, p, make([]float64, length), covariance, from)
	if err != nil {
		return Progress{}, err
	}
	if err := drive(s, p, engine, mon); err != nil {
		return Progress{}, err
	}
	return s.Progress(), nil
}

// AddSums adds the sums of a kind over the rows of a problem to sums, with expectations from an engine.
func AddSums(s Sizes, p *Problem, kind Kind, weights matrix, sums []float64, engine Engine, mon *parallel.Monitor) error {
	pass, err := NewPass(s, p, kind, weights, sums, make([]float64, s.PassLen(p)))
	if err != nil {
		return err
	}
	return drive(declining{pass}, p, engine, mon)
}

type declining struct{ *Pass }

func (d declining) Decline() error { d.Pass.Decline(); return nil }

// MeanOf returns the mean of ψ under the uniform distribution, which a Problem needs.
func MeanOf(space structure.Space) ([]float64, error) {
	m, err := moments(space)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, space.FeatureLen())
	m.Mean(mean)
	return mean, nil
}

// Covariance returns that of ψ under the uniform distribution, without rows where it is larger than a search reads.
func Covariance(space structure.Space) (matrix, error) {
	m, err := moments(space)
	d := space.FeatureLen()
	if err != nil || d > LargestCovariance {
		return matrix{}, err
	}
	mean, cov := make([]float64, d), linalg.NewMatrix[float64](d, d)
	m.Mean(mean)
	m.SecondMoment(linalg.General(cov))
	blas64.Ger(-1, vector(mean), vector(mean), linalg.General(cov))
	return cov, nil
}

func moments(space structure.Space) (structure.Moments, error) {
	m, ok := space.(structure.Moments)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the mean and second moment of its embedding"}
	}
	return m, nil
}

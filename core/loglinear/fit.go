package loglinear

import (
	"errors"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Fit is a Search whose rows are at hand: it asks for nothing but the expectations of blocks of them. It is all on its state, but for
// the rows.
type Fit struct {
	*Search
	problem *Problem
	kind    *float64 // of the sums that are under way
	pass    []float64
}

// StateLen returns the length of the state of a fit to a problem.
func (p *Problem) StateLen(o SearchOptions) (int, error) {
	search, err := o.StateLen()
	if err != nil {
		return 0, err
	}
	return search + 1 + o.PassLen(p), nil
}

// split cuts the state of a fit; it is as short as it may be.
func (p *Problem) split(o SearchOptions, state []float64) (search []float64, kind *float64, pass []float64, err error) {
	length, err := p.StateLen(o)
	if err == nil {
		err = flat.CheckLength(state, length)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	at := length - o.PassLen(p)
	return state[: at-1 : at-1], &state[at-1], state[at:], nil
}

// NewFit begins a fit in a state of length StateLen. Covariance and start are as for NewSearch.
func NewFit(o SearchOptions, p *Problem, state []float64, covariance, start matrix) (*Fit, error) {
	search, kind, pass, err := p.split(o, state)
	if err != nil {
		return nil, err
	}
	s, err := NewSearch(o, search, covariance, start)
	if err != nil {
		return nil, err
	}
	*kind = float64(Finished)
	return &Fit{s, p, kind, pass}, nil
}

// ResumeFit returns the fit that a state holds.
func ResumeFit(o SearchOptions, p *Problem, state []float64) (*Fit, error) {
	search, kind, pass, err := p.split(o, state)
	if err != nil {
		return nil, err
	}
	s, err := ResumeSearch(o, search)
	if err == nil {
		err = flat.CheckWhole(*kind, int(Finished), int(Spread))
	}
	if err != nil {
		return nil, err
	}
	return &Fit{s, p, kind, pass}, nil
}

// Next takes in what was asked for last and goes on until more is needed, or asks for Nothing: Found then says where the fit has ended.
// After an error from mon it may be called again; after others the state is unspecified.
func (f *Fit) Next(mon *parallel.Monitor) (RowsRequest, error) {
	for {
		if Kind(*f.kind) != Finished {
			pass, err := f.resume()
			if err != nil {
				return RowsRequest{}, err
			}
			if r, err := pass.Next(mon); err != nil || r.Ask != Nothing {
				return r, err
			}
			*f.kind = float64(Finished)
		}
		r, err := f.Search.Next(mon)
		if err != nil || r.Kind == Finished {
			return RowsRequest{}, err
		}
		if _, err := NewPass(f.o.Sizes, f.problem, r.Kind, r.Weights, r.Sums, f.pass); err != nil {
			return RowsRequest{}, err
		}
		*f.kind = float64(r.Kind)
	}
}

func (f *Fit) resume() (*Pass, error) {
	r := f.request()
	return ResumePass(f.o.Sizes, f.problem, r.Kind, r.Weights, r.Sums, f.pass)
}

// Decline answers a request for draws where none can be made: the search keeps the preconditioner that it began with.
func (f *Fit) Decline() error {
	pass, err := f.resume()
	if err == nil {
		pass.Decline()
	}
	return err
}

// Engine answers the requests of a machine. Errors about a row number it within the request.
type Engine interface {
	Answer(r RowsRequest, mon *parallel.Monitor) error
}

// ErrNoDraws is what an engine says that cannot draw independent outputs at once.
var ErrNoDraws = fault.Value("no independent draws")

// Machine is what a driver drives.
type Machine interface {
	// Next takes in what was asked for last and goes on until more is needed, or asks for Nothing.
	Next(mon *parallel.Monitor) (RowsRequest, error)
	// Decline answers a request for draws where none can be made.
	Decline() error
}

// Drive answers the requests of a machine until it has finished.
func Drive(m Machine, p *Problem, engine Engine, mon *parallel.Monitor) error {
	for {
		r, err := m.Next(mon)
		if err != nil || r.Ask == Nothing {
			return err
		}
		err = engine.Answer(r, mon.Quiet()) // engines count rows, and a fit iterations
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
	return fault.Renumbered(err, func(row int) int { return p.Row(r.Rows().At(row)) })
}

// Rows returns the rows of a request.
func (r RowsRequest) Rows() Rows {
	return Rows{lo: r.First, hi: r.First + r.Scores.Rows, numbers: r.Numbers}
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
	if err := Drive(f, p, engine, mon); err != nil {
		return Found{}, err
	}
	return f.Found(), nil
}

// AddSums adds the sums of a kind over the rows of a problem to sums, with expectations from an engine.
func AddSums(s Sizes, p *Problem, kind Kind, weights matrix, sums []float64, engine Engine, mon *parallel.Monitor) error {
	pass, err := NewPass(s, p, kind, weights, sums, make([]float64, s.PassLen(p)))
	if err != nil {
		return err
	}
	return Drive(declining{pass}, p, engine, mon)
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
	row := flat.Shaped(mean, 1, d)
	linalg.Gemm(blas.Trans, blas.NoTrans, -1, row, row, 1, cov)
	return cov, nil
}

func moments(space structure.Space) (structure.Momenter, error) {
	m, ok := space.(structure.Momenter)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the mean and second moment of its embedding"}
	}
	return m, nil
}

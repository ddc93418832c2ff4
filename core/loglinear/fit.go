package loglinear

import (
	"combpred/core/parallel"
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
		err = checkLength(state, length)
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

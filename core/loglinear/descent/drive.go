package descent

import (
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Minimise fits a model to the rows of a problem by stochastic gradient descent. Start is as for New.
func Minimise(o Options, p *loglinear.Problem, space structure.Space, engine loglinear.Engine, start matrix,
	mon *parallel.Monitor) (Found, error) {
	covariance, err := loglinear.Covariance(space)
	if err != nil {
		return Found{}, err
	}
	length, err := StateLen(o, p)
	if err != nil {
		return Found{}, err
	}
	d, err := New(o, p, make([]float64, length), covariance, start)
	if err != nil {
		return Found{}, err
	}
	if err := loglinear.Drive(d, p, engine, mon); err != nil {
		return Found{}, err
	}
	return d.Found(), nil
}

// Continue passes once over the rows of a problem from the progress of a descent over earlier ones.
func Continue(o OnlineOptions, p *loglinear.Problem, space structure.Space, engine loglinear.Engine, from Progress,
	mon *parallel.Monitor) (Progress, error) {
	covariance, err := loglinear.Covariance(space)
	if err != nil {
		return Progress{}, err
	}
	length, err := OnlineLen(o, p)
	if err != nil {
		return Progress{}, err
	}
	s, err := NewOnline(o, p, make([]float64, length), covariance, from)
	if err != nil {
		return Progress{}, err
	}
	if err := loglinear.Drive(s, p, engine, mon); err != nil {
		return Progress{}, err
	}
	return s.Progress(), nil
}

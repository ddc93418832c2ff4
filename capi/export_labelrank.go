package main

/*
#include "combpred.h"
*/
import "C"

import (
	"encoding/json"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/aggregate"
	"combpred/core/aggregate/plackettluce"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/labelrank"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

// maxLabels bounds the labels of a ranking: their pairs then fit an int32.
const maxLabels = 1 << 14

func checkLabels(k int) error {
	if k < 2 || k > maxLabels {
		return cabi.Illegal("k is %d, must be from 2 to %d", k, maxLabels)
	}
	return nil
}

// examples returns the preferences of rows.
func (in *preferencesIn) examples() (*labelrank.Examples, error) {
	if err := fault.First(checkLabels(in.k), checkCount(in.n, "preferences.n"), checkCount(in.nOwn, "preferences.n_own"),
		checkCount(in.nEdges, "preferences.n_edges")); err != nil {
		return nil, err
	}
	e := &labelrank.Examples{Labels: in.k, Signs: in.signs, Margins: in.margins.Data, Weights: in.weights}
	var err error
	if e.Decomposition, err = choice[labelrank.Decomposition](catalogue.Subgraphs, in.subgraphs, "preferences.subgraphs"); err != nil {
		return nil, err
	}
	if in.ownRows != nil { // divisions of the caller's own
		if in.ownEdges == nil || in.ownEnds == nil && in.nEdges > 0 {
			return nil, cabi.Illegal("preferences.own_edges and own_ends must be there with own_rows")
		}
		ends := unsafe.Slice((*[2]int32)(unsafe.Pointer(unsafe.SliceData(in.ownEnds))), in.nEdges)
		e.Own = &labelrank.Subgraphs{Rows: in.ownRows, Edges: in.ownEdges, Ends: ends}
	}
	return e, e.Check()
}

// ranked returns preferences and the features of their rows.
func ranked(design *designIn, preferences *preferencesIn) (*solve.Design, *labelrank.Examples, error) {
	x, err := design.design()
	if err != nil {
		return nil, nil, err
	}
	e, err := preferences.examples()
	if err != nil {
		return nil, nil, err
	}
	return x, e, cabi.Equal("preferences.n", int64(preferences.n), "the design", x.Len())
}

// svm returns options of support vector machines.
func (in *labelrankOptionsIn) svm(workers int, mon *parallel.Monitor) (labelrank.Options, error) {
	opt := labelrank.Options{Cost: in.c_, Tol: in.tol, MaxIter: in.maxIter, Seed: in.seed, Workers: workers, Mon: mon}
	if opt.MaxIter > maxSteps {
		return opt, cabi.Illegal("max_iter is %d, must be at most %d", opt.MaxIter, int64(maxSteps))
	}
	return opt, opt.Check()
}

// set writes how a training has ended.
func (in *labelrankInfoIn) set(found labelrank.Info) {
	in.to.Set(C.cp_labelrank_info{objective: C.double(found.Objective), gap: C.double(found.Gap), n_iter: C.int64_t(found.Iter)})
}

func doLabelrankSvm(a *labelrankSvmArgs) error {
	if a.design.given == (a.kernel.Data != nil) {
		return cabi.Illegal("one of design and kernel must be NULL, and not both")
	}
	opt, err := a.options.svm(a.workers, a.mon)
	if err != nil {
		return err
	}
	var found labelrank.Info
	if a.design.given {
		x, examples, err := ranked(a.design, a.preferences)
		if err != nil {
			return err
		}
		found, err = labelrank.SolveLinear(examples, x, opt, a.alpha.Data, a.coef)
		a.info.set(found)
		return err
	}
	examples, err := a.preferences.examples()
	if err != nil {
		return err
	}
	found, err = labelrank.SolveKernel(examples, a.kernel, opt, a.alpha.Data, a.coef)
	a.info.set(found)
	return err
}

// learner returns what learns with the options; Coef is missing.
func (in *onlineOptionsIn) learner() (l labelrank.Learner, err error) {
	l = labelrank.Learner{Rate: in.rate, Radius: in.radius, Cost: in.c_}
	l.Update, err = choice[labelrank.Update](catalogue.Updates, in.update, "update")
	return l, err
}

func doLabelrankOnline(a *labelrankOnlineArgs) error {
	x, examples, err := ranked(a.design, a.preferences)
	if err != nil {
		return err
	}
	if examples.Margins != nil {
		return cabi.Illegal("margins must be NULL: those of online learning are 1")
	}
	l, err := a.options.learner()
	if err != nil {
		return err
	}
	for step, i := range a.options.order {
		if i < 0 || i >= int64(x.Len()) {
			return cabi.Illegal("order: step %d is on row %d, there are %d", step, i, x.Len())
		}
	}
	s := a.state
	if s.q != x.Columns() || s.k != examples.Labels {
		return cabi.Illegal("state: q and k are %d and %d, must be %d features, with the constant, and %d labels", s.q, s.k, x.Columns(),
			examples.Labels)
	}
	l.Coef, l.Average = s.coef, s.average
	if l.Update == labelrank.Multiplicative {
		if l.Theta = s.theta; s.c.theta == nil && s.q > 0 {
			return cabi.Illegal("state.theta is NULL, multiplicative updates need it")
		}
	}
	l.Tally = labelrank.Tally{Weight: s.tally[0], Mistakes: s.tally[1], Loss: s.tally[2], Scale: s.tally[3]}
	if err := l.Check(); err != nil {
		return err
	}
	err = l.Learn(examples, x, a.options.order, a.mon)
	s.tally[0], s.tally[1], s.tally[2], s.tally[3] = l.Tally.Weight, l.Tally.Mistakes, l.Tally.Loss, l.Tally.Scale
	return err
}

func doAggregateChains(a *aggregateChainsArgs) error {
	if err := checkLabels(a.k); err != nil {
		return err
	}
	out := linalg.Matrix[float64]{Rows: a.n, Cols: a.k * a.k, Stride: a.k * a.k, Data: a.chains}
	return aggregate.Chains(out, a.least, a.proba, a.k, a.workers, a.mon)
}

func doBradleyTerryFit(a *bradleyTerryFitArgs) error {
	of := a.comparisons
	names, err := namesOf(of.names)
	if err := fault.First(checkLabels(of.k), checkCount(of.p, "comparisons.p"), err); err != nil {
		return err
	}
	c := plackettluce.Comparisons{Penalty: a.penalty, Wins: of.wins, Ties: of.ties, Covariates: of.covariates, Names: names}
	q := of.k
	if of.covariates.Data != nil {
		q = of.p
	}
	if of.ties.Data != nil {
		q++
	}
	coef, err := cabi.View[float64](a.coef, "coef", int64(q))
	if err != nil {
		return err
	}
	covariance, err := matrixAt(a.covariance, "covariance", false, int64(q), int64(q))
	if err != nil {
		return err
	}
	done, err := c.FitTo(coef, covariance, a.mon)
	if err != nil {
		return err
	}
	a.logLikelihood[0] = c.UtilitiesTo(a.utilities, a.spread, coef, covariance)
	if !done {
		return &plackettluce.NotConvergedError{Unfitted: 1, Sets: 1}
	}
	return nil
}

// namesOf reads the names of items, a JSON list of strings, or "" for none.
func namesOf(text string) (names []string, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return nil, cabi.Illegal("names must be a JSON list of strings")
	}
	return names, nil
}

package main

/*
#include "combpred.h"
*/
import "C"

import (
	"math"
	"slices"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/labelrank"
	"combpred/core/labelrank/direct"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
)

// keep writes values, of those that are too many the last to the last place.
func keep(dst, values []float64) {
	if n := copy(dst, values); n > 0 && n < len(values) {
		dst[n-1] = values[len(values)-1]
	}
}

func doLabelrankBoost(a *labelrankBoostArgs) error {
	x, examples, err := ranked(a.design, a.preferences)
	if err != nil {
		return err
	}
	if examples.Margins != nil {
		return cabi.Illegal("margins must be NULL: boosting has none")
	}
	in := a.options
	if err := fault.First(checkCount(in.nRankers, "n_rankers"), checkCount(a.curve.nCurve, "n_curve")); err != nil {
		return err
	}
	if (in.scores == nil) != (in.nRankers == 0) {
		return cabi.Illegal("scores and n_rankers go together: there are %d rankers", in.nRankers)
	}
	if in.maxIter > maxSteps {
		return cabi.Illegal("max_iter is %d, must be at most %d", in.maxIter, int64(maxSteps))
	}
	functions := labelrank.FeatureFunctions(x, examples)
	for at, score := range in.scores {
		if row, j := at/(examples.Labels*in.nRankers), at%in.nRankers; math.IsNaN(score) || math.IsInf(score, 0) {
			return fault.At(row, fault.Value("base_rankers[%d] gives the score %g, must give finite ones", j, score))
		}
	}
	if in.scores != nil {
		scores := linalg.Matrix[float64]{Rows: a.preferences.n * examples.Labels, Cols: in.nRankers, Stride: in.nRankers, Data: in.scores}
		functions = labelrank.RankerFunctions(scores, examples)
	}
	found, err := examples.Boost(functions, labelrank.BoostOptions{Alpha: in.alpha, MinGain: in.minGain, MaxIter: in.maxIter,
		Workers: a.workers}, a.mon)
	if err != nil {
		return err
	}
	copy(a.weights, found.Weights)
	keep(a.curve.losses, found.Losses)
	keep(a.curve.bounds, found.Bounds)
	a.nIter[0] = int64(len(found.Bounds))
	return found.Check()
}

func doLabelrankMistakeBound(a *labelrankMistakeBoundArgs) error {
	l, err := a.options.learner()
	if err == nil {
		err = l.Check()
	}
	if err != nil {
		return err
	}
	x, examples, err := ranked(a.design, a.preferences)
	if err != nil {
		return err
	}
	if examples.Margins != nil {
		return cabi.Illegal("margins must be NULL: those of online learning are 1")
	}
	if a.nPasses < 1 || a.nPasses > maxSteps {
		return cabi.Illegal("n_passes is %d, must be from 1 to %d", a.nPasses, int64(maxSteps))
	}
	a.bound[0], err = l.MistakeBound(examples, x, a.coef, a.nPasses, a.mon)
	return err
}

// readLoss reads what a loss looks at, and the numbers of one that the caller has.
func readLoss(d *direct.SVM, in *rankingsIn) (err error) {
	if err := checkCount(in.nListed, "rankings.n_listed"); err != nil {
		return err
	}
	d.Top = in.top
	view := func(dims ...int64) ([]float64, error) {
		return cabi.View[float64](in.losses, "rankings.losses", dims...)
	}
	switch d.Loss {
	case direct.ByPosition:
		d.Losses, err = view(int64(in.k), int64(in.k))
	case direct.ByHits:
		if in.top < 1 || in.top >= in.k {
			return cabi.Illegal("loss by hits: top is %d, must be from 1 to %d", in.top, in.k-1)
		}
		d.Losses, err = view(int64(in.top) + 1)
	case direct.Listed:
		if d.Listed = in.listed; d.Listed == nil && in.nListed > 0 {
			return cabi.Illegal("rankings.listed is NULL, but has %d rankings", in.nListed)
		}
		d.Losses, err = view(int64(in.n), int64(in.nListed))
	}
	return err
}

func doLabelrankDirect(a *labelrankDirectArgs) error {
	opt, err := a.options.svm(a.workers, a.mon)
	if err != nil {
		return err
	}
	x, err := a.design.design()
	if err != nil {
		return err
	}
	in := a.rankings
	if err := fault.First(cabi.Equal("rankings.n", int64(in.n), "the design", x.Len()), checkLabels(in.k)); err != nil {
		return err
	}
	d := direct.SVM{Cost: opt.Cost, SVMOptions: maxmargin.SVMOptions{Tol: opt.Tol, MaxIter: opt.MaxIter, Workers: opt.Workers},
		Weights: a.positionWeights, Positions: in.positions, Rows: in.weights}
	losses := slices.Concat(catalogue.PositionLosses, catalogue.OwnRankingLosses)
	if d.Loss, err = choice[direct.Loss](losses, a.loss, "loss"); err != nil {
		return err
	}
	if err := readLoss(&d, in); err != nil {
		return err
	}
	found, err := d.Train(x, opt.Mon)
	if err != nil {
		return err
	}
	a.coef.CopyFrom(found.Weights)
	a.info.set(labelrank.Info{Objective: found.Objective, Gap: found.Gap, Iter: found.Iter})
	return d.SVMOptions.Check(found)
}

func doLabelrankRead(a *labelrankReadArgs) error {
	if err := checkLabels(a.k); err != nil {
		return err
	}
	return labelrank.ReadPositions(a.ranks, a.signs, a.gaps.Data, a.positions, a.workers, a.mon)
}

func doLabelrankConsensus(a *labelrankConsensusArgs) error {
	examples, err := a.preferences.examples()
	if err != nil {
		return err
	}
	in, k := a.neighbors, examples.Labels
	v := labelrank.Neighbors{Examples: examples, Weights: in.weights, Numbers: in.numbers, Counts: in.counts}
	dst := labelrank.Consensus{Scores: a.scores, Positions: a.positions, Theta: a.theta, Probability: a.probability}
	if a.pairs != nil {
		dst.Pairs = linalg.Matrix[float64]{Rows: in.n, Cols: k * k, Stride: k * k, Data: a.pairs}
	}
	if (dst.Theta == nil) != (dst.Probability == nil) || dst.Theta != nil && dst.Positions == nil {
		return cabi.Illegal("theta and probability go together, and with positions")
	}
	return v.ConsensusTo(dst, a.workers, a.mon)
}

package main

import (
	"combpred/core/aggregate"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/structure/metric"
)

func doMetricRankings(a *metricRankingsArgs) error {
	m, err := choice[metric.Ranking](catalogue.RankingMetrics, a.metric, "metric")
	if err != nil {
		return err
	}
	return m.ValuesTo(a.values, a.yTrue, a.yPred, a.parameter, a.workers, a.mon)
}

func doMetricVisits(a *metricVisitsArgs) error {
	m, err := choice[metric.Visits](catalogue.VisitMetrics, a.metric, "metric")
	if err != nil {
		return err
	}
	truth, predicted := metric.Rows{Width: a.k, Entries: a.yTrue}, metric.Rows{Width: a.m, Entries: a.yPred}
	return m.ValuesTo(a.values, truth, predicted, a.workers, a.mon)
}

func doMetricAbstention(a *metricAbstentionArgs) error {
	truth, err := a.yTrue.examples()
	if err := fault.First(err, checkCount(a.m, "m")); err != nil {
		return err
	}
	found, err := aggregate.NewAbstention(truth.Signs, a.proba, truth.Labels, truth.Weights, a.thresholds, a.m, a.workers, a.mon)
	if err != nil {
		return err
	}
	a.nCuts[0] = int64(len(found.Thresholds))
	for at, values := range [][]float64{found.Thresholds, found.Completeness, found.Correctness} {
		copy(a.curve.Row(at), values)
	}
	return nil
}

func doMetricNodes(a *metricNodesArgs) error {
	m, err := choice[metric.Nodes](catalogue.NodeMetrics, a.metric, "metric")
	if err != nil {
		return err
	}
	costs, err := choice[metric.NodeCosts](catalogue.NodeCosts, a.tree.rule, "the rule of node_weight")
	if err != nil {
		return err
	}
	if a.tree.nodeWeight != nil {
		costs = metric.OwnCosts
	}
	tree, err := metric.NewTree(a.tree.parent, costs, a.tree.nodeWeight)
	if err != nil {
		return err
	}
	truth, predicted := metric.Rows{Width: a.width, Entries: a.yTrue}, metric.Rows{Width: a.width, Entries: a.yPred}
	return m.ValuesTo(a.values, truth, predicted, tree, a.workers, a.mon)
}

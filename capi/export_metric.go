package main

import (
	"combpred/core/catalogue"
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

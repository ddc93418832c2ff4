package main

// #include "combpred.h"
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/aggregate"
	"combpred/core/catalogue"
	"combpred/core/extensions"
)

func doAggregatePairs(a *aggregatePairsArgs) error {
	p, err := a.profile.profile()
	if err != nil {
		return err
	}
	if err := cabi.Equal("pairs.k", int64(a.pairs.k), "profile", p.Items()); err != nil {
		return err
	}
	w, err := aggregate.CountPairs(p, a.workers, a.mon)
	if err != nil {
		return err
	}
	copy(a.pairs.before.Data, w.Before.Data)
	copy(a.pairs.tied.Data, w.Tied.Data)
	return nil
}

func doAggregateGroups(a *aggregateGroupsArgs) error {
	w := a.before
	if err := (&aggregate.Pairs{Before: w}).Check(); err != nil {
		return err
	}
	groups := aggregate.Groups(w.Rows, func(u, v int) bool { return w.Row(u)[v] > w.Row(v)[u] })
	for c, items := range groups {
		for _, u := range items {
			a.group[u] = int32(c)
		}
	}
	a.nGroups[0] = int64(len(groups))
	return nil
}

func doAggregateMargins(a *aggregateMarginsArgs) error {
	w, err := a.pairs.weights()
	if err != nil {
		return err
	}
	if err := cabi.Equal("k", int64(a.k), "pairs", w.Items()); err != nil {
		return err
	}
	margins, err := aggregate.Margins(w, a.threshold)
	if err != nil {
		return err
	}
	copy(a.dst.Data, margins.Data)
	return nil
}

func doAggregateExtend(a *aggregateExtendArgs) error {
	in := a.relations
	related := make([]bool, len(in.before))
	for i, value := range in.before {
		related[i] = value != 0
	}
	p, err := aggregate.Extend(related, in.k, in.weights, a.nExtensions, a.seed, a.workers, a.mon)
	if err != nil {
		return err
	}
	copy(a.ranks, p.Ranks.Data)
	copy(a.weights.Data, p.Weights)
	return nil
}

func doExtensionsSample(a *extensionsSampleArgs) error {
	poset, err := posetOf(a.pairs, a.nElements)
	if err != nil {
		return err
	}
	how, err := choice[extensions.Method](catalogue.ExtensionMethods, a.method, "method")
	if err != nil {
		return err
	}
	return extensions.Batch(poset, how, a.seed, a.dst, a.steps, a.workers, a.mon)
}

func doExtensionsCount(a *extensionsCountArgs) error {
	poset, err := posetOf(a.pairs, a.nElements)
	if err == nil {
		err = checkDownsets(a.options.mostDownsets)
	}
	if err != nil {
		return err
	}
	o := a.options
	found, err := extensions.Estimate(poset, o.epsilon, o.delta, o.mostDownsets, o.seed, a.workers, a.mon)
	if err != nil {
		return err
	}
	a.info.to.Set(C.cp_extensions_info{
		log_count: C.double(found.Log), n_levels: C.int64_t(found.Levels), n_samples: C.int64_t(found.Samples),
	})
	writeDigits(a.room, found.Number)
	return nil
}

func doExtensionsBefore(a *extensionsBeforeArgs) error {
	poset, err := posetOf(a.pairs, a.nElements)
	if err == nil {
		err = checkDownsets(a.mostDownsets)
	}
	if err != nil {
		return err
	}
	return extensions.Before(a.dst.Data, poset, a.mostDownsets, a.workers, a.mon)
}

// posetOf returns the partial order of pairs.
func posetOf(pairs []int32, elements int) (*extensions.Poset, error) {
	if elements < 1 || elements > extensions.MostElements {
		return nil, cabi.Illegal("n_elements is %d, must be between 1 and %d", elements, extensions.MostElements)
	}
	relation := make([][2]int32, len(pairs)/2)
	for i := range relation {
		relation[i] = [2]int32(pairs[2*i:])
	}
	return extensions.New(elements, relation)
}

// checkDownsets checks the number of downsets to count over at most.
func checkDownsets(most int) error {
	if most < 1 || most > extensions.MostCounted {
		return cabi.Illegal("most_downsets is %d, must be between 1 and %d", most, extensions.MostCounted)
	}
	return nil
}

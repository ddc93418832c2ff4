package main

// #include "combpred.h"
import "C"

import (
	"errors"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/aggregate"
	"combpred/core/aggregate/plackettluce"
	"combpred/core/catalogue"
	"combpred/core/parallel"
)

// profile returns rankings after checking them, nil where none are given.
func (in *profileIn) profile() (*aggregate.Profile, error) {
	if !in.given {
		return nil, nil
	}
	p := &aggregate.Profile{Ranks: in.ranks, Weights: in.weights, Extensions: in.nExtensions}
	return p, p.Check()
}

// weights returns weights of pairs after checking them, nil where none are given.
func (in *pairsIn) weights() (*aggregate.Pairs, error) {
	if !in.given {
		return nil, nil
	}
	w := &aggregate.Pairs{Before: in.before, Tied: in.tied}
	return w, w.Check()
}

// kemeny returns options, with the solutions of programs where they are given.
func (in *aggregateOptionsIn) kemeny(programs *programsIn, workers int, mon *parallel.Monitor) (o aggregate.Options, err error) {
	o = aggregate.Options{Penalty: in.penalty, Seed: in.seed, Workers: workers, Monitor: mon}
	if o.Method, err = choice[aggregate.Method](catalogue.Aggregations, in.method, "method"); err != nil {
		return o, err
	}
	if programs.given {
		state := unsafe.Slice((*aggregate.ProgramState)(unsafe.Pointer(unsafe.SliceData(programs.state))), len(programs.state))
		o.Programs = &aggregate.Programs{X: programs.x, State: state, LowerBound: programs.lowerBound}
	}
	o.Output, err = choice[aggregate.Output](catalogue.Consensuses, in.output, "output")
	return o, err
}

func doAggregate(a *aggregateArgs) error {
	p, err := a.profile.profile()
	if err != nil {
		return err
	}
	w, err := a.pairs.weights()
	if err != nil {
		return err
	}
	var want int
	switch {
	case p != nil:
		want = p.Items()
	case w != nil:
		want = w.Items()
	default:
		return cabi.Illegal("profile and pairs are both NULL")
	}
	o, err := a.options.kemeny(a.programs, a.workers, a.mon)
	if err != nil {
		return err
	}
	if o.Output == aggregate.Partial {
		want *= want
	}
	if err := cabi.Equal("dst_len", int64(a.dstLen), "the consensus", want); err != nil {
		return err
	}
	c, err := consensus(p, w, o)
	if err != nil {
		return err
	}
	writeConsensus(c, a.dst, a.info.to)
	return nil
}

// consensus counts pairs where they are wanted and not given.
func consensus(p *aggregate.Profile, w *aggregate.Pairs, o aggregate.Options) (*aggregate.Consensus, error) {
	if o.Method.Kendall() {
		if w == nil {
			var err error
			if w, err = aggregate.CountPairs(p, o.Workers, o.Monitor); err != nil {
				return nil, err
			}
		}
		return aggregate.Kemeny(p, w, o)
	}
	if o.Output != aggregate.Order {
		return nil, aggregate.OrdersOnly(o.Method)
	}
	if p == nil {
		return nil, cabi.Illegal("profile is NULL, method %v needs rankings", o.Method)
	}
	find := map[aggregate.Method]func(*aggregate.Profile, int, *parallel.Monitor) (*aggregate.Consensus, error){
		aggregate.BordaCount: aggregate.Borda, aggregate.Assignment: aggregate.Footrule, aggregate.MedianRanks: aggregate.MedianRank,
	}[o.Method]
	return find(p, o.Workers, o.Monitor)
}

func writeConsensus(c *aggregate.Consensus, dst []int32, info cabi.Out[C.cp_consensus_info]) {
	if c.Relation != nil {
		putBools(dst, c.Relation)
	} else {
		copy(dst, c.Positions)
	}
	told := C.cp_consensus_info{
		distance: C.double(c.Distance), lower_bound: C.double(c.LowerBound), ratio: C.double(c.Ratio),
		standard_error: C.double(c.StandardError), expected: asFlag(c.Expected), optimal: asFlag(c.Optimal),
	}
	cabi.PutName(told.method[:], catalogue.Aggregations.Of(int(c.Method)))
	cabi.PutName(told.reason[:], c.Reason)
	info.Set(told)
}

// putBools writes 0 and 1.
func putBools(dst []int32, values []bool) {
	for i := range dst {
		dst[i] = int32(asFlag(values[i]))
	}
}

// asFlag is 1 for true.
func asFlag(value bool) C.int64_t {
	if value {
		return 1
	}
	return 0
}

func doAggregateAcyclic(a *aggregateAcyclicArgs) error {
	if err := (&aggregate.Pairs{Before: a.margins}).Check(); err != nil {
		return err
	}
	o, err := a.options.kemeny(a.programs, a.workers, a.mon)
	if err != nil {
		return err
	}
	found, err := aggregate.Acyclic(a.margins, o)
	if err != nil {
		return err
	}
	putBools(a.relation, found.Relation)
	putBools(a.kept, found.Kept)
	result := C.cp_acyclic_info{weight: C.double(found.Weight), upper_bound: C.double(found.UpperBound), ratio: C.double(found.Ratio),
		optimal: asFlag(found.Optimal)}
	cabi.PutName(result.method[:], catalogue.Aggregations.Of(int(found.Method)))
	a.info.to.Set(result)
	return nil
}

func doPlackettLuceFit(a *plackettLuceFitArgs) error {
	in := a.sets
	f := plackettluce.Sets{Items: in.k, Penalty: a.penalty, Ranks: in.ranks, Weights: in.weights}
	a.nUnfitted[0] = 0
	err := f.FitTo(a.utilities, a.workers, a.mon)
	if partial, is := errors.AsType[*plackettluce.NotConvergedError](err); is {
		a.nUnfitted[0] = int64(partial.Unfitted)
	}
	return err
}

func doPlackettLuce(a *plackettLuceArgs) error {
	p, err := a.profile.profile()
	if err != nil {
		return err
	}
	names, err := namesOf(a.names)
	if err != nil {
		return err
	}
	r := plackettluce.Rankings{Positions: p.Ranks, Weights: p.Weights, Penalty: a.penalty, Names: names}
	a.logLikelihood[0], err = r.FitTo(a.utilities, a.mon)
	return err
}

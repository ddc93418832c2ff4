package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/core/partition/conformal"
	"combpred/core/structure"
)

func doConformalLeast(a *conformalLeastArgs) error {
	if err := equal("d", C.int64_t(a.d), a.space.FeatureLen()); err != nil {
		return err
	}
	parts, err := conformal.New(a.space)
	if err != nil {
		return err
	}
	return conformal.Scores(parts, a.least, a.expected, a.y, a.workers, a.mon)
}

// sets returns those of rows, under their conditions.
func (in *conformalSetsIn) sets(space structure.Space, conditions *conditionsIn) (s *conformal.Sets, err error) {
	if err := equal("sets.d", C.int64_t(in.d), space.FeatureLen()); err != nil {
		return nil, err
	}
	s = &conformal.Sets{Marginals: in.marginals, Thresholds: in.thresholds}
	if s.Parts, err = conformal.New(space); err != nil || !conditions.given {
		return s, err
	}
	keyed, err := conditions.of(in.n, "sets.n")
	if err != nil {
		return nil, err
	}
	s.Held, s.Of, err = keyed.Spaces(space, in.n)
	return s, err
}

func doConformalContains(a *conformalContainsArgs) error {
	sets, err := a.sets.sets(a.space, a.conditions)
	if err != nil {
		return err
	}
	return sets.Contains(unsafe.Slice((*bool)(unsafe.Pointer(unsafe.SliceData(a.inside))), len(a.inside)), a.y, a.workers, a.mon)
}

func doConformalSizes(a *conformalSizesArgs) error {
	sets, err := a.sets.sets(a.space, a.conditions)
	if err != nil {
		return err
	}
	return sets.LogSizes(a.logSize, a.workers, a.mon)
}

func doConformalAllowed(a *conformalAllowedArgs) error {
	sets, err := a.sets.sets(a.space, a.conditions)
	if err != nil {
		return err
	}
	return sets.Allowed(unsafe.Slice((*structure.Values)(unsafe.SliceData(a.allowed)), len(a.allowed)), a.workers, a.mon)
}

func doConformalSample(a *conformalSampleArgs) error {
	sets, err := a.sets.sets(a.space, a.conditions)
	if err != nil {
		return err
	}
	if err := sets.Sample(a.dst, a.nSamples, a.seed, a.workers, a.mon); err != nil || !a.conditions.given {
		return err
	}
	keyed, err := a.conditions.keyed()
	if err != nil {
		return err
	}
	of, err := keyed.Rows(a.space, a.sets.n)
	if err != nil {
		return err
	}
	for i := range a.sets.n { // cycles are listed from their start
		r, err := of(i)
		if err != nil {
			return err
		}
		for k := i * a.nSamples; r.List != nil && k < (i+1)*a.nSamples; k++ {
			r.List(a.dst[k*a.partLen : (k+1)*a.partLen])
		}
	}
	return nil
}

package main

// #include "combpred.h"
import "C"

import (
	"math/rand/v2"

	"combpred/capi/cabi"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// rowsAtOnce is how many rows of a cheap loop a worker takes at a time.
const rowsAtOnce = 64

// eachRow does something for each of n rows and adds to the first error which row it is about.
func eachRow(n, workers int, mon *parallel.Monitor, do func(i int) error) error {
	return parallel.For(n, rowsAtOnce, workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := do(i); err != nil {
				return fault.At(i, err)
			}
		}
		return nil
	})
}

// rowsOfParts returns what gives the parts of each row.
func rowsOfParts(y []int32, partLen int) func(i int) []int32 {
	return func(i int) []int32 { return y[i*partLen : (i+1)*partLen] }
}

func doSpaceEmbed(a *spaceEmbedArgs) error {
	known, err := flag(a.partial, "partial")
	if err != nil {
		return err
	}
	embed := func(dst []float64, y []int32) error {
		err := a.space.Check(y)
		if err == nil && dst != nil {
			a.space.Embed(dst, y)
		}
		return err
	}
	if known {
		if _, err := need[structure.PartialEmbedder](a.space, "embeddings of outputs known in part"); err != nil {
			return err
		}
		embed = func(dst []float64, y []int32) error { return structure.EmbedKnown(a.space, dst, y) }
	}
	row := rowsOfParts(a.y, a.partLen)
	return eachRow(a.n, a.workers, a.mon, func(i int) error {
		if a.dst.Data == nil {
			return embed(nil, row(i))
		}
		return embed(a.dst.Row(i), row(i))
	})
}

func doSpaceMode(a *spaceModeArgs) error {
	moder, err := need[structure.Moder](a.space, "probabilities of outputs by expected features")
	if err != nil {
		return err
	}
	return eachRow(a.n, a.workers, a.mon, func(i int) error {
		copy(a.dst.Row(i), a.expected.Row(i))
		moder.ModeScores(a.dst.Row(i))
		return nil
	})
}

func doSpaceSample(a *spaceSampleArgs) error {
	sampler, err := need[structure.Sampler](a.space, "a uniform sampler of outputs")
	if err != nil {
		return err
	}
	if err := structure.Prepare(a.space, a.mon.Err); err != nil {
		return err
	}
	row := rowsOfParts(a.dst, a.partLen)
	return parallel.For(a.n, rowsAtOnce, a.workers, a.mon, func(lo, hi int) error {
		var source rand.PCG
		rng := rand.New(&source)
		for i := lo; i < hi; i++ {
			parallel.Stream(&source, a.seed, i)
			sampler.Sample(row(i), rng)
		}
		return nil
	})
}

func doSpaceEncode(a *spaceEncodeArgs) error {
	if !structure.Reads(a.space, a.width) {
		return cabi.Illegal("width is %d, which rows of %s do not have: they are %d numbers wide", a.width, structure.Describe(a.space),
			a.partLen)
	}
	read := func(dst []int32, row []float64) error { return structure.ReadTo(a.space, dst, row) }
	if a.partial != 0 {
		p, err := need[structure.PartialEmbedder](a.space, "embeddings of outputs known in part")
		if err != nil {
			return err
		}
		read = p.ReadPartial
	}
	row := rowsOfParts(a.dst, a.partLen)
	return eachRow(a.n, a.workers, a.mon, func(i int) error { return read(row(i), a.y.Row(i)) })
}

func doSpaceEnumerate(a *spaceEnumerateArgs) error {
	enumerator, err := need[structure.Enumerator](a.space, "a list of its outputs")
	if err != nil {
		return err
	}
	if a.skip < 0 {
		return cabi.Illegal("skip is %d, must not be negative", a.skip)
	}
	if a.nWritten[0] = 0; a.capacity == 0 {
		return nil
	}
	if err := structure.Prepare(a.space, a.mon.Err); err != nil {
		return err
	}
	row, at, written := rowsOfParts(a.dst, a.partLen), 0, 0
	for y := range enumerator.All() {
		if at%rowsAtOnce == 0 {
			if err := a.mon.Err(); err != nil {
				return err
			}
		}
		if at++; at <= a.skip {
			continue
		}
		copy(row(written), y)
		if written++; written == a.capacity {
			break
		}
	}
	a.nWritten[0] = int64(written)
	return nil
}

func doSpaceLayout(a *spaceLayoutArgs) error {
	cells, n := a.space.Facts().Cells, 0
	if cells.Kind != "" {
		for u, v := range cells.At {
			if n%namesAtOnce == 0 {
				if err := a.mon.Err(); err != nil {
					return err
				}
			}
			a.rows[n], a.columns[n] = int32(u), int32(v)
			n++
		}
	}
	found := C.cp_layout{n_items: C.int64_t(cells.Items), n_cells: C.int64_t(n)}
	cabi.PutName(found.kind[:], cells.Kind)
	a.layout.to.Set(found)
	return nil
}

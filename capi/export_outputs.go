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

//export go_cp_space_check
func go_cp_space_check(s C.cp_space, y *C.cp_in_i32, n, partLen C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, rows, err := spaceAndRows(s, y, n, partLen)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		parts := int(partLen)
		return eachRow(n, run, func(i int) error { return sp.Check(rows[i*parts : (i+1)*parts]) })
	})
}

// eachRow does something for each of n rows and adds to the first error which row it is about.
func eachRow(n C.int64_t, run execution, do func(i int) error) error {
	return parallel.For(int(n), rowsAtOnce, run.workers, run.mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := do(i); err != nil {
				return fault.At(i, err)
			}
		}
		return nil
	})
}

// spaceAndRows returns the structure and the encoded outputs y[n, part_len].
func spaceAndRows(s C.cp_space, y *C.cp_in_i32, n, partLen C.int64_t) (structure.Space, []int32, error) {
	sp, err := space(s)
	if err != nil {
		return nil, nil, err
	}
	if err := equal("part_len", partLen, sp.PartLen()); err != nil {
		return nil, nil, err
	}
	rows, err := int32s(y, "y", n, partLen)
	return sp, rows, err
}

//export go_cp_space_embed
func go_cp_space_embed(s C.cp_space, y *C.cp_in_i32, n, partLen C.int64_t, dst *C.double, d C.int64_t,
	nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, rows, err := spaceAndRows(s, y, n, partLen)
		if err != nil {
			return err
		}
		return embedRows(sp, rows, n, dst, d, nWorkers, control, sp.Check, sp.Embed)
	})
}

//export go_cp_space_embed_partial
func go_cp_space_embed_partial(s C.cp_space, y *C.cp_in_i32, n, partLen C.int64_t, dst *C.double,
	d C.int64_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, rows, err := spaceAndRows(s, y, n, partLen)
		if err != nil {
			return err
		}
		partial, err := need[structure.PartialEmbedder](sp, "embeddings of outputs known in part")
		if err != nil {
			return err
		}
		return embedRows(sp, rows, n, dst, d, nWorkers, control, partial.CheckPartial, partial.EmbedPartial)
	})
}

// embedRows checks n encoded rows and writes their embeddings to dst[n, d].
func embedRows(sp structure.Space, rows []int32, n C.int64_t, dst *C.double, d C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, check func([]int32) error, embed func([]float64, []int32)) error {
	if err := equal("d", d, sp.FeatureLen()); err != nil {
		return err
	}
	out, err := float64s(dst, "dst", n, d)
	if err != nil {
		return err
	}
	run, err := readExecution(nWorkers, control)
	if err != nil {
		return err
	}
	parts, feats := sp.PartLen(), int(d)
	return eachRow(n, run, func(i int) error {
		row := rows[i*parts : (i+1)*parts]
		if err := check(row); err != nil {
			return err
		}
		embed(out[i*feats:(i+1)*feats], row)
		return nil
	})
}

//export go_cp_space_sample
func go_cp_space_sample(s C.cp_space, seed C.uint64_t, dst *C.int32_t, n, partLen C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		sampler, err := need[structure.Sampler](sp, "a uniform sampler of outputs")
		if err != nil {
			return err
		}
		if err := equal("part_len", partLen, sp.PartLen()); err != nil {
			return err
		}
		out, err := int32s(dst, "dst", n, partLen)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		if err := structure.Prepare(sp, run.mon.Err); err != nil {
			return err
		}
		parts := int(partLen)
		return parallel.For(int(n), rowsAtOnce, run.workers, run.mon, func(lo, hi int) error {
			var source rand.PCG
			rng := rand.New(&source)
			for i := lo; i < hi; i++ {
				parallel.Stream(&source, uint64(seed), i)
				sampler.Sample(out[i*parts:(i+1)*parts], rng)
			}
			return nil
		})
	})
}

//export go_cp_space_encode
func go_cp_space_encode(s C.cp_space, y *C.cp_in_f64, n, width C.int64_t, partial C.int32_t, dst *C.int32_t,
	partLen C.int64_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		if err := equal("part_len", partLen, sp.PartLen()); err != nil {
			return err
		}
		rows, err := float64s(y, "y", n, width)
		if err != nil {
			return err
		}
		if !structure.Reads(sp, int(width)) {
			return cabi.Illegal("width is %d, which rows of %s do not have: they are %d numbers wide", int64(width), structure.Describe(sp),
				sp.PartLen())
		}
		out, err := int32s(dst, "dst", n, partLen)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		read := func(dst []int32, row []float64) error { return structure.ReadTo(sp, dst, row) }
		if partial != 0 {
			p, err := need[structure.PartialEmbedder](sp, "embeddings of outputs known in part")
			if err != nil {
				return err
			}
			read = p.ReadPartial
		}
		parts, entries := int(partLen), int(width)
		return eachRow(n, run, func(i int) error { return read(out[i*parts:(i+1)*parts], rows[i*entries:(i+1)*entries]) })
	})
}

//export go_cp_space_mirror
func go_cp_space_mirror(s C.cp_space, y *C.cp_in_i32, n, partLen C.int64_t, dst *C.int32_t,
	nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, rows, err := spaceAndRows(s, y, n, partLen)
		if err != nil {
			return err
		}
		mirror := sp.Facts().Mirror
		if mirror == nil {
			return &structure.CapabilityError{Structure: structure.Describe(sp),
				Need: "pairs of outputs whose embeddings add up to the same vector (a sibling system)"}
		}
		out, err := int32s(dst, "dst", n, partLen)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		parts := int(partLen)
		return eachRow(n, run, func(i int) error {
			row := rows[i*parts : (i+1)*parts]
			if err := sp.Check(row); err != nil {
				return err
			}
			mirror(out[i*parts:(i+1)*parts], row)
			return nil
		})
	})
}

//export go_cp_space_enumerate
func go_cp_space_enumerate(s C.cp_space, skip C.int64_t, dst *C.int32_t, capacity, partLen C.int64_t,
	nWritten *C.int64_t, nWorkers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		enumerator, err := need[structure.Enumerator](sp, "a list of its outputs")
		if err != nil {
			return err
		}
		if err := equal("part_len", partLen, sp.PartLen()); err != nil {
			return err
		}
		if skip < 0 {
			return cabi.Illegal("skip is %d, must not be negative", int64(skip))
		}
		out, err := int32s(dst, "dst", capacity, partLen)
		if err != nil {
			return err
		}
		if _, err := cabi.One(nWritten, "n_written"); err != nil {
			return err
		}
		*nWritten = 0
		run, err := readExecution(nWorkers, control)
		if err != nil || capacity == 0 {
			return err
		}
		if err := structure.Prepare(sp, run.mon.Err); err != nil {
			return err
		}
		parts, at := int(partLen), int64(0)
		written := 0
		for y := range enumerator.All() {
			if at%rowsAtOnce == 0 {
				if err := run.mon.Err(); err != nil {
					return err
				}
			}
			if at++; at <= int64(skip) {
				continue
			}
			copy(out[written*parts:(written+1)*parts], y)
			if written++; written == int(capacity) {
				break
			}
		}
		*nWritten = C.int64_t(written)
		return nil
	})
}

//export go_cp_space_layout
func go_cp_space_layout(s C.cp_space, layout *C.cp_layout, rows, columns *C.int32_t, d C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		to, err := cabi.OutRecord(layout, "layout", false)
		if err != nil {
			return err
		}
		if err := equal("d", d, sp.FeatureLen()); err != nil {
			return err
		}
		at, err := int32s(rows, "rows", d)
		if err != nil {
			return err
		}
		across, err := int32s(columns, "columns", d)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		cells, n := sp.Facts().Cells, 0
		if cells.Kind != "" {
			for u, v := range cells.At {
				if n%namesAtOnce == 0 {
					if err := run.mon.Err(); err != nil {
						return err
					}
				}
				at[n], across[n] = int32(u), int32(v)
				n++
			}
		}
		found := C.cp_layout{n_items: C.int64_t(cells.Items), n_cells: C.int64_t(n)}
		cabi.PutName(found.kind[:], cells.Kind)
		to.Set(found)
		return nil
	})
}

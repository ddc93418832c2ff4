package main

// #include "combpred.h"
import "C"

import (
	"strings"

	"combpred/capi/cabi"
	"combpred/core/structure"
)

// namesAtOnce is how many names or cells are written between looks at the control block.
const namesAtOnce = 1 << 14

//export go_cp_structure_names
func go_cp_structure_names(s *C.cp_in_structure, dst *C.char, dstCap C.int64_t, needed *C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		out, err := roomFor(dst, dstCap, needed)
		if err != nil {
			return err
		}
		run, err := readTail(nWorkers, control)
		if err != nil {
			return err
		}
		var text strings.Builder
		i := 0
		for name := range structure.NamesOf(sp) {
			if i%namesAtOnce == 0 {
				if err := run.mon.Err(); err != nil {
					return err
				}
			}
			if i > 0 {
				text.WriteByte('\n')
			}
			text.WriteString(name)
			i++
		}
		out.Write(text.String())
		return nil
	})
}

//export go_cp_structure_format
func go_cp_structure_format(s *C.cp_in_structure, dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		out, err := roomFor(dst, dstCap, needed)
		if err != nil {
			return err
		}
		out.Write(structure.FormatOf(sp))
		return nil
	})
}

//export go_cp_structure_layout
func go_cp_structure_layout(s *C.cp_in_structure, layout *C.cp_layout, rows, columns *C.int32_t, d C.int64_t, nWorkers C.int32_t,
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
		run, err := readTail(nWorkers, control)
		if err != nil {
			return err
		}
		cells, n := structure.CellsOf(sp), 0
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

package main

// #include "combpred.h"
import "C"

import (
	"encoding/json"
	"math/big"
	"strings"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/control"
	"combpred/core/control/spaces"
	"combpred/core/custom"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// maxNames bounds the text of the names of items.
const maxNames = 1 << 28

//export go_cp_space_open
func go_cp_space_open(description *C.cp_in_structure, names *C.cp_in_char, namesLen C.int64_t, handle *C.cp_space, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		if description == nil {
			return cabi.Illegal("the structure is NULL")
		}
		if uintptr(unsafe.Pointer(description))%unsafe.Alignof(*description) != 0 {
			return cabi.Illegal("the structure must be aligned to 8 bytes")
		}
		text, err := cabi.Copy(unsafe.Pointer(description.text), "structure.text", description.text_len)
		if err != nil {
			return err
		}
		ints, err := int32s(description.ints, "structure.ints", description.n_ints)
		if err != nil {
			return err
		}
		reals, err := float64s(description.reals, "structure.reals", description.n_reals)
		if err != nil {
			return err
		}
		items, err := itemNames(names, namesLen)
		if err != nil {
			return err
		}
		if _, err := cabi.One(handle, "space"); err != nil {
			return err
		}
		opened, err := spaces.Open(text, ints, reals, items)
		*handle = C.cp_space(opened)
		return err
	})
}

// itemNames reads the names of items, a JSON list of strings, or none.
func itemNames(text *C.cp_in_char, length C.int64_t) (names []string, err error) {
	if length > maxNames {
		return nil, cabi.Illegal("names has %d bytes, at most %d are allowed", int64(length), maxNames)
	}
	list, err := cabi.Optional[byte](unsafe.Pointer(text), "names", length)
	if err != nil || list == nil {
		return nil, err
	}
	if err := json.Unmarshal(list, &names); err != nil || names == nil {
		return nil, cabi.Illegal("names must be a JSON list of strings")
	}
	return names, nil
}

//export go_cp_space_close
func go_cp_space_close(s C.cp_space, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error { return spaces.Close(uint64(s)) })
}

//export go_cp_space_facts
func go_cp_space_facts(s C.cp_space, dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, tell(dst, dstCap, needed, func() (string, error) { return control.SpaceFacts(uint64(s)) }))
}

//export go_cp_space_count
func go_cp_space_count(s C.cp_space, dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		return writeText(s, dst, dstCap, needed, func(sp structure.Space) (string, error) {
			counter, err := need[structure.Counter](sp, "the number of its outputs")
			if err != nil {
				return "", err
			}
			if n := counter.Count(); n != nil {
				return digits(n), nil
			}
			need := "the number of its outputs, which is not known at this size"
			return "", &structure.CapabilityError{Structure: structure.Describe(sp), Need: need}
		})
	})
}

// namesAtOnce is how many names or cells are written between looks at the control block.
const namesAtOnce = 1 << 14

//export go_cp_space_names
func go_cp_space_names(s C.cp_space, dst *C.char, dstCap C.int64_t, needed *C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		return writeText(s, dst, dstCap, needed, func(sp structure.Space) (string, error) {
			var text strings.Builder
			i := 0
			for name := range structure.NamesOf(sp) {
				if i%namesAtOnce == 0 && run.mon.Err() != nil {
					return "", run.mon.Err()
				}
				if i > 0 {
					text.WriteByte('\n')
				}
				text.WriteString(name)
				i++
			}
			return text.String(), nil
		})
	})
}

// writeText writes what a function says of a structure to a text of unknown length.
func writeText(s C.cp_space, dst *C.char, dstCap C.int64_t, needed *C.int64_t, text func(structure.Space) (string, error)) error {
	sp, err := space(s)
	if err != nil {
		return err
	}
	out, err := roomFor(dst, dstCap, needed)
	if err != nil {
		return err
	}
	said, err := text(sp)
	if err == nil {
		out.Write(said)
	}
	return err
}

// writeDigits writes a number in base 16, which takes time linear in its digits.
func writeDigits(out cabi.Room, number *big.Int) { out.Write(digits(number)) }

func digits(number *big.Int) string { return number.Text(16) }

//export go_cp_space_mean
func go_cp_space_mean(s C.cp_space, dst *C.double, d C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, moments, err := spaceWithMoments(s, d)
		if err != nil {
			return err
		}
		out, err := float64s(dst, "dst", d)
		if err != nil {
			return err
		}
		if sp.FeatureLen() > 0 {
			moments.Mean(out)
		}
		return nil
	})
}

//export go_cp_space_second_moment
func go_cp_space_second_moment(s C.cp_space, dst *C.double, d C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, moments, err := spaceWithMoments(s, d)
		if err != nil {
			return err
		}
		out, err := float64s(dst, "dst", d, d)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil || sp.FeatureLen() == 0 {
			return err
		}
		if run.mon == nil {
			moments.SecondMoment(general(d, d, out))
			return nil
		}
		own := make([]float64, len(out)) // the caller's is not touched after the call
		if err := parallel.Detached(run.mon, func() error {
			moments.SecondMoment(general(d, d, own))
			return nil
		}); err != nil {
			return err
		}
		copy(out, own)
		return nil
	})
}

//export go_cp_space_moments
func go_cp_space_moments(s C.cp_space, info *C.cp_moments_info, nWorkers C.int32_t, control *C.cp_control,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		if _, err := need[structure.Momenter](sp, "the mean and second moment of its embedding"); err != nil {
			return err
		}
		out, err := cabi.OutRecord(info, "info", false)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		facts, found := sp.Facts(), new(float64)
		if err := parallel.Detached(run.mon, func() error {
			if facts.StandardError != nil {
				*found = facts.StandardError()
			}
			return nil
		}); err != nil {
			return err
		}
		result := C.cp_moments_info{standard_error: C.double(*found)}
		cabi.PutName(result.kind[:], catalogue.Moments.Of(int(facts.Moments)))
		out.Set(result)
		return nil
	})
}

func spaceWithMoments(s C.cp_space, d C.int64_t) (structure.Space, structure.Momenter, error) {
	sp, err := space(s)
	if err != nil {
		return nil, nil, err
	}
	moments, err := need[structure.Momenter](sp, "the mean and second moment of its embedding")
	if err != nil {
		return nil, nil, err
	}
	return sp, moments, equal("d", d, sp.FeatureLen())
}

//export go_cp_custom_kernel
func go_cp_custom_kernel(gram *C.cp_in_f64, n C.int64_t, psi *C.double, d *C.int64_t, nWorkers C.int32_t,
	control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		if n < 1 {
			return cabi.Illegal("n is %d, must be at least 1", int64(n))
		}
		values, err := matrix(gram, "gram", n, n)
		if err != nil {
			return err
		}
		out, err := float64s(psi, "psi", n, n)
		if err != nil {
			return err
		}
		if _, err := cabi.One(d, "d"); err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		if err := run.mon.Err(); err != nil {
			return err
		}
		found, err := custom.FromKernel(values, run.mon)
		if err != nil {
			return err
		}
		copy(out, found.Data)
		*d = C.int64_t(found.Cols)
		return nil
	})
}

//export go_cp_custom_draws
func go_cp_custom_draws(psi *C.cp_in_f64, n, d C.int64_t, sums, moments, standardError *C.double, nWorkers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if d < 1 || d > maxDrawn {
			return cabi.Illegal("d is %d, must be between 1 and %d", int64(d), maxDrawn)
		}
		rows, err := matrix(psi, "psi", n, d)
		if err != nil {
			return err
		}
		total, err := float64s(sums, "sums", C.int64_t(custom.SumsLen(int(d))))
		if err != nil {
			return err
		}
		out, err := optionalFloat64s(moments, "moments", d+d*d)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		sum, err := custom.NewSums(total, int(d))
		if err != nil {
			return err
		}
		if err := sum.Add(rows, run.mon); err != nil || out == nil {
			return err
		}
		if total[0] == 0 {
			return cabi.Illegal("moments take a draw at least")
		}
		largest := sum.MomentsTo(out)
		if standardError != nil {
			if _, err := cabi.One(standardError, "standard_error"); err != nil {
				return err
			}
			*standardError = C.double(largest)
		}
		return nil
	})
}

// maxDrawn bounds d, so that sums of products are no more than can be addressed.
const maxDrawn = 1 << 14

//export go_cp_custom_check
func go_cp_custom_check(s C.cp_space, psi *C.cp_in_f64, n, d C.int64_t, nWorkers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, moments, err := spaceWithMoments(s, d)
		if err != nil {
			return err
		}
		rows, err := matrix(psi, "psi", n, d)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		if err := run.mon.Err(); err != nil { // what SupportOf has kept answers at once
			return err
		}
		support, err := custom.SupportOf(sp, moments, run.mon)
		if err != nil {
			return err
		}
		return support.Check(rows)
	})
}

package main

// #include "combpred.h"
import "C"

import (
	"math"
	"math/big"
	"strings"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/control/spaces"
	"combpred/core/custom"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Bounds of the cache of spaces: more structures than a program uses at a time, and no more memory than goes unnoticed.
const (
	cachedSpaces = 32
	cachedBytes  = 64 << 20
)

var cache = spaces.NewCache(cachedSpaces, cachedBytes)

// space returns the output space that s describes.
func space(s *C.cp_in_structure) (structure.Space, error) {
	if s == nil {
		return nil, cabi.Illegal("the structure is NULL")
	}
	if uintptr(unsafe.Pointer(s))%unsafe.Alignof(*s) != 0 {
		return nil, cabi.Illegal("the structure must be aligned to 8 bytes")
	}
	text, err := cabi.Copy(unsafe.Pointer(s.text), "structure text", s.text_len)
	if err != nil {
		return nil, err
	}
	ints, err := int32s(s.ints, "structure ints", s.n_ints)
	if err != nil {
		return nil, err
	}
	reals, err := float64s(s.reals, "structure reals", s.n_reals)
	if err != nil {
		return nil, err
	}
	return cache.Get(text, ints, reals)
}

// need returns s as the capability T, or an error that says what is missing and for what.
func need[T any](s structure.Space, what string) (T, error) {
	c, ok := s.(T)
	if !ok {
		return c, &structure.CapabilityError{Structure: structure.Describe(s), Need: what}
	}
	return c, nil
}

//export go_cp_structure_shape
func go_cp_structure_shape(s *C.cp_in_structure, partLen, featureLen *C.int64_t, logCount *C.double, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		if _, err := cabi.One(partLen, "part_len"); err != nil {
			return err
		}
		if _, err := cabi.One(featureLen, "feature_len"); err != nil {
			return err
		}
		if _, err := cabi.One(logCount, "log_count"); err != nil {
			return err
		}
		*partLen, *featureLen = C.int64_t(sp.PartLen()), C.int64_t(sp.FeatureLen())
		*logCount = C.double(math.NaN())
		if log, err := structure.LogCount(sp); err == nil {
			*logCount = C.double(log)
		}
		return nil
	})
}

//export go_cp_structure_count
func go_cp_structure_count(s *C.cp_in_structure, dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		counter, err := need[structure.Counter](sp, "a Counter, to know its size")
		if err != nil {
			return err
		}
		out, err := roomFor(dst, dstCap, needed)
		if err != nil {
			return err
		}
		writeDigits(out, counter.Count())
		return nil
	})
}

//export go_cp_structure_capabilities
func go_cp_structure_capabilities(s *C.cp_in_structure, dst *C.char, dstCap C.int64_t, needed *C.int64_t, err *C.char,
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
		out.Write(strings.Join(catalogue.Capabilities(sp), " "))
		return nil
	})
}

// writeDigits writes a number in base 16, which takes time linear in its digits.
func writeDigits(out cabi.Room, number *big.Int) { out.Write(number.Text(16)) }

//export go_cp_structure_mean
func go_cp_structure_mean(s *C.cp_in_structure, dst *C.double, d C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
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

//export go_cp_structure_second_moment
func go_cp_structure_second_moment(s *C.cp_in_structure, dst *C.double, d C.int64_t, nWorkers C.int32_t,
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
		run, err := readTail(nWorkers, control)
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

//export go_cp_structure_moments
func go_cp_structure_moments(s *C.cp_in_structure, info *C.cp_moments_info, nWorkers C.int32_t, control *C.cp_control,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		if _, err := need[structure.Moments](sp, "Moments, to average ψ over the space"); err != nil {
			return err
		}
		out, err := cabi.OutRecord(info, "info", false)
		if err != nil {
			return err
		}
		run, err := readTail(nWorkers, control)
		if err != nil {
			return err
		}
		found := new(structure.MomentsInfo)
		if err := parallel.Detached(run.mon, func() error {
			if a, ok := sp.(structure.Approximator); ok {
				*found = a.MomentsInfo()
			}
			return nil
		}); err != nil {
			return err
		}
		result := C.cp_moments_info{standard_error: C.double(found.StandardError)}
		cabi.PutName(result.kind[:], catalogue.Moments.Of(int(found.Kind)))
		out.Set(result)
		return nil
	})
}

func spaceWithMoments(s *C.cp_in_structure, d C.int64_t) (structure.Space, structure.Moments, error) {
	sp, err := space(s)
	if err != nil {
		return nil, nil, err
	}
	moments, err := need[structure.Moments](sp, "Moments, to average ψ over the space")
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
		run, err := readTail(nWorkers, control)
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
		run, err := readTail(nWorkers, control)
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
func go_cp_custom_check(s *C.cp_in_structure, psi *C.cp_in_f64, n, d C.int64_t, nWorkers C.int32_t, control *C.cp_control,
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
		run, err := readTail(nWorkers, control)
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

package main

// #include "combpred.h"
import "C"

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/control"
	"combpred/core/control/spaces"
	"combpred/core/custom"
	"combpred/core/linalg"
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
		if description.text_len > spaces.MaxText {
			return cabi.Illegal("structure.text has %d bytes, at most %d are allowed", int64(description.text_len), spaces.MaxText)
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
	if text == nil && length != 0 {
		return nil, cabi.Illegal("names is NULL, but has %d bytes", int64(length))
	}
	list, err := cabi.View[byte](unsafe.Pointer(text), "names", length)
	if err != nil || text == nil {
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
	return guard(err, errCap, func() error {
		room, err := roomFor(dst, dstCap, needed)
		if err != nil {
			return err
		}
		facts, err := control.SpaceFacts(uint64(s))
		if err == nil {
			room.Write(facts)
		}
		return err
	})
}

func doSpaceCount(a *spaceCountArgs) error {
	counter, err := need[structure.Counter](a.space, "the number of its outputs")
	if err != nil {
		return err
	}
	if n := counter.Count(); n != nil {
		writeDigits(a.room, n)
		return nil
	}
	need := "the number of its outputs, which is not known at this size"
	return &structure.CapabilityError{Structure: structure.Describe(a.space), Need: need}
}

// namesAtOnce is how many names or cells are written between looks at the control block.
const namesAtOnce = 1 << 14

func doSpaceNames(a *spaceNamesArgs) error {
	var text strings.Builder
	i := 0
	for name := range structure.NamesOf(a.space) {
		if i%namesAtOnce == 0 && a.mon.Err() != nil {
			return a.mon.Err()
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(inOneLine(name))
		i++
	}
	a.room.Write(text.String())
	return nil
}

// inOneLine returns a name with its control characters, such as line breaks, as they are written in programs.
func inOneLine(name string) string {
	if !strings.ContainsFunc(name, unicode.IsControl) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if unicode.IsControl(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// writeDigits writes a number in base 16, which takes time linear in its digits.
func writeDigits(out cabi.Room, number *big.Int) { out.Write(number.Text(16)) }

// momentsOf returns the moments of a space.
func momentsOf(s structure.Space) (structure.Momenter, error) {
	return need[structure.Momenter](s, "the mean and second moment of its embedding")
}

func doSpaceMoments(a *spaceMomentsArgs) error {
	moments, err := momentsOf(a.space)
	if err != nil {
		return err
	}
	facts, found, second := a.space.Facts(), new(float64), a.second
	if second.Data != nil && a.mon != nil {
		second = linalg.NewMatrix[float64](a.d, a.d) // the caller's is not touched after the call
	}
	if a.mean != nil {
		moments.Mean(a.mean)
	}
	if err := parallel.Detached(a.mon, func() error {
		if second.Data != nil {
			moments.SecondMoment(linalg.General(second))
		}
		if a.info.given && facts.StandardError != nil {
			*found = facts.StandardError()
		}
		return nil
	}); err != nil {
		return err
	}
	copy(a.second.Data, second.Data)
	result := C.cp_moments_info{standard_error: C.double(*found)}
	cabi.PutName(result.kind[:], catalogue.Moments.Of(int(facts.Moments)))
	a.info.to.Set(result)
	return nil
}

func doCustomKernel(a *customKernelArgs) error {
	if a.n < 1 {
		return cabi.Illegal("n is %d, must be at least 1", a.n)
	}
	if err := a.mon.Err(); err != nil {
		return err
	}
	found, err := custom.FromKernel(a.gram, a.mon)
	if err != nil {
		return err
	}
	copy(a.psi.Data, found.Data)
	a.d[0] = int64(found.Cols)
	return nil
}

func doCustomDraws(a *customDrawsArgs) error {
	if a.d < 1 || a.d > maxDrawn {
		return cabi.Illegal("d is %d, must be between 1 and %d", a.d, maxDrawn)
	}
	sum, err := custom.NewSums(a.sums, a.d)
	if err != nil {
		return err
	}
	if err := sum.Add(a.psi, a.mon); err != nil || a.moments == nil {
		return err
	}
	if a.sums[0] == 0 {
		return cabi.Illegal("moments take a draw at least")
	}
	largest := sum.MomentsTo(a.moments)
	if a.standardError != nil {
		a.standardError[0] = largest
	}
	return nil
}

// maxDrawn bounds d, so that sums of products are no more than can be addressed.
const maxDrawn = 1 << 14

func doCustomCheck(a *customCheckArgs) error {
	moments, err := momentsOf(a.space)
	if err == nil {
		err = a.mon.Err() // what SupportOf has kept answers at once
	}
	if err != nil {
		return err
	}
	support, err := custom.SupportOf(a.space, moments, a.mon)
	if err != nil {
		return err
	}
	return support.Check(a.psi)
}

func doCustomAgree(a *customAgreeArgs) error {
	if err := a.mon.Err(); err != nil {
		return err
	}
	moments, err := momentsOf(a.space)
	if err != nil {
		return err
	}
	if a.check == "rank" {
		return custom.CheckRank(a.space, moments, a.mon)
	}
	if err := custom.CheckDraws(a.psi); err != nil {
		return err
	}
	switch a.check {
	case "moments":
		return custom.CheckMoments(moments, a.psi)
	case "count":
		return custom.CheckCount(a.space, a.psi)
	case "moves":
		return custom.CheckMoves(a.psi)
	}
	return cabi.Illegal("check is '%s', must be moments, rank, count or moves", a.check)
}

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"combpred/core/catalogue"
	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/structure"
)

const (
	bufferBytes = 1 << 13
	maxSmall    = 8 // sizes that are not absurd: products of three of them, of doubles, fit a buffer
)

// absurd sizes are negative, or more than can be addressed together with any other dimension.
var absurd = []int64{-1, -8, math.MinInt64, math.MaxInt64, 1 << 48, 1 << 61, math.MinInt32, 1<<63 - 8}

// mostlyNone are fields that are zero or NULL in most calls that go far.
var mostlyNone = []string{"n_ints", "n_reals", "n_magnitude", "intercept", "margins", "first", "n_extensions", "partial",
	"stride"}

// caller makes up arguments as a caller with wrong sizes, NULL pointers and garbage in its buffers does. What it claims small buffers
// to hold is true: no library can check that.
type caller struct {
	draws, garbage, text []byte
	kept                 []*[bufferBytes / 8]uint64
}

func (c *caller) draw() int {
	if len(c.draws) == 0 {
		return 0
	}
	b := c.draws[0]
	c.draws = c.draws[1:]
	return int(b)
}

// size returns a small size mostly, an absurd one else.
func (c *caller) size() int64 {
	b := c.draw()
	if b >= 224 {
		return absurd[b%len(absurd)]
	}
	return int64(b % (maxSmall + 1))
}

// length returns the length of a buffer of n bytes mostly, an illegal one else.
func (c *caller) length(n int) int64 {
	switch b := c.draw(); {
	case b >= 240:
		return []int64{-1, math.MinInt64, math.MaxInt64, 1 << 48}[b%4]
	case b >= 224:
		return int64(b % (n + 1))
	}
	return int64(n)
}

// buffer returns the address of a buffer with the given start, repeated garbage after it; NULL now and then, and one that is not
// aligned.
func (c *caller) buffer(start []byte) unsafe.Pointer {
	buffer := new([bufferBytes / 8]uint64)
	c.kept = append(c.kept, buffer)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(buffer)), bufferBytes)
	if len(c.garbage) > 0 {
		for i := range bytes {
			bytes[i] = c.garbage[i%len(c.garbage)]
		}
	}
	copy(bytes, start)
	switch b := c.draw(); {
	case b >= 250:
		return nil
	case b >= 246:
		return unsafe.Add(unsafe.Pointer(buffer), 1)
	}
	return unsafe.Pointer(buffer)
}

// name returns the address of a name, which may be one of another parameter, or NULL.
func (c *caller) name() unsafe.Pointer {
	if c.draw() < 64 {
		return nil
	}
	lists := catalogue.Lists()
	list := lists[c.draw()%len(lists)].Names
	return c.buffer([]byte(list[c.draw()%len(list)] + "\x00"))
}

// record returns the address of a struct of the C type t: its own size, and sizes, names and buffers as drawn.
func (c *caller) record(t reflect.Type) unsafe.Pointer {
	out := c.buffer(nil)
	if out == nil || uintptr(out)%8 != 0 {
		return out
	}
	for i := range t.NumField() {
		field := unsafe.Add(out, t.Field(i).Offset)
		name, kind := t.Field(i).Name, t.Field(i).Type.Kind()
		switch {
		case name == "struct_size":
			*(*int64)(field) = c.length(int(t.Size()))
		case name == "text":
			*(*unsafe.Pointer)(field) = c.buffer(c.text)
		case name == "text_len":
			*(*int64)(field) = c.length(len(c.text))
		case slices.Contains(mostlyNone, name) && c.draw() < 128:
			*(*int64)(field) = 0
		case name == "first": // what it holds at its end is true, too
			*(*unsafe.Pointer)(field) = unsafe.Pointer(new([bufferBytes / 8]uint64))
		case name == "mapped": // never 1: what is given back would be lost here
			*(*int64)(field) = c.size() &^ 1
		case name == "bytes":
			*(*int64)(field) = c.length(bufferBytes)
		case kind == reflect.Pointer && t.Field(i).Type.Elem().Kind() == reflect.Int8 && name != "signs":
			*(*unsafe.Pointer)(field) = c.name()
		case kind == reflect.Pointer || kind == reflect.UnsafePointer:
			*(*unsafe.Pointer)(field) = c.buffer(nil)
		case kind == reflect.Float64:
			*(*float64)(field) = float64(c.draw()) / 2
		case kind == reflect.Int64 || kind == reflect.Uint64:
			*(*int64)(field) = c.size()
		}
	}
	return out
}

// arguments makes up the arguments of a function.
func (c *caller) arguments(f reflect.Type) []reflect.Value {
	var in []reflect.Value
	length := -1 // bytes of the buffer before, where the next argument says how many there are
	for i := range f.NumIn() {
		t := f.In(i)
		v := reflect.New(t).Elem()
		next := -1
		switch t.Kind() {
		case reflect.Int32, reflect.Int64:
			if length >= 0 {
				v.SetInt(c.length(length))
			} else {
				v.SetInt(c.size())
			}
		case reflect.Float64:
			v.SetFloat(float64(c.draw()) / 2)
		case reflect.Uint64:
			v.SetUint(uint64(c.draw()))
		case reflect.UnsafePointer:
			v.SetPointer(c.buffer(nil))
			next = bufferBytes
		case reflect.Pointer:
			var p unsafe.Pointer
			switch {
			case t.Elem().Kind() == reflect.Struct && strings.Contains(t.Elem().Name(), "control"):
				p = unsafe.Pointer(new([8]uint64)) // not cancelled
			case t.Elem().Kind() == reflect.Struct:
				p = c.record(t.Elem())
			case t.Elem().Kind() == reflect.Int8: // a name, or room for a text
				if p, next = c.name(), 4096; p == nil {
					p = c.buffer(nil)
				}
			default:
				p = c.buffer(nil)
			}
			v = reflect.NewAt(t.Elem(), p).Convert(t)
		}
		length = next
		in = append(in, v)
	}
	return in
}

// FuzzABI calls the entry points directly: each call must come back with a status.
func FuzzABI(f *testing.F) {
	var names []string
	for name := range entryPoints {
		names = append(names, name)
	}
	slices.Sort(names)
	even := bytes.Repeat([]byte{2}, 256) // all sizes agree with a set of two labels
	for which := range names {
		for _, text := range []string{`{"name":"permutations","n":3}`, `{"name":"labelsets","n":2}`, `{"name":"multiclass","n":3}`, `{`} {
			f.Add(uint8(which), []byte(text), []byte{0, 0, 0, 2, 0, 3}, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
			f.Add(uint8(which), []byte(text), []byte{0, 0, 0, 255, 2, 250}, []byte{1})
			f.Add(uint8(which), []byte(text), even, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
			f.Add(uint8(which), []byte(text), even, []byte{0, 0, 0, 0, 1, 0, 0, 0})
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text, draws, garbage []byte) {
		if len(text) > bufferBytes/2 {
			return
		}
		name := names[int(which)%len(names)]
		function := reflect.ValueOf(entryPoints[name])
		c := &caller{draws: draws, garbage: garbage, text: text}
		out := function.Call(c.arguments(function.Type()))
		// 5 reports a panic that was caught, so a bug.
		if status := out[0].Int(); status < 0 || status > 8 || status == 5 && name != "cp_test_panic" {
			t.Errorf("%s: status %d", name, status)
		}
		runtime.KeepAlive(c)
	})
}

// FuzzRidge trains on whatever options, numbers and weights come: a call must end with an error or with finite coefficients, and
// never with a panic.
func FuzzRidge(f *testing.F) {
	for _, loss := range fit.Losses {
		for _, solver := range fit.Solvers {
			f.Add(loss, solver, "single", 1.0, 1e-8, 0.0, 0, []byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(4), true)
		}
	}
	f.Add("auc", "closed-form", "double", 1e-300, 1e-3, 1.0, 1, []byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(4), false)
	f.Add("auc", "newton-cg", "single", 1e300, 1e-8, 0.0, 0, []byte("00000000"), uint8(0), true) // rounding leaves Newton-CG no direction
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, loss, solver, precision string, alpha, tol, shift float64, iterations int, raw []byte, rows uint8,
		gram bool) {
		opt := fit.Ridge{Loss: loss, Alpha: alpha, Tol: tol, MaxIter: iterations, Shift: shift, Solver: solver, Precision: precision,
			Workers: 1}
		if opt.Check() != nil {
			return
		}
		opt.MaxIter = min(opt.MaxIter, 200)
		if opt.MaxIter == 0 {
			opt.MaxIter = 200
		}
		m, d := 1+int(rows%9), space.FeatureLen()
		next := func() float64 {
			if len(raw) < 8 {
				return 0.5
			}
			v := math.Float64frombits(binary.LittleEndian.Uint64(raw))
			raw = raw[8:]
			return v
		}
		x, psi := linalg.NewMatrix[float64](m, m), linalg.NewMatrix[float64](m, d)
		for i := range x.Data {
			x.Data[i] = next()
		}
		for i := range psi.Data {
			psi.Data[i] = next()
		}
		k := x
		if gram { // a legal kernel matrix, otherwise anything
			k = linalg.NewMatrix[float64](m, m)
			linalg.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, k)
		}
		weights := make([]float64, m)
		for i := range weights {
			weights[i] = math.Abs(next())
		}
		work, err := opt.WorkBytes(space, m, opt.Precision)
		if err != nil {
			t.Fatal(err)
		}
		dual := linalg.NewMatrix[float64](m, d)
		info, err := opt.Kernel(space, k, fit.Targets{Psi: psi, Weights: weights},
			make([]float32, work/4), make([]float64, work/8), dual, nil)
		var partial *solve.NotConvergedError
		if err != nil && !errors.As(err, &partial) {
			return
		}
		for i, v := range dual.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("coefficient %d is %g (%+v, error %v)", i, v, info, err)
			}
		}
	})
}

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/capi/internal/cabitest"
	"combpred/capi/internal/header"
	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/structure"
)

// tables are all that calls are made up from.
func tables(t testing.TB) cabitest.Tables {
	found, err := header.Read("combpred.h")
	if err != nil {
		t.Fatal(err)
	}
	return cabitest.Interface(found, exported)
}

// TestTablesAreComplete: each function, parameter, struct and field of the header has a row, and nothing else has.
func TestTablesAreComplete(t *testing.T) {
	for _, problem := range tables(t).Problems() {
		t.Error(problem)
	}
}

// called are the functions that are called in any order.
func called() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(exported)), func(name string) bool { return slices.Contains(processWide, name) })
}

// answers checks what came of a call, whatever the arguments.
func answers(t *testing.T, name string, c *cabitest.Caller) cabitest.Answer {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the name of the function is more use than a crash
	_ = c.Arena.Reset()                                      // what a call has left that panicked
	a := c.Call(name)
	if err := c.Arena.Reset(); err != nil {
		t.Errorf("%s with %v: %v", name, c.Draws, err)
	}
	for _, problem := range a.Problems() {
		if name != "cp_test_panic" {
			t.Errorf("%s on %s with %v: %s", name, c.Kind.Text, c.Draws, problem)
		}
	}
	return a
}

func arena(t testing.TB) *cabitest.Arena {
	a, err := cabitest.NewArena(128)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLegalCallsAreAnswered: the tables' legal calls must do something, for one structure at least, or mistakes in them would hide.
func TestLegalCallsAreAnswered(t *testing.T) {
	memory, all := arena(t), tables(t)
	for _, name := range called() {
		// Sessions follow what opens them.
		messages, done := map[string]bool{}, name == "cp_test_panic" || strings.HasPrefix(name, "cp_session_")
		for _, kind := range cabitest.Kinds() {
			a := answers(t, name, &cabitest.Caller{Tables: all, Arena: memory, Kind: kind})
			done = done || a.Called && a.Status == 0
			messages[a.Message] = true
		}
		if !done {
			t.Errorf("no legal call of %s is answered: %q", name, slices.Collect(maps.Keys(messages)))
		}
	}
}

// TestEachArgumentMayBeWrong makes each argument and each field wrong in every way, one at a time, in calls that are legal otherwise.
func TestEachArgumentMayBeWrong(t *testing.T) {
	memory, all, kinds := arena(t), tables(t), cabitest.Kinds()
	garbage := []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}
	turn := 0
	for _, name := range called() {
		for at, most, ways := 0, 1, cabitest.Ways; at < most; at++ {
			for i := 0; i < len(ways); i++ {
				turn++
				wrong := ways[i]
				if wrong >= 200 {
					wrong += byte(turn % 2)
				}
				c := &cabitest.Caller{Tables: all, Arena: memory, Kind: kinds[turn%len(kinds)], Garbage: garbage[turn%5:],
					Draws: append(make([]byte, at), wrong)}
				answers(t, name, c)
				most = max(most, c.Taken)
				if i == 0 && slices.Contains(c.Named, at) {
					ways = slices.Concat(cabitest.Ways, cabitest.Names)
				}
			}
			ways = cabitest.Ways
		}
	}
	t.Logf("%d calls", turn)
}

// FuzzABI calls the entry points with whatever is wrong: each call must come back with a status, and touch nothing but the caller's
// buffers.
func FuzzABI(f *testing.F) {
	names, all, kinds, memory := called(), tables(f), cabitest.Kinds(), arena(f)
	for which := range names {
		f.Add(uint8(which), uint8(which), "", []byte{}, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
		f.Add(uint8(which), uint8(which+7), "{", bytes.Repeat([]byte{1}, 80), []byte{0})
	}
	f.Fuzz(func(t *testing.T, which, kind uint8, text string, draws, garbage []byte) {
		k := kinds[int(kind)%len(kinds)]
		if text != "" && len(text) < 1000 {
			k = k.Described(text)
			defer k.Close()
		}
		caller := &cabitest.Caller{Tables: all, Arena: memory, Kind: k, Garbage: garbage, Draws: draws, MostIter: 1 << 14}
		answers(t, names[int(which)%len(names)], caller)
	})
}

// processWide are functions that are not fuzzed: they load code from paths, or change what the process computes on.
var processWide = []string{"cp_blas_open", "cp_blas_activate"}

func TestEveryExportIsDeclared(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no source files", err)
	}
	var found []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^//export go_(cp_\w+)$`).FindAllStringSubmatch(string(source), -1) {
			found = append(found, match[1])
		}
	}
	slices.Sort(found)
	if declared := slices.Sorted(maps.Keys(exported)); !slices.Equal(found, declared) {
		t.Errorf("exported in Go: %v\ndeclared in combpred.h: %v", found, declared)
	}
}

// FuzzRidge trains on whatever options, numbers and weights come: a call must end with an error or with finite coefficients, and
// never with a panic.
func FuzzRidge(f *testing.F) {
	for _, loss := range fit.Losses {
		for _, solver := range fit.Solvers {
			f.Add(string(loss), string(solver), "single", 1.0, 1e-8, 0.0, 0, []byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(4), true)
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
		opt := fit.Ridge{Loss: fit.Loss(loss), Alpha: alpha, Tol: tol, MaxIter: iterations, Shift: shift,
			Solver: fit.Solver(solver), Precision: fit.Precision(precision), Workers: 1}
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

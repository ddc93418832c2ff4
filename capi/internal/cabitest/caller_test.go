package cabitest

import (
	"go/parser"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"combpred/capi/internal/header"
	"combpred/core/slicex"
)

const declarations = `
/* int32_t cp_not(int64_t n); */
typedef struct cp_rows {
  int64_t struct_size;
  int64_t n, d; /* sizes */
  cp_in_f64 *x; /* [n, d] */
} cp_rows;
typedef const cp_rows cp_in_rows;
int32_t cp_sum(cp_in_rows *rows, cp_in_char *method,
               double *dst, char *err, int64_t err_cap);
`

type rows struct {
	struct_size int64
	n, d        int64
	x           *float64
}

// sum is a function of an interface: it adds up x, and skips as many entries as it is told to by mistake.
func sum(skip int, writes bool) func(r *rows, method *byte, dst *float64, err *byte, errCap int64) int32 {
	return func(r *rows, method *byte, dst *float64, err *byte, errCap int64) int32 {
		if r == nil || r.struct_size < int64(unsafe.Sizeof(*r)) { // behind that there is nothing
			return 1
		}
		if r.n < 0 || r.d < 0 || r.n > 100 || r.d > 100 || r.n*r.d > 0 && r.x == nil || dst == nil {
			return 1
		}
		*dst = 0
		for i := range int(r.n * r.d) {
			*dst += *(*float64)(unsafe.Add(unsafe.Pointer(r.x), 8*(i+skip)))
		}
		if writes {
			r.d = 0
		}
		return 0
	}
}

func tablesOf(t *testing.T, function any) Tables {
	path := filepath.Join(t.TempDir(), "x.h")
	if err := os.WriteFile(path, []byte(declarations), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := header.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return Tables{found, map[string]any{"cp_sum": function}, Row{"n": "n", "d": "d", "struct_size": "0"},
		map[string]Row{"cp_sum": {"rows": "", "method": "name(RIDGE_LOSSES)", "dst": "out(1)", "err": "room(err_cap)", "err_cap": "100"}},
		map[string]Row{"cp_rows": {"x": "ones(n, d)"}}, map[string]int64{"n": 3, "d": 2}}
}

func TestLegalCallsAreMade(t *testing.T) {
	a, err := NewArena(10)
	if err != nil {
		t.Fatal(err)
	}
	tables := tablesOf(t, sum(0, false))
	if problems := tables.Problems(); len(problems) > 0 {
		t.Error(problems)
	}
	answer := (&Caller{Tables: tables, Arena: a}).Call("cp_sum")
	if dst := (*float64)(answer.top.buffers["dst"]); !answer.Called || answer.Status != 0 || *dst != 6 {
		t.Errorf("%+v, the sum is %g, must be 6", answer, *dst)
	}
}

// TestMistakesOfFunctionsAreFound: what reads beyond a buffer, or writes to what it may only read, must not get away with any arguments.
func TestMistakesOfFunctionsAreFound(t *testing.T) {
	a, err := NewArena(10)
	if err != nil {
		t.Fatal(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	found := func(function any) (count int) {
		tables := tablesOf(t, function)
		for at := range 8 {
			for _, wrong := range slices.Concat(Ways, Names) {
				func() {
					defer func() {
						if recover() != nil {
							count++
						}
						if a.Reset() != nil {
							count++
						}
					}()
					(&Caller{Tables: tables, Arena: a, Draws: append(make([]byte, at), wrong), Garbage: []byte{1}}).Call("cp_sum")
				}()
			}
		}
		return count
	}
	if n := found(sum(0, false)); n != 0 {
		t.Errorf("%d mistakes are found where there are none", n)
	}
	for name, function := range slicex.InOrder(map[string]any{"reads on": sum(1, false), "writes": sum(0, true)}) {
		if n := found(function); n < 100 {
			t.Errorf("%d mistakes are found in a function that %s", n, name)
		}
	}
}

func TestMistakesInTablesAreFound(t *testing.T) {
	for want, spoil := range slicex.InOrder(map[string]func(t *Tables){
		"nothing about dst":     func(t *Tables) { delete(t.Arguments["cp_sum"], "dst") },
		"has no more":           func(t *Tables) { t.Arguments["cp_sum"]["more"] = "1" },
		"cp_rows is not in":     func(t *Tables) { delete(t.Fields, "cp_rows") },
		"cp_gone is not in":     func(t *Tables) { t.Arguments["cp_gone"] = Row{"n": "n"} },
		`rows is "out(1)"`:      func(t *Tables) { t.Arguments["cp_sum"]["rows"] = "out(1)" },
		"nothing about x":       func(t *Tables) { t.Fields["cp_rows"]["x"] = "anything" },
		"cp_sum is not in":      func(t *Tables) { delete(t.Arguments, "cp_sum") },
		"cp_rows has no column": func(t *Tables) { t.Fields["cp_rows"]["column"] = "n" },
	}) {
		tables := tablesOf(t, sum(0, false))
		spoil(&tables)
		if problems := strings.Join(tables.Problems(), "; "); !strings.Contains(problems, want) {
			t.Errorf("%q, must say that %s", problems, want)
		}
	}
}

// TestAbsurdLengthsAreNotLookedUp: where so many numbers cannot be, the last of them is not read.
func TestAbsurdLengthsAreNotLookedUp(t *testing.T) {
	arena, err := NewArena(4)
	if err != nil {
		t.Fatal(err)
	}
	in := newScope(nil)
	first := arena.Take(24)
	copy(unsafe.Slice((*int64)(first), 3), []int64{0, 2, 5})
	in.buffers["first"] = first
	last, err := parser.ParseExpr("last(first, n)")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range slicex.InOrder(map[float64]float64{2: 5, -1: -1, 1<<61 + 4096: 1<<61 + 4096, math.MinInt64: math.MinInt64}) {
		in.numbers["n"] = n
		if got := (evaluator{c: &Caller{Arena: arena}, in: in, top: in}).value(last); got != want {
			t.Errorf("the last of %v numbers is %v", n, got)
		}
	}
}

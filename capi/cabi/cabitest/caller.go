package cabitest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"combpred/core/catalogue"
)

// absurd sizes are negative, or more than can be addressed together with any other dimension.
var absurd = []int64{-1, -8, math.MinInt64, math.MaxInt64, 1 << 48, 1 << 61, math.MinInt32, 1<<63 - 8}

var special = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300, 1e-300, 0, 1 << 40}

// Result is the expression of a field that is written only.
const Result = "result"

// Ways are draws for all the ways in which an argument may be wrong, or differ from the usual one, and Names those for other names.
var (
	Ways = []byte{1, 2, 200, 201, 203, 208, 212, 220, 221, 222, 223, 224, 225, 226, 227, 228, 232, 236, 237, 238, 239, 240, 241, 242, 243, 244,
		245, 247, 251, 255}
	Names = []byte{3, 4, 5, 6, 7, 8, 9, 10, 11}
)

// legalDraws are the bytes for which an argument is legal.
const legalDraws = 200

// slot is a place to write an argument to.
type slot struct {
	Declared
	spec  string
	at    unsafe.Pointer
	scope *scope
}

// Row says what the names of a function or struct stand for, as expressions.
type Row map[string]string

// Tables say what the interface consists of.
type Tables struct {
	Header            Header
	Functions         map[string]any // the entry points in Go
	Everywhere        Row            // names that stand for the same in all functions and structs
	Arguments, Fields map[string]Row
	Legal             map[string]int64
}

// lookUp returns what a row, or everywhere, has for a name.
func (t Tables) lookUp(r Row, name string) (string, bool) {
	if spec, ok := r[name]; ok {
		return spec, true
	}
	if spec, ok := r["*"]; ok {
		return spec, true
	}
	spec, ok := t.Everywhere[name]
	return spec, ok
}

// Problems says what the tables lack, and what they have beside the header.
func (t Tables) Problems() (all []string) {
	compare := func(what string, rows map[string]Row, declared map[string][]Declared) {
		for owner, row := range rows {
			if declared[owner] == nil && len(row) > 0 {
				all = append(all, fmt.Sprintf("%s %s is not in the header", what, owner))
			}
			for name := range row {
				if name != "*" && !slices.ContainsFunc(declared[owner], func(d Declared) bool { return d.Name == name }) {
					all = append(all, fmt.Sprintf("%s has no %s", owner, name))
				}
			}
		}
		for owner, names := range declared {
			row, ok := rows[owner]
			if !ok {
				all = append(all, fmt.Sprintf("%s %s is not in the tables", what, owner))
				continue
			}
			for _, d := range names {
				spec, ok := t.lookUp(row, d.Name)
				if !ok {
					all = append(all, fmt.Sprintf("%s: the tables have nothing about %s", owner, d.Name))
				}
				if isStruct := t.Header.record(d) != ""; isStruct != slices.Contains([]string{"", "optional", "absent"}, spec) && spec != Result {
					all = append(all, fmt.Sprintf("%s: %s is %q, though it is of the type %s", owner, d.Name, spec, d.ctype))
				}
			}
		}
	}
	compare("the function", t.Arguments, t.Header.Functions)
	compare("the struct", t.Fields, t.Header.Structs)
	return all
}

// Caller makes up the arguments of a call: a byte of Draws for each argument and field, one after the other, says how it is wrong, if at
// all. What it claims its buffers to hold is true: no library can check that.
type Caller struct {
	Tables
	Arena          *Arena
	Kind           Kind
	Draws, Garbage []byte
	Taken          int   // how many draws were used
	Named          []int // which of them were for names

	slots  []slot
	sealed []unsafe.Pointer
	untrue bool // what is claimed would take more memory than there is
}

func (c *Caller) draw() int {
	c.Taken++
	if len(c.Draws) < c.Taken {
		return 0
	}
	return int(c.Draws[c.Taken-1])
}

// Answer is what came of a call.
type Answer struct {
	Called  bool // no true call could be made up otherwise
	Status  int64
	Message string
	room    []byte // for the message
	top     *scope
}

// Problems says what is wrong with an answer to any call: a status that there is not, a bug, or a message that is no text.
func (a Answer) Problems() (all []string) {
	if !a.Called {
		return nil
	}
	if a.Status < 0 || a.Status > 8 || a.Status == 5 {
		all = append(all, fmt.Sprintf("status %d: %s", a.Status, a.Message))
	}
	if a.Status != 0 && len(a.room) > 0 && (bytes.IndexByte(a.room, 0) < 0 || !utf8.ValidString(a.Message)) {
		all = append(all, fmt.Sprintf("the message is %q", a.room))
	}
	return all
}

// Call makes a call.
func (c *Caller) Call(name string) Answer { return c.call(name, nil) }

// call makes one, with the given parameters as far as they are.
func (c *Caller) call(name string, given map[string]reflect.Value) Answer {
	f := reflect.ValueOf(c.Functions[name])
	top := newScope(nil)
	var parameters []reflect.Value
	for i, d := range c.Header.Functions[name] {
		v := reflect.New(f.Type().In(i)).Elem()
		parameters = append(parameters, v)
		if g, ok := given[d.Name]; ok {
			v.Set(g.Convert(v.Type()))
			continue
		}
		c.plan(name, d, c.Arguments[name], v, top)
	}
	slots := c.slots
	slices.SortStableFunc(slots, func(a, b slot) int { return a.phase() - b.phase() })
	for _, s := range slots {
		c.write(s, top)
	}
	if c.untrue {
		return Answer{top: top}
	}
	for _, p := range c.sealed {
		c.Arena.Seal(p)
	}
	answer := Answer{Called: true, Status: f.Call(parameters)[0].Int(), top: top}
	if p := top.buffers["err"]; p != nil && answer.Status != 0 && top.numbers["err_cap"] > 0 {
		answer.room = bytes.Clone(unsafe.Slice((*byte)(p), int(min(top.numbers["err_cap"], 8000))))
		answer.Message = string(answer.room[:max(bytes.IndexByte(answer.room, 0), 0)])
	}
	return answer
}

// plan finds the places to write to: structs get their memory, whose fields follow.
func (c *Caller) plan(owner string, d Declared, r Row, v reflect.Value, in *scope) {
	spec, ok := c.lookUp(r, d.Name)
	if !ok {
		panic(fmt.Sprintf("cabitest: the tables have nothing about %s of %s", d.Name, owner))
	}
	if spec == Result {
		return
	}
	name := c.Header.record(d)
	if name == "" {
		c.slots = append(c.slots, slot{d, spec, v.Addr().UnsafePointer(), in})
		return
	}
	b := c.draw()
	if b >= legalDraws && b < 210 || b < legalDraws && (spec == "optional" && b%2 == 1 || spec == "absent" && b%2 == 0) {
		return // NULL
	}
	t := v.Type().Elem()
	size := int64(t.Size())
	claimed := size
	if b >= 220 {
		claimed = append(slices.Clone(absurd), 0, 8, size-8, size+8, 1000, 4096, 4104)[b%15]
	}
	extra := 0
	if b >= 210 && b < 220 { // it is not aligned
		extra = 1
	}
	bytes := int(max(size, min(claimed, 8192))) + extra
	memory := c.Arena.Take(bytes)
	clear(unsafe.Slice((*byte)(memory), bytes))
	if d.constant() {
		c.sealed = append(c.sealed, memory)
	}
	v.Set(reflect.NewAt(t, memory).Convert(v.Type()))
	inner := newScope(in)
	in.records[d.Name] = record{inner, v}
	for i, field := range c.Header.Structs[name] {
		at := reflect.NewAt(t.Field(i).Type, unsafe.Add(memory, t.Field(i).Offset)).Elem()
		if field.Name == "struct_size" {
			*(*int64)(at.Addr().UnsafePointer()) = claimed
			continue
		}
		c.plan(name, field, c.Fields[name], at, inner)
	}
}

// phase says when a slot is written: first the numbers and names, from which lengths follow; last what hangs on what others hold.
func (s slot) phase() int {
	switch {
	case !s.pointer() && strings.Contains(s.spec, "ask("):
		return 2
	case !s.pointer():
		return 0
	case strings.HasPrefix(s.spec, "name("), strings.HasPrefix(s.spec, "word("), s.scope.above != nil && strings.HasPrefix(s.spec, "description"):
		return 1
	case strings.Contains(s.spec, "ends(") || strings.Contains(s.spec, "ask("):
		return 4
	}
	return 3
}

// write writes an argument.
func (c *Caller) write(s slot, top *scope) {
	spec, err := parser.ParseExpr(s.spec)
	if err != nil {
		panic(fmt.Sprintf("%s is %q: %v", s.Name, s.spec, err))
	}
	b := c.draw()
	if !s.pointer() {
		c.number(s, spec, b, top)
		return
	}
	call := spec.(*ast.CallExpr)
	switch name := call.Fun.(*ast.Ident).Name; name {
	case "name", "word":
		var names []string
		for _, key := range call.Args {
			if text, ok := key.(*ast.BasicLit); ok {
				names = append(names, strings.Trim(text.Value, `"`))
			} else {
				names = append(names, namesOf(key.(*ast.Ident).Name)...)
			}
		}
		*(*unsafe.Pointer)(s.at) = c.name(s, names, b)
		return
	case "maybe", "rarely":
		if b < legalDraws && (b%2 == 1) == (name == "maybe") {
			return
		}
		call = call.Args[0].(*ast.CallExpr)
	}
	*(*unsafe.Pointer)(s.at) = c.buffer(s, call, b, top)
}

func namesOf(key string) []string {
	for _, list := range catalogue.Lists() {
		if list.Key == key {
			return list.Names
		}
	}
	panic("no list " + key)
}

// number writes a number, which may be too small, too large or absurd.
func (c *Caller) number(s slot, spec ast.Expr, b int, top *scope) {
	one := evaluator{c: c, top: top, draw: b}
	value := one.value(spec)
	whole := int64(value)
	switch {
	case b < legalDraws:
	case b < 220:
		whole = int64(b % 9)
	case b < 228:
		whole++
	case b < 236:
		whole--
	default:
		whole = absurd[b%8]
	}
	if call, ok := spec.(*ast.CallExpr); ok && call.Fun.(*ast.Ident).Name == "but" && float64(whole) == one.value(call.Args[1]) {
		whole = int64(value)
	}
	s.scope.numbers[s.Name] = float64(whole)
	switch s.ctype {
	case "double":
		if b >= legalDraws {
			value = special[b%8]
		}
		s.scope.numbers[s.Name] = value
		*(*float64)(s.at) = value
	case "int32_t":
		*(*int32)(s.at) = int32(whole)
	case "int64_t", "uint64_t":
		*(*int64)(s.at) = whole
	default:
		panic("no number is of the type " + s.ctype)
	}
}

// name returns the address of a name, which may be one of another parameter, no name at all, or not end.
func (c *Caller) name(s slot, names []string, b int) unsafe.Pointer {
	c.Named = append(c.Named, c.Taken-1)
	text := names[b%len(names)] + "\x00"
	switch {
	case b < legalDraws:
	case b < 210:
		return nil
	case b < 220:
		lists := catalogue.Lists()
		list := lists[b%len(lists)].Names
		text = list[b%len(list)] + "\x00"
	case b < 230:
		text = strings.Repeat("x", 64+b)
	case b < 240:
		text = "\x00"
	default:
		text = "\xff\xc3\x28é\x00"
	}
	s.scope.texts[s.Name] = strings.TrimSuffix(text, "\x00")
	p := c.Arena.Take(len(text))
	copy(unsafe.Slice((*byte)(p), len(text)), text)
	c.sealed = append(c.sealed, p)
	return p
}

// width returns the bytes of an entry.
func (s slot) width() int {
	number := strings.TrimSuffix(s.ctype, " *")
	if number == "cp_in_void" {
		number = s.scope.texts["type"]
	}
	if n, err := strconv.Atoi(regexp.MustCompile(`\d*$`).FindString(strings.TrimSuffix(number, "_t"))); err == nil {
		return n / 8
	}
	if number == "char" || number == "cp_in_char" || number == "void" {
		return 1
	}
	return 8
}

// put writes an entry of a buffer.
func (s slot) put(p unsafe.Pointer, width int, v float64) {
	number := strings.TrimSuffix(s.ctype, " *")
	if number == "cp_in_void" {
		number = s.scope.texts["type"]
	}
	switch {
	case strings.HasPrefix(number, "float"), number == "cp_in_f64", number == "double", number == "":
		if width == 4 {
			*(*float32)(p) = float32(v)
		} else {
			*(*float64)(p) = v
		}
	case width == 8:
		*(*int64)(p) = int64(v)
	case width == 4:
		*(*int32)(p) = int32(int64(v))
	case width == 2:
		*(*int16)(p) = int16(int64(v))
	default:
		*(*int8)(p) = int8(int64(v))
	}
}

// buffer returns the address of a buffer as long as the call claims it to be, before a page that nobody may touch. It may be NULL, or not
// aligned, or hold garbage.
func (c *Caller) buffer(s slot, spec *ast.CallExpr, b int, top *scope) unsafe.Pointer {
	content, dims := spec.Fun.(*ast.Ident).Name, []int64{}
	width, total := s.width(), 1.0
	for _, e := range spec.Args {
		v := (&evaluator{c: c, top: top, in: s.scope}).value(e)
		dims = append(dims, int64(v))
		if total *= v; v < 0 && content != "room" {
			total = math.Inf(1)
		}
	}
	entries := 0
	switch {
	case content == "room":
		entries = int(max(0, min(total, 8000)))
	case total == 0 || math.IsNaN(total) || total*float64(width) > 1<<47: // nothing, or refused before anything is read
	case !c.Arena.Fits(int64(total)*int64(width) + 1):
		c.untrue = true
	default:
		entries = int(total)
	}
	if b >= legalDraws && b < 210 {
		return nil
	}
	extra := 0
	if b >= 210 && b < 220 {
		extra = 1
	}
	p := c.Arena.Take(entries*width + extra)
	if s.constant() {
		c.sealed = append(c.sealed, p)
	}
	s.scope.buffers[s.Name] = p
	if content == "description" {
		c.Kind.describe(s.Name, unsafe.Slice((*byte)(p), entries*width))
	} else {
		for i := range entries {
			s.put(unsafe.Add(p, i*width), width, contents[content](c.Kind, dims, i))
		}
	}
	raw := unsafe.Slice((*byte)(p), entries*width)
	switch {
	case b >= 240 && entries > 0:
		s.put(unsafe.Add(p, b%7%entries*width), width, special[b%8])
	case b >= 220 && len(c.Garbage) > 0:
		for i := range raw {
			raw[i] = c.Garbage[i%len(c.Garbage)]
		}
	}
	return p
}

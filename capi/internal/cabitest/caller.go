package cabitest

import (
	"bytes"
	"combpred/capi/internal/header"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Result is the expression of a field that is written only.
const Result = "result"

// Ways are draws for all the ways in which an argument may be wrong, or differ from the usual one; those from 200 on come in pairs with the
// next, which is much the same. Names are draws for other names.
var (
	Ways  = []byte{1, 2, 200, 208, 212, 220, 222, 224, 226, 228, 232, 236, 238, 240, 242, 244, 246, 250, 254}
	Names = []byte{3, 4, 5, 6, 7, 8, 9, 10, 11}
)

// legalDraws are the bytes for which an argument is legal.
const legalDraws = 200

// slot is a place to write an argument to.
type slot struct {
	header.Declared
	spec  string
	at    unsafe.Pointer
	scope *scope
}

// Caller makes up the arguments of a call: a byte of Draws for each argument and field, one after the other, says how it is wrong, if at
// all. What it claims its buffers to hold is true: no library can check that.
type Caller struct {
	Tables
	Arena          *Arena
	Kind           Kind
	Draws, Garbage []byte
	MostIter       int64 // iterations that a solver is asked for, as some never end on numbers that overflow; 0: any
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
	Ended   []Answer
	room    []byte // for the message
	top     *scope
}

// Problems says what is wrong with an answer to any call: a status that there is not, a bug, or a message that is no text.
func (a Answer) Problems() (all []string) {
	if !a.Called {
		return nil
	}
	if a.Status < 0 || a.Status > 10 || a.Status == 5 || a.Status == 9 {
		all = append(all, fmt.Sprintf("status %d: %s", a.Status, a.Message))
	}
	for _, later := range a.Ended {
		all = append(all, later.Problems()...)
	}
	if n := len(a.Ended); n > 0 && a.Ended[n-1].Status != 0 {
		all = append(all, fmt.Sprintf("what it opens is not closed: status %d, %s", a.Ended[n-1].Status, a.Ended[n-1].Message))
	}
	if a.Status != 0 && len(a.room) > 0 && (bytes.IndexByte(a.room, 0) < 0 || !utf8.ValidString(a.Message)) {
		all = append(all, fmt.Sprintf("the message is %q", a.room))
	}
	return all
}

// Call makes a call. Where that opens a session, some requests of it follow, and what it opens is closed: Ended is then what came of
// these.
func (c *Caller) Call(name string) Answer {
	if c.Kind.facts != nil {
		c.Kind.open()
	}
	a := c.call(name, nil)
	if !a.Called || a.Status != 0 {
		return a
	}
	follow := func(opened, name string) {
		calm := &Caller{Tables: c.Tables, Arena: c.Arena, Kind: c.Kind}
		handle := reflect.ValueOf(*(*uint64)(a.top.buffers[opened]))
		a.Ended = append(a.Ended, calm.call(name, map[string]reflect.Value{opened: handle}))
	}
	switch {
	case name == "cp_space_open":
		follow("space", "cp_space_facts")
		follow("space", "cp_space_close")
	case strings.HasSuffix(name, "_start"):
		for range requests {
			follow("session", "cp_session_next")
		}
		follow("session", "cp_session_close")
	}
	return a
}

// requests is how many requests of a session are looked at.
const requests = 4

// call makes one, with the fixed parameters, and others that are legal.
func (c *Caller) call(name string, fixed map[string]reflect.Value) Answer {
	f := reflect.ValueOf(c.Functions[name])
	top := newScope(nil)
	var parameters []reflect.Value
	for i, d := range c.Header.Functions[name] {
		v := reflect.New(f.Type().In(i)).Elem()
		parameters = append(parameters, v)
		if g, ok := fixed[d.Name]; ok {
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
func (c *Caller) plan(owner string, d header.Declared, r Row, v reflect.Value, in *scope) {
	spec, ok := c.lookUp(r, d)
	if !ok {
		panic(fmt.Sprintf("cabitest: the tables have nothing about %s of %s", d.Name, owner))
	}
	if spec == Result {
		return
	}
	name := c.Header.Record(d)
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
	sized := c.Header.Structs[name][0].Name == "struct_size"
	short := sized && claimed >= 8 && claimed < size // as those of an older version: there is nothing behind what is claimed
	bytes := int(max(size, min(claimed, 8192))) + extra
	if short {
		bytes = int(claimed) + extra
	}
	memory := c.Arena.Take(bytes)
	clear(unsafe.Slice((*byte)(memory), bytes))
	if d.Constant() {
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
		if short && int64(t.Field(i).Offset+t.Field(i).Type.Size()) > claimed {
			inner.numbers[field.Name] = 0
			continue
		}
		c.plan(name, field, c.Fields[name], at, inner)
	}
}

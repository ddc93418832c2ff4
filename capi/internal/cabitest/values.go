package cabitest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"combpred/core/catalogue"
)

// absurd sizes are negative, or more than can be addressed together with any other dimension.
var absurd = []int64{-1, -8, math.MinInt64, math.MaxInt64, 1 << 48, 1 << 61, math.MinInt32, 1<<63 - 8}

var special = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300, 1e-300, 0, 1 << 40}

// phase says when a slot is written: first the numbers and names, from which lengths follow; last what hangs on what others hold.
func (s slot) phase() int {
	switch {
	case !s.Pointer() && strings.Contains(s.spec, "ask("):
		return 2
	case !s.Pointer():
		return 0
	case strings.HasPrefix(s.spec, "name("), strings.HasPrefix(s.spec, "word("), strings.HasPrefix(s.spec, "description("):
		return 1
	case strings.Contains(s.spec, "last(") || strings.Contains(s.spec, "ask("):
		return 4
	}
	return 3
}

var parsed = map[string]ast.Expr{}

// parse reads an expression of the tables.
func parse(spec string) ast.Expr {
	if parsed[spec] == nil {
		expr, err := parser.ParseExpr(spec)
		if err != nil {
			panic(fmt.Sprintf("cabitest: the tables have %q: %v", spec, err))
		}
		parsed[spec] = expr
	}
	return parsed[spec]
}

// write writes an argument.
func (c *Caller) write(s slot, top *scope) {
	spec, b := parse(s.spec), c.draw()
	if !s.Pointer() {
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
	if s.Name == "max_iter" && c.MostIter > 0 {
		whole = min(whole, c.MostIter)
	}
	s.scope.numbers[s.Name] = float64(whole)
	switch s.CType {
	case "double":
		if b >= legalDraws {
			value = special[b%8]
		}
		s.scope.numbers[s.Name] = value
		*(*float64)(s.at) = value
	case "int32_t":
		*(*int32)(s.at) = int32(whole)
	case "int64_t", "uint64_t", "cp_space", "cp_session":
		*(*int64)(s.at) = whole
	default:
		panic("no number is of the type " + s.CType)
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

var bits = regexp.MustCompile(`\d*$`)

// width returns the bytes of an entry.
func (s slot) width() int {
	number := strings.TrimSuffix(s.CType, " *")
	if number == "cp_in_void" {
		number = s.scope.texts["type"]
	}
	if n, err := strconv.Atoi(bits.FindString(strings.TrimSuffix(number, "_t"))); err == nil && n >= 8 { // "route_f1" is no type
		return n / 8
	}
	if number == "char" || number == "cp_in_char" || number == "void" {
		return 1
	}
	return 8
}

// put writes an entry of a buffer.
func (s slot) put(p unsafe.Pointer, width int, v float64) {
	number := strings.TrimSuffix(s.CType, " *")
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
	if s.Constant() {
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

package cabitest

import (
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"combpred/core/slicex"
)

// scope is where the names of a function, or a struct, stand for something.
type scope struct {
	above   *scope
	numbers map[string]float64
	texts   map[string]string
	buffers map[string]unsafe.Pointer
	records map[string]record
}

// record is a struct that was made up.
type record struct {
	*scope
	at reflect.Value
}

func newScope(above *scope) *scope {
	return &scope{above, map[string]float64{}, map[string]string{}, map[string]unsafe.Pointer{}, map[string]record{}}
}

// evaluator finds what an expression of the tables stands for.
type evaluator struct {
	c  *Caller
	in *scope // of the names; nil: they are legal numbers, and facts about the structure
	// draw chooses from oneof.
	draw int
	top  *scope
}

func (e evaluator) value(expr ast.Expr) float64 {
	switch x := expr.(type) {
	case *ast.BasicLit:
		v, err := strconv.ParseFloat(x.Value, 64)
		if err != nil {
			panic(err)
		}
		return v
	case *ast.ParenExpr:
		return e.value(x.X)
	case *ast.Ident:
		return e.name(x.Name)
	case *ast.SelectorExpr:
		return e.field(x.X.(*ast.Ident).Name, x.Sel.Name)
	case *ast.BinaryExpr:
		a, b := e.value(x.X), e.value(x.Y)
		switch x.Op {
		case token.ADD:
			return a + b
		case token.SUB:
			return a - b
		case token.MUL:
			return a * b
		case token.QUO:
			return math.Trunc(a / b)
		}
	case *ast.CallExpr:
		return e.function(x.Fun.(*ast.Ident).Name, x.Args)
	}
	panic(fmt.Sprintf("cabitest: the tables have %T", expr))
}

// name returns the number that a name stands for.
func (e evaluator) name(name string) float64 {
	if e.in == nil {
		if v, ok := e.c.Kind.facts[name]; ok {
			return float64(v)
		}
		if v, ok := e.c.Legal[name]; ok {
			return float64(v)
		}
		panic("cabitest: no legal number is " + name)
	}
	for in := e.in; in != nil; in = in.above {
		if v, ok := in.numbers[name]; ok {
			return v
		}
	}
	panic("cabitest: no parameter or field is " + name)
}

// field returns the number of a field, 0 where the struct is missing.
func (e evaluator) field(parameter, name string) float64 {
	found, ok := e.top.records[parameter]
	if !ok {
		return 0
	}
	v, ok := found.numbers[name]
	if !ok {
		panic(fmt.Sprintf("cabitest: %s has no number %s", parameter, name))
	}
	return v
}

func (e evaluator) function(name string, args []ast.Expr) float64 {
	switch name {
	case "oneof":
		return e.value(args[e.draw%len(args)])
	case "but":
		return e.value(args[0])
	case "or":
		if v := e.value(args[0]); v != 0 {
			return v
		}
		return e.value(args[1])
	case "given":
		for in := e.in; in != nil; in = in.above {
			if v, ok := in.numbers[args[0].(*ast.Ident).Name]; ok {
				return v
			}
		}
		return e.value(args[1])
	case "flag":
		return min(math.Abs(e.value(args[0])), 1)
	case "last":
		n := e.value(args[1])
		there := n >= 0 && n < slotBytes && e.c.Arena.Fits(8*int64(n)+8)
		if p := e.in.buffers[args[0].(*ast.Ident).Name]; p != nil && there && uintptr(p)%8 == 0 {
			return float64(*(*int64)(unsafe.Add(p, 8*int(n))))
		}
		return n
	case "reach":
		n, stride, p := e.value(args[0]), e.value(args[1]), e.value(args[2])
		if n == 0 || p == 0 {
			return 0
		}
		return (n-1)*stride + p
	case "ask":
		return e.ask(args)
	}
	panic("cabitest: the tables have a function " + name)
}

// ask calls a function of the interface for a number that it writes to a struct; 0 where it fails.
func (e evaluator) ask(args []ast.Expr) float64 {
	function, where := args[0].(*ast.Ident).Name, args[1].(*ast.SelectorExpr)
	fixed := map[string]reflect.Value{}
	for name, r := range slicex.InOrder(e.top.records) {
		fixed[name] = r.at
	}
	for i := 2; i < len(args); i += 2 {
		fixed[args[i].(*ast.Ident).Name] = reflect.ValueOf(e.value(args[i+1]))
	}
	result := where.X.(*ast.Ident).Name
	delete(fixed, result)
	asked := &Caller{Tables: e.c.Tables, Arena: e.c.Arena, Kind: e.c.Kind}
	answer := asked.call(function, fixed)
	if answer.Status != 0 {
		return 0
	}
	return float64(answer.top.records[result].at.Elem().FieldByName(where.Sel.Name).Int())
}

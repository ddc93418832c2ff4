package cabitest

import (
	"fmt"
	"slices"
	"strings"

	"combpred/capi/internal/header"
	"combpred/core/slicex"
)

// Row says what the names of a function or struct stand for, as expressions.
type Row map[string]string

// Tables say what the interface consists of.
type Tables struct {
	Header            header.Header
	Functions         map[string]any // the entry points in Go
	Everywhere        Row            // names that stand for the same in all functions and structs
	Arguments, Fields map[string]Row
	Legal             map[string]int64
}

// lookUp returns what a row, or everywhere, has for a name; structs need no entry, nor do buffers whose sizes the header has.
func (t Tables) lookUp(r Row, d header.Declared) (string, bool) {
	sized := len(d.Sizes) > 0
	spec, ok := r[d.Name]
	if !ok {
		spec, ok = r["*"]
	}
	if !ok {
		// What is the same everywhere are inputs; numbers have the names of some buffers.
		if spec, ok = t.Everywhere[d.Name]; sized && (contents[contentOf(spec)] == nil || !d.Constant()) {
			spec, ok = "", true
		}
	}
	if t.Header.Record(d) != "" {
		if spec == "" && d.Optional {
			return "optional", true
		}
		return spec, true
	}
	content := contentOf(spec)
	switch {
	case !sized || spec == Result || strings.Contains(content, "("):
		return spec, ok
	case content == "" && !d.Constant():
		content = "out"
	case content == "" && d.Element() == "cp_f64":
		content = "numbers"
	case content == "":
		content = "zeros"
	case contents[content] == nil:
		return spec, false
	}
	content += "(" + d.Size + ")"
	switch {
	case strings.HasPrefix(spec, "rarely("):
		return "rarely(" + content + ")", true
	case d.Optional:
		return "maybe(" + content + ")", true
	}
	return content, true
}

// contentOf returns what a buffer holds that may rarely be there.
func contentOf(spec string) string {
	if inner, cut := strings.CutPrefix(spec, "rarely("); cut {
		return strings.TrimSuffix(inner, ")")
	}
	return spec
}

// Problems says what the tables lack, and what they have beside the header.
func (t Tables) Problems() (all []string) {
	compare := func(what string, rows map[string]Row, declared map[string][]header.Declared) {
		for owner, row := range slicex.InOrder(rows) {
			if declared[owner] == nil && len(row) > 0 {
				all = append(all, fmt.Sprintf("%s %s is not in the header", what, owner))
			}
			for name := range slicex.InOrder(row) {
				if name != "*" && !slices.ContainsFunc(declared[owner], func(d header.Declared) bool { return d.Name == name }) {
					all = append(all, fmt.Sprintf("%s has no %s", owner, name))
				}
			}
		}
		for owner, names := range slicex.InOrder(declared) {
			row, ok := rows[owner]
			if !ok {
				all = append(all, fmt.Sprintf("%s %s is not in the tables", what, owner))
				continue
			}
			for _, d := range names {
				spec, ok := t.lookUp(row, d)
				if !ok {
					all = append(all, fmt.Sprintf("%s: the tables have nothing about %s", owner, d.Name))
				}
				isStruct, ofStruct := t.Header.Record(d) != "", slices.Contains([]string{"", "optional", "absent"}, spec)
				if ok && isStruct != ofStruct && spec != Result {
					all = append(all, fmt.Sprintf("%s: %s is %q, though it is of the type %s", owner, d.Name, spec, d.CType))
				}
			}
		}
	}
	compare("the function", t.Arguments, t.Header.Functions)
	compare("the struct", t.Fields, t.Header.Structs)
	return all
}

package cabitest

import (
	"fmt"
	"slices"

	"combpred/core/slicex"
)

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

// lookUp returns what a row, or everywhere, has for a name; structs need no entry.
func (t Tables) lookUp(r Row, d Declared) (string, bool) {
	if spec, ok := r[d.Name]; ok {
		return spec, true
	}
	if spec, ok := r["*"]; ok {
		return spec, true
	}
	spec, ok := t.Everywhere[d.Name]
	return spec, ok || t.Header.record(d) != ""
}

// Problems says what the tables lack, and what they have beside the header.
func (t Tables) Problems() (all []string) {
	compare := func(what string, rows map[string]Row, declared map[string][]Declared) {
		for owner, row := range slicex.InOrder(rows) {
			if declared[owner] == nil && len(row) > 0 {
				all = append(all, fmt.Sprintf("%s %s is not in the header", what, owner))
			}
			for name := range slicex.InOrder(row) {
				if name != "*" && !slices.ContainsFunc(declared[owner], func(d Declared) bool { return d.Name == name }) {
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
				isStruct, ofStruct := t.Header.record(d) != "", slices.Contains([]string{"", "optional", "absent"}, spec)
				if ok && isStruct != ofStruct && spec != Result {
					all = append(all, fmt.Sprintf("%s: %s is %q, though it is of the type %s", owner, d.Name, spec, d.ctype))
				}
			}
		}
	}
	compare("the function", t.Arguments, t.Header.Functions)
	compare("the struct", t.Fields, t.Header.Structs)
	return all
}

// Command names writes the names of the catalogue as a Python module: to the path given.
//
// Python needs them when classes are made, at which time the library must not be loaded: processes forked after that could not compute.
package main

import (
	"fmt"
	"os"
	"strings"

	"combpred/core/catalogue"
)

// width is the length of the longest line.
const width = 120

func main() {
	if len(os.Args) != 2 {
		panic("usage: names FILE")
	}
	if err := os.WriteFile(os.Args[1], []byte(module()), 0o644); err != nil {
		panic(err)
	}
}

// module returns the text of the module.
func module() string {
	var b strings.Builder
	b.WriteString(`"""Names that the core knows.

Written by ` + "``go generate ./capi``" + `: do not edit.
"""

from __future__ import annotations
`)
	for _, list := range catalogue.Lists() {
		entries := make([]string, len(list.Names))
		for i, name := range list.Names {
			entries[i] = fmt.Sprintf("%q", name)
		}
		line := fmt.Sprintf("%s: tuple[str, ...] = (%s)", list.Key, strings.Join(entries, ", "))
		if len(line) > width {
			line = fmt.Sprintf("%s: tuple[str, ...] = (\n    %s,\n)", list.Key, strings.Join(entries, ",\n    "))
		}
		fmt.Fprintf(&b, "\n#: %s.\n%s\n", list.Doc, line)
	}
	return b.String()
}

// Command names writes the names of the catalogue, and their numbers in the C interface, as a Python module: to the path given.
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
	b.WriteString(`"""Names that the core knows, with their numbers where the C interface goes by numbers.

Written by ` + "``go generate ./capi``" + `: do not edit.
"""

from __future__ import annotations
`)
	for _, list := range catalogue.Lists() {
		entries, open, close, kind := []string{}, "(", ")", "tuple[str, ...]"
		for _, name := range list.Names {
			if list.Numbered {
				entries = append(entries, fmt.Sprintf("%q: %d", name.Name, name.Number))
			} else {
				entries = append(entries, fmt.Sprintf("%q", name.Name))
			}
		}
		if list.Numbered {
			open, close, kind = "{", "}", "dict[str, int]"
		}
		line := fmt.Sprintf("%s: %s = %s%s%s", list.Key, kind, open, strings.Join(entries, ", "), close)
		if len(line) > width {
			line = fmt.Sprintf("%s: %s = %s\n    %s,\n%s", list.Key, kind, open, strings.Join(entries, ",\n    "), close)
		}
		fmt.Fprintf(&b, "\n#: %s.\n%s\n", list.Doc, line)
	}
	return b.String()
}

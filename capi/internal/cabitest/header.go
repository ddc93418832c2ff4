package cabitest

import (
	"os"
	"regexp"
	"strings"
)

// Declared is a parameter, or a field, as combpred.h has it: "cp_in_f64 *" and "dst".
type Declared struct{ ctype, Name string }

// pointer reports whether it is one; what it points to is then its type without the star.
func (d Declared) pointer() bool { return strings.HasSuffix(d.ctype, "*") }

// record returns the name of the struct that a pointer leads to, or "".
func (h Header) record(d Declared) string {
	name := strings.Replace(strings.TrimSuffix(d.ctype, " *"), "cp_in_", "cp_", 1)
	if !d.pointer() || h.Structs[name] == nil {
		return ""
	}
	return name
}

// constant reports whether what it points to is only read.
func (d Declared) constant() bool { return strings.HasPrefix(d.ctype, "cp_in_") }

// Header is what combpred.h declares: the functions that are written in Go, and structs.
type Header struct{ Functions, Structs map[string][]Declared }

// ReadHeader reads the file.
func ReadHeader(path string) (h Header, err error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return h, err
	}
	text := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(source), "")
	text = regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
	variable := regexp.MustCompile(`^((?:const )?\w+(?: \*)?) ?(\w+)`)
	read := func(list, separator string) (out []Declared) {
		ctype := ""
		for _, part := range strings.Split(list, separator) {
			for i, name := range strings.Split(strings.TrimSpace(part), ", ") {
				if i > 0 { // int64_t n, d;
					out = append(out, Declared{ctype, strings.TrimSpace(name)})
				} else if found := variable.FindStringSubmatch(name); found != nil {
					ctype = found[1]
					out = append(out, Declared{ctype, found[2]})
				}
			}
		}
		return out
	}
	h.Functions, h.Structs = map[string][]Declared{}, map[string][]Declared{}
	for _, found := range regexp.MustCompile(`int32_t (cp_\w+)\(([^;]*)\);`).FindAllStringSubmatch(text, -1) {
		if found[2] != "void" { // cp_abi_version is written in C
			h.Functions[found[1]] = read(found[2], ", ")
		}
	}
	for _, found := range regexp.MustCompile(`typedef struct (cp_\w+) \{(.*?)\} \w+;`).FindAllStringSubmatch(text, -1) {
		h.Structs[found[1]] = read(found[2], ";")
	}
	return h, nil
}

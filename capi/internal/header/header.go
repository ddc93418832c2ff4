// Package header reads combpred.h: its functions and structs, and how large their buffers are. Both sides of the border are made from it.
package header

import (
	"fmt"
	"go/ast"
	"go/parser"
	"os"
	"regexp"
	"strings"
)

// Header is what combpred.h declares: the functions that are written in Go, and structs, both in its order and by name.
type Header struct {
	FunctionNames, StructNames []string
	Functions, Structs         map[string][]Declared
}

// Declared is a parameter or a field. Its comment says how large a buffer is, in brackets, and with a question mark what may be NULL: of
//
//	double *dst /* [n, d]? */
//
// these are the type "double *", the name, the sizes n and d, and that it is optional.
type Declared struct {
	CType, Name string
	Size        string     // of a buffer, as it is written
	Sizes       []ast.Expr // one for each dimension
	Optional    bool
	Length      int  // of a field that is an array; 0: it is none
	Appended    bool // a comment before the field says since which version it is there
}

// Pointer reports whether it is one.
func (d Declared) Pointer() bool { return strings.HasSuffix(d.CType, "*") }

// Constant reports whether what it points to is only read.
func (d Declared) Constant() bool { return strings.HasPrefix(d.CType, "cp_in_") }

// Element is the type of what a pointer leads to, const or not.
func (d Declared) Element() string {
	return strings.TrimSuffix(strings.Replace(d.CType, "cp_in_", "cp_", 1), " *")
}

// Record returns the name of the struct that a pointer leads to, or "".
func (h Header) Record(d Declared) string {
	if name := d.Element(); d.Pointer() && h.Structs[name] != nil {
		return name
	}
	return ""
}

var (
	function = regexp.MustCompile(`(?m)^int32_t (cp_\w+)\(([^;]*)\);`)
	record   = regexp.MustCompile(`(?s)typedef struct (cp_\w+) \{(.*?)\n\} \w+;`)
	// parameter has the type, the star, the name, and what the comment behind it begins with.
	parameter = regexp.MustCompile(`^(\w+) (\*?)(\w+)\s*` + size + `(?:,\s*|$)`)
	// field has the type, names with stars, the length of an array, and the comment.
	field = regexp.MustCompile(`^\s*(?:` + comment + `\s*)*(\w+) ([^;/]+);\s*` + size)
)

const comment = `/\*(?:[^*]|\*[^/])*\*/`

// size matches a comment that may be there: sizes, in which there are no brackets, and the mark of what may be NULL.
const size = `(?:/\*\s*(?:\[([^\]]*)\])?(\?)?(?:[^*]|\*[^/])*\*/)?`

// Read reads the file.
func Read(path string) (Header, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return Header{}, err
	}
	return Parse(string(source))
}

// Parse reads the text of the file.
func Parse(text string) (h Header, err error) {
	h.Functions, h.Structs = map[string][]Declared{}, map[string][]Declared{}
	for _, found := range function.FindAllStringSubmatch(text, -1) {
		if found[2] == "void" { // cp_abi_version is written in C
			continue
		}
		h.FunctionNames = append(h.FunctionNames, found[1])
		if h.Functions[found[1]], err = parameters(found[2]); err != nil {
			return h, fmt.Errorf("%s: %w", found[1], err)
		}
	}
	for _, found := range record.FindAllStringSubmatch(text, -1) {
		h.StructNames = append(h.StructNames, found[1])
		if h.Structs[found[1]], err = fields(found[2]); err != nil {
			return h, fmt.Errorf("%s: %w", found[1], err)
		}
	}
	return h, nil
}

func parameters(list string) (all []Declared, err error) {
	for list != "" {
		found := parameter.FindStringSubmatch(list)
		if found == nil {
			return nil, fmt.Errorf("there is no parameter in %q", list)
		}
		d, err := declared(found[1], found[2]+found[3], found[4], found[5])
		if err != nil {
			return nil, err
		}
		all = append(all, d)
		list = list[len(found[0]):]
	}
	return all, nil
}

func fields(body string) (all []Declared, err error) {
	for strings.TrimSpace(body) != "" {
		found := field.FindStringSubmatch(body)
		if found == nil {
			return nil, fmt.Errorf("there is no field in %q", body)
		}
		for _, name := range strings.Split(found[2], ", ") {
			d, err := declared(found[1], name, found[3], found[4])
			if err != nil {
				return nil, err
			}
			d.Appended = strings.Contains(strings.SplitN(found[0], ";", 2)[0], "/* Since version ")
			all = append(all, d)
		}
		body = body[len(found[0]):]
	}
	return all, nil
}

// declared returns a parameter or field, given its name with a star or a length.
func declared(kind, name, sizes, optional string) (d Declared, err error) {
	d = Declared{CType: kind, Name: name, Optional: optional == "?"}
	if star, ok := strings.CutPrefix(name, "*"); ok {
		d.CType, d.Name = kind+" *", star
	} else if at := strings.IndexByte(name, '['); at > 0 {
		d.Name = name[:at]
		_, err = fmt.Sscanf(name[at:], "[%d]", &d.Length)
		return d, err
	}
	if sizes == "" || !d.Pointer() {
		return d, nil
	}
	list, err := parser.ParseExpr("sizes(" + sizes + ")")
	if err != nil {
		return d, fmt.Errorf("%s: the sizes [%s] are no expressions: %w", d.Name, sizes, err)
	}
	d.Size, d.Sizes = sizes, list.(*ast.CallExpr).Args
	return d, nil
}

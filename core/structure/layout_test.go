package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// layout is where the code of a folder lies. The subject of a file is its name up to the first underscore: that of
// "cycles_moves.go" is "cycles".
type layout struct {
	declared map[string]string   // the subject in whose files a type is declared
	methods  map[string][]string // the files that hold methods of a type
	from     map[string]string   // the file that registers a structure
}

func subject(file string) string {
	name, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	return name
}

func readLayout(t *testing.T, folder fs.FS) layout {
	t.Helper()
	l := layout{map[string]string{}, map[string][]string{}, map[string]string{}}
	files, err := fs.Glob(folder, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.TypeSpec:
				l.declared[n.Name.Name] = subject(file)
			case *ast.FuncDecl:
				if n.Recv != nil {
					name := typeName(n.Recv.List[0].Type)
					l.methods[name] = append(l.methods[name], file)
				}
			case *ast.CallExpr:
				if typeName(n.Fun) == "register" {
					l.from[registeredName(n)] = file
				}
			}
			return true
		})
	}
	return l
}

// typeName returns the name of a type without a pointer and parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// registeredName returns what register(Spec{Name: …}) enters.
func registeredName(call *ast.CallExpr) (name string) {
	for _, field := range call.Args[0].(*ast.CompositeLit).Elts {
		if pair := field.(*ast.KeyValueExpr); typeName(pair.Key) == "Name" {
			name, _ = strconv.Unquote(pair.Value.(*ast.BasicLit).Value)
		}
	}
	return name
}

// faults lists what is not where its name says. As a file has one subject, a structure one, and no two structures the same,
// no file holds methods of two structures.
func (l layout) faults() (found []string) {
	for _, name := range slices.Sorted(maps.Keys(l.from)) {
		if l.from[name] != name+".go" {
			found = append(found, "structure "+name+" is registered in "+l.from[name])
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(l.methods)) {
		for _, file := range slices.Compact(l.methods[kind]) {
			if subject(file) != l.declared[kind] {
				found = append(found, file+" has methods of "+kind+", declared in files of "+l.declared[kind])
			}
		}
	}
	return found
}

// TestFilesAreNamedAfterTheirStructure: what a structure can do is in files that begin with its name, and what several
// share in those of the type that they embed.
func TestFilesAreNamedAfterTheirStructure(t *testing.T) {
	l := readLayout(t, os.DirFS("."))
	for _, spec := range Catalogue() {
		if l.from[spec.Name] == "" {
			t.Errorf("no call of register names %s", spec.Name)
		}
	}
	for _, fault := range l.faults() {
		t.Error(fault)
	}
}

// TestLayoutFindsWhatLiesElsewhere: the rule is broken by a method in a file of another subject, and by a structure in a file
// that has another name.
func TestLayoutFindsWhatLiesElsewhere(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("package structure\n" + text)} }
	l := readLayout(t, fstest.MapFS{
		"stars.go":       file("type stars struct{}\nvar _ = register(Spec{Name: \"stars\"})\n"),
		"stars_moves.go": file("func (s *stars) Propose() {}\nfunc (c comets) Propose() {}\n"),
		"comets.go":      file("type comets struct{}\nvar _ = register(Spec{Name: \"meteors\"})\n"),
	})
	want := []string{
		"structure meteors is registered in comets.go",
		"stars_moves.go has methods of comets, declared in files of comets",
	}
	if got := l.faults(); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

package cabi

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

func TestErrorsHaveTheirStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int32
	}{
		{errors.New("any"), 1},
		{fault.Value("any"), 1},
		{&structure.LimitError{}, 2},
		{&structure.CapabilityError{}, 2},
		{fault.Numerical("any"), 3},
		{parallel.ErrCancelled, 4},
		{&parallel.PanicError{}, 5},
		{fault.Memory("any"), 6},
		{fault.NotConverged("any"), 7},
		{fault.Budget("any"), 8},
	} {
		for _, err := range []error{c.err, fault.At(3, c.err), fmt.Errorf("more: %w", c.err), errors.Join(c.err)} {
			if got := Guard(nil, 0, func() error { return err }); got != c.want {
				t.Errorf("%T: status %d, want %d", err, got, c.want)
			}
		}
	}
}

// TestPanicsAreBugs: whatever is thrown, a refusal of the core as well, is not the caller's fault.
func TestPanicsAreBugs(t *testing.T) {
	for _, thrown := range []any{"text", fault.Value("refusal")} {
		message := make([]byte, 200)
		status := Guard(unsafe.Pointer(&message[0]), 200, func() error { panic(thrown) })
		if want := fmt.Sprintf("internal error: %v\n", thrown); status != 5 || !bytes.HasPrefix(message, []byte(want)) {
			t.Errorf("%v: status %d, %q", thrown, status, message)
		}
	}
}

// TestRowIsInTheMessageOrApart: a caller who asks for the number of the row has a message without it.
func TestRowIsInTheMessageOrApart(t *testing.T) {
	for _, c := range []struct {
		err         error
		row         int64
		with, alone string
	}{
		{fault.At(3, fault.Value("part 2 is 7")), 3, "row 3: part 2 is 7", "part 2 is 7"},
		{fault.Wrap("magnitude: %w", fault.At(0, &structure.LimitError{What: "it", Alternatives: "wait", OfRow: true})), 0,
			"row 0: magnitude: it is limited to size 0, this one has size 0; wait",
			"magnitude: it is limited to size 0, this one has size 0; wait"},
		{Illegal("order: step %d is on row %d", 1, 2), -1, "order: step 1 is on row 2", "order: step 1 is on row 2"},
		{&parallel.PanicError{Value: 1, Stack: []byte("stack")}, -1, "internal error: 1\nstack", "internal error: 1\nstack"},
	} {
		with, alone, row := make([]byte, 200), make([]byte, 200), int64(7)
		fail := func() error { return c.err }
		GuardRows(nil, unsafe.Pointer(&with[0]), 200, fail)
		GuardRows(&row, unsafe.Pointer(&alone[0]), 200, fail)
		with, alone = bytes.TrimRight(with, "\x00"), bytes.TrimRight(alone, "\x00")
		if row != c.row || string(with) != c.with || string(alone) != c.alone {
			t.Errorf("%v: row %d, %q, and %q without", c.err, row, with, alone)
		}
	}
}

func TestMessagesAreTexts(t *testing.T) {
	for _, c := range []struct {
		text string
		room int64
		want string
	}{
		{"plain", 6, "plain"},
		{"plain", 5, "plai"},
		{"a é", 4, "a "},
		{"a é", 5, "a é"},
		{"name \xff\xc3( is none", 100, "name \uFFFD( is none"},
		{"name \xff", 8, "name "},
		{"a\x00b", 100, "a\uFFFDb"},
		{"any", 1, ""},
	} {
		room := bytes.Repeat([]byte{'U'}, 101)
		setError(unsafe.Pointer(&room[0]), c.room, c.text)
		if want := c.want + "\x00U"; string(room[:len(want)]) != want {
			t.Errorf("%q in %d bytes is %q, must be %q", c.text, c.room, room[:len(want)], want)
		}
	}
	setError(nil, 10, "nowhere")
}

// TestErrorsOfTheCoreNameNoPackage: nobody takes the name off again.
func TestErrorsOfTheCoreNameNoPackage(t *testing.T) {
	literal := regexp.MustCompile(`fault\.\w+\([^"` + "`" + `]*["` + "`" + `]([a-z]+): `)
	plain := regexp.MustCompile(`\b(fmt\.Errorf|errors\.New)\(`)
	err := filepath.WalkDir("../../core", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(filepath.ToSlash(path), "core/internal/") || d.Name() == "fault.go" {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range literal.FindAllStringSubmatch(string(source), -1) {
			if slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(path)), "/"), match[1]) {
				t.Errorf("%s: an error begins with the package %q", path, match[1])
			}
		}
		if found := plain.Find(source); found != nil {
			t.Errorf("%s: %s…) has no kind; package fault has", path, found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

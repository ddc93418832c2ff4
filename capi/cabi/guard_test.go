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

	"combpred/core/badrow"
	"combpred/core/parallel"
	"combpred/core/structure"
)

type numbered struct{ error }

func (numbered) Status() int32 { return 3 }

func TestErrorsHaveTheirStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int32
	}{
		{errors.New("any"), 1},
		{&structure.LimitError{}, 2},
		{&structure.CapabilityError{}, 2},
		{numbered{errors.New("own")}, 3},
		{parallel.ErrCancelled, 4},
		{&parallel.PanicError{}, 5},
	} {
		for _, err := range []error{c.err, fmt.Errorf("row 3: %w", c.err), errors.Join(c.err)} {
			if got := statusOf(err); got != c.want {
				t.Errorf("%T: status %d, want %d", err, got, c.want)
			}
		}
	}
}

func TestMessagesNameNoPackage(t *testing.T) {
	cause := errors.New("structure: part 2 is 7, must be below 5")
	for _, c := range []struct {
		err  error
		want string
	}{
		{cause, "part 2 is 7, must be below 5"},
		{fmt.Errorf("decode: %w", badrow.At(3, cause)), "row 3: part 2 is 7, must be below 5"},
		{fmt.Errorf("decode: magnitude: %w", errors.New("score 2 is NaN, must be finite")), "magnitude: score 2 is NaN, must be finite"},
		{fmt.Errorf("chain: %w", badrow.At(0, fmt.Errorf("the start is no member: %w", cause))),
			"row 0: the start is no member: part 2 is 7, must be below 5"},
		{badrow.Named(1, "labelrank: weights: row %d has %g", 1, -2.0), "weights: row 1 has -2"},
		{badrow.At(1, errors.Join(cause, errors.New("score 1 is NaN"))), "row 1: part 2 is 7, must be below 5\nscore 1 is NaN"},
		{Illegal("order: step %d is on row %d", 1, 2), "order: step 1 is on row 2"},
		{Illegal("design: %w", errors.New("solve: sparse matrix: too short")), "design: sparse matrix: too short"},
		{&parallel.PanicError{Value: 1, Stack: []byte("stack")}, "panic in a worker: 1\nstack"},
	} {
		if got := message(c.err); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.err, got, c.want)
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

// TestErrorsOfTheCoreBeginWithTheirPackage: message takes off a first word that a colon follows, so it must be the package's name.
func TestErrorsOfTheCoreBeginWithTheirPackage(t *testing.T) {
	literal := regexp.MustCompile(`(?:fmt\.Errorf\(|errors\.New\(|badrow\.Named\([^"]*)"([a-z]+): `)
	found := 0
	err := filepath.WalkDir("../../core", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range literal.FindAllStringSubmatch(string(source), -1) {
			found++
			if !slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(path)), "/"), match[1]) {
				t.Errorf("%s: an error begins with %q, must begin with its package, or the one that this is a part of", path, match[1])
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Errorf("%d errors were found: %v", found, err)
	}
}

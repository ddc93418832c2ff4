package control

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"combpred/core/catalogue"
	"combpred/core/control/spaces"
	"combpred/core/fault"
	"combpred/core/structure"
)

func TestCatalogueDescribesEveryStructure(t *testing.T) {
	text, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		Structures []catalogue.Structure
		Names      []catalogue.List
	}
	if err := json.Unmarshal([]byte(text), &known); err != nil {
		t.Fatal(err)
	}
	if len(known.Names) != len(catalogue.Lists()) {
		t.Errorf("%d lists of names", len(known.Names))
	}
	entries := known.Structures
	specs := structure.Catalogue()
	if len(entries) != len(specs) || len(specs) == 0 {
		t.Fatalf("%d entries for %d structures", len(entries), len(specs))
	}
	for i, e := range entries {
		if e.Name != specs[i].Name || e.Doc == "" || len(e.Params) == 0 || len(e.Capabilities) == 0 {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
}

func TestBlasStartsAsGonum(t *testing.T) {
	if got := BlasStatus(); got != "gonum" {
		t.Errorf("status is %q", got)
	}
	if err := BlasActivate(); err == nil || !strings.Contains(err.Error(), "does not offer dgemm") {
		t.Errorf("activation with nothing offered: %v", err)
	}
	if err := BlasOffer("zgemm", "c", 1); err == nil {
		t.Error("a routine without use was accepted")
	}
	if err := BlasOffer("dgemm", hostblasArguments(t, "dgemm"), 0); err == nil {
		t.Error("address 0 was accepted")
	}
	if err := BlasOpen("no/such/library.so"); err == nil || !strings.Contains(err.Error(), "no/such/library.so") {
		t.Errorf("a library that is not there: %v", err)
	}
	if got := BlasStatus(); got != "gonum" {
		t.Errorf("after refusals the status is %q", got)
	}
}

func TestPanicsBecomeErrors(t *testing.T) {
	f := func() (err error) {
		defer recoverTo(&err)
		panic("on purpose")
	}
	if err := f(); fault.KindOf(err) != fault.KindInternal || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("got %v", err)
	}
}

// hostblasArguments returns the letters for the arguments of a routine.
func hostblasArguments(t *testing.T, routine string) string {
	t.Helper()
	for line := range strings.Lines(BlasRoutines()) {
		if name, letters, _ := strings.Cut(strings.TrimSpace(line), " "); name == routine {
			return letters
		}
	}
	t.Fatalf("no routine %s is needed", routine)
	return ""
}

func TestVersionIsThatOfThePackage(t *testing.T) {
	source, err := os.ReadFile("../../python/combpred/_lib/versions.py")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(Version())
	if len(words) != 3 || !strings.Contains(string(source), fmt.Sprintf("\n__version__ = %q\n", words[0])) ||
		!strings.HasPrefix(words[1], "go1.") || strings.Count(words[2], "/") != 1 {
		t.Errorf("got %q", words)
	}
}

func TestFactsOfSpaces(t *testing.T) {
	handle, err := spaces.Open([]byte(`{"name":"permutations","n":3}`), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := SpaceFacts(handle)
	if err != nil {
		t.Fatal(err)
	}
	var facts catalogue.Facts
	if err := json.Unmarshal([]byte(text), &facts); err != nil {
		t.Fatal(err)
	}
	if facts.PartLen != 3 || facts.FeatureLen != 3 || facts.LogCount == nil || math.Abs(*facts.LogCount-math.Log(6)) > 1e-15 {
		t.Errorf("%s", text)
	}
	if err := spaces.Close(handle); err != nil {
		t.Fatal(err)
	}
	if _, err := SpaceFacts(handle); err == nil || !strings.Contains(err.Error(), "has been closed") {
		t.Errorf("facts of a closed space: %v", err)
	}
}

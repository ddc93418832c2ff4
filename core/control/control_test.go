package control

import (
	"encoding/json"
	"strings"
	"testing"

	"combpred/core/catalogue"
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
	if got := BLASStatus(); got != "gonum" {
		t.Errorf("status is %q", got)
	}
	if err := ActivateHostBLAS(); err == nil || !strings.Contains(err.Error(), "does not offer dgemm") {
		t.Errorf("activation with nothing offered: %v", err)
	}
	if err := OfferRoutine("zgemm", 1); err == nil {
		t.Error("a routine without use was accepted")
	}
	if err := OfferRoutine("dgemm", 0); err == nil {
		t.Error("address 0 was accepted")
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

func TestVersionsAreKnown(t *testing.T) {
	if !strings.HasPrefix(GoVersion(), "go1.") || strings.Count(Platform(), "/") != 1 {
		t.Errorf("got %q on %q", GoVersion(), Platform())
	}
}

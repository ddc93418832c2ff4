package structure_test

import (
	"slices"
	"testing"

	"combpred/core/internal/structuretest"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// TestConformance checks that every registered structure has the properties of package structuretest.
func TestConformance(t *testing.T) {
	catalogue := structure.Catalogue()
	var names []string
	if len(catalogue) == 0 {
		t.Fatal("no structure is registered")
	}
	for _, spec := range catalogue {
		names = append(names, spec.Name)
		t.Run(spec.Name, func(t *testing.T) { structuretest.Run(t, spec, structuretest.SizesOf(t, spec.Name)) })
	}
	if !slices.Equal(names, examples.Names()) {
		t.Errorf("package examples has sizes of %v, registered are %v", examples.Names(), names)
	}
}

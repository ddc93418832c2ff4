package structure_test

import (
	"testing"

	"combpred/core/structure"
	"combpred/core/structure/structuretest"
)

// TestConformance holds every registered structure to the laws of package structuretest.
func TestConformance(t *testing.T) {
	catalogue := structure.Catalogue()
	if len(catalogue) == 0 {
		t.Fatal("no structure is registered")
	}
	for _, spec := range catalogue {
		t.Run(spec.Name, func(t *testing.T) { structuretest.Run(t, spec) })
	}
}

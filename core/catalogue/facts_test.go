package catalogue

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"combpred/core/partition"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// TestFactsAreThoseOfSpaces: of every kind, at sizes with and without sums over all outputs, they come through JSON as they are.
func TestFactsAreThoseOfSpaces(t *testing.T) {
	spaces := map[string]structure.Space{}
	for _, spec := range structure.Catalogue() {
		for _, s := range spec.TypicalSpaces() {
			spaces[structure.Describe(s)] = s
		}
	}
	for _, name := range []string{"permutations", "weakorders", "graphs"} {
		s, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": 60}})
		if err != nil {
			t.Fatal(err)
		}
		spaces[structure.Describe(s)] = s
	}
	for name, s := range slicex.InOrder(spaces) {
		text, err := FactsOf(s).JSON()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var f Facts
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.PartLen != s.PartLen() || f.FeatureLen != s.FeatureLen() || f.Format != structure.FormatOf(s) {
			t.Errorf("%s: %s", name, text)
		}
		log, err := structure.LogCount(s)
		if known := err == nil && !math.IsNaN(log); known != (f.LogCount != nil) || known && *f.LogCount != log {
			t.Errorf("%s: ln of the number of outputs is %g, told as %v", name, log, f.LogCount)
		}
		if !slices.Equal(f.Capabilities, Capabilities(s)) || (f.Moments != "") != slices.Contains(f.Capabilities, "moments") {
			t.Errorf("%s: %s", name, text)
		}
		for marginals, told := range slicex.InOrder(map[string]*Sum{"": f.LogPartition, "marginals": f.Marginals}) {
			engine, cost, err := partition.Choose(s, marginals != "")
			if (err == nil) != (told != nil) || told != nil && (told.Cost != cost || told.Engine != Engines.Of(int(engine))) {
				t.Errorf("%s: sums are %v at a cost of %g, %v, told as %v", name, engine, cost, err, told)
			}
		}
		if !slices.Contains([]string{"auc", "squared"}, f.Loss) || !slices.Contains([]string{"score", "mbr", "mode"}, f.Decision) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

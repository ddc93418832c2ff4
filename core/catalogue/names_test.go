package catalogue

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure"
)

func TestNamesHaveTheirNumbers(t *testing.T) {
	for key, names := range slicex.InOrder(map[string]Names{"decoders": Decoders, "chains": ChainMethods, "extensions": ExtensionMethods,
		"engines": Engines, "moments": Moments, "aggregations": Aggregations, "consensuses": Consensuses, "subgraphs": Subgraphs,
		"numbers": NumberTypes, "updates": Updates,
		"positions": PositionLosses, "own": OwnRankingLosses}) {
		first, err := names.Number(key, "")
		if err != nil || names.Of(first) != names[0].Name {
			t.Errorf("%s: the default is number %d (%v)", key, first, err)
		}
		for _, name := range names.spelt() {
			number, err := names.Number(key, name)
			if err != nil || names.Of(number) != name {
				t.Errorf("%s: %q has number %d (%v), which is that of %q", key, name, number, err, names.Of(number))
			}
		}
		if _, err := names.Number(key, "none"); err == nil ||
			!strings.Contains(err.Error(), key+` is "none", must be one of `+names[0].Name) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestListsNameEachValueOnce(t *testing.T) {
	keys := map[string]bool{}
	for _, list := range Lists() {
		if keys[list.Key] || list.Key != strings.ToUpper(list.Key) || list.Doc == "" || len(list.Names) == 0 {
			t.Errorf("the list %q of %d names is there twice, or has no doc", list.Key, len(list.Names))
		}
		keys[list.Key] = true
		if sorted := slices.Sorted(slices.Values(list.Names)); len(slices.Compact(sorted)) != len(list.Names) {
			t.Errorf("%s has a name twice: %v", list.Key, list.Names)
		}
	}
}

// TestCatalogueIsJSON: what callers of other languages read has all structures, with capabilities that are explained.
func TestCatalogueIsJSON(t *testing.T) {
	var read struct {
		Structures []struct {
			Name         string
			Capabilities []string
		}
		Capabilities []Meaning
		Names        []List
	}
	text, err := JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Structures) != len(structure.Catalogue()) || len(read.Names) != len(Lists()) {
		t.Errorf("%d structures and %d lists of names", len(read.Structures), len(read.Names))
	}
	for _, s := range read.Structures {
		for _, name := range s.Capabilities {
			if !slices.ContainsFunc(read.Capabilities, func(m Meaning) bool { return m.Name == name && m.Doc != "" }) {
				t.Errorf("%s: nothing says what %q means", s.Name, name)
			}
		}
	}
}

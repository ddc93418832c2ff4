// Package control is the part of the library that speaks in scalars and strings: the catalogue of structures, versions, and
// the choice of a BLAS. Its functions are wrapped by gopy, which carries an error to Python as a RuntimeError and nothing
// else, so they take and return only numbers and strings. Arrays never pass here.
package control

import (
	"encoding/json"

	"combpred/core/structure"
)

type catalogueParam struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Doc  string `json:"doc"`
}

type catalogueEntry struct {
	Name         string           `json:"name"`
	Doc          string           `json:"doc"`
	Params       []catalogueParam `json:"params"`
	Ref          string           `json:"ref"`
	Capabilities []string         `json:"capabilities"`
}

// Catalogue returns a JSON array that describes every structure in order of the names: name, doc, params, ref, capabilities.
func Catalogue() (text string, err error) {
	defer recoverTo(&err)
	entries := []catalogueEntry{}
	for _, spec := range structure.Catalogue() {
		e := catalogueEntry{Name: spec.Name, Doc: spec.Doc, Params: []catalogueParam{}, Ref: spec.Ref, Capabilities: []string{}}
		for _, p := range spec.Params {
			e.Params = append(e.Params, catalogueParam(p))
		}
		e.Capabilities = append(e.Capabilities, capabilities(spec.Type)...)
		entries = append(entries, e)
	}
	out, err := json.Marshal(entries)
	return string(out), err
}

// capabilities lists the optional interfaces that the type of space implements.
func capabilities(space structure.Space) []string {
	var have []string
	add := func(name string, ok bool) {
		if ok {
			have = append(have, name)
		}
	}
	_, counter := space.(structure.Counter)
	_, moments := space.(structure.Moments)
	_, spectrum := space.(structure.Spectrum)
	_, enumerator := space.(structure.Enumerator)
	_, sampler := space.(structure.Sampler)
	_, decoder := space.(structure.Decoder)
	_, searcher := space.(structure.Searcher)
	_, sibling := space.(structure.Sibling)
	add("count", counter)
	add("moments", moments)
	add("spectrum", spectrum)
	add("enumerate", enumerator)
	add("sample", sampler)
	add("decode", decoder)
	add("search", searcher)
	add("sibling", sibling)
	return have
}

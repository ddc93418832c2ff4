// Package catalogue says what there is, by name: the structures, what each can do, and the values of parameters.
package catalogue

import (
	"encoding/json"

	"combpred/core/structure"
)

// Param describes one parameter of a structure.
type Param struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Doc  string `json:"doc"`
}

// Structure describes one structure. Its capabilities are those that its spaces have with some parameters at least.
type Structure struct {
	Name         string   `json:"name"`
	Doc          string   `json:"doc"`
	Params       []Param  `json:"params"`
	Ref          string   `json:"ref"`
	Capabilities []string `json:"capabilities"`
}

// Structures describes every structure in order of the names. No space is built for it.
func Structures() []Structure {
	all := []Structure{}
	for _, spec := range structure.Catalogue() {
		s := Structure{Name: spec.Name, Doc: spec.Doc, Params: []Param{}, Ref: spec.Ref, Capabilities: ofType(spec.Type)}
		for _, p := range spec.Params {
			s.Params = append(s.Params, Param(p))
		}
		all = append(all, s)
	}
	return all
}

// JSON returns Structures and Lists as a JSON object.
func JSON() ([]byte, error) {
	return json.Marshal(struct {
		Structures []Structure `json:"structures"`
		Names      []List      `json:"names"`
	}{Structures(), Lists()})
}

// Package catalogue says what there is, by name: the structures, what each can do, and the values of parameters.
package catalogue

import (
	"bytes"
	"encoding/json"
	"strings"

	"combpred/core/structure"
)

// Param describes one parameter of a structure.
type Param struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // "int", "int32 buffer" or "float64 buffer"
	Doc      string `json:"doc"`
	Optional bool   `json:"optional,omitempty"`
	Least    *int64 `json:"least,omitempty"`  // of an int
	Most     *int64 `json:"most,omitempty"`   // of an int
	Bound    string `json:"bound,omitempty"`  // what other parameters limit it to
	Reason   string `json:"reason,omitempty"` // why there is no larger one
}

// Term describes one key of conditions on outputs.
type Term struct {
	Key   string `json:"key"`
	Form  string `json:"form"`  // "one", "count", "list", "pairs" or "mixed"
	Takes string `json:"takes"` // what that is, in a clause for messages
}

// Structure describes one structure. Its capabilities are those that its spaces have with some parameters at least.
type Structure struct {
	Name         string   `json:"name"`
	Doc          string   `json:"doc"`
	Params       []Param  `json:"params"`
	Parts        string   `json:"parts"` // the layout of one encoded output
	Psi          string   `json:"psi"`   // the order of the entries of ψ
	Ref          string   `json:"ref"`
	Conditions   []Term   `json:"conditions,omitempty"`
	Capabilities []string `json:"capabilities"`
}

// Structures describes every structure in order of the names. No space is built for it but the typical ones.
func Structures() []Structure {
	all := []Structure{}
	for _, spec := range structure.Catalogue() {
		s := Structure{Name: spec.Name, Doc: spec.Doc, Params: []Param{}, Parts: spec.Parts, Psi: spec.Psi, Ref: spec.Ref,
			Capabilities: ofAny(spec.TypicalSpaces())}
		for _, p := range spec.Params {
			shown := Param{Name: p.Name, Kind: p.Kind, Doc: p.Doc, Optional: p.Optional, Bound: p.Bound, Reason: p.Reason}
			if p.Kind == "int" {
				shown.Least, shown.Most = &p.Least, &p.Most
			}
			s.Params = append(s.Params, shown)
		}
		for _, t := range spec.Conditions {
			s.Conditions = append(s.Conditions, Term{t.Key.String(), t.Form.String(), t.Takes()})
		}
		all = append(all, s)
	}
	return all
}

// JSON returns Structures, Meanings and Lists as a JSON object.
func JSON() (string, error) {
	return encoded(struct {
		Structures   []Structure `json:"structures"`
		Capabilities []Meaning   `json:"capabilities"`
		Names        []List      `json:"names"`
	}{Structures(), Meanings(), Lists()})
}

// encoded returns a value as JSON in which signs such as < stay as they are.
func encoded(v any) (string, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	err := out.Encode(v)
	return strings.TrimSuffix(text.String(), "\n"), err
}

package spaces

import (
	"maps"
	"strings"
	"testing"

	"combpred/core/slicex"
)

func TestParse(t *testing.T) {
	ints, reals := []int32{1, 2}, []float64{0.5}
	name, args, err := Parse([]byte(` {"n": 5, "name": "permutations", "size": -1} `), ints, reals)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"n": 5, "size": -1}
	if name != "permutations" || !maps.Equal(args.Scalars, want) || &args.Ints[0] != &ints[0] || &args.Reals[0] != &reals[0] {
		t.Errorf("got %q %+v", name, args)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range slicex.InOrder(map[string]string{
		``:                         "not JSON",
		`{`:                        "not JSON",
		`{"name"`:                  "not JSON",
		`{"name":`:                 "not JSON",
		`{"name":"x"`:              "not JSON",
		`{"name":"x",}`:            "not JSON",
		`{name:"x"}`:               "not JSON",
		`[]`:                       "must be a JSON object",
		`7`:                        "must be a JSON object",
		`{"name":"x"} 1`:           "goes on",
		`{"name":"x"}}`:            "goes on",
		`{}`:                       `no "name"`,
		`{"name":1}`:               `"name" must be a string`,
		`{"name":null}`:            `"name" must be a string`,
		`{"name":"x","name":"x"}`:  `"name" comes twice`,
		`{"name":"x","n":1,"n":1}`: `"n" comes twice`,
		`{"name":"x","n":true}`:    `"n" must be an integer`,
		`{"name":"x","n":null}`:    `"n" must be an integer`,
		`{"name":"x","n":{}}`:      `"n" must be an integer`,
		`{"name":"x","n":[1]}`:     `"n" must be an integer`,
		`{"name":"x","n":1.0}`:     "not 1.0",
		`{"name":"x","n":1e3}`:     "not 1e3",
		`{"name":"x","n":1` + strings.Repeat("0", 19) + `}`: "64 bits",
		strings.Repeat(" ", MaxText+1):                      "at most",
	}) {
		if _, _, err := Parse([]byte(text), nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.40q): got %v, want something with %q", text, err, want)
		}
	}
}

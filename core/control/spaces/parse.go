// Package spaces turns the description of a structure, as it crosses the language border, into a Space, and keeps those that callers have
// open, by handles.
package spaces

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"combpred/core/fault"
	"combpred/core/structure"
)

// MaxText bounds the text of a description. Everything long travels in the buffers.
const MaxText = 1 << 16

// Parse reads a description: text is one JSON object that maps "name" to the catalogue name and every other key to an integer.
// A key that comes twice, a value that is no integer and text after the object are errors. The buffers are not copied.
func Parse(text []byte, ints []int32, reals []float64) (name string, args structure.Args, err error) {
	if len(text) > MaxText {
		return "", args, fault.Value("structure text has %d bytes, at most %d are allowed", len(text), MaxText)
	}
	scalars := make(map[string]int64)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil {
		return "", args, malformed(err)
	} else if t != json.Delim('{') {
		return "", args, fault.Value("structure text must be a JSON object")
	}
	named := false
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return "", args, malformed(err)
		}
		key, ok := t.(string)
		if !ok {
			return "", args, fault.Value("structure text: %v is not a key", t)
		}
		value, err := dec.Token()
		if err != nil {
			return "", args, malformed(err)
		}
		if key == "name" {
			if named {
				return "", args, fault.Value(`structure text: key "name" comes twice`)
			}
			if name, named = value.(string); !named {
				return "", args, fault.Value(`structure text: "name" must be a string`)
			}
			continue
		}
		if _, dup := scalars[key]; dup {
			return "", args, fault.Value("structure text: key %q comes twice", key)
		}
		number, ok := value.(json.Number)
		if !ok {
			return "", args, fault.Value("structure text: %q must be an integer", key)
		}
		v, err := strconv.ParseInt(number.String(), 10, 64)
		if err != nil {
			return "", args, fault.Value("structure text: %q must be an integer of 64 bits, not %s", key, number)
		}
		scalars[key] = v
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return "", args, malformed(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "", args, fault.Value("structure text goes on after the closing brace")
	}
	if !named {
		return "", args, fault.Value(`structure text has no "name"`)
	}
	return name, structure.Args{Scalars: scalars, Ints: ints, Reals: reals}, nil
}

func malformed(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fault.Value("structure text is not JSON: %w", err)
}

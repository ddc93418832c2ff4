package cabitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"combpred/core/control/spaces"
	"combpred/core/slicex"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// Kind is a structure to make calls with: its description in C's terms, and some of its outputs, embedded, too.
type Kind struct {
	Text  string
	args  examples.Args
	names []byte // of its items, in JSON
	facts map[string]int64
	parts [][]int32
	psi   [][]float64
}

// Kinds returns structures of every kind in the catalogue, at small sizes.
func Kinds() (all []Kind) {
	for _, spec := range structure.Catalogue() {
		sizes, ok := examples.Of(spec.Name)
		if !ok {
			panic("no sizes for " + spec.Name)
		}
		for _, args := range sizes.Small() {
			space, err := structure.New(spec.Name, structure.Args(args))
			if err == nil && max(space.FeatureLen(), space.PartLen()) <= 16 {
				all = append(all, newKind(spec.Name, args, space))
			}
		}
	}
	return all
}

func newKind(name string, args examples.Args, space structure.Space) Kind {
	scalars := map[string]any{"name": name}
	for key, v := range slicex.InOrder(args.Scalars) {
		scalars[key] = v
	}
	text, err := json.Marshal(scalars)
	if err != nil {
		panic(err)
	}
	var names []string
	if n, ok := args.Scalars["n"]; ok {
		for i := range n {
			names = append(names, fmt.Sprintf("item %d", i))
		}
	}
	listed, err := json.Marshal(names)
	if err != nil {
		panic(err)
	}
	k := Kind{Text: string(text), args: args, names: listed, facts: map[string]int64{"text_len": int64(len(text)),
		"n_ints": int64(len(args.Ints)), "n_reals": int64(len(args.Reals)), "names_len": int64(len(listed)),
		"d": int64(space.FeatureLen()), "part_len": int64(space.PartLen()), "space": 0}}
	add := func(y []int32) bool {
		psi := make([]float64, space.FeatureLen())
		space.Embed(psi, y)
		k.parts, k.psi = append(k.parts, slices.Clone(y)), append(k.psi, psi)
		return len(k.parts) < 5
	}
	if e, ok := space.(structure.Enumerator); ok {
		e.All()(add)
	} else if s, ok := space.(structure.Searcher); ok {
		y := make([]int32, space.PartLen())
		if _, err := s.Start(y, structure.Scores{Linear: make([]float64, space.FeatureLen())}, nil); err == nil {
			add(y)
		}
	}
	return k
}

// Described returns the kind with another text.
func (k Kind) Described(text string) Kind {
	k.Text, k.facts = text, maps.Clone(k.facts)
	k.facts["text_len"], k.facts["space"] = int64(len(text)), 0
	return k
}

// open opens the space, if it can and no call has left it open.
func (k Kind) open() {
	if _, err := spaces.Of(uint64(k.facts["space"])); err == nil {
		return
	}
	handle, err := spaces.Open([]byte(k.Text), k.args.Ints, k.args.Reals, nil)
	if err != nil {
		handle = 0
	}
	k.facts["space"] = int64(handle)
}

// Close closes the space.
func (k Kind) Close() {
	_ = spaces.Close(uint64(k.facts["space"])) // a call may have done so
}

// describe writes a part of the description to dst, repeated where that is longer.
func (k Kind) describe(part string, dst []byte) {
	var source []byte
	switch part {
	case "text":
		source = []byte(k.Text)
	case "ints":
		source = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(k.args.Ints))), 4*len(k.args.Ints))
	case "names":
		source = k.names
	case "reals":
		source = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(k.args.Reals))), 8*len(k.args.Reals))
	}
	for len(dst) > 0 && len(source) > 0 {
		dst = dst[copy(dst, source):]
	}
}

// contents say what entry i of a legal buffer is, given its dimensions.
var contents = map[string]func(k Kind, dims []int64, i int) float64{
	"out":      func(Kind, []int64, int) float64 { return 85 },
	"room":     func(Kind, []int64, int) float64 { return 85 },
	"zeros":    func(Kind, []int64, int) float64 { return 0 },
	"alone":    func(Kind, []int64, int) float64 { return structure.Alone },
	"ones":     func(Kind, []int64, int) float64 { return 1 },
	"numbers":  func(_ Kind, _ []int64, i int) float64 { return float64(i*i%7)/4 - 0.5 },
	"typed":    func(_ Kind, _ []int64, i int) float64 { return float64(i % 3) },
	"positive": func(_ Kind, _ []int64, i int) float64 { return float64(1 + i%3) },
	"shares":   func(_ Kind, _ []int64, i int) float64 { return 0.5 + float64(i%4)/8 },
	"counted":  func(_ Kind, _ []int64, i int) float64 { return float64(i) },
	"handles":  func(k Kind, _ []int64, _ int) float64 { return float64(k.facts["space"]) },
	"starts":   func(_ Kind, _ []int64, i int) float64 { return float64(i) },
	"parents":  func(_ Kind, _ []int64, i int) float64 { return float64(i - 1) },
	"signs":    func(_ Kind, _ []int64, i int) float64 { return float64(1 - i%3) },
	"ranks":    func(_ Kind, dims []int64, i int) float64 { return float64(1 + int64(i)%dims[len(dims)-1]) },
	"hollow":   func(_ Kind, dims []int64, i int) float64 { return float64(min(int64(i)%(dims[0]+1), 1)) },
	"identity": func(_ Kind, dims []int64, i int) float64 {
		if n := dims[len(dims)-1]; int64(i)/n == int64(i)%n {
			return 1
		}
		return 0
	},
	"kernel": func(_ Kind, dims []int64, i int) float64 {
		if n := dims[len(dims)-1]; int64(i)/n == int64(i)%n {
			return 2
		}
		return 0.5
	},
	"outputs": func(k Kind, dims []int64, i int) float64 {
		n := int(dims[len(dims)-1])
		if len(k.parts) == 0 || len(k.parts[0]) != n {
			return 0
		}
		return float64(k.parts[i/n%len(k.parts)][i%n])
	},
	"embedded": func(k Kind, dims []int64, i int) float64 {
		n := int(dims[len(dims)-1])
		if len(k.psi) == 0 || len(k.psi[0]) != n {
			return 0
		}
		return k.psi[i/n%len(k.psi)][i%n]
	},
}

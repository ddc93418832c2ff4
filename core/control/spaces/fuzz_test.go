package spaces

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode"
	"combpred/core/internal/structuretest"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// seed adds every small structure of the catalogue, so that fuzzing starts from what is legal.
func seed(f *testing.F) {
	for _, spec := range structure.Catalogue() {
		for _, args := range structuretest.SizesOf(f, spec.Name).Small {
			object := map[string]any{"name": spec.Name}
			for k, v := range slicex.InOrder(args.Scalars) {
				object[k] = v
			}
			text, err := json.Marshal(object)
			if err != nil {
				f.Fatal(err)
			}
			raw, err := binary.Append(nil, binary.LittleEndian, args.Ints)
			if err != nil {
				f.Fatal(err)
			}
			reals, err := binary.Append(nil, binary.LittleEndian, args.Reals)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, raw, reals)
		}
	}
	f.Add([]byte(`{"name":"custom","d":1,"members":0}`), []byte{}, make([]byte, 3*8))
	f.Add([]byte(`{"name":"multiclass","n":9223372036854775807}`), []byte{}, []byte{1, 2, 3})
	f.Add([]byte(`{"name":"\ud800","n":1e5}`), []byte{0xff}, []byte{})
}

// buffers cuts raw bytes into numbers.
func buffers(rawInts, rawReals []byte) (ints []int32, reals []float64) {
	for ; len(rawInts) >= 4; rawInts = rawInts[4:] {
		ints = append(ints, int32(binary.LittleEndian.Uint32(rawInts)))
	}
	for ; len(rawReals) >= 8; rawReals = rawReals[8:] {
		reals = append(reals, math.Float64frombits(binary.LittleEndian.Uint64(rawReals)))
	}
	return ints, reals
}

// FuzzParse checks that what Parse accepts is what encoding/json reads into a map.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, _, _ []byte) {
		name, args, err := Parse(text, nil, nil)
		if err != nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatalf("accepted %q, which is not JSON: %v", text, err)
		}
		if object["name"] != name || len(object) != len(args.Scalars)+1 {
			t.Fatalf("%q: got name %q and %v", text, name, args.Scalars)
		}
		for key := range maps.Keys(args.Scalars) {
			if v, ok := object[key].(float64); !ok || v != float64(args.Scalars[key]) {
				t.Fatalf("%q: %q is %d", text, key, args.Scalars[key])
			}
		}
	})
}

// FuzzSpace builds a space from any description and, when that succeeds, uses what it can do: an illegal description must be refused at
// construction, not crash later.
func FuzzSpace(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text, rawInts, rawReals []byte) {
		ints, reals := buffers(rawInts, rawReals)
		handle, err := Open(text, ints, reals, nil)
		if err != nil {
			return
		}
		s, err := Of(handle)
		if err != nil {
			t.Fatal(err)
		}
		if err := Close(handle); err != nil {
			t.Fatal(err)
		}
		d, parts := s.FeatureLen(), s.PartLen()
		if d < 0 || parts < 0 {
			t.Fatalf("%q: d = %d, %d parts", text, d, parts)
		}
		if d > 2000 || parts > 2000 {
			return // legal, and too slow for a fuzzer
		}
		y, psi, scores := make([]int32, parts), make([]float64, d), make([]float64, d)
		if c, ok := s.(structure.Counter); ok && c.Count().Sign() <= 0 {
			t.Fatalf("%q: %v outputs", text, c.Count())
		}
		if m, ok := s.(structure.Momenter); ok {
			m.Mean(psi)
			for i, v := range psi {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%q: mean of ψ[%d] is %g", text, i, v)
				}
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		if sampler, ok := s.(structure.Sampler); ok {
			sampler.Sample(y, rng)
			if err := s.Check(y); err != nil {
				t.Fatalf("%q: drew %v: %v", text, y, err)
			}
			s.Embed(psi, y)
		}
		for i := range scores {
			scores[i] = rng.NormFloat64()
		}
		certs := make([]structure.Certificate, 1)
		linear := blas64.General{Rows: 1, Cols: d, Stride: max(d, 1), Data: scores}
		err = decode.Batch(structure.OneSpace(s, linear, blas64.General{Cols: d, Stride: max(d, 1)}), decode.Auto, 0, y, certs, 1, nil)
		if _, cannot := errors.AsType[*structure.CapabilityError](err); !cannot { // moments alone decode nothing
			if err != nil {
				t.Fatalf("%q: decoding: %v", text, err)
			}
			if err := s.Check(y); err != nil {
				t.Fatalf("%q: decoded %v: %v", text, y, err)
			}
		}
		// Any parts at all must be accepted or refused, not crash.
		for i := range y {
			y[i] = int32(rng.Uint32())
		}
		if err := s.Check(y); err == nil {
			s.Embed(psi, y)
		}
	})
}

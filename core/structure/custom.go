package structure

import (
	"fmt"
	"math"
)

// maxReals bounds the numbers that describe a structure: they are passed, and compared with those of before, at every call.
const maxReals = 1 << 24

var _ = register(Spec{
	Name: "custom",
	Doc:  "The user's own outputs: a list of their embeddings, or nothing but the moments of ψ.",
	Params: []Param{
		{Name: "d", Kind: "int", Doc: "length of the embedding, at least 1"},
		{Name: "members", Kind: "int", Doc: "number of outputs listed, or 0: only moments are given"},
		{Name: "embeddings", Kind: "float64 buffer", Doc: "with members: one row of d numbers for each"},
		{Name: "moments", Kind: "float64 buffer", Doc: "without members: ln of the number of outputs (NaN: not known), " +
			"the mean (d) and the second moment by rows (d·d)"},
	},
	Ref: "Vembu (2010), ch. 5: the counting assumption is all that training needs",
	New: newCustom,
	Small: []Args{
		listedArgs(1, 1, func(int, int) float64 { return 1 }),
		listedArgs(1, 3, func(int, int) float64 { return 0 }), // told apart by nothing
		listedArgs(3, 4, func(i, j int) float64 { return float64((i*7+j*5)%3 - 1) }),
		listedArgs(7, 3, func(i, j int) float64 { return math.Sin(float64(3*i+5*j)) * 2 }),
		listedArgs(300, 12, func(i, j int) float64 { return math.Cos(float64(i * (j + 1))) }),
	},
	Large: []Args{
		listedArgs(20000, 30, func(i, j int) float64 { return math.Cos(float64(i * (j + 1))) }),
		fairSigns(50, 800),
	},
})

// listedArgs returns the parameters of a list of members with the given entries of ψ.
func listedArgs(members, d int, psi func(member, entry int) float64) Args {
	reals := make([]float64, members*d)
	for i := range reals {
		reals[i] = psi(i/d, i%d)
	}
	return Args{Scalars: map[string]int64{"d": int64(d), "members": int64(members)}, Reals: reals}
}

// fairSigns returns the moments of d independent signs, of a space with exp(log) outputs.
func fairSigns(d int, log float64) Args {
	reals := make([]float64, 1+d+d*d)
	reals[0] = log
	for i := range d {
		reals[1+d+i*d+i] = 1
	}
	return Args{Scalars: map[string]int64{"d": int64(d), "members": 0}, Reals: reals}
}

func newCustom(a Args) (Space, error) {
	d, err := a.Int("d", 1, maxReals)
	if err != nil {
		return nil, err
	}
	members, err := a.Int("members", 0, maxReals)
	if err != nil {
		return nil, err
	}
	what, want := "the moments", 1+int64(d)+int64(d)*int64(d)
	if members > 0 {
		what, want = fmt.Sprintf("the embeddings of %d members", members), int64(members)*int64(d)
	}
	if want > maxReals {
		return nil, fmt.Errorf("structure: %s in %d dimensions are %d numbers, at most %d are allowed", what, d, want, maxReals)
	}
	if int64(len(a.Reals)) != want {
		return nil, fmt.Errorf("structure: %s in %d dimensions need %d numbers, not %d", what, d, want, len(a.Reals))
	}
	if members > 0 {
		return newListed(a.Reals, members, d)
	}
	return newSummarised(a.Reals, d)
}

package structure

import (
	"fmt"

	"combpred/core/fault"
)

// maxReals bounds the numbers that describe a structure: they are passed, and compared with those of before, at every call.
const maxReals = 1 << 24

var _ = register(Spec{
	Name: "custom",
	Doc:  "The user's own outputs: a list of their embeddings, or nothing but the moments of ψ.",
	Params: []Param{
		{Name: "d", Kind: "int", Least: 1, Most: maxReals,
			Doc: "length of the embedding"},
		{Name: "members", Kind: "int", Least: 0, Most: maxReals,
			Doc: "number of outputs listed, or 0: only moments are given"},
		{Name: "embeddings", Kind: "float64 buffer", Doc: "with members: one row of d numbers for each"},
		{Name: "moments", Kind: "float64 buffer", Doc: "without members: ln of the number of outputs (NaN: not known), " +
			"the mean (d) and the second moment by rows (d·d)"},
	},
	Parts:   "the number of the output in the list; none where there is no list",
	Psi:     "as the caller gives them",
	Ref:     "Vembu (2010), section 4.3.1: the counting assumption is all that training needs",
	Typical: []Args{{Scalars: map[string]int64{"d": 1, "members": 2}, Reals: []float64{0, 1}}},
	build:   newCustom,
})

func newCustom(a arguments) (Space, error) {
	d, err := a.Int("d")
	if err != nil {
		return nil, err
	}
	members, err := a.Int("members")
	if err != nil {
		return nil, err
	}
	what, want := "the moments", 1+int64(d)+int64(d)*int64(d)
	if members > 0 {
		what, want = fmt.Sprintf("the embeddings of %d members", members), int64(members)*int64(d)
	}
	if want > maxReals {
		return nil, fault.Value("%s in %d dimensions are %d numbers, at most %d are allowed", what, d, want, maxReals)
	}
	if int64(len(a.Reals)) != want {
		return nil, fault.Value("%s in %d dimensions need %d numbers, not %d", what, d, want, len(a.Reals))
	}
	if members > 0 {
		return newListed(a.Reals, members, d)
	}
	return newSummarised(a.Reals, d)
}

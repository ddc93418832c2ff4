package structure

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

var _ = register(Spec{
	Name: "tournaments",
	Doc:  "Partial tournaments on n items: each pair is won by either item or not played; ψ has +1, -1 or 0 for each pair u < v.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 2, Most: maxItems, Reason: reasonOfItems,
			Doc: "number of items"},
	},
	Parts:   "ψ",
	Psi:     "the pairs u < v of items in lexicographic order: (0, 1), (0, 2), …, (1, 2), …",
	Ref:     "Vembu (2010), section 4.3.1, with the off-diagonal of the second moment corrected to 0",
	Typical: []Args{{Scalars: map[string]int64{"n": 2}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		return tournaments{newRelations(a.memo(), n)}, nil
	},
})

// tournaments is the space of all antisymmetric relations. Its pairs are independent, each uniform on {+1, −1, 0}.
type tournaments struct{ relations }

var (
	_ Counter    = tournaments{}
	_ Momenter   = tournaments{}
	_ Enumerator = tournaments{}
	_ Sampler    = tournaments{}
	_ Decoder    = tournaments{}
)

func (t tournaments) String() string { return fmt.Sprintf("partial tournaments of %d items", t.n) }

// Facts: every pair may have any of its values.
func (t tournaments) Facts() Facts {
	f := t.facts()
	f.FreeValues, f.LogCount, f.Spectrum, f.Sums = signsAndZero, t.logCount, t, sumsOf(t.partitionCost)
	f.Moves.Below, f.Moves.Above = t.moveGaps()
	return f
}

// Count is 3^d.
func (t tournaments) Count() *big.Int {
	return new(big.Int).Exp(big.NewInt(3), big.NewInt(int64(t.len())), nil)
}

// logCount is d ln 3, without the number itself, whose digits fill megabytes at large sizes.
func (t tournaments) logCount() float64 { return float64(t.len()) * math.Log(3) }

func (t tournaments) SecondMoment(dst blas64.General)           { t.independent(dst) }
func (t tournaments) Eigenvalues() []float64                    { return []float64{2.0 / 3} }
func (t tournaments) FrameLen(int) int                          { return t.len() }
func (t tournaments) AnalyzeTo(dst, v blas64.General, _ int)    { copyRowsTo(dst, v, t.len()) }
func (t tournaments) SynthesizeTo(dst, c blas64.General, _ int) { addRowsTo(dst, c, t.len()) }

// All lists the tournaments in lexicographic order of ψ.
func (t tournaments) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, t.len())
		for i := range y {
			y[i] = -1
		}
		for yield(y) {
			i := len(y) - 1
			for i >= 0 && y[i] == 1 {
				y[i] = -1
				i--
			}
			if i < 0 {
				return
			}
			y[i]++
		}
	}
}

func (t tournaments) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), t.len())
	combin.Below(dst, 3, rng)
	for i := range dst {
		dst[i]--
	}
}

// Decode takes the best value of every pair. Cost: O(d).
func (t tournaments) Decode(dst []int32, score Scores) (Certificate, error) {
	return proven(t.perPair(dst, score)), nil
}

package structure

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

var _ = register(Spec{
	Name: "multiclass",
	Doc:  "One of n classes; ψ is the indicator of the class.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxLen, Reason: reasonOfLen,
			Doc: "number of classes"},
	},
	Parts:   "the class, from 0 on",
	Psi:     "the classes",
	Ref:     "Vembu (2010), section 4.3.1",
	Typical: []Args{{Scalars: map[string]int64{"n": 2}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		return multiClass{newIndices(a.memo(), n, "class")}, nil
	},
})

// multiClass is the space of n classes, encoded as the class index.
type multiClass struct{ indices }

var (
	_ Counter    = multiClass{}
	_ Momenter   = multiClass{}
	_ Enumerator = multiClass{}
	_ Sampler    = multiClass{}
	_ Proposer   = multiClass{}
	_ Decoder    = multiClass{}
)

func (m multiClass) String() string         { return fmt.Sprintf("%d classes", m.n) }
func (m multiClass) FeatureLen() int        { return m.n }
func (m multiClass) FrameLen(int) int       { return m.n }
func (m multiClass) Eigenvalues() []float64 { return symmetricSpectrum(m.n, 1/float64(m.n)) }

func (m multiClass) Facts() Facts {
	f := m.facts()
	f.Costs = []string{"zero-one", "hamming"}
	f.Names, f.Exclusive, f.Spectrum, f.Sums = m.names.each("", m.n), true, m, sumsOf(m.partitionCost)
	return f
}

func (m multiClass) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), m.n)
	clear(dst)
	dst[y[0]] = 1
}

// Mean is 1/n in every entry.
func (m multiClass) Mean(dst []float64) {
	mustLen("dst", len(dst), m.n)
	fill(dst, 1/float64(m.n))
}

// SecondMoment is I/n.
func (m multiClass) SecondMoment(dst blas64.General) {
	fillExchangeable(dst, m.n, 1/float64(m.n), 0)
}

func (m multiClass) AnalyzeTo(dst, v blas64.General, _ int)    { centreTo(dst, v) }
func (m multiClass) SynthesizeTo(dst, c blas64.General, _ int) { addCentredTo(dst, c) }

// Decode takes the class of largest score, the smallest index among equals. Cost: O(n).
func (m multiClass) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, m.n)
	best, value := 0, score.indicator(0)
	for i := 1; i < m.n; i++ {
		if s := score.indicator(i); s > value {
			best, value = i, s
		}
	}
	dst[0] = int32(best)
	return proven(value), nil
}

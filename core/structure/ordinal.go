package structure

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

var _ = register(Spec{
	Name: "ordinal",
	Doc:  "One of n ordered grades; ψ_i says whether the grade is at least i.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxLen, Reason: reasonOfLen,
			Doc: "number of grades"},
	},
	Parts:   "the grade, from 0 on",
	Psi:     "the grades",
	Ref:     "Vembu (2010), section 4.3.1, with the counts corrected by one",
	Typical: []Args{{Scalars: map[string]int64{"n": 2}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		return ordinal{newIndices(a.memo(), n, "grade")}, nil
	},
})

// ordinal is the space of n grades, encoded as the grade 0..n-1.
type ordinal struct{ indices }

var (
	_ Counter    = ordinal{}
	_ Momenter   = ordinal{}
	_ Enumerator = ordinal{}
	_ Sampler    = ordinal{}
	_ Proposer   = ordinal{}
	_ Decoder    = ordinal{}
)

func (o ordinal) String() string  { return fmt.Sprintf("%d grades", o.n) }
func (o ordinal) FeatureLen() int { return o.n }

func (o ordinal) Facts() Facts {
	f := o.facts()
	f.Decisions = []string{"median"}
	f.Names, f.Sums = prefixed(">=", o.names.each("", o.n)), sumsOf(o.partitionCost)
	return f
}

func (o ordinal) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), o.n)
	clear(dst)
	fill(dst[:y[0]+1], 1)
}

// Mean: n−i of the n grades are at least i.
func (o ordinal) Mean(dst []float64) {
	mustLen("dst", len(dst), o.n)
	for i := range dst {
		dst[i] = float64(o.n-i) / float64(o.n)
	}
}

// SecondMoment: n − max(i, j) of the n grades are at least i and at least j.
func (o ordinal) SecondMoment(dst blas64.General) {
	mustLen("dst's column", dst.Rows, o.n)
	mustLen("dst's row", dst.Cols, o.n)
	for i := range o.n {
		for j, r := 0, row(dst, i); j < o.n; j++ {
			r[j] = float64(o.n-max(i, j)) / float64(o.n)
		}
	}
}

// ModeScores: the probability of a grade is that of it or a higher one less that of a higher one.
func (o ordinal) ModeScores(expected []float64) {
	mustLen("expected", len(expected), o.n)
	for i := range o.n - 1 {
		expected[i] -= expected[i+1]
	}
	for i := o.n - 1; i > 0; i-- {
		expected[i] -= expected[i-1]
	}
}

// Decode compares the partial sums of the scores; the smallest grade wins among equals. Cost: O(n).
func (o ordinal) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, o.n)
	sum := score.indicator(0)
	best, value := 0, sum
	for i := 1; i < o.n; i++ {
		sum += score.indicator(i)
		if sum > value {
			best, value = i, sum
		}
	}
	dst[0] = int32(best)
	return proven(value), nil
}

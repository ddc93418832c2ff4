package structure

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
)

var _ = register(Spec{
	Name: "labelsets",
	Doc:  "Subsets of n labels, all of them, those of one size or those in a list; ψ is the 0/1 membership of each label.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxLen, Reason: reasonOfLen,
			Doc: "number of labels"},
		{Name: "size", Kind: "int", Least: -1, Most: maxLen, Bound: "n", Optional: true,
			Doc: "number of labels in every set; -1 or absent: any number"},
		{Name: "observed", Kind: "int32 buffer", Optional: true,
			Doc: "the sets that there are, each once: the membership of each label, 0 or 1, set by set; absent: all"},
	},
	Conditions: labelTerms,
	Parts:      "0/1 membership of each label",
	Psi:        "the labels",
	Ref:        "Vembu (2010), section 4.3.1, with the diagonal of the second moment corrected",
	Typical:    []Args{{Scalars: map[string]int64{"n": 2}}},
	build:      newLabelSets,
})

// labelSets is the space of the subsets of n labels, encoded as 0/1 membership. size < 0 admits every subset.
type labelSets struct {
	sets
	sorted *scratch
}

var (
	_ Counter    = labelSets{}
	_ Momenter   = labelSets{}
	_ Enumerator = labelSets{}
	_ Sampler    = labelSets{}
	_ Proposer   = labelSets{}
	_ Decoder    = labelSets{}
)

var zeroOne, signsAndZero = []int32{0, 1}, []int32{-1, 0, 1}

func newLabelSets(a arguments) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	size := -1
	if _, ok := a.Scalars["size"]; ok {
		if size, err = a.IntTo("size", int64(n)); err != nil {
			return nil, err
		}
	}
	all := labelSets{newSets(a.memo(), n, size), new(scratch)}
	if len(a.Ints) > 0 {
		return newObservedSets(all, a.Ints)
	}
	return labelledRows{all}, nil
}

func (l labelSets) String() string {
	if l.size < 0 {
		return fmt.Sprintf("sets of %d labels", l.n)
	}
	return fmt.Sprintf("sets of %d out of %d labels", l.size, l.n)
}

func (l labelSets) FeatureLen() int { return l.n }

func (l labelSets) Check(y []int32) error {
	mustLen("y", len(y), l.n)
	if i := notBit(y); i >= 0 {
		return wrongPart(y, i, l.names, l.Format())
	}
	if k := members(y); l.size >= 0 && k != l.size {
		return fault.Value("the set has %d labels, size=%d asks for %d; without a size, sets of all sizes are taken", k, l.size, l.size)
	}
	return nil
}

func (l labelSets) Format() string {
	return "label sets are 0/1 matrices, 1 where the label belongs to the row"
}

// Facts: sets of any size are a lattice of independent labels. The complement of a set of one size has another one, unless that is half
// of all.
func (l labelSets) Facts() Facts {
	f := Facts{
		Layout:        Layout{Format: l.Format(), Names: l.names.each("label", l.n), Decisions: []string{"f1", "ranking", "subset"}},
		Spectrum:      l,
		Moves:         movesOf(l.moveGaps()),
		Sums:          sumsOf(l.partitionCost),
		SizeMarginals: l.sizeMarginals,
		FixedSize:     l.size,
	}
	if l.size < 0 {
		f.FreeValues, f.Lattice = zeroOne, l
	}
	if l.size < 0 || 2*l.size == l.n {
		f.Mirror = l.mirror
	}
	return f
}

func (l labelSets) columnNames() Names { return l.names }

func (l labelSets) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), l.n)
	mustLen("y", len(y), l.n)
	for i, v := range y {
		dst[i] = float64(v)
	}
}

// mirror takes the complement.
func (l labelSets) mirror(dst, y []int32) {
	for i, v := range y {
		dst[i] = 1 - v
	}
}

// pairMoments returns P(a label is in the set) and P(two given labels are), the ratios of binomial coefficients
// cancelled.
func (l labelSets) pairMoments() (one, two float64) {
	if l.size < 0 {
		return 0.5, 0.25
	}
	n, s := float64(l.n), float64(l.size)
	if l.n < 2 {
		return s / n, 0
	}
	return s / n, s * (s - 1) / (n * (n - 1))
}

func (l labelSets) Mean(dst []float64) {
	mustLen("dst", len(dst), l.n)
	one, _ := l.pairMoments()
	fill(dst, one)
}

func (l labelSets) SecondMoment(dst blas64.General) {
	one, two := l.pairMoments()
	fillExchangeable(dst, l.n, one, two)
}

// Eigenvalues: the labels of all subsets are independent fair coins, Σ = I/4. Of sets of ℓ labels the entries sum to ℓ,
// which leaves ℓ(n−ℓ)/(n(n−1)) on the complement of the constant vector.
func (l labelSets) Eigenvalues() []float64 {
	if l.size < 0 {
		return []float64{0.25}
	}
	n, s := float64(l.n), float64(l.size)
	return symmetricSpectrum(l.n, s*(n-s)/(n*(n-1)))
}

func (l labelSets) FrameLen(int) int { return l.n }

func (l labelSets) AnalyzeTo(dst, v blas64.General, _ int) {
	if l.size >= 0 {
		centreTo(dst, v)
		return
	}
	copyRowsTo(dst, v, l.n)
}

func (l labelSets) SynthesizeTo(dst, c blas64.General, _ int) {
	if l.size >= 0 {
		addCentredTo(dst, c)
		return
	}
	addRowsTo(dst, c, l.n)
}

// Decode takes the labels of positive score, a label of score 0 being left out; with a fixed size the labels of largest
// score, the smallest indices among equals. Cost: O(n), with a fixed size O(n log n).
func (l labelSets) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), l.n)
	mustScores(score, l.n)
	clear(dst)
	threshold, ties := 0.0, 0
	if l.size > 0 {
		threshold, ties = l.threshold(score)
	}
	var value float64
	for i := range dst {
		s := score.indicator(i)
		switch {
		case l.size == 0:
			continue
		case s > threshold:
		case s == threshold && ties > 0:
			ties--
		default:
			continue
		}
		dst[i] = 1
		value += s
	}
	return proven(value), nil
}

// threshold returns the smallest score among the l.size largest, and how many labels of exactly that score are among
// them.
func (l labelSets) threshold(score Scores) (t float64, ties int) {
	buf := l.sorted.get(l.n)
	defer l.sorted.put(buf)
	s := *buf
	for i := range s {
		s[i] = score.indicator(i)
	}
	slices.Sort(s)
	top := s[l.n-l.size:]
	t = top[0]
	for ties < len(top) && top[ties] == t {
		ties++
	}
	return t, ties
}

// Restrict takes labels that are required or forbidden, and how many labels there are.
func (l labelSets) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (r Restriction, err error) {
		m, err := readMembers(labelTerms, "label", conditions, l.n, l.names)
		if err != nil {
			return r, err
		}
		if l.size >= 0 && !m.size.has(l.size) {
			return r, fault.Value("'size' leaves out %d, but all sets have %d labels here; leave it out", l.size, l.size)
		}
		if l.size >= 0 {
			m.size = Range{l.size, l.size}
		}
		return Restriction{Mask: m.mask()}, m.checkSize(0)
	}
}

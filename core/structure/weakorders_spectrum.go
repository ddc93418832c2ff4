package structure

import (
	"cmp"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

// The signed block of Σ is that of package-level type pairs, with the eigenvalues a + (n−2)b and a − 2b. The block of the
// ties has p₁ − p₁² on its diagonal and p₂ − p₁² elsewhere: p₁ − p₂ + d(p₂ − p₁²), with d = n(n−1)/2, on the constant
// vector and p₁ − p₂ on its complement. For n = 3 the second and the last are both 2/13 and their spaces are one.

// A part of a jointSpace lives in one of the two blocks.
type part int

const (
	signGradients part = gradients
	signCycles    part = cyclic
	tieConstant   part = 2
	tieContrasts  part = 3
)

// jointSpace is the direct sum of parts with equal eigenvalues.
type jointSpace struct {
	sigma float64
	parts []part
}

// eigenspaces computes the eigenvalues from exact counts, so that each is correctly rounded and equal ones are equal.
func (w *weakOrders) eigenspaces() []jointSpace {
	n, d := int64(w.n), int64(w.len())
	f, f1, f2 := w.fubini[n], w.fubini[n-1], w.fubini[n-2]
	sum := func(x *big.Int, a int64, y *big.Int, b int64, z *big.Int, c int64) *big.Int {
		s := new(big.Int).Mul(x, big.NewInt(a))
		s.Add(s, new(big.Int).Mul(y, big.NewInt(b)))
		return s.Add(s, new(big.Int).Mul(z, big.NewInt(c)))
	}
	times := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	thrice := new(big.Int).Mul(f, big.NewInt(3))
	all := []jointSpace{
		{combin.Ratio(sum(f, n+1, f1, -3, f2, 2-n), thrice), []part{signGradients}},
		{combin.Ratio(sum(times(f, f1), 1, times(f, f2), d-1, times(f1, f1), -d), times(f, f)), []part{tieConstant}},
	}
	if n > 2 { // for two labels the complements are empty
		all = append(all,
			jointSpace{combin.Ratio(sum(f, 1, f1, -3, f2, 2), thrice), []part{signCycles}},
			jointSpace{combin.Ratio(sum(f1, 1, f2, -1, f, 0), f), []part{tieContrasts}})
	}
	slices.SortStableFunc(all, func(a, b jointSpace) int { return cmp.Compare(b.sigma, a.sigma) })
	merged := all[:1]
	for _, e := range all[1:] {
		if last := &merged[len(merged)-1]; last.sigma == e.sigma {
			last.parts = append(last.parts, e.parts...)
			continue
		}
		merged = append(merged, e)
	}
	return merged
}

func (w *weakOrders) Eigenvalues() []float64 {
	values := make([]float64, len(w.spaces))
	for i, e := range w.spaces {
		values[i] = e.sigma
	}
	return values
}

func (w *weakOrders) FrameLen(i int) (columns int) {
	for _, p := range w.spaces[i].parts {
		columns += w.partLen(p)
	}
	return columns
}

func (w *weakOrders) partLen(p part) int {
	switch p {
	case tieConstant:
		return 1
	case tieContrasts:
		return w.len()
	}
	return w.frameLen(int(p))
}

// AnalyzeTo costs O(d) for each row.
func (w *weakOrders) AnalyzeTo(dst, v blas64.General, i int) {
	mustFrame(dst, v, w.FrameLen(i), w.FeatureLen())
	at := 0
	for _, p := range w.spaces[i].parts {
		c := columns(dst, at, w.partLen(p))
		at += c.Cols
		switch block := w.block(v, p); p {
		case tieConstant:
			constantTo(c, block)
		case tieContrasts:
			centreTo(c, block)
		default:
			w.analyzeTo(c, block, int(p))
		}
	}
}

// SynthesizeTo costs O(d) for each row.
func (w *weakOrders) SynthesizeTo(dst, c blas64.General, i int) {
	mustFrame(c, dst, w.FrameLen(i), w.FeatureLen())
	at := 0
	for _, p := range w.spaces[i].parts {
		from := columns(c, at, w.partLen(p))
		at += from.Cols
		switch block := w.block(dst, p); p {
		case tieConstant:
			addConstantTo(block, from)
		case tieContrasts:
			addCentredTo(block, from)
		default:
			w.synthesizeTo(block, from, int(p))
		}
	}
}

// block returns the columns of v in which a part lives.
func (w *weakOrders) block(v blas64.General, p part) blas64.General {
	if p == tieConstant || p == tieContrasts {
		return columns(v, w.len(), w.len())
	}
	return columns(v, 0, w.len())
}

// columns returns n columns of m from column at on.
func columns(m blas64.General, at, n int) blas64.General {
	if m.Rows == 0 {
		return blas64.General{Cols: n, Stride: m.Stride}
	}
	return blas64.General{Rows: m.Rows, Cols: n, Stride: m.Stride, Data: m.Data[at:]}
}

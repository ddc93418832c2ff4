package structure

import "gonum.org/v1/gonum/blas/blas64"

// Eigenvalues: the second moment has 1 on its diagonal and ±1/3 for pairs that share a label, so that Σ has (n+1)/3 on
// the gradients and 1/3 on their complement.
func (p permutations) Eigenvalues() []float64 {
	if p.n == 2 {
		return []float64{1}
	}
	return []float64{float64(p.n+1) / 3, 1.0 / 3}
}

func (p permutations) FrameLen(i int) int                     { return p.frameLen(i) }
func (p permutations) AnalyzeTo(dst, v blas64.General, i int) { p.analyzeTo(dst, v, i) }
func (p permutations) SynthesizeTo(dst, c blas64.General, i int) {
	p.synthesizeTo(dst, c, i)
}

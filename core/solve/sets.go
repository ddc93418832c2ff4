package solve

import (
	"math"

	"combpred/core/linalg"
)

// Sets says which rows of Z are the correct outputs of an example: the n rows first[i] to first[i+1] of example i, or row i alone where
// first is nil. The AUC loss of a set (Vembu 2010, section 5.2, divided by |𝒴|) is, with u_y = ⟨ψ̃_y, f⟩,
//
//	n/2 fᵀΣf + ½ uᵀBu − Σ_y u_y,   B = (1 − 2n/|𝒴|) I + (2/|𝒴|) 11ᵀ,
//
// since an output of the set is not ranked below the others of it. B is positive definite for n < |𝒴|/2, and B1 = 1. Weights w n, and
// rows of Z divided by √n, bring the first term to that of one output; the margins' system becomes
//
//	G r = √w,   G = B⁻¹ + Σ_σ H_σ ∘ S_σ,   B⁻¹ = (I − (2/|𝒴|) 11ᵀ)/(1 − 2n/|𝒴|),
//
// with one margin for each row of Z and H_σ repeated for the rows of an example.
type Sets struct {
	first []int
	share float64 // 2/|𝒴|
}

// Rows returns the range of the rows of Z that belong to example i.
func (s Sets) Rows(i int) (lo, hi int) {
	if s.first == nil {
		return i, i + 1
	}
	return s.first[i], s.first[i+1]
}

// size returns the number of outputs of example i.
func (s Sets) size(i int) float64 {
	lo, hi := s.Rows(i)
	return float64(hi - lo)
}

// examples returns the number of examples that have the given number of rows in all.
func (s Sets) examples(rows int) int {
	if s.first == nil {
		return rows
	}
	return len(s.first) - 1
}

// divide divides the rows of each example by √n.
func (s Sets) divide(z matrix) {
	for i := range s.examples(z.Rows) {
		lo, hi := s.Rows(i)
		for a := lo; a < hi; a++ {
			linalg.ScaleTo(z.Row(a), 1/math.Sqrt(s.size(i)), z.Row(a))
		}
	}
}

// means returns the mean of each example's outputs, of which z holds the rows divided by √n.
func (s Sets) means(z matrix) matrix {
	out := linalg.NewMatrix[float64](s.examples(z.Rows), z.Cols)
	for i := range out.Rows {
		lo, hi := s.Rows(i)
		for a := lo; a < hi; a++ {
			linalg.Axpy(out.Row(i), z.Row(a), 1/math.Sqrt(s.size(i)))
		}
	}
	return out
}

// pull adds Σ_y (c − (Bu)_y) z_y to dst for the rows z_y of example i, u_y = ⟨z_y, f⟩.
func (s Sets) pull(z matrix, dst, f []float64, i int, c float64) {
	if s.first == nil {
		row := z.Row(i)
		linalg.Axpy(dst, row, c-linalg.Dot(row, f))
		return
	}
	lo, hi := s.Rows(i)
	var total float64
	for a := lo; a < hi; a++ {
		total += linalg.Dot(z.Row(a), f)
	}
	own := 1 - s.share*s.size(i)
	for a := lo; a < hi; a++ {
		linalg.Axpy(dst, z.Row(a), c-own*linalg.Dot(z.Row(a), f)-s.share*total)
	}
}

// loss returns ½uᵀBu − c Σ_y u_y of example i.
func (s Sets) loss(z matrix, f []float64, i int, c float64) float64 {
	var total, squares float64
	lo, hi := s.Rows(i)
	for a := lo; a < hi; a++ {
		u := linalg.Dot(z.Row(a), f)
		total += u
		squares += u * u
	}
	return ((1-s.share*s.size(i))*squares+s.share*total*total)/2 - c*total
}

// AddInverse adds B⁻¹v to dst.
func (s Sets) AddInverse(dst, v []float64) {
	if s.first == nil {
		linalg.Axpy(dst, v, 1)
		return
	}
	for i := range s.examples(len(v)) {
		lo, hi := s.Rows(i)
		shared, own := s.share*linalg.Sum(v[lo:hi]), 1-s.share*s.size(i)
		for a := lo; a < hi; a++ {
			dst[a] += (v[a] - shared) / own
		}
	}
}

// InverseDiagonal returns the diagonal entries of B⁻¹ that belong to example i.
func (s Sets) InverseDiagonal(i int) float64 {
	if s.first == nil {
		return 1
	}
	return (1 - s.share) / (1 - s.share*s.size(i))
}

// Take returns the problem of some rows, of which one may come several times: with their losses and without what is known of all rows
// together.
func (p *Problem) Take(rows []int64) *Problem {
	out := &Problem{Lambda: p.Lambda, Margin: p.Margin, Coord: p.Coord, Workers: p.Workers, Mon: p.Mon, Sigma: p.Sigma,
		Root: make([]float64, len(rows)), Sets: Sets{share: p.Sets.share}}
	if p.Sets.first != nil {
		out.Sets.first = make([]int, len(rows)+1)
	}
	if p.spread != nil {
		out.spread = make([]float64, len(rows))
	}
	var count int
	for t, row := range rows {
		i := int(row)
		lo, hi := p.Sets.Rows(i)
		out.Root[t], count = p.Root[i], count+hi-lo
		if p.Sets.first != nil {
			out.Sets.first[t+1] = count
		}
		if p.spread != nil {
			out.spread[t] = p.spread[i]
		}
	}
	out.Z = linalg.NewMatrix[float64](count, p.Z.Cols)
	count = 0
	for _, row := range rows {
		lo, hi := p.Sets.Rows(int(row))
		out.Z.Slice(count, count+hi-lo, 0, p.Z.Cols).CopyFrom(p.Z.Slice(lo, hi, 0, p.Z.Cols))
		count += hi - lo
	}
	return out
}

package custom

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

const (
	// largestEntry bounds the entries of ψ, as the structure "custom" does, so that their squares do not overflow.
	largestEntry = 1e100
	// negative is the magnitude of negative eigenvalues of Σ that counts as rounding, relative to the largest entry of the second moment.
	negative = 1e-9
	// Directions of Σ in which ψ does not vary are those with eigenvalues of at most d times the fraction flat of the largest eigenvalue,
	// or d times the fraction rounding of the largest entry of the second moment. Training drops them.
	flat, rounding = 1e-11, 1e-15
	// strayed is how far ψ may leave the mean in these directions, relative to one more than its distance from the mean.
	strayed = 1e-6
)

// Support is the affine subspace in which the embeddings of a space lie, as its moments tell.
type Support struct {
	mean []float64
	null matrix // d×r: an orthonormal basis of the directions in which ψ does not vary
}

// Bytes returns about how much memory it takes.
func (s *Support) Bytes() int { return 8 * (len(s.mean) + len(s.null.Data)) }

// SupportOf returns the support of a space that has moments, which is found once. It is an error where they are those of no distribution.
// Cost: O(d³).
func SupportOf(space structure.Space, moments structure.Momenter, mon *parallel.Monitor) (*Support, error) {
	return structure.Derive(space, func() (*Support, error) { return newSupport(space.FeatureLen(), moments, mon) })
}

func newSupport(d int, moments structure.Momenter, mon *parallel.Monitor) (*Support, error) {
	s := &Support{mean: make([]float64, d)}
	if d == 0 {
		return s, nil
	}
	moments.Mean(s.mean)
	vectors := linalg.NewMatrix[float64](d, d)
	moments.SecondMoment(linalg.General(vectors))
	scale := floats.Norm(vectors.Data, math.Inf(1))
	for i, v := range s.mean {
		floats.AddScaled(vectors.Row(i), -v, s.mean)
	}
	values, err := symEig(vectors, mon)
	if err != nil {
		return nil, err
	}
	if values[0] < -negative*scale {
		return nil, fault.Value("the covariance that follows from mean and second_moment is not positive semi-definite, its smallest "+
			"eigenvalue is %.6g; both must be averages over the same outputs", values[0])
	}
	least, r := float64(d)*max(flat*values[d-1], rounding*scale), 0
	for r < d && values[r] <= least {
		r++
	}
	s.null = linalg.NewMatrix[float64](d, r)
	s.null.CopyFrom(vectors.Slice(0, d, 0, r))
	return s, nil
}

// Check returns nil where the rows of psi may be embeddings of outputs of the space, and otherwise says which is not.
func (s *Support) Check(psi matrix) error {
	if err := embeddings(psi); err != nil || s.null.Cols == 0 {
		return err
	}
	centred, off := linalg.NewMatrix[float64](psi.Rows, psi.Cols), linalg.NewMatrix[float64](psi.Rows, s.null.Cols)
	for i := range psi.Rows {
		floats.SubTo(centred.Row(i), psi.Row(i), s.mean)
	}
	linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, centred, s.null, 0, off)
	for i := range psi.Rows {
		if far := floats.Norm(off.Row(i), 2); far > strayed*(1+floats.Norm(centred.Row(i), 2)) {
			return fault.At(i, fault.Value("ψ leaves the mean by %.3g in a direction in which the moments have no variance", far))
		}
	}
	return nil
}

// embeddings returns nil where all entries are finite and not too large.
func embeddings(psi matrix) error {
	for i := range psi.Rows {
		for j, v := range psi.Row(i) {
			if math.IsNaN(v) || math.Abs(v) > largestEntry {
				return fault.At(i, fault.Value("entry %d of ψ is %v, must be finite and at most %g", j, v, largestEntry))
			}
		}
	}
	return nil
}

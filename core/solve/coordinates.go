package solve

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
	"combpred/core/structure"
)

// compressLimit is the largest d at which redundant frames are replaced by orthonormal bases: a d×d product is cheap there and
// saves columns in every solve.
const compressLimit = 256

// eigenTolerance is the relative gap below which two eigenvalues of Σ count as one, and below which one counts as zero.
const eigenTolerance = 1e-11

type matrix = linalg.Matrix[float64]

// Group is a range of columns, Lo to Hi, that share one eigenvalue of Σ.
type Group struct {
	Sigma  float64
	Lo, Hi int
}

// Coordinates maps vectors of length d to coordinates in which Σ is diagonal and back. Directions with σ = 0 are dropped: the
// centred embedding of every output vanishes there.
type Coordinates struct {
	groups []Group
	d      int
	// At most one of these says how to change coordinates; both nil means the identity.
	spectrum structure.Spectrum
	basis    *matrix // d×Len, orthonormal columns
}

// NewCoordinates returns coordinates for the covariance of the space: from its known spectrum, or by diagonalising it (O(d³)).
func NewCoordinates(space structure.Space) (*Coordinates, error) {
	d := space.FeatureLen()
	if s := space.Facts().Spectrum; s != nil {
		c := &Coordinates{d: d, spectrum: s}
		lo := 0
		for i, sigma := range s.Eigenvalues() {
			hi := lo + s.FrameLen(i)
			c.groups = append(c.groups, Group{sigma, lo, hi})
			lo = hi
		}
		if d <= compressLimit && lo > 0 {
			return c.compress()
		}
		return c, nil
	}
	m, ok := space.(structure.Momenter)
	if !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "the mean and second moment of its embedding"}
	}
	mean := make([]float64, d)
	m.Mean(mean)
	cov := linalg.NewMatrix[float64](d, d)
	m.SecondMoment(linalg.General(cov))
	blas64.Ger(-1, blas64.Vector{N: d, Inc: 1, Data: mean}, blas64.Vector{N: d, Inc: 1, Data: mean}, linalg.General(cov))
	values, err := linalg.SymEig(linalg.General(cov))
	if err != nil {
		return nil, err
	}
	return fromEigen(values, cov), nil
}

// IdentityCoordinates returns the coordinates of the squared loss: ψ̃ itself, with σ = 1.
func IdentityCoordinates(d int) *Coordinates {
	return &Coordinates{groups: []Group{{1, 0, d}}, d: d}
}

// fromEigen keeps the eigenvectors (columns of vectors, eigenvalues ascending) of non-zero eigenvalues, the largest first.
func fromEigen(values []float64, vectors matrix) *Coordinates {
	d := vectors.Rows
	c := &Coordinates{d: d}
	if d == 0 {
		return c
	}
	top := max(values[d-1], 0)
	var keep []int
	for j := d - 1; j >= 0 && values[j] > eigenTolerance*max(top, 1e-300)*float64(d); j-- {
		if last := len(c.groups) - 1; last >= 0 && c.groups[last].Sigma-values[j] <= eigenTolerance*top*float64(d) {
			c.groups[last].Hi++
		} else {
			c.groups = append(c.groups, Group{values[j], len(keep), len(keep) + 1})
		}
		keep = append(keep, j)
	}
	b := linalg.NewMatrix[float64](d, len(keep))
	for i := range d {
		for k, j := range keep {
			b.Data[i*b.Stride+k] = vectors.Data[i*vectors.Stride+j]
		}
	}
	c.basis = &b
	return c
}

// compress replaces the frames by orthonormal bases of the same eigenspaces.
func (c *Coordinates) compress() (*Coordinates, error) {
	id := linalg.NewMatrix[float64](c.d, c.d)
	for i := range c.d {
		id.Data[i*c.d+i] = 1
	}
	cov := linalg.NewMatrix[float64](c.d, c.d)
	frame := linalg.NewMatrix[float64](c.d, c.Len())
	c.AnalyzeTo(frame, id)
	for _, g := range c.groups {
		f := frame.Slice(0, c.d, g.Lo, g.Hi)
		linalg.Gemm(blas.NoTrans, blas.Trans, g.Sigma, f, f, 1, cov)
	}
	values, err := linalg.SymEig(linalg.General(cov))
	if err != nil {
		return nil, err
	}
	return fromEigen(values, cov), nil
}

// Len returns the number of coordinates.
func (c *Coordinates) Len() int {
	if len(c.groups) == 0 {
		return 0
	}
	return c.groups[len(c.groups)-1].Hi
}

// Redundant says whether there may be more coordinates than dimensions, so that not all of their values are those of a vector.
func (c *Coordinates) Redundant() bool { return c.spectrum != nil }

// Bytes returns about how much memory the coordinates take.
func (c *Coordinates) Bytes() int {
	bytes := len(c.groups) * int(unsafe.Sizeof(Group{}))
	if c.basis != nil {
		bytes += 8 * len(c.basis.Data)
	}
	return bytes
}

// Groups returns the ranges of columns in the order of their eigenvalues, the largest first. They are not to be changed.
func (c *Coordinates) Groups() []Group { return c.groups }

// Distinct returns the number of distinct non-zero eigenvalues.
func (c *Coordinates) Distinct() int { return len(c.groups) }

// Sigmas returns the eigenvalue of each coordinate.
func (c *Coordinates) Sigmas() []float64 {
	s := make([]float64, c.Len())
	for _, g := range c.groups {
		for j := g.Lo; j < g.Hi; j++ {
			s[j] = g.Sigma
		}
	}
	return s
}

// AnalyzeTo writes the coordinates of the rows of v (n×d) to dst (n×Len).
func (c *Coordinates) AnalyzeTo(dst, v matrix) {
	switch {
	case c.basis != nil:
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, v, *c.basis, 0, dst)
	case c.spectrum != nil:
		for i, g := range c.groups {
			c.spectrum.AnalyzeTo(linalg.General(dst.Slice(0, dst.Rows, g.Lo, g.Hi)), linalg.General(v), i)
		}
	default:
		dst.CopyFrom(v)
	}
}

// SynthesizeTo writes to dst (n×d) the vectors whose coordinates are the rows of v (n×Len).
func (c *Coordinates) SynthesizeTo(dst, v matrix) {
	switch {
	case c.basis != nil:
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, v, *c.basis, 0, dst)
	case c.spectrum != nil:
		dst.Zero()
		for i, g := range c.groups {
			c.spectrum.SynthesizeTo(linalg.General(dst), linalg.General(v.Slice(0, v.Rows, g.Lo, g.Hi)), i)
		}
	default:
		dst.CopyFrom(v)
	}
}

// CovarianceTo writes the rows of v (n×d) times Σ to dst (n×d).
func (c *Coordinates) CovarianceTo(dst, v matrix) {
	scaled := linalg.NewMatrix[float64](v.Rows, c.Len())
	c.AnalyzeTo(scaled, v)
	for _, g := range c.groups {
		for i := range scaled.Rows {
			blas64.Scal(g.Sigma, blas64.Vector{N: g.Hi - g.Lo, Inc: 1, Data: scaled.Row(i)[g.Lo:g.Hi]})
		}
	}
	c.SynthesizeTo(dst, scaled)
}

package primal

import (
	"fmt"

	"combpred/core/fault"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

// Outputs are the embedded outputs ψ, one row each, or what they are made from. They are not centred.
type Outputs interface {
	// Size returns the number of outputs and d.
	Size() (n, d int)
	// read sets b to rows lo to hi; it may use the memory that b has already.
	read(b *psiRows, lo, hi int) error
	// sparse returns ψ where it is sparse, else nil.
	sparse() *solve.Sparse
}

// psiRows are some rows of ψ: small integers, or reals where small is nil.
type psiRows struct {
	small []int8 // rows of d
	wide  matrix

	ownSmall []int8
	ownWide  []float64
	row      []float64
}

// embedded are rows of reals.
type embedded struct{ psi matrix }

// Embedded returns outputs from ψ itself.
func Embedded(psi matrix) Outputs { return embedded{psi} }

func (o embedded) Size() (n, d int)      { return o.psi.Rows, o.psi.Cols }
func (o embedded) sparse() *solve.Sparse { return nil }

func (o embedded) read(b *psiRows, lo, hi int) error {
	b.small, b.wide = nil, o.psi.Slice(lo, hi, 0, o.psi.Cols)
	for i := range b.wide.Rows {
		if err := finitePsi(lo+i, b.wide.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

func finitePsi(i int, row []float64) error {
	var sum float64
	for _, v := range row {
		sum += v - v
	}
	if sum != 0 {
		return fault.At(i, fault.Value("psi has an entry that is not finite"))
	}
	return nil
}

// small are rows of small integers, as most structures have them.
type small struct {
	psi  []int8
	n, d int
}

// Small returns outputs from the rows of ψ, small integers one after the other.
func Small(psi []int8, n, d int) Outputs {
	if len(psi) != n*d {
		panic(fmt.Sprintf("primal: psi has %d entries, want %d rows of %d", len(psi), n, d))
	}
	return small{psi, n, d}
}

func (o small) Size() (n, d int)      { return o.n, o.d }
func (o small) sparse() *solve.Sparse { return nil }

func (o small) read(b *psiRows, lo, hi int) error {
	b.small = o.psi[lo*o.d : hi*o.d]
	return nil
}

// sparseOutputs are compressed sparse rows of ψ.
type sparseOutputs struct{ psi *solve.Sparse }

// SparsePsi returns outputs from rows of ψ that have passed their Check. They cost what their entries cost.
func SparsePsi(psi *solve.Sparse) Outputs {
	c := psi.Canonical()
	return sparseOutputs{&c}
}

func (o sparseOutputs) Size() (n, d int)              { return o.psi.Rows, o.psi.Cols }
func (o sparseOutputs) sparse() *solve.Sparse         { return o.psi }
func (o sparseOutputs) read(*psiRows, int, int) error { panic("primal: sparse outputs read as dense") }

// encoded are outputs of a space as their parts.
type encoded struct {
	space   structure.Space
	partial bool // outputs may be known in part
	parts   []int32
	n       int
}

// Encoded returns outputs from n encodings, one after the other, which are checked and embedded whenever they are read. With partial they
// may be known in part, if the space is a structure.PartialEmbedder.
func Encoded(space structure.Space, parts []int32, n int, partial bool) (Outputs, error) {
	if len(parts) != n*space.PartLen() {
		return nil, fault.Value("%d parts, want %d outputs of %d", len(parts), n, space.PartLen())
	}
	if _, ok := space.(structure.PartialEmbedder); partial && !ok {
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "outputs of which only a part is known"}
	}
	return encoded{space, partial, parts, n}, nil
}

func (o encoded) Size() (n, d int)      { return o.n, o.space.FeatureLen() }
func (o encoded) sparse() *solve.Sparse { return nil }

func (o encoded) read(b *psiRows, lo, hi int) error {
	d, l := o.space.FeatureLen(), o.space.PartLen()
	b.ownSmall, b.row = slicex.Grow(b.ownSmall, (hi-lo)*d), slicex.Grow(b.row, d)
	b.small = b.ownSmall[:(hi-lo)*d]
	integers := true
	for i := lo; i < hi; i++ {
		y, row := o.parts[i*l:(i+1)*l], b.row
		if !integers {
			row = b.wide.Row(i - lo)
		}
		if err := o.embed(row, y); err != nil {
			return fault.At(i, err)
		}
		if integers && !narrowTo(b.small[(i-lo)*d:][:d], row) {
			integers = false
			b.ownWide = slicex.Grow(b.ownWide, (hi-lo)*d)
			b.wide = matrix{Rows: hi - lo, Cols: d, Stride: max(d, 1), Data: b.ownWide[:(hi-lo)*d]}
			for k, v := range b.small[:(i-lo)*d] {
				b.wide.Data[k] = float64(v)
			}
			copy(b.wide.Row(i-lo), row)
		}
	}
	if !integers {
		b.small = nil
	}
	return nil
}

func (o encoded) embed(dst []float64, y []int32) error {
	if o.partial {
		return structure.EmbedKnown(o.space, dst, y)
	}
	if err := o.space.Check(y); err != nil {
		return err
	}
	o.space.Embed(dst, y)
	return nil
}

// narrowTo writes row to dst and says whether all its entries are integers of that size.
func narrowTo(dst []int8, row []float64) bool {
	dst = dst[:len(row)]
	var lost float64
	for j, v := range row {
		k := int8(int32(v))
		dst[j] = k
		d := v - float64(k)
		lost += d * d
	}
	return lost == 0
}

// wideRow returns row a of the outputs; it may be written to dst.
func (b *psiRows) wideRow(dst []float64, a int) []float64 {
	if b.small == nil {
		return b.wide.Row(a)
	}
	for j, v := range b.small[a*len(dst):][:len(dst)] {
		dst[j] = float64(v)
	}
	return dst
}

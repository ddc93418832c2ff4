package structure

import (
	"iter"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// Batch are rows of scores, each for the outputs of one of several spaces. What is found for a row depends on no other.
//
// What is written for rows of several spaces is packed, like their scores unless these say where they begin: outputs of PartLen parts,
// and vectors of FeatureLen entries, follow one another in the order of rows. Where there is one space, they are the rows of a matrix.
type Batch struct {
	spaces []Space
	one    [1]Space // the memory of spaces where there is one
	n      int
	err    error // what is wrong with the shapes

	linear, magnitude       []float64
	magnitudes              int // rows of magnitudes: 0, 1 for all rows, or n
	stride, magnitudeStride int

	// Where there is one space, rows begin at multiples of the stride unless first says where. Each has d scores, and outputs of p parts.
	first []int
	d, p  int

	// Where there are several: the number of the space of each row; the rows in the order of the numbers of their spaces, which begin at
	// begins; and sums of lengths over the rows before each, and over all.
	of, order, begins []int32
	entries, parts    []int
}

// OneSpace returns the rows of linear (n×d), all of one space. magnitude has 0 rows (no such term), 1 (the same for all rows) or n.
// Whether they fit is found out by Check.
func OneSpace(s Space, linear, magnitude blas64.General) *Batch {
	b := &Batch{one: [1]Space{s}, n: linear.Rows, linear: linear.Data, stride: linear.Stride, magnitude: magnitude.Data,
		magnitudes: magnitude.Rows, magnitudeStride: magnitude.Stride, d: s.FeatureLen(), p: s.PartLen()}
	b.spaces = b.one[:]
	switch {
	case linear.Cols != b.d:
		b.err = fault.Value("linear has %d columns, %s needs %d", linear.Cols, Describe(s), b.d)
	case magnitude.Rows != 0 && magnitude.Rows != 1 && magnitude.Rows != b.n:
		b.err = fault.Value("magnitude has %d rows, must have 0, 1 or %d", magnitude.Rows, b.n)
	case magnitude.Rows != 0 && magnitude.Cols != b.d:
		b.err = fault.Value("magnitude has %d columns, %s needs %d", magnitude.Cols, Describe(s), b.d)
	}
	return b
}

// Rows is OneSpace without a term of magnitudes.
func Rows(s Space, linear blas64.General) *Batch { return OneSpace(s, linear, blas64.General{}) }

// NewBatch returns n rows, of which row i is of spaces[of[i]], with scores from linear[first[i]] on. of may be nil: all are of the first
// space. So may first: the scores of each row begin where those of the row before end. magnitude is nil (no such term) or laid out as
// linear is. An error about a row names it.
func NewBatch(n int, spaces []Space, of []int32, first []int, linear, magnitude []float64) (*Batch, error) {
	switch {
	case n < 0:
		return nil, fault.Value("there are %d rows, must be at least 0", n)
	case len(spaces) == 0:
		return nil, fault.Value("there are no spaces, must be at least 1")
	case of != nil && len(of) != n:
		return nil, fault.Value("of has %d entries, must have one for each of %d rows", len(of), n)
	case first != nil && len(first) != n:
		return nil, fault.Value("first has %d entries, must have one for each of %d rows", len(first), n)
	case magnitude != nil && len(magnitude) != len(linear):
		return nil, fault.Value("magnitude has %d entries, must have as many as linear, which has %d", len(magnitude), len(linear))
	}
	b := &Batch{spaces: spaces, n: n, linear: linear, magnitude: magnitude, first: first, of: of}
	if magnitude != nil {
		b.magnitudes = n
	}
	for i, at := range of {
		if at < 0 || int(at) >= len(spaces) {
			return nil, fault.At(i, fault.Value("of is %d, must be the number of one of %d spaces", at, len(spaces)))
		}
	}
	if len(spaces) == 1 || of == nil {
		b.spaces, b.of = spaces[:1], nil
		b.d, b.p = spaces[0].FeatureLen(), spaces[0].PartLen()
		b.stride, b.magnitudeStride = b.d, b.d
		if most := math.MaxInt / max(b.d, b.p, 1); n > most {
			return nil, tooLong(most)
		}
	} else if err := b.group(); err != nil {
		return nil, err
	}
	return b, b.checkPlaces()
}

// group finds where rows of several spaces, and what is written for them, begin, and orders them by their spaces.
func (b *Batch) group() error {
	widths, lens := make([]int, len(b.spaces)), make([]int, len(b.spaces))
	for at, s := range b.spaces {
		widths[at], lens[at] = s.FeatureLen(), s.PartLen()
	}
	b.entries, b.parts = make([]int, b.n+1), make([]int, b.n+1)
	b.order, b.begins = make([]int32, b.n), make([]int32, len(b.spaces)+1)
	for i, at := range b.of {
		if widths[at] > math.MaxInt-b.entries[i] || lens[at] > math.MaxInt-b.parts[i] {
			return tooLong(i)
		}
		b.entries[i+1], b.parts[i+1] = b.entries[i]+widths[at], b.parts[i]+lens[at]
		b.begins[at+1]++
	}
	for at := range b.spaces {
		b.begins[at+1] += b.begins[at]
	}
	next := append([]int32(nil), b.begins...)
	for i, at := range b.of {
		b.order[next[at]] = int32(i)
		next[at]++
	}
	return nil
}

// tooLong is about the first row with which outputs are too many to be numbered.
func tooLong(row int) error {
	return fault.At(row, fault.Memory("outputs of all rows up to this one cannot be held at once"))
}

// checkPlaces returns an error about where scores begin.
func (b *Batch) checkPlaces() error {
	if b.first == nil {
		if total := b.Entries(); len(b.linear) != total {
			return fault.Value("linear has %d entries, the scores of %d rows have %d", len(b.linear), b.n, total)
		}
		if b.entries != nil {
			b.first = b.entries[:b.n]
		}
		return nil
	}
	for i, at := range b.first {
		if width := b.Width(i); at < 0 || at > len(b.linear) || width > len(b.linear)-at {
			return fault.At(i, fault.Value("the row has %d scores from number %d on, linear has %d", width, at, len(b.linear)))
		}
	}
	return nil
}

// Among returns the same rows as those of parts of their spaces, which have outputs and ψ of the same lengths: row i is of spaces[of[i]],
// or, where of is nil and rows are of one space, all are of spaces[0].
func (b *Batch) Among(spaces []Space, of []int32) (*Batch, error) {
	own := *b
	switch own.spaces = spaces; {
	case len(spaces) == 0: // there are no rows
		return b, nil
	case len(spaces) == 1 && !b.Mixed():
		return &own, nil
	case b.magnitudes != 0 && (b.magnitudes != b.n || b.magnitudeStride != b.stride):
		return nil, fault.Value("magnitude has %d rows, must have 0 or %d, those of linear: rows are of several spaces", b.magnitudes, b.n)
	}
	own.of = of
	if own.first == nil {
		own.first = make([]int, b.n)
		for i := range own.first {
			own.first[i] = i * b.stride
		}
	}
	return &own, own.group()
}

// Check returns an error about shapes that do not fit.
func (b *Batch) Check() error { return b.err }

// Len returns the number of rows.
func (b *Batch) Len() int { return b.n }

// Spaces returns all spaces, of which some may have no rows.
func (b *Batch) Spaces() []Space { return b.spaces }

// Mixed reports whether there are several spaces.
func (b *Batch) Mixed() bool { return b.of != nil }

// At returns the number of the space of row i.
func (b *Batch) At(i int) int {
	if b.of == nil {
		return 0
	}
	return int(b.of[i])
}

// Row returns the space of row i and its scores.
func (b *Batch) Row(i int) (Space, Scores) {
	return b.spaces[b.At(i)], Scores{Linear: b.Linear(i), Magnitude: b.Magnitude(i)}
}

// Width returns the number of scores of row i, the length of its ψ.
func (b *Batch) Width(i int) int {
	if b.of == nil {
		return b.d
	}
	return b.entries[i+1] - b.entries[i]
}

// Linear returns the scores of row i.
func (b *Batch) Linear(i int) []float64 {
	if b.first == nil {
		return b.linear[i*b.stride:][:b.d]
	}
	return b.linear[b.first[i]:][:b.Width(i)]
}

// Magnitudes returns for how many rows there are scores of magnitudes: 0, 1 that are the same for all rows, or all.
func (b *Batch) Magnitudes() int { return b.magnitudes }

// Magnitude returns those of row i, nil if there are none.
func (b *Batch) Magnitude(i int) []float64 {
	switch {
	case b.magnitudes == 0:
		return nil
	case b.first != nil:
		return b.magnitude[b.first[i]:][:b.Width(i)]
	}
	return b.magnitude[min(i, b.magnitudes-1)*b.magnitudeStride:][:b.d]
}

// CheckScores returns an error about the scores of row i, without its number. Magnitudes of all rows are up to CheckShared.
func (b *Batch) CheckScores(i int) error {
	if err := CheckScores(b.Linear(i)); err != nil {
		return err
	}
	return b.CheckMagnitude(i)
}

// CheckMagnitude is CheckScores for the magnitudes of row i alone.
func (b *Batch) CheckMagnitude(i int) error {
	if b.magnitudes == 0 || b.magnitudes == 1 && b.of == nil {
		return nil
	}
	return checkMagnitude(b.Magnitude(i))
}

// CheckShared returns an error about the magnitudes that are those of all rows, if there are any.
func (b *Batch) CheckShared() error {
	if b.magnitudes == 1 && b.of == nil {
		return checkMagnitude(b.Magnitude(0))
	}
	return nil
}

func checkMagnitude(scores []float64) error {
	if err := CheckScores(scores); err != nil {
		return fault.Wrap("magnitude: %w", err)
	}
	return nil
}

// CheckAllScores returns an error about the first row whose scores are illegal.
func (b *Batch) CheckAllScores() error {
	for i := range b.n {
		if err := b.CheckScores(i); err != nil {
			return fault.At(i, err)
		}
	}
	return nil
}

// CheckLinear is Check where there must be no term of magnitudes.
func (b *Batch) CheckLinear() error {
	if b.err == nil && b.magnitudes != 0 {
		return fault.Value("there are %d rows of magnitudes, must be none: this is about linear scores alone", b.magnitudes)
	}
	return b.err
}

// Parts returns the number of parts of one output of every row.
func (b *Batch) Parts() int {
	if b.of == nil {
		return b.n * b.p
	}
	return b.parts[b.n]
}

// PartsOf returns from where to where the output of row i goes, among those of all.
func (b *Batch) PartsOf(i int) (lo, hi int) {
	if b.of == nil {
		return i * b.p, (i + 1) * b.p
	}
	return b.parts[i], b.parts[i+1]
}

// Output returns the output of row i among one for each row, packed.
func (b *Batch) Output(y []int32, i int) []int32 {
	lo, hi := b.PartsOf(i)
	return y[lo:hi]
}

// OutputOf returns the k-th of several outputs of row i, where each row has so many, one behind the other.
func (b *Batch) OutputOf(y []int32, i, k, many int) []int32 {
	lo, hi := b.PartsOf(i)
	at := lo*many + k*(hi-lo)
	return y[at : at+hi-lo]
}

// Entries returns the number of entries of ψ of one output of every row.
func (b *Batch) Entries() int {
	if b.of == nil {
		return b.n * b.d
	}
	return b.entries[b.n]
}

// Vector returns the vector of row i among one as long as ψ for each row, packed.
func (b *Batch) Vector(v []float64, i int) []float64 {
	if b.of == nil {
		return v[i*b.d : (i+1)*b.d]
	}
	return v[b.entries[i]:b.entries[i+1]]
}

// Streams returns the numbers of the random streams of rows, which follow from their scores. Equal ones of the same space are told apart
// by how many come before: their draws are independent.
func (b *Batch) Streams() []uint64 {
	streams := make([]uint64, b.n)
	for i := range streams {
		streams[i] = parallel.RowStream(nil, b.Linear(i))
	}
	parallel.Apart(streams, b.At)
	return streams
}

// Negative returns rows of the negative linear scores.
func (b *Batch) Negative() *Batch {
	negative := *b
	negative.first, negative.stride = nil, b.d
	negative.magnitude, negative.magnitudes = nil, 0
	if b.of != nil {
		negative.first = b.entries[:b.n]
	}
	negative.linear = make([]float64, 0, b.Entries())
	for i := range b.n {
		for _, v := range b.Linear(i) {
			negative.linear = append(negative.linear, -v)
		}
	}
	return &negative
}

// Blame returns an error as one about row i. One that all rows of a space would have had is about that row alone where there are several.
func (b *Batch) Blame(i int, err error) error {
	if b.of == nil {
		return fault.At(i, err)
	}
	return fault.AtThis(i, err)
}

// Group are rows of one space.
type Group struct {
	At    int   // the number of the space
	Space Space // itself

	order  []int32 // nil: rows in order
	lo, hi int
}

// Len returns the number of rows.
func (g Group) Len() int { return g.hi - g.lo }

// Row returns the number of the k-th of them in the batch.
func (g Group) Row(k int) int {
	if g.order == nil {
		return g.lo + k
	}
	return int(g.order[g.lo+k])
}

// Slice returns the rows from the lo-th to the one before the hi-th.
func (g Group) Slice(lo, hi int) Group {
	g.lo, g.hi = g.lo+lo, g.lo+hi
	return g
}

// Matrix returns the scores of a group, and the part of vectors, packed, that is about it, if both lie in memory as matrices do.
func (b *Batch) Matrix(g Group, vectors []float64) (scores, part blas64.General, ok bool) {
	if b.of != nil || b.first != nil || b.stride < b.d {
		return scores, part, false
	}
	matrix := func(data []float64, stride int) (m blas64.General) {
		if m.Cols, m.Stride = b.d, max(stride, 1); data != nil && g.Len() > 0 {
			m.Rows, m.Data = g.Len(), data[g.lo*stride:(g.hi-1)*stride+b.d]
		}
		return m
	}
	return matrix(b.linear, b.stride), matrix(vectors, b.d), true
}

// Of returns the rows of a group as a batch of their own.
func (b *Batch) Of(g Group) *Batch {
	if b.of == nil && g.Len() == b.n {
		return b
	}
	own := *b
	own.spaces, own.n, own.of, own.order, own.entries, own.parts = []Space{g.Space}, g.Len(), nil, nil, nil, nil
	own.d, own.p, own.first = g.Space.FeatureLen(), g.Space.PartLen(), make([]int, g.Len())
	for k := range own.first {
		if i := g.Row(k); b.first != nil {
			own.first[k] = b.first[i]
		} else {
			own.first[k] = i * b.stride
		}
	}
	return &own
}

// Groups yields all rows of each space that has any.
func (b *Batch) Groups() iter.Seq[Group] { return b.split(0, b.n) }

// split yields those of the rows with the numbers lo to hi−1, in the order of spaces.
func (b *Batch) split(lo, hi int) iter.Seq[Group] {
	return func(yield func(Group) bool) {
		if b.of == nil {
			if lo < hi {
				yield(Group{Space: b.spaces[0], lo: lo, hi: hi})
			}
			return
		}
		for lo < hi {
			at := int(b.of[b.order[lo]])
			end := min(hi, int(b.begins[at+1]))
			if !yield(Group{At: at, Space: b.spaces[at], order: b.order, lo: lo, hi: end}) {
				return
			}
			lo = end
		}
	}
}

// Each calls body for groups that cover all rows, of which a worker takes up to atOnce together, by parallel.For: of the errors of several
// rows it returns that of the first in the order of spaces.
func (b *Batch) Each(atOnce, workers int, mon *parallel.Monitor, body func(g Group) error) error {
	return parallel.For(b.n, atOnce, workers, mon, func(lo, hi int) error {
		if b.of == nil {
			return body(Group{Space: b.spaces[0], lo: lo, hi: hi})
		}
		for g := range b.split(lo, hi) {
			if err := body(g); err != nil {
				return err
			}
		}
		return nil
	})
}

// EachRow calls body for all rows, of which a worker takes up to atOnce together: those of a space one after the other. An error of body is
// about its row.
func (b *Batch) EachRow(atOnce, workers int, mon *parallel.Monitor, body func(i int) error) error {
	return b.Each(atOnce, workers, mon, func(g Group) error {
		for k := range g.Len() {
			i := g.Row(k)
			if err := body(i); err != nil {
				return b.Blame(i, err)
			}
		}
		return nil
	})
}

// ForSpaces returns what f makes of each space that has rows, given its number. An error is about the first row of the space where there
// are several. Where there is one, f is called without any rows, too.
func ForSpaces[T any](b *Batch, f func(at int, s Space) (T, error)) ([]T, error) {
	made := make([]T, len(b.spaces))
	if b.of == nil {
		var err error
		made[0], err = f(0, b.spaces[0])
		return made, err
	}
	for g := range b.Groups() {
		var err error
		if made[g.At], err = f(g.At, g.Space); err != nil {
			return made, b.Blame(g.Row(0), err)
		}
	}
	return made, nil
}

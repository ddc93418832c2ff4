package structure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
)

// listed is the space of the members of a list, encoded as their indices. It does by sums and scans what structures with
// closed forms do without a list.
type listed struct {
	indices
	psi     blas64.General // a row for each member
	entries string         // of ψ, "bits" or "numbers"
}

var (
	_ Counter    = (*listed)(nil)
	_ Momenter   = (*listed)(nil)
	_ Enumerator = (*listed)(nil)
	_ Sampler    = (*listed)(nil)
	_ Proposer   = (*listed)(nil)
	_ Decoder    = (*listed)(nil)
)

func newListed(reals []float64, members, d int) (Space, error) {
	psi := blas64.General{Rows: members, Cols: d, Stride: d, Data: slices.Clone(reals)}
	l := &listed{indices: newIndices(new(memo), members, "member"), psi: psi, entries: "bits"}
	for i, v := range reals {
		if v != 0 && v != 1 {
			l.entries = "numbers"
		}
		if math.IsNaN(v) || math.Abs(v) > maxEntry {
			return nil, fault.Value("entry %d of the embedding of member %d is %v, must be finite and at most %g",
				i%d, i/d, v, maxEntry)
		}
	}
	return l, nil
}

// maxEntry bounds entries of ψ, so that their squares and sums do not overflow.
const maxEntry = 1e100

func (l *listed) String() string  { return fmt.Sprintf("a list of %d members", l.psi.Rows) }
func (l *listed) FeatureLen() int { return l.psi.Cols }

// Facts says that ψ is general: its entries are the user's, and members may share them.
func (l *listed) Facts() Facts {
	f := l.facts()
	f.General, f.Table, f.Sums, f.Entries = true, l.psi, sumsOf(l.partitionCost), l.entries
	f.Costs = []string{"hamming", "zero-one"}
	if l.entries == "numbers" { // differences of entries count nothing
		f.Costs = []string{"zero-one"}
	}
	return f
}

func (l *listed) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), l.psi.Cols)
	copy(dst, row(l.psi, int(y[0])))
}

// Mean costs one addition for each entry of the list.
func (l *listed) Mean(dst []float64) {
	mustLen("dst", len(dst), l.psi.Cols)
	clear(dst)
	for i := range l.psi.Rows {
		for j, v := range row(l.psi, i) {
			dst[j] += v
		}
	}
	for j := range dst {
		dst[j] /= float64(l.psi.Rows)
	}
}

// SecondMoment costs d operations for each entry of the list.
func (l *listed) SecondMoment(dst blas64.General) {
	mustLen("dst's column", dst.Rows, l.psi.Cols)
	mustLen("dst's row", dst.Cols, l.psi.Cols)
	upper := blas64.Symmetric{Uplo: blas.Upper, N: dst.Rows, Stride: dst.Stride, Data: dst.Data}
	blas64.Syrk(blas.Trans, 1/float64(l.psi.Rows), l.psi, 0, upper)
	for i := range dst.Rows {
		for j := range i {
			dst.Data[i*dst.Stride+j] = dst.Data[j*dst.Stride+i]
		}
	}
}

// Decode takes the member of largest score, the first among equals. Cost: one operation for each entry of the list.
func (l *listed) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, l.psi.Cols)
	best, value := 0, score.Value(row(l.psi, 0))
	for i := 1; i < l.psi.Rows; i++ {
		if v := score.Value(row(l.psi, i)); v > value {
			best, value = i, v
		}
	}
	dst[0] = int32(best)
	return proven(value), nil
}

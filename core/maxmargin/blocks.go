package maxmargin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// mostVisits is how many blocks a row becomes, on average.
const mostVisits = 10

// Visits returns the blocks of rows with the given weights, in their order: a row of weight w becomes ⌈w⌉ of weight w/⌈w⌉ each, so that
// a weight of 2 is a row that comes twice in every respect, and one of 0 a row left out. Where that makes more than ten blocks a row, on
// average, weights are taken in a larger unit. Multiply the weights by C for a support vector machine.
func Visits(weights []float64) (rows []int64, each []float64) {
	var total, sum float64
	for _, w := range weights {
		total += math.Ceil(w)
		sum += w
	}
	unit, most := 1.0, float64(mostVisits*len(weights))
	if total > most {
		unit = sum / most
	}
	for i, w := range weights {
		visits := math.Ceil(w / unit)
		for range int(visits) {
			rows, each = append(rows, int64(i)), append(each, w/visits)
		}
	}
	return rows, each
}

// SortBlocks puts the blocks in an order that depends on what their rows hold alone, but for ties: the same rows in another order are then
// the same training, in every digit but those that rounding changes.
func (p *Problem) SortBlocks() {
	rows, weights := make([]int64, p.blocks()), make([]float64, p.blocks())
	at, codes := make([]int, p.blocks()), make([]uint64, p.blocks())
	for i := range at {
		at[i], codes[i] = i, p.code(i)
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(codes[a], codes[b]) })
	for to, from := range at {
		rows[to], weights[to] = int64(p.row(from)), p.Weights[from]
	}
	p.Rows, p.Weights = rows, weights
}

// code returns a hash of the inputs and of the output of a block, the same for dense and sparse ones.
func (p *Problem) code(block int) uint64 {
	var code uint64
	p.X.Entries(p.row(block), func(k int, x float64) {
		if x != 0 { // sparse rows may hold zeros
			code += scatter(math.Float64bits(x)) * (scatter(uint64(k)) | 1)
		}
	})
	for j, v := range p.Psi.Row(p.row(block)) {
		if v != 0 {
			code += scatter(math.Float64bits(v)) * (scatter(^uint64(j)) | 1)
		}
	}
	return code
}

// scatter mixes the bits of x: a step of SplitMix64.
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ListMembers returns ψ of all outputs, or a CapabilityError where they are not known to be at most so many numbers.
func ListMembers(space structure.Space, numbers int) (linalg.Matrix[float64], error) {
	d := space.FeatureLen()
	log, err := structure.LogCount(space)
	lister, ok := space.(structure.Enumerator)
	if err != nil || !ok || !(log <= math.Log(float64(numbers)/float64(d))) {
		return matrix{}, &structure.CapabilityError{Structure: structure.Describe(space), Need: fmt.Sprintf(
			"a list of its outputs, of at most %d numbers", numbers)}
	}
	if t, ok := space.(structure.Tabulated); ok {
		return linalg.FromGeneral(t.Table()), nil
	}
	out := matrix{Cols: d, Stride: max(d, 1)}
	psi := make([]float64, d)
	for y := range lister.All() {
		space.Embed(psi, y)
		out.Data = append(out.Data, psi...)
		out.Rows++
	}
	return out, nil
}

// squareNorm returns ‖x‖² of a block.
func (p *Problem) squareNorm(block int) (norm float64) {
	p.X.Entries(p.row(block), func(_ int, x float64) { norm += x * x })
	return norm
}

// longest is the largest ‖x‖² that is allowed: sums and products of such numbers with weights stay finite.
const longest = 1e280

// gathered are the dense inputs of some blocks, a view of them where these are consecutive rows.
func (p *Problem) gathered(numbers []float64) matrix {
	lo, k := int(numbers[0]), len(numbers)
	if p.Rows == nil && int(numbers[k-1])-lo == k-1 {
		return p.X.Dense.Slice(lo, lo+k, 0, p.X.P)
	}
	out := linalg.NewMatrix[float64](k, p.X.P)
	for i, block := range numbers {
		copy(out.Row(i), p.X.Dense.Row(p.row(int(block))))
	}
	return out
}

// scoresTo writes the scores Wᵀx of some blocks, whose numbers ascend, to the rows of f.
func (p *Problem) scoresTo(f, w matrix, numbers []float64, workers int) error {
	if p.X.Rows == nil {
		if p.X.P == 0 {
			f.Zero()
		} else {
			linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, p.gathered(numbers), w.Slice(0, p.X.P, 0, w.Cols), 0, f)
		}
		if p.X.Intercept {
			for i := range f.Rows {
				linalg.Axpy(f.Row(i), w.Row(p.X.P), 1)
			}
		}
		return nil
	}
	return parallel.For(len(numbers), 16, workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			row := f.Row(i)
			clear(row)
			p.X.Entries(p.row(int(numbers[i])), func(k int, x float64) { linalg.Axpy(row, w.Row(k), x) })
		}
		return nil
	})
}

// combineTo adds Σ_i x_i a_iᵀ over some blocks to w, a_i being row i of a.
func (p *Problem) combineTo(w, a matrix, numbers []float64) {
	if p.X.Rows == nil {
		if p.X.P > 0 {
			linalg.Gemm(blas.Trans, blas.NoTrans, 1, p.gathered(numbers), a, 1, w.Slice(0, p.X.P, 0, w.Cols))
		}
		if p.X.Intercept {
			for i := range a.Rows {
				linalg.Axpy(w.Row(p.X.P), a.Row(i), 1)
			}
		}
		return
	}
	for i, block := range numbers {
		row := a.Row(i)
		p.X.Entries(p.row(int(block)), func(k int, x float64) { linalg.Axpy(w.Row(k), row, x) })
	}
}

// defaultRows returns how many blocks are looked at together: enough for matrix products and workers, few enough to answer requests to
// stop between them.
func (p *Problem) defaultRows() int {
	d := max(1, p.Psi.Cols)
	rows := min(1<<18/d, int(4e9/(float64(d)*float64(max(1, p.X.P)))))
	return min(max(rows, 16), p.blocks())
}

package maxmargin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
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

// SetBlocks makes the blocks of rows with the given weights, nil for 1 each, in an order of the rows, nil for that in which they stand.
// The weights of the blocks are those of Visits times a factor.
func (p *Problem) SetBlocks(weights []float64, order []int64, factor float64) error {
	n := p.X.Len()
	sorted := make([]float64, n)
	plain := order == nil
	for k := range sorted {
		row := k
		if order != nil {
			if order[k] < 0 || order[k] >= int64(n) {
				return fault.Value("order[%d] is %d, must be from 0 to %d", k, order[k], n-1)
			}
			row = int(order[k])
		}
		sorted[k] = 1
		if weights != nil {
			if w := weights[row]; !(w >= 0) || math.IsInf(w, 1) {
				return fault.At(row, fault.Value("the weight is %g, must be finite and at least 0", w))
			}
			sorted[k] = weights[row]
		}
		plain = plain && sorted[k] == 1
	}
	p.Rows, p.Weights = nil, sorted
	if !plain {
		p.Rows, p.Weights = Visits(sorted)
	}
	for i := range p.Weights {
		p.Weights[i] *= factor
	}
	if order != nil {
		for i, row := range p.Rows {
			p.Rows[i] = order[row]
		}
	}
	return nil
}

// RowsOrder writes an order of rows that depends on what they hold alone, but for ties: the same rows in another order are then the same
// training, in every digit but those that rounding changes. Row i has the outputs first[i] to first[i+1], for nil output i.
func RowsOrder(dst []int64, x *solve.Design, psi linalg.Matrix[float64], first []int, workers int, mon *parallel.Monitor) error {
	codes := make([]uint64, x.Len())
	err := parallel.For(x.Len(), 256, workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			dst[i], codes[i] = int64(i), code(x, psi, first, i)
		}
		return nil
	})
	if err == nil {
		slices.SortStableFunc(dst, func(a, b int64) int { return cmp.Compare(codes[a], codes[b]) })
	}
	return err
}

// code returns a hash of the inputs and of the outputs of a row, the same for dense and sparse ones.
func code(x *solve.Design, psi matrix, first []int, row int) (code uint64) {
	x.Entries(row, func(k int, v float64) {
		if v != 0 { // sparse rows may hold zeros
			code += scatter(math.Float64bits(v)) * (scatter(uint64(k)) | 1)
		}
	})
	lo, hi := row, row+1
	if first != nil {
		lo, hi = first[row], first[row+1]
	}
	for ; lo < hi; lo++ {
		for j, v := range psi.Row(lo) {
			if v != 0 {
				code += scatter(math.Float64bits(v)) * (scatter(^uint64(j)) | 1)
			}
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

// How many numbers ψ of all outputs may be: where slack rescaling looks at each, which takes 0.1 ms a row, and where a loss of 0 and 1 is
// taken at all.
const (
	fewNumbers = 1 << 14
	mostListed = 1 << 24
)

// SetMembers lists the outputs of the space where the worst one is to be found by a look at each.
func (p *Problem) SetMembers() (err error) {
	switch {
	case p.Loss.ZeroOne:
		p.Members, err = ListMembers(p.Space, mostListed)
	case p.Slack:
		if members, unknown := ListMembers(p.Space, fewNumbers); unknown == nil {
			p.Members = members
		}
	}
	return err
}

// ListMembers returns ψ of all outputs, or a CapabilityError where they are not known to be at most so many numbers.
func ListMembers(space structure.Space, numbers int) (linalg.Matrix[float64], error) {
	d := space.FeatureLen()
	log, err := structure.LogCount(space)
	lister, ok := space.(structure.Enumerator)
	if err != nil || !ok || !(log <= math.Log(float64(numbers)/float64(d))) {
		return matrix{}, &structure.CapabilityError{Structure: structure.Describe(space), Need: fmt.Sprintf(
			"a list of its outputs, of at most %d numbers, for a loss that is not affine in ψ", numbers)}
	}
	if table := space.Facts().Table; table.Rows > 0 {
		return linalg.FromGeneral(table), nil
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
func (p *Problem) gathered(numbers []int) matrix {
	lo, k := numbers[0], len(numbers)
	if p.Rows == nil && numbers[k-1]-lo == k-1 {
		return p.X.Dense.Slice(lo, lo+k, 0, p.X.Features())
	}
	out := linalg.NewMatrix[float64](k, p.X.Features())
	for i, block := range numbers {
		copy(out.Row(i), p.X.Dense.Row(p.row(block)))
	}
	return out
}

// scoresTo writes the scores Wᵀx of some blocks, whose numbers ascend, to the rows of f.
func (p *Problem) scoresTo(f, w matrix, numbers []int, workers int) error {
	if p.X.Sparse == nil {
		p.X.ScoresTo(f, p.gathered(numbers), w)
		return nil
	}
	return parallel.For(len(numbers), 16, workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			row := f.Row(i)
			clear(row)
			p.X.Entries(p.row(numbers[i]), func(k int, x float64) { linalg.Axpy(row, w.Row(k), x) })
		}
		return nil
	})
}

// combineTo adds Σ_i x_i a_iᵀ over some blocks to w, a_i being row i of a.
func (p *Problem) combineTo(w, a matrix, numbers []int) {
	if p.X.Sparse == nil {
		p.X.AddProducts(w, p.gathered(numbers), a)
		return
	}
	for i, block := range numbers {
		row := a.Row(i)
		p.X.Entries(p.row(block), func(k int, x float64) { linalg.Axpy(w.Row(k), row, x) })
	}
}

// defaultRows returns how many blocks are looked at together: enough for matrix products and workers, few enough to answer requests to
// stop between them.
func (p *Problem) defaultRows() int {
	d := max(1, p.Psi.Cols)
	rows := min(1<<18/d, int(4e9/(float64(d)*float64(max(1, p.X.Features())))))
	return min(max(rows, 16), p.blocks())
}

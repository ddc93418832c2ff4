// Package setloss decides for label sets by losses whose expectation does not follow from the probabilities of labels alone: it returns
// the set of largest expected F1, or of least expected ranking loss, under the distribution p(y) ∝ exp⟨s, ψ(y)⟩.
//
// Both follow from the probabilities P(i ∈ y, |y| = k), without any assumption on p: Waegeman, Dembczyński, Jachnik, Cheng and
// Hüllermeier (2014), On the Bayes-optimality of F-measure maximizers, JMLR 15. A set h has expected F1
//
//	Σ_{i∈h} Σ_k 2 P(i ∈ y, |y| = k) / (|h| + k),
//
// and P(y is empty) if it is empty itself. As a prediction it ranks its labels above the others, which are equal among themselves; a pair
// of equal labels counts half in the ranking loss, which is then
//
//	½ + ½ Σ_{i∈h} (|y| − n yᵢ) / (|y| (n − |y|)),
//
// and 0 where y is empty or has all n labels.
package setloss

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Loss is what a set is chosen by.
type Loss int

// The losses.
const (
	F1 Loss = iota
	Ranking
)

// Batch writes to y the sets of least expected loss for the rows of scores, packed, and to values (nil: not wanted) the expected F1, or the
// negative expected ranking loss. Sets are chosen among those that satisfy the conditions of their row (nil: all), while the distribution
// remains that on the whole space. It returns a *structure.CapabilityError for spaces without SizeMarginals.
//
// Cost for a row, with K the sizes that occur and h that of the best set: O(n K h + n h log n) behind the probabilities.
func Batch(b *structure.Batch, loss Loss, conditions *decode.Keyed, y []int32, values []float64, workers int, mon *parallel.Monitor) error {
	sets, err := capable(b, y, values)
	if err != nil {
		return err
	}
	of := func(int, int) (structure.Restriction, error) {
		return structure.Restriction{Mask: structure.NewMask()}, nil
	}
	if conditions != nil {
		if of, err = conditions.RowsOf(b); err != nil {
			return err
		}
	}
	return b.EachRow(1, workers, mon, func(i int) error {
		if err := b.CheckScores(i); err != nil {
			return err
		}
		r, err := of(b.At(i), i)
		if err != nil {
			return err
		}
		space, score := b.Row(i)
		probs, err := newSizeProbabilities(sets[b.At(i)], score.Linear, mon.Err)
		if err != nil {
			return err
		}
		value, err := choose(probs, loss, candidates(space, r.Mask), b.Output(y, i), mon.Err)
		if values != nil {
			values[i] = value
		}
		return err
	})
}

// Values writes what Batch maximises, for sets y that are given.
func Values(b *structure.Batch, loss Loss, y []int32, values []float64, workers int, mon *parallel.Monitor) error {
	sets, err := capable(b, y, values)
	if err != nil {
		return err
	}
	return b.EachRow(1, workers, mon, func(i int) error {
		if err := b.CheckScores(i); err != nil {
			return err
		}
		space, score := b.Row(i)
		set := b.Output(y, i)
		if err := space.Check(set); err != nil {
			return err
		}
		probs, err := newSizeProbabilities(sets[b.At(i)], score.Linear, mon.Err)
		if err != nil {
			return err
		}
		values[i] = probs.value(loss, set)
		return nil
	})
}

// sizeMarginals are those of the distribution on a space of label sets.
type sizeMarginals func(scores []float64, poll func() error) (table blas64.General, empty float64, err error)

// capable returns those of each space.
func capable(b *structure.Batch, y []int32, values []float64) ([]sizeMarginals, error) {
	switch {
	case b.CheckLinear() != nil:
		return nil, b.CheckLinear()
	case len(y) != b.Parts():
		return nil, fault.Value("y has %d entries, the sets of %d rows have %d parts", len(y), b.Len(), b.Parts())
	case values != nil && len(values) != b.Len():
		return nil, fault.Value("values has %d entries, must have %d", len(values), b.Len())
	}
	return structure.ForSpaces(b, func(_ int, s structure.Space) (sizeMarginals, error) {
		if sets := s.Facts().SizeMarginals; sets != nil {
			return sets, nil
		}
		return nil, &structure.CapabilityError{Structure: structure.Describe(s),
			Need: "label sets, whose sizes and members a distribution is about"}
	})
}

// sizeProbabilities are what losses need to know of a distribution: how probable each size is, and each label in sets of it.
type sizeProbabilities struct {
	n     int
	table linalg.Matrix[float64] // P(i ∈ y, |y| = k) at row k−1, column i
	sizes []float64              // P(|y| = k), from k = 0
	gains []float64              // of a label, for the loss and the size that were last asked for
	of    question
}

// question is what gains depend on.
type question struct {
	loss Loss
	size int
}

func newSizeProbabilities(sets sizeMarginals, scores []float64, poll func() error) (*sizeProbabilities, error) {
	table, empty, err := sets(scores, poll)
	if err != nil {
		return nil, err
	}
	probs := &sizeProbabilities{n: len(scores), table: linalg.FromGeneral(table), sizes: make([]float64, table.Rows+1),
		gains: make([]float64, len(scores))}
	probs.sizes[0] = empty
	for k := 1; k < len(probs.sizes); k++ {
		for _, p := range probs.table.Row(k - 1) {
			probs.sizes[k] += p / float64(k)
		}
	}
	return probs, nil
}

// gain returns what each label adds to the value of a set of h ≥ 1 labels.
func (p *sizeProbabilities) gain(loss Loss, h int) []float64 {
	if loss == Ranking {
		h = 1 // whatever the size
	}
	if p.of == (question{loss, h}) {
		return p.gains
	}
	p.of = question{loss, h}
	clear(p.gains)
	if loss == F1 {
		for k := 1; k < len(p.sizes); k++ {
			linalg.Axpy(p.gains, p.table.Row(k-1), 2/float64(h+k))
		}
		return p.gains
	}
	share := 0.0
	for k := 1; k < min(len(p.sizes), p.n); k++ {
		linalg.Axpy(p.gains, p.table.Row(k-1), 0.5*float64(p.n)/float64(k*(p.n-k)))
		share += 0.5 * p.sizes[k] / float64(p.n-k)
	}
	for i := range p.gains {
		p.gains[i] -= share
	}
	return p.gains
}

// base returns the value of a set beside what its labels add: that of the empty set.
func (p *sizeProbabilities) base(loss Loss, h int) float64 {
	switch {
	case loss == F1 && h == 0:
		return p.sizes[0]
	case loss == F1:
		return 0
	}
	value := 0.0
	for k := 1; k < min(len(p.sizes), p.n); k++ {
		value -= 0.5 * p.sizes[k]
	}
	return value
}

// value returns that of a set.
func (p *sizeProbabilities) value(loss Loss, y []int32) float64 {
	h := 0
	for _, in := range y {
		h += int(in)
	}
	value, gains := p.base(loss, h), p.gain(loss, max(h, 1))
	for i, in := range y {
		if in == 1 {
			value += gains[i]
		}
	}
	return value
}

// most returns a bound on the values of all sets of h labels or more. For F1: two sets of k and h labels have 2 min(k, h)/(h + k) at most.
func (p *sizeProbabilities) most(h int) float64 {
	value := 0.0
	for k := 1; k < len(p.sizes); k++ {
		value += p.sizes[k] * min(1, 2*float64(k)/float64(h+k))
	}
	return value
}

// candidate are the sets that may be chosen: those of a list, or all of some sizes, with the labels that are fixed.
type candidate struct {
	table       blas64.General // a row for each set; of no rows where there is no list
	size        structure.Range
	taken, free []int
}

func candidates(space structure.Space, mask structure.Mask) candidate {
	facts := space.Facts()
	if facts.Table.Rows > 0 {
		return candidate{table: admitted(facts.Table, &mask)}
	}
	c := candidate{size: mask.Size}
	if fixed := facts.FixedSize; fixed >= 0 {
		c.size = structure.Range{Least: fixed, Most: fixed}
	}
	for i := range space.FeatureLen() {
		switch {
		case mask.Entries == nil || mask.Entries[i].Has(0) && mask.Entries[i].Has(1):
			c.free = append(c.free, i)
		case mask.Entries[i].Has(1):
			c.taken = append(c.taken, i)
		}
	}
	c.size = structure.Range{Least: max(c.size.Least, len(c.taken)), Most: min(c.size.Most, len(c.taken)+len(c.free))}
	return c
}

// admitted returns the rows of a table of sets that a mask allows.
func admitted(table blas64.General, mask *structure.Mask) blas64.General {
	if mask.AllowsAll() {
		return table
	}
	left := blas64.General{Cols: table.Cols, Stride: table.Cols}
	for i := range table.Rows {
		set := table.Data[i*table.Stride : i*table.Stride+table.Cols]
		if size := int(linalg.Sum(set)); mask.Allows(set) && mask.Size.Least <= size && size <= mask.Size.Most {
			left.Data = append(left.Data, set...)
			left.Rows++
		}
	}
	return left
}

// choose writes the best of the candidates to y, a smaller set or an earlier one among equals, and returns its value.
func choose(p *sizeProbabilities, loss Loss, c candidate, y []int32, poll func() error) (float64, error) {
	if c.table.Rows > 0 {
		return p.ofList(loss, c.table, y), nil
	}
	best, found := 0.0, false
	for h := c.size.Least; h <= c.size.Most; h++ {
		if err := poll(); err != nil {
			return 0, err
		}
		value, gains := p.base(loss, h), p.gain(loss, max(h, 1))
		slices.SortStableFunc(c.free, func(a, b int) int { return cmp.Compare(gains[b], gains[a]) })
		members := c.free[:h-len(c.taken)]
		for _, i := range slices.Concat(c.taken, members) {
			value += gains[i]
		}
		if !found || value > best {
			best, found = value, true
			clear(y)
			for _, i := range slices.Concat(c.taken, members) {
				y[i] = 1
			}
		}
		// Labels add the same to sets of any size by the ranking loss: the first that adds nothing ends the search.
		done := loss == Ranking && (h == c.size.Most || gains[c.free[len(members)]] <= 0)
		if done || loss == F1 && p.most(h+1) <= best {
			break
		}
	}
	return best, nil
}

// ofList is choose for the sets of a list.
func (p *sizeProbabilities) ofList(loss Loss, table blas64.General, y []int32) float64 {
	bySize, best, at := map[int][]float64{}, 0.0, -1
	for i := range table.Rows {
		set := table.Data[i*table.Stride : i*table.Stride+table.Cols]
		h := int(linalg.Sum(set))
		gains, known := bySize[h]
		if !known {
			gains = slices.Clone(p.gain(loss, max(h, 1)))
			bySize[h] = gains
		}
		if value := p.base(loss, h) + linalg.Dot(gains, set); at < 0 || value > best {
			best, at = value, i
		}
	}
	for i := range y {
		y[i] = int32(table.Data[at*table.Stride+i])
	}
	return best
}

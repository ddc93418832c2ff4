// Package kbest lists the outputs of a space in descending order of their scores, and the better half of the outputs of sibling
// systems.
//
// There are four ways. Combinations of values that entries of ψ take independently come from a heap. Small spaces are listed and
// sorted. All others are partitioned around each output that was listed, at a cost of at most d exact decodings for each. And the
// better outputs of sibling systems come without any decoding, in no order.
package kbest

import (
	"encoding/binary"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Method says how outputs are listed.
type Method int

const (
	Auto         Method = iota // in order: by Combinations, Sort or Partition, the first that is possible
	Unordered                  // by Siblings where that is possible and Nu is ½, otherwise as Auto
	Combinations               // combinations of independent values, from a heap
	Sort                       // all outputs, sorted
	Partition                  // by partitioning the space around each output found
	Siblings                   // the better of each two siblings, in lexicographic order of pairs
)

const (
	// tieTolerance is the share of the sum of all magnitudes by which scores may differ that are tied.
	tieTolerance = 1e-12
	// scannedNumbers and scannedPerEntry bound the spaces that are listed and sorted, to max(first/d, second·d) outputs: it then costs
	// no more than some of the decodings that it replaces.
	scannedNumbers, scannedPerEntry = 1 << 22, 32
	// pollEvery is the number of outputs between polls while outputs are listed.
	pollEvery = 1 << 10
)

// Options say which outputs are listed.
type Options struct {
	Method Method
	// Nu is the share of the range of scores that is listed: outputs of a score of at least (1−Nu)·max + Nu·min. 1 lists all.
	Nu float64
	// Skip is the number of outputs that are passed over at the beginning.
	Skip int
	// Most is how many are listed then, at most.
	Most int
}

// emit takes one output, and says whether more are wanted.
type emit func(y []int32, value float64) bool

// Result says what was written.
type Result struct {
	Counts  []int    // outputs listed for each row
	Methods []Method // by which they were listed
}

// Batch lists outputs for each row, capacity of them at most, to dst, which has room for so many of a row behind those of the row before;
// their scores go to values, capacity of each row, unless that is nil. Of several outputs with equal ψ,
// which no score tells apart, only one is listed. Ties come in a fixed order.
//
// Cost of the k-th output: O(d + log k) by Combinations; by Partition at most d exact decodings, beside up to 3d at the start, and
// memory of d·min(k·d, capacity + Skip).
func Batch(b *structure.Batch, o Options, capacity int, dst []int32, values []float64, workers int, mon *parallel.Monitor) (Result, error) {
	n := b.Len()
	switch {
	case b.Check() != nil:
		return Result{}, b.Check()
	case len(dst) != b.Parts()*capacity || values != nil && len(values) != n*capacity:
		return Result{}, fault.Value("%d outputs of each of %d rows do not fit dst, of %d parts, or values, of %d", capacity,
			n, len(dst), len(values))
	}
	result := Result{Counts: make([]int, n), Methods: slices.Repeat([]Method{o.Method}, n)}
	if o.Most = capacity; capacity == 0 {
		return result, o.check()
	}
	for i := range n {
		space, score := b.Row(i)
		count := 0
		var err error
		if result.Methods[i], err = List(space, score, o, func(y []int32, value float64) bool {
			copy(b.OutputOf(dst, i, count, capacity), y)
			if values != nil {
				values[i*capacity+count] = value
			}
			count++
			return true
		}, workers, mon); err != nil {
			return result, b.Blame(i, err)
		}
		result.Counts[i] = count
	}
	return result, nil
}

// List lists outputs for one row of scores, until yield returns false, and says by which method. The outputs that yield gets are lent.
func List(space structure.Space, score structure.Scores, o Options, yield func(y []int32, value float64) bool, workers int,
	mon *parallel.Monitor) (Method, error) {
	if err := fault.First(o.check(), score.Check()); err != nil {
		return o.Method, err
	}
	l := &lister{space: space, score: score, nu: o.Nu, most: o.wanted(), workers: workers, mon: mon}
	l.slack = tieTolerance * (sumOf(score.Linear) + sumOf(score.Magnitude))
	return l.list(o.Method, o.window(yield))
}

// check says what is wrong with options.
func (o Options) check() error {
	switch {
	case !(o.Nu >= 0 && o.Nu <= 1):
		return fault.Value("nu is %v, must be from 0 to 1", o.Nu)
	case o.Skip < 0 || o.Most < 0:
		return fault.Value("%d outputs cannot be skipped, nor %d listed", o.Skip, o.Most)
	}
	return nil
}

// wanted returns how many outputs are listed or passed over, at most.
func (o Options) wanted() int {
	if o.Most > math.MaxInt-o.Skip {
		return math.MaxInt
	}
	return o.Skip + o.Most
}

// window passes on the outputs that are listed of all that there are.
func (o Options) window(yield emit) emit {
	seen, most := 0, o.wanted()
	return func(y []int32, value float64) bool {
		seen++
		return seen <= most && (seen <= o.Skip || yield(y, value)) && seen < most
	}
}

// lister lists outputs for one row of scores.
type lister struct {
	space   structure.Space
	score   structure.Scores
	nu      float64
	slack   float64 // by which scores differ that are tied
	most    int     // outputs that are wanted
	workers int
	mon     *parallel.Monitor
}

// list lists outputs by a method, and says which that was.
func (l *lister) list(method Method, yield emit) (Method, error) {
	if method == Unordered {
		method = Auto
		if l.nu == 0.5 && l.level() {
			method = Siblings
		}
	}
	if method == Auto {
		method = l.choose()
	}
	switch method {
	case Combinations:
		values := l.space.Facts().FreeValues
		if values == nil {
			return method, lacks(l.space, "entries of ψ that are independent of one another, to combine their values")
		}
		return method, l.combine(values, yield)
	case Sort:
		return method, l.sort(yield)
	case Partition:
		return method, l.partition(yield)
	case Siblings:
		return method, l.siblings(yield)
	}
	return method, fault.Value("there is no method number %d", method)
}

// choose returns the way to list outputs in order.
func (l *lister) choose() Method {
	facts := l.space.Facts()
	if facts.FreeValues != nil {
		return Combinations
	}
	if _, ok := l.space.(structure.Enumerator); ok {
		if facts.Table.Rows > 0 {
			return Sort // ψ may hold any numbers, which cannot be partitioned, and the list exists already
		}
		d := float64(l.space.FeatureLen())
		count, err := structure.LogCount(l.space)
		if err == nil && count <= math.Log(max(scannedNumbers/d, scannedPerEntry*d)) {
			return Sort
		}
	}
	return Partition
}

func lacks(space structure.Space, need string) error {
	return &structure.CapabilityError{Structure: structure.Describe(space), Need: need}
}

func sumOf(scores []float64) (sum float64) {
	for _, v := range scores {
		sum += math.Abs(v)
	}
	return sum
}

// sort lists all outputs of a space that is an Enumerator.
func (l *lister) sort(yield emit) error {
	enumerator, ok := l.space.(structure.Enumerator)
	if !ok {
		return lacks(l.space, "an Enumerator, to sort all outputs")
	}
	if err := structure.Prepare(l.space, l.mon.Err); err != nil {
		return err
	}
	p := l.space.PartLen()
	psi := make([]float64, l.space.FeatureLen())
	var parts []int32
	var values []float64
	for y := range enumerator.All() {
		if len(values)%pollEvery == 0 {
			if err := l.mon.Err(); err != nil {
				return err
			}
		}
		l.space.Embed(psi, y)
		parts, values = append(parts, y...), append(values, l.score.Value(psi))
	}
	if len(values) == 0 {
		return structure.ErrNone
	}
	order := make([]int32, len(values))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		}
		return 0
	})
	least := math.Inf(-1)
	if l.nu < 1 {
		least = (1-l.nu)*values[order[0]] + l.nu*values[order[len(order)-1]] - l.slack
	}
	facts := l.space.Facts()
	ambiguous := facts.Ambiguous || facts.General
	var seen map[string]bool // ψ of the outputs of the current score
	current := math.Inf(1)
	var key []byte
	for _, at := range order {
		if values[at] < least {
			return nil
		}
		y := parts[int(at)*p : (int(at)+1)*p]
		if ambiguous {
			if seen == nil || values[at] < current-l.slack {
				seen, current = make(map[string]bool), values[at]
			}
			l.space.Embed(psi, y)
			key = key[:0]
			for _, v := range psi {
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v+0)) // −0 and 0 are the same
			}
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
		}
		if !yield(y, values[at]) {
			return nil
		}
	}
	return nil
}

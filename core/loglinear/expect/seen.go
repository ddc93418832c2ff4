package expect

import (
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
)

const rowsAtOnce = 16 // that a worker takes

// Outputs are what was seen of the outputs of n rows: one each, whole or known in part, or several whole ones that are equally good.
type Outputs struct {
	Spaces Spaces  // of all rows, those without weight, too
	Parts  []int32 // one output after the other; nil: outputs are whole
	Psi    matrix  // of whole outputs; of others it is not read
	// Conditions says that the spaces are of outputs that satisfy some.
	Conditions bool
	First      []int     // row i has the outputs First[i] to First[i+1]−1; nil: one each
	Weights    []float64 // of the rows, of which those of weight 0 may be anything; nil: all count
}

// Seen answers about the distributions p(y) ∝ exp⟨s, ψ(y)⟩ on the outputs that agree with what was seen of rows.
type Seen struct {
	outputs Outputs
	spaces  Spaces                  // of the outputs that agree with what is known in part
	sums    []structure.Partitioner // of these spaces, all of them or none
	part    []int32
	workers int
	left    []bool   // outputs of sets that conditions do not allow; nil: none
	chains  *Sampled // where there are no exact sums over these outputs, in rows numbered among all
}

// NewSeen checks outputs, and returns nil where every row has one whole output. Its error numbers the row. Rows of which the same is known
// share a space. Cost: that of structure.Agreeing for each row.
func NewSeen(o Outputs, n int, seed uint64, workers int) (*Seen, error) {
	s := &Seen{outputs: o, workers: workers, part: make([]int32, n)}
	if err := o.Spaces.check(n); err != nil {
		return nil, err
	}
	numbers, anything := map[string]int32{}, false
	for i := range n {
		s.part[i] = -1
		lo, hi := o.of(i)
		anything = anything || hi > lo+1
		if o.Parts == nil || (o.Weights != nil && o.Weights[i] == 0) {
			continue
		}
		number, left := o.Spaces.at(i), 0
		space := o.Spaces.List[number]
		l := space.PartLen()
		for a := lo; a < hi; a++ {
			y := o.Parts[a*l : (a+1)*l]
			name := binary.LittleEndian.AppendUint32(nil, uint32(number))
			for _, v := range y {
				name = binary.LittleEndian.AppendUint32(name, uint32(v))
			}
			if known, ok := numbers[string(name)]; ok && hi == lo+1 {
				s.part[i] = known
				continue
			}
			agreeing, err := structure.Agreeing(space, y)
			switch {
			case err == nil && agreeing != nil && hi > lo+1:
				err = errSet
			case err != nil && o.Conditions && hi > lo+1: // this one is not allowed
				if left++; left < hi-lo {
					s.leave(a)
					continue
				}
			}
			if err != nil {
				return nil, fault.At(i, fault.Target(err))
			}
			if agreeing != nil {
				s.part[i], anything = int32(len(s.spaces.List)), true
				numbers[string(name)], s.spaces.List = s.part[i], append(s.spaces.List, agreeing)
			}
		}
	}
	if !anything {
		return nil, nil
	}
	return s, s.follow(o.Conditions, seed)
}

// follow has chains answer where exact sums cannot.
func (s *Seen) follow(conditions bool, seed uint64) error {
	exact := func(space structure.Space) bool { return partition.Available(space, true) }
	if !slices.ContainsFunc(s.spaces.List, func(space structure.Space) bool { return !exact(space) }) {
		return s.sum()
	}
	return s.chain(conditions, seed)
}

// sum keeps how outputs are summed over: with many small spaces, to find it out for each request takes longer than the sums.
func (s *Seen) sum() error {
	for _, space := range s.spaces.List {
		engine, _, err := partition.Choose(space, true)
		if err != nil {
			return err
		}
		sums, ok := space.(structure.Partitioner)
		if !ok || engine != partition.Recursion || space.Facts().Table.Rows > 0 {
			s.sums = nil
			return nil
		}
		s.sums = append(s.sums, sums)
	}
	return nil
}

// chain has chains answer.
func (s *Seen) chain(conditions bool, seed uint64) error {
	all := Spaces{Of: slices.Clone(s.part)}
	for _, space := range s.spaces.List {
		moving, err := structure.Moving(space, conditions)
		if err != nil {
			return err
		}
		all.List = append(all.List, moving)
	}
	for i, at := range all.Of {
		all.Of[i] = max(at, 0) // of other rows nothing is asked
	}
	var err error
	s.chains, err = NewSampled(all, len(s.part), chain.LocalMoves, false, seed, s.workers)
	return err
}

// leave leaves an output of a set out.
func (s *Seen) leave(a int) {
	if s.left == nil {
		s.left = make([]bool, s.outputs.Psi.Rows)
	}
	s.left[a] = true
}

var errSet = fault.Value("an output of the set is known in part; sets are of whole outputs")

// of returns from where to where the outputs of a row are.
func (o *Outputs) of(row int) (lo, hi int) {
	if o.First == nil {
		return row, row + 1
	}
	return o.First[row], o.First[row+1]
}

// Sets implements loglinear.Seen.
func (s *Seen) Sets() bool {
	return s.outputs.First != nil && len(s.outputs.First) < s.outputs.Psi.Rows+1
}

// Open implements loglinear.Seen.
func (s *Seen) Open(row, entry int) bool {
	if s.part[row] < 0 {
		return false
	}
	m := structure.MaskWithin(s.spaces.List[s.part[row]])
	return m.Entries == nil || m.Entries[entry] == structure.AnyValue
}

// Answer implements loglinear.Oracle for expectations, but rows are numbered among all.
func (s *Seen) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	n := r.Rows.Len()
	var some, sets []int
	for k := range n {
		if s.part[r.Rows.At(k)] >= 0 {
			some = append(some, k)
		} else {
			sets = append(sets, k)
		}
	}
	err := parallel.For(len(sets), rowsAtOnce, s.workers, nil, func(lo, hi int) error {
		for _, k := range sets[lo:hi] {
			s.members(r, k, r.Rows.At(k))
		}
		return mon.Err()
	})
	if err != nil {
		return err
	}
	if s.chains != nil && r.Ask != loglinear.Expect {
		return s.draw(r, some, mon)
	}
	if err := s.expect(r, some, mon); err != nil {
		if s.chains != nil {
			err = fault.Wrap("probabilities of what is known in part take exact sums: %w; or leave such rows out", err)
		}
		return err
	}
	for _, k := range some {
		for second := k + n; second < r.Means.Rows; second += n { // of a pair
			copy(r.Means.Row(second), r.Means.Row(k))
		}
	}
	return nil
}

// expect answers exactly for some rows of a request.
func (s *Seen) expect(r loglinear.RowsRequest, some []int, mon *parallel.Monitor) error {
	if len(some) == 0 {
		return nil
	}
	if s.sums != nil {
		return parallel.For(len(some), rowsAtOnce, s.workers, nil, func(lo, hi int) error {
			for _, k := range some[lo:hi] {
				i := r.Rows.At(k)
				logZ, err := s.sums[s.part[i]].LogPartition(r.Means.Row(k), r.Scores.Row(k), mon.Err)
				if err = fault.First(err, structure.CheckScores(r.Scores.Row(k))); err != nil {
					return fault.AtThis(k, err)
				}
				r.LogZ[k] = logZ
			}
			return mon.Err()
		})
	}
	of, first := make([]int32, len(some)), make([]int, len(some))
	for a, k := range some {
		of[a], first[a] = s.part[r.Rows.At(k)], k*r.Scores.Stride
	}
	rows, err := structure.NewBatch(len(some), s.spaces.List, of, first, r.Scores.Data, nil)
	if err != nil {
		return err
	}
	logZ, means := make([]float64, len(some)), make([]float64, rows.Entries())
	if err := partition.Batch(rows, logZ, means, s.workers, mon); err != nil {
		return fault.Renumbered(err, func(a int) int { return some[a] })
	}
	for a, k := range some {
		r.LogZ[k] = logZ[a]
		copy(r.Means.Row(k), rows.Vector(means, a))
	}
	return nil
}

// draw answers by chains for some rows of a request.
func (s *Seen) draw(r loglinear.RowsRequest, some []int, mon *parallel.Monitor) error {
	if len(some) == 0 {
		return nil
	}
	n, d := r.Rows.Len(), r.Scores.Cols
	numbers, ask := make([]int64, len(some)), r
	ask.Scores, ask.Means = linalg.NewMatrix[float64](len(some), d), linalg.NewMatrix[float64](len(some)*(r.Means.Rows/n), d)
	for a, k := range some {
		numbers[a] = int64(r.Rows.At(k))
		copy(ask.Scores.Row(a), r.Scores.Row(k))
	}
	ask.Rows = loglinear.Numbered(numbers)
	if err := s.chains.Answer(ask, mon); err != nil {
		return fault.Renumbered(err, func(a int) int { return some[a] })
	}
	for a, k := range some {
		for copies := range r.Means.Rows / n {
			copy(r.Means.Row(k+copies*n), ask.Means.Row(a+copies*len(some)))
		}
	}
	return nil
}

// members answers for row number k of a request, i among all, which has one whole output or several.
func (s *Seen) members(r loglinear.RowsRequest, k, i int) {
	lo, hi := s.outputs.of(i)
	scores, mean := r.Scores.Row(k), r.Means.Row(k)
	values := make([]float64, hi-lo)
	for a := range values {
		if values[a] = floats.Dot(scores, s.outputs.Psi.Row(lo+a)); s.left != nil && s.left[lo+a] {
			values[a] = math.Inf(-1)
		}
	}
	r.LogZ[k] = floats.LogSumExp(values)
	clear(mean)
	for a, v := range values {
		floats.AddScaled(mean, math.Exp(v-r.LogZ[k]), s.outputs.Psi.Row(lo+a))
	}
	for second := k + r.Rows.Len(); second < r.Means.Rows; second += r.Rows.Len() { // of a pair
		copy(r.Means.Row(second), mean)
	}
}

package expect

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
)

// Outputs are what was seen of the outputs of n rows: one each, whole or known in part, or several whole ones that are equally good.
type Outputs struct {
	Spaces Spaces  // of all rows, those without weight, too
	Parts  []int32 // one output after the other; nil: outputs are whole
	Psi    matrix  // of whole outputs; of others it is not read
	First  []int   // row i has the outputs First[i] to First[i+1]−1; nil: one each
}

// Seen answers about the distributions p(y) ∝ exp⟨s, ψ(y)⟩ on the outputs that agree with what was seen of rows.
type Seen struct {
	outputs Outputs
	spaces  Spaces // of the outputs that agree with what is known in part
	part    []int32
	workers int
}

// NewSeen checks outputs, and returns nil where every row has one whole output. Its error numbers the row. Rows of which the same is known
// share a space. Cost: that of structure.Agreeing for each row.
func NewSeen(o Outputs, n, workers int) (*Seen, error) {
	s := &Seen{outputs: o, workers: workers, part: make([]int32, n)}
	if err := o.Spaces.check(n); err != nil {
		return nil, err
	}
	numbers, anything := map[string]int32{}, false
	for i := range n {
		s.part[i] = -1
		lo, hi := o.of(i)
		anything = anything || hi > lo+1
		if o.Parts == nil {
			continue
		}
		number := o.Spaces.at(i)
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
			if err == nil && agreeing != nil && hi > lo+1 {
				err = errSet
			}
			if err != nil {
				return nil, fault.At(i, err)
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
	return s, nil
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

// Whole implements loglinear.Seen.
func (s *Seen) Whole(row int) bool {
	lo, hi := s.outputs.of(row)
	return s.part[row] < 0 && hi == lo+1
}

// Open implements loglinear.Seen.
func (s *Seen) Open(row, entry int) bool {
	if s.part[row] < 0 {
		return false
	}
	m := structure.MaskWithin(s.spaces.List[s.part[row]])
	return m.Entries == nil || m.Entries[entry] == structure.AnyValue
}

// Answer implements loglinear.Oracle for expectations and ln Z, exactly, but rows are numbered among all.
func (s *Seen) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	if r.Ask != loglinear.Expect {
		return fault.Value("what agrees with what was seen is summed over, not drawn")
	}
	var some []int
	for k := range r.Rows.Len() {
		i := r.Rows.At(k)
		switch {
		case s.part[i] >= 0:
			some = append(some, k)
		default:
			s.sum(r, k, i)
		}
	}
	if len(some) == 0 {
		return nil
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

// sum is about row number k of a request, i among all, which has one whole output or several.
func (s *Seen) sum(r loglinear.RowsRequest, k, i int) {
	lo, hi := s.outputs.of(i)
	scores, mean := r.Scores.Row(k), r.Means.Row(k)
	values := make([]float64, hi-lo)
	for a := range values {
		values[a] = floats.Dot(scores, s.outputs.Psi.Row(lo+a))
	}
	r.LogZ[k] = floats.LogSumExp(values)
	clear(mean)
	for a, v := range values {
		floats.AddScaled(mean, math.Exp(v-r.LogZ[k]), s.outputs.Psi.Row(lo+a))
	}
}

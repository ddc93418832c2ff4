package expect

import (
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/structure"
)

// Spaces are those that the outputs of rows are of: one of all rows, or several whose ψ are equally long, so that the weights of features
// are for all of them.
type Spaces struct {
	List []structure.Space
	Of   []int32 // the number in List of the space of each row that counts; nil: all are of the first
}

// One returns a space that is that of all rows.
func One(space structure.Space) Spaces { return Spaces{List: []structure.Space{space}} }

// Counting returns those of the rows of a problem that count, given those of all.
func (s Spaces) Counting(p *loglinear.Problem) Spaces {
	if s.Of == nil {
		return s
	}
	of := make([]int32, p.Len())
	for i := range of {
		of[i] = s.Of[p.Row(i)]
	}
	return Spaces{s.List, of}
}

// at returns the number of the space of a row that counts.
func (s Spaces) at(row int) int32 {
	if s.Of == nil {
		return 0
	}
	return s.Of[row]
}

// partLen returns the largest number of parts of an output.
func (s Spaces) partLen() (most int) {
	for _, space := range s.List {
		most = max(most, space.PartLen())
	}
	return most
}

// need returns the first error of a condition on the spaces.
func (s Spaces) need(condition func(structure.Space) error) error {
	for _, space := range s.List {
		if err := condition(space); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error about spaces that do not fit n rows.
func (s Spaces) check(n int) error {
	if len(s.List) == 0 || s.Of == nil && len(s.List) > 1 {
		return fault.Value("there are %d spaces, must be one, or of must say which is that of a row", len(s.List))
	}
	if s.Of != nil && len(s.Of) < n {
		return fault.Value("of has %d entries, must have one for each of %d rows", len(s.Of), n)
	}
	for _, at := range s.Of {
		if at < 0 || int(at) >= len(s.List) {
			return fault.Value("of has %d, must be the number of one of %d spaces", at, len(s.List))
		}
	}
	return s.need(func(space structure.Space) error {
		if d := s.List[0].FeatureLen(); space.FeatureLen() != d {
			return fault.Value("outputs of %s have %d entries, those of %s have %d, must be as many",
				structure.Describe(space), space.FeatureLen(), structure.Describe(s.List[0]), d)
		}
		return nil
	})
}

// batch returns scores as rows of their spaces: row k is that of the row number number(k).
func (s Spaces) batch(scores linalg.Matrix[float64], number func(k int) int) (*structure.Batch, error) {
	if s.Of == nil {
		return structure.Rows(s.List[0], linalg.General(scores)), nil
	}
	of, first := make([]int32, scores.Rows), make([]int, scores.Rows)
	for k := range of {
		of[k], first[k] = s.at(number(k)), k*scores.Stride
	}
	return structure.NewBatch(scores.Rows, s.List, of, first, scores.Data, nil)
}

// requested is batch for the rows of a request.
func (s Spaces) requested(r loglinear.RowsRequest) (*structure.Batch, error) {
	most := -1
	for k := range r.Rows.Len() {
		most = max(most, r.Rows.At(k))
	}
	if err := s.check(most + 1); err != nil {
		return nil, err
	}
	return s.batch(r.Scores, r.Rows.At)
}

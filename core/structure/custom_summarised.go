package structure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
)

// summarised is a space of which only moments are known, which is all that training asks of it. Its outputs are not
// encoded: who gives the moments embeds and decodes them.
type summarised struct {
	*memo
	log    float64 // ln of the number of outputs, or NaN
	mean   []float64
	second []float64 // by rows
}

var _ Momenter = (*summarised)(nil)

// momentTolerance is the difference between mirrored entries of a second moment that counts as rounding, relative to its
// largest entry; and how much smaller a mean square may be than the square of the mean.
const momentTolerance = 1e-9

func newSummarised(reals []float64, d int) (Space, error) {
	s := &summarised{memo: new(memo), log: reals[0], mean: slices.Clone(reals[1 : 1+d]), second: slices.Clone(reals[1+d:])}
	if s.log < 0 || math.IsInf(s.log, 0) {
		return nil, fault.Value("the logarithm of the count is %v, must be at least 0 and finite, or NaN where it is "+
			"not known", s.log)
	}
	for i, v := range s.mean {
		if math.IsNaN(v) || math.Abs(v) > maxEntry {
			return nil, fault.Value("entry %d of the mean is %v, must be finite and at most %g", i, v, maxEntry)
		}
	}
	var top float64
	for i, v := range s.second {
		if math.IsNaN(v) || math.Abs(v) > maxEntry*maxEntry {
			return nil, fault.Value("entry (%d, %d) of the second moment is %v, must be finite and at most %g", i/d,
				i%d, v, maxEntry*maxEntry)
		}
		top = max(top, math.Abs(v))
	}
	for i := range d {
		if square := s.mean[i] * s.mean[i]; s.second[i*d+i] < square-momentTolerance*top {
			return nil, fault.Value("the mean square of ψ_%d is %v, less than the square of its mean, %v: the "+
				"covariance is not positive semi-definite", i, s.second[i*d+i], square)
		}
		for j := range i {
			a, b := s.second[i*d+j], s.second[j*d+i]
			if math.Abs(a-b) > momentTolerance*top {
				return nil, fault.Value("second_moment is not symmetric: %v at (%d, %d) but %v at (%d, %d)", a, i, j, b, j, i)
			}
			mean := a + (b-a)/2
			s.second[i*d+j], s.second[j*d+i] = mean, mean
		}
	}
	return s, nil
}

func (s *summarised) String() string  { return fmt.Sprintf("moments of %d features", len(s.mean)) }
func (s *summarised) PartLen() int    { return 1 }
func (s *summarised) FeatureLen() int { return len(s.mean) }

func (s *summarised) Facts() Facts {
	return Facts{Layout: Layout{General: true, Entries: "unknown"}, LogCount: func() float64 { return s.log }}
}

// Check refuses every encoding: there is none.
func (s *summarised) Check([]int32) error {
	return fault.Value("outputs of a space that is known by its moments have no encoding")
}

// Embed has no output to embed.
func (s *summarised) Embed([]float64, []int32) {
	panic("structure: Embed on a space that is known by its moments, whose Check accepts nothing")
}

func (s *summarised) Mean(dst []float64) {
	mustLen("dst", len(dst), len(s.mean))
	copy(dst, s.mean)
}

func (s *summarised) SecondMoment(dst blas64.General) {
	d := len(s.mean)
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	for i := range d {
		copy(row(dst, i), s.second[i*d:(i+1)*d])
	}
}

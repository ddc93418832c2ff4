package maxmargin

import (
	"math"
	"slices"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Where decoding takes long, planes that it has found are worth keeping for each block: the largest of them bounds the block's loss from
// below at any weights, for the price of some inner products. Between two passes of decoding, weights are found that minimise with the
// losses replaced by these bounds, by cutting planes as well (Joachims, Finley and Yu 2009, section 4, "caching").
// Approximate decoding overlooks outputs: weights must then stay near the best ones, see leastShare, and it is left out.
const (
	mostCached  = 32      // planes of a block; the oldest make room
	cachedSize  = 1 << 25 // numbers in all of them: without room for as many, none is kept
	mostRefined = 60      // planes that are added between two passes
	refinedGap  = 0.2     // of the gap: what the bounds are minimised to
	cachedRows  = 16      // blocks that a worker looks at together
)

// cache keeps planes of blocks.
type cache [][]kept

type kept struct {
	direction []float64
	offset    float64
}

// newCache returns one of no planes, nil where there is no room or where outputs are listed at no more cost.
func (p *Problem) newCache() cache {
	if p.Members.Rows > 0 || p.blocks() > cachedSize/mostCached/max(p.Psi.Cols, 1) {
		return nil
	}
	return make(cache, p.blocks())
}

// keep adds a plane of a block, unless it is there.
func (c cache) keep(block int, direction []float64, offset float64) {
	for _, other := range c[block] {
		if other.offset == offset && slices.Equal(other.direction, direction) {
			return
		}
	}
	if len(c[block]) == mostCached {
		c[block] = slices.Delete(c[block], 0, 1)
	}
	c[block] = append(c[block], kept{slices.Clone(direction), offset})
}

// largest writes the direction of the largest plane of a block at scores f to dst, and returns its offset and value: that of ψ_i itself,
// which is given, to begin with.
func (c cache) largest(dst []float64, block int, f []float64, start float64) (offset, value float64) {
	clear(dst)
	offset, value = start, start
	for _, one := range c[block] {
		if v := one.offset - linalg.Dot(f, one.direction); v > value {
			offset, value = one.offset, v
			copy(dst, one.direction)
		}
	}
	return offset, value
}

// sweepCache is sweep with the planes that are kept.
func (t *svm) sweepCache(plane matrix) (s swept, err error) {
	s.norm = linalg.Dot(t.weights.Data, t.weights.Data) / 2
	plane.Zero()
	values := make([]float64, t.f.Rows)
	for lo := 0; lo < t.blocks(); lo += t.f.Rows {
		t.begin(lo, t.f.Rows)
		if err := t.score(t.weights); err != nil {
			return s, err
		}
		err := parallel.For(len(t.numbers), cachedRows, t.workers, t.mon.Quiet(), func(from, to int) error {
			for k := from; k < to; k++ {
				block := t.numbers[k]
				t.offset[k], values[k] = t.cache.largest(t.psi.Row(k), block, t.f.Row(k), t.startOf(block))
				linalg.ScaleTo(t.psi.Row(k), t.Weights[block], t.psi.Row(k))
			}
			return nil
		})
		if err != nil {
			return s, err
		}
		for k, block := range t.numbers {
			s.risk += t.Weights[block] * values[k]
			s.offset += t.Weights[block] * t.offset[k]
		}
		err = t.weigh(len(t.numbers), func() error {
			t.combineTo(plane, t.some(t.psi), t.numbers)
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// refine moves the weights, which minimise the planes of the bundle, to where they about minimise those that are kept, given the gap of the
// problem, and returns the dual.
func (t *svm) refine(b *bundle, plane matrix, dual, gap float64) (float64, error) {
	best, least, share := t.newWeights(), math.Inf(1), 1.0
	for range mostRefined {
		s, err := t.sweepCache(plane)
		if err != nil {
			return 0, err
		}
		isBetter := s.norm+s.risk < least
		if isBetter {
			least = s.norm + s.risk
			best.CopyFrom(t.weights)
		}
		if least-dual <= refinedGap*gap {
			break
		}
		value, err := t.raise(b, plane, s.offset, innerGap*(least-dual))
		if err != nil {
			return 0, err
		}
		dual, share = max(dual, value), nextShare(share, isBetter)
		t.approach(best, share)
	}
	t.weights.CopyFrom(best)
	return dual, nil
}

// raise adds a plane to the bundle, moves the weights to where its planes are least, and returns the dual, which is within gap of that.
func (t *svm) raise(b *bundle, plane matrix, offset, gap float64) (dual float64, err error) {
	err = t.work((len(b.offsets)+1)*b.length, func() (err error) {
		if err = b.add(plane.Data, offset); err == nil {
			dual, err = b.minimise(t.weights.Data, gap, t.mon)
		}
		return err
	})
	return dual, err
}

// nextShare returns the share of the way from the best weights to those that minimise the planes.
func nextShare(share float64, isBetter bool) float64 {
	if isBetter {
		return min(1, 2*share)
	}
	return max(leastShare, share/2)
}

// approach moves the weights to a share of the way to them from the best ones.
func (t *svm) approach(best matrix, share float64) {
	for j, w := range best.Data {
		t.weights.Data[j] = w + share*(t.weights.Data[j]-w)
	}
}

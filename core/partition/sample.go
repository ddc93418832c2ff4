package partition

import (
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Sample draws samples independent outputs y ~ p(·|s) for every row s of scores (n×d), exactly up to rounding, and writes
// them to dst (samples×n×PartLen): first one for each row, then the next.
//
// Each row has a random stream of its own, which follows from the seed and its number in streams, or its scores if that is nil: results
// depend neither on workers nor on other rows. Rows of equal scores are told apart by their order, so that they are drawn for
// independently. Errors are as those of Batch.
func Sample(space structure.Space, scores blas64.General, samples int, seed uint64, streams []uint64, dst []int32, workers int,
	mon *parallel.Monitor) error {
	return sampleTo(space, scores, samples, seed, streams, dst, func(i, k int) int { return k*scores.Rows + i }, workers, mon)
}

// SampleRows does the same, but writes n×samples×PartLen: first all samples of a row.
func SampleRows(space structure.Space, scores blas64.General, samples int, seed uint64, streams []uint64, dst []int32, workers int,
	mon *parallel.Monitor) error {
	return sampleTo(space, scores, samples, seed, streams, dst, func(i, k int) int { return i*samples + k }, workers, mon)
}

// sampleTo writes sample k of row i to the output of dst whose number place returns.
func sampleTo(space structure.Space, scores blas64.General, samples int, seed uint64, streams []uint64, dst []int32,
	place func(i, k int) int, workers int, mon *parallel.Monitor) error {
	n, d, parts := scores.Rows, space.FeatureLen(), space.PartLen()
	switch {
	case scores.Cols != d:
		return fault.Value("scores has %d columns, %s needs %d", scores.Cols, structure.Describe(space), d)
	case samples < 0:
		return fault.Value("%d samples were asked for", samples)
	case streams != nil && len(streams) != n:
		return fault.Value("there are %d random streams for %d rows", len(streams), n)
	case len(dst) != samples*n*parts:
		return fault.Value("dst has %d entries, %d samples of %d outputs of %d parts need %d",
			len(dst), samples, n, parts, samples*n*parts)
	}
	for i := range n {
		if err := structure.CheckScores(row(scores, i)); err != nil {
			return fault.At(i, err)
		}
	}
	if !sums(space) {
		if _, err := listingCost(space); err != nil {
			return err
		}
	}
	if streams == nil {
		streams = parallel.RowStreams(n, func(i int) []float64 { return row(scores, i) })
	}
	return parallel.For(n, 1, workers, mon, func(lo, hi int) error {
		var source rand.PCG
		rng := rand.New(&source)
		out := make([][]int32, samples)
		for i := lo; i < hi; i++ {
			parallel.Stream(&source, seed, int(streams[i]))
			for k := range out {
				at := place(i, k) * parts
				out[k] = dst[at : at+parts]
			}
			if err := drawRow(space, row(scores, i), out, rng, mon); err != nil {
				return fault.At(i, err)
			}
		}
		return nil
	})
}

// Drawable reports whether Sample draws from a space: from a list of its outputs, with the proviso of Available, or by a
// recursion that takes the size.
func Drawable(space structure.Space) bool {
	if _, err := listingCost(space); err == nil {
		return true
	}
	return sums(space) && space.Facts().Sums.Draws
}

// drawRow draws by the structure's own recursion where it takes the size, and from a list otherwise.
func drawRow(space structure.Space, scores []float64, out [][]int32, rng *rand.Rand, mon *parallel.Monitor) error {
	if d, ok := space.(structure.Partitioner); ok {
		draw, err := d.Distribution(scores, mon.Err)
		if err == nil {
			for k, y := range out {
				if k%pollEvery == 0 {
					if err := mon.Err(); err != nil {
						return err
					}
				}
				draw(y, rng)
			}
			return nil
		}
		if _, beyond := errors.AsType[*structure.LimitError](err); !beyond {
			return err
		}
		if _, none := listingCost(space); none != nil {
			return err
		}
	}
	return drawListed(space, scores, out, rng, mon)
}

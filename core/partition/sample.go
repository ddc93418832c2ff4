package partition

import (
	"errors"
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Sample draws samples independent outputs y ~ p(·|s) for every row s, exactly up to rounding, and writes them to dst: first one for each
// row, packed, then the next.
//
// Each row has a random stream of its own, which follows from the seed and its number in streams, or its scores if that is nil: results
// depend neither on workers nor on other rows. Rows of equal scores are told apart by their order, so that they are drawn for
// independently. Errors are as those of Batch.
func Sample(b *structure.Batch, samples int, seed uint64, streams []uint64, dst []int32, workers int, mon *parallel.Monitor) error {
	all := b.Parts()
	return sampleTo(b, samples, seed, streams, dst, func(i, k int) []int32 { return b.Output(dst[k*all:(k+1)*all], i) }, workers, mon)
}

// SampleRows does the same, but writes first all samples of a row.
func SampleRows(b *structure.Batch, samples int, seed uint64, streams []uint64, dst []int32, workers int, mon *parallel.Monitor) error {
	return sampleTo(b, samples, seed, streams, dst, func(i, k int) []int32 { return b.OutputOf(dst, i, k, samples) }, workers, mon)
}

// sampleTo writes sample k of row i to what place returns of dst.
func sampleTo(b *structure.Batch, samples int, seed uint64, streams []uint64, dst []int32, place func(i, k int) []int32, workers int,
	mon *parallel.Monitor) error {
	switch {
	case b.CheckLinear() != nil:
		return b.CheckLinear()
	case samples < 0:
		return fault.Value("%d samples were asked for", samples)
	case streams != nil && len(streams) != b.Len():
		return fault.Value("there are %d random streams for %d rows", len(streams), b.Len())
	case len(dst) != samples*b.Parts():
		return fault.Value("dst has %d entries, %d samples for each of %d rows need %d", len(dst), samples, b.Len(), samples*b.Parts())
	}
	if err := b.CheckAllScores(); err != nil {
		return err
	}
	_, err := structure.ForSpaces(b, func(_ int, s structure.Space) (none struct{}, err error) {
		if !sums(s) {
			_, err = listingCost(s)
		}
		return none, err
	})
	if err != nil {
		return err
	}
	if streams == nil {
		streams = b.Streams()
	}
	return b.EachRow(1, workers, mon, func(i int) error {
		var source rand.PCG
		parallel.Stream(&source, seed, int(streams[i]))
		out := make([][]int32, samples)
		for k := range out {
			out[k] = place(i, k)
		}
		space, score := b.Row(i)
		return drawRow(space, score.Linear, out, rand.New(&source), mon)
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

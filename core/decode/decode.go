// Package decode finds the best outputs for a batch of score vectors, through the capabilities of the structure.
package decode

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Method says how to decode.
type Method int

const (
	Auto       Method = iota // exactly where the structure can at its size, otherwise by its search
	Exact                    // exactly, or a *structure.LimitError
	Search                   // by the structure's search; exactly for structures without one
	Approx                   // the guaranteed solution from which the search begins; exactly for structures without one
	Anneal                   // by simulated annealing from there; exactly for structures without a search
	Metropolis               // by a Metropolis process of one temperature from there; likewise
)

// Random reports whether what a method finds depends on the seed.
func (m Method) Random() bool { return m == Anneal || m == Metropolis }

// rowsAtOnce is the number of cheap rows that a worker takes at a time.
const rowsAtOnce = 16

// Batch decodes every row of linear (n×d) and writes the outputs to dst (n×PartLen) and, unless certs is nil, their
// certificates to certs (n). magnitude has the same number of columns and 0 rows (no such term), 1 (the same for all
// rows) or n.
//
// A row with a score that is infinite or NaN, or with scores whose sum overflows, is an error that names it; so is a
// row beyond the exact method's size with method Exact. A structure without the capability is a
// *structure.CapabilityError. After an error the outputs are unspecified. Anneal and Metropolis take a random stream for each
// row, which follows from its scores and the seed: results depend neither on workers nor on other rows, and equal rows have
// equal results.
func Batch(space structure.Space, linear, magnitude blas64.General, method Method, seed uint64, dst []int32,
	certs []structure.Certificate, workers int, mon *parallel.Monitor) error {
	return BatchStreams(space, linear, magnitude, method, seed, nil, dst, certs, workers, mon)
}

// BatchStreams is Batch with the numbers of the rows' random streams, such as parallel.RowStream of the inputs that the scores follow
// from. Scores may differ in the last bit between products of one row and of many, inputs do not. nil: those of Batch.
func BatchStreams(space structure.Space, linear, magnitude blas64.General, method Method, seed uint64, streams []uint64, dst []int32,
	certs []structure.Certificate, workers int, mon *parallel.Monitor) error {
	one, err := decoderOf(space, method, seed, mon.Err)
	if err != nil {
		return err
	}
	if err := checkShapes(space, linear, magnitude, dst, certs); err != nil {
		return err
	}
	if streams == nil && method.Random() {
		streams = streamsOf(linear, magnitude)
	}
	return batch(space, linear, magnitude, method.rowsAtOnce(), streams, one, dst, certs, workers, mon)
}

// streamsOf returns the numbers of the random streams of rows, which follow from all scores of each.
func streamsOf(linear, magnitude blas64.General) []uint64 {
	streams := make([]uint64, linear.Rows)
	for i := range streams {
		streams[i] = parallel.RowStream(nil, row(linear, i))
		if magnitude.Rows > 0 {
			own := parallel.RowStream(nil, row(magnitude, min(i, magnitude.Rows-1)))
			streams[i] = parallel.Substream(streams[i], int(own))
		}
	}
	return streams
}

// rowsAtOnce is the number of rows a worker takes at a time: enough to hide the cost of taking them.
func (m Method) rowsAtOnce() int {
	if m.Random() {
		return 1
	}
	return rowsAtOnce
}

// batch decodes every row by one; a worker takes as many at a time as atOnce says. streams is nil for methods without any.
func batch(space structure.Space, linear, magnitude blas64.General, atOnce int, streams []uint64, one decoder, dst []int32,
	certs []structure.Certificate, workers int, mon *parallel.Monitor) error {
	if magnitude.Rows == 1 {
		if err := checkMagnitude(row(magnitude, 0)); err != nil {
			return err
		}
	}
	parts := space.PartLen()
	return parallel.For(linear.Rows, atOnce, workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := mon.Err(); err != nil {
				return err
			}
			score := structure.Scores{Linear: row(linear, i)}
			err := structure.CheckScores(score.Linear)
			switch {
			case magnitude.Rows == 1:
				score.Magnitude = row(magnitude, 0)
			case magnitude.Rows > 1:
				score.Magnitude = row(magnitude, i)
				if err == nil {
					err = checkMagnitude(score.Magnitude)
				}
			}
			if err != nil {
				return fault.At(i, err)
			}
			var stream uint64
			if streams != nil {
				stream = streams[i]
			}
			cert, err := one(dst[i*parts:(i+1)*parts], score, i, stream)
			if err != nil {
				return fault.At(i, err)
			}
			if certs != nil {
				certs[i] = cert
			}
		}
		return nil
	})
}

// decoder decodes the row of the given number; stream is that of its random stream.
type decoder func(dst []int32, score structure.Scores, row int, stream uint64) (structure.Certificate, error)

// decoderOf returns what decodes one row by the method, or an error if the structure has no such capability.
func decoderOf(space structure.Space, method Method, seed uint64, poll func() error) (decoder, error) {
	return preparedDecoder(space, space.Facts().Prepare, method, seed, poll)
}

// preparedDecoder is decoderOf for a space whose Prepare is known: parts of a space have that of the whole, and rows with conditions of
// their own need not ask for the facts of each part.
func preparedDecoder(space structure.Space, prepare func(poll func() error) error, method Method, seed uint64,
	poll func() error) (decoder, error) {
	exact, canDecode := space.(structure.Decoder)
	search, canSearch := space.(structure.Searcher)
	if method < Auto || method > Metropolis {
		return nil, fault.Value("there is no method number %d", method)
	}
	prove := func(dst []int32, score structure.Scores, _ int, _ uint64) (structure.Certificate, error) {
		if prepare != nil {
			if err := prepare(poll); err != nil {
				return structure.Certificate{}, err
			}
		}
		return exact.Decode(dst, score)
	}
	if canSearch {
		searchOne := func(dst []int32, score structure.Scores, _ int, _ uint64) (structure.Certificate, error) {
			return search.Search(dst, score, poll)
		}
		switch {
		case method == Anneal || method == Metropolis:
			return chainOf(space, method, seed, poll)
		case method == Approx:
			return func(dst []int32, score structure.Scores, _ int, _ uint64) (structure.Certificate, error) {
				return search.Start(dst, score, poll)
			}, nil
		case method == Search, method == Auto && !canDecode:
			return searchOne, nil
		case method == Auto:
			return func(dst []int32, score structure.Scores, row int, stream uint64) (structure.Certificate, error) {
				cert, err := prove(dst, score, row, stream)
				if _, ok := errors.AsType[*structure.LimitError](err); ok {
					return searchOne(dst, score, row, stream)
				}
				return cert, err
			}, nil
		}
	}
	if !canDecode {
		return nil, &structure.CapabilityError{
			Structure: structure.Describe(space),
			Need:      "a decoder that finds the output of largest score",
		}
	}
	return prove, nil
}

func checkShapes(space structure.Space, linear, magnitude blas64.General, dst []int32,
	certs []structure.Certificate) error {
	n, d := linear.Rows, space.FeatureLen()
	switch {
	case linear.Cols != d:
		return fault.Value("linear has %d columns, %s needs %d", linear.Cols, structure.Describe(space), d)
	case magnitude.Rows != 0 && magnitude.Rows != 1 && magnitude.Rows != n:
		return fault.Value("magnitude has %d rows, must have 0, 1 or %d", magnitude.Rows, n)
	case magnitude.Rows != 0 && magnitude.Cols != d:
		return fault.Value("magnitude has %d columns, %s needs %d", magnitude.Cols, structure.Describe(space), d)
	case len(dst) != n*space.PartLen():
		return fault.Value("dst has %d entries, %d outputs of %d parts need %d",
			len(dst), n, space.PartLen(), n*space.PartLen())
	case certs != nil && len(certs) != n:
		return fault.Value("certs has %d entries, must have %d", len(certs), n)
	}
	return nil
}

// checkMagnitude is structure.CheckScores for the scores of magnitudes.
func checkMagnitude(scores []float64) error {
	if err := structure.CheckScores(scores); err != nil {
		return fault.Wrap("magnitude: %w", err)
	}
	return nil
}

func row(m blas64.General, i int) []float64 {
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// Package decode finds the best outputs for a batch of score vectors, through the capabilities of the structure.
package decode

import (
	"errors"

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

func (m Method) check() error {
	if m < Auto || m > Metropolis {
		return fault.Value("there is no method number %d", m)
	}
	return nil
}

// Random reports whether what a method finds depends on the seed.
func (m Method) Random() bool { return m == Anneal || m == Metropolis }

// rowsAtOnce is the number of cheap rows that a worker takes at a time.
const rowsAtOnce = 16

// Batch decodes every row and writes the outputs to dst and, unless certs is nil, their certificates to certs (n).
//
// A row with a score that is infinite or NaN, or with scores whose sum overflows, is an error that names it; so is a
// row beyond the exact method's size with method Exact. A structure without the capability is a
// *structure.CapabilityError. After an error the outputs are unspecified. Anneal and Metropolis take a random stream for each
// row, which follows from its scores and the seed: results depend neither on workers nor on other rows, and equal rows have
// equal results.
func Batch(b *structure.Batch, method Method, seed uint64, dst []int32, certs []structure.Certificate, workers int,
	mon *parallel.Monitor) error {
	return BatchStreams(b, method, seed, nil, dst, certs, workers, mon)
}

// BatchStreams is Batch with the numbers of the rows' random streams, such as parallel.RowStream of the inputs that the scores follow
// from. Scores may differ in the last bit between products of one row and of many, inputs do not. nil: those of Batch.
func BatchStreams(b *structure.Batch, method Method, seed uint64, streams []uint64, dst []int32, certs []structure.Certificate,
	workers int, mon *parallel.Monitor) error {
	if err := fault.First(method.check(), checkShapes(b, dst, certs)); err != nil {
		return err
	}
	decoders, err := structure.ForSpaces(b, func(_ int, s structure.Space) (decoder, error) {
		return decoderOf(s, method, seed, mon.Err)
	})
	if err != nil {
		return err
	}
	if streams == nil && method.Random() {
		streams = streamsOf(b)
	}
	return batch(b, method.rowsAtOnce(), streams, decoders, dst, certs, workers, mon)
}

// streamsOf returns the numbers of the random streams of rows, which follow from all scores of each.
func streamsOf(b *structure.Batch) []uint64 {
	streams := make([]uint64, b.Len())
	for i := range streams {
		streams[i] = parallel.RowStream(nil, b.Linear(i))
		if b.Magnitudes() > 0 {
			own := parallel.RowStream(nil, b.Magnitude(i))
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

// batch decodes every row by the decoder of its space; a worker takes as many at a time as atOnce says. streams is nil for methods without
// any.
func batch(b *structure.Batch, atOnce int, streams []uint64, decoders []decoder, dst []int32, certs []structure.Certificate, workers int,
	mon *parallel.Monitor) error {
	if streams != nil && len(streams) != b.Len() {
		return fault.Value("there are %d random streams for %d rows", len(streams), b.Len())
	}
	if err := b.CheckShared(); err != nil {
		return err
	}
	squares := b.Magnitudes() > 0
	return b.Each(atOnce, workers, mon, func(g structure.Group) error {
		decode := decoders[g.At]
		for k := range g.Len() {
			if err := mon.Err(); err != nil {
				return err
			}
			i := g.Row(k)
			score := structure.Scores{Linear: b.Linear(i)}
			err := structure.CheckScores(score.Linear)
			if squares {
				score.Magnitude = b.Magnitude(i)
				err = fault.First(err, b.CheckMagnitude(i))
			}
			if err != nil {
				return fault.At(i, err)
			}
			var stream uint64
			if streams != nil {
				stream = streams[i]
			}
			cert, err := decode(b.Output(dst, i), score, i, stream)
			if err != nil {
				return b.Blame(i, err)
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
	if err := method.check(); err != nil {
		return nil, err
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

func checkShapes(b *structure.Batch, dst []int32, certs []structure.Certificate) error {
	switch {
	case b.Check() != nil:
		return b.Check()
	case len(dst) != b.Parts():
		return fault.Value("dst has %d entries, the outputs of %d rows have %d parts", len(dst), b.Len(), b.Parts())
	case certs != nil && len(certs) != b.Len():
		return fault.Value("certs has %d entries, must have %d", len(certs), b.Len())
	}
	return nil
}

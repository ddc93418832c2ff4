package expect

import (
	"math/rand/v2"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
)

const (
	chains      = 2 // of each row
	burnIn      = 16
	spaced      = 2 // times as far apart are draws for covariances: their correlation would pass for a smaller one
	usualDraws  = 4 // of each chain for a mean ...
	fewRows     = 256
	mostDraws   = 8       // ... of this many rows; of fewer, as many more draws, up to 8 times, as noise is their limit
	drawnParts  = 1 << 22 // parts of outputs that are drawn at once
	pastBudget  = 1_000_000
	metaThin    = 4 // uniform proposals of a chain between draws
	localPassed = 2 // moves between draws, for each part of an output
)

// Sampled answers by few draws for each row: of two persistent chains (Younes 1999; Tieleman 2008), whose rows' scores change slowly in
// training so that they stay near their distributions, or new independent ones each time. It is for a descent that is Sampled.
type Sampled struct {
	Spaces  Spaces
	Workers int
	// Method is that of package chain, chained or exact. Recursion in place of it draws by the structure's own recursion, or a list.
	Method    chain.Method
	Recursion bool
	Seed      uint64
	Draws     int // of each chain, or half of those of a row, for a mean

	thin   int // steps of a chain from draw to draw
	calls  int
	states []int32 // rows × chains × parts
	begins []int   // where those of each row begin
	begun  []bool  // of each row
}

// NewSampled returns an oracle for n rows that count, with as many draws as they need.
func NewSampled(spaces Spaces, n int, method chain.Method, recursion bool, seed uint64, workers int) (*Sampled, error) {
	s := &Sampled{Spaces: spaces, Workers: workers, Method: method, Recursion: recursion, Seed: seed, Draws: drawsFor(n)}
	if err := spaces.check(n); err != nil {
		return nil, err
	}
	if recursion {
		return s, spaces.need(drawable)
	}
	if err := spaces.need(func(space structure.Space) error { return chain.Capable(space, method) }); err != nil {
		return nil, err
	}
	if s.thin = localPassed * spaces.partLen(); method == chain.Meta {
		s.thin = metaThin
	}
	if method.Chained() {
		s.begins, s.begun = make([]int, n+1), make([]bool, n)
		for i := range n {
			s.begins[i+1] = s.begins[i] + chains*spaces.List[spaces.at(i)].PartLen()
		}
		s.states = make([]int32, s.begins[n])
	}
	return s, nil
}

// Answer implements loglinear.Oracle.
func (s *Sampled) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	work, err := planFor(r, s.Draws)
	if err != nil {
		return err
	}
	return s.drawn(r, work.draws, work.spacing*s.thin, mon, work.take)
}

// plan says what draws answer a request.
type plan struct {
	draws   int // of each chain, or half of those of a row
	spacing int // times as far apart as usual
	take    func(row int, psi []float64, draw int)
}

// planFor returns that of a request, given how many draws of each chain a mean takes.
func planFor(r loglinear.RowsRequest, usual int) (plan, error) {
	switch r.Ask {
	case loglinear.Mean, loglinear.Pair:
		draws := usual
		if r.Ask == loglinear.Pair {
			draws *= max(1, r.Draws)
		}
		return plan{draws, 1, func(i int, psi []float64, draw int) {
			to, share := r.Means.Row(i), 1/float64(chains*draws)
			if r.Ask == loglinear.Pair {
				to, share = r.Means.Row(i+draw/draws*r.Scores.Rows), 1/float64(draws)
			}
			if draw == 0 || r.Ask == loglinear.Pair && draw == draws {
				clear(to)
			}
			linalg.Axpy(to, psi, share)
		}}, nil
	case loglinear.Draw:
		return plan{(r.Draws-1)/chains + 1, spaced, func(i int, psi []float64, draw int) {
			if draw < r.Draws {
				copy(r.Psi.Row(i*r.Draws+draw), psi)
			}
		}}, nil
	}
	return plan{}, fault.Value("samples do not tell the partition function")
}

// drawsFor returns how many draws of each chain a mean takes, of n rows that count.
func drawsFor(n int) int { return usualDraws * min(mostDraws, max(1, (fewRows-1)/max(n, 1)+1)) }

// drawn calls take with ψ of chains×draws draws for each row of a request, the first half of them independent of the second.
func (s *Sampled) drawn(r loglinear.RowsRequest, draws, thin int, mon *parallel.Monitor,
	take func(row int, psi []float64, draw int)) error {
	at, all := r.Rows, chains*draws
	var warm, cold []int
	for k := range at.Len() {
		if i := at.At(k); s.begun != nil && i >= len(s.begun) {
			return fault.Value("row %d is beyond the %d that the chains are for", i, len(s.begun))
		} else if s.chained() && s.begun[i] {
			warm = append(warm, k)
		} else {
			cold = append(cold, k)
		}
	}
	most := max(1, drawnParts/(all*s.Spaces.partLen()))
	for _, group := range [][]int{warm, cold} {
		for lo := 0; lo < len(group); lo += most {
			part := group[lo:min(lo+most, len(group))]
			rows, err := s.rows(r, part)
			if err != nil {
				return err
			}
			y, err := s.outputs(r, rows, part, draws, thin, s.chained() && s.begun[at.At(part[0])], mon)
			if err != nil {
				return fault.Renumbered(err, func(row int) int { return part[row/s.copies()] })
			}
			if err := s.embed(y, rows, part, all, take); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Sampled) chained() bool { return !s.Recursion && s.Method.Chained() }

// seed returns that of the next call, unrelated to those before.
func (s *Sampled) seed() uint64 {
	var source rand.PCG
	parallel.Stream(&source, s.Seed, s.calls)
	s.calls++
	return source.Uint64()
}

// copies returns how many rows are drawn for in the place of one: a chain takes one each.
func (s *Sampled) copies() int {
	if s.chained() {
		return chains
	}
	return 1
}

// rows returns what is drawn for: copies of some rows of a request.
func (s *Sampled) rows(r loglinear.RowsRequest, part []int) (*structure.Batch, error) {
	copies := s.copies()
	scores := linalg.NewMatrix[float64](len(part)*copies, r.Scores.Cols)
	for k := range scores.Rows {
		copy(scores.Row(k), r.Scores.Row(part[k/copies]))
	}
	return s.Spaces.batch(scores, func(k int) int { return r.Rows.At(part[k/copies]) })
}

// outputs draws for some rows of a request, all draws of one after the other.
func (s *Sampled) outputs(r loglinear.RowsRequest, rows *structure.Batch, part []int, draws, thin int, warm bool,
	mon *parallel.Monitor) ([]int32, error) {
	all := chains * draws / s.copies() // for each row of the batch
	y, streams := make([]int32, all*rows.Parts()), parallel.Numbered(rows.Len())
	if s.Recursion {
		return y, partition.SampleRows(rows, all, s.seed(), streams, y, s.Workers, mon)
	}
	o := chain.Options{
		Method: s.Method, Draws: all, Thin: thin, Budget: pastBudget, Seed: s.seed(),
		Streams: streams, // scores differ in their last bits from one BLAS kernel to the next
	}
	switch {
	case !s.chained():
		o.Thin = 1
	case warm:
		o.Start = make([]int32, 0, rows.Parts())
		for _, i := range part {
			o.Start = append(o.Start, s.state(r.Rows.At(i))...)
		}
	default:
		o.BurnIn = burnIn * s.thin
	}
	if err := chain.Batch(rows, o, chain.Draws{Y: y}, s.Workers, mon); err != nil {
		return nil, err
	}
	if s.chained() {
		for k, i := range part {
			to := s.state(r.Rows.At(i))
			for c := range chains {
				last := rows.OutputOf(y, k*chains+c, draws-1, draws)
				copy(to[c*len(last):], last)
			}
			s.begun[r.Rows.At(i)] = true
		}
	}
	return y, nil
}

// state returns where the chains of a row are.
func (s *Sampled) state(row int) []int32 { return s.states[s.begins[row]:s.begins[row+1]] }

// States returns where the chains of rows are, two outputs for each, for diagnostics: nil where there are none.
func (s *Sampled) States() []int32 { return s.states }

// embed hands over ψ of the draws of rows, those of one row in order.
func (s *Sampled) embed(y []int32, rows *structure.Batch, part []int, all int, take func(row int, psi []float64, draw int)) error {
	copies := s.copies()
	return parallel.For(len(part), embeddedRows, s.Workers, nil, func(lo, hi int) error {
		psi := make([]float64, s.Spaces.List[0].FeatureLen())
		for k := lo; k < hi; k++ {
			space, _ := rows.Row(k * copies)
			for draw := range all {
				space.Embed(psi, rows.OutputOf(y, k*copies, draw, all/copies)) // those of its copies follow one another
				take(part[k], psi, draw)
			}
		}
		return nil
	})
}

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
	Space   structure.Space
	Workers int
	// Method is that of package chain, chained or exact. Recursion in place of it draws by the structure's own recursion, or a list.
	Method    chain.Method
	Recursion bool
	Seed      uint64
	Draws     int // of each chain, or half of those of a row, for a mean
	Thin      int // steps of a chain from draw to draw

	calls  int
	states []int32 // rows × chains × parts
	begun  []bool  // of each row
}

// NewSampled returns an oracle for n rows that count, with as many draws as they need.
func NewSampled(space structure.Space, n int, method chain.Method, recursion bool, seed uint64, workers int) (*Sampled, error) {
	s := &Sampled{Space: space, Workers: workers, Method: method, Recursion: recursion, Seed: seed,
		Draws: drawsFor(n), Thin: localPassed * space.PartLen()}
	switch {
	case recursion && !partition.Drawable(space):
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "exact draws from its distributions"}
	case recursion:
		return s, nil
	}
	if err := chain.Capable(space, method); err != nil {
		return nil, err
	}
	if method == chain.Meta {
		s.Thin = metaThin
	}
	if method.Chained() {
		s.states, s.begun = make([]int32, n*chains*space.PartLen()), make([]bool, n)
	}
	return s, nil
}

// Answer implements loglinear.Oracle.
func (s *Sampled) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	work, err := planFor(r, s.Draws)
	if err != nil {
		return err
	}
	return s.drawn(r, work.draws, work.spacing*s.Thin, mon, work.take)
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
	most := max(1, drawnParts/(all*s.Space.PartLen()))
	for _, group := range [][]int{warm, cold} {
		for lo := 0; lo < len(group); lo += most {
			part := group[lo:min(lo+most, len(group))]
			y, err := s.outputs(r, part, draws, thin, s.chained() && s.begun[at.At(part[0])], mon)
			if err != nil {
				return fault.Renumbered(err, func(row int) int { return part[row] })
			}
			if err := s.embed(y, part, all, take); err != nil {
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

// outputs draws for some rows of a request, all draws of one after the other.
func (s *Sampled) outputs(r loglinear.RowsRequest, part []int, draws, thin int, warm bool, mon *parallel.Monitor) ([]int32, error) {
	n, parts, d, at := len(part), s.Space.PartLen(), r.Scores.Cols, r.Rows
	copies := 1
	if s.chained() {
		copies = chains
	}
	scores := linalg.NewMatrix[float64](n*copies, d)
	for k, i := range part {
		for c := range copies {
			copy(scores.Row(k*copies+c), r.Scores.Row(i))
		}
	}
	y := make([]int32, n*chains*draws*parts)
	if s.Recursion {
		drawn := make([]int32, len(y))
		rows := structure.Rows(s.Space, linalg.General(scores))
		err := partition.Sample(rows, chains*draws, s.seed(), parallel.Numbered(n), drawn, s.Workers, mon)
		for k := range chains * draws {
			for i := range n {
				copy(y[(i*chains*draws+k)*parts:][:parts], drawn[(k*n+i)*parts:])
			}
		}
		return y, err
	}
	o := chain.Options{
		Method: s.Method, Draws: draws, Thin: thin, Budget: pastBudget, Seed: s.seed(),
		Streams: parallel.Numbered(scores.Rows), // scores differ in their last bits from one BLAS kernel to the next
	}
	switch {
	case !s.chained():
		o.Draws, o.Thin = chains*draws, 1
	case warm:
		o.Start = make([]int32, 0, n*chains*parts)
		for _, i := range part {
			o.Start = append(o.Start, s.state(at.At(i))...)
		}
	default:
		o.BurnIn = burnIn * s.Thin
	}
	if err := chain.Batch(structure.Rows(s.Space, linalg.General(scores)), o, chain.Draws{Y: y}, s.Workers, mon); err != nil {
		return nil, fault.Renumbered(err, func(row int) int { return row / copies })
	}
	if s.chained() {
		for k, i := range part {
			to := s.state(at.At(i))
			for c := range chains {
				copy(to[c*parts:(c+1)*parts], y[((k*chains+c)*draws+draws-1)*parts:])
			}
			s.begun[at.At(i)] = true
		}
	}
	return y, nil
}

// state returns where the chains of a row are.
func (s *Sampled) state(row int) []int32 {
	n := chains * s.Space.PartLen()
	return s.states[row*n : (row+1)*n]
}

// States returns where the chains of rows are, rows × 2 × PartLen, for diagnostics: nil where there are none.
func (s *Sampled) States() []int32 { return s.states }

// embed hands over ψ of the draws of rows, those of one row in order.
func (s *Sampled) embed(y []int32, part []int, all int, take func(row int, psi []float64, draw int)) error {
	parts := s.Space.PartLen()
	return parallel.For(len(part), embeddedRows, s.Workers, nil, func(lo, hi int) error {
		psi := make([]float64, s.Space.FeatureLen())
		for k := lo; k < hi; k++ {
			for draw := range all {
				at := (k*all + draw) * parts
				s.Space.Embed(psi, y[at:at+parts])
				take(part[k], psi, draw)
			}
		}
		return nil
	})
}

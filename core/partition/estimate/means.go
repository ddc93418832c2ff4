package estimate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

const (
	roundDraws    = 32 // of each chain, whose mean is the first batch
	mostBatches   = 16 // of each chain: then neighbours are joined
	fewestBatches = 4  // of each chain that an error is told from
	// MaxRHat is the split R̂ above which chains have not met.
	MaxRHat = 1.1
	// still is the variance within chains up to which an entry of ψ does not vary.
	still = 1e-12
)

// ChainMeans runs four chains for every row of scores until the means of ψ are known to within Epsilon with probability about
// 1 − Delta, and writes them to value, and the half-widths of their confidence intervals to bound, packed. Sampler must be a chain.
//
// The chains of a row are followed in rounds, and the means of batches of their draws kept: batches grow with the chains, so that they
// come to be nearly independent (Flegal and Jones, 2010). A row is done when Student's intervals of all d means, at the level
// 1 − δ/d, have half-widths of ε or less, and the halves of chains agree (split R̂ of at most 1.1), or after MaxSteps steps. Streams,
// errors and the monitor are as for Anneal.
func ChainMeans(b *structure.Batch, opt Options, value, bound []float64, workers int, mon *parallel.Monitor) ([]Row, error) {
	if err := opt.Check(b.Len()); err != nil {
		return nil, err
	}
	if opt.Sampler < 0 || !chain.Method(opt.Sampler).Chained() {
		return nil, fault.Value("sampler is %q, must be a chain", opt.Sampler)
	}
	if err := checkMeans(b, value, bound); err != nil {
		return nil, err
	}
	found := make([]Row, b.Len())
	return found, eachRow(b, opt, workers, mon, func(i int, t *task) (err error) {
		found[i], err = t.followChains(b.Vector(value, i), b.Vector(bound, i))
		return err
	})
}

// checkMeans returns an error about rows, or about where their means go.
func checkMeans(b *structure.Batch, value, bound []float64) error {
	if err := checkRows(b); err != nil {
		return err
	}
	if len(value) != b.Entries() || len(bound) != b.Entries() {
		return fault.Value("value and bound have %d and %d entries, must have %d", len(value), len(bound), b.Entries())
	}
	return nil
}

// NaturalThin returns after how many steps a chain has changed about as much as by one uniform proposal: some for each part.
func NaturalThin(space structure.Space, method chain.Method) int {
	if method == chain.Meta {
		return 1
	}
	return 2 * space.PartLen()
}

// chainSums are what is kept of the chains of a row.
type chainSums struct {
	d       int
	batches [chainsOfLevel][][]float64 // means of batches
	squares [chainsOfLevel][]float64   // sums of squares over all draws
	length  int                        // rounds in a batch
}

func (t *task) followChains(value, bound []float64) (Row, error) {
	method := chain.Method(t.opt.Sampler)
	thin := NaturalThin(t.space, method)
	sums := &chainSums{d: len(value), length: 1}
	for c := range sums.squares {
		sums.squares[c] = make([]float64, sums.d)
	}
	most := max(fewestBatches, int(t.opt.MaxSteps/int64(chainsOfLevel*roundDraws*thin)))
	found := Row{Sampler: t.opt.Sampler, Trust: Trust{Share: 1}}
	var states []int32
	for rounds := 0; ; {
		for range fewestBatches {
			var err error
			if states, err = t.addBatch(sums, method, thin, states); err != nil {
				return found, err
			}
			rounds += sums.length
			sums.join()
		}
		widest := sums.estimate(value, bound, t.opt.Delta)
		found.RHat = sums.rHat()
		t.mon.Report(widest)
		done := widest <= t.opt.Epsilon && found.RHat <= MaxRHat
		if done || rounds >= most {
			found.Samples, found.Steps, found.Accepted = t.samples, t.steps, t.accepted
			if !done {
				found.Failure = fmt.Sprintf("after %d steps means are known to within ±%.2g, and split R̂ is %.3g", t.steps,
					widest, found.RHat)
			}
			return found, nil
		}
	}
}

// addBatch adds a batch to each chain, as long as the others, and returns where the chains are.
func (t *task) addBatch(s *chainSums, method chain.Method, thin int, states []int32) ([]int32, error) {
	parts := t.space.PartLen()
	var totals [chainsOfLevel][]float64
	for c := range totals {
		totals[c] = make([]float64, s.d)
	}
	psi, square := make([]float64, s.d), make([]float64, s.d)
	for range s.length {
		opt := chain.Options{Method: method, Draws: roundDraws, Thin: thin, Budget: 1, Start: states}
		want := chainsOfLevel * roundDraws * thin
		if states == nil {
			opt.BurnIn = 16 * thin
			want += chainsOfLevel * (1 + opt.BurnIn)
		}
		drawn, err := t.sample(chainsOfLevel, 1, opt, want)
		if err != nil {
			return nil, err
		}
		states = make([]int32, 0, chainsOfLevel*parts)
		for c := range chainsOfLevel {
			for k := c * roundDraws; k < (c+1)*roundDraws; k++ {
				t.space.Embed(psi, drawn.Y[k*parts:(k+1)*parts])
				floats.Add(totals[c], psi)
				floats.MulTo(square, psi, psi)
				floats.Add(s.squares[c], square)
			}
			last := (c+1)*roundDraws - 1
			states = append(states, drawn.Y[last*parts:(last+1)*parts]...)
		}
	}
	for c, total := range totals {
		floats.Scale(1/float64(roundDraws*s.length), total)
		s.batches[c] = append(s.batches[c], total)
	}
	return states, nil
}

// join halves the number of batches where there are many, by taking the means of neighbours.
func (s *chainSums) join() {
	if len(s.batches[0]) < mostBatches {
		return
	}
	for c, all := range s.batches {
		for k := range len(all) / 2 {
			floats.AddTo(all[k], all[2*k], all[2*k+1])
			floats.Scale(0.5, all[k])
		}
		s.batches[c] = all[:len(all)/2]
	}
	s.length *= 2
}

// estimate writes means and the half-widths of their intervals, and returns the largest of these.
func (s *chainSums) estimate(value, bound []float64, delta float64) (widest float64) {
	many := float64(chainsOfLevel * len(s.batches[0]))
	quantile := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: many - 1}.Quantile(1 - delta/(2*float64(s.d)))
	clear(value)
	clear(bound)
	for _, all := range s.batches {
		for _, batch := range all {
			floats.AddScaled(value, 1/many, batch)
		}
	}
	for _, all := range s.batches {
		for _, batch := range all {
			for j, v := range batch {
				bound[j] += (v - value[j]) * (v - value[j])
			}
		}
	}
	for j, squares := range bound {
		bound[j] = quantile * math.Sqrt(squares/(many-1)/many)
		widest = max(widest, bound[j])
	}
	return widest
}

// rHat returns the largest split R̂ of an entry of ψ.
func (s *chainSums) rHat() float64 {
	many := len(s.batches[0])
	draws, half := float64(roundDraws*s.length*many), many/2
	var largest float64
	for j := range s.d {
		var halves [2 * chainsOfLevel]float64
		var within, centre float64
		for c, all := range s.batches {
			var first, second float64
			for k, batch := range all {
				if k < half {
					first += batch[j]
				} else {
					second += batch[j]
				}
			}
			mean := (first + second) / float64(many)
			within += max(s.squares[c][j]/draws-mean*mean, 0) / chainsOfLevel
			halves[c], halves[chainsOfLevel+c] = first/float64(half), second/float64(many-half)
		}
		for _, h := range halves {
			centre += h / float64(len(halves))
		}
		var between float64
		for _, h := range halves {
			between += (h - centre) * (h - centre) / float64(len(halves)-1)
		}
		ratio := 1.0
		switch {
		case within > still:
			ratio = 1 + between/within
		case between > still:
			ratio = math.Inf(1)
		}
		largest = max(largest, ratio)
	}
	return math.Sqrt(largest)
}

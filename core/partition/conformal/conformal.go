// Package conformal has sets of outputs that hold what will be observed with a given probability.
//
// Let m(x, y) be the least marginal probability of the parts of y under the distribution that a model predicts for x. The outputs of which
// no part is less probable than a threshold q are those that a mask allows, and the larger q the fewer. With q the ⌊α(n + 1)⌋-th smallest
// of m(x_i, y_i) for n rows that the model has not seen, the set of a new row holds its output with probability 1 − α at least, if all rows
// are exchangeable, whatever the model (Vovk, Gammerman and Shafer, 2005, on split conformal prediction).
//
// What the parts are depends on the structure:
//
//   - the order of each pair of labels of rankings, and the order or the tie of rankings with ties, and what there is between two items of
//     partial tournaments, whose pairs are taken to be independent, as under p(y) ∝ exp⟨s, ψ(y)⟩;
//   - each entry of a ψ of zeros and ones, whether it is 1 or 0: each label in or out, each arc, edge or cell taken or not;
//   - the output itself where it is one class, grade, node or element.
package conformal

import (
	"math"

	"combpred/core/fault"
	"combpred/core/structure"
)

// Parts tells the probabilities of the parts of the outputs of a space.
type Parts struct {
	space   structure.Space
	single  func(dst, expected []float64) // where outputs are one thing each
	of      func(e []float64, j int) [3]float64
	counted int // entries of ψ that are parts; those behind them say what these say
}

// New returns a *structure.CapabilityError for spaces where E ψ does not tell the probabilities of parts.
func New(s structure.Space) (*Parts, error) {
	p, f := &Parts{space: s, counted: s.FeatureLen()}, s.Facts()
	if p.single = structure.SingleProbabilities(s); p.single != nil {
		return p, nil
	}
	free := len(f.FreeValues) == 3
	switch {
	case f.Entries == "bits" || f.Entries == "" && !f.General:
		p.of = func(e []float64, j int) [3]float64 { return [3]float64{0, 1 - e[j], e[j]} }
	case f.Entries == "signs" && f.Cells.Kind != "":
		p.of = func(e []float64, j int) [3]float64 { return [3]float64{(1 - e[j]) / 2, 0, (1 + e[j]) / 2} }
	case f.Entries == "signs and ties":
		p.counted /= 2
		p.of = func(e []float64, j int) [3]float64 {
			tie := e[p.counted+j]
			return [3]float64{(1 - tie - e[j]) / 2, tie, (1 - tie + e[j]) / 2}
		}
	case f.Entries == "signs and zeros" && free:
		p.of = game
	default:
		return nil, &structure.CapabilityError{
			Structure:    structure.Describe(s),
			Need:         "parts whose probabilities follow from the expected ψ, to tell sets of outputs",
			Alternatives: "take rankings, sets, arcs, edges, cells or single outputs",
		}
	}
	return p, nil
}

// game: under p ∝ exp⟨s, ψ⟩ the probabilities of −1, 0 and 1 are as exp(−s), 1 and exp(s), so that the square of that of 0 is the product
// of the other two, whose difference is e.
func game(e []float64, j int) [3]float64 {
	neither := (1 - e[j]*e[j]) / (1 + math.Sqrt(max(4-3*e[j]*e[j], 0)))
	return [3]float64{(1 - neither - e[j]) / 2, neither, (1 - neither + e[j]) / 2}
}

// Single reports whether outputs are one thing each.
func (p *Parts) Single() bool { return p.single != nil }

// slack is how far estimates of E ψ may be outside of its range.
const slack = 1e-6

// check returns an error that names an entry of E ψ which is none.
func check(e []float64) error {
	for j, v := range e {
		if !(math.Abs(v) <= 1+slack) {
			return fault.Value("marginal %d is %v, must be from -1 to 1", j, v)
		}
	}
	return nil
}

// Least returns the least probability of a part of y, which must be an output of the space, from 0 to 1, given E ψ.
func (p *Parts) Least(expected []float64, y []int32) (float64, error) {
	if err := check(expected); err != nil {
		return 0, err
	}
	room := make([]float64, p.space.FeatureLen())
	if p.single != nil {
		p.single(room, expected)
		return clip(room[y[0]]), nil
	}
	p.space.Embed(room, y)
	least := 1.0
	for j, v := range room[:p.counted] {
		least = min(least, clip(p.of(expected, j)[int(v)+1]))
	}
	return least, nil
}

func clip(p float64) float64 { return min(max(p, 0), 1) }

// AllowedTo writes which values each entry of ψ may have in the set of a threshold to dst: those whose probabilities are no less, as far as
// held, the space or what conditions leave of it, has any. Where outputs are one thing each, entries stand for these: things that are in
// the set may be 1, and the only one must be.
func (p *Parts) AllowedTo(dst []structure.Values, expected []float64, threshold float64, held structure.Space) error {
	if err := check(expected); err != nil {
		return err
	}
	if math.IsNaN(threshold) {
		return fault.Value("the threshold is NaN, must be a number")
	}
	if p.single != nil {
		p.allowThings(dst, expected, threshold, held)
		return nil
	}
	for j := range p.counted {
		dst[j] = 0
		for x, probability := range p.of(expected, j) {
			if clip(probability) >= threshold {
				dst[j] |= 1 << x
			}
		}
		if behind := p.counted + j; behind < len(dst) { // whether it is a tie
			dst[behind] = 0
			if dst[j]&^structure.Zero != 0 {
				dst[behind] |= structure.Zero
			}
			if dst[j]&structure.Zero != 0 {
				dst[behind] |= structure.Plus
			}
		}
	}
	for j, v := range structure.MaskWithin(held).Entries {
		dst[j] &= v
	}
	return nil
}

// allowThings is AllowedTo for outputs that are one thing each.
func (p *Parts) allowThings(dst []structure.Values, expected []float64, threshold float64, held structure.Space) {
	probability, only, left := make([]float64, len(dst)), 0, 0
	p.single(probability, expected)
	for i, of := range probability {
		dst[i] = structure.Zero
		if of >= max(threshold, 0) && held.Check([]int32{int32(i)}) == nil {
			dst[i] |= structure.Plus
			only = i
			left++
		}
	}
	if left == 1 {
		dst[only] = structure.Plus
	}
}

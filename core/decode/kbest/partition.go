package kbest

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// FeatureError says that an entry of ψ takes values other than −1, 0 and 1, so that the space cannot be partitioned.
type FeatureError struct {
	Structure string
	Feature   int
	Min, Max  float64 // values that it takes
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("%s: feature %d takes values from %g to %g, and the best outputs can be listed in order only where "+
		"features are -1, 0 or 1 or the outputs few", e.Structure, e.Feature, e.Min, e.Max)
}

// EveryRow is true: it is so for any scores.
func (e *FeatureError) EveryRow() bool { return true }

func (e *FeatureError) Kind() fault.Kind { return fault.KindCapability }

// Subproblems are decodings that a partition asks for.
type Subproblems struct {
	// Linear has a row of scores for each; Magnitude scores squares likewise, or has no rows.
	Linear, Magnitude blas64.General
	// Domains, unless nil, are the values that entries of ψ may take in each. Whoever can decode under masks needs no penalties.
	Domains [][]structure.Values
}

// Best writes an output of largest score for each subproblem to dst. none, unless nil, says which have no outputs; otherwise this shows by
// an output that is not in the domains.
type Best func(of Subproblems, dst []int32) (none []bool, err error)

// PartitionBy lists outputs in descending order of their scores by partitioning the space around each output found, for a space in which
// best decodes, at most rows subproblems at a time, until yield returns false. The method of the options is not looked at.
//
// When the best output of a cell of the partition is listed, the other outputs of the cell are split by the first free entry of ψ in
// which they differ from it (Murty, 1968; Lawler, 1972). The best outputs of these subproblems are found by exact decodings, under the
// masks of the domains or, where a user's decoder knows of none, with penalties: a value that an entry must not take costs more than
// any two outputs can differ by. If the best output of a subproblem still takes such a value, the subproblem is empty. Entries with two
// possible values need only penalties that are linear in ψ, so that decoders need not know about them. The entries of ψ must be −1, 0
// or 1.
func PartitionBy(space structure.Space, score structure.Scores, o Options, rows int, best Best,
	yield func(y []int32, value float64) bool) error {
	if err := fault.First(o.check(), score.Check()); err != nil {
		return err
	}
	p := newPartition(space, score, rows, best)
	return p.list(o.Nu, o.wanted(), o.window(yield))
}

// list lists most outputs at most, of scores of at least (1−nu)·max + nu·min.
func (p *partition) list(nu float64, most int, yield emit) error {
	if err := p.findAlphabet(); err != nil {
		return err
	}
	if err := p.split(-1); err != nil {
		return err
	}
	least := math.Inf(-1)
	if nu < 1 && len(p.waiting) > 0 {
		worst, err := p.worst()
		if err != nil {
			return err
		}
		slack := tieTolerance * (sumOf(p.score.Linear) + sumOf(p.score.Magnitude))
		least = (1-nu)*p.waiting[0].value + nu*worst - slack
	}
	p.least = least
	for ; most > 0 && len(p.waiting) > 0 && p.waiting[0].value >= least; most-- {
		if most < math.MaxInt/2 && len(p.waiting) > 2*most { // those beyond will not be listed
			slices.SortFunc(p.waiting, func(a, b candidate) int {
				return cmp.Or(byDescending(a.value, b.value), cmp.Compare(a.number, b.number))
			})
			p.waiting = slices.Clone(p.waiting[:most]) // sorted, hence a heap
		}
		c := heap.Pop(&p.waiting).(candidate)
		if !yield(c.parts, c.value) || most == 1 {
			return nil
		}
		domains := p.alphabet
		if c.parent >= 0 {
			parent := p.cells[c.parent]
			domains = parent.child(c.at, free(parent.domains))
		}
		p.cells = append(p.cells, cell{domains, c.psi})
		if err := p.split(len(p.cells) - 1); err != nil {
			return err
		}
	}
	return nil
}

// partition is a partition of a space under way.
type partition struct {
	space structure.Space
	score structure.Scores
	rows  int // most subproblems at a time
	best  Best

	alphabet []bits  // values that each entry takes
	least    float64 // outputs of smaller scores are not listed
	number   int     // of subproblems so far
	cells    []cell
	waiting  candidates

	scale, penalty float64
	asked          Subproblems // what best was asked last
	squares        blas64.General
	answers        []int32
	psi            []float64
}

func newPartition(space structure.Space, score structure.Scores, rows int, best Best) *partition {
	d := space.FeatureLen()
	p := &partition{space: space, score: score, rows: max(1, rows), best: best, least: math.Inf(-1)}
	p.alphabet, p.psi = make([]bits, d), make([]float64, d)
	// Decoding does not depend on the scale of scores; this one keeps penalties from overflowing.
	for _, v := range slices.Concat(score.Linear, score.Magnitude) {
		p.scale = max(p.scale, math.Abs(v))
	}
	if p.scale == 0 {
		p.scale = 1
	}
	p.penalty = 1
	for _, v := range score.Linear {
		p.penalty += 2 * math.Abs(v/p.scale)
	}
	for _, v := range score.Magnitude {
		p.penalty += math.Abs(v / p.scale)
	}
	return p
}

// each asks for the best outputs of n subproblems, a few at a time. pose writes the scores of one to rows of zeros, says whether squares
// are scored, and returns its domains, if any; take gets the answer, with its ψ in p.psi, but for subproblems that have none.
func (p *partition) each(n int, pose func(i int, linear, magnitude []float64) (squared bool, domains []bits),
	take func(i int, y []int32) error) error {
	d, parts := len(p.psi), p.space.PartLen()
	for from := 0; from < n; from += p.rows {
		count := min(n-from, p.rows)
		linear, magnitude := zeros(p.asked.Linear, count, d), zeros(p.squares, count, d)
		q := Subproblems{Linear: linear, Magnitude: blas64.General{Cols: d, Stride: max(1, d)}}
		for i := range count {
			squared, domains := pose(from+i, linear.Data[i*d:(i+1)*d], magnitude.Data[i*d:(i+1)*d])
			if squared {
				q.Magnitude = magnitude
			}
			if domains != nil {
				q.Domains = append(q.Domains, domains)
			}
		}
		p.asked, p.squares, p.answers = q, magnitude, slicex.Grow(p.answers, count*parts)
		none, err := p.best(q, p.answers)
		if err != nil {
			return err
		}
		for i := range count {
			if none != nil && none[i] {
				continue
			}
			y := p.answers[i*parts : (i+1)*parts]
			if err := p.space.Check(y); err != nil {
				return fault.At(i, err)
			}
			p.space.Embed(p.psi, y)
			if err := take(from+i, y); err != nil {
				return err
			}
		}
	}
	return nil
}

// zeros returns a matrix of zeros, in the memory of m where that suffices.
func zeros(m blas64.General, rows, cols int) blas64.General {
	m.Rows, m.Cols, m.Stride, m.Data = rows, cols, max(1, cols), slicex.Grow(m.Data, rows*cols)
	clear(m.Data)
	return m
}

// findAlphabet finds out which values each entry of ψ takes: the largest, the smallest and, where these are −1 and 1, whether it may be
// 0.
func (p *partition) findAlphabet() error {
	d := len(p.psi)
	largest := make([]float64, d)
	extreme := func(sign float64) func(int, []float64, []float64) (bool, []bits) {
		return func(e int, linear, _ []float64) (bool, []bits) {
			linear[e] = sign
			return false, nil
		}
	}
	if err := p.each(d, extreme(1), func(e int, _ []int32) error {
		largest[e] = p.psi[e]
		return nil
	}); err != nil {
		return err
	}
	if err := p.each(d, extreme(-1), func(e int, _ []int32) error {
		if v := p.psi[e]; !isSign(v) || !isSign(largest[e]) {
			return &FeatureError{structure.Describe(p.space), e, v, largest[e]}
		}
		p.alphabet[e] = bit(int8(largest[e])) | bit(int8(p.psi[e]))
		return nil
	}); err != nil {
		return err
	}
	var open []int // entries that may be −1 and 1
	for e, a := range p.alphabet {
		if a&5 == 5 {
			open = append(open, e)
		}
	}
	return p.each(len(open), func(i int, _, magnitude []float64) (bool, []bits) {
		magnitude[open[i]] = -1
		return true, nil
	}, func(i int, _ []int32) error {
		p.alphabet[open[i]] |= bit(int8(p.psi[open[i]])) & 2
		return nil
	})
}

// worst returns the smallest score of an output.
func (p *partition) worst() (value float64, err error) {
	err = p.each(1, func(_ int, linear, magnitude []float64) (bool, []bits) {
		for e, v := range p.score.Linear {
			linear[e] = -v / p.scale
		}
		for e, v := range p.score.Magnitude {
			magnitude[e] = -v / p.scale
		}
		return len(p.score.Magnitude) > 0, nil
	}, func(int, []int32) error {
		value = p.score.Value(p.psi)
		return nil
	})
	return value, err
}

// split finds the best outputs of the parts of a cell, −1 for the whole space, which waits for nothing else.
func (p *partition) split(at int) error {
	whole := cell{domains: p.alphabet}
	parent, entries, n := whole, []int(nil), 1
	if at >= 0 {
		parent = p.cells[at]
		entries = free(parent.domains)
		n = len(entries)
	}
	part := func(i int) []bits {
		if at < 0 {
			return parent.domains
		}
		return parent.child(i, entries)
	}
	return p.each(n, func(i int, linear, magnitude []float64) (bool, []bits) {
		domains := part(i)
		squared := p.penalise(linear, magnitude, domains)
		if at < 0 {
			return squared, nil
		}
		return squared, domains
	}, func(i int, y []int32) error {
		psi := make([]int8, len(p.psi))
		inside := true
		for e, allowed := range part(i) {
			v := p.psi[e]
			psi[e] = int8(v)
			inside = inside && isSign(v) && bit(psi[e])&allowed != 0
		}
		if value := p.score.Value(p.psi); inside && value >= p.least {
			p.number++
			heap.Push(&p.waiting, candidate{value, p.number, at, i, psi, slices.Clone(y)})
		}
		return nil
	})
}

// penalise writes the scores of a subproblem, and says whether squares are scored.
func (p *partition) penalise(linear, magnitude []float64, domains []bits) (squared bool) {
	for e, v := range p.score.Linear {
		linear[e] = v/p.scale - p.penalty*onLinear[p.alphabet[e]][domains[e]]
		magnitude[e] = -p.penalty * onSquare[p.alphabet[e]][domains[e]]
		squared = squared || p.alphabet[e] == 7
	}
	for e, v := range p.score.Magnitude {
		magnitude[e] += v / p.scale
	}
	return squared || p.score.Magnitude != nil
}

// onLinear and onSquare are the coefficients of ψ_e and ψ_e² that cost 1 for every value outside a domain, by the alphabet, the set of
// values that the entry takes at all, and the domain. On the alphabet the cost is right up to a constant; other values do not matter.
var onLinear, onSquare = costs()

func costs() (linear, square [8][8]float64) {
	for domain := range bits(8) {
		var outside [3]float64 // cost of −1, 0, 1
		for v := range outside {
			if domain>>v&1 == 0 {
				outside[v] = 1
			}
		}
		linear[3][domain] = outside[1] - outside[0]
		linear[6][domain] = outside[2] - outside[1]
		linear[5][domain] = (outside[2] - outside[0]) / 2
		linear[7][domain] = linear[5][domain]
		square[7][domain] = (outside[2]+outside[0])/2 - outside[1]
	}
	return linear, square
}

// isSign reports whether v is −1, 0 or 1.
func isSign(v float64) bool { return v == 0 || math.Abs(v) == 1 }

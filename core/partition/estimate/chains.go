package estimate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/parallel"
)

const (
	chainsOfLevel = 4
	tuningDraws   = 256 // of each chain
	// dependence is the number of draws that are to be worth an independent one.
	dependence = 1.25
	// drawnFor is the number of draws that are made for an independent one: tuned figures are too small rather than too large.
	drawnFor = 1.75
	mostRHat = 1.05
	// storedDraws is the number of draws of each chain of a level that the diagnosis keeps, about.
	storedDraws = 1 << 14
	// fewestDraws are made at a level where steps are short.
	fewestDraws = 64
	// provenShare is the share of all steps that a burn-in by a bound may take.
	provenShare = 0.01
	// chainLevelsAtMost is the number of levels that errors of the distributions of chains may add up over.
	chainLevelsAtMost = 64
)

// decay is that of the slowest mode from draw to draw where dependence draws are worth one.
var decay = math.Log((dependence + 1) / (dependence - 1))

// chainLevels draws from four chains, which start at a level from the states at the nearest level below.
//
// At its first visit to a level the number of steps between draws is raised until the autocorrelation time of scores is at most 1.25
// draws: neighbours then have a correlation of 1/9. The first draw follows after as many as take such a correlation down to the total
// variation allowed, squared; or after what a mixing bound proves, where that is 1 % of all steps or less. For each independent draw
// that a schedule asks for, 1.75 are made.
type chainLevels struct {
	*task
	method    chain.Method
	spread    float64 // on the range of scores, infinite where none is known
	distance  float64 // in total variation from p_β at which draws begin
	states    map[float64][]int32
	spacing   map[float64]int
	seen      map[float64]*seen
	failure   string
	uniformly bool
}

// seen are the scores drawn at a level, by chains.
type seen [chainsOfLevel][]float64

func (s *seen) add(values []float64, many int) {
	for c := range s {
		s[c] = append(s[c], values[c*many:(c+1)*many]...)
	}
}

func (l *chainLevels) draw(beta float64, n int) (draws, error) {
	if beta == 0 && l.uniformly {
		d, err := l.uniform(n)
		if err == nil {
			parts := l.space.PartLen()
			state := make([]int32, 0, chainsOfLevel*parts)
			for c := range chainsOfLevel {
				state = append(state, d.parts[c%n*parts:(c%n+1)*parts]...)
			}
			l.states[beta] = state
			return d, l.refuseExceeded(d.value)
		}
		if !lacking(err) || l.method == chain.Meta { // which proposes such draws at all other levels
			return d, err
		}
		l.uniformly = false
	}
	if _, known := l.spacing[beta]; !known {
		if err := l.tune(beta); err != nil {
			return draws{}, err
		}
	}
	return l.more(beta, n)
}

// more goes on with the chains at a level until there are n draws.
func (l *chainLevels) more(beta float64, n int) (draws, error) {
	many := (n-1)/chainsOfLevel + 1
	found, err := l.run(beta, many, 0, l.spacing[beta])
	if err != nil {
		return draws{}, err
	}
	if s := l.seen[beta]; len(s[0]) < storedDraws {
		s.add(found.value, many)
	}
	// One draw of each chain after the other: neighbours are as independent as can be.
	parts := l.space.PartLen()
	d := draws{make([]float64, n), make([]int32, n*parts)}
	for k := range n {
		from := k%chainsOfLevel*many + k/chainsOfLevel
		d.value[k] = found.value[from]
		copy(d.parts[k*parts:(k+1)*parts], found.parts[from*parts:(from+1)*parts])
	}
	return d, nil
}

func (l *chainLevels) visit(beta float64) error {
	if beta == 0 {
		_, err := l.draw(beta, chainsOfLevel)
		return err
	}
	if _, known := l.spacing[beta]; known {
		return nil
	}
	return l.tune(beta)
}

// run goes on with the chains at a level and returns many draws of each, one chain after the other.
func (l *chainLevels) run(beta float64, many, burnIn, spacing int) (draws, error) {
	opt := chain.Options{Method: l.method, Draws: many, BurnIn: burnIn, Thin: spacing, Budget: 1, Start: l.states[beta]}
	want := chainsOfLevel * (1 + burnIn + many*spacing)
	scale := beta
	if beta == 0 { // chains on scores of 0, of which the values say nothing
		scale = math.SmallestNonzeroFloat64
	}
	found, err := l.sample(chainsOfLevel, scale, opt, want)
	if err != nil {
		return draws{}, err
	}
	d := draws{found.Value, found.Y}
	if beta == 0 {
		if d.value, err = l.score(d.parts, chainsOfLevel*many); err != nil {
			return d, err
		}
	}
	parts := l.space.PartLen()
	state := make([]int32, 0, chainsOfLevel*parts)
	for c := range chainsOfLevel {
		last := (c+1)*many - 1
		state = append(state, found.Y[last*parts:(last+1)*parts]...)
	}
	l.states[beta] = state
	return d, l.refuseExceeded(d.value)
}

// tune finds the number of steps between draws at a level.
func (l *chainLevels) tune(beta float64) error {
	spacing, below := 1, math.Inf(-1)
	for level := range l.states {
		if level < beta {
			below = max(below, level)
		}
	}
	if below >= 0 {
		l.states[beta] = slices.Clone(l.states[below])
		spacing = max(1, l.space.PartLen(), l.spacing[below])
	}
	for {
		found, err := l.run(beta, tuningDraws, l.burnIn(beta, spacing), spacing)
		if err != nil {
			return err
		}
		size, _, err := diagnose(found.value, tuningDraws, l.mon)
		if err != nil {
			return err
		}
		worth := 1.0 // NaN: all scores are equal
		if !math.IsNaN(size) {
			worth = float64(len(found.value)) / size
		}
		longer := math.Ceil(float64(spacing) * min(max(worth, 1.5), 16))
		done := worth <= dependence
		if !done && float64(len(found.value))*longer > float64(l.opt.MaxSteps-l.steps)/8 {
			if done = true; l.failure == "" {
				l.failure = fmt.Sprintf("at level %.3g draws %d steps apart are worth %.0f %% of as many independent ones", beta, spacing,
					100/worth)
			}
		}
		if done {
			l.spacing[beta] = spacing
			l.seen[beta] = new(seen)
			l.seen[beta].add(found.value, tuningDraws)
			return nil
		}
		spacing = int(longer)
	}
}

// diagnose returns the effective size and the split R̂ of chains of many values each.
func diagnose(values []float64, many int, mon *parallel.Monitor) (size, rHat float64, err error) {
	x := blas64.General{Rows: len(values) / many, Cols: many, Stride: many, Data: values}
	size, err = chain.EffectiveSampleSize(x, mon)
	return size, chain.SplitRHat(x), err
}

func (l *chainLevels) burnIn(beta float64, spacing int) int {
	proven := math.Inf(1)
	switch {
	case l.method == chain.Meta:
		proven = chain.MixingBoundIndependence(-beta*l.spread, l.distance)
	case l.method == chain.CubeMoves && free(l.space):
		proven = chain.MixingBoundCube(len(l.scores.Linear), l.distance)
	}
	if chainsOfLevel*proven <= provenShare*float64(l.opt.MaxSteps) {
		return int(math.Ceil(proven))
	}
	return int(math.Ceil(2*math.Log(1/l.distance)/decay)) * spacing
}

func (l *chainLevels) affordable(betas []float64, n float64) (int, error) {
	var each float64
	for _, beta := range betas {
		if beta > 0 {
			if err := l.visit(beta); err != nil {
				return 0, err
			}
		}
		each += float64(max(l.spacing[beta], 1))
	}
	wanted := math.Ceil(drawnFor * n)
	possible := max(math.Trunc(float64(l.opt.MaxSteps-l.steps)/each), fewestDraws)
	if possible < wanted {
		l.failure = fmt.Sprintf("max_steps=%d leave room for %.0f of %.0f draws at each of %d levels", l.opt.MaxSteps, possible, wanted,
			len(betas))
	}
	if l.external != nil {
		l.external.expect(min(wanted, possible) * each)
	}
	return int(min(wanted, possible)), nil
}

func (l *chainLevels) trust() (Trust, error) {
	found := Trust{Share: 1, RHat: 1, Failure: l.failure}
	for _, s := range l.seen {
		many := len(s[0])
		all := make([]float64, 0, chainsOfLevel*many)
		for _, chain := range s {
			all = append(all, chain...)
		}
		size, rHat, err := diagnose(all, many, l.mon)
		if err != nil {
			return found, err
		}
		if !math.IsNaN(size) { // as where all scores are equal
			found.Share, found.RHat = min(found.Share, size/float64(len(all))), max(found.RHat, rHat)
		}
	}
	if found.Failure == "" && (found.Share < 1/drawnFor || found.RHat > mostRHat) {
		found.Failure = fmt.Sprintf("draws are worth %.0f %% of as many independent ones, and split-R̂ is %.3f",
			100*found.Share, found.RHat)
	}
	return found, nil
}

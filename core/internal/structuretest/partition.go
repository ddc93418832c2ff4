package structuretest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure"
)

// summed is the relative tolerance of partition functions, and the absolute one of marginals per unit of ψ.
const summed = 1e-10

// testedScores yields the scores that partition functions are tested with: 0, all equal, small, large, of ±700, and one
// far above all others.
func testedScores(d int, rng *rand.Rand) func(yield func([]float64) bool) {
	draw := []func() float64{
		func() float64 { return 0 },
		func() float64 { return 1.5 },
		func() float64 { return -700 },
		func() float64 { return 700 },
		rng.NormFloat64,
		rng.NormFloat64,
		func() float64 { return 20 * rng.NormFloat64() },
		func() float64 { return 700 * rng.NormFloat64() },
		func() float64 { return float64(1400*rng.IntN(2) - 700) },
		func() float64 { return float64(700 * (rng.IntN(3) - 1)) },
		func() float64 { return 1e9 * rng.NormFloat64() },
		func() float64 { return 1e-9 * rng.NormFloat64() },
	}
	return func(yield func([]float64) bool) {
		for i := range len(draw) + 1 {
			s := make([]float64, d)
			for j := range s {
				s[j] = draw[i%len(draw)]()
			}
			if i == len(draw) {
				s[rng.IntN(d)] = 1e4
			}
			if !yield(s) {
				return
			}
		}
	}
}

// gibbs returns ln Z, E ψ and the probabilities of the listed outputs, by definition.
func (e *enumerated) gibbs(s []float64) (logZ float64, mean, p []float64) {
	p = make([]float64, len(e.psi))
	top := math.Inf(-1)
	for i, psi := range e.psi {
		p[i] = structure.Scores{Linear: s}.Value(psi)
		top = max(top, p[i])
	}
	var z float64
	for i, v := range p {
		p[i] = math.Exp(v - top)
		z += p[i]
	}
	mean = make([]float64, len(s))
	for i, psi := range e.psi {
		p[i] /= z
		for j, v := range psi {
			mean[j] += p[i] * v
		}
	}
	return top + math.Log(z), mean, p
}

// scale returns the largest entry of ψ in the list, 1 at least.
func (e *enumerated) scale() float64 {
	most := 1.0
	for _, psi := range e.psi {
		for _, v := range psi {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// rounding is what rounding the scores of single outputs alone may change, as the scores are as large as that.
func rounding(s []float64) float64 {
	var total float64
	for _, v := range s {
		total += math.Abs(v)
	}
	return 1e-15 * total
}

// partition compares ln Z and E ψ with the list.
func (e *enumerated) partition(t *testing.T) {
	p, ok := e.space.(structure.Partitioner)
	if !ok {
		t.Skip("no Partitioner")
	}
	scale := e.scale()
	for s := range testedScores(e.space.FeatureLen(), generator(60)) {
		want, mean, _ := e.gibbs(s)
		original, marginals := slices.Clone(s), garbage(len(s))
		got, err := p.LogPartition(marginals, s, nil)
		if err != nil {
			t.Fatalf("LogPartition(%v) fails: %v", s, err)
		}
		if !(math.Abs(got-want) <= summed*max(1, math.Abs(want))+scale*rounding(s)) {
			t.Fatalf("LogPartition(%v) is %v, the list gives %v", s, got, want)
		}
		for i, v := range mean {
			if !(math.Abs(marginals[i]-v) <= scale*(summed+scale*rounding(s))) {
				t.Fatalf("LogPartition(%v) gives marginal %d as %v, the list %v", s, i, marginals[i], v)
			}
		}
		alone, err := p.LogPartition(nil, s, nil)
		if err != nil || !(math.Abs(alone-got) <= 1e-12*max(1, math.Abs(got))) {
			t.Fatalf("LogPartition(%v) is %v with marginals and %v without, error %v", s, got, alone, err)
		}
		if !slices.Equal(original, s) {
			t.Fatal("LogPartition changes the scores")
		}
	}
	for _, marginals := range []bool{false, true} {
		if cost := e.space.Facts().Sums.Cost(marginals); !(cost > 0) || math.IsInf(cost, 0) {
			t.Errorf("Cost(%t) is %v", marginals, cost)
		}
	}
}

// mostCost bounds the work of one partition function in a test.
const mostCost = 1.2e8

// partition at sizes without a list: marginals are the derivatives of ln Z in a random direction, scores of 0 give the
// number of outputs and the mean, and ln Z lies between the best score and that plus the logarithm of the number of
// outputs. A refusal is a LimitError.
func (s subject) partition(t *testing.T) {
	p, ok := s.space.(structure.Partitioner)
	if !ok {
		t.Skip("no Partitioner")
	}
	d := s.space.FeatureLen()
	marginals := garbage(d)
	cost := s.space.Facts().Sums.Marginals
	if math.IsInf(cost, 1) {
		_, err := p.LogPartition(marginals, make([]float64, d), nil)
		if _, ok := errors.AsType[*structure.LimitError](err); !ok {
			t.Fatalf("beyond the limit LogPartition gives the error %v", err)
		}
		s.refusesToDraw(t)
		return
	}
	if cost > mostCost {
		t.Skipf("%.3g operations are too many for a test", cost)
	}
	rng := generator(63)
	s.unscored(t, p)
	s.bounded(t, p)
	scores, direction := make([]float64, d), make([]float64, d)
	for i := range scores {
		scores[i] = rng.NormFloat64()
		direction[i] = rng.NormFloat64() / math.Sqrt(float64(d))
	}
	if _, err := p.LogPartition(marginals, scores, nil); err != nil {
		t.Fatal(err)
	}
	var slope float64
	for i, v := range direction {
		slope += v * marginals[i]
	}
	value := func(h float64) float64 {
		moved := make([]float64, d)
		for i := range moved {
			moved[i] = scores[i] + h*direction[i]
		}
		v, err := p.LogPartition(nil, moved, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const h = 1e-3 // the error of the difference of fourth order is about h⁴
	got := (8*(value(h)-value(-h)) - (value(2*h) - value(-2*h))) / (12 * h)
	if !(math.Abs(got-slope) <= 1e-7*max(1, math.Abs(slope), 1e-4*math.Abs(value(0)))) {
		t.Errorf("ln Z changes by %v along a direction along which the marginals add up to %v", got, slope)
	}
}

// unscored: scores of 0 give the number of outputs and their mean.
func (s subject) unscored(t *testing.T, p structure.Partitioner) {
	t.Helper()
	d := s.space.FeatureLen()
	marginals := garbage(d)
	got, err := p.LogPartition(marginals, make([]float64, d), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := structure.LogCount(s.space); err == nil && !math.IsNaN(want) && !(math.Abs(got-want) <= summed*max(1, want)) {
		t.Errorf("without scores ln Z is %v, the logarithm of the number of outputs %v", got, want)
	}
	m, ok := s.space.(structure.Momenter)
	if !ok || s.space.Facts().Moments != structure.ExactMoments {
		return
	}
	mean := garbage(d)
	m.Mean(mean)
	for i, v := range mean {
		if !(math.Abs(marginals[i]-v) <= summed*max(1, math.Abs(v))) {
			t.Fatalf("without scores marginal %d is %v, the mean %v", i, marginals[i], v)
		}
	}
}

// bounded: with scores of about 700, ln Z lies where the best score says, and samples score as much as they should.
func (s subject) bounded(t *testing.T, p structure.Partitioner) {
	t.Helper()
	decoder, ok := s.space.(structure.Decoder)
	log, err := structure.LogCount(s.space)
	if !ok || err != nil || math.IsNaN(log) {
		return
	}
	rng := generator(64)
	score := structure.Scores{Linear: make([]float64, s.space.FeatureLen())}
	for i := range score.Linear {
		score.Linear[i] = 700 * rng.NormFloat64()
	}
	y := garbageParts(s.space.PartLen())
	cert, err := decoder.Decode(y, score)
	if err != nil {
		if _, ok := errors.AsType[*structure.LimitError](err); ok {
			return
		}
		t.Fatal(err)
	}
	marginals := garbage(len(score.Linear))
	got, err := p.LogPartition(marginals, score.Linear, nil)
	if slack := summed * math.Abs(cert.Value); err != nil || !(got >= cert.Value-slack && got <= cert.Value+log+slack) {
		t.Fatalf("ln Z is %v, the best score %v, of exp(%v) outputs; error %v", got, cert.Value, log, err)
	}
	if mean := score.Value(marginals); !(mean <= cert.Value+summed*math.Abs(cert.Value)) || !(got-mean >= -summed*math.Abs(got)) {
		t.Fatalf("the mean score is %v, the best %v, ln Z %v", mean, cert.Value, got)
	}
	draw, err := p.Distribution(score.Linear, nil)
	if err != nil {
		t.Fatal(err)
	}
	// A sample of probability below falseAlarm/exp(log) turns up with probability falseAlarm at most.
	draw(y, rng)
	if err := s.space.Check(y); err != nil {
		t.Fatalf("the sample %v is no member: %v", y, err)
	}
	if v := score.Value(s.embed(y)); !(v-got >= math.Log(falseAlarm)-log) {
		t.Fatalf("a sample of probability exp(%v) is drawn", v-got)
	}
}

// summingStops: a poll that refuses, at once or later, ends the work on a distribution with its error; one that never does changes nothing.
func (s subject) summingStops(t *testing.T) {
	p := s.space.(structure.Partitioner)
	scores, marginals := make([]float64, s.space.FeatureLen()), garbage(s.space.FeatureLen())
	rng := generator(65)
	for i := range scores {
		scores[i] = rng.NormFloat64()
	}
	for name, work := range slicex.InOrder(map[string]func(poll func() error) (float64, error){
		"LogPartition": func(poll func() error) (float64, error) { return p.LogPartition(marginals, scores, poll) },
		"Distribution": func(poll func() error) (float64, error) {
			draw, err := p.Distribution(scores, poll)
			if (draw == nil) != (err != nil) {
				t.Fatalf("Distribution gives the error %v with a draw or none without", err)
			}
			return 0, err
		},
	}) {
		polls := 0
		want, err := work(func() error { polls++; return nil })
		if err != nil || polls == 0 {
			t.Fatalf("%s gives the error %v after %d polls, must poll once at least", name, err, polls)
		}
		refusal := errors.New("enough")
		for _, last := range []int{1, (polls + 1) / 2, polls} {
			calls := 0
			_, err := work(func() error {
				if calls++; calls >= last {
					return refusal
				}
				return nil
			})
			if !errors.Is(err, refusal) {
				t.Fatalf("refused at poll %d of %d, %s gives the error %v", last, polls, name, err)
			}
		}
		if again, err := work(nil); err != nil || again != want {
			t.Fatalf("after a refusal %s gives %v with the error %v, gave %v before", name, again, err, want)
		}
	}
}

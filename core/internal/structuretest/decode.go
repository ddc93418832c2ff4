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

// scoreVectors yields score vectors of length d: zeros, constants, Gaussian, small integers with many ties, sparse, and
// large ones, each without a magnitude term, with a constant one (the pre-image problem's −½) and with a random one.
func scoreVectors(d, n int, rng *rand.Rand) func(yield func(structure.Scores) bool) {
	draw := []func() float64{
		func() float64 { return 0 },
		func() float64 { return 1 },
		func() float64 { return -1 },
		rng.NormFloat64,
		func() float64 { return float64(rng.IntN(3) - 1) },
		func() float64 { return float64(rng.IntN(9)-4) / 4 },
		func() float64 { return rng.NormFloat64() * float64(rng.IntN(4)/3) },
		func() float64 { return rng.NormFloat64() * 1e9 },
		func() float64 { return rng.NormFloat64() * 1e-9 },
	}
	vector := func(f func() float64) []float64 {
		x := make([]float64, d)
		for i := range x {
			x[i] = f()
		}
		return x
	}
	return func(yield func(structure.Scores) bool) {
		for i := range n {
			s := structure.Scores{Linear: vector(draw[i%len(draw)])}
			switch i / len(draw) % 3 {
			case 1:
				s.Magnitude = vector(func() float64 { return -0.5 })
			case 2:
				s.Magnitude = vector(draw[rng.IntN(len(draw))])
			}
			if !yield(s) {
				return
			}
		}
	}
}

// slack is the rounding allowed in a score: a fraction of the sum of the magnitudes of its terms.
func slack(s structure.Scores) float64 {
	var sum float64
	for _, v := range s.Linear {
		sum += math.Abs(v)
	}
	for _, v := range s.Magnitude {
		sum += math.Abs(v)
	}
	return exact * sum
}

// decode compares Decode with the best of the list.
func (e *enumerated) decode(t *testing.T) {
	decoder, ok := e.space.(structure.Decoder)
	if !ok {
		t.Skip("no Decoder")
	}
	for score := range scoreVectors(e.space.FeatureLen(), 150, generator(10)) {
		best, _ := e.extremes(score)
		y := garbageParts(e.space.PartLen())
		original := structure.Scores{Linear: slices.Clone(score.Linear), Magnitude: slices.Clone(score.Magnitude)}
		cert, err := decoder.Decode(y, score)
		if e.refuses(score, err) {
			continue
		}
		if err != nil {
			t.Fatalf("Decode fails on %v: %v", score, err)
		}
		e.checkCertificate(t, score, y, cert)
		if !cert.Optimal || math.Abs(cert.Value-best) > slack(score) {
			t.Fatalf("Decode(%v) has the certificate %+v, the best of the list is %v", score, cert, best)
		}
		if !slices.Equal(original.Linear, score.Linear) || !slices.Equal(original.Magnitude, score.Magnitude) {
			t.Fatal("Decode changed the scores")
		}
		again := make([]int32, len(y))
		if _, err := decoder.Decode(again, score); err != nil || !slices.Equal(y, again) {
			t.Fatalf("Decode(%v) is %v once and %v the next time", score, y, again)
		}
	}
}

// refuses says whether an error is the one by which a general structure may refuse a Magnitude.
func (s subject) refuses(score structure.Scores, err error) bool {
	_, ok := errors.AsType[*structure.CapabilityError](err)
	return ok && s.general && score.Magnitude != nil
}

// search compares Start and Search with the guarantee and the bound that they certify, and with one another.
func (e *enumerated) search(t *testing.T) {
	searcher, ok := e.space.(structure.Searcher)
	if !ok {
		t.Skip("no Searcher")
	}
	for score := range scoreVectors(e.space.FeatureLen(), 150, generator(11)) {
		best, worst := e.extremes(score)
		start := e.improve(t, "Start", searcher.Start, score, best, worst)
		found := e.improve(t, "Search", searcher.Search, score, best, worst)
		if found.Value < start.Value-slack(score) {
			t.Fatalf("Search(%v) reaches %v, Start %v", score, found.Value, start.Value)
		}
	}
}

// improve checks what Start or Search finds against the largest and the smallest score.
func (e *enumerated) improve(t *testing.T, name string,
	find func(dst []int32, score structure.Scores, poll func() error) (structure.Certificate, error),
	score structure.Scores, best, worst float64) structure.Certificate {
	t.Helper()
	y := garbageParts(e.space.PartLen())
	cert, err := find(y, score, nil)
	if err != nil {
		t.Fatalf("%s(%v) fails: %v", name, score, err)
	}
	e.checkCertificate(t, score, y, cert)
	if guaranteed := (1-cert.Nu)*best + cert.Nu*worst; cert.Value < guaranteed-slack(score) {
		t.Fatalf("%s(%v) reaches %v, its certificate guarantees %v", name, score, cert.Value, guaranteed)
	}
	if cert.UpperBound < best-slack(score) {
		t.Fatalf("%s(%v) certifies the bound %v, the best of the list is %v", name, score, cert.UpperBound, best)
	}
	return cert
}

// stops: a poll that refuses, at once or later, ends Start and Search with its error; one that never does changes nothing.
func (s subject) stops(t *testing.T) {
	searcher, ok := s.space.(structure.Searcher)
	if !ok {
		t.Skip("no Searcher")
	}
	refusal := errors.New("enough")
	rng := generator(33)
	for range 2 {
		score := structure.Scores{Linear: make([]float64, s.space.FeatureLen())}
		for i := range score.Linear {
			score.Linear[i] = rng.NormFloat64()
		}
		type finder = func(dst []int32, score structure.Scores, poll func() error) (structure.Certificate, error)
		for name, find := range slicex.InOrder(map[string]finder{
			"Start": searcher.Start, "Search": searcher.Search,
		}) {
			polls := 0
			free := garbageParts(s.space.PartLen())
			if _, err := find(free, score, func() error { polls++; return nil }); err != nil || polls == 0 {
				t.Fatalf("%s gives the error %v after %d polls, must poll once at least", name, err, polls)
			}
			for _, last := range []int{1, (polls + 1) / 2, polls} {
				calls := 0
				_, err := find(garbageParts(len(free)), score, func() error {
					if calls++; calls >= last {
						return refusal
					}
					return nil
				})
				if !errors.Is(err, refusal) || calls != last {
					t.Fatalf("refused at poll %d of %d, %s polls %d times and gives the error %v", last, polls, name, calls, err)
				}
			}
			again := garbageParts(len(free))
			if _, err := find(again, score, nil); err != nil || !slices.Equal(again, free) {
				t.Fatalf("after a refusal %s finds %v with the error %v, found %v before", name, again, err, free)
			}
		}
	}
}

// extremes returns the largest and the smallest score of the list.
func (e *enumerated) extremes(score structure.Scores) (best, worst float64) {
	best, worst = math.Inf(-1), math.Inf(1)
	for _, psi := range e.psi {
		v := score.Value(psi)
		best, worst = max(best, v), min(worst, v)
	}
	return best, worst
}

// checkCertificate checks that a decoded output is a member and that its certificate fits its score and itself.
func (s subject) checkCertificate(t *testing.T, score structure.Scores, y []int32, cert structure.Certificate) {
	t.Helper()
	if err := s.space.Check(y); err != nil {
		t.Fatalf("the decoded output %v is no member: %v", y, err)
	}
	if v := score.Value(s.embed(y)); !(math.Abs(v-cert.Value) <= slack(score)) {
		t.Fatalf("the certificate says %v, the output scores %v", cert.Value, v)
	}
	if !(cert.UpperBound >= cert.Value) || cert.Nu < 0 || cert.Nu > 1 {
		t.Fatalf("the certificate %+v contradicts itself", cert)
	}
	if cert.Optimal && (cert.Nu != 0 || cert.UpperBound != cert.Value) {
		t.Fatalf("the certificate %+v of an optimal output must have Nu 0 and a tight bound", cert)
	}
}

package structuretest

import (
	"errors"
	"math"
	"testing"

	"combpred/core/combin"
	"combpred/core/structure"
)

const (
	// mostParts bounds the work of sampling: number of samples times length of an output or of ψ.
	mostParts = 4 << 20
	// mostSamples is the largest number of samples.
	mostSamples = 20000
	// watched is the number of entries of ψ, and of products of two entries, whose averages are compared with the
	// moments.
	watched = 64
	// densest is the largest d for which matrices of size d×d are formed.
	densest = 1500
)

// moments: count and mean are finite, and the averages of sampled embeddings and of their products agree with the
// moments. Each average of N numbers in [−1, 1] is further than t from its mean with probability at most 2 exp(−N t²/2)
// (Hoeffding), and t is chosen so that all 2·watched averages together raise a false alarm with probability at most
// falseAlarm.
func (s subject) moments(t *testing.T) {
	m, ok := s.space.(structure.Momenter)
	if !ok {
		t.Skip("no Moments")
	}
	d := s.space.FeatureLen()
	mean := garbage(d)
	m.Mean(mean)
	for i, v := range mean {
		if !(math.Abs(v) <= 1) {
			t.Fatalf("the mean of ψ_%d is %v", i, v)
		}
	}
	got, err := structure.LogCount(s.space)
	if err == nil && (got <= 0 || math.IsInf(got, 0)) { // NaN: not known
		t.Errorf("the logarithm of the count is %v", got)
	}
	if counter, ok := s.space.(structure.Counter); ok {
		if log := combin.LogInt(counter.Count()); !(math.Abs(got-log) <= exact*log) {
			t.Errorf("LogCount is %v, the logarithm of the count %v", got, log)
		}
	}
	sampler, ok := s.space.(structure.Sampler)
	if !ok {
		t.Skip("no Sampler")
	}
	rng := generator(30)
	var entries [watched]int
	var pairs [watched][2]int
	for k := range watched {
		entries[k] = rng.IntN(d)
		pairs[k] = [2]int{rng.IntN(d), min(d-1, rng.IntN(8)+k)}
	}
	n := min(mostSamples, mostParts/max(d, s.space.PartLen()))
	var sums, products [watched]float64
	y := garbageParts(s.space.PartLen())
	for range n {
		sampler.Sample(y, rng)
		if err := s.space.Check(y); err != nil {
			t.Fatalf("the sample %v is no member: %v", y, err)
		}
		psi := s.embed(y)
		for k := range watched {
			sums[k] += psi[entries[k]]
			products[k] += psi[pairs[k][0]] * psi[pairs[k][1]]
		}
	}
	tolerance := math.Sqrt(2 * math.Log(2*2*watched/falseAlarm) / float64(n))
	for k, i := range entries {
		if got := sums[k] / float64(n); math.Abs(got-mean[i]) > tolerance {
			t.Errorf("the sampled mean of ψ_%d is %v, the exact one %v", i, got, mean[i])
		}
	}
	if d > densest {
		return
	}
	second := zeros(d, d)
	m.SecondMoment(second)
	for k, p := range pairs {
		if got, want := products[k]/float64(n), second.Data[p[0]*d+p[1]]; math.Abs(got-want) > tolerance {
			t.Errorf("the sampled second moment of ψ_%d and ψ_%d is %v, the exact one %v", p[0], p[1], got, want)
		}
	}
}

// spectrum compares Σ v from the spectrum with the second moment where that fits, and otherwise checks that analysing a
// vector that was synthesised in an eigenspace changes nothing more than the frame allows: F Fᵀ is a projector.
func (s subject) spectrum(t *testing.T) {
	sp := s.space.Facts().Spectrum
	if sp == nil {
		t.Skip("no Spectrum")
	}
	d := s.space.FeatureLen()
	v := gaussian(1, d, 31)
	product := zeros(1, d)
	for i, sigma := range sp.Eigenvalues() {
		once := s.project(sp, v.Data, i)
		for j, x := range s.project(sp, once, i) {
			if math.Abs(x-once[j]) > exact*float64(d) {
				t.Fatalf("projecting on eigenspace %d twice gives entry %d = %v, once %v", i, j, x, once[j])
			}
		}
		for j, x := range once {
			product.Data[j] += sigma * x
		}
	}
	if d > densest {
		return
	}
	sigma := covariance(s.space.(structure.Momenter), d)
	for i := range d {
		var want float64
		for j, x := range row(sigma, i) {
			want += x * v.Data[j]
		}
		if math.Abs(product.Data[i]-want) > exact*float64(d) {
			t.Fatalf("entry %d of Σv is %v from the spectrum, %v from the second moment", i, product.Data[i], want)
		}
	}
}

// project returns F Fᵀ x for the frame of eigenspace i.
func (s subject) project(sp structure.Spectrum, x []float64, i int) []float64 {
	v := zeros(1, len(x))
	copy(v.Data, x)
	c := padded(1, sp.FrameLen(i))
	sp.AnalyzeTo(c, v, i)
	out := zeros(1, len(x))
	sp.SynthesizeTo(out, c, i)
	return out.Data
}

// decode: decoded outputs are members with a fitting certificate that no sampled output beats; a refusal is a
// LimitError, and then the search answers.
func (s subject) decode(t *testing.T) {
	decoder, ok := s.space.(structure.Decoder)
	if !ok {
		t.Skip("no Decoder")
	}
	rng := generator(32)
	for score := range scoreVectors(s.space.FeatureLen(), 18, rng) {
		y := garbageParts(s.space.PartLen())
		cert, err := decoder.Decode(y, score)
		if s.refuses(score, err) {
			continue
		}
		if err != nil {
			if _, ok := errors.AsType[*structure.LimitError](err); !ok {
				t.Fatalf("Decode refuses with %v, must be a LimitError", err)
			}
			searcher, ok := s.space.(structure.Searcher)
			if !ok {
				t.Fatalf("Decode refuses with %v, and there is no Searcher", err)
			}
			if cert, err = searcher.Search(y, score, nil); err != nil {
				t.Fatalf("Search fails: %v", err)
			}
			start, err := searcher.Start(garbageParts(len(y)), score, nil)
			if err != nil || start.Value > cert.Value+slack(score) {
				t.Fatalf("Start reaches %v with the error %v, Search %v", start.Value, err, cert.Value)
			}
		}
		s.checkCertificate(t, score, y, cert)
		sampler, ok := s.space.(structure.Sampler)
		if !ok {
			continue
		}
		other := garbageParts(len(y))
		for range 20 {
			sampler.Sample(other, rng)
			if v := score.Value(s.embed(other)); v > cert.UpperBound+slack(score) {
				t.Fatalf("a sampled output scores %v, beyond the certified bound %v", v, cert.UpperBound)
			}
		}
	}
}

package structuretest

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/structure"
)

const (
	// masksTried is the number of random masks, and of random conditions by key, for each small space.
	masksTried = 16
	// maskedAlarm is the probability with which a correct sampler fails under one of these: less than 1e-3 for all in the catalogue.
	maskedAlarm = 1e-7
)

// masks compares what a space does under random masks on the entries of ψ with the outputs in the list that they allow.
func (e *enumerated) masks(t *testing.T) {
	if e.general {
		t.Skip("entries of ψ may be other numbers than −1, 0 and 1")
	}
	rng, left := generator(70), 0
	for range masksTried {
		mask := e.randomMask(rng)
		left += e.under(t, mask, func(i int) bool { return mask.Allows(e.psi[i]) })
	}
	if left == 0 {
		t.Error("no mask leaves an output")
	}
}

// randomMask limits a few entries of ψ to some of the values that they take in the list, and now and then to others.
func (e *enumerated) randomMask(rng *rand.Rand) structure.Mask {
	mask, d := structure.NewMask(), e.space.FeatureLen()
	pattern := e.psi[rng.IntN(len(e.psi))] // so that most masks leave something
	for range 1 + rng.IntN(max(2, d/2)) {
		entry := rng.IntN(d)
		allowed := structure.Values(1 + rng.IntN(6))
		if rng.IntN(8) > 0 {
			allowed |= 1 << (int8(pattern[entry]) + 1)
		}
		mask.Limit(d, entry, allowed)
	}
	return mask
}

// conditions does the same under random conditions by the keys of the structure, whose meaning Satisfies knows: half of the time by all
// keys and otherwise by one after the other, with a mask and without. parts counts for each key how often it alone left some outputs, but
// not all.
func (e *enumerated) conditions(t *testing.T, spec structure.Spec, args structure.Args, parts map[structure.Key]int) {
	restricter, ok := e.space.(structure.Restricter)
	if !ok {
		t.Skip("no Restricter")
	}
	restrict, rng := restricter.Restrict(), generator(71)
	for trial := range masksTried {
		conditions, only := RandomConditions(spec, args, e.space, rng), structure.Key(-1)
		if trial%2 == 1 {
			only = spec.Conditions[trial/2%len(spec.Conditions)].Key
			conditions = conditionsBy(only, spec, args, e.space, rng)
		}
		r, err := restrict(conditions)
		if err != nil {
			continue // see TestRestrictionsAreWhatConditionsMean
		}
		satisfies := func(i int) bool { return Satisfies(spec.Name, args, e.space, e.outputs[i], conditions) }
		if left := e.under(t, r.Mask, satisfies); 0 < left && left < len(e.outputs) {
			parts[only]++
		}
		if e.general {
			continue
		}
		more := e.randomMask(rng)
		for i, v := range r.Mask.Entries {
			more.Limit(len(r.Mask.Entries), i, v)
		}
		both := r.Mask
		both.Entries = more.Entries
		e.under(t, both, func(i int) bool { return satisfies(i) && more.Allows(e.psi[i]) })
	}
}

// conditionsBy draws conditions by one key, some unless there are hardly any.
func conditionsBy(key structure.Key, spec structure.Spec, args structure.Args, space structure.Space,
	rng *rand.Rand) (all []structure.Condition) {
	for range masksTried {
		all = slices.DeleteFunc(RandomConditions(spec, args, space, rng), func(c structure.Condition) bool { return c.Key != key })
		if len(all) > 0 {
			break
		}
	}
	return all
}

// under compares all that the space does under a mask with the outputs of the list that are allowed, and returns how many these are.
func (e *enumerated) under(t *testing.T, mask structure.Mask, allowed func(i int) bool) int {
	t.Helper()
	space, err := structure.Within(e.space, mask)
	part := &enumerated{index: map[string]int{}}
	for i, y := range e.outputs {
		in := allowed(i)
		if err == nil && (space.Check(y) == nil) != in {
			t.Fatalf("under %+v the output %v is allowed: %t, Check says %v", mask, y, in, space.Check(y))
		}
		if in {
			part.index[key(y)] = len(part.outputs)
			part.outputs, part.psi = append(part.outputs, y), append(part.psi, e.psi[i])
		}
	}
	part.subject = subject{space, e.general}
	switch {
	case len(part.outputs) == 0:
		part.nothing(t, mask, err)
		return 0
	case err != nil:
		t.Fatalf("under %+v there are %d outputs, Within gives %v", mask, len(part.outputs), err)
	}
	part.facts(t)
	part.counted(t, mask)
	part.decoded(t, mask)
	part.searched(t, mask)
	if _, sums := e.space.(structure.Partitioner); sums {
		part.summedUp(t, mask)
		part.drawnFrom(t, mask)
	}
	return len(part.outputs)
}

// nothing checks that a space without outputs says so.
func (e *enumerated) nothing(t *testing.T, mask structure.Mask, err error) {
	t.Helper()
	if errors.Is(err, structure.ErrNone) {
		return
	}
	if err != nil {
		t.Fatalf("under %+v there is nothing, Within gives %v", mask, err)
	}
	d, y := e.space.FeatureLen(), garbageParts(e.space.PartLen())
	scores := make([]float64, d)
	if _, err := e.space.(structure.Decoder).Decode(y, structure.Scores{Linear: scores}); !errors.Is(err, structure.ErrNone) {
		t.Fatalf("under %+v there is nothing, Decode gives %v", mask, err)
	}
	if n := e.space.(structure.Counter).Count(); n != nil && n.Sign() != 0 {
		t.Fatalf("under %+v there is nothing, Count gives %v", mask, n)
	}
	p := e.space.(structure.Partitioner)
	if _, err := p.LogPartition(garbage(d), scores, nil); !errors.Is(err, structure.ErrNone) && !lacking(err) {
		t.Fatalf("under %+v there is nothing, LogPartition gives %v", mask, err)
	}
	if _, err := p.Distribution(scores, nil); !errors.Is(err, structure.ErrNone) && !lacking(err) {
		t.Fatalf("under %+v there is nothing, Distribution gives %v", mask, err)
	}
}

func lacking(err error) bool {
	_, lacks := errors.AsType[*structure.CapabilityError](err)
	return lacks
}

func (e *enumerated) counted(t *testing.T, mask structure.Mask) {
	t.Helper()
	if n := e.space.(structure.Counter).Count(); n == nil || n.Cmp(big.NewInt(int64(len(e.outputs)))) != 0 {
		t.Fatalf("under %+v Count is %v, the list has %d outputs", mask, n, len(e.outputs))
	}
	if log, err := structure.LogCount(e.space); err != nil || !(math.Abs(log-math.Log(float64(len(e.outputs)))) <= exact) {
		t.Fatalf("under %+v LogCount is %v, the list has %d outputs, error %v", mask, log, len(e.outputs), err)
	}
	e.table(t)
	lister, ok := e.space.(structure.Enumerator)
	if !ok {
		return
	}
	at := 0
	for y := range lister.All() {
		if at >= len(e.outputs) || !slices.Equal(y, e.outputs[at]) {
			t.Fatalf("under %+v output %d of the list is %v", mask, at, y)
		}
		at++
	}
	if at < len(e.outputs) {
		t.Fatalf("under %+v there are %d outputs in the list, want %d", mask, at, len(e.outputs))
	}
}

// table compares the table of a space, if it keeps one, with the list.
func (e *enumerated) table(t *testing.T) {
	table := e.space.Facts().Table
	for i := range table.Rows {
		if table.Rows != len(e.psi) || !slices.Equal(row(table, i), e.psi[i]) {
			t.Fatalf("row %d of the table, which has %d, is %v, in the list of %d it is %v", i, table.Rows, row(table, i), len(e.psi),
				e.psi[i])
		}
	}
}

func (e *enumerated) decoded(t *testing.T, mask structure.Mask) {
	t.Helper()
	decoder := e.space.(structure.Decoder)
	for score := range scoreVectors(e.space.FeatureLen(), 30, generator(72)) {
		best, _ := e.extremes(score)
		y := garbageParts(e.space.PartLen())
		cert, err := decoder.Decode(y, score)
		if e.refuses(score, err) {
			continue
		}
		if err != nil {
			t.Fatalf("under %+v Decode(%v) gives %v", mask, score, err)
		}
		e.checkCertificate(t, score, y, cert)
		if _, in := e.index[key(y)]; !in || !cert.Optimal || math.Abs(cert.Value-best) > slack(score) {
			t.Fatalf("under %+v Decode(%v) gives %v with %+v, the best of the list has %v", mask, score, y, cert, best)
		}
	}
}

// searched checks the searches of a restricted space, which may find nothing.
func (e *enumerated) searched(t *testing.T, mask structure.Mask) {
	t.Helper()
	searcher, ok := e.space.(structure.Searcher)
	if !ok {
		return
	}
	for score := range scoreVectors(e.space.FeatureLen(), 10, generator(73)) {
		best, _ := e.extremes(score)
		y := garbageParts(e.space.PartLen())
		cert, err := searcher.Search(y, score, nil)
		if errors.Is(err, structure.ErrUnmet) {
			continue
		}
		if _, in := e.index[key(y)]; err != nil || !in || cert.UpperBound < best-slack(score) ||
			cert.Optimal && math.Abs(cert.Value-best) > slack(score) {
			t.Fatalf("under %+v Search(%v) gives %v with %+v, the best of the list has %v; error %v", mask, score, y, cert, best, err)
		}
		e.checkCertificate(t, score, y, cert)
	}
}

// summedUp compares ln Z and the marginals, which are those of the mean at scores of 0; entries that are decided are so exactly.
func (e *enumerated) summedUp(t *testing.T, mask structure.Mask) {
	t.Helper()
	p, scale := e.space.(structure.Partitioner), e.scale()
	for s := range testedScores(e.space.FeatureLen(), generator(74)) {
		want, mean, _ := e.gibbs(s)
		marginals := garbage(len(s))
		got, err := p.LogPartition(marginals, s, nil)
		if err != nil || !(math.Abs(got-want) <= summed*max(1, math.Abs(want))+scale*rounding(s)) {
			t.Fatalf("under %+v LogPartition(%v) is %v, the list gives %v; error %v", mask, s, got, want, err)
		}
		for i, v := range mean {
			if !(math.Abs(marginals[i]-v) <= scale*(summed+scale*rounding(s))) {
				t.Fatalf("under %+v LogPartition(%v) gives marginal %d as %v, the list %v", mask, s, i, marginals[i], v)
			}
			if mask.Entries == nil || e.general {
				continue
			}
			if allowed := mask.Entries[i]; allowed&(allowed-1) == 0 && marginals[i] != math.Round(v) {
				t.Fatalf("under %+v LogPartition(%v) gives marginal %d as %v, which is decided", mask, s, i, marginals[i])
			}
		}
		if alone, err := p.LogPartition(nil, s, nil); err != nil || !(math.Abs(alone-got) <= 1e-12*max(1, math.Abs(got))) {
			t.Fatalf("under %+v LogPartition(%v) is %v with marginals and %v without, error %v", mask, s, got, alone, err)
		}
	}
}

// drawnFrom compares the frequencies of samples with their probabilities by χ².
func (e *enumerated) drawnFrom(t *testing.T, mask structure.Mask) {
	t.Helper()
	rng := generator(75)
	s := make([]float64, e.space.FeatureLen())
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	_, _, p := e.gibbs(s)
	draw, err := e.space.(structure.Partitioner).Distribution(s, nil)
	if err != nil {
		t.Fatalf("under %+v Distribution(%v) fails: %v", mask, s, err)
	}
	n := min(drawsPerOutput*len(p), 4000)
	seen := e.drawn(t, draw, n, 76)
	if q := goodness(seen, p, float64(n)); q < maskedAlarm {
		t.Fatalf("under %+v the frequencies of samples for the scores %v have p = %.2g", mask, s, q)
	}
}

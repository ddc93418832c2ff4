package structure

import (
	"math"
	"math/big"
	"math/rand/v2"
)

// maskedTournaments computes on the partial tournaments that a mask allows: pairs are independent, each with its own values.
type maskedTournaments struct {
	all  tournaments
	mask pairMask
}

var (
	_ maskable = tournaments{}
	_ engine   = (*maskedTournaments)(nil)
)

func (t tournaments) under(m *Mask) (engine, error) { return &maskedTournaments{t, m.Entries}, nil }

func (e *maskedTournaments) facts() Facts {
	return Facts{LogCount: e.logCount, Sums: sumsOf(e.all.partitionCost)}
}

// choices returns how many pairs have two values, and three.
func (e *maskedTournaments) choices() (two, three int64) {
	for _, v := range e.mask {
		switch {
		case v == AnyValue:
			three++
		case v&(v-1) != 0:
			two++
		}
	}
	return two, three
}

// count is 2ᵃ3ᵇ.
func (e *maskedTournaments) count() *big.Int {
	two, three := e.choices()
	n := new(big.Int).Exp(big.NewInt(3), big.NewInt(three), nil)
	return n.Lsh(n, uint(two))
}

// logCount does without the number, whose digits fill megabytes at large sizes.
func (e *maskedTournaments) logCount() float64 {
	two, three := e.choices()
	return float64(two)*math.Ln2 + float64(three)*math.Log(3)
}

// Decode takes the best allowed value of every pair. Cost: O(d).
func (e *maskedTournaments) Decode(dst []int32, score Scores) (Certificate, error) {
	return proven(e.all.perPairWithin(dst, score, e.mask)), nil
}

// weigh returns what the values −1, 0 and 1 of a pair weigh, relative to the most of those that the mask allows, and the logarithm of
// that.
func (e *maskedTournaments) weigh(pair int, s float64) (weights [3]float64, most float64) {
	most = math.Inf(-1)
	for x := -1; x <= 1; x++ {
		if e.mask[pair].Has(int8(x)) {
			most = max(most, float64(x)*s)
		}
	}
	for x := -1; x <= 1; x++ {
		if e.mask[pair].Has(int8(x)) {
			weights[x+1] = math.Exp(float64(x)*s - most)
		}
	}
	return weights, most
}

// LogPartition adds up the logarithms of the sums over the values of each pair. Cost: O(d).
func (e *maskedTournaments) LogPartition(marginals, scores []float64, _ func() error) (logZ float64, err error) {
	mustLen("scores", len(scores), e.all.len())
	if marginals != nil {
		mustLen("marginals", len(marginals), e.all.len())
	}
	for i, s := range scores {
		w, most := e.weigh(i, s)
		sum := w[0] + w[1] + w[2]
		logZ += most + math.Log(sum)
		if marginals != nil {
			marginals[i] = (w[2] - w[0]) / sum
		}
	}
	return logZ, nil
}

// Distribution draws each pair on its own. Cost: O(d) for each output.
func (e *maskedTournaments) Distribution(scores []float64, _ func() error) (Draw, error) {
	mustLen("scores", len(scores), e.all.len())
	table := make([][3]float64, len(scores)) // weights added up
	for i, s := range scores {
		w, _ := e.weigh(i, s)
		table[i] = [3]float64{w[0], w[0] + w[1], w[0] + w[1] + w[2]}
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), len(table))
		for i, sums := range table {
			u := rng.Float64() * sums[2]
			switch {
			case u < sums[0]:
				dst[i] = -1
			case u < sums[1] || sums[1] == sums[2]: // as u may be rounded to the sum
				dst[i] = 0
			default:
				dst[i] = 1
			}
		}
	}, nil
}

package structure

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
)

// maxItems bounds the number of pairs as maxLabels does.
const maxItems = maxLabels

const reasonOfItems = "beyond that the n(n−1)/2 scores of a single output take more than a gigabyte"

// relations is what the spaces of antisymmetric relations on n items share: an output is encoded as its ψ, +1 for a
// pair u < v where u is before v, −1 where v is before u, and 0 where neither is.
type relations struct {
	pairs
	*memo
}

func newRelations(k *memo, n int) relations { return relations{pairs{n}, k} }

func (r relations) PartLen() int    { return r.len() }
func (r relations) FeatureLen() int { return r.len() }

func (r relations) Check(y []int32) error {
	mustLen("y", len(y), r.len())
	for i, v := range y {
		if v < -1 || v > 1 {
			return wrongPart(y, i, r.columnNames(), r.Format())
		}
	}
	return nil
}

// cells returns the pairs of items.
func (r relations) cells() Cells { return Cells{"order", r.n, itemPairs(r.n)} }

func (r relations) columnNames() Names { return r.names.ofCells(r.cells()) }

func (r relations) Format() string {
	return "a pair u < v has +1 where u is before v, −1 where v is before u, 0 where neither is"
}

// Read takes the signs of pairs, or a matrix by rows with 1 where the row's item is before the column's.
func (r relations) Read(dst []int32, row []float64) error { return r.read(dst, row, false) }

// read is Read for relations whose matrices may have a diagonal of ones.
func (r relations) read(dst []int32, row []float64, reflexive bool) error {
	if len(row) == r.len() {
		if i := wholeTo(dst, row); i >= 0 {
			return wrongNumber(row, i, r.columnNames(), r.Format())
		}
		return r.Check(dst)
	}
	item, diagonal := -1, 0 // the first that is before itself, and how many are
	for u := range r.n {
		for v := range r.n {
			x := row[u*r.n+v]
			if x != 0 && x != 1 {
				return fault.Value("found %s at %s; matrices hold booleans or 0/1", shownNumber(x), r.names.pair(u, v))
			}
			if u == v && x == 1 {
				if diagonal++; item < 0 {
					item = u
				}
			}
		}
	}
	if diagonal > 0 && (!reflexive || diagonal < r.n) {
		allowed := "False,"
		if reflexive {
			allowed = "all False, or all True,"
		}
		return fault.Value("item %s is before itself; the diagonal must be %s and does not count", r.names.of(item), allowed)
	}
	pair := 0
	for u := range r.n {
		for v := u + 1; v < r.n; v++ {
			before, behind := row[u*r.n+v], row[v*r.n+u]
			if before == 1 && behind == 1 {
				return fault.Value("items %s and %s are each before the other; set one of the two to False", r.names.of(u), r.names.of(v))
			}
			dst[pair] = int32(before - behind)
			pair++
		}
	}
	return nil
}

// facts are those of all such spaces. Rows have one number for each pair, or for each cell of a matrix of items by items. Expected signs
// alone decide: pre-images leave out every pair of which the data do not say much.
func (r relations) facts() Facts {
	return Facts{
		Layout: Layout{
			Format: r.Format(), Widths: []int{r.len(), r.n * r.n}, Cells: r.cells(), Entries: "signs and zeros",
			Costs: costsOfRelations,
		},
		Mirror:   r.mirror,
		Loss:     "squared",
		Decision: "score",
		Moves:    Moves{Gain: r.gain},
	}
}

func (r relations) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), r.len())
	mustLen("y", len(y), r.len())
	for i, v := range y {
		dst[i] = float64(v)
	}
}

// mirror reverses the relation.
func (r relations) mirror(dst, y []int32) {
	for i, v := range y {
		dst[i] = -v
	}
}

// Mean is 0: a relation and its reverse cancel.
func (r relations) Mean(dst []float64) {
	mustLen("dst", len(dst), r.len())
	clear(dst)
}

// independent writes the second moment of pairs that each take +1, −1 and 0 with probability 1/3, independently: 2/3 on
// the diagonal, 0 elsewhere.
func (r relations) independent(dst blas64.General) { r.fillTo(dst, 2.0/3, 0) }

// perPair writes the best value of every pair on its own to dst, and returns what they earn together: the most that any
// relation can. The larger of s+m and −s+m decides against 0; a pair that earns nothing is left out, and a pair with s = 0
// is put in ascending order.
func (r relations) perPair(dst []int32, score Scores) float64 {
	mustLen("dst", len(dst), r.len())
	mustScores(score, r.len())
	var total float64
	for i, s := range score.Linear {
		gain := math.Abs(s)
		if score.Magnitude != nil {
			gain += score.Magnitude[i]
		}
		switch {
		case !(gain > 0):
			dst[i] = 0
			continue
		case s >= 0:
			dst[i] = 1
		default:
			dst[i] = -1
		}
		total += gain
	}
	return total
}

// perPairWithin is perPair among the values that a mask allows to each pair, of which there is one at least.
func (r relations) perPairWithin(dst []int32, score Scores, mask pairMask) float64 {
	if mask == nil {
		return r.perPair(dst, score)
	}
	mustLen("dst", len(dst), r.len())
	mustScores(score, r.len())
	var value float64
	for i, allowed := range mask {
		s, m := score.Linear[i], score.magnitude(i)
		most := math.Inf(-1)
		if allowed&Zero != 0 {
			most, dst[i] = 0, 0
		}
		if allowed&Plus != 0 && m+s > most {
			most, dst[i] = m+s, 1
		}
		if allowed&Minus != 0 && m-s > most {
			most, dst[i] = m-s, -1
		}
		value += most
	}
	return value
}

// valueOf returns the score of a relation.
func (r relations) valueOf(y []int32, score Scores) float64 {
	var total float64
	for i, v := range y {
		if v == 0 {
			continue
		}
		total += float64(v) * score.Linear[i]
		if score.Magnitude != nil {
			total += score.Magnitude[i]
		}
	}
	return total
}

// before reports whether u is before v in the relation y.
func (r relations) before(y []int32, u, v int) bool {
	if u < v {
		return y[r.pair(u, v)] == 1
	}
	return y[r.pair(u, v)] == -1
}

// gain costs a comparison for each pair.
func (r relations) gain(z, y []int32, score Scores) (gain float64) {
	for i, v := range z {
		if v != y[i] {
			gain += float64(v-y[i])*score.Linear[i] + float64(v*v-y[i]*y[i])*score.magnitude(i)
		}
	}
	return gain
}

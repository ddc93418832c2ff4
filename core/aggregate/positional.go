package aggregate

import (
	"cmp"
	"math"
	"slices"

	"combpred/core/graph/assignment"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Borda returns the consensus of least total squared difference of positions, Σ_i w_i Σ_u (y_u − r_iu)²: the order of the mean
// positions. It is optimal. r_iu is the mean position of item u over all orders that agree with ranking i: tied items share the
// mean of their ranks, the r-th of m known items is at r(k + 1)/(m + 1), and unknown ones are at (k + 1)/2. Where items have the
// same mean position the one of smaller number is first.
//
// These are Borda's count and the generalised Spearman distance of Brinker and Hüllermeier (2007). Its Kendall distance is at
// most 5 times the least for rankings of all items without ties (Coppersmith, Fleischer and Rudra, 2010). Cost: O(n k log k).
func Borda(p *Profile, workers int, mon *parallel.Monitor) (*Consensus, error) {
	positions, err := meanPositions(p, workers, mon)
	if err != nil {
		return nil, err
	}
	means := p.weightedMeans(positions)
	y := make([]int32, p.Items())
	PositionsTo(y, argsort(len(y), func(u, v int32) int { return cmp.Compare(means[u], means[v]) }))
	middle := float64(p.Items()+1) / 2
	distances := rowDistances(positions, func(u int, x float64) float64 {
		if isUnknown(x) {
			x = middle
		}
		d := x - float64(y[u])
		return d * d
	})
	return p.positional(y, distances, nil, optimal, BordaCount), nil
}

// Footrule returns the consensus of least total absolute difference of positions, Σ_i w_i Σ_u |y_u − r_iu|, Spearman's footrule: an
// assignment of items to positions. It is optimal. r_iu is as in Borda; items count nothing in rankings where they are unknown.
//
// The Kendall distance of two rankings without ties is between half their footrule and all of it (Diaconis and Graham, 1977),
// so that the result has at most twice the least Kendall distance. Cost: O(n k log k + k³).
func Footrule(p *Profile, workers int, mon *parallel.Monitor) (*Consensus, error) {
	positions, err := meanPositions(p, workers, mon)
	if err != nil {
		return nil, err
	}
	k := p.Items()
	var w assignment.Workspace
	gain := w.Reset(k)
	err = parallel.For(k, 1, workers, mon, func(u, _ int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		p.footruleTo(gain[u*k:(u+1)*k], positions, u)
		return nil
	})
	if err != nil {
		return nil, err
	}
	y := make([]int32, k)
	if err := w.SolvePolled(y, mon.Err); err != nil {
		return nil, err
	}
	for u := range y {
		y[u]++
	}
	return p.positional(y, absolute(positions, y), nil, optimal, Assignment), nil
}

// footruleTo writes −Σ_i w_i |place − r_iu| for the places 1..k of item u: the sum is linear in the place between two positions, so
// that the weights of the positions above j − 1 and up to j, and their first moments, say all.
func (p *Profile) footruleTo(dst []float64, positions matrix, u int) {
	k := len(dst)
	weight, moment := make([]float64, k+1), make([]float64, k+1)
	var above, momentAbove float64 // of the positions that are larger
	for i := range positions.Rows {
		x := positions.Row(i)[u]
		if isUnknown(x) {
			continue
		}
		w := p.weight(i)
		j := int(math.Ceil(x)) // the least place that is not before it
		weight[j] += w
		moment[j] += w * x
		above += w
		momentAbove += w * x
	}
	var below, momentBelow float64
	for place := 1; place <= k; place++ {
		below += weight[place]
		momentBelow += moment[place]
		above -= weight[place]
		momentAbove -= moment[place]
		at := float64(place)
		dst[place-1] = -((float64(at*below) - momentBelow) + (momentAbove - float64(at*above)))
	}
}

// MedianRank returns the order of the median positions, an approximation of Footrule: at most twice the least distance for
// rankings of all items, three times with ties, no guarantee where items are unknown. The bound is the distance to the medians
// themselves. Of items with one median the one of smaller mean position is first.
//
// For every place t the items before it are t of those that most rankings have there, or all of these and more. Exchanging one
// of them for another costs at most the weight of all rankings, and the best t items miss at least half of that for each item
// that differs: at most twice the least for each t, and their sum is the footrule. With ties the triangle inequality gives 3:
// the order is the nearest one to the medians, and these are nearer to the rankings than any order is (Fagin, Kumar and
// Sivakumar, 2003; Fagin et al., 2006). Cost: O(n k log(n k)).
func MedianRank(p *Profile, workers int, mon *parallel.Monitor) (*Consensus, error) {
	positions, err := meanPositions(p, workers, mon)
	if err != nil {
		return nil, err
	}
	k := p.Items()
	medians := make([]float64, k)
	err = parallel.For(k, 1, workers, mon, func(u, _ int) error {
		medians[u] = p.weightedMedian(positions, u)
		return mon.Err()
	})
	if err != nil {
		return nil, err
	}
	means := p.weightedMeans(positions)
	y := make([]int32, k)
	PositionsTo(y, argsort(k, func(u, v int32) int {
		return cmp.Or(cmp.Compare(medians[u], medians[v]), cmp.Compare(means[u], means[v]))
	}))
	var bound float64
	for i, d := range absolute(positions, medians) {
		bound += p.weight(i) * d
	}
	guarantee := Guarantee{Ratio: 2, Reason: "Fagin, Kumar and Sivakumar (2003)"}
	switch {
	case !p.complete():
		guarantee = Guarantee{Reason: "where items are unknown, places are not filled alike in all rankings"}
	case !p.strict():
		guarantee = Guarantee{Ratio: 3, Reason: "the triangle inequality, as the medians are nearest to the rankings"}
	}
	return p.positional(y, absolute(positions, y), &bound, guarantee, MedianRanks), nil
}

// positional returns a consensus, given the distances of the rankings and a bound; nil: it is optimal.
func (p *Profile) positional(y []int32, distances []float64, bound *float64, g Guarantee, m Method) *Consensus {
	c := &Consensus{Positions: y, Guarantee: g, Method: m, StandardError: p.standardError(distances)}
	for i, d := range distances {
		c.Distance += p.weight(i) * d
	}
	c.LowerBound = c.Distance
	if bound != nil {
		c.LowerBound = *bound
	}
	k := float64(p.Items())
	return c.conclude(k * k * p.total())
}

// meanPositions returns the mean position of every item over all orders of the k items that agree with a ranking, NaN where it is
// unknown. Cost: O(n k log k).
func meanPositions(p *Profile, workers int, mon *parallel.Monitor) (matrix, error) {
	n, k := p.Ranks.Rows, p.Items()
	positions := linalg.NewMatrix[float64](n, k)
	err := parallel.For(n, rowsAtOnce, workers, mon, func(lo, hi int) error {
		var coder coder
		codes, order := make([]int32, k), make([]int32, 0, k)
		for i := lo; i < hi; i++ {
			coder.codesTo(codes, p.Ranks.Row(i), nil)
			row := positions.Row(i)
			order = order[:0]
			for u, code := range codes {
				if code < 0 {
					row[u] = math.NaN()
				} else {
					order = append(order, int32(u))
				}
			}
			slices.SortFunc(order, func(u, v int32) int { return cmp.Compare(codes[u], codes[v]) })
			scale := float64(k+1) / float64(len(order)+1)
			for first := 0; first < len(order); {
				last := first + 1
				for last < len(order) && codes[order[last]] == codes[order[first]] {
					last++
				}
				for _, u := range order[first:last] {
					row[u] = float64(first+1+last) / 2 * scale
				}
				first = last
			}
		}
		return nil
	})
	return positions, err
}

// weightedMeans returns the weighted sums of the positions of every item, in the middle where it is unknown.
func (p *Profile) weightedMeans(positions matrix) []float64 {
	sums := make([]float64, positions.Cols)
	middle := float64(positions.Cols+1) / 2
	for i := range positions.Rows {
		w := p.weight(i)
		for u, x := range positions.Row(i) {
			if isUnknown(x) {
				x = middle
			}
			sums[u] += w * x
		}
	}
	return sums
}

// weightedMedian returns the least position of item u such that half of the weight of the rankings that know it is not above it,
// the middle if none does.
func (p *Profile) weightedMedian(positions matrix, u int) float64 {
	var known []int32
	for i := range positions.Rows {
		if p.weight(i) > 0 && !isUnknown(positions.Row(i)[u]) {
			known = append(known, int32(i))
		}
	}
	if len(known) == 0 {
		return float64(positions.Cols+1) / 2
	}
	at := func(i int32) float64 { return positions.Row(int(i))[u] }
	slices.SortFunc(known, func(i, j int32) int { return cmp.Or(cmp.Compare(at(i), at(j)), cmp.Compare(i, j)) })
	var total, reached float64
	for _, i := range known {
		total += p.weight(int(i))
	}
	for _, i := range known {
		if reached += p.weight(int(i)); reached >= total/2 {
			return at(i)
		}
	}
	panic("aggregate: half of a sum is more than the sum")
}

// absolute returns the sums of the absolute differences of each row's known positions to y.
func absolute[T int32 | float64](positions matrix, y []T) []float64 {
	return rowDistances(positions, func(u int, x float64) float64 {
		if isUnknown(x) {
			return 0
		}
		return math.Abs(x - float64(y[u]))
	})
}

// rowDistances returns the sum of the distances of the entries of each row.
func rowDistances(positions matrix, distance func(u int, x float64) float64) []float64 {
	distances := make([]float64, positions.Rows)
	for i := range distances {
		for u, x := range positions.Row(i) {
			distances[i] += distance(u, x)
		}
	}
	return distances
}

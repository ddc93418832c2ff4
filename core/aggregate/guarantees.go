package aggregate

// The sources of guarantees.
const (
	zuylen   = "van Zuylen and Williamson (2009)"
	acn      = "Ailon, Charikar and Newman (2008)"
	ailon    = "Ailon (2010)"
	metric   = "the triangle inequality of the distance: a random ranking is at most twice as far as the best consensus"
	broken   = "Ailon (2010): ties of a ranking broken by others"
	triangle = ", as the pairwise counts satisfy the triangle inequality"
)

var optimal = Guarantee{Ratio: 1, Reason: "proven optimal"}

// kind says what is known of rankings whose pairs are weighed.
type kind int

const (
	noKind         kind = iota // nothing
	strictKind                 // they rank all items without ties
	tiesKind                   // they rank all items
	triangularKind             // the weights of pairs satisfy the triangle inequality
)

var orderGuarantees = map[kind]map[Method]Guarantee{
	strictKind: {
		Pivot:       {8.0 / 5, false, zuylen},
		RandomPivot: {11.0 / 7, true, acn},
		LP:          {4.0 / 3, false, acn + ", by conditional expectations"},
		LocalSearch: {2, false, metric},
		BestInput:   {2, false, metric},
	},
	tiesKind: {
		Pivot:       {8.0 / 5, false, zuylen},
		RandomPivot: {8.0 / 5, true, "the analysis of " + zuylen + ", which bounds the mean over pivots"},
		LP:          {3.0 / 2, false, ailon + ", by conditional expectations"},
		LocalSearch: {2, false, broken},
		BestInput:   {2, false, broken},
	},
	triangularKind: {
		Pivot:       {2, false, zuylen + triangle},
		RandomPivot: {2, true, acn + triangle},
		LP:          {3.0 / 2, false, ailon + triangle},
	},
}

// kindOf returns the kind of rankings, or of weights of pairs alone where p is nil. Cost: O(n k log k), and O(k³) for the
// triangle inequality w_uv ≤ w_ux + w_xv.
func kindOf(p *Profile, before matrix, poll func() error) (kind, error) {
	if p != nil && p.complete() {
		if p.strict() {
			return strictKind, nil
		}
		return tiesKind, nil
	}
	var slack float64
	for u := range before.Rows {
		for _, w := range before.Row(u) {
			slack = max(slack, roundingError*w)
		}
	}
	for u := range before.Rows {
		if err := poll(); err != nil {
			return noKind, err
		}
		row := before.Row(u)
		for x, first := range row {
			for v, second := range before.Row(x) {
				if row[v] > first+second+slack {
					return noKind, nil
				}
			}
		}
	}
	return triangularKind, nil
}

// orderGuarantee returns what a method for total orders guarantees.
func orderGuarantee(m Method, k kind) Guarantee {
	if found, ok := orderGuarantees[k][m]; ok {
		return found
	}
	if k == noKind {
		return Guarantee{Reason: "the pairwise counts violate the triangle inequality, as those of rankings with unknown items " +
			"may: then no method with a constant ratio is known"}
	}
	return Guarantee{Reason: "a search without rankings of all items to begin with guarantees nothing"}
}

// relationGuarantee returns what the best ranking guarantees against consensuses with ties or unrelated items.
func relationGuarantee(complete bool, penalty float64) Guarantee {
	switch {
	case !complete:
		return Guarantee{Reason: "pairs with unknown items do not count, so that the distance is no metric"}
	case penalty == 0:
		return Guarantee{Reason: "with penalty=0 the distance is no metric: leaving all items apart is free"}
	case penalty >= 0.5:
		return Guarantee{Ratio: 2, Reason: metric}
	}
	return Guarantee{Ratio: 1 / penalty, Reason: metric + ", up to the factor between penalty and 1/2"}
}

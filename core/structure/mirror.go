package structure

// mirrorNu returns a ratio ν with value ≥ (1−ν)·max + ν·min over the space, for a space in which every output y has a
// mirror image y′: their scores f(y) and f(y′) have opposite linear parts and the same rest. bound is at least the
// largest score, low the score of any output, and level at least ½(f(y) + f(y′)) for all y.
//
// Two arguments, of which the better one counts. As max ≤ bound and min ≤ low, the ratio (bound − value)/(bound − low) will
// do. And min is at most the score of the mirror image of the best output, which is at most 2·level − max. So where value ≥
// level, the ratio (bound − value)/(2(bound − level)) will do as well, which is at most ½: it is the guarantee of sibling
// systems (Gärtner and Vembu, 2009), for which all outputs are at one level.
func mirrorNu(value, bound, low, level float64) float64 {
	gap := bound - value
	if !(gap > 0) {
		return 0
	}
	nu := 1.0
	if low < value {
		nu = gap / (bound - low)
	}
	if value >= level {
		nu = min(nu, gap/(2*(bound-level)))
	}
	return nu
}

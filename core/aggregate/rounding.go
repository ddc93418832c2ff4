package aggregate

import (
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// Round returns an order of cost at most 4/3, or 3/2, of that of the linear relaxation, given an optimum of the relaxation: how
// far u is before v, adding up to 1 with how far v is before u; the diagonal 0.
//
// withInputs says whether the rankings have no ties, and the better of this order and the best of them will be used: 4/3.
// Otherwise less is taken for granted, only the triangle inequality of the weights: 3/2.
//
// Ailon, Charikar and Newman put every item before a random pivot with probability x, independently, and go on within both
// parts. Let e be the cost of a pair's order, c that in a random ranking and l that of x. Without ties the mean of 2/3 e +
// 1/3 c − 4/3 l over the pairs that a pivot decides is not positive; with ties this holds for e − 3/2 l if x is first
// stretched about ½ by 3/2 and cut off at 0 and 1 (Ailon, 2010). Here nothing is random: the pivot of least mean is taken, and
// then its side is chosen for one item after the other, so that the mean never grows. Cost: O(m³) for each pivot among m items.
func Round(relaxed, before linalg.Matrix[float64], withInputs bool, workers int, mon *parallel.Monitor) ([]int32, error) {
	share, bound := 1.0, 1.5
	if withInputs {
		share, bound = 2.0/3, 4.0/3
	}
	k := before.Rows
	r := &rounding{chance: linalg.NewMatrix[float64](k, k), excess: linalg.NewMatrix[float64](k, k), workers: workers, mon: mon}
	for u := range k {
		for v := range k {
			if u == v {
				continue
			}
			x, y := relaxed.Row(u)[v], relaxed.Row(v)[u]
			a, b := before.Row(u)[v], before.Row(v)[u]
			fractional := float64(x*b) + float64(y*a)
			r.excess.Row(u)[v] = float64(share*b) + float64((1-share)*sharedCost(a, b)) - float64(bound*fractional)
			if !withInputs {
				x = min(max((x-leastRounded)/(mostRounded-leastRounded), 0), 1)
			}
			r.chance.Row(u)[v] = x
		}
	}
	order := make([]int32, 0, k)
	stack := [][]int32{ascending(k)}
	for len(stack) > 0 {
		items := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(items) < 2 {
			order = append(order, items...)
			continue
		}
		first, pivot, last, err := r.split(items)
		if err != nil {
			return nil, err
		}
		stack = append(stack, last, []int32{pivot}, first)
	}
	return order, nil
}

// Values of the relaxation that are rounded to 0 and to 1 where rankings have ties.
const (
	leastRounded = 1.0 / 6
	mostRounded  = 5.0 / 6
)

// rounding holds the probabilities with which an item is put before a pivot, and what each order of a pair costs beyond the
// bound.
type rounding struct {
	chance, excess matrix
	workers        int
	mon            *parallel.Monitor
}

// split returns a pivot and what goes before it and behind it.
func (r *rounding) split(items []int32) (first []int32, pivot int32, last []int32, err error) {
	chance, excess := submatrix(r.chance, items), submatrix(r.excess, items)
	m := len(items)
	means := make([]float64, m)
	err = parallel.For(m, 1, r.workers, r.mon, func(p, _ int) error {
		means[p] = meanOfPivot(chance, excess, p)
		return nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	p := 0
	for i, mean := range means {
		if mean < means[p] {
			p = i
		}
	}
	before, behind := make([]float64, m), make([]float64, m) // chances of each side of the pivot
	for i := range m {
		before[i], behind[i] = chance.Row(i)[p], chance.Row(p)[i]
	}
	for i := range m {
		if i == p {
			continue
		}
		asFirst, asLast := excess.Row(i)[p], excess.Row(p)[i]
		for j, x := range excess.Row(i) {
			asFirst += x * behind[j]
			asLast += before[j] * excess.Row(j)[i]
		}
		before[i], behind[i] = 0, 1
		if asFirst < asLast || asFirst == asLast && chance.Row(i)[p] >= 0.5 {
			before[i], behind[i] = 1, 0
		}
	}
	for i, u := range items {
		switch {
		case i == p:
		case before[i] > 0.5:
			first = append(first, u)
		default:
			last = append(last, u)
		}
	}
	return first, items[p], last, nil
}

// meanOfPivot returns the mean of what the pairs that a pivot decides cost beyond the bound. Most chances are 0 or 1: rows of 0
// are left out.
func meanOfPivot(chance, excess matrix, p int) (mean float64) {
	m := chance.Rows
	sums := make([]float64, m)
	for i := range m {
		c := chance.Row(i)[p]
		mean += c*excess.Row(i)[p] + chance.Row(p)[i]*excess.Row(p)[i]
		if c != 0 {
			linalg.Axpy(sums, excess.Row(i), c)
		}
	}
	return mean + linalg.Dot(sums, chance.Row(p))
}

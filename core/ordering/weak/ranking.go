package weak

import "slices"

// ranking is a ranking with ties of the items of one component: the items by place, and the ends of the places.
type ranking struct {
	items []int32
	ends  []int32
	value float64
}

func (r *ranking) set(from *ranking) {
	r.items = append(r.items[:0], from.items...)
	r.ends = append(r.ends[:0], from.ends...)
	r.value = from.value
}

// blockLen returns the number of items on place j.
func blockLen(ends []int32, j int) int {
	if j == 0 {
		return int(ends[0])
	}
	return int(ends[j] - ends[j-1])
}

// place takes the item at position at, in block own, to block to, or to a new block after it.
func (r *ranking) place(at, own int, alone bool, to int, join bool) {
	u := r.items[at]
	r.items = slices.Delete(r.items, at, at+1)
	for j := own; j < len(r.ends); j++ {
		r.ends[j]--
	}
	target := 0
	if to >= 0 {
		target = int(r.ends[to])
	}
	r.items = slices.Insert(r.items, target, u)
	if !join {
		to++
		r.ends = slices.Insert(r.ends, to, int32(target))
	}
	for j := to; j < len(r.ends); j++ {
		r.ends[j]++
	}
	if alone {
		if !join && to <= own {
			own++
		}
		r.ends = slices.Delete(r.ends, own, own+1)
	}
}

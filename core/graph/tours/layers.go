package tours

import (
	"math"
	"slices"

	"combpred/core/slicex"
)

// mostStates is the largest table of layers: 16 MiB, and some tenths of a second.
const mostStates = 1 << 21

// layers is the table of a problem with many nodes of which tours visit few. The sets of k nodes are numbered in
// colexicographic order: {p_0 < … < p_{k−1}} is number Σ_i C(p_i, i+1). Set number r holds the entries first[k] + r·k + j,
// what a path through it costs, at least, that ends in p_j. With m nodes of which at most k are visited there are
// Σ_{i≤k} C(m,i)·i entries, each reached from at most k−1 others.
type layers struct {
	table   []float64
	first   []int
	most    int   // nodes of a set
	choose  []int // choose[p*(most+1)+i] = C(p, i)
	set     []int32
	rankOff []int // scratch: number of the set without its j-th node
}

// end is where a path leaves the nodes behind the root: the set it has visited, and which of them is the last.
type end struct {
	set  []int32
	last int
}

// mostNodes returns how many of the nodes behind the root a tour visits at most, and whether there can be a tour.
func (r *rooted) mostNodes() (most int, possible bool) {
	most = r.most - r.required // nodes that need not be visited are single vertices
	if most < 0 {
		return 0, false
	}
	for _, x := range r.free {
		if node := &r.plan.nodes[x]; node.required && (node.rival < 0 || node.rival > x) {
			most++
		}
	}
	return min(most, len(r.free)), true
}

// fits returns a *StatesError unless there is room for the tables of the first root, which has the most nodes behind it.
func (p *plan) fits(r *rooted) error {
	r.begin(p, p.roots[0])
	if len(r.free) <= MostNodes {
		return nil
	}
	most, _ := r.mostNodes()
	_, err := layerSizes(nil, len(r.free), most)
	return err
}

// layerSizes sets where in the table the sets of each number of nodes begin, and returns the size of the table, or a
// *StatesError where that is too large. first may be nil.
func layerSizes(first []int, m, most int) (total int, err error) {
	sets := 1.0 // C(m, k), exact where it matters
	for k := 1; k <= most; k++ {
		sets = math.Round(sets * float64(m-k+1) / float64(k))
		if first != nil {
			first[k] = total
		}
		if states := sets * float64(k); states > mostStates-float64(total) {
			return 0, &StatesError{Free: m}
		}
		total += int(sets) * k
	}
	return total, nil
}

// begin sizes the table for m nodes, of which sets have at most so many.
func (y *layers) begin(m, most int) {
	y.most = most
	y.first = slicex.Grow(y.first, most+1)
	total, err := layerSizes(y.first, m, most)
	if err != nil {
		panic(err) // the first root was checked
	}
	y.table = slicex.Grow(y.table, total)
	y.set, y.rankOff = slicex.Grow(y.set, most), slicex.Grow(y.rankOff, most)
	y.choose = slicex.Grow(y.choose, (m+1)*(most+1))
	for v := range m + 1 {
		row := y.choose[v*(most+1) : (v+1)*(most+1)]
		clear(row)
		row[0] = 1
		if v > 0 {
			above := y.choose[(v-1)*(most+1):]
			for i := 1; i <= min(v, most); i++ {
				row[i] = above[i-1] + above[i]
			}
		}
	}
}

// solveLayers is tabulate by layers.
func (w *Workspace) solveLayers() (least float64, best end) {
	r, y := &w.rooted, &w.layers
	least = math.Inf(1)
	if r.directIsAdmitted {
		least = r.direct
	}
	most, possible := r.mostNodes()
	if !possible {
		return least, best
	}
	y.begin(len(r.free), most)
	for k := 1; k <= most; k++ {
		set := y.set[:k]
		for i := range set {
			set[i] = int32(i)
		}
		at := y.first[k]
		for more := true; more; more = nextSet(set, len(r.free)) {
			if size, missing, barred := r.weigh(set); !barred {
				entry := y.table[at : at+k]
				y.extend(entry, set, r)
				if missing == 0 && size >= r.least && size <= r.most {
					for j, v := range set {
						if value := entry[j] + r.closing[v]; value < least {
							least, best = value, end{append(best.set[:0], set...), j}
						}
					}
				}
			}
			at += k
		}
	}
	return least, best
}

// weigh returns the number of vertices in a set, how many are missing that must be visited, and whether no tour begins by
// visiting the set.
func (r *rooted) weigh(set []int32) (size, missing int, barred bool) {
	missing = r.required
	for i, v := range set {
		node := &r.plan.nodes[r.free[v]]
		size += len(node.path)
		if node.required {
			missing -= len(node.path)
		}
		if node.rival >= 0 && i > 0 && r.free[set[i-1]] == node.rival { // rivals are neighbours in the plan
			barred = true
		}
	}
	return size, missing, barred || size+missing > r.most
}

// nextSet replaces a set by the next one of its size in colexicographic order, and reports whether there is one.
func nextSet(set []int32, m int) bool {
	for i := range set {
		if i+1 < len(set) && set[i]+1 < set[i+1] || i+1 == len(set) && int(set[i])+1 < m {
			set[i]++
			for j := range i {
				set[j] = int32(j)
			}
			return true
		}
	}
	return false
}

// extend writes what paths through a set cost, at least, for each of its nodes as the last.
func (y *layers) extend(entry []float64, set []int32, r *rooted) {
	if len(set) == 1 {
		entry[0] = r.open[set[0]]
		return
	}
	y.ranks(set)
	for j := range set {
		entry[j], _ = y.reach(set, j, r)
	}
}

// ranks fills rankOff with the numbers of the set without each of its nodes in turn.
func (y *layers) ranks(set []int32) {
	width := y.most + 1
	rank := 0
	for i, v := range set[1:] {
		rank += y.choose[int(v)*width+i+1]
	}
	for j := range set {
		y.rankOff[j] = rank
		if j+1 < len(set) {
			rank += y.choose[int(set[j])*width+j+1] - y.choose[int(set[j+1])*width+j+1]
		}
	}
}

// reach returns what a path through a set costs, at least, that ends in its j-th node, and which is the last one before, by
// its place in the set without the j-th. rankOff must be that of the set.
func (y *layers) reach(set []int32, j int, r *rooted) (least float64, before int) {
	k := len(set)
	from := y.table[y.first[k-1]+y.rankOff[j]*(k-1):][:k-1]
	into := r.into[int(set[j])*r.m : (int(set[j])+1)*r.m]
	least = math.Inf(1)
	for i, e := range from[:j] {
		if e += into[set[i]]; e < least {
			least, before = e, i
		}
	}
	for i, e := range from[j:] {
		if e += into[set[j+i+1]]; e < least {
			least, before = e, j+i
		}
	}
	return least, before
}

// unwindLayers writes the tour whose path ends as given, and returns its length.
func (w *Workspace) unwindLayers(tour []int32, at end) int {
	r := &w.rooted
	set, j := at.set, at.last
	order := make([]int32, len(set))
	for k := len(set); k > 0; k-- {
		order[k-1] = r.free[set[j]]
		if k > 1 {
			w.layers.ranks(set)
			_, before := w.layers.reach(set, j, r)
			set = slices.Delete(set, j, j+1)
			j = before
		}
	}
	length := copy(tour, w.plan.nodes[r.root].path)
	for _, x := range order {
		length += copy(tour[length:], w.plan.nodes[x].path)
	}
	return length
}

package tours

import (
	"fmt"

	"combpred/core/fault"
)

// What a Mask says of an arc or a vertex.
const (
	Never  int8 = -1 // no tour uses it
	Free   int8 = 0
	Always int8 = 1 // every tour uses it
	// EitherWay is about an arc: every tour uses it or its reverse. It suffices to say so of one of the two.
	EitherWay int8 = 2
)

// Mask restricts the tours of a problem. The zero value admits all of them.
type Mask struct {
	// Arcs has an entry for each arc, n×n by rows; nil stands for Free everywhere. The diagonal is never read. Where a
	// route starts and ends is said of the arcs from and to the depot.
	Arcs []int8
	// Vertices has an entry for each vertex: Never, Free or Always; nil stands for Free everywhere.
	Vertices []int8
	// Least and Most bound the number of vertices that a tour visits, the depot among them. A Most of 0 is no bound.
	Least, Most int
}

// ErrNone says that no tour is within the mask.
var ErrNone = fault.Value("the mask leaves no tour")

// ErrNotFound says that local search has found no tour within the mask. There may be one.
var ErrNotFound = fault.Value("no tour within the mask is found")

// StatesError says that the tours within a mask are too many for exact solution.
type StatesError struct{ Free int }

func (e *StatesError) Error() string {
	return fmt.Sprintf("tours: the sets of %d vertices are too many for exact solution", e.Free)
}

func (k *Mask) arc(u, v int32, n int) int8 {
	if k == nil || k.Arcs == nil {
		return Free
	}
	return k.Arcs[int(u)*n+int(v)]
}

func (k *Mask) vertex(v int32) int8 {
	if k == nil || k.Vertices == nil {
		return Free
	}
	return k.Vertices[v]
}

// linked reports whether every tour has u and v as neighbours.
func (k *Mask) linked(u, v int32, n int) bool { return k.arc(u, v, n) > 0 || k.arc(v, u, n) > 0 }

// passes reports whether a tour that has u and v as neighbours, because it must, may go from u to v.
func (k *Mask) passes(u, v int32, n int) bool {
	return k.arc(u, v, n) != Never && k.arc(v, u, n) != Always
}

// limits returns how many of n vertices a tour may visit, at least and at most.
func (k *Mask) limits(n int) (least, most int) {
	if k == nil {
		return leastVisits, n
	}
	least, most = max(leastVisits, k.Least), n
	if k.Most > 0 {
		most = min(n, k.Most)
	}
	return least, most
}

// check panics unless a mask fits a problem of n vertices.
func (k *Mask) check(n int) {
	if k == nil {
		return
	}
	if k.Arcs != nil && len(k.Arcs) != n*n || k.Vertices != nil && len(k.Vertices) != n {
		panic(fmt.Sprintf("tours: a mask with %d arcs and %d vertices, the problem has %d vertices", len(k.Arcs), len(k.Vertices), n))
	}
}

// admits reports whether a tour of n vertices is within the mask.
func (k *Mask) admits(tour []int32, n int) bool {
	if k == nil {
		return true
	}
	if least, most := k.limits(n); len(tour) < least || len(tour) > most {
		return false
	}
	at := make([]int, n) // places in the tour, from 1 on
	for i, v := range tour {
		at[v] = i + 1
	}
	for v, i := range at {
		if s := k.vertex(int32(v)); s == Never && i > 0 || s == Always && i == 0 {
			return false
		}
	}
	if k.Arcs == nil {
		return true
	}
	used := func(u, v int) bool { return at[u] > 0 && int(tour[next(at[u]-1, len(tour))]) == v }
	for u := range n {
		for v := range n {
			if u == v {
				continue
			}
			switch s := k.Arcs[u*n+v]; {
			case s == Never && used(u, v), s == Always && !used(u, v), s == EitherWay && !used(u, v) && !used(v, u):
				return false
			}
		}
	}
	return true
}

// Extent says how much there is to tabulate for a problem.
type Extent struct {
	Nodes     int  // behind the first root; Sum and Count fill tables over all sets of them
	Summable  bool // Sum and Count have room for these
	Decodable bool // Exact has room for its tables
}

// ExtentOf returns the extent of a problem of n vertices within a mask, or ErrNone if it sees at once that the mask leaves no tour.
// Cost: O(n²).
func ExtentOf(n int, anchored bool, mask *Mask) (Extent, error) {
	mask.check(n)
	var p plan
	if err := p.arrange(n, anchored, mask); err != nil {
		return Extent{}, err
	}
	var r rooted
	decodable := p.fits(&r) == nil
	if mask == nil {
		return Extent{n - 1, n <= MaxVertices, n <= MaxVertices}, nil
	}
	return Extent{len(r.free), len(r.free) <= MostNodes, decodable}, nil
}

package tours

import (
	"fmt"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

// MaxVertices is the largest number of vertices that Exact takes: its table has 16·2^16 entries then.
const MaxVertices = 17

// leastVisits is the smallest number of vertices in a tour.
const leastVisits = 3

// SizeError says that a problem has too many vertices to be solved exactly.
type SizeError struct{ Size int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("%d vertices are beyond the limit of exact solution, %d", e.Size, MaxVertices)
}

// Workspace holds one problem and the scratch to solve it, kept from one problem to the next. The zero value is ready
// for use. It is not safe for concurrent use.
type Workspace struct {
	n        int
	anchored bool
	gain     []float64 // n×n by rows

	mask     *Mask
	arranged bool // plan is that of the problem and its mask, or none says that there is none
	plan     plan
	none     error

	rooted rooted    // the root at hand
	worth  []float64 // what going between nodes costs
	table  []float64 // see tabulate
	layers layers    // see solveLayers

	ring              []int32 // the tour that local search works on
	idle              []int32 // the vertices that it does not visit
	spare             []int32
	forward, backward []float64 // sums of gains along the ring, and along its reverse
	rules             rules     // of the mask, as local search keeps to them
	unpenalised       []float64 // the gains, while Search steers by others
	threshold         float64   // smallest improvement worth a move
	potential         []float64 // scratch of Bound
	poll              parallel.Poll
}

// Reset begins a problem with n vertices, at least 3, and returns its n×n matrix of gains by rows, for the caller to
// fill with finite numbers. The diagonal is never read. In an anchored problem every tour visits vertex 0. There is no mask.
func (w *Workspace) Reset(n int, anchored bool) []float64 {
	if n < leastVisits {
		panic(fmt.Sprintf("tours: %d vertices make no tour", n))
	}
	if w.mask != nil || w.n != n || w.anchored != anchored {
		w.arranged = false
	}
	w.n, w.anchored, w.mask = n, anchored, nil
	w.gain = slicex.Grow(w.gain, n*n)
	return w.gain
}

// Restrict restricts the problem to the tours within a mask, until the next Reset; nil lifts the restriction. The mask, which
// is not copied, must fit the number of vertices.
func (w *Workspace) Restrict(mask *Mask) {
	mask.check(w.n)
	w.mask, w.arranged = mask, false
}

// Value returns what a tour earns.
func (w *Workspace) Value(tour []int32) float64 {
	var sum float64
	for i, u := range tour {
		sum += w.at(u, tour[next(i, len(tour))])
	}
	return sum
}

func (w *Workspace) at(u, v int32) float64 { return w.gain[int(u)*w.n+int(v)] }

// next returns the place behind place i in a ring of k.
func next(i, k int) int {
	if i++; i == k {
		return 0
	}
	return i
}

// checkTour panics unless the caller's buffer holds any tour.
func (w *Workspace) checkTour(tour []int32) {
	if len(tour) < w.n {
		panic(fmt.Sprintf("tours: the buffer of a tour has length %d, want at least %d", len(tour), w.n))
	}
}

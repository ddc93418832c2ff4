package tours

import (
	"fmt"

	"combpred/core/parallel"
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

	table               []float64 // see tabulate
	into, open, closing []float64 // gains between the vertices that a table is about, and to and from its root

	ring              []int32 // the tour that local search works on
	idle              []int32 // the vertices that it does not visit
	spare             []int32
	forward, backward []float64 // sums of gains along the ring, and along its reverse
	paths             paths     // see ExactWithin
	rules             *Rules    // those that local search keeps to; nil: none
	unpenalised       []float64 // the gains, while SearchWithin changes them
	threshold         float64   // smallest improvement worth a move
	potential         []float64 // scratch of Bound
	poll              parallel.Poll
}

// Reset begins a problem with n vertices, at least 3, and returns its n×n matrix of gains by rows, for the caller to
// fill with finite numbers. The diagonal is never read. In an anchored problem every tour visits vertex 0.
func (w *Workspace) Reset(n int, anchored bool) []float64 {
	if n < leastVisits {
		panic(fmt.Sprintf("tours: %d vertices make no tour", n))
	}
	w.n, w.anchored = n, anchored
	w.gain = grow(w.gain, n*n)
	return w.gain
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

// grow returns a slice of length n, in the memory of s where that suffices. Its contents are unspecified.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Package slicex has what package slices lacks.
package slicex

// Grow returns a slice of length n, in the memory of s where that suffices. Its contents are unspecified: unlike slices.Grow, it copies
// nothing.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

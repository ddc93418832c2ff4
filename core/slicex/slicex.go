// Package slicex has what packages slices and maps lack.
package slicex

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Grow returns a slice of length n, in the memory of s where that suffices. Its contents are unspecified: unlike slices.Grow, it copies
// nothing.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// InOrder returns an iterator over the entries of a map in the order of its keys. Tests go through their cases in it: Go's own order
// differs from run to run, and with it the random numbers that a case draws.
func InOrder[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

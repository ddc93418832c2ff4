package slicex

import "testing"

func TestGrow(t *testing.T) {
	s := make([]int, 2, 5)
	if g := Grow(s, 5); len(g) != 5 || &g[0] != &s[0] {
		t.Error("memory that suffices is not taken")
	}
	if g := Grow(s, 6); len(g) != 6 || &g[0] == &s[0] {
		t.Error("a slice does not grow")
	}
	if g := Grow[int](nil, 0); len(g) != 0 {
		t.Error("nothing is not nothing")
	}
}

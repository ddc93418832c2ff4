package structuretest

import (
	"math/rand/v2"
	"slices"
	"sync"

	"combpred/core/structure"
)

// RandomConditions draws conditions by the keys of a structure, which are legal one by one but may contradict each other. Counts may be
// too small for any output.
func RandomConditions(spec structure.Spec, args structure.Args, space structure.Space, rng *rand.Rand) (all []structure.Condition) {
	n, ends := space.PartLen(), endsOf(spec.Name, args, space)
	if spec.Name == "hierarchy" {
		n = space.FeatureLen()
	}
	pair := func() (int, int) {
		if len(ends) > 0 {
			e := ends[rng.IntN(len(ends))]
			return e[0], e[1]
		}
		u, v := rng.IntN(n), rng.IntN(n)
		for u == v && spec.Name != "assignments" {
			u, v = rng.IntN(n), rng.IntN(n)
		}
		return u, v
	}
	add := func(k structure.Key, u, v int) { all = append(all, structure.Condition{Key: k, U: u, V: v}) }
	for _, t := range spec.Conditions {
		if rng.IntN(2) == 0 {
			continue
		}
		switch t.Form {
		case structure.One:
			for range 1 + rng.IntN(8)/7 {
				add(t.Key, rng.IntN(n), structure.Alone)
			}
		case structure.Count:
			if least := rng.IntN(n + 1); rng.IntN(2) == 0 {
				add(t.Key, least, structure.Alone)
			} else {
				add(t.Key, least, least+rng.IntN(n+1-least))
			}
		}
		if t.Form == structure.List || t.Form == structure.Mixed {
			for range rng.IntN(3) {
				add(t.Key, rng.IntN(n), structure.Alone)
			}
		}
		if (t.Form == structure.Pairs || t.Form == structure.Mixed) && (n > 1 || len(ends) > 0 || spec.Name == "assignments") {
			for range rng.IntN(3) {
				u, v := pair()
				add(t.Key, u, v)
			}
		}
	}
	return all
}

// endsOf returns the edges or arcs that outputs are made of, none where they are made of something else.
func endsOf(name string, args structure.Args, space structure.Space) (ends [][2]int) {
	switch name {
	case "paths":
		for i := range args.Scalars["arcs"] {
			ends = append(ends, [2]int{int(args.Ints[2*i]), int(args.Ints[2*i+1])})
		}
	case "graphs", "spanningtrees":
		for u, v := range space.Facts().Cells.At {
			ends = append(ends, [2]int{u, v})
		}
	}
	return ends
}

// Satisfies reports whether an output satisfies conditions, as their keys are defined. Cycles may be listed from any vertex on. Where a key
// of a single number holds two, none does, as these are refused.
func Satisfies(name string, args structure.Args, space structure.Space, y []int32, conditions []structure.Condition) bool {
	if twice(name, conditions) {
		return false
	}
	for _, listing := range listingsOf(name, y) {
		if !slices.ContainsFunc(conditions, func(c structure.Condition) bool { return !satisfies(name, args, space, listing, c) }) {
			return true
		}
	}
	return false
}

// keyOf is a key of a structure.
type keyOf struct {
	structure string
	key       structure.Key
}

// single are the keys that take one number.
var single = sync.OnceValue(func() map[keyOf]bool {
	all := map[keyOf]bool{}
	for _, spec := range structure.Catalogue() {
		for _, t := range spec.Conditions {
			all[keyOf{spec.Name, t.Key}] = t.Form == structure.One
		}
	}
	return all
})

// twice reports whether a key that takes one number holds two.
func twice(name string, conditions []structure.Condition) bool {
	for i, c := range conditions {
		other := func(o structure.Condition) bool { return o.Key == c.Key && o.U != c.U }
		if slices.ContainsFunc(conditions[:i], other) && single()[keyOf{name, c.Key}] {
			return true
		}
	}
	return false
}

// listingsOf returns the ways to list an output.
func listingsOf(name string, y []int32) [][]int32 {
	if name != "cycles" && name != "directedcycles" {
		return [][]int32{y}
	}
	cycle := slices.DeleteFunc(slices.Clone(y), func(v int32) bool { return v < 0 })
	var all [][]int32
	for i := range cycle {
		turned := slices.Concat(cycle[i:], cycle[:i])
		all = append(all, turned)
		if name == "cycles" {
			back := slices.Clone(turned)
			slices.Reverse(back)
			all = append(all, back)
		}
	}
	return all
}

func satisfies(name string, args structure.Args, space structure.Space, y []int32, c structure.Condition) bool {
	wanted := c.Key == structure.RequiredKey
	switch name {
	case "permutations", "weakorders":
		return ranked(y, c)
	case "cycles", "directedcycles", "routes":
		return visits(name, y, c)
	case "assignments":
		return (int(y[c.U]) == c.V) == wanted
	case "graphs", "spanningtrees":
		ends := endsOf(name, args, space)
		i := slices.IndexFunc(ends, func(e [2]int) bool { return e == [2]int{c.U, c.V} || e == [2]int{c.V, c.U} })
		return (y[i] == 1) == wanted
	case "hierarchy":
		psi := make([]float64, space.FeatureLen())
		space.Embed(psi, y)
		return psi[c.U] == 1
	case "paths":
		if c.Key == structure.LengthKey {
			return numbers(c, len(y)-count(y, -1))
		}
		i := slices.Index(endsOf(name, args, space), [2]int{c.U, c.V})
		return slices.Contains(y, int32(i)) == wanted
	}
	if c.Key == structure.SizeKey {
		return numbers(c, count(y, 1))
	}
	return (y[c.U] == 1) == wanted
}

// numbers reports whether a number is the one, or in the range, that a condition holds.
func numbers(c structure.Condition, k int) bool {
	if c.V == structure.Alone {
		return k == c.U
	}
	return c.U <= k && k <= c.V
}

// count returns how many parts have a value.
func count(y []int32, value int32) (k int) {
	for _, v := range y {
		if v == value {
			k++
		}
	}
	return k
}

func ranked(y []int32, c structure.Condition) bool {
	if c.Key == structure.BeforeKey {
		return y[c.U] < y[c.V]
	}
	for v, at := range y {
		if v != c.U && (c.Key == structure.FirstKey && at <= y[c.U] || c.Key == structure.LastKey && at >= y[c.U]) {
			return false
		}
	}
	return true
}

func visits(name string, y []int32, c structure.Condition) bool {
	y = slices.DeleteFunc(slices.Clone(y), func(v int32) bool { return v < 0 })
	last := len(y) - 1
	switch {
	case c.Key == structure.StartKey:
		return int(y[0]) == c.U
	case c.Key == structure.EndKey:
		return int(y[last]) == c.U
	case c.Key == structure.LengthKey:
		return numbers(c, len(y))
	case c.V == structure.Alone:
		return slices.Contains(y, int32(c.U)) == (c.Key == structure.RequiredKey)
	}
	steps := name != "routes" && stepsOver(y[last], y[0], c, name)
	for i := range last {
		steps = steps || stepsOver(y[i], y[i+1], c, name)
	}
	return steps == (c.Key == structure.RequiredKey)
}

func stepsOver(u, v int32, c structure.Condition, name string) bool {
	return int(u) == c.U && int(v) == c.V || name == "cycles" && int(v) == c.U && int(u) == c.V
}

package examples

import (
	"math"
	"slices"
)

var (
	_ = add("multiclass", Sizes{Small: sizes(1, 2, 3, 7), Large: sizes(5000)})
	_ = add("ordinal", Sizes{Small: sizes(1, 2, 3, 8), Large: sizes(3000)})
	_ = add("posetelements", Sizes{
		Small: func() []Args {
			return []Args{
				Poset(1, Divides),
				Poset(2, func(a, b int) bool { return a == b }),
				Poset(5, func(a, b int) bool { return a >= b }),
				Poset(12, Divides),
				AllowedIn(Poset(5, func(a, b int) bool { return a >= b }), 1, 3, 4),
				AllowedIn(Poset(12, Divides), 0, 5, 7, 10, 11), // no multiple of 7, 9 or 10
				AllowedIn(Poset(4, Divides), 2),
			}
		},
		Large: func() []Args { return []Args{Poset(700, Divides)} },
	})
	_ = add("custom", Sizes{
		Small: func() []Args {
			return []Args{
				Listed(1, 1, func(int, int) float64 { return 1 }),
				Listed(1, 3, func(int, int) float64 { return 0 }), // told apart by nothing
				Listed(3, 4, func(i, j int) float64 { return float64((i*7+j*5)%3 - 1) }),
				Listed(7, 3, func(i, j int) float64 { return math.Sin(float64(3*i+5*j)) * 2 }),
				Listed(300, 12, waves),
			}
		},
		Large: func() []Args { return []Args{Listed(20000, 30, waves), FairSigns(50, 800)} },
	})
)

// Poset returns the parameters of the poset in which a ⪰ b where above says so.
func Poset(n int, above func(a, b int) bool) Args {
	ints := make([]int32, n*n)
	for a := range n {
		for b := range n {
			if above(a, b) {
				ints[a*n+b] = 1
			}
		}
	}
	return Args{Scalars: map[string]int64{"n": int64(n)}, Ints: ints}
}

// AllowedIn restricts a poset to some of its elements.
func AllowedIn(poset Args, elements ...int) Args {
	n := int(poset.Scalars["n"])
	ints := append(slices.Clone(poset.Ints), make([]int32, n)...)
	for _, v := range elements {
		ints[n*n+v] = 1
	}
	return Args{Scalars: poset.Scalars, Ints: ints}
}

// Divides orders the numbers 1..n: a+1 ⪰ b+1 when b+1 divides a+1.
func Divides(a, b int) bool { return (a+1)%(b+1) == 0 }

// Listed returns the parameters of a list of members with the given entries of ψ.
func Listed(members, d int, psi func(member, entry int) float64) Args {
	reals := make([]float64, members*d)
	for i := range reals {
		reals[i] = psi(i/d, i%d)
	}
	return Args{Scalars: map[string]int64{"d": int64(d), "members": int64(members)}, Reals: reals}
}

func waves(i, j int) float64 { return math.Cos(float64(i * (j + 1))) }

// FairSigns returns the moments of d independent signs, of a space with exp(log) outputs.
func FairSigns(d int, log float64) Args {
	reals := make([]float64, 1+d+d*d)
	reals[0] = log
	for i := range d {
		reals[1+d+i*d+i] = 1
	}
	return Args{Scalars: map[string]int64{"d": int64(d), "members": 0}, Reals: reals}
}

package kernel

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

const enough = 1 << 20 // downsets

// before is a relation as a matrix: the slow route.
type before [][]bool

// fromPositions compares positions pair by pair.
func fromPositions(p []float64) before {
	b := make(before, len(p))
	for u := range p {
		b[u] = make([]bool, len(p))
		for v := range p {
			b[u][v] = p[u] >= 0 && p[v] >= 0 && p[u] < p[v] // false for NaN
		}
	}
	return b
}

// fromSigns follows chains of relations until nothing is added.
func fromSigns(signs []int8, items int) before {
	b := make(before, items)
	for u := range b {
		b[u] = make([]bool, items)
	}
	pair := 0
	for u := range items {
		for v := u + 1; v < items; v++ {
			b[u][v], b[v][u] = signs[pair] == 1, signs[pair] == -1
			pair++
		}
	}
	for added := true; added; {
		added = false
		for u := range b {
			for v := range b {
				for w := range b {
					if b[u][v] && b[v][w] && !b[u][w] {
						b[u][w], added = true, true
					}
				}
			}
		}
	}
	return b
}

func (b before) predecessors(v int) (count int) {
	for u := range b {
		if b[u][v] {
			count++
		}
	}
	return count
}

// orderKernel is the definition of a kernel of orders; linear extensions are listed.
func orderKernel(f OrderFunction, a, b before) float64 {
	var sum float64
	switch f.Kind {
	case Edges, SignedEdges:
		for u := range a {
			for v := range a {
				if a[u][v] && b[u][v] {
					sum++
				}
				if f.Kind == SignedEdges && a[u][v] && b[v][u] {
					sum--
				}
			}
		}
	case Extensions:
		permutations(len(a), func(order []int) {
			for i := range order {
				for j := range i {
					if a[order[i]][order[j]] || b[order[i]][order[j]] {
						return
					}
				}
			}
			sum++
		})
	default:
		for u := range a {
			p, q := float64(a.predecessors(u)), float64(b.predecessors(u))
			switch {
			case f.Kind == Positions:
				sum += p * q
			case f.Kind == PositionsRBF:
				sum += math.Exp(-f.Gamma * (p - q) * (p - q))
			case p == q:
				sum++
			}
		}
	}
	return sum
}

func permutations(n int, f func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var extend func(k int)
	extend = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			extend(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	extend(0)
}

// randomOrders are given by positions with ties and unknown ones, or by relations along a random permutation. Some are empty.
func randomOrders(n, items int, positions bool, rng *rand.Rand) (*Orders, []before) {
	o := &Orders{N: n, Items: items}
	var all []before
	for range n {
		if positions {
			p := make([]float64, items)
			for u := range p {
				p[u] = []float64{float64(rng.IntN(items)), rng.Float64(), -1, math.NaN()}[rng.IntN(4)]
			}
			o.Positions = append(o.Positions, p...)
			all = append(all, fromPositions(p))
			continue
		}
		rank, share := rng.Perm(items), rng.Float64()
		var signs []int8
		for u := range items {
			for v := u + 1; v < items; v++ {
				switch {
				case rng.Float64() > share*share:
					signs = append(signs, 0)
				case rank[u] < rank[v]:
					signs = append(signs, 1)
				default:
					signs = append(signs, -1)
				}
			}
		}
		o.Signs = append(o.Signs, signs...)
		all = append(all, fromSigns(signs, items))
	}
	return o, all
}

// TestOrderKernelsAreWhatTheirDefinitionSays, for all kinds, formats and sizes on either side of a word of pairs.
func TestOrderKernelsAreWhatTheirDefinitionSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, items := range []int{2, 5, 6, 13} {
		x, xs := randomOrders(9, items, true, rng)
		y, ys := randomOrders(7, items, false, rng)
		for kind := Edges; kind <= Extensions; kind++ {
			if kind == Extensions && items > 6 {
				continue
			}
			for _, normalize := range []bool{false, true} {
				f := OrderFunction{Kind: kind, Gamma: 0.3, Normalize: normalize, MostDownsets: enough}
				check := func(a, b *Orders, as, bs []before) {
					t.Helper()
					m := a.N
					if b != nil {
						m = b.N
					}
					dst := matrix{Rows: a.N, Cols: m, Stride: m + 1, Data: make([]float64, a.N*(m+1))}
					if err := OrdersTo(dst, f, a, b, 2, nil); err != nil {
						t.Fatal(err)
					}
					for i, left := range as {
						for j, right := range bs {
							want := orderKernel(f, left, right)
							if normalize {
								scale := math.Sqrt(orderKernel(f, left, left)) * math.Sqrt(orderKernel(f, right, right))
								if want /= scale; scale == 0 {
									want = 0
								}
							}
							tol := 1e-14
							if f.Kind != PositionsRBF && !normalize {
								tol = 0
							}
							got := dst.Row(i)[j]
							if math.Abs(got-want) > tol*max(1, want) || (b == nil && got != dst.Row(j)[i]) {
								t.Fatalf("%d items, %+v: entry %d, %d is %v, by the definition %v", items, f, i, j, got, want)
							}
						}
					}
				}
				check(x, y, xs, ys)
				check(y, x, ys, xs)
				check(x, nil, xs, xs)
				check(y, nil, ys, ys)
			}
		}
	}
}

// TestOrderKernelsOfManyRows: the matrix does not depend on workers, and is that of its pairs of rows.
func TestOrderKernelsOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = panelRows + 40
	x, _ := randomOrders(n, 12, true, rng)
	for kind := Edges; kind <= SamePositions; kind++ {
		f := OrderFunction{Kind: kind, Gamma: 0.1, Normalize: true}
		want, full := linalg.NewMatrix[float64](n, n), linalg.NewMatrix[float64](n, n)
		var counted parallel.Monitor
		if err := errors.Join(OrdersTo(want, f, x, nil, 1, &counted), OrdersTo(full, f, x, x, 3, nil)); err != nil {
			t.Fatal(err)
		}
		if counted.Steps() != n {
			t.Errorf("%d steps", counted.Steps())
		}
		for i := range n {
			for j, v := range want.Row(i) {
				if math.Abs(v-full.Row(i)[j]) > 1e-15 {
					t.Fatalf("kind %d: %v and %v", kind, v, full.Row(i)[j])
				}
			}
		}
		got := linalg.NewMatrix[float64](n, n)
		if err := OrdersTo(got, f, x, nil, 4, nil); err != nil || !slices.Equal(got.Data, want.Data) {
			t.Errorf("kind %d depends on workers (%v)", kind, err)
		}
		var cancelled parallel.Monitor
		cancelled.Cancel()
		if err := OrdersTo(got, f, x, nil, 2, &cancelled); !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

func BenchmarkEdges(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 2))
	const n, items = 500, 100
	x, _ := randomOrders(n, items, true, rng)
	for u := range x.Positions {
		x.Positions[u] = rng.Float64()
	}
	dst := linalg.NewMatrix[float64](n, n)
	for name, f := range slicex.InOrder(map[string]OrderFunction{"edges": {Kind: Edges}, "positions": {Kind: Positions},
		"rbf": {Kind: PositionsRBF, Gamma: 0.01}}) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := OrdersTo(dst, f, x, x, 1, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

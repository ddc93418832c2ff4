package kernel

import (
	"errors"
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// OrderKind is a kernel of partial orders y and y'. In the kernels of positions, p_u(y) counts the items before u.
type OrderKind int

const (
	Edges         OrderKind = iota // the pairs whose relation y and y' have in common
	SignedEdges                    // those minus the pairs that they order in opposite directions; normalised, Kendall's τ_b
	Positions                      // Σ_u p_u(y) p_u(y')
	PositionsRBF                   // Σ_u exp(−γ (p_u(y) − p_u(y'))²)
	SamePositions                  // the items u with p_u(y) = p_u(y')
	Extensions                     // the linear extensions in common
)

// OrderFunction is a kernel of orders with its parameters.
type OrderFunction struct {
	Kind  OrderKind
	Gamma float64 // of PositionsRBF; positive
	// Kappa, unless nil, has Positions compare by Items×Items numbers κ(p_u(y), p_u(y')), by rows, in place of the product: a matrix
	// that is symmetric and positive semi-definite.
	Kappa []float64
	// Weights, unless nil, are those of the items' terms in the kernels of positions, at least 0.
	Weights []float64
	// Normalize divides by √(k(y, y) k(y', y')); the kernel with an order where that is 0 is 0.
	Normalize bool
	// Logarithms has Extensions give logarithms of counts, −Inf for none and NaN for those beyond MostDownsets; not with Normalize.
	Logarithms bool
	// MostDownsets bounds what Extensions counts exactly, as in extensions.Common.
	MostDownsets int
	// Epsilon, unless 0, has Extensions estimate what is beyond: with probability 1 − Delta the relative errors of all counts of the
	// matrix are at most Epsilon. Estimated, unless nil, gets how many are estimated.
	Epsilon, Delta float64
	Seed           uint64
	Estimated      *int64
}

// Check returns an error unless the kernel and its parameters are legal.
func (f OrderFunction) Check() error {
	if f.Kind < Edges || f.Kind > Extensions {
		return fault.Value("there is no kernel of orders number %d", f.Kind)
	}
	if f.Kind == PositionsRBF && !(f.Gamma > 0 && f.Gamma <= math.MaxFloat64) {
		return fault.Value("gamma is %g, must be positive and finite", f.Gamma)
	}
	if f.Logarithms && (f.Kind != Extensions || f.Normalize) {
		return fault.Value("logarithms are of counts of linear extensions, and not normalised")
	}
	if f.Epsilon != 0 && (f.Kind != Extensions || !(f.Epsilon > 0 && f.Epsilon < 1 && f.Delta > 0 && f.Delta < 1)) {
		return fault.Value("epsilon is %g and delta %g, must be between 0 and 1, and are for counts of linear extensions",
			f.Epsilon, f.Delta)
	}
	return nil
}

// checkItems returns an error unless Kappa and Weights are legal for that number of items. Cost: O(items²).
func (f OrderFunction) checkItems(items int, mon *parallel.Monitor) error {
	ofPositions := f.Kind == Positions || f.Kind == PositionsRBF || f.Kind == SamePositions
	if f.Weights != nil && (!ofPositions || len(f.Weights) != items) {
		return fault.Value("there are %d weights, must be one for each of %d items, and are for kernels of positions",
			len(f.Weights), items)
	}
	for u, w := range f.Weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return fault.Value("the weight of item %d is %g, must be finite and at least 0", u, w)
		}
	}
	if f.Kappa == nil {
		return nil
	}
	if f.Kind != Positions || len(f.Kappa) != items*items {
		return fault.Value("kappa has %d entries, must have %d for %d items, and is for the kernel of positions", len(f.Kappa), items*items,
			items)
	}
	for a := range items {
		for b := range a + 1 {
			v, w := f.Kappa[a*items+b], f.Kappa[b*items+a]
			if math.IsNaN(v) || math.IsInf(v, 0) || v != w {
				return fault.Value("kappa is %g at positions %d and %d and %g at %d and %d, must be finite and symmetric", v, a, b, w, b, a)
			}
		}
	}
	err := linalg.RequireSemidefinite(linalg.Matrix[float64]{Rows: items, Cols: items, Stride: items, Data: f.Kappa}, mon)
	if indefinite, ok := errors.AsType[*linalg.IndefiniteError](err); ok {
		return fault.Value("kappa is not positive semi-definite: its eigenvalues reach from %.3g to %.3g", indefinite.Low, indefinite.High)
	}
	return err
}

// weight returns the weight of an item.
func (f OrderFunction) weight(u int) float64 {
	if f.Weights == nil {
		return 1
	}
	return f.Weights[u]
}

// OrdersTo writes the kernel of every row of x with every row of y to dst; y nil is x itself, for a symmetric matrix at half the cost.
// Counts of pairs and of positions are exact. The monitor counts rows of x.
//
// An illegal row is an error that names it and the argument. For Extensions, a count beyond MostDownsets is a fault of capability, and
// one too large for a float64 an error; counts up to 10¹³ are exact, larger ones have some 13 digits.
//
// Cost: O(n m N²/64) for the edge kernels, O(n m N) for those of positions, and reading the orders, O(N³/64) for each one given by
// relations.
func OrdersTo(dst linalg.Matrix[float64], f OrderFunction, x, y *Orders, workers int, mon *parallel.Monitor) error {
	if err := f.Check(); err != nil {
		return err
	}
	m := x.N
	if y != nil {
		m = y.N
		if x.Items != y.Items {
			return fault.Value("X has orders of %d items, Y of %d; they must be the same items", x.Items, y.Items)
		}
	}
	if err := f.checkItems(x.Items, mon); err != nil {
		return err
	}
	if dst.Rows != x.N || dst.Cols != m {
		return fault.Value("dst is %d×%d, must be %d×%d", dst.Rows, dst.Cols, x.N, m)
	}
	if f.Kind == Extensions {
		return extensionsTo(dst, f, x, y, workers, mon)
	}
	related := f.Kind == Edges || f.Kind == SignedEdges
	rows, err := x.read(related, "X", workers, mon)
	if err != nil {
		return err
	}
	g := orderGram{f: f, dst: dst, items: x.Items, itself: y == nil, workers: workers, mon: mon}
	columns := rows
	if y != nil {
		if columns, err = y.read(related, "Y", workers, mon); err != nil {
			return err
		}
	}
	if related {
		return g.edges(rows.relations, columns.relations)
	}
	return g.positions(rows.predecessors, columns.predecessors)
}

// orderGram is a kernel matrix of orders being made.
type orderGram struct {
	f       OrderFunction
	dst     matrix
	items   int
	itself  bool
	workers int
	mon     *parallel.Monitor
}

// grainTerms is the number of terms of kernel values that a worker sums at a time.
const grainTerms = 1 << 16

// fill calls write for all rows of the matrix, or, for orders with themselves, the triangle up to the diagonal, in pieces: write gets
// the row and its entries that begin at a column. terms is how many there are in an entry. The entries are divided by the roots of
// own and others, the kernel values of rows and columns with themselves, unless own is nil.
func (g *orderGram) fill(terms int, own, others []float64, write func(i, from int, values []float64)) error {
	grain := max(1, grainTerms/max(1, terms*g.dst.Cols))
	piece := max(1, pollTerms/max(1, terms))
	err := parallel.For(g.dst.Rows, grain, g.workers, g.mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			values := g.dst.Row(i)
			if g.itself {
				values = values[:i+1]
			}
			for from := 0; from < len(values); from += piece {
				if err := g.mon.Err(); err != nil {
					return err
				}
				write(i, from, values[from:min(from+piece, len(values))])
			}
			if own == nil {
				continue
			}
			normalise(values, own[i], others)
			if g.itself && own[i] > 0 {
				values[i] = 1
			}
		}
		return nil
	})
	if err != nil || !g.itself {
		return err
	}
	return mirror(g.dst, g.workers, g.mon)
}

// normalise divides values by the roots of own and of their columns' others; 0 where one of these is 0.
func normalise(values []float64, own float64, others []float64) {
	root := math.Sqrt(own)
	for j, v := range values {
		if scale := root * math.Sqrt(others[j]); scale > 0 {
			values[j] = v / scale
		} else {
			values[j] = 0
		}
	}
}

// edges compares pairs, 64 at a time: for 100 items in .3 to .8 of the CPU time of OpenBLAS's products of signs in single precision, for 10
// in the same.
func (g *orderGram) edges(rows, columns *relations) error {
	var own, others []float64
	if g.f.Normalize {
		own = rows.sizes(g.dst.Rows)
		if others = own; !g.itself {
			others = columns.sizes(g.dst.Cols)
		}
	}
	signed := g.f.Kind == SignedEdges
	return g.fill(rows.words, own, others, func(i, from int, values []float64) {
		row := rows.row(i)
		for j := range values {
			same, opposite := agreement(row, columns.row(from+j))
			if signed {
				same -= opposite
			}
			values[j] = float64(same)
		}
	})
}

// sizes returns how many pairs of each of n rows are related: their edge kernels with themselves.
func (r *relations) sizes(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(size(r.row(i)))
	}
	return out
}

// positions compares numbers of predecessors.
func (g *orderGram) positions(rows, columns []int32) error {
	var own, others []float64
	table := g.table()
	if g.f.Normalize {
		own = g.ownPositions(rows)
		if others = own; !g.itself {
			others = g.ownPositions(columns)
		}
	}
	if g.f.Kind == Positions && g.f.Kappa == nil && g.f.Weights == nil {
		left, right := numbers(rows, g.items), numbers(columns, g.items)
		for lo := 0; lo < g.dst.Rows; lo += panelRows {
			hi := min(lo+panelRows, g.dst.Rows)
			width := g.dst.Cols
			if g.itself {
				width = hi
			}
			if err := productsTo(g.dst.Slice(lo, hi, 0, width), left.Slice(lo, hi, 0, g.items), right, g.mon); err != nil {
				return err
			}
		}
		return g.fill(1, own, others, func(int, int, []float64) {})
	}
	// Columns by item, so that the sum over items runs along them, in the order of items for each.
	m := g.dst.Cols
	byItem := make([]int32, len(columns))
	for j := range m {
		for u, p := range columns[j*g.items : (j+1)*g.items] {
			byItem[u*m+j] = p
		}
	}
	return g.fill(g.items, own, others, func(i, from int, values []float64) {
		clear(values)
		for u, p := range rows[i*g.items : (i+1)*g.items] {
			near := g.near(table, int(p))
			if g.f.Weights != nil {
				w := g.f.Weights[u]
				for j, q := range byItem[u*m+from : u*m+from+len(values)] {
					values[j] += w * near[q]
				}
				continue
			}
			for j, q := range byItem[u*m+from : u*m+from+len(values)] {
				values[j] += near[q]
			}
		}
	})
}

// near returns κ(p, ·).
func (g *orderGram) near(table []float64, p int) []float64 {
	if g.f.Kind == Positions {
		return table[p*g.items : (p+1)*g.items]
	}
	return table[g.items-1-p:] // κ depends on the difference: p stands in the middle of the table
}

// table returns κ by rows for Positions, and otherwise κ(a, b) by b − a, from 1−N to N−1, of the kernels that depend on differences.
func (g *orderGram) table() []float64 {
	if g.f.Kind == Positions {
		if g.f.Kappa != nil || g.f.Weights == nil {
			return g.f.Kappa
		}
		products := make([]float64, g.items*g.items)
		for k := range products {
			products[k] = float64(k/g.items) * float64(k%g.items)
		}
		return products
	}
	values := make([]float64, 2*g.items-1)
	middle := g.items - 1
	values[middle] = 1
	if g.f.Kind == PositionsRBF {
		for k := 1; k < g.items; k++ {
			value := math.Exp(-g.f.Gamma * float64(k*k))
			values[middle+k], values[middle-k] = value, value
		}
	}
	return values
}

// ownPositions returns the kernel value of each row with itself.
func (g *orderGram) ownPositions(predecessors []int32) []float64 {
	out := make([]float64, len(predecessors)/g.items)
	for i := range out {
		for u, p := range predecessors[i*g.items : (i+1)*g.items] {
			own := 1.0
			if g.f.Kappa != nil {
				own = g.f.Kappa[int(p)*g.items+int(p)]
			} else if g.f.Kind == Positions {
				own = float64(p) * float64(p)
			}
			out[i] += g.f.weight(u) * own
		}
	}
	return out
}

// numbers returns whole numbers as a matrix, whose products are exact: at most N³ < 2⁵³.
func numbers(values []int32, cols int) matrix {
	m := linalg.NewMatrix[float64](len(values)/cols, cols)
	for k, v := range values {
		m.Data[k] = float64(v)
	}
	return m
}

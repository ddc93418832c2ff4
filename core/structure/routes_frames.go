package structure

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

func (r routes) Eigenvalues() []float64 {
	var values []float64
	for _, s := range r.spaces() {
		values = append(values, s.value)
	}
	return values
}

func (r routes) FrameLen(i int) (n int) {
	for _, p := range r.spaces()[i].parts {
		n += r.partLen(p)
	}
	return n
}

// partLen returns the number of columns of the frame of a part.
func (r routes) partLen(p routePart) int {
	switch p.kind {
	case routeLength:
		return 1
	case routeVisits, routeDirection:
		return r.n
	default:
		return pairs{r.n}.len()
	}
}

// AnalyzeTo costs O(d) for each row.
func (r routes) AnalyzeTo(dst, v blas64.General, i int) {
	mustFrame(dst, v, r.FrameLen(i), r.FeatureLen())
	folded := make([]float64, pairs{r.n}.len())
	for j := range v.Rows {
		out := row(dst, j)
		for _, p := range r.spaces()[i].parts {
			n := r.partLen(p)
			r.analyzePartTo(out[:n], row(v, j), folded, p)
			out = out[n:]
		}
	}
}

// SynthesizeTo costs O(d) for each row.
func (r routes) SynthesizeTo(dst, c blas64.General, i int) {
	mustFrame(c, dst, r.FrameLen(i), r.FeatureLen())
	folded := make([]float64, pairs{r.n}.len())
	for j := range c.Rows {
		src := row(c, j)
		for _, p := range r.spaces()[i].parts {
			n := r.partLen(p)
			r.synthesizePartTo(row(dst, j), src[:n], folded, p)
			src = src[n:]
		}
	}
}

// analyzePartTo writes the products of x with the frame of a part to dst; folded is scratch.
func (r routes) analyzePartTo(dst, x, folded []float64, p routePart) {
	switch p.kind {
	case routeLength:
		arcs := x[:r.start(0)]
		dst[0] = average(arcs) * math.Sqrt(float64(len(arcs)))
	case routeVisits, routeDirection:
		r.atPlacesTo(dst, x, p)
	case routeEdges:
		r.foldTo(folded, x, 1)
		pairScheme{r.n}.analyzeTo(oneRow(dst), oneRow(folded), pairRest)
	case routeTurns:
		r.foldTo(folded, x, -1)
		pairs{r.n}.analyzeTo(oneRow(dst), oneRow(folded), cyclic)
	}
}

// synthesizePartTo adds the frame of a part times c to dst; folded is scratch.
func (r routes) synthesizePartTo(dst, c, folded []float64, p routePart) {
	clear(folded)
	switch p.kind {
	case routeLength:
		arcs := dst[:r.start(0)]
		x := c[0] / math.Sqrt(float64(len(arcs)))
		for k := range arcs {
			arcs[k] += x
		}
	case routeVisits, routeDirection:
		r.addAtPlaces(dst, c, p)
	case routeEdges:
		pairScheme{r.n}.synthesizeTo(oneRow(folded), oneRow(c), pairRest)
		r.addUnfolded(dst, folded, 1)
	case routeTurns:
		pairs{r.n}.synthesizeTo(oneRow(folded), oneRow(c), cyclic)
		r.addUnfolded(dst, folded, -1)
	}
}

func oneRow(x []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// reversed returns the sign with which features and those of the reversed route are combined.
func (p routePart) reversed() float64 {
	if p.kind == routeVisits {
		return 1
	}
	return -1
}

// atPlacesTo writes the products of x with arcs·(out ± in) + ends·(start ± end) at each place to dst, less their mean.
func (r routes) atPlacesTo(dst, x []float64, p routePart) {
	sign := p.reversed()
	for v := range dst {
		dst[v] = p.ends * (x[r.start(v)] + sign*x[r.end(v)])
	}
	arc := 0
	for u := range r.n {
		for v := range r.n {
			if v != u {
				dst[u] += p.arcs * x[arc]
				dst[v] += sign * p.arcs * x[arc]
				arc++
			}
		}
	}
	mean := average(dst)
	for v := range dst {
		dst[v] -= mean
	}
}

// addAtPlaces adds arcs·(out_f ± in_f) + ends·(start_f ± end_f) to dst, f being c less its mean.
func (r routes) addAtPlaces(dst, c []float64, p routePart) {
	sign, mean := p.reversed(), average(c)
	arc := 0
	for u := range r.n {
		f := c[u] - mean
		dst[r.start(u)] += p.ends * f
		dst[r.end(u)] += sign * p.ends * f
		for v := range r.n {
			if v != u {
				dst[arc] += p.arcs * (f + sign*(c[v]-mean))
				arc++
			}
		}
	}
}

// foldTo writes (x_uv ± x_vu)/√2 for the pairs u < v to dst.
func (r routes) foldTo(dst, x []float64, sign float64) {
	pair := 0
	for u := range r.n {
		for v := u + 1; v < r.n; v++ {
			dst[pair] = (x[r.arc(u, v)] + sign*x[r.arc(v, u)]) / math.Sqrt2
			pair++
		}
	}
}

// addUnfolded adds the transpose of foldTo.
func (r routes) addUnfolded(dst, c []float64, sign float64) {
	pair := 0
	for u := range r.n {
		for v := u + 1; v < r.n; v++ {
			dst[r.arc(u, v)] += c[pair] / math.Sqrt2
			dst[r.arc(v, u)] += sign * c[pair] / math.Sqrt2
			pair++
		}
	}
}

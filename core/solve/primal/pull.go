package primal

import (
	"combpred/core/linalg"
	"combpred/core/slicex"
)

// puller turns the scores f of a row into the derivative Σ_y u'_y ψ_y of its loss's part that is quadratic in the margins u_y = ⟨ψ̃_y, f⟩,
// with Σ_y u'_y in the column after.
type puller[T linalg.Float] struct {
	d       int
	centred bool    // the column after the scores is ⟨μ, f⟩
	share   T       // 2 over the number of members
	unit    float64 // of the weights
	rows    *Rows
	margins []T
	sum     []T
}

func (k *puller[T]) pull(f linalg.Matrix[T], psi *psiRows, lo int) {
	if psi.small != nil {
		pullRows(k, f, psi.small, k.d, lo)
	} else {
		pullRows(k, f, psi.wide.Data, psi.wide.Stride, lo)
	}
}

// pullRows treats the rows of f, whose outputs begin at multiples of stride in psi.
func pullRows[T linalg.Float, E int8 | float64](k *puller[T], f linalg.Matrix[T], psi []E, stride, lo int) {
	r := k.rows
	if r.First != nil {
		pullSets(k, f, psi, stride, lo)
		return
	}
	for i := range f.Rows {
		row := f.Row(i)
		y := psi[i*stride:][:k.d]
		u := inner(row[:k.d], y)
		if k.centred {
			u -= row[k.d]
		}
		if r.Weights != nil {
			u *= T(r.Weights[lo+i] * k.unit)
		} else {
			u *= T(k.unit)
		}
		scaleTo(row[:k.d], y, u)
		if k.centred {
			row[k.d] = u
		}
	}
}

// pullSets does the same for sets of outputs. The loss of a set of k has (1 − 2k/|𝒴|)/2 Σ u_y² + (Σ u_y)²/|𝒴| in place of u²/2.
func pullSets[T linalg.Float, E int8 | float64](k *puller[T], f linalg.Matrix[T], psi []E, stride, lo int) {
	r := k.rows
	begin := r.First[lo]
	k.sum = slicex.Grow(k.sum, k.d)
	for i := range f.Rows {
		row := f.Row(i)
		first, last := r.First[lo+i]-begin, r.First[lo+i+1]-begin
		k.margins = slicex.Grow(k.margins, last-first)
		var total T
		for a := range k.margins {
			u := inner(row[:k.d], psi[(first+a)*stride:][:k.d])
			if k.centred {
				u -= row[k.d]
			}
			k.margins[a] = u
			total += u
		}
		w, _ := r.weight(lo + i)
		own, shared, weight := 1-k.share*T(last-first), k.share*total, T(w*k.unit)
		clear(k.sum)
		var all T
		for a, u := range k.margins {
			u = weight * (own*u + shared)
			all += u
			y := psi[(first+a)*stride:][:k.d]
			for j, v := range y {
				k.sum[j] += u * T(v)
			}
		}
		copy(row, k.sum)
		if k.centred {
			row[k.d] = all
		}
	}
}

// inner returns ⟨f, y⟩. Four sums run side by side: one would wait for each addition, and take twice the time.
func inner[T linalg.Float, E int8 | float64](f []T, y []E) T {
	y = y[:len(f)]
	var a, b, c, e T
	j := 0
	for ; j+4 <= len(f); j += 4 {
		f4, y4 := f[j:j+4:j+4], y[j:j+4:j+4]
		a += f4[0] * T(y4[0])
		b += f4[1] * T(y4[1])
		c += f4[2] * T(y4[2])
		e += f4[3] * T(y4[3])
	}
	for ; j < len(f); j++ {
		a += f[j] * T(y[j])
	}
	return a + b + (c + e)
}

// scaleTo writes u·y to dst.
func scaleTo[T linalg.Float, E int8 | float64](dst []T, y []E, u T) {
	y = y[:len(dst)]
	for j := range dst {
		dst[j] = u * T(y[j])
	}
}

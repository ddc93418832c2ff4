package ordering

import "math/bits"

// The kernels below are what the time of the recursions over subsets goes into, beside floats.AddScaled and floats.Dot. They
// know nothing but slices, so that code for vectors can replace them one by one. Those that end in Within fill a block from
// its own entries, eight by eight: entries 8x … 8x+7 are the subsets of items 0, 1 and 2 joined to the items 3, 4, … of x.
// row is what the items beyond the block contribute to each item of it, inner and step are those of subsets, m×m the size
// of step.

// eight returns entries 8x to 8x+7 of a block.
func eight(block []float64, x int) *[8]float64 { return (*[8]float64)(block[8*x:]) }

// minPlusTo makes each entry of dst the minimum of itself and that of s plus a number. The lengths are equal.
func minPlusTo(dst, s []float64, c float64) {
	for i := 0; i+4 <= len(dst) && i+4 <= len(s); i += 4 {
		a, b := (*[4]float64)(dst[i:]), (*[4]float64)(s[i:])
		a[0] = min(a[0], b[0]+c)
		a[1] = min(a[1], b[1]+c)
		a[2] = min(a[2], b[2]+c)
		a[3] = min(a[3], b[3]+c)
	}
	for i := len(dst) &^ 3; i < len(dst); i++ {
		dst[i] = min(dst[i], s[i]+c)
	}
}

// minWithin takes the minima over the items of a block that come last.
func minWithin(block, row, inner, step []float64, m int) {
	r10, r20, r21 := step[m], step[2*m], step[2*m+1]
	size := len(block)
	for x := range size / 8 {
		to := eight(block, x)
		c := inner[8*x:]
		for y := uint(x); y != 0; y &= y - 1 {
			v := bits.TrailingZeros(y)
			minPlusTo(to[:], eight(block, x&^(1<<v))[:], row[v+3]+c[(v+3)*size])
		}
		c0, c1, c2 := row[0]+c[0], row[1]+c[size], row[2]+c[2*size]
		c0r1, c0r2, c1r2 := c0+r10, c0+r20, c1+r21
		f0 := to[0]
		f1, f2, f4 := min(to[1], f0+c0), min(to[2], f0+c1), min(to[4], f0+c2)
		f3 := min(to[3], f2+c0r1, f1+c1)
		f5 := min(to[5], f4+c0r2, f1+c2)
		f6 := min(to[6], f4+c1r2, f2+c2)
		to[1], to[2], to[3], to[4], to[5], to[6] = f1, f2, f3, f4, f5, f6
		to[7] = min(to[7], f6+(c0r1+r20), f5+c1r2, f3+c2)
	}
}

// sumWithin adds over the items of a block that come last.
func sumWithin(block, row, inner, step []float64, m int) {
	r10, r20, r21 := step[m], step[2*m], step[2*m+1]
	size := len(block)
	for x := range size / 8 {
		to := eight(block, x)
		c := inner[8*x:]
		for y := uint(x); y != 0; y &= y - 1 {
			v := bits.TrailingZeros(y)
			addEight(to, eight(block, x&^(1<<v)), row[v+3]*c[(v+3)*size])
		}
		c0, c1, c2 := row[0]*c[0], row[1]*c[size], row[2]*c[2*size]
		c0r1, c0r2, c1r2 := c0*r10, c0*r20, c1*r21
		f0 := to[0]
		f1, f2, f4 := to[1]+f0*c0, to[2]+f0*c1, to[4]+f0*c2
		f3 := to[3] + f2*c0r1 + f1*c1
		f5 := to[5] + f4*c0r2 + f1*c2
		f6 := to[6] + f4*c1r2 + f2*c2
		to[1], to[2], to[3], to[4], to[5], to[6] = f1, f2, f3, f4, f5, f6
		to[7] += f6*(c0r1*r20) + f5*c1r2 + f3*c2
	}
}

// addEight adds c times s to dst.
func addEight(dst, s *[8]float64, c float64) {
	dst[0] += s[0] * c
	dst[1] += s[1] * c
	dst[2] += s[2] * c
	dst[3] += s[3] * c
	dst[4] += s[4] * c
	dst[5] += s[5] * c
	dst[6] += s[6] * c
	dst[7] += s[7] * c
}

// dotEight returns Σ a·b.
func dotEight(a, b *[8]float64) float64 {
	return (a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3]) + (a[4]*b[4] + a[5]*b[5] + a[6]*b[6] + a[7]*b[7])
}

// backWithin is sumWithin from the other end: it adds to the entries of back over the items of a block that come next. It
// adds the probabilities that item v comes next, over the sets sums of a block, to behind[v], and those in which an item
// u > v of the block is before it to pairs[u,v], m×m.
func backWithin(back, sums, behind, pairs, row, inner, step []float64, m int) {
	r10, r20, r21 := step[m], step[2*m], step[2*m+1]
	size := len(back)
	low := bits.TrailingZeros(uint(size))
	var p10, p20, p21 float64
	for x := size/8 - 1; x >= 0; x-- {
		to, f := eight(back, x), eight(sums, x)
		c := inner[8*x:]
		var next [lowBits]float64
		for y := uint(size/8-1) &^ uint(x); y != 0; y &= y - 1 {
			v := bits.TrailingZeros(y)
			w, from := row[v+3]*c[(v+3)*size], eight(back, x|1<<v)
			addEight(to, from, w)
			next[(v+3)%lowBits] = w * dotEight(from, f)
		}
		c0, c1, c2 := row[0]*c[0], row[1]*c[size], row[2]*c[2*size]
		c0r1, c0r2, c1r2 := c0*r10, c0*r20, c1*r21
		b7 := to[7]
		y6, y5, y3 := b7*(c0r1*r20), b7*c1r2, b7*c2 // what follows on 6, 5 and 3: items 0, 1 and 2
		b6, b5, b3 := to[6]+y6, to[5]+y5, to[3]+y3
		y40, y41 := b5*c0r2, b6*c1r2
		y20, y22 := b3*c0r1, b6*c2
		y11, y12 := b3*c1, b5*c2
		b4, b2, b1 := to[4]+(y40+y41), to[2]+(y20+y22), to[1]+(y11+y12)
		y00, y01, y02 := b1*c0, b2*c1, b4*c2
		to[0] += y00 + y01 + y02
		to[1], to[2], to[3], to[4], to[5], to[6] = b1, b2, b3, b4, b5, b6
		q6, q5 := y6*f[6], y5*f[5]
		q2, q40, q41 := y20*f[2], y40*f[4], y41*f[4]
		p10 += q6 + q2
		p20 += q6 + q40
		p21 += q5 + q41
		next[0] = q6 + q2 + q40 + y00*f[0]
		next[1] = q5 + q41 + y11*f[1] + y01*f[0]
		next[2] = y3*f[3] + y22*f[2] + y12*f[1] + y02*f[0]
		for v, q := range next[:low] {
			behind[v] += q
		}
		for y := uint(x); y != 0; y &= y - 1 {
			u := bits.TrailingZeros(y) + 3
			for v, q := range next[:u] {
				pairs[u*m+v] += q
			}
		}
	}
	pairs[m] += p10
	pairs[2*m] += p20
	pairs[2*m+1] += p21
}

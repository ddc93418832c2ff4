package kernel

// distancesTo writes ‖x − y_j‖₁ to dst for n > 0 rows y_j of p entries, which begin at multiples of stride.
//
//go:noescape
func distancesTo(dst *float64, n int, x *float64, p int, y *float64, stride int)

// absoluteDistances writes ‖x − y_j‖₁ to dst for the first rows of y. Go's compiler has no vector instructions, without which this is most
// of the time of a Laplacian kernel.
func absoluteDistances(dst, x []float64, y matrix) {
	if len(dst) == 0 || len(x) == 0 {
		clear(dst)
		return
	}
	_ = y.Data[(len(dst)-1)*y.Stride+len(x)-1]
	distancesTo(&dst[0], len(dst), &x[0], len(x), &y.Data[0], y.Stride)
}

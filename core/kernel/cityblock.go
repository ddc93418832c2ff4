//go:build !amd64

package kernel

// absoluteDistances writes ‖x − y_j‖₁ to dst for the first rows of y.
func absoluteDistances(dst, x []float64, y matrix) {
	a := row{values: x}
	for j := range dst {
		dst[j] = absoluteDistance(a, row{values: y.Row(j)})
	}
}

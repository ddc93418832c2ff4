package linalg

// Axpy adds a·x to y, over the length of y.
func Axpy[T Float](y, x []T, a T) {
	x = x[:len(y)]
	for i := range y {
		y[i] += a * x[i]
	}
}

// Dot returns the inner product over the length of x, summed in its order.
func Dot[T Float](x, y []T) T {
	var s T
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// Sum returns the sum of the entries of x, in their order.
func Sum[T Float](x []T) T {
	var s T
	for _, v := range x {
		s += v
	}
	return s
}

// ScaleTo writes a·x to dst.
func ScaleTo[T Float](dst []T, a T, x []T) {
	for j, v := range x {
		dst[j] = a * v
	}
}

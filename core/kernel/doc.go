// Package kernel computes kernels: k(x, x') of inputs, which are rows of numbers, dense or sparse, and kernels of orders.
//
// # Kernels of inputs
//
// A Function is one of
//
//	linear      ⟨x, x'⟩
//	polynomial  (γ⟨x, x'⟩ + c)^degree
//	rbf         exp(−γ‖x − x'‖²)
//	laplacian   exp(−γ‖x − x'‖₁)
//	cosine      ⟨x, x'⟩ / (‖x‖ ‖x'‖), 0 for a row of zeros
//
// with its parameters resolved to numbers. All but the Laplacian one of dense rows come from inner products, which are a matrix
// product of dense rows, or from what sparse rows have in common. Squared distances ‖x‖² + ‖x'‖² − 2⟨x, x'⟩ lose digits where rows
// have much in common, so that rows far from the origin are centred, and distances that are still uncertain are summed entry by
// entry (see distance.go): equal rows have distance 0.
//
// The matrix of a set of rows with itself is symmetric to the last bit, and its diagonal is exact.
//
// # Kernels of orders
//
// Kernels of partial orders of the same items (Vembu 2010, Learning to Predict Combinatorial Structures, section 3.1): the pairs that two
// orders have in common, with or without sign, the number of items before each item, and the linear extensions in common.
package kernel

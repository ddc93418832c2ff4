// Package loglinear trains log-linear models of structures, p(y|x) = exp(⟨Wᵀφ(x), ψ(y)⟩ − ln Z(x)), by minimising
//
//	α‖W‖² + Σ_i w_i [ln Z(x_i) − ⟨Wᵀφ_i, ψ_i⟩]
//
// over the weights W (q×d), the conditional random field of Vembu (2010, section 6.1) and section 6 of the project's method. The gradient
// of ln Z is the expectation E ψ, which package partition computes exactly, or which the caller estimates.
//
// There are two ways down. Minimise takes exact gradients of all rows: L-BFGS (Liu and Nocedal 1989) in coordinates in which the Hessian
// at W = 0 is the identity, which is known, and later in those of a Kronecker product near the Hessian where the search has got to
// (Martens and Grosse 2015). Package descent takes steps on mini-batches of rows, preconditioned in the same way, and averages its
// iterates (Shamir and Zhang 2013); its gradients may be estimates.
//
// What is not known here is asked for: an Oracle knows the distributions of rows, and a Summer sums over rows, wherever these are.
package loglinear

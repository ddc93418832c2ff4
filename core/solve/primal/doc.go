// Package primal trains structured ridge models in the weights W (q×d) of the input features, for the linear kernel, from rows that are
// only ever seen in blocks. It minimises
//
//	λ‖W‖² + Σ_i w_i ℓ(Wᵀx_i, ψ_i)
//
// for the losses of package solve. For the quadratic bound of the AUC loss (Vembu 2010, section 5.2) the minimiser solves H W = B with
//
//	H W = 2λW + S W Σ + Σ_i w_i x_i ψ̃_iᵀ ⟨ψ̃_i, Wᵀx_i⟩,   S = Σ w x xᵀ,   B = Σ w x ψ̃ᵀ.
//
// S and B are sums over rows (AddSums), found in one pass, and all that the squared loss needs. Each product with the last term takes one
// pass (AddProduct). Conjugate gradient is preconditioned with M W = 2λW + S W Σ: H − M is positive semi-definite and at most (κ − 1)M with
// κ = 1 + max ψ̃ᵀΣ⁺ψ̃, so that the number of passes depends neither on the number of rows nor on the scale of the features.
//
// # Precision
//
// Products of dense rows are made in single precision, on features that are centred and scaled to unit variance. That takes half the time
// of double precision, and the residual of the recurrence then moves away from the true one by some 1e-7 of where it began. So the true
// residual is computed in double precision, and takes the place of the other, whenever that drift could matter (van der Vorst and Ye,
// 2000); the next direction stays conjugate to the last one, so that no iteration is lost. Where single precision turns out not to do, all
// further products are made in double. The weights are as accurate as in double precision.
//
// # Whose rows
//
// SolveOver asks for the sums and the products of rows that may live anywhere. Solve is the same over rows in memory or in mapped files.
package primal

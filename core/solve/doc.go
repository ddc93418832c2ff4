// Package solve trains structured ridge models: it minimises
//
//	λ tr(AᵀKA) + Σ_i w_i ℓ(f_i, ψ_i),   F = KA,
//
// where ψ̃ = ψ − μ is centred by the uniform mean and ℓ is either the quadratic bound of the AUC loss,
//
//	½ fᵀΣf + ½ (1 − ⟨ψ̃_i, f⟩)² − ½      (Vembu 2010, section 5.2, divided by the number of outputs),
//
// or the squared loss ½‖f − ψ̃_i‖².
//
// # How the pieces fit
//
// Coordinates turn ψ̃ into rows z in which Σ is diagonal, one σ a column; a Problem is those rows with λ and the weights. With
// D = diag(√w), K̃ = DKD and C the coefficients in those coordinates, every solver of package dual looks for the zero of
//
//	R(C) = Dz − 2λC − σK̃C − rowsum(z ∘ K̃C) z
//
// (the last term is the AUC loss's own). An Operator multiplies by K̃. A Resolvent applies H_σ = K̃(2λI + σK̃)⁻¹, and eliminating C
// leaves one system of order m in the margins, G q = b with G = I + Σ_σ H_σ ∘ S_σ, S_σ = Z_σZ_σᵀ. Its condition number is at most
// 1 + max ψ̃ᵀΣ⁺ψ̃ whatever the kernel is, so conjugate gradient needs a number of steps that does not grow with m.
//
// Package dual finds C, one row of coefficients an example; package loo the scores of examples left out of such a fit. Package sgd takes
// steps on one row of a Problem at a time instead, with coefficients of examples or of input features.
//
// An example may have a set of correct outputs instead of one: several rows z, and as many margins (see Sets).
package solve

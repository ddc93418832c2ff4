// Package maxmargin trains linear scorers of structures by decoding: every step takes one example, decodes it with the current
// scores and moves the weights by what was found.
//
// Two rules share the step. Block-coordinate Frank–Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013, "Block-coordinate
// Frank–Wolfe optimization for structural SVMs", algorithm 4) climbs the dual of
//
//	min_W  ½‖W‖² + Σ_i C_i max_z [Δ_i(z) − ⟨Wᵀx_i, ψ_i − ψ(z)⟩]
//
// whose variables are, for each example, a distribution on the outputs. They enter only through the means v_i of ψ_i − ψ(z) and
// offset_i of Δ_i(z), so that W = Σ_i C_i x_i v_iᵀ. The perceptron (Collins 2002) adds C_i x_i (ψ_i − ψ(z))ᵀ wherever an output z other
// than y_i scores as high, and v_i counts what was added.
//
// Losses are affine in ψ and its squares, so that the output of largest loss plus score is found by decoding.
package maxmargin

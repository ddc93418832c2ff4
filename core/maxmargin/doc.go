// Package maxmargin trains linear scorers of structures by decoding: support vector machines and the perceptron.
//
// A support vector machine minimises
//
//	½‖W‖² + Σ_i C_i H_i(Wᵀx_i),  H_i(f) = max_z [Δ_i(z) − ⟨f, ψ_i − ψ(z)⟩]
//
// (margin rescaling), or with Δ_i(z)·(1 − ⟨f, ψ_i − ψ(z)⟩) in the brackets (slack rescaling; Tsochantaridis, Joachims, Hofmann and Altun
// 2005). All that a solver needs to know of an example are planes, linear functions ℓ − ⟨f, v⟩ below H_i: for margin rescaling
// ℓ = Δ_i(z) and v = ψ_i − ψ(z), for slack rescaling the same v times the loss. Losses are affine in ψ and its squares, so that the
// largest plane of margin rescaling is found by decoding; slack rescaling takes a search of several decodings, or a list of all outputs.
//
// Two solvers lead there. Cutting planes (Joachims, Finley and Yu 2009) bound the sum of all hinge losses by planes and solve a quadratic
// program in them. Block-coordinate Frank–Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013, "Block-coordinate Frank–Wolfe
// optimization for structural SVMs", algorithm 4) climbs the dual, whose variables are, for each example, a distribution on the outputs.
// They enter only through the means v_i of the planes' v and offset_i of their ℓ, so that W = Σ_i C_i x_i v_iᵀ.
//
// The perceptron (Collins 2002) adds C_i x_i (ψ_i − ψ(z))ᵀ wherever an output z other than y_i scores as high, and v_i counts what was
// added. A bound on its mistakes follows from the margin that it reached (Novikoff 1962).
//
// TrainSVM and TrainPerceptron ask an Oracle for outputs: the problem's Decoder, or a caller that decodes or computes losses itself.
package maxmargin

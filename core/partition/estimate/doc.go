// Package estimate estimates partition functions Z of the distributions p(y) ∝ exp⟨s, ψ(y)⟩, and the means of ψ, from draws, where
// sums over all outputs take too long (Vembu, 2010, sections 6.3 to 6.5).
//
// Z is annealed: from its value at scores of 0, the number of outputs, through levels β of scaled scores to 1, as a product of ratios
// near 1. Draws at the levels come from exact samplers, and the estimate is then within a factor of 1 ± ε with probability 1 − δ,
// whatever the scores; or they come along Markov chains, whose convergence is judged and reported. An expansion about the uniform
// distribution serves small scores.
//
// What is not a space of the core, such as a caller's own function that draws outputs, takes part as External, which asks for draws.
package estimate

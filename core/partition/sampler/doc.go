// Package sampler draws outputs from p(y) ∝ exp⟨s, ψ(y)⟩ for rows of scores by the sampler that suits structure and scores, and says how
// far chains can be trusted: Batch chooses among the exact recursion, coupling from the past and Markov chains, and can run four chains
// for each row first, which tell how many steps apart samples are nearly independent.
package sampler

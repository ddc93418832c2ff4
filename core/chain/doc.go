// Package chain draws outputs y of a structure from p(y) ∝ exp h(y), h(y) = ⟨s, ψ(y)⟩ for given scores s: by Markov
// chains, which come close to that distribution, and by exact samplers, which follow it.
//
// # Chains
//
// A Kernel is a Markov chain with p as its only stationary distribution. Its Step changes a State, which holds all that a
// chain remembers and counts what it did; a Kernel itself never changes. Metropolis decides on the moves
// that something proposes: uniform outputs, the structure's own moves, or single elements that come and go. Heat baths redraw single
// elements.
//
// # Exact samplers
//
// Rejection and CFTP (coupling from the past; Propp and Wilson, 1996) need a bound on the largest score and exactly
// uniform outputs, Monotone a space of sets on which the heat bath keeps inclusions. They never return an output that
// is only nearly right: where a budget of steps runs out the answer is a *BudgetError.
//
// # Randomness
//
// A threshold on a uniform number u, ln u ≤ g, is taken as −g ≤ E with E = −ln u exponential, so that no score is too
// large for it: probabilities of exp(−700) are those of large exponential numbers.
package chain

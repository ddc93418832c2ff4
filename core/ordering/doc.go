// Package ordering solves the linear ordering problem: arrange n items so that the gains of all pairs in their order
// add up to as much as possible.
//
// Gains form a skew-symmetric n×n matrix g: placing u before v earns g[u,v], and v before u earns −g[u,v]. An order and
// its reverse therefore earn opposite amounts, and the better of the two earns at least half-way between the worst and
// the best.
//
// # Decomposition
//
// If every item of A gains against every item of B or ties with it, some best order places A before B: move A's items
// forward in any best order, keeping the order within A and within B, and no pair loses. This is the extended Condorcet
// criterion (Truchon, 1998). The finest such decomposition is into the strongly connected components of the graph with
// an arc from u to v where g[u,v] > 0, in a topological order; ties make no arcs. Components are solved on their own,
// and the gains between them are reached in full. Scores that come from a model are often nearly consistent, so that
// orders of a hundred items fall apart into small components.
//
// # Requirements
//
// Workspace and Distribution take a partial order with which all orders are to agree (NewRequirement). Components then have
// an arc for each pair that is required, and the recursions visit order ideals alone: an item may come only behind a set that
// has all that is required before it. Local search starts from an order that is allowed and makes no move that is not.
//
// # Partial orders
//
// PartialWorkspace searches for partial orders, in which pairs may be left unrelated. There a pair earns one of three unrelated numbers.
// Package weak has orders with ties.
package ordering

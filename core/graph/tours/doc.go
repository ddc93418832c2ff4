// Package tours finds the closed tour of largest gain through any three or more of n vertices.
//
// A tour visits some of the vertices, each once, and returns to its first one; which vertices it visits is part of the
// choice. Going from u to v earns gain[u,v], of either sign. Gains need not be symmetric, so a tour and its reverse earn
// different amounts in general. In an anchored problem every tour must visit vertex 0: with a depot in its place, tours
// are the paths through two or more of the other vertices, and the gains of leaving and of reaching the depot are those
// of starting and of ending there.
//
// Both problems contain the travelling salesman problem. Exact solves them by dynamic programming over subsets of the
// vertices, Search by local search from several starts; Bound limits what any tour earns. Distribution is the Gibbs
// distribution over the tours of a small problem, by the same recursion: sums, marginals, draws and counts.
//
// A Mask restricts all of these to tours that use, or do not use, given arcs and vertices, and visit a number of them
// within bounds. What it forbids and what it requires makes the recursions smaller.
package tours

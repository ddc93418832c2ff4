// Package aggregate puts one ranking, or partial order, in the place of many: rank aggregation (Vembu 2010, section 3.7).
//
// A Profile holds weighted rankings of k items, which may be tied or unknown; Extend makes one of partial orders. Kemeny
// minimises Kendall's distance, Borda the squared and Footrule the absolute differences of positions; MedianRank
// approximates the latter. Each returns a Consensus, which says how far it can be from the best one. Acyclic returns the
// partial order that follows from the preferences of the majority.
//
// # Kendall's distance
//
// Everything follows from the weight w_uv of the rankings with u before v, and that of those with the two tied, which
// CountPairs finds. Items are first divided into Groups that follow one another in some best consensus, the extended
// Condorcet criterion (Truchon, 1998); every method works within these. Small groups are solved exactly by core/ordering
// and core/structure. For larger ones there are a local search, pivots (Ailon, Charikar and Newman, 2008; van Zuylen and
// Williamson, 2009) and the rounding of a linear relaxation (Ailon, 2010).
//
// Programs are not solved here. Methods MILP and LP take, for each group, what the caller's solver has found of the
// program in the variables x_uv, the extent to which u is before v: maximise Σ x_uv (w_uv − w_vu) over u < v subject to
// 0 ≤ x_uv + x_vw − x_uw ≤ 1 for u < v < w; see Programs.
//
// # Determinism
//
// No result depends on the number of workers. Where several choices are equally good the item, or the ranking, of smallest
// number is taken; sums of weights that are whole numbers, or all equal, are exact, so that ties are seen as such.
package aggregate

// Package labelrank trains linear and kernel scorers of labels from preferences between them.
//
// An example is an input x and a directed graph: an edge says that its winner is to stand before its loser. A scorer gives
// each label l the score f_l(x) = ⟨w_l, x⟩, and labels are ranked by descending score. The edges of an example are divided into
// subgraphs, each of which counts alike in the example's loss (Dekel, Manning & Singer 2003): the mean over its subgraphs of
//
//	max(0, max over the edges (u, v) of the subgraph of margin − (f_u(x) − f_v(x))).
//
// # How the pieces fit
//
// Examples hold the graphs of all rows, a graph those of one. A block is the dual problem of one row while the other rows stay
// as they are: it lives in the k scores of the row, whatever the inputs are. Solve visits the blocks of a support vector machine
// in turn, for weights of features or for coefficients of a kernel; an online learner takes the same block for each new row, or
// one of two simpler steps.
package labelrank

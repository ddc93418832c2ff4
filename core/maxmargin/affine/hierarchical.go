package affine

import (
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/structure"
)

// hierarchical returns the H-losses. Where both outputs hold the parents of their nodes, a node v below the root is the outermost wrong
// one where its parent is in both and v in one of them: with u the parent, where y_v (z_u − z_v) or (y_u − y_v) z_v is 1.
func hierarchical(psi linalg.Matrix[float64], parent []int32, siblings bool) (maxmargin.Loss, error) {
	if len(parent) != psi.Cols {
		return maxmargin.Loss{}, fault.Value("%d parents of %d nodes", len(parent), psi.Cols)
	}
	order, err := structure.TopDown(parent)
	if err != nil {
		return maxmargin.Loss{}, err
	}
	weights := nodeWeights(parent, order, siblings)
	l := maxmargin.Loss{Constant: make([]float64, psi.Rows), Gradient: linalg.NewMatrix[float64](psi.Rows, psi.Cols)}
	for i := range psi.Rows {
		y, gradient := psi.Row(i), l.Gradient.Row(i)
		for _, v := range order[1:] { // the root is in both
			u, weight := parent[v], weights[v]
			gradient[u] += weight * y[v]
			gradient[v] += weight * (y[u] - 2*y[v])
		}
	}
	return l, nil
}

// nodeWeights returns 1 for every node, or what it has of its parent's weight if that is shared among siblings.
func nodeWeights(parent, order []int32, siblings bool) []float64 {
	weights, children := make([]float64, len(parent)), make([]float64, len(parent))
	for _, v := range order[1:] {
		children[parent[v]]++
	}
	for _, v := range order {
		weights[v] = 1
		if siblings && parent[v] >= 0 {
			weights[v] = weights[parent[v]] / children[parent[v]]
		}
	}
	return weights
}

package metric

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

func matrixOf(rows ...[]float64) linalg.Matrix[float64] {
	m := linalg.NewMatrix[float64](len(rows), len(rows[0]))
	for i, row := range rows {
		copy(m.Row(i), row)
	}
	return m
}

// near fails unless values agree, NaN with NaN.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) < 1e-12) && !(math.IsNaN(got[i]) && math.IsNaN(w)) {
			t.Errorf("%s, row %d: %v, want %v", what, i, got[i], w)
		}
	}
}

// TestRankings: values by hand, a row without value, and labels left out.
func TestRankings(t *testing.T) {
	nan := math.NaN()
	truth := matrixOf([]float64{1, 2, 3, 4}, []float64{1, 2, 2, 3}, []float64{nan, nan, 1, nan}, []float64{2, nan, 1, 3})
	predicted := matrixOf([]float64{2, 1, 3, 4}, []float64{1, 2, 3, 3}, []float64{1, 2, 3, 4}, []float64{3, 1, 2, 4})
	log3, log5 := math.Log2(3), math.Log2(5)
	for _, c := range []struct {
		metric    Ranking
		parameter float64
		want      []float64
	}{
		{KendallTau, 0, []float64{4. / 6, 4. / 5, nan, 1}},
		{TauX, 0, []float64{4. / 6, 4. / 6, nan, 1}},
		{TopKRecall, 1, []float64{0, 1, nan, 1}},
		{TopKRecall, 3, []float64{1, 2.5 / 3, nan, 1}},
		{NDCG, 4, []float64{(2 + 3/log3 + .5) / (3 + 2/log3 + .5), (3 + 1.5/log3 + .75*(.5+1/log5)) / (3 + 1.5/log3 + .75), nan, 1}},
		{NDCG, 1, []float64{2. / 3, 1, nan, 1}},
		{RankBiasedOverlap, 0.5, []float64{0.5, .5 + .25*.75 + .125*2.5/3 + .125, nan, 1}},
	} {
		got := make([]float64, 4)
		if err := c.metric.ValuesTo(got, truth, predicted, c.parameter, 2, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "metric", got, c.want)
	}
	for _, c := range []struct {
		metric Ranking
		want   []float64
	}{{SpearmanRho, []float64{0.8, 3.75 / 4.5}}, {SpearmanFootrule, []float64{2, 2}}} {
		got := make([]float64, 2)
		a, b := matrixOf(truth.Row(0), truth.Row(1)), matrixOf(predicted.Row(0), predicted.Row(1))
		if err := c.metric.ValuesTo(got, a, b, 0, 1, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "Spearman's", got, c.want)
	}
}

// TestTops: with ties, measures of tops are means over all orders of the tied labels.
func TestTops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		row := [2][]float64{make([]float64, 4), make([]float64, 4)}
		for s := range row {
			for u := range row[s] {
				row[s][u] = float64(rng.IntN(3))
			}
		}
		for _, c := range []struct {
			metric    Ranking
			parameter float64
		}{{TopKRecall, 2}, {RankBiasedOverlap, 0.7}} {
			one, sum, n := make([]float64, 1), 0.0, 0.0
			for _, a := range untied(row[0]) {
				for _, b := range untied(row[1]) {
					if err := c.metric.ValuesTo(one, matrixOf(a), matrixOf(b), c.parameter, 1, nil); err != nil {
						t.Fatal(err)
					}
					sum += one[0]
					n++
				}
			}
			if err := c.metric.ValuesTo(one, matrixOf(row[0]), matrixOf(row[1]), c.parameter, 1, nil); err != nil {
				t.Fatal(err)
			}
			near(t, "with ties", one, []float64{sum / n})
		}
	}
}

// untied returns all positions without ties that agree with positions.
func untied(positions []float64) (all [][]float64) {
	var extend func(order []int)
	extend = func(order []int) {
		if len(order) == len(positions) {
			row := make([]float64, len(positions))
			for at, u := range order {
				row[u] = float64(at + 1)
			}
			all = append(all, row)
			return
		}
		least := math.Inf(1)
		used := make([]bool, len(positions))
		for _, u := range order {
			used[u] = true
		}
		for u, x := range positions {
			if !used[u] {
				least = min(least, x)
			}
		}
		for u, x := range positions {
			if !used[u] && x == least {
				extend(append(order[:len(order):len(order)], u))
			}
		}
	}
	extend(nil)
	return all
}

func TestVisits(t *testing.T) {
	for _, c := range []struct {
		metric Visits
		a, b   []int32
		want   float64
	}{
		{RouteF1, []int32{0, 1, 2, 3, -1}, []int32{0, 2, 4, 3, -1}, 0.75},
		{RouteF1, []int32{5, 5, 1, -1, -1}, []int32{5, 1, 5, 5, -1}, 6. / 7},
		{RoutePairsF1, []int32{0, 1, 2, 3, -1}, []int32{0, 2, 1, 3, -1}, 5. / 6},
		{RoutePairsF1, []int32{0, 1, 0, -1, -1}, []int32{7, -1, -1, -1, -1}, 0},
		{PolicyCosine, []int32{0, 1, 2, -1, -1}, []int32{1, 2, 0, -1, -1}, 1},
		{PolicyCosine, []int32{0, 1, 2, -1, -1}, []int32{2, 1, 0, -1, -1}, -1},
		{PolicyCosine, []int32{0, 1, 2, 3, -1}, []int32{0, 1, 4, -1, -1}, 1 / math.Sqrt(12)},
		{CycleF1, []int32{0, 1, 2, 3, -1}, []int32{3, 2, 1, 0, -1}, 1},
		{CycleF1, []int32{0, 1, 2, 3, -1}, []int32{0, 2, 1, 3, -1}, 0.5},
	} {
		got := make([]float64, 1)
		if err := c.metric.ValuesTo(got, Rows{5, c.a}, Rows{5, c.b}, 1, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "visits", got, []float64{c.want})
	}
}

// TestNodes: on a tree of a root, two nodes below it, and two below the first of these; sets are the paths of nodes.
func TestNodes(t *testing.T) {
	parent := []int32{2, 2, -1, 0, 0}
	truth, predicted := []int32{3, 3, 3, 3, 2}, []int32{3, 4, 1, 0, 2}
	want := map[Nodes][]float64{PathLength: {0, 2, 3, 1, 0}, PathDistance: {0, 0.5, 0.75, 1. / 3, 0}}
	costs := map[NodeCosts][]float64{
		UnitCosts: {0, 2, 2, 1, 0}, SiblingCosts: {0, 0.5, 1, 0.25, 0}, SubtreeCosts: {0, 0.4, 0.8, 0.2, 0}, OwnCosts: {0, 9, 3, 4, 0},
	}
	for metric, values := range slicex.InOrder(want) {
		tree, err := NewTree(parent, UnitCosts, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 5)
		if err := metric.ValuesTo(got, Rows{1, truth}, Rows{1, predicted}, tree, 2, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "nodes", got, values)
	}
	for rule, values := range slicex.InOrder(costs) {
		tree, err := NewTree(parent, rule, []float64{1, 2, 3, 4, 5})
		if err != nil {
			t.Fatal(err)
		}
		got, sets := make([]float64, 5), make([]float64, 5)
		if err := HLoss.ValuesTo(got, Rows{1, truth}, Rows{1, predicted}, tree, 2, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "H-loss", got, values)
		if err := SetHLoss.ValuesTo(sets, pathsOf(truth, parent), pathsOf(predicted, parent), tree, 2, nil); err != nil {
			t.Fatal(err)
		}
		near(t, "H-loss of sets", sets, values)
	}
}

// pathsOf returns each node with all above it as a set.
func pathsOf(nodes, parent []int32) Rows {
	r := Rows{len(parent), make([]int32, len(nodes)*len(parent))}
	for i, v := range nodes {
		for ; v >= 0; v = parent[v] {
			r.row(i)[v] = 1
		}
	}
	return r
}

// TestRefusals: what is illegal is refused with its row.
func TestRefusals(t *testing.T) {
	rankings := func(m Ranking, parameter float64, a, b []float64) error {
		fine := []float64{1, 2}
		return m.ValuesTo(make([]float64, 2), matrixOf(fine, a), matrixOf(fine, b), parameter, 1, nil)
	}
	visits := func(m Visits, a, b []int32) error {
		fine := []int32{0, 1, 2}
		return m.ValuesTo(make([]float64, 2), Rows{3, append(fine[:3:3], a...)}, Rows{3, append(fine[:3:3], b...)}, 1, nil)
	}
	nodes := func(parent []int32, cost []float64, node int32) error {
		tree, err := NewTree(parent, OwnCosts, cost)
		if err != nil {
			return err
		}
		return HLoss.ValuesTo(make([]float64, 2), Rows{1, []int32{0, 0}}, Rows{1, []int32{0, node}}, tree, 1, nil)
	}
	nan, up, cycle := math.NaN(), []float64{1, 2}, []int32{0, 1, 2}
	for i, c := range []struct {
		err error
		row int
	}{
		{rankings(KendallTau, 0, []float64{1, 1}, up), 1}, {rankings(KendallTau, 0, up, []float64{1, 1}), 1},
		{rankings(SpearmanRho, 0, []float64{1, 1}, up), 1}, {rankings(SpearmanRho, 0, up, []float64{3, 3}), 1},
		{rankings(TauX, 0, up, []float64{nan, 1}), 1}, {rankings(SpearmanRho, 0, []float64{nan, 1}, up), 1},
		{rankings(TauX, 0, []float64{-2, 1}, up), 1}, {rankings(TauX, 0, up, []float64{math.Inf(1), 1}), 1},
		{rankings(NDCG, 0, up, up), fault.NoRow}, {rankings(NDCG, 3, up, up), fault.NoRow},
		{rankings(TopKRecall, 1.5, up, up), fault.NoRow}, {rankings(RankBiasedOverlap, 1, up, up), fault.NoRow},
		{TauX.ValuesTo(make([]float64, 1), matrixOf([]float64{1}), matrixOf([]float64{1}), 0, 1, nil), fault.NoRow},
		{visits(RouteF1, []int32{-1, -1, -1}, cycle), 1}, {visits(RouteF1, cycle, []int32{0, -1, 2}), 1},
		{visits(RouteF1, cycle, []int32{0, -2, -1}), 1}, {visits(RoutePairsF1, []int32{4, 4, -1}, cycle), 1},
		{visits(CycleF1, cycle, []int32{0, 1, -1}), 1}, {visits(PolicyCosine, []int32{0, 1, 0}, cycle), 1},
		{nodes([]int32{-1, 0}, []float64{1, 1}, 2), 1}, {nodes([]int32{-1, 0}, []float64{1, -1}, 0), fault.NoRow},
		{nodes([]int32{-1, 0}, []float64{1}, 0), fault.NoRow}, {nodes([]int32{-1, -1}, []float64{1, 1}, 0), fault.NoRow},
	} {
		if c.err == nil || fault.RowOf(c.err) != c.row {
			t.Errorf("case %d: %v", i, c.err)
		}
	}
	tree, err := NewTree([]int32{-1, 0}, UnitCosts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := SetHLoss.ValuesTo(make([]float64, 2), Rows{1, []int32{0, 0}}, Rows{1, []int32{0, 0}}, tree, 1, nil); err == nil {
		t.Error("nodes are taken for sets")
	}
	var stopped parallel.Monitor
	stopped.Cancel()
	if err := TauX.ValuesTo(make([]float64, 1), matrixOf(up), matrixOf(up), 0, 1, &stopped); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("stopped: %v", err)
	}
}

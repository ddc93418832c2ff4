package direct

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/slicex"
	"combpred/core/solve"
)

// rankingsOf returns all rankings of k labels, positions from 1 on.
func rankingsOf(k int) (all [][]int32) {
	if k == 0 {
		return [][]int32{nil}
	}
	for _, rest := range rankingsOf(k - 1) {
		for at := range k {
			all = append(all, slices.Insert(slices.Clone(rest), at, int32(k)))
		}
	}
	return all
}

// lossOf returns the loss of an SVM between the observed ranking of a row and another one, by its definition.
func lossOf(d *SVM, row int, z []int32) (sum float64) {
	y, k := d.of(row), len(z)
	hits := 0
	for l, at := range y {
		if int(at) <= d.Top && int(z[l]) <= d.Top {
			hits++
		}
	}
	switch d.Loss {
	case NDCG:
		top := d.Top
		if top == 0 {
			top = k
		}
		discounted := func(z []int32) (gain float64) {
			for l, at := range y {
				if int(z[l]) <= top {
					gain += float64(int32(k)-at) / math.Log2(1+float64(z[l]))
				}
			}
			return gain
		}
		return 1 - discounted(z)/discounted(y)
	case Precision:
		return 1 - float64(hits)/float64(d.Top)
	case ByHits:
		return d.Losses[hits]
	case Listed:
		m := len(d.Listed) / k
		for j := range m {
			if slices.Equal(d.Listed[j*k:(j+1)*k], z) {
				return d.Losses[row*m+j]
			}
		}
		return math.Inf(-1)
	case ByPosition:
		for l, at := range y {
			sum += d.Losses[int(at-1)*k+int(z[l])-1]
		}
		return sum
	}
	var largest float64
	distance := func(a, b int32) float64 {
		if d.Loss == Spearman {
			return float64((a - b) * (a - b))
		}
		return math.Abs(float64(a - b))
	}
	for l, at := range y {
		sum += distance(at, z[l])
		largest += distance(int32(l+1), int32(k-l)) // of reversed rankings
	}
	return sum / largest
}

// losses are all kinds, with as many positions as there are to look at.
func losses(k int) (all []SVM) {
	all = []SVM{{Loss: Spearman}, {Loss: Footrule}, {Loss: ByPosition}, {Loss: Listed}, {Loss: NDCG}, {Loss: NDCG, Top: k}}
	for top := 1; top < k; top++ {
		all = append(all, SVM{Loss: NDCG, Top: top}, SVM{Loss: Precision, Top: top}, SVM{Loss: ByHits, Top: top})
	}
	return all
}

// drawn completes an SVM by random rankings, own losses and inputs.
func drawn(d SVM, n, k int) (*SVM, *solve.Design) {
	rng := rand.New(rand.NewPCG(4, uint64(k)))
	d.Cost, d.SVMOptions = 3, maxmargin.SVMOptions{Tol: 1e-6, MaxIter: 2000, Workers: 2}
	for j := range k {
		d.Weights = append(d.Weights, math.Pow(float64(j+2), -0.25))
	}
	for range n {
		for _, at := range rng.Perm(k) {
			d.Positions = append(d.Positions, int32(at+1))
		}
		d.Rows = append(d.Rows, 0.5+rng.Float64())
	}
	d.Rows[2] = 0
	every := rankingsOf(k)
	for _, z := range every {
		d.Listed = append(d.Listed, z...)
	}
	lengths := map[Loss]int{ByPosition: k * k, ByHits: d.Top + 1, Listed: n * len(every)}
	for range lengths[d.Loss] {
		d.Losses = append(d.Losses, rng.NormFloat64())
	}
	switch d.Loss {
	case ByPosition:
		for a := range k {
			d.Losses[a*k+a] = 0
		}
	case ByHits:
		d.Losses[d.Top] = 0
	case Listed:
		for i := range n {
			d.Losses[i*len(every)+slices.IndexFunc(every, func(z []int32) bool { return slices.Equal(z, d.of(i)) })] = 0
		}
	}
	x := &solve.Design{Rows: linalg.Rows{Dense: linalg.NewMatrix[float64](n, 2)}, Intercept: true}
	for i := range x.Dense.Data {
		x.Dense.Data[i] = rng.NormFloat64()
	}
	return &d, x
}

func TestTablesAreTheMeasures(t *testing.T) {
	for _, k := range []int{2, 3, 5} {
		for _, d := range losses(k) {
			if d.Loss > Precision {
				continue
			}
			d, _ := drawn(d, 5, k)
			top := d.Top
			if top == 0 {
				top = k
			}
			table := PositionTable(d.Loss, k, top)
			for row := range 5 {
				for _, z := range rankingsOf(k) {
					sum := 0.0
					for l, at := range d.of(row) {
						sum += table.Row(int(at) - 1)[z[l]-1]
					}
					if want := lossOf(d, row, z); math.Abs(sum-want) > 1e-12 {
						t.Errorf("loss %d, top %d: of %v and %v it is %g, want %g", d.Loss, d.Top, d.of(row), z, sum, want)
					}
				}
			}
		}
	}
}

// augmented returns the loss of a ranking plus its score.
func augmented(d *SVM, row int, z []int32, f []float64) float64 {
	value := lossOf(d, row, z)
	for l, at := range z {
		value += d.Weights[at-1] * f[l]
	}
	return value
}

// TestWorstRankingsAreWorst: of all rankings none has a larger loss plus score, whatever the scores, equal ones among them. Precision is
// found by assignments, too.
func TestWorstRankingsAreWorst(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range []int{2, 3, 4, 6} {
		for _, d := range losses(k) {
			d, _ := drawn(d, 4, k)
			psi := linalg.NewMatrix[float64](4, k)
			finders := []worst{d.newEngine(psi).newWorst()}
			if d.Loss == Precision {
				finders = append(finders, &byAssignment{SVM: d, losses: PositionTable(Precision, k, d.Top)})
			}
			found, f := make([]int32, k), make([]float64, k)
			for trial := range 40 {
				for l := range f {
					f[l] = float64(rng.IntN(4)-1) * []float64{0, 0.3, 3}[trial%3]
					if trial%2 == 1 {
						f[l] += 0.5 * rng.NormFloat64()
					}
				}
				row := trial % 4
				best := math.Inf(-1)
				for _, z := range rankingsOf(k) {
					best = max(best, augmented(d, row, z, f))
				}
				for _, w := range finders {
					loss, err := w.findTo(found, row, f, nil)
					if err != nil {
						t.Fatal(err)
					}
					z := make([]int32, k)
					for l, at := range found {
						z[l] = at + 1
					}
					if got := augmented(d, row, z, f); math.Abs(got-best) > 1e-9 || math.Abs(loss-lossOf(d, row, z)) > 1e-9 {
						t.Fatalf("loss %d, top %d, scores %v, %v: %v has %g, of which the loss %g; the best has %g", d.Loss, d.Top, f,
							d.of(row), z, got, loss, best)
					}
				}
			}
		}
	}
}

// TestReachesItsObjective: the objective is that of the list of all rankings at the weights found, and no other weights that are near have
// less than the gap below it.
func TestReachesItsObjective(t *testing.T) {
	const n, k = 12, 4
	every := rankingsOf(k)
	for _, d := range losses(k) {
		d, x := drawn(d, n, k)
		found, err := d.Train(x, nil)
		if err != nil || !found.Converged {
			t.Fatalf("loss %d: %v, converged %v", d.Loss, err, found.Converged)
		}
		objective := func(w linalg.Matrix[float64]) float64 {
			f, sum := make([]float64, k), 0.0
			for _, v := range w.Data {
				sum += v * v / 2
			}
			for i := range n {
				for l := range f {
					f[l] = x.Dense.Row(i)[0]*w.Row(0)[l] + x.Dense.Row(i)[1]*w.Row(1)[l] + w.Row(2)[l]
				}
				worst := math.Inf(-1)
				for _, z := range every {
					worst = max(worst, augmented(d, i, z, f))
				}
				own := 0.0
				for l, at := range d.of(i) {
					own += d.Weights[at-1] * f[l]
				}
				sum += d.Cost * d.Rows[i] * (worst - own)
			}
			return sum
		}
		w := linalg.NewMatrix[float64](x.Columns(), k)
		w.CopyFrom(found.Weights)
		here := objective(w)
		if math.Abs(here-found.Objective) > 1e-9*here {
			t.Errorf("loss %d, top %d: the objective is %g, reported %g", d.Loss, d.Top, here, found.Objective)
		}
		rng := rand.New(rand.NewPCG(5, 5))
		for range 100 {
			at := rng.IntN(len(w.Data))
			old := w.Data[at]
			w.Data[at] += rng.NormFloat64() * 0.05
			if other := objective(w); other < here-found.Gap {
				t.Fatalf("loss %d: an objective of %g is below %g less the gap %g", d.Loss, other, here, found.Gap)
			}
			w.Data[at] = old
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range slicex.InOrder(map[string]struct {
		loss  Loss
		spoil func(d *SVM)
		row   int // −1: none
	}{
		"twice":        {Spearman, func(d *SVM) { d.Positions[5] = d.Positions[4] }, 1},
		"position":     {Spearman, func(d *SVM) { d.Positions[8] = 0 }, 2},
		"beyond":       {Spearman, func(d *SVM) { d.Positions[8] = 5 }, 2},
		"rising":       {Spearman, func(d *SVM) { d.Weights[2] = 7 }, -1},
		"equal":        {Spearman, func(d *SVM) { d.Weights = []float64{1, 1, 1, 1} }, -1},
		"infinite":     {Spearman, func(d *SVM) { d.Weights[0] = math.Inf(1) }, -1},
		"loss":         {Spearman, func(d *SVM) { d.Loss = Listed + 1 }, -1},
		"weight":       {Spearman, func(d *SVM) { d.Rows[3] = -1 }, 3},
		"scores":       {Spearman, func(d *SVM) { d.Weights[0] = math.MaxFloat64 }, -1},
		"scores, hits": {Precision, func(d *SVM) { d.Weights[0] = math.MaxFloat64 }, -1},
		"scores, list": {Listed, func(d *SVM) { d.Weights[0] = math.MaxFloat64 }, -1},
		"all of them":  {Precision, func(d *SVM) { d.Top = 4 }, -1},
		"none":         {ByHits, func(d *SVM) { d.Top = 0 }, -1},
		"negative":     {NDCG, func(d *SVM) { d.Top = -1 }, -1},
		"more":         {NDCG, func(d *SVM) { d.Top = 5 }, -1},
		"NaN":          {ByPosition, func(d *SVM) { d.Losses[3] = math.NaN() }, -1},
		"infinities":   {Listed, func(d *SVM) { d.Losses[50] = math.Inf(1) }, 2},
		"NaN of hits":  {ByHits, func(d *SVM) { d.Losses[1] = math.NaN() }, -1},
		"trace":        {ByPosition, func(d *SVM) { d.Losses[5] = 1 }, -1},
		"own hits":     {ByHits, func(d *SVM) { d.Losses[2] = 0.5 }, -1},
		"own":          {Listed, func(d *SVM) { d.Losses[24*4+slices.Index(d.Losses[24*4:24*5], 0)] = 2 }, 4},
		"list":         {Listed, func(d *SVM) { d.Listed[4] = 9 }, -1},
		"missing":      {Listed, func(d *SVM) { copy(d.Positions[12:], d.Listed); copy(d.Listed[:4], d.Listed[4:8]) }, 3},
	}) {
		d, x := drawn(SVM{Loss: c.loss, Top: 2}, 6, 4)
		c.spoil(d)
		_, err := d.Train(x, nil)
		row := fault.RowOf(err)
		if err == nil || c.row >= 0 && row != c.row || row >= 0 && name == "list" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func Example() {
	x := linalg.NewMatrix[float64](2, 1)
	x.Data[0], x.Data[1] = -1, 1
	d := SVM{Loss: Precision, Top: 1, Weights: []float64{1, 0, 0}, Positions: []int32{1, 2, 3, 3, 2, 1}, Cost: 10,
		SVMOptions: maxmargin.SVMOptions{Tol: 1e-9, MaxIter: 100, Workers: 1}}
	found, err := d.Train(&solve.Design{Rows: linalg.Rows{Dense: x}}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("weights %.2f, objective %.2f\n", found.Weights.Data, found.Objective)
	// Output: weights [-1.00 0.00 1.00], objective 1.00
}

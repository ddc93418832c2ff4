package solve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
)

// The losses that a descent adds up are those of the objective, and the curvature bounds their second derivative, by no more than a factor
// of 2 where a row has one output.
func TestLossesAndCurvaturesAreThoseOfTheObjective(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		p := in.Problem(t, 1)
		dual := in.Start(rand.New(rand.NewPCG(3, 4)))
		scores := in.Scores(dual)
		f := p.NewBlock()
		p.Coord.AnalyzeTo(f, scores)
		var total float64
		for i := range scores.Rows {
			total += p.Loss(i, f.Row(i)) + in.Lambda*linalg.Dot(dual.Row(i), scores.Row(i))
		}
		if want := in.Objective(dual); math.Abs(total-want) > 1e-8*(1+math.Abs(want)) {
			t.Errorf("%s: %g, want %g", in.Name, total, want)
		}
		for i := range in.K.Rows {
			b, _ := in.Quadratic(i)
			m := linalg.NewMatrix[float64](in.Psi.Cols, in.Psi.Cols)
			for j := range m.Rows {
				for l := range m.Cols {
					m.Row(j)[l] = in.Weight(i) * b.At(j, l)
				}
			}
			values, err := linalg.SymEig(linalg.General(m))
			if err != nil {
				t.Fatal(err)
			}
			top, bound := values[len(values)-1], p.Curvature(i)
			if bound < top-1e-9 || in.First == nil && bound > 2*top+1e-9 {
				t.Errorf("%s, row %d: bound %g of %g", in.Name, i, bound, top)
			}
		}
	}
}

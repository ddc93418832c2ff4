package solve

import (
	"math"
	"testing"

	"combpred/core/linalg"
)

// The primal solver finds W with the same scores and objective, dense and sparse, with and without the constant feature.
func TestPrimalMatchesDual(t *testing.T) {
	for _, in := range instances(t) {
		t.Run(in.name, func(t *testing.T) {
			m, d := in.k.Rows, in.psi.Cols
			design := &Design{N: m, P: 3, Intercept: in.shift == 1, Dense: in.x}
			sparse := &Design{N: m, P: 3, Intercept: design.Intercept, Rows: csr(in.x, false), Cols: csr(in.x, true)}
			p := in.problem(t, 2)
			q := design.Len()
			gram := linalg.NewMatrix[float64](q, q)
			row := make([]float64, q)
			for i := range m {
				design.rowTo(row, i)
				for j := range q {
					axpy(gram.Row(j), row, row[j]*p.Root[i]*p.Root[i])
				}
			}
			s, err := linalg.SymEig(linalg.General(gram))
			if err != nil {
				t.Fatal(err)
			}
			want := in.scores(in.expected)
			for name, x := range map[string]*Design{"dense": design, "sparse": sparse} {
				c := linalg.NewMatrix[float64](q, p.Coord.Len())
				solver, err := NewPrimal(p, x, s, gram)
				if err != nil {
					t.Fatal(err)
				}
				info, err := solver.Solve(c, Options{Tol: 1e-10})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if gap := relativeGap(info.Objective, in.value); gap > 1e-8 {
					t.Errorf("%s: objective %g, want %g", name, info.Objective, in.value)
				}
				w := linalg.NewMatrix[float64](q, d)
				p.Coord.SynthesizeTo(w, c)
				for i := range m {
					x.rowTo(row, i)
					for j := range d {
						var f float64
						for k, xk := range row {
							f += xk * w.Row(k)[j]
						}
						if math.Abs(f-want.Row(i)[j]) > 1e-7 {
							t.Fatalf("%s: score[%d,%d] = %g, want %g", name, i, j, f, want.Row(i)[j])
						}
					}
				}
			}
		})
	}
}

func csr(x matrix, transpose bool) *Sparse {
	rows, cols := x.Rows, x.Cols
	at := func(i, j int) float64 { return x.Row(i)[j] }
	if transpose {
		rows, cols = cols, rows
		at = func(i, j int) float64 { return x.Row(j)[i] }
	}
	s := &Sparse{Rows: rows, Cols: cols, Indptr: []int64{0}}
	for i := range rows {
		for j := range cols {
			s.Data, s.Indices = append(s.Data, at(i, j)), append(s.Indices, int32(j))
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return s
}

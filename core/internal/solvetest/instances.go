// Package solvetest holds small training problems with their solutions by enumeration, to test solvers on.
package solvetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"combpred/core/internal/structuretest"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// Instance is a small random training problem on an enumerable space.
type Instance struct {
	Name     string
	Space    structure.Space
	K        matrix
	X        matrix // the kernel matrix is K + Shift, K = XXᵀ
	Shift    float64
	Psi      matrix
	Mean     []float64
	All      [][]float64 // ψ of every member
	Weights  []float64
	First    []int // of sets of outputs, or nil
	chosen   []int // the member of the space in each row of psi
	Lambda   float64
	Margin   bool
	Expected matrix // the minimiser, by elimination on the enumerated loss
	Value    float64
}

// Instances covers every registered structure at its enumerable sizes, both losses, with and without weights.
func Instances(t *testing.T) []Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	var out []Instance
	for _, spec := range structure.Catalogue() {
		for n, args := range structuretest.SizesOf(t, spec.Name).Small {
			if testing.Short() && n != 1 { // the race detector sees the same accesses at any size
				continue
			}
			space, err := spec.New(args)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := space.(structure.Momenter); !ok {
				continue // a space to decode in, not to learn from
			}
			if space.Facts().Moments != structure.ExactMoments {
				continue // it learns as the larger space does whose averages it takes, which is an instance by itself
			}
			d := space.FeatureLen()
			var all [][]float64
			for y := range space.(structure.Enumerator).All() {
				psi := make([]float64, d)
				space.Embed(psi, y)
				all = append(all, psi)
			}
			m := 7
			if d*m > 150 || len(all) > 3000 {
				continue
			}
			for variant := range 6 {
				sets := variant >= 4
				if sets && len(all) < 7 {
					continue
				}
				in := Instance{Space: space, All: all, Lambda: 0.05 + rng.Float64(), Margin: variant%2 == 0,
					Shift: float64(variant / 2 % 2), Mean: make([]float64, d)}
				in.Name = fmt.Sprintf("%s/%d/margin=%v/weighted=%v/sets=%v", spec.Name, n, in.Margin, variant >= 2, sets)
				space.(structure.Momenter).Mean(in.Mean)
				in.X = linalg.NewMatrix[float64](m, 3)
				for i := range in.X.Data {
					in.X.Data[i] = rng.NormFloat64()
				}
				in.K = linalg.NewMatrix[float64](m, m)
				linalg.Gemm(blas.NoTrans, blas.Trans, 1, in.X, in.X, 0, in.K)
				outputs := m
				if sets { // of one to three different outputs
					in.First = []int{0}
					for i := range m {
						in.First = append(in.First, in.First[i]+1+i%3)
					}
					outputs = in.First[m]
				}
				in.Psi = linalg.NewMatrix[float64](outputs, d)
				for i := range m {
					chosen := rng.Perm(len(all))
					lo, hi := in.Outputs(i)
					for a := lo; a < hi; a++ {
						copy(in.Psi.Row(a), all[chosen[a-lo]])
						in.chosen = append(in.chosen, chosen[a-lo])
					}
				}
				if variant >= 2 {
					in.Weights = make([]float64, m)
					for i := range m {
						in.Weights[i] = rng.Float64() * 3
					}
					in.Weights[2] = 0
				}
				in.Expected = in.Eliminate(-1)
				in.Value = in.Objective(in.Expected)
				out = append(out, in)
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("no structure is registered")
	}
	return out
}

// Outputs returns the range of the rows of ψ that belong to example i.
func (in *Instance) Outputs(i int) (lo, hi int) {
	if in.First == nil {
		return i, i + 1
	}
	return in.First[i], in.First[i+1]
}

// has says whether a member of the space is an output of example i.
func (in *Instance) has(i, member int) bool {
	lo, hi := in.Outputs(i)
	return slices.Contains(in.chosen[lo:hi], member)
}

// Weight returns the weight of example i.
func (in *Instance) Weight(i int) float64 {
	if in.Weights == nil {
		return 1
	}
	return in.Weights[i]
}

// Quadratic returns B and g of row i's loss ½fᵀBf + gᵀf + const, by enumeration: the second-order bound of the AUC loss averages
// u + u²/2 over u = ⟨f, ψ_z − ψ_y⟩ for the outputs y of the row and all z that are none, the squared loss is ½‖f − ψ̃_y‖².
func (in *Instance) Quadratic(i int) (b *mat.Dense, g []float64) {
	d := in.Psi.Cols
	b, g = mat.NewDense(d, d, nil), make([]float64, d)
	for a, hi := in.Outputs(i); a < hi; a++ {
		psi := in.Psi.Row(a)
		if !in.Margin {
			for j := range d {
				b.Set(j, j, b.At(j, j)+1)
				g[j] += in.Mean[j] - psi[j]
			}
			continue
		}
		for member, z := range in.All {
			if in.has(i, member) {
				continue
			}
			for j := range d {
				u := (z[j] - psi[j]) / float64(len(in.All))
				g[j] += u
				for l := range d {
					b.Set(j, l, b.At(j, l)+u*(z[l]-psi[l]))
				}
			}
		}
	}
	return b, g
}

// Eliminate returns the dual coefficients that solve 2λa_i + w_i(B_i f_i + g_i) = 0, f = Ka, by elimination on all m·d unknowns.
// The margin term of row removed (if not negative) is left out, which leaves ½fᵀΣf.
func (in *Instance) Eliminate(removed int) matrix {
	m, d := in.K.Rows, in.Psi.Cols
	a := mat.NewDense(m*d, m*d, nil)
	rhs := mat.NewVecDense(m*d, nil)
	for i := range m {
		b, g := in.Quadratic(i)
		if i == removed {
			b, g = in.Covariance(), make([]float64, d)
		}
		for j := range d {
			rhs.SetVec(i*d+j, -in.Weight(i)*g[j])
			a.Set(i*d+j, i*d+j, 2*in.Lambda)
			for i2 := range m {
				for l := range d {
					v := in.Weight(i) * b.At(j, l) * (in.K.Row(i)[i2] + in.Shift)
					a.Set(i*d+j, i2*d+l, a.At(i*d+j, i2*d+l)+v)
				}
			}
		}
	}
	x := mat.NewVecDense(m*d, nil)
	if err := x.SolveVec(a, rhs); err != nil {
		panic(err)
	}
	return linalg.Matrix[float64]{Rows: m, Cols: d, Stride: d, Data: x.RawVector().Data}
}

// Covariance returns Σ, by enumeration.
func (in *Instance) Covariance() *mat.Dense {
	d := in.Psi.Cols
	c := mat.NewDense(d, d, nil)
	for _, z := range in.All {
		for j := range d {
			for l := range d {
				c.Set(j, l, c.At(j, l)+(z[j]-in.Mean[j])*(z[l]-in.Mean[l])/float64(len(in.All)))
			}
		}
	}
	return c
}

// Scores returns the scores of all examples under the given dual coefficients.
func (in *Instance) Scores(dual matrix) matrix {
	f := linalg.NewMatrix[float64](dual.Rows, dual.Cols)
	k := linalg.NewMatrix[float64](in.K.Rows, in.K.Cols)
	for i, v := range in.K.Data {
		k.Data[i] = v + in.Shift
	}
	linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, k, dual, 0, f)
	return f
}

// Objective is the training objective with the enumerated loss.
func (in *Instance) Objective(dual matrix) float64 {
	f := in.Scores(dual)
	var v float64
	for i := range f.Rows {
		v += in.Lambda * linalg.Dot(dual.Row(i), f.Row(i))
		for a, hi := in.Outputs(i); a < hi; a++ {
			psi := in.Psi.Row(a)
			if !in.Margin {
				for j, fj := range f.Row(i) {
					r := fj - (psi[j] - in.Mean[j])
					v += in.Weight(i) * r * r / 2
				}
				continue
			}
			for member, z := range in.All {
				if in.has(i, member) {
					continue
				}
				u := linalg.Dot(f.Row(i), z) - linalg.Dot(f.Row(i), psi)
				v += in.Weight(i) * (u + u*u/2) / float64(len(in.All))
			}
		}
	}
	return v
}

// Problem returns the instance as solvers take it.
func (in *Instance) Problem(t *testing.T, workers int) *solve.Problem {
	t.Helper()
	coord := solve.IdentityCoordinates(in.Psi.Cols)
	if in.Margin {
		var err error
		if coord, err = solve.NewCoordinates(in.Space); err != nil {
			t.Fatal(err)
		}
	}
	p, err := solve.NewProblem(in.Lambda, in.Margin, coord, solve.Targets{Psi: in.Psi, Mean: in.Mean, Weights: in.Weights, First: in.First,
		Share: 2 / float64(len(in.All))}, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Rankings returns an instance on permutations with the AUC loss.
func Rankings(t *testing.T) Instance {
	t.Helper()
	for _, in := range Instances(t) {
		if strings.HasPrefix(in.Name, "permutations") && in.Margin && in.Psi.Cols >= 3 {
			return in
		}
	}
	t.Fatal("no instance on permutations")
	return Instance{}
}

// Start draws coefficients in the span of the outputs, where all solutions are.
func (in *Instance) Start(rng *rand.Rand) matrix {
	a := linalg.NewMatrix[float64](in.K.Rows, in.Psi.Cols)
	for i := range a.Rows {
		for j, v := range in.All[rng.IntN(len(in.All))] {
			a.Row(i)[j] = 0.1 * (v - in.Mean[j])
		}
	}
	return a
}

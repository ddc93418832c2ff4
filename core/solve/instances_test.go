package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"combpred/core/linalg"
	"combpred/core/structure"
	"combpred/core/structure/structuretest"
)

// instance is a small random training problem on an enumerable space.
type instance struct {
	name     string
	space    structure.Space
	k        matrix
	x        matrix // k = xxᵀ + shift
	shift    float64
	psi      matrix
	mean     []float64
	all      [][]float64 // ψ of every member
	weights  []float64
	first    []int // of sets of outputs, or nil
	chosen   []int // the member of the space in each row of psi
	lambda   float64
	margin   bool
	expected matrix // the minimiser, by elimination on the enumerated loss
	value    float64
}

// instances covers every registered structure at its enumerable sizes, both losses, with and without weights.
func instances(t *testing.T) []instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	var out []instance
	for _, spec := range structure.Catalogue() {
		for n, args := range structuretest.SizesOf(t, spec.Name).Small {
			if testing.Short() && n != 1 { // the race detector sees the same accesses at any size
				continue
			}
			space, err := spec.New(args)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := space.(structure.Moments); !ok {
				continue // a space to decode in, not to learn from
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
				in := instance{space: space, all: all, lambda: 0.05 + rng.Float64(), margin: variant%2 == 0,
					shift: float64(variant / 2 % 2), mean: make([]float64, d)}
				in.name = fmt.Sprintf("%s/%d/margin=%v/weighted=%v/sets=%v", spec.Name, n, in.margin, variant >= 2, sets)
				space.(structure.Moments).Mean(in.mean)
				in.x = linalg.NewMatrix[float64](m, 3)
				for i := range in.x.Data {
					in.x.Data[i] = rng.NormFloat64()
				}
				in.k = linalg.NewMatrix[float64](m, m)
				linalg.Gemm(blas.NoTrans, blas.Trans, 1, in.x, in.x, 0, in.k)
				outputs := m
				if sets { // of one to three different outputs
					in.first = []int{0}
					for i := range m {
						in.first = append(in.first, in.first[i]+1+i%3)
					}
					outputs = in.first[m]
				}
				in.psi = linalg.NewMatrix[float64](outputs, d)
				for i := range m {
					chosen := rng.Perm(len(all))
					lo, hi := in.outputs(i)
					for a := lo; a < hi; a++ {
						copy(in.psi.Row(a), all[chosen[a-lo]])
						in.chosen = append(in.chosen, chosen[a-lo])
					}
				}
				if variant >= 2 {
					in.weights = make([]float64, m)
					for i := range m {
						in.weights[i] = rng.Float64() * 3
					}
					in.weights[2] = 0
				}
				in.expected = in.eliminate(-1)
				in.value = in.objective(in.expected)
				out = append(out, in)
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("no structure is registered")
	}
	return out
}

// outputs returns the range of the rows of ψ that belong to example i.
func (in *instance) outputs(i int) (lo, hi int) {
	if in.first == nil {
		return i, i + 1
	}
	return in.first[i], in.first[i+1]
}

// has says whether a member of the space is an output of example i.
func (in *instance) has(i, member int) bool {
	lo, hi := in.outputs(i)
	return slices.Contains(in.chosen[lo:hi], member)
}

func (in *instance) weight(i int) float64 {
	if in.weights == nil {
		return 1
	}
	return in.weights[i]
}

// quadratic returns B and g of row i's loss ½fᵀBf + gᵀf + const, by enumeration: the second-order bound of the AUC loss averages
// u + u²/2 over u = ⟨f, ψ_z − ψ_y⟩ for the outputs y of the row and all z that are none, the squared loss is ½‖f − ψ̃_y‖².
func (in *instance) quadratic(i int) (b *mat.Dense, g []float64) {
	d := in.psi.Cols
	b, g = mat.NewDense(d, d, nil), make([]float64, d)
	for a, hi := in.outputs(i); a < hi; a++ {
		psi := in.psi.Row(a)
		if !in.margin {
			for j := range d {
				b.Set(j, j, b.At(j, j)+1)
				g[j] += in.mean[j] - psi[j]
			}
			continue
		}
		for member, z := range in.all {
			if in.has(i, member) {
				continue
			}
			for j := range d {
				u := (z[j] - psi[j]) / float64(len(in.all))
				g[j] += u
				for l := range d {
					b.Set(j, l, b.At(j, l)+u*(z[l]-psi[l]))
				}
			}
		}
	}
	return b, g
}

// eliminate returns the dual coefficients that solve 2λa_i + w_i(B_i f_i + g_i) = 0, f = Ka, by elimination on all m·d unknowns.
// The margin term of row removed (if not negative) is left out, which leaves ½fᵀΣf.
func (in *instance) eliminate(removed int) matrix {
	m, d := in.k.Rows, in.psi.Cols
	a := mat.NewDense(m*d, m*d, nil)
	rhs := mat.NewVecDense(m*d, nil)
	for i := range m {
		b, g := in.quadratic(i)
		if i == removed {
			b, g = in.covariance(), make([]float64, d)
		}
		for j := range d {
			rhs.SetVec(i*d+j, -in.weight(i)*g[j])
			a.Set(i*d+j, i*d+j, 2*in.lambda)
			for i2 := range m {
				for l := range d {
					v := in.weight(i) * b.At(j, l) * (in.k.Row(i)[i2] + in.shift)
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

func (in *instance) covariance() *mat.Dense {
	d := in.psi.Cols
	c := mat.NewDense(d, d, nil)
	for _, z := range in.all {
		for j := range d {
			for l := range d {
				c.Set(j, l, c.At(j, l)+(z[j]-in.mean[j])*(z[l]-in.mean[l])/float64(len(in.all)))
			}
		}
	}
	return c
}

func (in *instance) scores(dual matrix) matrix {
	f := linalg.NewMatrix[float64](dual.Rows, dual.Cols)
	k := linalg.NewMatrix[float64](in.k.Rows, in.k.Cols)
	for i, v := range in.k.Data {
		k.Data[i] = v + in.shift
	}
	linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, k, dual, 0, f)
	return f
}

// objective is the training objective with the enumerated loss.
func (in *instance) objective(dual matrix) float64 {
	f := in.scores(dual)
	var v float64
	for i := range f.Rows {
		v += in.lambda * dot(dual.Row(i), f.Row(i))
		for a, hi := in.outputs(i); a < hi; a++ {
			psi := in.psi.Row(a)
			if !in.margin {
				for j, fj := range f.Row(i) {
					r := fj - (psi[j] - in.mean[j])
					v += in.weight(i) * r * r / 2
				}
				continue
			}
			for member, z := range in.all {
				if in.has(i, member) {
					continue
				}
				u := dot(f.Row(i), z) - dot(f.Row(i), psi)
				v += in.weight(i) * (u + u*u/2) / float64(len(in.all))
			}
		}
	}
	return v
}

func (in *instance) problem(t *testing.T, workers int) *Problem {
	t.Helper()
	coord := IdentityCoordinates(in.psi.Cols)
	if in.margin {
		var err error
		if coord, err = NewCoordinates(in.space); err != nil {
			t.Fatal(err)
		}
	}
	p, err := NewProblem(in.lambda, in.margin, coord, Targets{Psi: in.psi, Mean: in.mean, Weights: in.weights, First: in.first,
		Share: 2 / float64(len(in.all))}, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// eigen returns the eigendecomposition of D(K + shift)D.
func (in *instance) eigen(t *testing.T, p *Problem) ([]float64, matrix) {
	t.Helper()
	v := linalg.NewMatrix[float64](in.k.Rows, in.k.Cols)
	for i := range v.Rows {
		for j := range v.Cols {
			v.Row(i)[j] = p.Root[i] * p.Root[j] * (in.k.Row(i)[j] + in.shift)
		}
	}
	s, err := linalg.SymEig(linalg.General(v))
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}

// inPsi turns coefficients in coordinates of K̃ into dual coefficients of K.
func inPsi(p *Problem, c matrix, d int) matrix {
	for i, r := range p.Root {
		scaleTo(c.Row(i), r, c.Row(i))
	}
	out := linalg.NewMatrix[float64](c.Rows, d)
	p.Coord.SynthesizeTo(out, c)
	return out
}

func relativeGap(got, want float64) float64 {
	return math.Abs(got-want) / math.Max(math.Abs(want), 1e-12)
}

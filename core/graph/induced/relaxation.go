package induced

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// mostSweeps bounds the sweeps over the vectors, leastGain is the relative gain below which they end.
	mostSweeps = 200
	leastGain  = 1e-5
)

// relaxation is the semidefinite relaxation of one problem. With x_u = (1 + s_u)/2 for signs s_u and one more sign s_0
// = 1, the weight of a set is constant + Σ_{i<j} q_ij s_i s_j; replacing the signs by unit vectors can only raise the
// maximum.
type relaxation struct {
	m, rank  int // m = n+1 vectors; the last one stands for the constant sign
	constant float64
	exponent int       // q is scaled by 2^−exponent, so that squares neither overflow nor vanish
	q        []float64 // m×m, symmetric, zero diagonal, the largest entry near 1
	vector   []float64 // m×rank
	norm     []float64 // |Σ_j q_ij v_j|
	factor   []float64 // m×m, scratch of the proof
}

// solve maximises over the vectors one at a time: v_i becomes the direction of Σ_j q_ij v_j (the mixing method; Wang,
// Chang and Kolter, 2017). With a rank above √(2m) this converges to the maximum. Cost: O(m² √m) for each sweep.
func (r *relaxation) solve(p *problem, poll *parallel.Poll) {
	r.load(p)
	m, k := r.m, r.rank
	rng := rand.New(rand.NewPCG(1, uint64(m))) // a fixed start
	for i := range m {
		v := r.vector[i*k : (i+1)*k]
		for c := range v {
			v[c] = rng.NormFloat64()
		}
		floats.Scale(1/floats.Norm(v, 2), v)
	}
	sum := make([]float64, k)
	last := math.Inf(-1)
	for range mostSweeps {
		var total float64
		for i := range m {
			clear(sum)
			for j, q := range r.q[i*m : (i+1)*m] {
				if q == 0 {
					continue
				}
				floats.AddScaled(sum, q, r.vector[j*k:(j+1)*k])
			}
			r.norm[i] = floats.Norm(sum, 2)
			total += r.norm[i]
			if r.norm[i] > 0 {
				copy(r.vector[i*k:(i+1)*k], sum)
				floats.Scale(1/r.norm[i], r.vector[i*k:(i+1)*k])
			}
		}
		if total-last <= leastGain*total || poll.Stopped() {
			return
		}
		last = total
	}
}

func (r *relaxation) load(p *problem) {
	n := p.n
	r.m = n + 1
	r.rank = int(math.Sqrt(2*float64(r.m))) + 2
	r.q, r.vector = slicex.Grow(r.q, r.m*r.m), slicex.Grow(r.vector, r.m*r.rank)
	r.norm, r.factor = slicex.Grow(r.norm, r.m), slicex.Grow(r.factor, r.m*r.m)
	clear(r.q)
	r.constant = 0
	for u := range n {
		sum := p.linear[u] / 2
		for v, x := range p.weight[u*n : (u+1)*n] {
			r.q[u*r.m+v] = x / 4
			sum += x / 4
		}
		r.q[u*r.m+n], r.q[n*r.m+u] = sum, sum
		r.constant += sum/2 + p.linear[u]/4
	}
	var largest float64
	for _, q := range r.q {
		largest = max(largest, math.Abs(q))
	}
	_, r.exponent = math.Frexp(largest)
	for i, q := range r.q {
		r.q[i] = math.Ldexp(q, -r.exponent)
	}
}

// bound returns a proven bound on the weight of every set: for t with Diag(t) − Q positive semidefinite, sᵀQs/2 ≤ Σt/2.
// At the maximum t is the vector of norms; near it a small shift of t suffices, and a Cholesky factor proves it,
// rounding allowed for (Rump, 2006). Cost: O(m³) for each of some ten shifts.
func (r *relaxation) bound() float64 {
	var total float64
	for _, t := range r.norm {
		total += t
	}
	if total == 0 {
		return r.constant
	}
	mean := total / float64(r.m)
	shift := 1e-7 * mean
	for !r.definite(shift) { // ends: a shift of the largest sum of |q| in a row makes the diagonal dominant
		shift *= 4
	}
	low := shift / 4
	for range 3 {
		if middle := math.Sqrt(low * shift); r.definite(middle) {
			shift = middle
		} else {
			low = middle
		}
	}
	rounding := float64(r.m+2) * 0x1p-51 * (total + float64(r.m)*shift)
	return r.constant + math.Ldexp((total+float64(r.m)*(shift+rounding))/2, r.exponent)
}

// definite reports whether Diag(norm + shift) − Q has a Cholesky factor.
func (r *relaxation) definite(shift float64) bool {
	m, l := r.m, r.factor
	for i := range m {
		ri := l[i*m : (i+1)*m]
		for j := range i + 1 {
			rj := l[j*m : (j+1)*m]
			s := -r.q[i*m+j]
			if i == j {
				s = r.norm[i] + shift
			}
			s -= floats.Dot(rj[:j], ri[:j])
			if i != j {
				ri[j] = s / rj[j]
				continue
			}
			if !(s > 0) {
				return false
			}
			ri[i] = math.Sqrt(s)
		}
	}
	return true
}

// roundTo marks the vertices on the same side of a random hyperplane as the constant sign (Goemans and Williamson,
// 1995).
func (r *relaxation) roundTo(chosen []bool, rng *rand.Rand) {
	k := r.rank
	normal := make([]float64, k)
	for c := range normal {
		normal[c] = rng.NormFloat64()
	}
	side := func(i int) bool {
		return floats.Dot(r.vector[i*k:(i+1)*k], normal) >= 0
	}
	for u := range chosen {
		chosen[u] = side(u) == side(r.m-1)
	}
}

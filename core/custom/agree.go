package custom

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// These checks tell whether draws agree with what is said of a space. They rest on inequalities of Bernstein's kind, not on normal
// approximations, so that the bound on false alarms holds for any number of draws, if no entry of ψ is larger than the largest one drawn.
const (
	// falseAlarm bounds the probability that a check fails for uniform draws.
	falseAlarm = 1e-6
	// exact is the relative difference of numbers that counts as rounding.
	exact = 1e-9
)

// CheckDraws returns nil where there are draws, all of them finite. A few of them agree with everything.
func CheckDraws(psi matrix) error {
	if psi.Rows == 0 {
		return fault.Value("no draws tell nothing; take at least one, and thousands to detect small errors")
	}
	return embeddings(psi)
}

// CheckMoments returns an error where averages over draws psi are farther from the moments of a space than chance allows.
//
// Bernstein's inequality bounds that, for all entries together, with the variances that the moments themselves imply: for |ψ_i| ≤ B the
// variance of ψ_iψ_j is at most B² min(M_ii, M_jj).
func CheckMoments(moments structure.Momenter, psi matrix) error {
	n, d := float64(psi.Rows), psi.Cols
	mean, drawn := make([]float64, d), make([]float64, d)
	second, drawnSecond := linalg.NewMatrix[float64](d, d), linalg.NewMatrix[float64](d, d)
	moments.Mean(mean)
	moments.SecondMoment(linalg.General(second))
	linalg.Gemm(blas.Trans, blas.NoTrans, 1/n, psi, psi, 0, drawnSecond)
	var largest float64
	for i := range psi.Rows {
		floats.AddScaled(drawn, 1/n, psi.Row(i))
		largest = max(largest, floats.Norm(psi.Row(i), math.Inf(1)))
	}
	level, square := math.Log(2*float64(d+d*d)/falseAlarm), largest*largest
	check := func(name string, given, drawn, variance, reach float64) error {
		allowed := math.Sqrt(2*max(variance, 0)*level/n) + reach*level*4/(3*n)
		if math.Abs(drawn-given) <= allowed+exact*(1+square) {
			return nil
		}
		return fault.Value("%s is %.4g, but that of %d draws of sample is %.4g, farther than chance allows (%.2g): sample is not uniform, "+
			"or the moments are wrong", name, given, psi.Rows, drawn, allowed)
	}
	for i := range d {
		variance := second.Row(i)[i] - mean[i]*mean[i]
		if err := check(fmt.Sprintf("mean[%d]", i), mean[i], drawn[i], variance, largest); err != nil {
			return err
		}
	}
	for i := range d {
		for j := range i + 1 {
			variance := square * min(second.Row(i)[i], second.Row(j)[j])
			name := fmt.Sprintf("second_moment[%d, %d]", i, j)
			if err := check(name, second.Row(i)[j], drawnSecond.Row(i)[j], variance, square); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckRank returns an error where the moments of a space have a covariance of so large a rank that it takes more outputs than there are.
func CheckRank(space structure.Space, moments structure.Momenter, mon *parallel.Monitor) error {
	log, said, err := counted(space)
	if err != nil {
		return err
	}
	d := space.FeatureLen()
	mean, covariance := make([]float64, d), linalg.NewMatrix[float64](d, d)
	moments.Mean(mean)
	moments.SecondMoment(linalg.General(covariance))
	trace := 1e-300
	for i, v := range mean {
		trace += covariance.Row(i)[i]
		floats.AddScaled(covariance.Row(i), -v, mean)
	}
	values, err := symEig(covariance, mon)
	if err != nil {
		return err
	}
	rank := floats.Count(func(v float64) bool { return v > exact*trace }, values)
	if log < math.Log1p(float64(rank))-exact {
		return fault.Value("%s, but their ψ spans %d dimensions around its mean, which takes %d at least; log_count is a natural logarithm",
			said, rank, rank+1)
	}
	return nil
}

// CheckCount returns an error where draws psi show more different outputs, or one output more often, than uniform ones would.
//
// Two union bounds for n uniform draws from N outputs tell: they show D outputs or fewer with probability at most C(N, D)(D/N)ⁿ, and one
// output has a share q of the draws or more with probability at most N exp(−n KL(q ‖ 1/N)) (Chernoff).
func CheckCount(space structure.Space, psi matrix) error {
	log, said, err := counted(space)
	if err != nil {
		return err
	}
	often, key := make(map[string]int), make([]byte, 0, 8*psi.Cols)
	most := 0
	for i := range psi.Rows {
		key = key[:0]
		for _, v := range psi.Row(i) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v+0)) // −0 is 0
		}
		often[string(key)]++
		most = max(most, often[string(key)])
	}
	n, different, level := float64(psi.Rows), len(often), math.Log(falseAlarm/2)
	logDifferent := math.Log(float64(different))
	if logDifferent > log+exact {
		return fault.Value("%s, and %d of the draws are different", said, different)
	}
	if float64(different)*(log-logDifferent+1)+n*(logDifferent-log) < level {
		return fault.Value("%s, of which %d draws should show more than %d: correct it, or sample", said, psi.Rows, different)
	}
	q, p := float64(most)/n, math.Exp(-log)
	divergence := q * (math.Log(q) + log)
	if most < psi.Rows {
		divergence += (1 - q) * (math.Log1p(-q) - math.Log1p(-p))
	}
	if q > p && log-n*divergence < level {
		return fault.Value("%s, and one of them is %d of %d draws: sample is not uniform, or embed not injective", said, most, psi.Rows)
	}
	return nil
}

// counted returns the logarithm of the number of outputs of a space, and what messages say of it.
func counted(space structure.Space) (log float64, said string, err error) {
	log, err = structure.LogCount(space)
	if err == nil && math.IsNaN(log) {
		err = fault.Capability("the number of outputs is not known")
	}
	return log, fmt.Sprintf("log_count=%.6g stands for %.4g outputs", log, math.Exp(min(log, 700))), err
}

// CheckMoves returns an error where the changes of ψ by accepted moves from uniform draws are not 0 on average.
//
// A chain of Metropolis and Hastings at scores of 0 goes from a uniform output to a uniform one. Half of the draws tell in which direction
// the mean is largest, and the others whether it is 0 in that direction, by an empirical Bernstein inequality (Maurer and Pontil, 2009):
// so one number is tested, and not d.
func CheckMoves(change matrix) error {
	direction := make([]float64, change.Cols)
	half := float64((change.Rows + 1) / 2)
	for i := 0; i < change.Rows; i += 2 {
		floats.AddScaled(direction, 1/half, change.Row(i))
	}
	var tested []float64
	var largest float64
	for i := range change.Rows {
		along := floats.Dot(direction, change.Row(i))
		largest = max(largest, math.Abs(along))
		if i%2 == 1 {
			tested = append(tested, along)
		}
	}
	n, level := float64(len(tested)), math.Log(4/falseAlarm)
	if n < 2 {
		return nil
	}
	mean, variance := stat.MeanVariance(tested, nil)
	if math.Abs(mean) > math.Sqrt(2*variance*level/n)+14*largest*level/(3*(n-1)) {
		return fault.Value("moves from uniform draws do not lead to uniform outputs; give log_ratio, the logarithm of " +
			"q(y | z) / q(z | y) for a move from y to z, or correct it, or sample")
	}
	return nil
}

package chain

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/dsp/fourier"

	"combpred/core/parallel"
)

// Autocorrelation writes the autocorrelations of x at lags 0 to len(dst)−1, which must be less than len(x), to dst:
// autocovariances, their sums divided by len(x) at every lag, over the one at lag 0. NaN where x is constant.
// Cost: O(n log n).
func Autocorrelation(dst, x []float64) {
	autocovariance(dst, x)
	scale := dst[0]
	for i := range dst {
		if scale > 0 {
			dst[i] /= scale
		} else {
			dst[i] = math.NaN()
		}
	}
}

// autocovariance writes the autocovariances of x at lags 0 to len(dst)−1 to dst: the inverse transform of the power
// spectrum of x − mean, followed by as many zeros.
func autocovariance(dst, x []float64) {
	n := len(x)
	size := 1
	for size < 2*n {
		size *= 2
	}
	fft := fourier.NewFFT(size)
	padded := make([]float64, size)
	mean := average(x)
	for i, v := range x {
		padded[i] = v - mean
	}
	spectrum := fft.Coefficients(nil, padded)
	for i, c := range spectrum {
		spectrum[i] = complex(real(c)*real(c)+imag(c)*imag(c), 0)
	}
	fft.Sequence(padded, spectrum)
	for lag := range dst {
		dst[lag] = padded[lag] / float64(size) / float64(n)
	}
}

func average(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// halves are the halves of chains of one quantity, the odd draw in the middle left out, with what their variances say.
type halves struct {
	rows   [][]float64
	within float64 // mean of the variances within the halves, W
	pooled float64 // the estimate (n−1)/n·W + B/n of the variance of the distribution, for halves of n draws
}

func newHalves(x blas64.General) halves {
	n := x.Cols / 2
	h := halves{rows: make([][]float64, 0, 2*x.Rows)}
	means := make([]float64, 0, 2*x.Rows)
	for i := range x.Rows {
		row := x.Data[i*x.Stride : i*x.Stride+x.Cols]
		h.rows = append(h.rows, row[:n], row[x.Cols-n:])
	}
	for _, row := range h.rows {
		m := average(row)
		means = append(means, m)
		var squares float64
		for _, v := range row {
			squares += (v - m) * (v - m)
		}
		h.within += squares / float64(n-1) / float64(len(h.rows))
	}
	centre := average(means)
	var between float64 // B/n
	for _, m := range means {
		between += (m - centre) * (m - centre) / float64(len(means)-1)
	}
	h.pooled = h.within*float64(n-1)/float64(n) + between
	return h
}

// leastDraws is the smallest number of draws of a chain that diagnostics take: two for each half.
const leastDraws = 4

// SplitRHat returns the potential scale reduction √(V/W) of the halves of chains, one a row of x (Gelman and Rubin,
// 1992; split as by Gelman et al., 2013; without ranks): near 1 where all halves have the same distribution, 1.01 being a usual
// limit. NaN for constant chains, chains of fewer than four draws, and numbers that are not finite.
func SplitRHat(x blas64.General) float64 {
	if x.Cols < leastDraws || x.Rows < 1 {
		return math.NaN()
	}
	h := newHalves(x)
	return math.Sqrt(h.pooled / h.within)
}

// EffectiveSampleSize returns of how many independent draws the mean over all chains, one a row of x, is worth: m·n/τ,
// τ = −1 + 2 Σ P_t, with the sums P_t of two autocorrelations at lags 2t and 2t+1 up to the first that is not positive,
// none taken to be larger than the one before: Geyer's (1992) initial monotone sequence. Autocorrelations at all lags are
// those of the halves of the chains, taken together as by Vehtari et al. (2021), so that chains that have not met count
// for little. At most m·n·log10(m·n), which chains that alternate would exceed. NaN as for SplitRHat.
// Cost: O(m n log n). mon is polled at each chain, and may be nil.
func EffectiveSampleSize(x blas64.General, mon *parallel.Monitor) (float64, error) {
	if x.Cols < leastDraws || x.Rows < 1 {
		return math.NaN(), nil
	}
	h := newHalves(x)
	n, m := len(h.rows[0]), len(h.rows)
	if !(h.pooled > 0) || math.IsInf(h.pooled, 0) {
		return math.NaN(), nil
	}
	mean, one := make([]float64, n), make([]float64, n)
	for _, row := range h.rows {
		if err := mon.Err(); err != nil {
			return 0, err
		}
		autocovariance(one, row)
		for lag, v := range one {
			mean[lag] += v / float64(m) * float64(n) / float64(n-1)
		}
	}
	rho := func(lag int) float64 { return 1 - (h.within-mean[lag])/h.pooled }
	tau, last := -1.0, math.Inf(1)
	for lag := 0; lag+1 < n; lag += 2 {
		pair := rho(lag) + rho(lag+1)
		if lag == 0 {
			pair = 1 + rho(1)
		}
		if !(pair > 0) {
			break
		}
		last = min(last, pair)
		tau += 2 * last
	}
	draws := float64(n * m)
	return draws / max(tau, 1/math.Log10(draws)), nil
}

// Diagnose writes the effective sample size and the split R̂ of each of several quantities to sizes and rHats, given their chains in
// draws, quantities × chains × draws, and the autocorrelations of each chain, from lag 0 on, to lags, quantities × chains × lags, as far as
// that reaches.
func Diagnose(chains int, draws, sizes, rHats, lags []float64, workers int, mon *parallel.Monitor) error {
	if len(sizes) == 0 || chains == 0 || len(draws) == 0 {
		for i := range sizes {
			sizes[i], rHats[i] = math.NaN(), math.NaN()
		}
		return mon.Err()
	}
	n, many := len(draws)/(chains*len(sizes)), len(lags)/(chains*len(sizes))
	return parallel.For(len(sizes), 1, workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			x := blas64.General{Rows: chains, Cols: n, Stride: n, Data: draws[i*chains*n : (i+1)*chains*n]}
			var err error
			if sizes[i], err = EffectiveSampleSize(x, mon); err != nil {
				return err
			}
			rHats[i] = SplitRHat(x)
			for c := i * chains; c < (i+1)*chains && many > 0; c++ {
				Autocorrelation(lags[c*many:(c+1)*many], draws[c*n:(c+1)*n])
			}
		}
		return nil
	})
}

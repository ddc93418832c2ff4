package solve

import (
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// ResolventTo writes (shift·I + c_k Σ)⁻¹ P v_k to row k of dst, for the rows v_k of v (both of d columns) and c_k = curvature[k], where P
// projects onto the range of Σ. These are the blocks of (shift·I + C⊗Σ)⁻¹ for a matrix C in the basis of its eigenvectors. dst may
// be v. Cost: two changes of coordinates of every row; no d×d matrix is formed where the spectrum of Σ is known.
func (c *Coordinates) ResolventTo(dst, v linalg.Matrix[float64], shift float64, curvature []float64, mon *parallel.Monitor) error {
	n := c.Len()
	step := min(v.Rows, linalg.PanelWidth(v.Rows, 4*float64(c.d)*float64(max(n, 1))), max(1, blockEntries/max(n, 1)))
	if step == 0 {
		return nil
	}
	sigma := c.Sigmas()
	block := linalg.NewMatrix[float64](step, n)
	for lo := 0; lo < v.Rows; lo += step {
		if err := mon.Err(); err != nil {
			return err
		}
		hi := min(lo+step, v.Rows)
		b := block.Slice(0, hi-lo, 0, n)
		c.AnalyzeTo(b, v.Slice(lo, hi, 0, v.Cols))
		for k := lo; k < hi; k++ {
			for j, s := range sigma {
				b.Row(k - lo)[j] /= shift + curvature[k]*s
			}
		}
		c.SynthesizeTo(dst.Slice(lo, hi, 0, dst.Cols), b)
	}
	return nil
}

// blockEntries bounds the scratch of ResolventTo: 8 MiB.
const blockEntries = 1 << 20

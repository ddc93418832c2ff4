package estimate

import (
	"encoding/binary"
	"math"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Count is an estimate of ln of the number of outputs, from Samples draws, of which Repeats had been drawn before.
type Count struct {
	Log              float64
	Samples, Repeats int64
}

// comparedAtOnce is the number of draws that Counts compares at a time.
const comparedAtOnce = 1 << 10

// Counts estimates the number of outputs of the space of each row, whatever its scores, from repeats among exactly uniform draws: outputs
// are told apart by ψ. With t the sum over all draws of the different outputs before them, an output of N is a repeat with probability
// t/N in total, and where as many repeats are awaited as below, t over their number is N/(1 ± Epsilon) with probability 1 − Delta, by the
// tails of Poisson's distribution, of which the upper one is the heavier. An error of the kind of capabilities says how many outputs there
// are at least where MaxSteps draws do not suffice. Streams, errors and the monitor are as for Anneal.
func Counts(b *structure.Batch, opt Options, workers int, mon *parallel.Monitor) ([]Count, error) {
	if err := opt.Check(b.Len()); err != nil {
		return nil, err
	}
	found := make([]Count, b.Len())
	return found, eachRow(b, opt, workers, mon, func(i int, t *task) (err error) {
		found[i], err = t.countByRepeats()
		return err
	})
}

func (t *task) countByRepeats() (found Count, err error) {
	needed := int64(math.Ceil(math.Log(2/t.opt.Delta) / (t.opt.Epsilon - math.Log1p(t.opt.Epsilon))))
	met, total := map[string]struct{}{}, 0.0
	d, width := t.space.FeatureLen(), t.space.PartLen()
	psi, key := make([]float64, d), make([]byte, 0, 8*d)
	for {
		many := int(min(comparedAtOnce, t.opt.MaxSteps-found.Samples))
		if many == 0 {
			return found, t.tooMany(found.Repeats, needed, total)
		}
		drawn, err := t.uniform(many)
		if err != nil {
			return found, err
		}
		for k := range many {
			t.space.Embed(psi, drawn.parts[k*width:(k+1)*width])
			key = key[:0]
			for _, v := range psi {
				if v == 0 {
					v = 0 // of either sign
				}
				key = binary.NativeEndian.AppendUint64(key, math.Float64bits(v))
			}
			found.Samples++
			total += float64(len(met))
			if _, is := met[string(key)]; !is {
				met[string(key)] = struct{}{}
			} else if found.Repeats++; found.Repeats == needed {
				found.Log = math.Log(total / float64(needed))
				return found, nil
			}
		}
		if t.external != nil { // whose draws are not looked at again
			t.external.Draws, t.external.next = t.external.Draws[:0], 0
		}
	}
}

// tooMany is the error of draws that show too few repeats.
func (t *task) tooMany(repeats, needed int64, total float64) error {
	least := math.Log((1 - math.Exp(-1)) * total / (float64(repeats) + math.Log(1/t.opt.Delta)))
	return fault.Capability("%s has too many outputs to be counted by repeats: %d draws show %d of %d, so that with probability %g there "+
		"are more than exp(%.4g); give log_count, or raise epsilon, delta or max_draws", structure.Describe(t.space), t.opt.MaxSteps,
		repeats, needed, 1-t.opt.Delta, least)
}

package structure

import "slices"

// SingleProbabilities returns a function for spaces whose outputs are one of n things each, n = d, such as classes, grades, nodes of trees
// and elements of posets: given expected features it writes the probability of each thing to dst, and −1 where it is no output. For other
// spaces it returns nil. The function may be called by several goroutines. Cost of a call: O(n), of posets a subtraction for each pair.
func SingleProbabilities(s Space) func(dst, expected []float64) {
	switch s := s.(type) {
	case *posetElements:
		return s.probabilities()
	case multiClass, ordinal, *hierarchy:
	default:
		return nil
	}
	x := s.(indexed)
	moder, ok := s.(Moder)
	return func(dst, expected []float64) {
		scores, values := slices.Clone(expected), make([]float64, x.outputs())
		if ok { // of others the outputs are the entries of ψ
			moder.ModeScores(scores)
		}
		x.scoresTo(values, scores)
		fill(dst, -1)
		for k, p := range values {
			dst[x.output(k)] = min(max(p, 0), 1)
		}
	}
}

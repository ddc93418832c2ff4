package maxmargin

import (
	"math/rand/v2"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// spacing is by how much a look at the gap comes later than the one before.
const spacing = 1.3

// inOrder returns the numbers of n blocks.
func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// shuffle writes the order of a pass: a random one, which follows from the seed and the number of the pass.
func shuffle(order []int, seed uint64, pass int) {
	var source rand.PCG
	parallel.Stream(&source, seed, pass)
	for i := range order {
		order[i] = i
	}
	rand.New(&source).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
}

// walk trains by block-coordinate Frank–Wolfe.
func (t *svm) walk() error {
	d, n := t.Psi.Cols, t.blocks()
	s := &State{V: linalg.NewMatrix[float64](n, d), Offset: make([]float64, n), W: t.newWeights()}
	if t.o.Average {
		s.LateV, s.LateOffset = linalg.NewMatrix[float64](n, d), make([]float64, n)
	}
	for i := range s.Offset {
		s.Offset[i] = t.startOf(i)
	}
	t.found.Weights = t.weights
	order, next := make([]int, n), 1
	for pass := 1; ; pass++ {
		shuffle(order, t.o.Seed, pass)
		gap, err := t.pass(s, order)
		if err != nil {
			return err
		}
		t.found.Calls += n
		t.mon.Advance(1)
		t.mon.Report(gap)
		isLast := pass >= t.o.MaxIter
		if pass < next && !isLast {
			continue
		}
		next = max(pass+1, int(spacing*float64(pass)))
		primal, dual, err := t.judge(s)
		if err != nil {
			return err
		}
		t.mon.Report(primal - dual)
		if t.look(pass, primal, dual) || isLast {
			return nil
		}
	}
}

// pass takes a step for each block, and returns the sum of the gaps before each.
func (t *svm) pass(s *State, order []int) (sum float64, err error) {
	var block int
	var norm, gap float64
	score := func() error {
		norm = t.rowScores(t.f.Row(0), s.W, block)
		return nil
	}
	step := func() error {
		gap = t.towards(s, block, t.f.Row(0), t.psi.Row(0), t.offset[0], norm)
		return nil
	}
	for _, block = range order {
		t.begin(block, 1)
		if err := t.weigh(1, score); err != nil {
			return sum, err
		}
		if err := t.find(); err != nil {
			return sum, err
		}
		if err := t.weigh(1, step); err != nil {
			return sum, err
		}
		sum += t.Weights[block] * gap
		s.Step++
	}
	return sum, nil
}

// judge computes the weights that predict, and the primal and dual there.
func (t *svm) judge(s *State) (primal, dual float64, err error) {
	share := FrankWolfe.Share(s.Step)
	t.weights.Zero()
	err = t.expand(t.weights, func(dst []float64, i int) {
		copy(dst, s.V.Row(i))
		if t.o.Average {
			linalg.Axpy(dst, s.LateV.Row(i), -1/share)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	at, err := t.sweep(matrix{})
	if err != nil {
		return 0, 0, err
	}
	dual = -at.norm
	for i, weight := range t.Weights {
		offset := s.Offset[i]
		if t.o.Average {
			offset -= s.LateOffset[i] / share
		}
		dual += weight * offset
	}
	t.found.Exact = at.unproven == 0
	return at.norm + at.risk, dual, nil
}

// expand adds Σ_i C_i x_i a_iᵀ over all blocks to the weights w, of writing a_i to dst.
func (s *planes) expand(w matrix, of func(dst []float64, i int)) error {
	for lo := 0; lo < s.blocks(); lo += s.f.Rows {
		s.begin(lo, s.f.Rows)
		for k, i := range s.numbers {
			a := s.linear.Row(k)
			of(a, i)
			linalg.ScaleTo(a, s.Weights[i], a)
		}
		err := s.weigh(len(s.numbers), func() error {
			s.combineTo(w, s.some(s.linear), s.numbers)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

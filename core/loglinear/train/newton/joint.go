package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
)

// joint minimises the objective of classes, of which ψ is the indicator: all columns of W together, as the probabilities of a row add up
// to 1. The Hessian of the loss is Σ w_i (diag(p_i) − p_i p_iᵀ) ⊗ φ_i φ_iᵀ; conjugate gradients are preconditioned by c_j·M + 2α for each
// column j, where c_j is the mean of p_ij (1 − p_ij). As what is the same for all classes changes nothing but the penalty, weights and
// steps add up to 0 over the classes. Matrices have a row for each class.
//
// Listed outputs are K classes whose weights A W are sums of those of the entries of ψ: what belongs to rows is about the classes, what
// belongs to features about the entries, and conjugate gradients are preconditioned by a product.
type joint struct {
	*fit
	column
	observed matrix // K×n: the indicators of the classes, or means of several
	rest     matrix // d×q: Σ w φ ψᵀ less that of the observed classes; without rows where that is 0

	weights, gradient                   matrix // d×q
	step, left, scaled, direction       matrix // of conjugate gradients, see columnSolver
	product                             matrix
	classes                             matrix // K×q, of listed outputs: weights, or sums over the rows
	scores, stepScores, directionScores matrix // K×n
	shares                              matrix // p of the classes, at the scores that were evaluated last
	factors                             matrix // w (p − observed), then what a direction is multiplied by
	scales                              []preconditioner
	idle                                idlePasses
}

// classDistribution is that of the indicator of one of several classes, as far as it is the same for all at zero. Each of d columns has a
// part of ln Z.
func classDistribution(classes, d int) distribution {
	even := 1 / float64(classes)
	return distribution{mean: even, variance: even, logZero: math.Log(float64(classes)) / float64(d)}
}

func newJoint(f *fit) (*joint, error) {
	d, q, n, classes := f.o.Outputs, f.o.Features, f.problem.Len(), f.o.Outputs
	if f.list != nil {
		classes = f.list.psi.Rows
	}
	t := &joint{fit: f}
	for _, m := range []*matrix{&t.weights, &t.gradient, &t.step, &t.left, &t.scaled, &t.direction, &t.product} {
		*m = linalg.NewMatrix[float64](d, q)
	}
	for _, m := range []*matrix{&t.observed, &t.scores, &t.stepScores, &t.directionScores, &t.shares, &t.factors} {
		*m = linalg.NewMatrix[float64](classes, n)
	}
	if f.list != nil {
		t.classes = linalg.NewMatrix[float64](classes, q)
		return t, t.observe()
	}
	t.scales = make([]preconditioner, d)
	for j := range t.scales {
		t.scales[j] = f.metric.preconditioner()
	}
	for i := range n {
		for j, v := range f.psiOf(i) {
			t.observed.Row(j)[i] = v
		}
	}
	return t, nil
}

// run finds the weights.
func (t *joint) run(start matrix) error {
	if err := t.begin(start); err != nil {
		return err
	}
	for t.largest > t.limit && t.steps < t.o.MaxIter {
		if err := t.solve(); err != nil {
			return err
		}
		fell, err := t.search()
		if err != nil {
			return err
		}
		if !fell {
			break // rounding: nothing more is to be gained
		}
		t.steps++
		t.mon.Advance(1)
		if err := t.arrive(); err != nil {
			return err
		}
	}
	for j := range t.weights.Rows {
		for k, v := range t.weights.Row(j) {
			t.found.Row(k)[j] = v
		}
	}
	return nil
}

// begin goes to the start where that is better than zero, and judges the gradient.
func (t *joint) begin(start matrix) error {
	zero := t.total * float64(t.o.Outputs) * t.dist.logZero
	if start.Rows > 0 {
		for k := range start.Rows {
			for j, v := range start.Row(k) {
				t.weights.Row(j)[k] = v
			}
		}
		if !linalg.Finite(t.weights.Data) {
			return loglinear.ErrStart
		}
		if t.list == nil {
			centre(t.weights)
		}
		if err := t.scoresTo(t.scores, t.weights); err != nil {
			return err
		}
		loss, _, err := t.evaluate(0)
		if err != nil {
			return err
		}
		t.objective = loss + t.o.Alpha*linalg.SquaredNorm(t.weights.Data) - t.linear(t.weights)
		if t.objective < zero {
			t.moved(t.objective - zero)
			return t.arrive()
		}
		t.weights.Zero()
		t.scores.Zero()
	}
	loss, _, err := t.evaluate(0)
	if err != nil {
		return err
	}
	t.objective = loss
	t.gradient.CopyFrom(t.slopes)
	return t.judge()
}

// arrive finds the gradient at the weights, given the residuals, and judges it.
func (t *joint) arrive() error {
	if err := t.sumsTo(t.gradient, t.factors); err != nil {
		return err
	}
	linalg.Axpy(t.gradient.Data, t.weights.Data, 2*t.o.Alpha)
	if t.rest.Rows > 0 {
		linalg.Axpy(t.gradient.Data, t.rest.Data, -1)
	}
	return t.judge()
}

// linear returns the inner product of weights and rest.
func (t *joint) linear(weights matrix) float64 {
	if t.rest.Rows == 0 {
		return 0
	}
	return floats.Dot(t.rest.Data, weights.Data)
}

func (t *joint) judge() (err error) {
	t.largest, err = t.largestOf(t.gradient, t.scaled)
	return err
}

// rescale preconditions by what the Hessian is about at the weights.
func (t *joint) rescale() error {
	if t.list != nil {
		return t.follow()
	}
	for j := range t.scales {
		var variance float64
		for i, p := range t.shares.Row(j) {
			variance += weightOf(t.fit.weights, i) * p * (1 - p)
		}
		if err := t.scales[j].set(variance / t.total); err != nil {
			return err
		}
	}
	return nil
}

// solve finds the step by conjugate gradients, and its scores.
func (t *joint) solve() error {
	if err := t.rescale(); err != nil {
		return err
	}
	linalg.ScaleTo(t.left.Data, -1, t.gradient.Data)
	t.step.Zero()
	t.stepScores.Zero()
	if err := t.precondition(); err != nil {
		return err
	}
	t.direction.CopyFrom(t.scaled)
	square := floats.Dot(t.left.Data, t.scaled.Data)
	first, within := square, t.accuracy(t.largest, loosestJoint)
	for range mostGradients {
		if err := t.multiply(); err != nil {
			return err
		}
		curvature := floats.Dot(t.direction.Data, t.product.Data)
		if !(curvature > 0) || math.IsInf(curvature, 0) {
			return errObjective
		}
		a := square / curvature
		linalg.Axpy(t.step.Data, t.direction.Data, a)
		linalg.Axpy(t.stepScores.Data, t.directionScores.Data, a)
		linalg.Axpy(t.left.Data, t.product.Data, -a)
		if err := t.precondition(); err != nil {
			return err
		}
		before := square
		square = floats.Dot(t.left.Data, t.scaled.Data)
		if square <= within*within*first {
			break
		}
		floats.Scale(square/before, t.direction.Data)
		linalg.Axpy(t.direction.Data, t.scaled.Data, 1)
	}
	return nil
}

// precondition writes what is left of the equation, preconditioned, to scaled.
func (t *joint) precondition() error {
	if t.list != nil {
		return t.kronecker.around.ApplyTo(t.scaled, t.left)
	}
	err := parallel.For(t.left.Rows, 1, t.problem.Workers, nil, func(lo, _ int) error {
		t.scales[lo].applyTo(t.scaled.Row(lo), t.left.Row(lo))
		return nil
	})
	centre(t.scaled)
	return err
}

// centre subtracts the mean of the rows from each.
func centre(m matrix) {
	mean := make([]float64, m.Cols)
	for j := range m.Rows {
		linalg.Axpy(mean, m.Row(j), 1/float64(m.Rows))
	}
	for j := range m.Rows {
		linalg.Axpy(m.Row(j), mean, -1)
	}
}

// multiply writes the scores of the direction, and the product of the Hessian with it.
func (t *joint) multiply() error {
	if err := t.scoresTo(t.directionScores, t.direction); err != nil {
		return err
	}
	if err := t.overRows(t.weigh); err != nil {
		return err
	}
	if err := t.sumsTo(t.product, t.factors); err != nil {
		return err
	}
	linalg.Axpy(t.product.Data, t.direction.Data, 2*t.o.Alpha)
	return nil
}

// weigh writes what rows are multiplied by in the product of the Hessian with the direction: w p_j (v_j − Σ p v), for its scores v.
func (t *joint) weigh(lo, hi int) {
	var mean [rowsTogether]float64
	for j := range t.shares.Rows {
		v := t.directionScores.Row(j)[lo:hi]
		for i, p := range t.shares.Row(j)[lo:hi] {
			mean[i] += p * v[i]
		}
	}
	for j := range t.shares.Rows {
		v, out := t.directionScores.Row(j)[lo:hi], t.factors.Row(j)[lo:hi]
		for i, p := range t.shares.Row(j)[lo:hi] {
			out[i] = weightOf(t.fit.weights, lo+i) * p * (v[i] - mean[i])
		}
	}
}

// search goes along the step as far as the objective falls, and says whether it does.
func (t *joint) search() (fell bool, err error) {
	alpha := t.o.Alpha
	along, length := floats.Dot(t.weights.Data, t.step.Data), linalg.SquaredNorm(t.step.Data)
	norm, slope := linalg.SquaredNorm(t.weights.Data), floats.Dot(t.gradient.Data, t.step.Data)
	ahead, still := t.linear(t.step), t.linear(t.weights)
	size := 1.0
	for range mostShortening {
		loss, found, err := t.evaluate(size)
		if err != nil {
			return false, err
		}
		value := loss + alpha*(norm+2*size*along+size*size*length) - (still + size*ahead)
		found += 2*alpha*(along+size*length) - ahead
		if falls(t.objective, value, size, slope, found) {
			linalg.Axpy(t.weights.Data, t.step.Data, size)
			linalg.Axpy(t.scores.Data, t.stepScores.Data, size)
			t.moved(value - t.objective)
			t.objective = value
			return true, nil
		}
		size = shortened(size, slope, found)
	}
	return false, nil
}

// evaluate returns the loss at the scores and t times those of the step, and its derivative by t, and writes shares and residuals.
func (t *joint) evaluate(size float64) (loss, slope float64, err error) {
	blocks := (t.problem.Len() + rowsTogether - 1) / rowsTogether
	losses, slopes := make([]float64, blocks), make([]float64, blocks)
	err = t.overRows(func(lo, hi int) { losses[lo/rowsTogether], slopes[lo/rowsTogether] = t.evaluateRows(size, lo, hi) })
	loss, slope = linalg.Sum(losses), linalg.Sum(slopes)
	if err == nil && (math.IsNaN(loss) || math.IsInf(loss, 0)) {
		err = errObjective
	}
	return loss, slope, err
}

func (t *joint) evaluateRows(size float64, lo, hi int) (loss, slope float64) {
	var top, sum, at [rowsTogether]float64 // at: the inner products of scores and what is observed
	for j := range t.shares.Rows {
		step, observed, s := t.stepScores.Row(j)[lo:hi], t.observed.Row(j)[lo:hi], t.shares.Row(j)[lo:hi]
		for i, v := range t.scores.Row(j)[lo:hi] {
			s[i] = v + size*step[i]
			at[i] += s[i] * observed[i]
			if j == 0 || s[i] > top[i] {
				top[i] = s[i]
			}
		}
	}
	for j := range t.shares.Rows {
		p := t.shares.Row(j)[lo:hi]
		for i, v := range p {
			p[i] = math.Exp(v - top[i])
			sum[i] += p[i]
		}
	}
	for i := range hi - lo {
		loss += weightOf(t.fit.weights, lo+i) * (math.Log(sum[i]) + (top[i] - at[i]))
		sum[i] = 1 / sum[i]
	}
	for j := range t.shares.Rows {
		p, observed, step := t.shares.Row(j)[lo:hi], t.observed.Row(j)[lo:hi], t.stepScores.Row(j)[lo:hi]
		out := t.factors.Row(j)[lo:hi]
		for i := range p {
			p[i] *= sum[i]
			out[i] = weightOf(t.fit.weights, lo+i) * (p[i] - observed[i])
			slope += out[i] * step[i]
		}
	}
	return loss, slope
}

// rowsTogether is how many rows are treated side by side, where all classes of a row have to be known.
const rowsTogether = 256

func (f *fit) overRows(body func(lo, hi int)) error { return f.over(f.problem.Len(), body) }

// over calls body on blocks of n rows or features.
func (f *fit) over(n int, body func(lo, hi int)) error {
	return parallel.For(n, rowsTogether, f.problem.Workers, nil, func(lo, hi int) error {
		body(lo, hi)
		return nil
	})
}

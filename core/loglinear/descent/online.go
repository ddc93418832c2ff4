package descent

import (
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// OnlineOptions are those of Continue.
type OnlineOptions struct {
	loglinear.Sizes // LargestGram is LargestMoment where it is not given
	Alpha           float64
	Seed            uint64 // of the order of rows
}

// Progress is what is known of a descent over rows that come in parts.
type Progress struct {
	Weights, Average matrix  // q×d: the last iterate, and the average of all; without rows: zeros
	Moment           matrix  // second moment of the features of the rows so far, q×q or 1×q; without rows: not known
	Variance         float64 // of ψ, where Outputs is above LargestCovariance; 0: not known
	Steps, Rows      int
	Seen             float64 // weight of the rows so far
}

// Continue passes once over the rows of a problem, from where a descent over earlier ones has got to. The penalty is against all rows so
// far: as if these rows were as many as all are.
func Continue(o OnlineOptions, p *loglinear.Problem, space structure.Space, oracle loglinear.Oracle, from Progress,
	mon *parallel.Monitor) (Progress, error) {
	all := Options{Sizes: o.Sizes, Alpha: o.Alpha, MaxIter: 1, Seed: o.Seed}.limited()
	if err := all.check(); err != nil {
		return Progress{}, err
	}
	covariance, err := begin(o.Sizes, p, space, from.Weights, from.Average)
	if err != nil {
		return Progress{}, err
	}
	s := newSteps(all, p, oracle, mon)
	s.weights.CopyFrom(from.Weights)
	s.average.CopyFrom(from.Average)
	s.count = from.Steps
	sums := make([]float64, all.SumsLen(loglinear.Moments))
	if err := loglinear.AddSums(all.Sizes, p, loglinear.Moments, matrix{}, sums, nil, mon); err != nil {
		return Progress{}, err
	}
	weight := sums[loglinear.WeightSum]
	s.share = (from.Seen + weight) / weight
	at := Progress{Weights: s.weights, Average: s.average, Rows: from.Rows + p.Len(), Seen: from.Seen + weight}
	if at.Moment, at.Variance, err = all.moments(sums, s.share, from); err != nil {
		return Progress{}, err
	}
	hessian, err := loglinear.NewHessian(all.Sizes, o.Alpha, sums, covariance, p.Work, mon)
	if err != nil {
		return Progress{}, err
	}
	if s.first, err = firstStep(p, hessian.Preconditioner, hessian, s.share, mon); err != nil {
		return Progress{}, err
	}
	err = s.pass(hessian.Preconditioner, o.Seed, from.Steps)
	at.Steps = s.count
	return at, err
}

// moments makes the sums of these rows those of all so far, and returns the second moment, which they hold, and the variance.
func (o Options) moments(sums []float64, share float64, from Progress) (moment matrix, variance float64, err error) {
	count := sums[loglinear.RowCount] * float64(o.Outputs)
	if !o.HasCovariance() {
		if variance = from.Variance; variance == 0 {
			variance = sums[loglinear.SquareSum] / count
		}
	}
	sums[loglinear.SquareSum] = variance * count
	moment = o.MomentOf(sums[len(sums)-o.MomentLen():])
	// Where no moment is known, the rows so far are taken to have been as those that come now.
	m := from.Moment
	switch {
	case m.Rows == 0:
		floats.Scale(share, moment.Data)
	case m.Rows != moment.Rows || m.Cols != moment.Cols:
		err = fault.Value("the moment is %d×%d, must be %d×%d", m.Rows, m.Cols, moment.Rows, moment.Cols)
	default:
		linalg.Axpy(moment.Data, m.Data, 1)
	}
	return moment, variance, err
}

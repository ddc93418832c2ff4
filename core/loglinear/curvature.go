package loglinear

import (
	"errors"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

const (
	// LargestGram is the order of a second moment of features that is still diagonalised: some ten seconds. Beyond, its diagonal is
	// taken for it.
	LargestGram = 4096
	// LargestMoved is the order of one that is diagonalised anew as distributions move away from the uniform one.
	LargestMoved = 512
	// LargestCovariance is the order of a covariance of ψ that is still diagonalised. Beyond, a multiple of the identity is taken for
	// the one at zero weights, and that is not renewed.
	LargestCovariance = 2048
	// floorShare is the share of the mean that is added to covariances: rows whose draws agree, and directions in which they do, are not
	// taken for certain.
	floorShare = 1e-2
	// abandonedOrder is the order of a matrix from which its diagonalisation takes so long that it must be possible to leave it.
	abandonedOrder = 256
)

var errMoment = errors.New("loglinear: second moments are infinite or NaN: scale the inputs down")

// diagonalise overwrites a symmetric matrix by its eigenvectors, in columns, and writes its eigenvalues, none below 0, to values.
func diagonalise(values []float64, m matrix, mon *parallel.Monitor) error {
	for i := range m.Rows {
		if !finite(m.Row(i)) {
			return errMoment
		}
	}
	found, err := symEig(m, mon)
	if err != nil {
		return err
	}
	for i, v := range found {
		values[i] = max(v, 0)
	}
	return nil
}

// symEig is linalg.SymEig, which is left behind with a copy of a large matrix when mon is cancelled.
func symEig(m matrix, mon *parallel.Monitor) ([]float64, error) {
	if mon == nil || m.Rows < abandonedOrder {
		return linalg.SymEig(linalg.General(m))
	}
	own := linalg.NewMatrix[float64](m.Rows, m.Cols)
	own.CopyFrom(m)
	var values []float64
	err := parallel.Abandonable(mon, func() (err error) {
		values, err = linalg.SymEig(linalg.General(own))
		return err
	})
	if err == nil {
		m.CopyFrom(own)
	}
	return values, err
}

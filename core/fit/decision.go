package fit

import (
	"slices"

	"combpred/core/decode/predict"
	"combpred/core/fault"
	"combpred/core/solve"
	"combpred/core/structure"
)

// Suited returns the loss and the decision that predict best in a space: "squared" and "mbr" but where measurements say otherwise, and
// "auc" and "score" where pre-images cannot be found.
func Suited(space structure.Space) (Loss, Decision) {
	if facts := space.Facts(); facts.General || Loss(facts.Loss) == AUC {
		return AUC, ByScore
	}
	return Squared, usual(space, Squared)
}

// usual returns the decision that is best under a loss.
func usual(space structure.Space, loss Loss) Decision {
	if loss != Squared {
		return ByScore
	}
	if decision := space.Facts().Decision; decision != "" {
		return Decision(decision)
	}
	return ByRisk
}

// Expected returns how decisions go by expected features in a space, nil where they go by scores themselves. A loss or a decision that is
// "auto", or empty, is the one that suits the space, and the loss.
func Expected(space structure.Space, loss Loss, decision Decision) (*predict.Expected, error) {
	if loss == "" || loss == "auto" {
		loss, _ = Suited(space)
	}
	if decision == "" || decision == "auto" {
		decision = usual(space, loss)
	}
	_, moder := space.(structure.Moder)
	switch {
	case !slices.Contains(Losses, loss):
		return nil, fault.Value("loss is %q, must be \"auto\", %q or %q", loss, AUC, Squared)
	case !slices.Contains(Decisions, decision):
		return nil, fault.Value("decision is %q, must be \"auto\", %q, %q or %q", decision, ByScore, ByRisk, ByMode)
	case decision == ByMode && !moder:
		return nil, &structure.CapabilityError{Structure: structure.Describe(space), Need: "probabilities of outputs by expected features"}
	case loss == Squared:
		return &predict.Expected{PreImage: decision == ByRisk, Mode: decision == ByMode}, nil
	case decision == ByScore:
		return nil, nil
	}
	covariance, err := CovarianceOf(space)
	if err != nil {
		return nil, err
	}
	return &predict.Expected{PreImage: decision == ByRisk, Mode: decision == ByMode, Covariance: covariance}, nil
}

// CovarianceOf returns the coordinates in which Σ of a space is diagonal, which are built once and kept with it.
func CovarianceOf(space structure.Space) (*solve.Coordinates, error) {
	return structure.Derive(space, func() (*solve.Coordinates, error) { return solve.NewCoordinates(space) })
}

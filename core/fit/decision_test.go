package fit

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"combpred/core/decode/predict"
	"combpred/core/linalg"
	"combpred/core/structure"
)

// TestDecisionsOfSpaces: what suits a structure, and what other losses and decisions stand for.
func TestDecisionsOfSpaces(t *testing.T) {
	for _, c := range []struct {
		name     string
		loss     Loss
		decision Decision
	}{
		{"permutations", "squared", "mbr"}, {"labelsets", "squared", "mbr"}, {"tournaments", "squared", "score"},
		{"directedcycles", "squared", "score"}, {"cliques", "auc", "score"}, {"routes", "auc", "score"},
	} {
		space, err := structure.New(c.name, sized(5))
		if err != nil {
			t.Fatal(err)
		}
		if loss, decision := Suited(space); loss != c.loss || decision != c.decision {
			t.Errorf("%s: %s, %s", c.name, loss, decision)
		}
		decided := func(loss Loss, decision Decision) *predict.Expected {
			found, err := Expected(space, loss, decision)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		if found := decided("auto", "auto"); (found == nil) != (c.loss == "auc") ||
			found != nil && found.PreImage != (c.decision == "mbr") {
			t.Errorf("%s: %+v", c.name, found)
		}
		byScore := slices.Contains([]string{"tournaments", "directedcycles", "routes"}, c.name)
		if found := decided("squared", ""); found == nil || found.PreImage == byScore {
			t.Errorf("%s: %+v under \"squared\"", c.name, found)
		}
		if decided("auc", "") != nil || decided("auc", "score") != nil {
			t.Errorf("%s: scores of the loss \"auc\" do not decide", c.name)
		}
		if found := decided("auc", "mbr"); found == nil || !found.PreImage || found.Covariance == nil {
			t.Errorf("%s: %+v", c.name, found)
		}
		if found := decided("squared", "score"); found == nil || found.PreImage || found.Covariance != nil {
			t.Errorf("%s: %+v", c.name, found)
		}
		if _, err := Expected(space, "squared", "mode"); !errors.As(err, new(*structure.CapabilityError)) {
			t.Errorf("%s: the mode: %v", c.name, err)
		}
		for _, wrong := range [][2]string{{"hinge", "mbr"}, {"auc", "median"}} {
			if _, err := Expected(space, Loss(wrong[0]), Decision(wrong[1])); err == nil ||
				!strings.Contains(err.Error(), `must be "auto"`) {
				t.Errorf("%v: %v", wrong, err)
			}
		}
	}
}

// TestExpectedFeaturesAreThoseOfTheTilt: to first order in f, the mean of ψ under p ∝ exp⟨f, ψ⟩ is μ + Σf.
func TestExpectedFeaturesAreThoseOfTheTilt(t *testing.T) {
	const tiny = 1e-4
	for _, name := range []string{"permutations", "labelsets", "directedcycles"} {
		space, err := structure.New(name, sized(4))
		if err != nil {
			t.Fatal(err)
		}
		d := space.FeatureLen()
		f, product := linalg.NewMatrix[float64](1, d), linalg.NewMatrix[float64](1, d)
		for l := range d {
			f.Data[l] = tiny * math.Sin(float64(3*l+1))
		}
		expected, err := Expected(space, "auc", "mbr")
		if err != nil {
			t.Fatal(err)
		}
		expected.Covariance.CovarianceTo(product, f)
		mean, psi, total := make([]float64, d), make([]float64, d), 0.0
		uniform := make([]float64, d)
		space.(structure.Momenter).Mean(uniform)
		for y := range space.(structure.Enumerator).All() {
			space.Embed(psi, y)
			weight := math.Exp(linalg.Dot(psi, f.Data))
			total += weight
			linalg.Axpy(mean, psi, weight)
		}
		for l := range d {
			if got, want := uniform[l]+product.Data[l], mean[l]/total; math.Abs(got-want) > 50*tiny*tiny {
				t.Errorf("%s: entry %d is expected to be %g, is %g", name, l, got, want)
			}
		}
	}
}

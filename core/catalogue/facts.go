package catalogue

import (
	"math"

	"combpred/core/loglinear/train/newton"
	"combpred/core/partition"
	"combpred/core/structure"
)

// Facts are what is known about a space at once, however large it is.
type Facts struct {
	PartLen      int      `json:"part_len"`
	FeatureLen   int      `json:"feature_len"`
	LogCount     *float64 `json:"log_count"` // null if it is not known
	Capabilities []string `json:"capabilities"`
	Format       string   `json:"format"`      // what a row of data holds, in a clause that ends messages
	Cells        string   `json:"cells"`       // the kind of pairs that the first entries of ψ stand for, or empty
	Moments      string   `json:"moments"`     // where they come from, or empty
	Loss         string   `json:"loss"`        // the one that suits ridge regression
	Decision     string   `json:"decision"`    // the one that suits the loss "squared"
	Entries      string   `json:"entries"`     // the values that entries of ψ take
	Costs        []string `json:"costs"`       // losses between outputs, the usual one first
	Decisions    []string `json:"decisions"`   // by distributions, beside "map" and "mbr"
	FreeValues   []int32  `json:"free_values"` // of each entry of ψ, whatever the others are; or null
	Exclusive    bool     `json:"exclusive"`
	Newton       bool     `json:"newton"` // Newton's method suits its log-linear model
	Ambiguous    bool     `json:"ambiguous"`
	General      bool     `json:"general"`
	LogPartition *Sum     `json:"log_partition"` // of ln Z; null if the space is too large
	Marginals    *Sum     `json:"marginals"`     // of ln Z with marginals
}

// Sum says how a sum over all outputs is computed.
type Sum struct {
	Engine  string  `json:"engine"`
	Cost    float64 `json:"cost"`    // about how many elementary operations a row takes
	Seconds float64 `json:"seconds"` // about how long a row takes on one processor
}

// sumOf returns how the sum for ln Z is computed, with marginals or without, nil if the space is too large.
func sumOf(s structure.Space, marginals bool) *Sum {
	engine, cost, err := partition.Choose(s, marginals)
	if err != nil {
		return nil
	}
	seconds, err := partition.Seconds(s, marginals)
	if err != nil {
		return nil
	}
	return &Sum{Engines.Of(int(engine)), cost, seconds}
}

// FactsOf returns the facts of a space.
func FactsOf(s structure.Space) Facts {
	known := s.Facts()
	f := Facts{PartLen: s.PartLen(), FeatureLen: s.FeatureLen(), Capabilities: Capabilities(s), Format: structure.FormatOf(s),
		Cells: known.Cells.Kind, Entries: known.Entries, Costs: known.Costs, Decisions: known.Decisions, Loss: known.Loss,
		Decision: known.Decision, FreeValues: known.FreeValues, Exclusive: known.Exclusive, Ambiguous: known.Ambiguous,
		General: known.General, LogPartition: sumOf(s, false), Marginals: sumOf(s, true)}
	f.Newton = f.Marginals != nil && newton.Suits(s, f.Marginals.Cost)
	if log, err := structure.LogCount(s); err == nil && !math.IsNaN(log) {
		f.LogCount = &log
	}
	if is[structure.Momenter](s) {
		f.Moments = Moments.Of(int(known.Moments))
	}
	if f.Entries == "" {
		f.Entries = "bits"
	}
	if f.Costs == nil {
		f.Costs = []string{"hamming"}
	}
	if f.Decisions == nil {
		f.Decisions = []string{}
	}
	if f.Loss == "" {
		f.Loss = "squared"
	}
	if f.Decision == "" {
		f.Decision = "mbr"
	}
	return f
}

// JSON returns them as a JSON object.
func (f Facts) JSON() (string, error) { return encoded(f) }

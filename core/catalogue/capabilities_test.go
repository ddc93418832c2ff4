package catalogue

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/decode"
	"combpred/core/internal/structuretest"
	"combpred/core/linalg"
	"combpred/core/partition"
	"combpred/core/structure"
)

// mostOperations bounds the recursions that are tried.
const mostOperations = 3e8

// trial is a space on which capabilities are tried.
type trial struct {
	space  structure.Space
	scores blas64.General // one row of zeros
	small  bool           // all outputs can be listed
}

// succeeds reports whether work was done. A refusal must be one for lack of a capability or for the size of the structure.
func (r trial) succeeds(t *testing.T, name string, err error) bool {
	t.Helper()
	var lacking *structure.CapabilityError
	var limit *structure.LimitError
	if err != nil && !errors.As(err, &lacking) && !errors.As(err, &limit) {
		t.Errorf("%s fails: %v", name, err)
	}
	return err == nil
}

// attempts says how to find out whether a space has a capability. Where known is false, it would take too long.
var attempts = map[string]func(t *testing.T, r trial) (can, known bool){
	"count": func(_ *testing.T, r trial) (bool, bool) {
		c, ok := r.space.(structure.Counter)
		if !ok {
			return false, true
		}
		n := c.Count()
		return n != nil && n.Sign() > 0, true
	},
	"log-count": func(_ *testing.T, r trial) (bool, bool) {
		log, err := structure.LogCount(r.space)
		return err == nil && !math.IsNaN(log), true
	},
	"moments": func(_ *testing.T, r trial) (bool, bool) { return r.averages(), true },
	"exact-moments": func(_ *testing.T, r trial) (bool, bool) {
		return r.averages() && r.space.Facts().Moments == structure.ExactMoments, true
	},
	"spectrum": func(_ *testing.T, r trial) (bool, bool) {
		s := r.space.Facts().Spectrum
		return s != nil && len(s.Eigenvalues()) <= r.space.FeatureLen(), true
	},
	"enumerate": func(_ *testing.T, r trial) (bool, bool) {
		e, ok := r.space.(structure.Enumerator)
		if !ok || !r.small {
			return ok, !ok
		}
		for y := range e.All() {
			return r.space.Check(y) == nil, true
		}
		return false, true
	},
	"sample": func(_ *testing.T, r trial) (bool, bool) { return r.member() != nil, true },
	"partial": func(_ *testing.T, r trial) (bool, bool) {
		p, ok := r.space.(structure.PartialEmbedder)
		return ok && p.CheckPartial(r.member()) == nil, true
	},
	"mode": func(_ *testing.T, r trial) (bool, bool) {
		m, ok := r.space.(structure.Moder)
		if y := r.member(); ok && y != nil {
			psi := make([]float64, r.space.FeatureLen())
			r.space.Embed(psi, y)
			scores := slices.Clone(psi)
			m.ModeScores(scores)
			return math.Abs(linalg.Dot(psi, scores)-1) < 1e-9, true // all of the probability is that of y
		}
		return false, !ok
	},
	"sibling": func(_ *testing.T, r trial) (bool, bool) {
		mirror := r.space.Facts().Mirror
		if y := r.member(); mirror != nil && y != nil {
			z := make([]int32, len(y))
			mirror(z, y)
			return r.space.Check(z) == nil, true
		}
		return false, mirror == nil
	},
	"independent": func(_ *testing.T, r trial) (bool, bool) {
		values := r.space.Facts().FreeValues
		if values == nil {
			return false, true
		}
		y := r.part()
		for k := range y { // from all of one value to all of another, one entry after another
			for _, v := range values {
				if y[k] = v; r.space.Check(y) != nil {
					return false, true
				}
			}
		}
		return len(y) == r.space.FeatureLen(), true
	},
	"exclusive": func(_ *testing.T, r trial) (bool, bool) {
		list, ok := r.space.(structure.Enumerator)
		if !r.space.Facts().Exclusive || !ok || !r.small {
			return false, false // others may happen to be, of some sizes
		}
		seen, psi := make([]bool, r.space.FeatureLen()), make([]float64, r.space.FeatureLen())
		for y := range list.All() {
			r.space.Embed(psi, y)
			at := slices.Index(psi, 1)
			if at < 0 || seen[at] || linalg.SquaredNorm(psi) != 1 {
				return false, true
			}
			seen[at] = true
		}
		return !slices.Contains(seen, false), true
	},
	"decode": func(t *testing.T, r trial) (bool, bool) {
		return r.succeeds(t, "decode", r.decoded(decode.Exact)), true
	},
	"start": func(_ *testing.T, r trial) (bool, bool) {
		s, ok := r.space.(structure.Searcher)
		if !ok {
			return false, true
		}
		_, err := s.Start(r.part(), structure.Scores{Linear: r.scores.Data}, nil)
		return err == nil, true
	},
	"search": func(_ *testing.T, r trial) (bool, bool) {
		_, ok := r.space.(structure.Searcher)
		return ok && r.decoded(decode.Search) == nil, true
	},
	"partition": func(t *testing.T, r trial) (bool, bool) { return r.sums(t, false) },
	"marginals": func(t *testing.T, r trial) (bool, bool) { return r.sums(t, true) },
	"exact": func(t *testing.T, r trial) (bool, bool) {
		if partition.Drawable(r.space) && r.endless(true) {
			return false, false
		}
		return r.succeeds(t, "exact", partition.Sample(structure.Rows(r.space, r.scores), 1, 0, nil, r.part(), 1, nil)), true
	},
}

func (r trial) part() []int32 { return make([]int32, r.space.PartLen()) }

func (r trial) averages() bool {
	m, ok := r.space.(structure.Momenter)
	if ok {
		m.Mean(make([]float64, r.space.FeatureLen()))
	}
	return ok
}

// member returns a uniform output, or nil where none can be drawn.
func (r trial) member() []int32 {
	y := r.part()
	opt := chain.Options{Method: chain.Meta, Draws: 1, Thin: 1, Budget: 1}
	if chain.Batch(structure.Rows(r.space, r.scores), opt, chain.Draws{Y: y}, 1, nil) != nil {
		return nil
	}
	return y
}

func (r trial) decoded(method decode.Method) error {
	return decode.Batch(structure.Rows(r.space, r.scores), method, 0, r.part(), nil, 1, nil)
}

// endless reports whether sums or draws would take too long.
func (r trial) endless(marginals bool) bool {
	if r.small {
		return false
	}
	engine, cost, err := partition.Choose(r.space, marginals)
	return err == nil && (engine == partition.Enumeration || cost > mostOperations)
}

func (r trial) sums(t *testing.T, marginals bool) (can, known bool) {
	if r.endless(marginals) {
		return false, false
	}
	var mean []float64
	if marginals {
		mean = make([]float64, r.scores.Cols)
	}
	err := partition.Batch(structure.Rows(r.space, r.scores), make([]float64, 1), mean, 1, nil)
	return r.succeeds(t, "the partition function", err), true
}

// drawnBy draws one output. A method that begins and spends its budget is possible.
func drawnBy(method chain.Method) func(*testing.T, trial) (bool, bool) {
	return func(t *testing.T, r trial) (bool, bool) {
		opt := chain.Options{Method: method, Draws: 1, Thin: 1, Budget: 1}
		err := chain.Batch(structure.Rows(r.space, r.scores), opt, chain.Draws{Y: r.part()}, 1, nil)
		var spent *chain.BudgetError
		if errors.As(err, &spent) {
			return true, true
		}
		return r.succeeds(t, fmt.Sprintf("method %d", method), err), true
	}
}

// TestCapabilitiesAreThoseThatWork tries everything on every size at which structures are tested.
func TestCapabilitiesAreThoseThatWork(t *testing.T) {
	for _, method := range chain.Methods() {
		attempts[method.String()] = drawnBy(method)
	}
	untried := map[string]bool{}
	for _, c := range capabilities {
		untried[c.name] = true
	}
	for _, spec := range structure.Catalogue() {
		sizes := structuretest.SizesOf(t, spec.Name)
		for i, args := range slices.Concat(sizes.Small, sizes.Medium, sizes.Large) {
			space, err := structure.New(spec.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			d := space.FeatureLen()
			r := trial{space, blas64.General{Rows: 1, Cols: d, Stride: d, Data: make([]float64, d)}, i < len(sizes.Small)}
			have := Capabilities(space)
			for _, c := range capabilities {
				can, known := attempts[c.name](t, r)
				if !known {
					continue
				}
				delete(untried, c.name)
				if has := slices.Contains(have, c.name); has != can {
					t.Errorf("%s: %q is said to be possible: %t, and is: %t", structure.Describe(space), c.name, has, can)
				}
			}
		}
	}
	if len(untried) > 0 {
		t.Errorf("never tried: %v", untried)
	}
}

// TestCatalogueKnowsTheType: what a structure can do with some parameters is what its type can, no other space of it can do
// more, and it needs no space to tell.
func TestCatalogueKnowsTheType(t *testing.T) {
	for _, s := range Structures() {
		sizes := structuretest.SizesOf(t, s.Name)
		some := map[string]bool{}
		for _, args := range slices.Concat(sizes.Small, sizes.Medium, sizes.Large) {
			space, err := structure.New(s.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range Capabilities(space) {
				some[name] = true
				if !slices.Contains(s.Capabilities, name) {
					t.Errorf("%s: the catalogue does not know of %q", structure.Describe(space), name)
				}
			}
		}
		for _, name := range s.Capabilities {
			if !some[name] {
				t.Errorf("%s: no size can do %q, which is in the catalogue", s.Name, name)
			}
		}
	}
}

// TestCapabilitiesDependOnParameters checks some by hand.
func TestCapabilitiesDependOnParameters(t *testing.T) {
	for _, c := range []struct {
		name    string
		scalars map[string]int64
		has     []string
		lacks   []string
	}{
		{"labelsets", map[string]int64{"n": 6}, []string{"sibling", "monotone", "cube", "exact"}, nil},
		{"labelsets", map[string]int64{"n": 6, "size": 2}, []string{"moments", "cftp"}, []string{"sibling", "monotone", "cube"}},
		{"labelsets", map[string]int64{"n": 6, "size": 3}, []string{"sibling"}, []string{"monotone"}},
		{"labelsets", map[string]int64{"n": 100000, "size": 50000}, []string{"partition", "sample"}, []string{"marginals", "exact"}},
		{"cycles", map[string]int64{"n": 16}, []string{"decode", "partition", "exact", "local"}, nil},
		{"cycles", map[string]int64{"n": 17}, []string{"search", "local", "meta", "cftp"}, []string{"decode", "partition", "exact"}},
		{"cycles", map[string]int64{"n": 20, "start": 3}, []string{"search"}, []string{"decode", "moments", "sample", "local"}},
		{"cycles", map[string]int64{"n": 18, "start": 3}, []string{"search", "decode"}, []string{"moments"}},
		{"cliques", map[string]int64{"n": 6}, []string{"moments", "meta"}, []string{"sibling", "monotone"}},
		{"permutations", map[string]int64{"n": 40}, []string{"partial", "sibling", "meta"}, []string{"partition", "monotone"}},
		{"partialorders", map[string]int64{"n": 6}, []string{"exact-moments", "sample", "exact"}, nil},
		{"partialorders", map[string]int64{"n": 6, "moments": 2}, []string{"moments"}, []string{"exact-moments"}},
		{"partialorders", map[string]int64{"n": 40, "moments": 3}, []string{"moments", "local"},
			[]string{"exact-moments", "count", "sample", "meta", "exact"}},
		{"tournaments", map[string]int64{"n": 50}, []string{"exact", "sibling"}, []string{"search"}},
	} {
		space, err := structure.New(c.name, structure.Args{Scalars: c.scalars})
		if err != nil {
			t.Fatal(err)
		}
		have := Capabilities(space)
		for _, name := range c.has {
			if !slices.Contains(have, name) {
				t.Errorf("%s lack %q", structure.Describe(space), name)
			}
		}
		for _, name := range c.lacks {
			if slices.Contains(have, name) {
				t.Errorf("%s have %q", structure.Describe(space), name)
			}
		}
	}
}

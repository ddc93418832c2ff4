package fit

import (
	"strings"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure"
)

func space(t *testing.T, name string, args structure.Args) structure.Space {
	t.Helper()
	s, err := structure.New(name, args)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sized(n int64) structure.Args { return structure.Args{Scalars: map[string]int64{"n": n}} }

func TestPlanChoosesByCost(t *testing.T) {
	rankings, grades := space(t, "permutations", sized(10)), space(t, "ordinal", sized(40))
	for _, c := range []struct {
		name   string
		space  structure.Space
		n, p   int
		solver Solver
		route  string
	}{
		{"a kernel", rankings, 2000, 0, "closed-form", "factor"},
		{"few features", rankings, 2000, 20, "primal", "primal"},
		{"more features than rows", rankings, 300, 5000, "closed-form", "factor"},
		{"few rows, many eigenvalues", grades, 20, 0, "closed-form", "spectral"},
		{"many rows, many eigenvalues", grades, 5000, 0, "cg", "iterate"},
	} {
		o := plain()
		o.Solver = "auto"
		plan, err := o.Plan(c.space, c.n, c.p, int64(c.n)*int64(c.p))
		if err != nil {
			t.Fatal(err)
		}
		if plan.Solver != c.solver || plan.Route != c.route {
			t.Errorf("%s: %s by %s, want %s by %s", c.name, plan.Solver, plan.Route, c.solver, c.route)
		}
		kernels := float64(plan.WorkSingle) / (8 * float64(c.n) * float64(c.n))
		if kernels > 2.1 {
			t.Errorf("%s: work of %.2f kernel matrices beside the kernel itself, want at most 2", c.name, kernels)
		}
	}
}

// TestFewFeaturesAreLeftOutWithoutAKernelMatrix: up to an eighth of the rows; labels need a square matrix where weights are many.
func TestFewFeaturesAreLeftOutWithoutAKernelMatrix(t *testing.T) {
	rankings := space(t, "permutations", sized(10)) // 45 coordinates
	for _, c := range []struct {
		p     int
		loss  Loss
		route string
		none  bool // no work space
	}{
		{0, AUC, "factor", false}, {10, AUC, "features", true}, {100, AUC, "features", false}, {100, Squared, "features", true},
		{249, Squared, "features", true}, {250, Squared, "factor", false},
	} {
		o := plain()
		o.Loss = c.loss
		plan, err := o.Plan(rankings, 2000, c.p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if plan.RouteLOO != c.route || (plan.WorkLOODouble == 0) != c.none {
			t.Errorf("%d features, loss %q: %s with %d bytes", c.p, c.loss, plan.RouteLOO, plan.WorkLOODouble)
		}
		if square := int64(8 * 2000 * 2000); c.p == 10 && plan.BesideLOO >= 2*square {
			t.Errorf("%d bytes beside are as many as for the kernel matrix", plan.BesideLOO)
		}
	}
}

func TestPlanKeepsWhatIsAskedFor(t *testing.T) {
	rankings := space(t, "permutations", sized(4))
	for _, solver := range []Solver{ClosedForm, CG, NewtonCG, Primal} {
		o := plain()
		o.Solver = solver
		plan, err := o.Plan(rankings, 50, 10, 500)
		if err != nil || plan.Solver != solver {
			t.Errorf("%s: planned %q, error %v", solver, plan.Solver, err)
		}
	}
	o := plain()
	o.Solver = "primal"
	if _, err := o.Plan(rankings, 50, 0, 0); err == nil || !strings.Contains(err.Error(), "linear kernel") {
		t.Errorf("primal without features: error %v", err)
	}
	o.Solver = "simplex"
	if _, err := o.Plan(rankings, 50, 10, 500); err == nil || !strings.Contains(err.Error(), "simplex") {
		t.Errorf("unknown solver: error %v", err)
	}
}

func TestIllegalOptionsAreNamed(t *testing.T) {
	for name, change := range slicex.InOrder(map[string]func(*Ridge){
		"alpha":     func(o *Ridge) { o.Alpha = 0 },
		"loss":      func(o *Ridge) { o.Loss = "hinge" },
		"tol":       func(o *Ridge) { o.Tol = -1 },
		"max_iter":  func(o *Ridge) { o.MaxIter = -1 },
		"shift":     func(o *Ridge) { o.Shift = -1 },
		"precision": func(o *Ridge) { o.Precision = "half" },
	}) {
		o := plain()
		change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v does not name it", name, err)
		}
	}
}

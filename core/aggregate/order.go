package aggregate

import (
	"math/rand/v2"
	"slices"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/ordering"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// MostExact is the largest group of items whose best order Exact finds.
const MostExact = ordering.MaxComponent

// ProgramState says what the caller's solver has found of the program of one group.
type ProgramState int32

const (
	Solved     ProgramState = iota // a best order: x_uv is 0 or 1, up to the solver's tolerance
	Fractional                     // an optimum of the linear relaxation
	OutOfTime                      // no more than a bound
)

// Programs are solutions of the programs of all groups; for a consensus with ties, or a partial order, there is one program of all
// items, whose X also counts where it is OutOfTime: as the best relation that the caller knows.
type Programs struct {
	// X holds x_uv, k×k: how far u is before v. Only pairs within groups of more than one item count, of which x_uv + x_vu = 1.
	X linalg.Matrix[float64]
	// State of each group, in the order of Groups; that of a single item is not read.
	State []ProgramState
	// LowerBound on the cost Σ of x_uv w_vu within each group; read unless its state is Solved.
	LowerBound []float64
}

func (s *Programs) check(k, groups int) error {
	switch {
	case s.X.Rows != k || s.X.Cols != k:
		return fault.Value("solutions of programs have shape %d×%d, must have %d×%d", s.X.Rows, s.X.Cols, k, k)
	case len(s.State) != groups || len(s.LowerBound) != groups:
		return fault.Value("there are %d states and %d bounds of programs for %d groups", len(s.State), len(s.LowerBound), groups)
	}
	for c, state := range s.State {
		if state < Solved || state > OutOfTime {
			return fault.Value("the program of group %d has the state %d, must be between %d and %d", c, state, Solved, OutOfTime)
		}
	}
	return nil
}

// part is an order of the items of one group, and what is known about it.
type part struct {
	order      []int32 // by the places of the items in the group until it is joined
	lowerBound float64 // on the cost of all orders
	optimal    bool
	method     Method // the one whose guarantee it holds
	late       bool   // whether that is another one than was asked for, because its program ran out of time
}

// solver finds an order for every group.
type solver struct {
	method   Method
	kind     kind
	profile  *Profile // nil: only weights of pairs
	programs *Programs
	seed     uint64
	workers  int
	mon      *parallel.Monitor
}

// solve returns the orders of all groups. It advances the monitor by 1 for every group.
func (s *solver) solve(before matrix) ([]part, error) {
	groups := groupsOf(before)
	if s.method.Programmed() && s.programs == nil {
		return nil, fault.Value("method %v needs solutions of programs", s.method)
	}
	if s.programs != nil {
		if err := s.programs.check(before.Rows, len(groups)); err != nil {
			return nil, err
		}
	}
	for _, items := range groups {
		if s.method == Exact && len(items) > MostExact {
			return nil, &structure.LimitError{
				What: "an exact order of items that form a strongly connected component of the majority's preferences",
				Size: len(items), Limit: MostExact,
				Alternatives: "take method milp, which has no limit but time, lp or local-search",
			}
		}
	}
	parts := make([]part, len(groups))
	err := parallel.For(len(groups), 1, s.workers, s.mon, func(c, _ int) error {
		items := groups[c]
		if len(items) == 1 {
			parts[c] = part{order: items, optimal: true, method: Exact}
			return nil
		}
		found, err := s.solveGroup(c, items, submatrix(before, items))
		if err != nil {
			return err
		}
		for i, u := range found.order {
			found.order[i] = items[u]
		}
		parts[c] = found
		return nil
	})
	return parts, err
}

func (s *solver) solveGroup(c int, items []int32, before matrix) (part, error) {
	method := s.method
	if method == Auto {
		switch {
		case len(items) <= MostExact:
			method = Exact
		case s.programs != nil:
			method = MILP
		default:
			method = LocalSearch
		}
	}
	switch method {
	case Exact:
		return exactPart(before)
	case LocalSearch:
		return s.searched(items, before)
	case MILP, LP:
		return s.programmed(c, items, before)
	}
	found := part{lowerBound: pairwiseBound(before), method: method}
	var err error
	switch method {
	case Pivot:
		found.order, err = PivotOrder(before, s.kind == strictKind || s.kind == tiesKind, s.mon)
	case RandomPivot:
		var source rand.PCG
		parallel.Stream(&source, s.seed, c)
		found.order = RandomPivotOrder(before, rand.New(&source))
	case BestInput:
		found.order, err = BestOrderOfInputs(s.profile, items, before, s.workers, s.mon)
		return found, err
	default:
		return part{}, fault.Value("there is no method number %d for orders", method)
	}
	if err != nil {
		return part{}, err
	}
	return s.bestOf(found, items, before)
}

// programmed makes an order of what the caller's solver has found.
func (s *solver) programmed(c int, items []int32, before matrix) (part, error) {
	bound := s.programs.LowerBound[c]
	switch s.programs.State[c] {
	case OutOfTime:
		found, err := s.searched(items, before)
		found.lowerBound = max(found.lowerBound, bound)
		found.late = !found.optimal
		return found, err
	case Solved:
		order, err := orderOf(submatrix(s.programs.X, items))
		if err != nil {
			return part{}, fault.Wrap("the program of group %d: %w", c, err)
		}
		return proven(before, order, max(s.method, MILP)), nil // Auto is less
	}
	if s.method != LP {
		return part{}, fault.Value("the program of group %d has no order as its solution", c)
	}
	order, err := Round(submatrix(s.programs.X, items), before, s.kind == strictKind, s.workers, s.mon)
	if err != nil {
		return part{}, err
	}
	return s.bestOf(part{order: order, lowerBound: bound, method: LP}, items, before)
}

// searched returns what local search finds, or the best of the rankings.
func (s *solver) searched(items []int32, before matrix) (part, error) {
	w, base := workspace(before)
	order := make([]int32, before.Rows)
	bound, optimal, err := w.Search(order, s.mon.Err)
	if err != nil {
		return part{}, err
	}
	if optimal {
		return proven(before, order, LocalSearch), nil
	}
	bound = max(bound, w.Value(order))
	return s.bestOf(part{order: order, lowerBound: base - bound, method: LocalSearch}, items, before)
}

// bestOf returns the better one of an order and the best of the rankings.
func (s *solver) bestOf(found part, items []int32, before matrix) (part, error) {
	if s.profile == nil {
		return found, nil
	}
	other, err := BestOrderOfInputs(s.profile, items, before, s.workers, s.mon)
	if err == nil && CostOf(before, other) < CostOf(before, found.order) {
		found.order = other
	}
	return found, err
}

// exactPart returns a best order of at most MostExact items.
func exactPart(before matrix) (part, error) {
	w, _ := workspace(before)
	order := make([]int32, before.Rows)
	if err := w.Exact(order); err != nil {
		return part{}, err
	}
	return proven(before, order, Exact), nil
}

func proven(before matrix, order []int32, m Method) part {
	return part{order: order, lowerBound: CostOf(before, order), optimal: true, method: m}
}

// workspace returns the linear ordering problem in which u before v gains (w_uv − w_vu)/2, and a number from which the value of an
// order is subtracted to give its cost.
func workspace(before matrix) (w *ordering.Workspace, base float64) {
	w = new(ordering.Workspace)
	m := before.Rows
	gain := w.Reset(m)
	for u := range m {
		gain[u*m+u] = 0
		for v := u + 1; v < m; v++ {
			a, b := before.Row(u)[v], before.Row(v)[u]
			gain[u*m+v] = (a - b) / 2
			gain[v*m+u] = -gain[u*m+v]
			base += a + b
		}
	}
	return w, base / 2
}

// orderOf returns the order of a solution in which each pair is decided.
func orderOf(x matrix) ([]int32, error) {
	m := x.Rows
	order := make([]int32, m)
	for i := range order {
		order[i] = -1
	}
	for u := range m {
		place := 0 // what is before u
		for v := range m {
			if v != u && x.Row(v)[u] > 0.5 {
				place++
			}
		}
		if order[place] >= 0 {
			return nil, fault.Value("items %d and %d have as many others before them, so that its solution is no order", order[place], u)
		}
		order[place] = int32(u)
	}
	return order, nil
}

// joined returns the order of the groups one after the other, and a bound on the cost of all orders.
func joined(parts []part, before matrix) (order []int32, bound float64) {
	for _, p := range parts {
		order = append(order, p.order...)
		bound += p.lowerBound
	}
	rest := order
	for _, p := range parts {
		rest = rest[len(p.order):]
		for _, u := range p.order {
			for _, v := range rest {
				bound += before.Row(int(v))[u]
			}
		}
	}
	return order, bound
}

// CostOf returns the weight of the pairs that an order, items from first to last, has the other way round. Cost: O(k²).
func CostOf(before linalg.Matrix[float64], order []int32) float64 {
	var cost float64
	for i, u := range order {
		for _, v := range order[i+1:] {
			cost += before.Row(int(v))[u]
		}
	}
	return cost
}

// PositionsTo writes the positions 1..k of the items of an order.
func PositionsTo(dst, order []int32) {
	for place, u := range order {
		dst[u] = int32(place + 1)
	}
}

// submatrix returns the entries of some rows and the columns of the same numbers.
func submatrix(m matrix, items []int32) matrix {
	part := linalg.NewMatrix[float64](len(items), len(items))
	for i, u := range items {
		row, from := part.Row(i), m.Row(int(u))
		for j, v := range items {
			row[j] = from[v]
		}
	}
	return part
}

// pairwiseBound returns the sum of the smaller weights of all pairs, which every order costs at least.
func pairwiseBound(before matrix) float64 {
	var sum float64
	for u := range before.Rows {
		for v := u + 1; v < before.Rows; v++ {
			sum += min(before.Row(u)[v], before.Row(v)[u])
		}
	}
	return sum
}

// sharedCost returns the mean cost 2ab/(a + b) of a pair in a random ranking that orders it, where a and b are the weights of
// the two orders.
func sharedCost(a, b float64) float64 {
	switch sum := a + b; {
	case sum == 0:
		return 0
	case sum > 1e150 || sum < 1e-150: // where the product leaves the range of numbers
		return 2 * max(a, b) * (min(a, b) / sum)
	default:
		return 2 * a * b / sum
	}
}

// ascending returns 0, 1, …, n−1.
func ascending(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// argsort returns the indices of the values in ascending order of these, equal ones in ascending order themselves.
func argsort(n int, compare func(u, v int32) int) []int32 {
	order := ascending(n)
	slices.SortStableFunc(order, compare)
	return order
}

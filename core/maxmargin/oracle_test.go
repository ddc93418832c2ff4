package maxmargin

import (
	"errors"
	"math"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

// impatient asks to stop at its third request.
type impatient struct {
	*Decoder
	mon   *parallel.Monitor
	count int
}

func (i *impatient) Answer(r Request, mon *parallel.Monitor) error {
	if i.count++; i.count == 3 {
		i.mon.Cancel()
	}
	return i.Decoder.Answer(r, nil)
}

func TestARequestToStopIsHeard(t *testing.T) {
	p := instance(t, "labelsets", 3, 9, 2)
	for _, solver := range []Solver{CuttingPlanes, Blockwise} {
		for _, slack := range []bool{false, true} {
			p.Slack = slack
			mon := new(parallel.Monitor)
			oracle := &impatient{Decoder: p.Decoder(1), mon: mon}
			_, _, err := TrainSVM(p, SVMOptions{Solver: solver, MaxIter: 50, BlockRows: 4}, oracle, mon)
			if !errors.Is(err, parallel.ErrCancelled) || oracle.count != 3 {
				t.Errorf("got %v after %d requests", err, oracle.count)
			}
		}
	}
	p.Slack = false
	mon := new(parallel.Monitor)
	oracle := &impatient{Decoder: p.Decoder(1), mon: mon}
	_, err := TrainPerceptron(p, PerceptronOptions{MaxIter: 50}, oracle, mon)
	if !errors.Is(err, parallel.ErrCancelled) || oracle.count != 3 {
		t.Errorf("got %v after %d requests", err, oracle.count)
	}
}

// elsewhere counts what is done elsewhere, and fails at the last of so many requests or parts.
type elsewhere struct {
	*Decoder
	works, left int
}

var errElsewhere = errors.New("not here")

func (e *elsewhere) count() error {
	if e.left--; e.left == 0 {
		return errElsewhere
	}
	return nil
}

func (e *elsewhere) Answer(r Request, mon *parallel.Monitor) error {
	return fault.First(e.count(), e.Decoder.Answer(r, mon))
}

func (e *elsewhere) Work(f func() error) error {
	e.works++
	return fault.First(e.count(), f())
}

// TestLargeProductsAreMadeWhereTheOracleSays has weights that are large enough, and fails at any time.
func TestLargeProductsAreMadeWhereTheOracleSays(t *testing.T) {
	p := instance(t, "permutations", 4, 12, heavy/6)
	members, _ := ListMembers(p.Space, 1<<16)
	explain(p, members)
	walk := bounded(members)
	walk.MaxIter = 100
	for name, train := range slicex.InOrder(map[string]func(e Oracle) ([]float64, error){
		"cutting planes": func(e Oracle) ([]float64, error) {
			found, _, err := TrainSVM(p, SVMOptions{MaxIter: 3, BlockRows: 2}, e, nil)
			return found.Weights.Data, err
		},
		"blockwise": func(e Oracle) ([]float64, error) {
			found, _, err := TrainSVM(p, SVMOptions{Solver: Blockwise, MaxIter: 3, Average: true, BlockRows: 2}, e, nil)
			return found.Weights.Data, err
		},
		"perceptron": func(e Oracle) ([]float64, error) {
			found, err := TrainPerceptron(p, walk, e, nil)
			if err != nil {
				return nil, err
			}
			last := p.newWeights()
			err = found.AddWeights(last, p.newWeights())
			if !(found.Bound > 0) {
				t.Errorf("%d visits, and no bound", found.Visits)
			}
			return last.Data, err
		},
	}) {
		want, err := train(p.Decoder(1))
		if err != nil {
			t.Fatal(err)
		}
		e := &elsewhere{Decoder: p.Decoder(1)}
		got, err := train(e)
		if err != nil || e.works < 9 || !slices.Equal(got, want) {
			t.Errorf("%s: %d parts elsewhere, error %v", name, e.works, err)
		}
		for at := range -e.left {
			if _, err := train(&elsewhere{Decoder: p.Decoder(1), left: at + 1}); !errors.Is(err, errElsewhere) {
				t.Errorf("%s: failure %d is lost: %v", name, at+1, err)
			}
		}
	}
}

func TestWorkersBatchesAndFormsOfInputsChangeNothing(t *testing.T) {
	p := instance(t, "permutations", 4, 50, 6)
	p.Weights[7] = 0
	sparse := *p
	s := &solve.Sparse{Rows: 50, Cols: 6, Indptr: []int64{0}}
	for i := range 50 {
		for j, v := range p.X.Dense.Row(i) {
			s.Data, s.Indices = append(s.Data, v), append(s.Indices, int32(j))
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	sparse.X = &solve.Design{Rows: linalg.Rows{Sparse: s}, Intercept: true}
	o := SVMOptions{Tol: 1e-3, MaxIter: 200, BlockRows: 50, Workers: 1}
	want, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Workers = 3
	got, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil || !slices.Equal(got.Weights.Data, want.Weights.Data) {
		t.Errorf("workers change the result; error %v", err)
	}
	o.BlockRows = 8
	for _, q := range []*Problem{p, &sparse} {
		got, _, err := TrainSVM(q, o, q.Decoder(o.Workers), nil)
		if err != nil || math.Abs(got.Objective-want.Objective) > 1e-3*want.Objective {
			t.Errorf("%g, must be %g; error %v", got.Objective, want.Objective, err)
		}
	}
}

func TestAWeightOfTwoIsARowThatComesTwice(t *testing.T) {
	p := instance(t, "labelsets", 3, 4, 2)
	rows, weights := Visits([]float64{2, 0, 0.5, 1.5})
	if !slices.Equal(rows, []int64{0, 0, 2, 3, 3}) || !slices.Equal(weights, []float64{1, 1, 0.5, 0.75, 0.75}) {
		t.Fatalf("%v of weights %v", rows, weights)
	}
	once, twice := *p, *p
	once.Weights = []float64{2, 0, 0.5, 1.5}
	twice.Rows, twice.Weights = rows, weights
	a, _, err := TrainSVM(&once, SVMOptions{Tol: 1e-8, MaxIter: 500}, once.Decoder(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := TrainSVM(&twice, SVMOptions{Tol: 1e-8, MaxIter: 500, BlockRows: 2}, twice.Decoder(1), nil)
	if err != nil || math.Abs(a.Objective-b.Objective) > 1e-7*a.Objective {
		t.Errorf("%g and %g, error %v", a.Objective, b.Objective, err)
	}
	if rows, weights := Visits([]float64{1000, 0, 1000}); len(rows) != 30 || math.Abs(linalg.Sum(weights)-2000) > 1e-9 {
		t.Errorf("%d blocks of weight %g", len(rows), linalg.Sum(weights))
	}
}

// TestWhatCandidatesMissIsRemembered has weights that explain all outputs, which some hundred times the least objective is far from.
func TestWhatCandidatesMissIsRemembered(t *testing.T) {
	p := instance(t, "permutations", 4, 30, 3)
	members, _ := ListMembers(p.Space, 1<<16)
	explain(p, members)
	for i := range p.Weights {
		p.Weights[i] = 1e4
	}
	o := SVMOptions{Tol: 1e-2, MaxIter: 1000}
	exact, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Candidates = 3
	found, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := TrainSVM(p, o, p.Decoder(o.Workers), nil)
	if !slices.Equal(found.Weights.Data, again.Weights.Data) {
		t.Error("the same seed gives other weights")
	}
	objective := primalOf(p, members, found.Weights, false)
	if found.Exact || found.Objective > objective*(1+1e-9) || objective > 10*exact.Objective {
		t.Errorf("%+v with an objective of %g, the least one is %g", found, objective, exact.Objective)
	}
}

type nothing struct{ Here }

func (nothing) Answer(Request, *parallel.Monitor) error { return nil }

// Weights of 2^50 entries are refused before any memory is asked for.
func TestWeightsBeyondMemoryAreRefused(t *testing.T) {
	x := &solve.Sparse{Rows: 1, Cols: 1 << 40, Indptr: []int64{0, 0}}
	d := 1 << 10
	p := &Problem{X: &solve.Design{Rows: linalg.Rows{Sparse: x}}, Psi: linalg.NewMatrix[float64](1, d), Weights: []float64{1},
		Loss: Loss{Constant: []float64{0}, Gradient: linalg.NewMatrix[float64](1, d)}}
	_, _, ofSVM := TrainSVM(p, SVMOptions{Tol: 1e-2, MaxIter: 5}, p.Decoder(1), nil)
	_, ofPerceptron := TrainPerceptron(p, PerceptronOptions{MaxIter: 5}, p.Decoder(1), nil)
	for _, err := range []error{ofSVM, ofPerceptron} {
		if fault.KindOf(err) != fault.KindMemory {
			t.Errorf("got %v", err)
		}
	}
}

func TestWhatCannotBeTrainedIsRefused(t *testing.T) {
	o := SVMOptions{Tol: 1e-2, MaxIter: 5}
	for name, spoil := range slicex.InOrder(map[string]func(p *Problem, o *SVMOptions){
		"solver":    func(_ *Problem, o *SVMOptions) { o.Solver = 7 },
		"tol":       func(_ *Problem, o *SVMOptions) { o.Tol = math.NaN() },
		"max_iter":  func(_ *Problem, o *SVMOptions) { o.MaxIter = 0 },
		"rows":      func(_ *Problem, o *SVMOptions) { o.BlockRows = -1 },
		"blocks":    func(p *Problem, _ *SVMOptions) { p.Weights = nil },
		"weights":   func(p *Problem, _ *SVMOptions) { p.Weights[2] = -1 },
		"of row":    func(p *Problem, _ *SVMOptions) { p.Rows, p.Weights = []int64{9}, []float64{1} },
		"psi":       func(p *Problem, _ *SVMOptions) { p.Psi = linalg.NewMatrix[float64](2, 3) },
		"constant":  func(p *Problem, _ *SVMOptions) { p.Loss.Constant = nil },
		"magnitude": func(p *Problem, _ *SVMOptions) { p.Loss.Magnitude = linalg.NewMatrix[float64](1, 3) },
		"members":   func(p *Problem, _ *SVMOptions) { p.Members = linalg.NewMatrix[float64](2, 2) },
		"overflow":  func(p *Problem, _ *SVMOptions) { p.X.Dense.Row(4)[0] = 1e200 },
		"planes":    func(p *Problem, _ *SVMOptions) { p.Asked = true },
	}) {
		p, options := instance(t, "labelsets", 3, 6, 2), o
		spoil(p, &options)
		_, _, err := TrainSVM(p, options, p.Decoder(options.Workers), nil)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if name == "overflow" && fault.RowOf(err) != 4 {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := instance(t, "labelsets", 3, 6, 2)
	for i := range p.X.Dense.Data {
		p.X.Dense.Data[i] *= 1e130
	}
	for i := range p.Weights {
		p.Weights[i] = 1e30
	}
	if _, _, err := TrainSVM(p, o, p.Decoder(o.Workers), nil); fault.KindOf(err) != fault.KindNumerical {
		t.Errorf("got %v", err)
	}
	p = instance(t, "labelsets", 3, 6, 2)
	for _, solver := range []Solver{CuttingPlanes, Blockwise} {
		for _, slack := range []bool{false, true} {
			p.Slack, o.Solver = slack, solver
			if _, _, err := TrainSVM(p, o, nothing{}, nil); err == nil {
				t.Errorf("solver %d: a request without an answer passed for one", solver)
			}
		}
	}
	if _, err := ListMembers(p.Space, 3); err == nil {
		t.Error("24 numbers passed for 3")
	}
	large, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 12}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ListMembers(large, 1<<24); err == nil {
		t.Error("a large space was listed")
	}
}

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

// drive trains by another engine than the problem's own.
func drive(p *Problem, o SVMOptions, engine Engine, mon *parallel.Monitor) (Solution, []Look, error) {
	length, err := o.StateLen(p)
	if err != nil {
		return Solution{}, nil, err
	}
	state := make([]float64, length)
	m, err := NewSVM(p, o, state)
	if err != nil {
		return Solution{}, nil, err
	}
	var looks []Look
	err = Drive(m, state, engine, func(l Look) { looks = append(looks, l) }, mon)
	return m.Found(), looks, err
}

// resumed trains by a new machine for every request, on a copy of the state, the old one being destroyed.
func resumed(t *testing.T, p *Problem, o SVMOptions, engine Engine) Solution {
	t.Helper()
	length, err := o.StateLen(p)
	if err != nil {
		t.Fatal(err)
	}
	state := make([]float64, length)
	if _, err := NewSVM(p, o, state); err != nil {
		t.Fatal(err)
	}
	grown := 0
	for {
		m, err := ResumeSVM(p, o, state)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		switch r.Ask {
		case Finished:
			if o.Solver == CuttingPlanes && grown == 0 {
				t.Error("the state never had to grow")
			}
			return m.Found()
		case More:
			grown++
			if state = append(state, make([]float64, r.Length-len(state))...); grown > 1 {
				state = append(state, math.NaN()) // what is behind is not looked at
			}
		case Decode:
			if err := engine.Answer(r, nil); err != nil {
				t.Fatal(err)
			}
		}
		moved := slices.Clone(state)
		for i := range state {
			state[i] = math.NaN()
		}
		state = moved
	}
}

func TestNothingIsKnownButTheState(t *testing.T) {
	for _, o := range []SVMOptions{
		{Solver: CuttingPlanes, Tol: 1e-6, MaxIter: 60, BlockRows: 7},
		{Solver: Blockwise, Tol: 1e-6, MaxIter: 20, Average: true, BlockRows: 7},
		{Solver: Blockwise, Tol: 1e-6, MaxIter: 20, Seed: 4},
	} {
		for _, slack := range []bool{false, true} {
			p := instance(t, "permutations", 4, 30, 4)
			p.Slack = slack
			for i := range p.Weights {
				p.Weights[i] *= 10
			}
			want, _, err := TrainSVM(p, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := resumed(t, p, o, p.decoder(1))
			if !slices.Equal(got.Weights.Data, want.Weights.Data) || got.Objective != want.Objective || got.Calls != want.Calls {
				t.Errorf("%+v: %g after %d iterations, must be %g after %d", o, got.Objective, got.Iter, want.Objective, want.Iter)
			}
		}
	}
}

// impatient asks to stop at every few requests.
type impatient struct {
	Engine
	mon   *parallel.Monitor
	count int
}

func (i *impatient) Answer(r Request, mon *parallel.Monitor) error {
	err := i.Engine.Answer(r, mon)
	if i.count++; i.count%3 == 0 {
		i.mon.Cancel()
	}
	return err
}

func TestAfterARequestToStopTrainingGoesOn(t *testing.T) {
	for _, solver := range []Solver{CuttingPlanes, Blockwise} {
		p := instance(t, "labelsets", 3, 9, 2)
		o := SVMOptions{Solver: solver, Tol: 1e-3, MaxIter: 50, BlockRows: 4}
		want, _, err := TrainSVM(p, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		length, _ := o.StateLen(p)
		m, err := NewSVM(p, o, make([]float64, length))
		if err != nil {
			t.Fatal(err)
		}
		mon := new(parallel.Monitor)
		stops, engine := 0, p.decoder(1)
		for count := 0; ; count++ {
			if count%5 == 4 {
				mon.Cancel()
			}
			r, err := m.Next(mon)
			if errors.Is(err, parallel.ErrCancelled) {
				stops++
				*mon = parallel.Monitor{}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Ask == Finished {
				break
			}
			if r.Ask == Decode {
				if err := engine.Answer(r, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := m.Found(); stops == 0 || !slices.Equal(got.Weights.Data, want.Weights.Data) {
			t.Errorf("%d stops, %+v, must be %+v", stops, got, want)
		}
		mon = new(parallel.Monitor)
		if _, _, err := drive(p, o, &impatient{Engine: p.decoder(1), mon: mon}, mon); !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("got %v", err)
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
	want, _, err := TrainSVM(p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Workers = 3
	got, _, err := TrainSVM(p, o, nil)
	if err != nil || !slices.Equal(got.Weights.Data, want.Weights.Data) {
		t.Errorf("workers change the result; error %v", err)
	}
	o.BlockRows = 8
	for _, q := range []*Problem{p, &sparse} {
		got, _, err := TrainSVM(q, o, nil)
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
	a, _, err := TrainSVM(&once, SVMOptions{Tol: 1e-8, MaxIter: 500}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := TrainSVM(&twice, SVMOptions{Tol: 1e-8, MaxIter: 500, BlockRows: 2}, nil)
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
	exact, _, err := TrainSVM(p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Candidates = 3
	found, _, err := TrainSVM(p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := TrainSVM(p, o, nil)
	if !slices.Equal(found.Weights.Data, again.Weights.Data) {
		t.Error("the same seed gives other weights")
	}
	objective := primalOf(p, members, found.Weights, false)
	if found.Exact || found.Objective > objective*(1+1e-9) || objective > 10*exact.Objective {
		t.Errorf("%+v with an objective of %g, the least one is %g", found, objective, exact.Objective)
	}
}

type nothing struct{}

func (nothing) Answer(Request, *parallel.Monitor) error { return nil }

// Weights of 2^50 entries are refused before any memory is asked for.
func TestStatesBeyondMemoryAreRefused(t *testing.T) {
	x := &solve.Sparse{Rows: 1, Cols: 1 << 40, Indptr: []int64{0, 0}}
	d := 1 << 10
	p := &Problem{X: &solve.Design{Rows: linalg.Rows{Sparse: x}}, Psi: linalg.NewMatrix[float64](1, d), Weights: []float64{1},
		Loss: Loss{Constant: []float64{0}, Gradient: linalg.NewMatrix[float64](1, d)}}
	_, _, ofSVM := TrainSVM(p, SVMOptions{Tol: 1e-2, MaxIter: 5}, nil)
	_, ofPerceptron := PerceptronOptions{MaxIter: 5}.StateLen(p)
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
		_, _, err := TrainSVM(p, options, nil)
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
	if _, _, err := TrainSVM(p, o, nil); fault.KindOf(err) != fault.KindNumerical {
		t.Errorf("got %v", err)
	}
	p = instance(t, "labelsets", 3, 6, 2)
	if _, _, err := drive(p, o, nothing{}, nil); err == nil {
		t.Error("a request without an answer passed for one")
	}
	length, _ := o.StateLen(p)
	if _, err := ResumeSVM(p, o, make([]float64, length)); err == nil {
		t.Error("a state that was not begun passed for one")
	}
	if _, err := NewSVM(p, o, make([]float64, length-1)); err == nil {
		t.Error("a state that is too short was taken")
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

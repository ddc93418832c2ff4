package maxmargin

import "combpred/core/parallel"

// decoder returns what answers the requests of machines for the problem.
func (p *Problem) decoder(workers int) *Decoder {
	return &Decoder{Space: p.Space, Method: p.Method, Candidates: p.Candidates, Seed: p.Seed, Workers: workers}
}

// TrainSVM trains a support vector machine whose outputs the problem's space decodes. It returns the looks at the objective on the way,
// too, the last being that of the solution.
func TrainSVM(p *Problem, o SVMOptions, mon *parallel.Monitor) (Solution, []Look, error) {
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
	err = Drive(m, state, p.decoder(o.Workers), func(l Look) { looks = append(looks, l) }, mon)
	if err != nil {
		return Solution{}, nil, err
	}
	return m.Found(), looks, nil
}

// TrainPerceptron trains a perceptron whose outputs the problem's space decodes. The machine, which has ended, knows the weights.
func TrainPerceptron(p *Problem, o PerceptronOptions, mon *parallel.Monitor) (*PerceptronTraining, error) {
	o.Sampled = o.Sampled || p.Candidates > 0
	length, err := o.StateLen(p)
	if err != nil {
		return nil, err
	}
	state := make([]float64, length)
	m, err := NewPerceptron(p, o, state)
	if err != nil {
		return nil, err
	}
	return m, Drive(m, state, p.decoder(o.Workers), nil, mon)
}

package kbest

import (
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/slicex"
	"combpred/core/structure"
)

// ask returns the request for m.count decodings from m.cursor on.
func (m *Machine) ask() Request {
	n, d := m.count, len(m.psi)
	m.linear, m.magnitude = fresh(m.linear, n, d), fresh(m.magnitude, n, d)
	squared := false
	var domains [][]structure.Values
	switch m.phase {
	case largest, smallest:
		sign := 1.0
		if m.phase == smallest {
			sign = -1
		}
		for i := range n {
			m.linear.Data[i*d+m.cursor+i] = sign
		}
	case middle:
		squared = true
		for i, e := range m.open()[m.cursor : m.cursor+n] {
			m.magnitude.Data[i*d+e] = -1
		}
	case root:
		squared = m.penalised(0, m.alphabet)
	case worst:
		for e, v := range m.score.Linear {
			m.linear.Data[e] = -v / m.scale
		}
		for e, v := range m.score.Magnitude {
			squared = true
			m.magnitude.Data[e] = -v / m.scale
		}
	case children:
		last := m.cells[len(m.cells)-1]
		entries := free(last.domains)
		for i := range n {
			domains = append(domains, last.child(m.cursor+i, entries))
			squared = m.penalised(i, domains[i])
		}
	}
	r := Request{Ask: Decode, Linear: m.linear, Domains: domains}
	if squared {
		r.Magnitude = m.magnitude
	} else {
		r.Magnitude = blas64.General{Cols: d, Stride: max(1, d)}
	}
	return r
}

// fresh returns a matrix of zeros, in the memory of m where that suffices.
func fresh(m blas64.General, rows, cols int) blas64.General {
	m.Rows, m.Cols, m.Stride, m.Data = rows, cols, max(1, cols), slicex.Grow(m.Data, rows*cols)
	clear(m.Data)
	return m
}

// penalised writes the scores of a subproblem to a row of the request, and says whether squares are scored.
func (m *Machine) penalised(row int, domains []bits) (squared bool) {
	d := len(m.psi)
	linear, magnitude := m.linear.Data[row*d:(row+1)*d], m.magnitude.Data[row*d:(row+1)*d]
	for e, v := range m.score.Linear {
		linear[e] = v/m.scale - m.penalty*onLinear[m.alphabet[e]][domains[e]]
		magnitude[e] = -m.penalty * onSquare[m.alphabet[e]][domains[e]]
		squared = squared || m.alphabet[e] == 7
	}
	for e, v := range m.score.Magnitude {
		magnitude[e] += v / m.scale
	}
	return squared || m.score.Magnitude != nil
}

// onLinear and onSquare are the coefficients of ψ_e and ψ_e² that cost 1 for every value outside a domain, by the alphabet, the set of
// values that the entry takes at all, and the domain. On the alphabet the cost is right up to a constant; other values do not matter.
var onLinear, onSquare = costs()

func costs() (linear, square [8][8]float64) {
	for domain := range bits(8) {
		var outside [3]float64 // cost of −1, 0, 1
		for v := range outside {
			if domain>>v&1 == 0 {
				outside[v] = 1
			}
		}
		linear[3][domain] = outside[1] - outside[0]
		linear[6][domain] = outside[2] - outside[1]
		linear[5][domain] = (outside[2] - outside[0]) / 2
		linear[7][domain] = linear[5][domain]
		square[7][domain] = (outside[2]+outside[0])/2 - outside[1]
	}
	return linear, square
}

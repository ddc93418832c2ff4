package spanning

import "combpred/core/parallel"

// wideNumbers is the elimination of numbers where floats are too narrow. The methods are explained there; here they take about ten times
// as long.
type wideNumbers struct {
	*elimination
	c     []wide
	total []wide
	mesh  []float64
	poll  *parallel.Poll
}

// newWideNumbers makes all conductances 0.
func newWideNumbers(e *elimination, poll *parallel.Poll) *wideNumbers {
	t := &wideNumbers{elimination: e, c: make([]wide, len(e.col)), total: make([]wide, len(e.place)-1), poll: poll}
	for i := range t.c {
		t.c[i] = wideZero()
	}
	return t
}

func (t *wideNumbers) eliminate(meshes bool) {
	for k := 0; k < len(t.total) && !t.poll.Stopped(); k++ {
		star, x := t.later(k), t.c[t.first[k]:t.first[k+1]]
		t.total[k] = wideZero()
		for _, v := range x {
			t.total[k] = t.total[k].add(v)
		}
		for i, u := range star {
			at, share := t.first[u], x[i].div(t.total[k])
			for j, v := range star[i+1:] {
				for t.col[at] != v {
					at++
				}
				mesh := share.mul(x[i+1+j])
				t.c[at] = t.c[at].add(mesh)
				if meshes {
					t.mesh = append(t.mesh, min(mesh.div(t.c[at]).float(), 1))
				}
			}
		}
	}
}

func (t *wideNumbers) resist() {
	share, spread := make([]wide, len(t.place)), make([]wide, len(t.place))
	half, one := wide{x: .5}, wide{x: 1}
	for k := len(t.total) - 1; k >= 0 && !t.poll.Stopped(); k-- {
		star, x := t.later(k), t.c[t.first[k]:t.first[k+1]]
		p, mean := share[:len(star)], spread[:len(star)]
		for i, v := range x {
			p[i], mean[i] = v.div(t.total[k]), wideZero()
		}
		within := wideZero()
		for i, u := range star {
			at := t.first[u]
			for j, v := range star[i+1:] {
				for t.col[at] != v {
					at++
				}
				mean[i] = mean[i].add(p[i+1+j].mul(t.c[at]))
				mean[i+1+j] = mean[i+1+j].add(p[i].mul(t.c[at]))
			}
			within = within.add(p[i].mul(mean[i])) // complete: the pairs with earlier neighbours have been added
		}
		least, within := one.div(t.total[k]), within.mul(half)
		for i, r := range mean {
			x[i] = least.add(r).less(within)
		}
	}
}

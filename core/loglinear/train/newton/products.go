package newton

import "sync"

// scoresTo writes the scores of weights to dst.
func (t *joint) scoresTo(dst, weights matrix) error {
	return t.products(func(j int) job { return job{in: weights.Row(j), scores: dst.Row(j)} })
}

// sumsTo writes the sums of the rows times factors to dst.
func (t *joint) sumsTo(dst, factors matrix) error {
	return t.products(func(j int) job { return job{residual: factors.Row(j), out: dst.Row(j)} })
}

// products passes over the rows for all classes.
func (t *joint) products(of func(j int) job) error {
	return t.each(func(all *queue) error {
		p := t.idle.take(t.rows, all.width)
		defer t.idle.give(p, all.width)
		for {
			p.clear()
			many := 0
			for ; many < all.width; many++ {
				j, ok := all.next()
				if !ok {
					break
				}
				p.add(of(j))
			}
			if many == 0 {
				return nil
			}
			if err := p.run(t.mon); err != nil {
				return err
			}
		}
	})
}

// idlePasses are kept for the next products, by their width.
type idlePasses struct {
	mu  sync.Mutex
	own map[int][]pass
}

func (d *idlePasses) take(r rows, width int) pass {
	d.mu.Lock()
	defer d.mu.Unlock()
	idle := d.own[width]
	if len(idle) == 0 {
		return r.pass(width)
	}
	d.own[width] = idle[:len(idle)-1]
	return idle[len(idle)-1]
}

func (d *idlePasses) give(p pass, width int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.own == nil {
		d.own = make(map[int][]pass)
	}
	d.own[width] = append(d.own[width], p)
}

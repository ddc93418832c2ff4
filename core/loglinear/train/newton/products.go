package newton

import (
	"sync"

	"combpred/core/fault"
)

// scoresTo writes the scores of the classes by weights to dst.
func (t *joint) scoresTo(dst, weights matrix) error {
	if t.list != nil {
		if err := t.over(t.o.Features, func(lo, hi int) { combine(t.classes, t.list.psi, weights, lo, hi) }); err != nil {
			return err
		}
		weights = t.classes
	}
	return t.products(dst.Rows, func(j int) job { return job{in: weights.Row(j), scores: dst.Row(j)} })
}

// sumsTo writes the sums of the rows times factors of the classes to dst.
func (t *joint) sumsTo(dst, factors matrix) error {
	if t.list == nil {
		return t.productsTo(dst, factors)
	}
	return fault.First(t.productsTo(t.classes, factors),
		t.over(t.o.Features, func(lo, hi int) { combine(dst, &t.list.transpose, t.classes, lo, hi) }))
}

// productsTo writes the sums of the rows times each row of factors to dst.
func (t *joint) productsTo(dst, factors matrix) error {
	return t.products(dst.Rows, func(j int) job { return job{residual: factors.Row(j), out: dst.Row(j)} })
}

// products passes over the rows for so many columns.
func (t *joint) products(many int, of func(j int) job) error {
	return t.each(many, func(all *queue) error {
		p := t.idle.take(t.rows, all.width)
		defer t.idle.give(p, all.width)
		for {
			p.clear()
			taken := 0
			for ; taken < all.width; taken++ {
				j, ok := all.next()
				if !ok {
					break
				}
				p.add(of(j))
			}
			if taken == 0 {
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

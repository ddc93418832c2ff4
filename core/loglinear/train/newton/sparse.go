package newton

import (
	"combpred/core/parallel"
	"combpred/core/solve"
)

// widest is how many columns go through sparse rows side by side: numbers of a line of cache, and sums that fit the registers.
const widest = 8

// half is another number of columns that loops are written out for.
const half = 4

// polledRows is after how many rows a pass asks whether to stop.
const polledRows = 1024

type sparseRows struct {
	design *solve.Design
	x      *solve.Sparse
	n      int
	row    func(i int) int // the number in x of a row that counts
}

func (sparseRows) independent() bool { return true }

func (r sparseRows) pass(width int) pass {
	q := r.design.Columns()
	return &sparsePass{rows: r, in: make([]float64, stride(width)*q), out: make([]float64, stride(width)*q)}
}

// stride returns how many numbers lie side by side for so many columns: as many as loops are written out for, unless they are few.
func stride(width int) int {
	switch {
	case width > half:
		return widest
	case width > half/2:
		return half
	}
	return width
}

// sparsePass has the numbers of all columns for a feature side by side, so that an entry of X is read once for all, and meets one line of
// cache. Sums are the same for any number of columns.
type sparsePass struct {
	rows    sparseRows
	jobs    []job
	in, out []float64
}

func (p *sparsePass) clear()    { p.jobs = p.jobs[:0] }
func (p *sparsePass) add(j job) { p.jobs = append(p.jobs, j) }

func (p *sparsePass) run(mon *parallel.Monitor) error {
	if len(p.jobs) == 0 {
		return nil
	}
	k, x, r := stride(len(p.jobs)), p.rows.design, &p.rows
	q := x.Columns()
	in, out := p.in[:k*q], p.out[:k*q]
	scored, summed := false, false
	if len(p.jobs) < k {
		clear(in)
	}
	for at, j := range p.jobs {
		scored, summed = scored || j.in != nil, summed || j.out != nil
		if j.in != nil {
			for f, v := range j.in[:q] {
				in[f*k+at] = v
			}
			continue
		}
		for f := at; f < len(in); f += k {
			in[f] = 0
		}
	}
	clear(out)
	var sums, factors [widest]float64
	for i := range r.n {
		if i%polledRows == 0 {
			if err := mon.Err(); err != nil {
				return err
			}
		}
		columns, values := r.x.Row(r.row(i))
		sums = [widest]float64{}
		if scored {
			gather(&sums, k, columns, values, in)
		}
		for at := range p.jobs {
			j, score := &p.jobs[at], sums[at]
			if j.in != nil {
				if x.Intercept {
					score += j.in[x.Features()]
				}
				j.scores[i] = score
			}
			factors[at] = j.factor(i, score)
			if x.Intercept {
				out[x.Features()*k+at] += factors[at]
			}
		}
		if summed {
			scatter(out, k, columns, values, &factors)
		}
	}
	for at, j := range p.jobs {
		if j.out != nil {
			for f := range j.out {
				j.out[f] = out[f*k+at]
			}
		}
	}
	return nil
}

// gather adds the inner products of a row with each of k columns to sums. Products are rounded, so that all widths agree on all processors.
func gather(sums *[widest]float64, k int, columns []int32, values, in []float64) {
	values = values[:len(columns)]
	if k == widest {
		var a, b, c, d, e, f, g, h float64
		for at, column := range columns {
			v, x := values[at], (*[widest]float64)(in[int(column)*widest:])
			a += float64(v * x[0])
			b += float64(v * x[1])
			c += float64(v * x[2])
			d += float64(v * x[3])
			e += float64(v * x[4])
			f += float64(v * x[5])
			g += float64(v * x[6])
			h += float64(v * x[7])
		}
		*sums = [widest]float64{a, b, c, d, e, f, g, h}
		return
	}
	if k == half {
		var a, b, c, d float64
		for at, column := range columns {
			v, x := values[at], (*[half]float64)(in[int(column)*half:])
			a += float64(v * x[0])
			b += float64(v * x[1])
			c += float64(v * x[2])
			d += float64(v * x[3])
		}
		*sums = [widest]float64{a, b, c, d}
		return
	}
	for at, column := range columns {
		v := values[at]
		for l, x := range in[int(column)*k : int(column)*k+k] {
			sums[l&(widest-1)] += float64(v * x)
		}
	}
}

// scatter adds a row times each of k factors to the columns of out.
func scatter(out []float64, k int, columns []int32, values []float64, factors *[widest]float64) {
	values = values[:len(columns)]
	if k == widest {
		a, b, c, d, e, f, g, h := factors[0], factors[1], factors[2], factors[3], factors[4], factors[5], factors[6], factors[7]
		for at, column := range columns {
			v, x := values[at], (*[widest]float64)(out[int(column)*widest:])
			x[0] += float64(v * a)
			x[1] += float64(v * b)
			x[2] += float64(v * c)
			x[3] += float64(v * d)
			x[4] += float64(v * e)
			x[5] += float64(v * f)
			x[6] += float64(v * g)
			x[7] += float64(v * h)
		}
		return
	}
	if k == half {
		a, b, c, d := factors[0], factors[1], factors[2], factors[3]
		for at, column := range columns {
			v, x := values[at], (*[half]float64)(out[int(column)*half:])
			x[0] += float64(v * a)
			x[1] += float64(v * b)
			x[2] += float64(v * c)
			x[3] += float64(v * d)
		}
		return
	}
	for at, column := range columns {
		v := values[at]
		to := out[int(column)*k : int(column)*k+k]
		for l := range to {
			to[l] += float64(v * factors[l&(widest-1)])
		}
	}
}

package kbest

import (
	"container/heap"
	"encoding/binary"
	"hash/crc64"
	"math"
	"slices"

	"combpred/core/fault"
	"combpred/core/structure"
)

// mark is what states begin with: the letters of "CPKBEST" and a version.
const mark = 0x0143504b42455354

var (
	errDamaged = fault.Value("the state is damaged, or belongs to another problem")
	table      = crc64.MakeTable(crc64.ECMA)
)

func appendWord(dst []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(dst, v) }

// problem returns a number that tells this problem from others.
func (m *Machine) problem() uint64 {
	var b []byte
	for _, v := range slices.Concat(m.score.Linear, m.score.Magnitude) {
		b = appendWord(b, math.Float64bits(v))
	}
	for _, n := range []int{len(m.score.Magnitude), m.most, m.rows, len(m.psi), m.space.PartLen()} {
		b = appendWord(b, uint64(n))
	}
	return crc64.Checksum(append(appendWord(b, math.Float64bits(m.nu)), structure.Describe(m.space)...), table)
}

// State returns all that a machine knows between two calls of Next, for Resume.
func (m *Machine) State() []byte {
	b := appendWord(appendWord(nil, mark), 0) // the length goes there
	for _, w := range []uint64{m.problem(), uint64(m.phase), uint64(m.cursor), uint64(m.count), uint64(m.remaining),
		math.Float64bits(m.least), uint64(m.number), uint64(len(m.cells)), uint64(len(m.waiting))} {
		b = appendWord(b, w)
	}
	for e, a := range m.alphabet {
		b = append(appendWord(b, math.Float64bits(m.extreme[e])), byte(a))
	}
	for _, c := range m.cells {
		for e, d := range c.domains {
			b = append(b, byte(d), byte(bit(c.psi[e])))
		}
	}
	for _, c := range m.waiting {
		b = appendWord(appendWord(b, math.Float64bits(c.value)), uint64(c.number))
		b = appendWord(appendWord(b, uint64(c.parent+1)), uint64(c.at))
		for _, v := range c.psi {
			b = append(b, byte(bit(v)))
		}
		for _, y := range c.parts {
			b = binary.LittleEndian.AppendUint32(b, uint32(y))
		}
	}
	binary.LittleEndian.PutUint64(b[8:], uint64(len(b)+8))
	return appendWord(b, crc64.Checksum(b, table))
}

// reader takes a state apart; what is missing or illegal is an error at the end.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.bad, n = true, 0
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) word() uint64 {
	b := r.take(8)
	if len(b) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// whole returns a whole number from 0 to most.
func (r *reader) whole(most int) int {
	w := r.word()
	if w > uint64(most) {
		r.bad = true
		return 0
	}
	return int(w)
}

func (r *reader) number() float64 { return math.Float64frombits(r.word()) }

// set returns a set of values that is not empty, unless it may be.
func (r *reader) set(empty bool) bits {
	b := r.take(1)
	if len(b) == 0 || b[0] > 7 || b[0] == 0 && !empty {
		r.bad = true
		return 2
	}
	return bits(b[0])
}

// sign returns a value of an entry.
func (r *reader) sign() int8 {
	b := r.set(false)
	r.bad = r.bad || several(b)
	return int8(b>>1) - 1 // 1, 2 and 4 are −1, 0 and 1
}

// Begun reports whether a buffer holds a state, rather than the zeros in which one is begun.
func Begun(state []byte) bool { return len(state) >= 8 && binary.LittleEndian.Uint64(state) != 0 }

// Resume returns a machine like NewMachine with the state of an earlier one with the same arguments. What follows the state in the
// buffer is not looked at. A buffer that does not hold such a state is an error.
func Resume(space structure.Space, score structure.Scores, nu float64, most, rows int, state []byte) (*Machine, error) {
	m := NewMachine(space, score, nu, most, rows)
	r := &reader{rest: state}
	if r.word() != mark {
		return nil, fault.Value("the state has not been begun by this version; begin with zeros")
	}
	length := r.whole(len(state))
	if r.bad || length < 96 || crc64.Checksum(state[:length-8], table) != binary.LittleEndian.Uint64(state[length-8:]) {
		return nil, errDamaged
	}
	r.rest = state[16 : length-8]
	if r.word() != m.problem() {
		return nil, errDamaged
	}
	d, p := len(m.psi), space.PartLen()
	m.phase, m.cursor, m.count, m.remaining = phase(r.whole(int(ended))), r.whole(d), r.whole(d), r.whole(most)
	m.least, m.number = r.number(), r.whole(math.MaxInt)
	m.cells, m.waiting = make([]cell, r.whole(length/max(1, 2*d))), make(candidates, r.whole(length/(32+d+4*p)))
	for e := range m.alphabet {
		m.extreme[e], m.alphabet[e] = r.number(), r.set(m.phase <= smallest)
	}
	for i := range m.cells {
		c := cell{make([]bits, d), make([]int8, d)}
		for e := range d {
			c.domains[e], c.psi[e] = r.set(true), r.sign()
		}
		m.cells[i] = c
	}
	for i := range m.waiting {
		c := candidate{value: r.number(), number: r.whole(m.number), parent: r.whole(len(m.cells)) - 1, at: r.whole(d)}
		c.psi, c.parts = make([]int8, d), make([]int32, p)
		for e := range c.psi {
			c.psi[e] = r.sign()
		}
		for j := range c.parts {
			if b := r.take(4); len(b) == 4 {
				c.parts[j] = int32(binary.LittleEndian.Uint32(b))
			}
		}
		if r.bad || math.IsNaN(c.value) || c.parent >= 0 && c.at >= len(free(m.cells[c.parent].domains)) {
			return nil, errDamaged
		}
		if err := space.Check(c.parts); err != nil {
			return nil, fault.Value("%w: %w", errDamaged, err)
		}
		m.waiting[i] = c
	}
	heap.Init(&m.waiting)
	if r.bad || len(r.rest) > 0 || math.IsNaN(m.least) || m.phase == children && len(m.cells) == 0 || m.count > m.rows ||
		m.count > 0 && m.cursor+m.count > m.todo() || m.phase == worst && len(m.waiting) == 0 {
		return nil, errDamaged
	}
	return m, nil
}

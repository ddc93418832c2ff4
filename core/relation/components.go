package relation

// Weak returns a number for each element, from 0 on, which those have in common that pairs join, whatever their directions. Numbers are
// in the order of first elements.
func (r Relation) Weak() []int {
	both := r.Transpose()
	both.Unite(r)
	number := make([]int, r.n)
	for a := range number {
		number[a] = -1
	}
	next := 0
	var queue []int
	for a := range number {
		if number[a] >= 0 {
			continue
		}
		number[a], queue = next, append(queue[:0], a)
		for k := 0; k < len(queue); k++ {
			for b := range both.Related(queue[k]) {
				if number[b] < 0 {
					number[b] = next
					queue = append(queue, b)
				}
			}
		}
		next++
	}
	return number
}

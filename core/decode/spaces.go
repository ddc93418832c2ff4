package decode

import (
	"encoding/binary"

	"combpred/core/fault"
	"combpred/core/structure"
)

// Spaces returns the outputs that satisfy the conditions of each of n rows: a list of spaces, and the number in it of that of each row; nil
// where one range is that of all. Rows of equal conditions share a space. Its error names the first row whose conditions are illegal, or are
// seen at once to leave no output.
func (k *Keyed) Spaces(space structure.Space, n int) (list []structure.Space, of []int32, err error) {
	read, err := k.Rows(space, n)
	if err != nil {
		return nil, nil, err
	}
	within := func(row int) error {
		r, err := read(row)
		if err != nil {
			return err
		}
		part, err := r.Within(space)
		list = append(list, part)
		return err
	}
	if len(k.First) == 2 {
		err := within(0)
		return list, nil, err
	}
	numbers := map[string]int32{}
	of = make([]int32, n)
	for i := range of {
		var name []byte
		for _, c := range ofRow(k.First, k.All, i) {
			for _, v := range [3]int{int(c.Key), c.U, c.V} {
				name = binary.LittleEndian.AppendUint32(name, uint32(v))
			}
		}
		number, known := numbers[string(name)]
		if !known {
			if err := within(i); err != nil {
				return nil, nil, fault.At(i, err)
			}
			number = int32(len(list) - 1)
			numbers[string(name)] = number
		}
		of[i] = number
	}
	return list, of, nil
}

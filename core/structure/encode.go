package structure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"combpred/core/fault"
)

// Reads reports whether rows of data of a space may have so many numbers.
func Reads(s Space, width int) bool {
	layout := s.Facts().Layout
	if layout.Widths == nil {
		return layout.AnyWidth || width == s.PartLen()
	}
	return slices.Contains(layout.Widths, width)
}

// ReadTo writes the encoding of the output that a row of data shows to dst, or says what is wrong with the row.
func ReadTo(s Space, dst []int32, row []float64) error {
	mustLen("dst", len(dst), s.PartLen())
	if r, ok := s.(Reader); ok {
		return r.Read(dst, row)
	}
	if i := wholeTo(dst, row); i >= 0 {
		return wrongNumber(row, i, columnNamesOf(s), FormatOf(s))
	}
	return s.Check(dst)
}

// FormatOf returns what a row of data of a space holds, in a clause that ends messages.
func FormatOf(s Space) string {
	if format := s.Facts().Format; format != "" {
		return format
	}
	return "rows are encoded outputs"
}

// wholeTo writes whole numbers to dst and returns the place of the first other one, −1 if there is none.
func wholeTo(dst []int32, row []float64) int {
	for i, x := range row {
		v := int32(x)
		if float64(v) != x { // a NaN differs from all
			return i
		}
		dst[i] = v
	}
	return -1
}

// wrongNumber returns the error that a row of data, whose columns may have names, holds a number that it may not hold.
func wrongNumber(row []float64, i int, columns Names, format string) error {
	return wrong(shownNumber(row[i]), i, len(row), columns, format)
}

// wrongPart is wrongNumber for a row of parts.
func wrongPart(y []int32, i int, columns Names, format string) error {
	return wrong(strconv.Itoa(int(y[i])), i, len(y), columns, format)
}

func wrong(value string, column, width int, columns Names, format string) error {
	where := ""
	if width > 1 {
		where = " in column " + columns.of(column)
	}
	return fault.Value("found %s%s; %s", value, where, format)
}

// shownNumber returns a number as a user would write it.
func shownNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(x), "+"))
	case x == math.Trunc(x) && math.Abs(x) < 1e18:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// shownParts returns numbers for a message, shortened if there are many.
func shownParts(y []int32) string {
	const most = 20
	text := strings.ReplaceAll(fmt.Sprint(y[:min(most, len(y))]), " ", ", ")
	if len(y) > most {
		text = strings.TrimSuffix(text, "]") + ", …]"
	}
	return text
}

// notBit returns the place of the first entry that is neither 0 nor 1, −1 if there is none.
func notBit(y []int32) int {
	for i, v := range y {
		if v != 0 && v != 1 {
			return i
		}
	}
	return -1
}

// twice returns the smallest value out of 0..most that two entries of y have, and the first two places that have it; ok is false where
// there is none.
func twice(y []int32, most int) (value int32, first, second int, ok bool) {
	at := make([]int32, most+1) // one more than the first place of a value
	value = math.MaxInt32
	for i, v := range y {
		switch {
		case at[v] == 0:
			at[v] = int32(i + 1)
		case v < value:
			value, second = v, i
		}
	}
	if value > int32(most) {
		return 0, 0, 0, false
	}
	return value, int(at[value] - 1), second, true
}

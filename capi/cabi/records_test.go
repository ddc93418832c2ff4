package cabi

import (
	"strings"
	"testing"
	"unsafe"

	"combpred/capi/internal/cabitest"
)

// older and newer are a struct in two versions.
type older struct {
	size int64
	a    float64
}

type newer struct {
	older
	b float64
	c *int64
}

// put returns the address of a struct behind which memory ends.
func put[T any](a *cabitest.Arena, value T) *newer {
	p := a.Take(int(unsafe.Sizeof(value)))
	*(*T)(p) = value
	return (*newer)(p)
}

func TestStructsOfOlderCallersAreShorter(t *testing.T) {
	memory, err := cabitest.NewArena(8)
	if err != nil {
		t.Fatal(err)
	}
	since := unsafe.Offsetof(newer{}.b)
	got, err := Record(put(memory, older{int64(since), 2}), "options", since)
	if err != nil || got.a != 2 || got.b != 0 || got.c != nil {
		t.Errorf("the older struct is read as %+v, %v", got, err)
	}
	var count int64
	got, err = Record(put(memory, newer{older{32, 2}, 3, &count}), "options", since)
	if err != nil || got.a != 2 || got.b != 3 || got.c != &count {
		t.Errorf("the newer struct is read as %+v, %v", got, err)
	}
	later := struct {
		newer
		d float64
	}{newer{older{40, 2}, 3, nil}, 4}
	got, err = Record(put(memory, later), "options", since)
	if err != nil || got.b != 3 {
		t.Errorf("a later struct is read as %+v, %v", got, err)
	}

	at := put(memory, older{int64(since), 2})
	out, err := OutRecord(at, "info", true, since)
	if err != nil {
		t.Fatal(err)
	}
	out.Set(newer{older{0, 5}, 6, nil})
	if at.size != int64(since) || at.a != 5 {
		t.Errorf("the results are %+v", at.older)
	}
	at = put(memory, newer{older{32, 2}, 3, nil})
	if out, err = OutRecord(at, "info", true, since); err != nil {
		t.Fatal(err)
	}
	if out.Set(newer{older{0, 5}, 6, nil}); at.size != 32 || at.b != 6 {
		t.Errorf("the results are %+v", at)
	}
	if err := memory.Reset(); err != nil {
		t.Error(err)
	}
}

func TestStructsHaveTheirSize(t *testing.T) {
	for _, c := range []struct {
		size  int64
		since []uintptr
		want  string
	}{
		{0, nil, "from 32"}, {16, nil, "from 32"}, {31, nil, "from 32"}, {-1, nil, "from 32"}, {maxRecord + 1, nil, "from 32"},
		{8, []uintptr{16}, "from 16"}, {15, []uintptr{16, 24}, "from 16"},
	} {
		r := newer{older: older{size: c.size}}
		_, err := Record(&r, "options", c.since...)
		_, fails := OutRecord(&r, "options", true, c.since...)
		for _, e := range []error{err, fails} {
			if e == nil || !strings.Contains(e.Error(), "options: struct_size is") || !strings.Contains(e.Error(), c.want) {
				t.Errorf("size %d since %d: %v, must say %q", c.size, c.since, e, c.want)
			}
		}
	}
	if _, err := OutRecord[newer](nil, "info", true); err != nil {
		t.Error(err)
	}
	if _, err := OutRecord[newer](nil, "info", false); err == nil {
		t.Error("NULL is a place for results")
	}
	Out[newer]{}.Set(newer{})
}

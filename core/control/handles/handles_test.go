package handles

import (
	"strings"
	"sync"
	"testing"
)

func TestHandlesAreNeverGivenTwice(t *testing.T) {
	table, other := New[int]("space", 1), New[int]("session", 2)
	seen := make(map[uint64]bool)
	for i := range 100 {
		for _, in := range []*Table[int]{table, other} {
			handle := in.Open(i)
			if handle == 0 || seen[handle] {
				t.Fatalf("handle %d is given again", handle)
			}
			seen[handle] = true
			if got, err := in.Get(handle); got != i || err != nil {
				t.Fatal(got, err)
			}
			if i%2 == 0 {
				if got, err := in.Close(handle); got != i || err != nil {
					t.Fatal(got, err)
				}
			}
		}
	}
	if table.Len() != 50 || other.Len() != 50 {
		t.Errorf("%d and %d are open", table.Len(), other.Len())
	}
}

func TestBadHandlesAreNamed(t *testing.T) {
	table, other := New[int]("space", 1), New[int]("session", 2)
	closed := table.Open(7)
	if _, err := table.Close(closed); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		handle uint64
		want   string
	}{
		{0, "the space is 0"}, {closed, "space 1 has been closed"}, {other.Open(1), "is no handle of a space"},
		{12345, "0x3039 is no handle of a space"}, {closed + 1, "is no handle"}, {1 << tagBits, "is no handle"},
	} {
		_, got := table.Get(c.handle)
		_, closing := table.Close(c.handle)
		for _, err := range []error{got, closing} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d gives %v, want %q", c.handle, err, c.want)
			}
		}
	}
}

func TestTablesAreSafeFromSeveralGoroutines(t *testing.T) {
	table := New[int]("space", 1)
	shared := table.Open(-1)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i := range 500 {
				handle := table.Open(i)
				if got, err := table.Get(handle); got != i || err != nil {
					t.Error(got, err)
				}
				if got, err := table.Get(shared); got != -1 || err != nil {
					t.Error(got, err)
				}
				if _, err := table.Close(handle); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if table.Len() != 1 {
		t.Errorf("%d are open", table.Len())
	}
}

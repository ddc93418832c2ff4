package spaces

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// tree returns the text and the parents of a tree of n nodes.
func tree(n int) ([]byte, []int32) {
	parents := make([]int32, n)
	parents[0] = -1
	return fmt.Appendf(nil, `{"name":"subtrees","n":%d}`, n), parents
}

// held returns how many bytes live objects take.
func held() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestTenThousandSpacesLiveAndAreGivenBack opens them, uses each, and closes them: all of their memory comes back.
func TestTenThousandSpacesLiveAndAreGivenBack(t *testing.T) {
	const count, nodes = 10_000, 200
	text, parents := tree(nodes)
	before, open := held(), Len()
	handles := make([]uint64, count)
	for i := range handles {
		parents[nodes-1] = int32(i % (nodes - 1))
		var err error
		if handles[i], err = Open(text, parents, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if Len() != open+count {
		t.Errorf("%d spaces are open", Len()-open)
	}
	during := held()
	for i, handle := range handles {
		s, err := Of(handle)
		if err != nil {
			t.Fatal(err)
		}
		y := make([]int32, nodes) // only the root, and the last node if that is its child
		y[0], y[nodes-1] = 1, 1
		if legal := s.Check(y) == nil; legal != (i%(nodes-1) == 0) {
			t.Fatalf("space %d is another one", i)
		}
		if err := Close(handle); err != nil {
			t.Fatal(err)
		}
	}
	after := held()
	t.Logf("%.1f MB before, %.1f MB with %d spaces, %.1f MB after", float64(before)/1e6, float64(during)/1e6, count, float64(after)/1e6)
	if during < before+count*nodes || after > before+(during-before)/50 {
		t.Errorf("%d bytes before, %d with the spaces, %d after", before, during, after)
	}
}

// TestMemoryStaysFlat: spaces that come and go leave nothing, with what is derived from them.
func TestMemoryStaysFlat(t *testing.T) {
	once := func() {
		for i := range 1000 {
			handle, err := Open(fmt.Appendf(nil, `{"name":"permutations","n":%d}`, 2+i%30), nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Of(handle)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := structure.Derive(s, func() (weight, error) { return make(weight, 1000), nil }); err != nil {
				t.Fatal(err)
			}
			if err := Close(handle); err != nil {
				t.Fatal(err)
			}
		}
	}
	once()
	before := held()
	for range 20 {
		once()
	}
	if after := held(); after > before+1<<18 {
		t.Errorf("%d bytes before, %d after 20 000 spaces", before, after)
	}
}

type weight []float64

func (w weight) Bytes() int { return 8 * len(w) }

// TestACallKeepsItsSpace: closing a handle takes nothing from who has got its space.
func TestACallKeepsItsSpace(t *testing.T) {
	text, parents := tree(50)
	handle, err := Open(text, parents, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Of(handle)
	if err != nil {
		t.Fatal(err)
	}
	freed := make(chan bool, 1)
	func() {
		mark := new([1 << 10]byte)
		runtime.AddCleanup(mark, func(c chan bool) { c <- true }, freed)
		if _, err := structure.Derive(s, func() (marked, error) { return marked{mark}, nil }); err != nil {
			t.Fatal(err)
		}
	}()
	if err := Close(handle); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	select {
	case <-freed:
		t.Fatal("the space is freed while it is in use")
	default:
	}
	if s.PartLen() != 50 {
		t.Errorf("the space has %d parts", s.PartLen())
	}
	s = nil
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the space is not freed")
}

type marked struct{ block *[1 << 10]byte }

func (marked) Bytes() int { return 1 << 10 }

func TestSpacesHaveNames(t *testing.T) {
	handle, err := Open([]byte(`{"name":"permutations","n":2}`), nil, nil, []string{"tea", "milk"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Of(handle)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check([]int32{1, 1}); err == nil || !strings.Contains(err.Error(), `labels "tea" and "milk" share position 1`) {
		t.Errorf("the error is %v", err)
	}
	if err := Close(handle); err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(uint64) error{Close, func(h uint64) error { _, err := Of(h); return err },
		func(h uint64) error { _, err := Facts(h); return err }} {
		if err := f(handle); fault.KindOf(err) != fault.KindValue || !strings.Contains(err.Error(), "has been closed") {
			t.Errorf("a closed space: %v", err)
		}
	}
}

// TestSpacesAreOpenedUsedAndClosedAtOnce: by several goroutines, some of which share handles that one of them closes.
func TestSpacesAreOpenedUsedAndClosedAtOnce(t *testing.T) {
	shared, err := Open([]byte(`{"name":"permutations","n":5}`), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := Len()
	err = parallel.For(400, 1, 8, nil, func(lo, _ int) error {
		handle, err := Open(fmt.Appendf(nil, `{"name":"permutations","n":%d}`, 2+lo%7), nil, nil, nil)
		if err != nil {
			return err
		}
		s, err := Of(handle)
		if err != nil {
			return err
		}
		if s.PartLen() != 2+lo%7 {
			return fmt.Errorf("call %d got a space of %d parts", lo, s.PartLen())
		}
		if lo == 200 {
			err = Close(shared)
		} else if other, gone := Of(shared); gone == nil && other.PartLen() != 5 {
			err = fmt.Errorf("call %d got a shared space of %d parts", lo, other.PartLen())
		}
		return fault.First(err, Close(handle))
	})
	if err != nil {
		t.Error(err)
	}
	if Len() != open-1 {
		t.Errorf("%d spaces are left open", Len()-open+1)
	}
}

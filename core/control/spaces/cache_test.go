package spaces

import (
	"fmt"
	"testing"

	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func TestCacheReturnsTheSameSpace(t *testing.T) {
	c := NewCache(4, 1<<20)
	a, err := c.Get([]byte(`{"name":"multiclass","n":3}`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Get([]byte(`{"name":"multiclass","n":3}`), nil, nil)
	if err != nil || a != b || c.Len() != 1 {
		t.Errorf("second call: %v, same space: %v, %d entries", err, a == b, c.Len())
	}
	if _, err := c.Get([]byte(`{"name":"multiclass","n":-3}`), nil, nil); err == nil || c.Len() != 1 {
		t.Errorf("an illegal description gave error %v and %d entries", err, c.Len())
	}
}

func TestCacheForgetsTheOldest(t *testing.T) {
	c := NewCache(3, 1<<20)
	text := func(n int) []byte { return fmt.Appendf(nil, `{"name":"multiclass","n":%d}`, n) }
	for n := 2; n <= 4; n++ {
		if _, err := c.Get(text(n), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	newest, _ := c.Get(text(2), nil, nil) // the oldest becomes the newest
	_, _ = c.Get(text(5), nil, nil)
	if got := c.lookup(hashOf(text(2), nil, nil)); got == nil || got != newest {
		t.Error("a space in use was dropped")
	}
	if c.lookup(hashOf(text(3), nil, nil)) != nil || c.Len() != 3 {
		t.Errorf("the oldest space was kept: %d entries", c.Len())
	}
}

func TestCacheIsBoundedInMemoryButKeepsTheNewest(t *testing.T) {
	c := NewCache(100, 10_000)
	for n := 100; n < 120; n++ {
		if _, err := c.Get(fmt.Appendf(nil, `{"name":"multiclass","n":%d}`, n), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if c.bytes() > 10_000 || c.Len() < 2 {
		t.Errorf("%d bytes in %d entries", c.bytes(), c.Len())
	}
	if _, err := c.Get([]byte(`{"name":"multiclass","n":5000}`), nil, nil); err != nil || c.Len() != 1 {
		t.Errorf("after one beyond the bound: %v, %d entries", err, c.Len())
	}
}

type weight int

func (w weight) Bytes() int { return int(w) }

// TestCacheCountsWhatIsDerived: what is kept with a space after it was built counts, too.
func TestCacheCountsWhatIsDerived(t *testing.T) {
	c := NewCache(100, 10_000)
	text := func(n int) []byte { return fmt.Appendf(nil, `{"name":"multiclass","n":%d}`, n) }
	for n := 2; n <= 4; n++ {
		s, err := c.Get(text(n), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := structure.Derive(s, func() (weight, error) { return 4000, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Get(text(4), nil, nil); err != nil || c.Len() != 2 || c.lookup(hashOf(text(2), nil, nil)) != nil {
		t.Errorf("%d spaces that hold %d bytes are kept, error %v", c.Len(), c.bytes(), err)
	}
}

func TestHashTellsBuffersApart(t *testing.T) {
	seen := make(map[key]string)
	for name, k := range slicex.InOrder(map[string]key{
		"text":        hashOf([]byte("ab"), nil, nil),
		"other text":  hashOf([]byte("ac"), nil, nil),
		"ints":        hashOf([]byte("ab"), []int32{1, 2}, nil),
		"other ints":  hashOf([]byte("ab"), []int32{1, 3}, nil),
		"more ints":   hashOf([]byte("ab"), make([]int32, 1000), nil),
		"fewer ints":  hashOf([]byte("ab"), make([]int32, 999), nil),
		"reals":       hashOf([]byte("ab"), nil, []float64{0}),
		"as two ints": hashOf([]byte("ab"), []int32{0, 0}, nil),
	}) {
		if other, dup := seen[k]; dup {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[k] = name
	}
}

func TestCacheIsSafeForConcurrentUse(t *testing.T) {
	c := NewCache(3, 1<<20)
	err := parallel.For(400, 1, 8, nil, func(lo, _ int) error {
		s, err := c.Get(fmt.Appendf(nil, `{"name":"permutations","n":%d}`, 2+lo%7), nil, nil)
		if err == nil && s.PartLen() != 2+lo%7 {
			err = fmt.Errorf("call %d got a space of %d parts", lo, s.PartLen())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

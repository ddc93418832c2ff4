package spaces

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"

	"combpred/core/structure"
)

// A Cache keeps the spaces used last, with what is derived from them, so that repeated calls with one description build
// nothing twice. Spaces are immutable, hence shared freely between callers. The zero value is not ready: use NewCache.
type Cache struct {
	maxCount, maxBytes int

	mu    sync.Mutex
	order *list.List // of *entry, most recent first
	byKey map[key]*list.Element
}

type key [sha256.Size]byte

type entry struct {
	key   key
	space structure.Space
	own   int // bytes beside those of what is derived from the space
}

// bytes returns how much memory the entry takes now: what is derived from a space comes after it.
func (e *entry) bytes() int {
	derived, _ := structure.DerivedBytes(e.space)
	return e.own + derived
}

// NewCache returns a cache of at most maxCount spaces that hold about maxBytes together. The newest is kept whatever its size:
// dropping it would rebuild it at every call.
func NewCache(maxCount, maxBytes int) *Cache {
	return &Cache{maxCount: maxCount, maxBytes: maxBytes, order: list.New(), byKey: make(map[key]*list.Element)}
}

// Get returns the space that the description stands for, building it if need be. Cost on a hit: hashing the description.
func (c *Cache) Get(text []byte, ints []int32, reals []float64) (structure.Space, error) {
	k := hashOf(text, ints, reals)
	if s := c.lookup(k); s != nil {
		return s, nil
	}
	// Built outside the lock: a large space must not hold up calls about others. Two callers may build the same one.
	name, args, err := Parse(text, ints, reals)
	if err != nil {
		return nil, err
	}
	s, err := structure.New(name, args)
	if err != nil {
		return nil, err
	}
	// A space copies its buffers and derives vectors as long as its embedding; that is all the cache needs to know of its size.
	size := 4*len(ints) + 8*len(reals) + 32*(s.FeatureLen()+s.PartLen())
	return c.insert(&entry{k, s, size}), nil
}

// Len returns the number of spaces held.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}

func (c *Cache) lookup(k key) structure.Space {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[k]
	if !ok {
		return nil
	}
	c.order.MoveToFront(el)
	c.shrink()
	return el.Value.(*entry).space
}

// insert adds e and returns its space, or that of an equal entry that another caller added meanwhile.
func (c *Cache) insert(e *entry) structure.Space {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[e.key]; ok {
		return el.Value.(*entry).space
	}
	c.byKey[e.key] = c.order.PushFront(e)
	c.shrink()
	return e.space
}

// shrink drops the spaces that were not used for longest until the others are within the bounds.
func (c *Cache) shrink() {
	for c.order.Len() > 1 && (c.order.Len() > c.maxCount || c.bytes() > c.maxBytes) {
		old := c.order.Remove(c.order.Back()).(*entry)
		delete(c.byKey, old.key)
	}
}

func (c *Cache) bytes() (sum int) {
	for el := c.order.Front(); el != nil; el = el.Next() {
		sum += el.Value.(*entry).bytes()
	}
	return sum
}

// hashOf digests a description. Lengths go first, so that no two descriptions are digested from the same bytes.
func hashOf(text []byte, ints []int32, reals []float64) key {
	h := sha256.New()
	writeNumbers(h, []int64{int64(len(text)), int64(len(ints)), int64(len(reals))})
	h.Write(text)
	writeNumbers(h, ints)
	writeNumbers(h, reals)
	return key(h.Sum(nil))
}

// writeNumbers feeds v to h in blocks, so that no copy of a large buffer is made.
func writeNumbers[T int32 | int64 | float64](h hash.Hash, v []T) {
	const block = 512
	buf := make([]byte, 0, block*8)
	for len(v) > 0 {
		n := min(block, len(v))
		buf, _ = binary.Append(buf[:0], binary.NativeEndian, v[:n]) // fails only for types without fixed size
		h.Write(buf)
		v = v[n:]
	}
}

package cabitest

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// faults reports whether f touches memory that it may not.
func faults(f func()) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	f()
	return false
}

func TestMemoryEndsBehindABuffer(t *testing.T) {
	a, err := NewArena(3)
	if err != nil {
		t.Fatal(err)
	}
	read := byte(0)
	for range 2 {
		for _, n := range []int{0, 24, 1000} {
			b := a.Take(n)
			end := unsafe.Add(b, n)
			if uintptr(end)%8 != 0 {
				t.Errorf("%d bytes end at %p", n, end)
			}
			if !faults(func() { *(*byte)(end) = 1 }) || !faults(func() { read += *(*byte)(unsafe.Add(end, guardBytes-1)) }) {
				t.Errorf("a byte behind %d is there", n)
			}
			if faults(func() { copy(unsafe.Slice((*byte)(b), n), make([]byte, n)) }) {
				t.Errorf("%d bytes cannot be written", n)
			}
		}
		if err := a.Reset(); err != nil {
			t.Error(err)
		}
	}
}

func TestSealedBuffersCannotBeWritten(t *testing.T) {
	a, err := NewArena(2)
	if err != nil {
		t.Fatal(err)
	}
	b, other := (*byte)(a.Take(16)), (*byte)(a.Take(16))
	*b = 7
	a.Seal(unsafe.Pointer(b))
	if *b != 7 || !faults(func() { *b = 8 }) || faults(func() { *other = 8 }) {
		t.Error("the sealed buffer can be written, or the other cannot")
	}
	if err := a.Reset(); err != nil {
		t.Error(err)
	}
	*(*byte)(a.Take(16)) = 1
}

func TestWritesBeforeABufferAreSeen(t *testing.T) {
	a, err := NewArena(1)
	if err != nil {
		t.Fatal(err)
	}
	*(*byte)(unsafe.Add(a.Take(16), -1)) = 0
	if a.Reset() == nil {
		t.Error("the byte before the buffer was changed, and nobody says so")
	}
}

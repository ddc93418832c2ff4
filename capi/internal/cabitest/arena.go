// Package cabitest makes up the memory of a caller who gives away no byte too many: behind each buffer lies a page that nobody may touch,
// and what the library has only to read cannot be written.
package cabitest

import (
	"bytes"
	"fmt"
	"syscall"
	"unsafe"
)

const (
	slotBytes  = 1 << 16 // the longest buffer: a multiple of every page size
	guardBytes = 1 << 16
	frontBytes = 64   // looked at before each buffer
	untouched  = 0xa5 // what lies there
)

// An Arena hands out buffers until it is reset.
type Arena struct {
	memory []byte
	taken  []buffer
}

type buffer struct {
	length int
	sealed bool
}

// NewArena maps an arena for so many buffers.
func NewArena(buffers int) (*Arena, error) {
	memory, err := syscall.Mmap(-1, 0, buffers*(slotBytes+guardBytes), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	for at := slotBytes; at < len(memory); at += slotBytes + guardBytes {
		if err := syscall.Mprotect(memory[at:at+guardBytes], syscall.PROT_NONE); err != nil {
			return nil, err
		}
	}
	return &Arena{memory: memory}, nil
}

// Fits reports whether a buffer of n bytes can be had.
func (a *Arena) Fits(n int64) bool { return n >= 0 && n <= slotBytes-frontBytes }

// Take returns the address of n bytes that end where memory ends, and are aligned as far as their number is.
func (a *Arena) Take(n int) unsafe.Pointer {
	slot := len(a.taken)
	if (slot+1)*(slotBytes+guardBytes) > len(a.memory) || !a.Fits(int64(n)) {
		panic(fmt.Sprintf("cabitest: buffer %d of %d bytes", slot, n))
	}
	a.taken = append(a.taken, buffer{length: n})
	front := a.front(slot)
	for i := range front {
		front[i] = untouched
	}
	return a.address(slot)
}

// address returns where a buffer begins: an empty one in the page behind.
func (a *Arena) address(slot int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(&a.memory[slot*(slotBytes+guardBytes)]), slotBytes-a.taken[slot].length)
}

// front returns the bytes before a buffer.
func (a *Arena) front(slot int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(a.address(slot), -frontBytes)), frontBytes)
}

// Seal makes the buffer that Take has returned read-only.
func (a *Arena) Seal(p unsafe.Pointer) {
	for slot := range a.taken {
		if a.address(slot) == p {
			a.taken[slot].sealed = true
			a.protect(slot, syscall.PROT_READ)
		}
	}
}

// Reset takes all buffers back. The error is about one before which something was written.
func (a *Arena) Reset() (err error) {
	for slot, b := range a.taken {
		if b.sealed {
			a.protect(slot, syscall.PROT_READ|syscall.PROT_WRITE)
		}
		if !bytes.Equal(a.front(slot), bytes.Repeat([]byte{untouched}, frontBytes)) {
			err = fmt.Errorf("cabitest: something was written before buffer %d of %d bytes", slot, b.length)
		}
	}
	a.taken = a.taken[:0]
	return err
}

func (a *Arena) protect(slot, how int) {
	at := slot * (slotBytes + guardBytes)
	if err := syscall.Mprotect(a.memory[at:at+slotBytes], how); err != nil {
		panic(err)
	}
}

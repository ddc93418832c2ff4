package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/core/control/spaces"
	"combpred/core/structure"
)

// Bounds of the cache of spaces: more structures than a program uses at a time, and no more memory than goes unnoticed.
const (
	cachedSpaces = 32
	cachedBytes  = 64 << 20
)

var cache = spaces.NewCache(cachedSpaces, cachedBytes)

// space returns the output space that s describes.
func space(s *C.cp_in_structure) (structure.Space, error) {
	if s == nil {
		return nil, illegal("the structure is NULL")
	}
	if uintptr(unsafe.Pointer(s))%unsafe.Alignof(*s) != 0 {
		return nil, illegal("the structure must be aligned to 8 bytes")
	}
	t, err := text(s.text, "structure text", s.text_len)
	if err != nil {
		return nil, err
	}
	ints, err := int32s(s.ints, "structure ints", s.n_ints)
	if err != nil {
		return nil, err
	}
	reals, err := float64s(s.reals, "structure reals", s.n_reals)
	if err != nil {
		return nil, err
	}
	return cache.Get(t, ints, reals)
}

// need returns s as the capability T, or an error that says what is missing and for what.
func need[T any](s structure.Space, what string) (T, error) {
	c, ok := s.(T)
	if !ok {
		return c, &structure.CapabilityError{Structure: structure.Describe(s), Need: what}
	}
	return c, nil
}

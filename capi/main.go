//go:build !gopy

package main

// main makes this package a command, as a C library must be. The control plane for Python brings its own.
func main() {}

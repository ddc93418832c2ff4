package control

import (
	"runtime"
	"runtime/debug"

	"combpred/core/parallel"
)

// GoVersion returns the version of Go that built the library.
func GoVersion() string {
	return runtime.Version()
}

// Platform returns the operating system and architecture that the library was built for, such as "linux/amd64".
func Platform() string {
	return runtime.GOOS + "/" + runtime.GOARCH
}

// recoverTo turns a panic of the surrounding function into its error: gopy lets a panic end the process.
func recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = &parallel.PanicError{Value: r, Stack: debug.Stack()}
	}
}

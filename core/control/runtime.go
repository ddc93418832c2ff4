package control

import (
	"runtime"
	"runtime/debug"

	"combpred/core/parallel"
)

// release is the version of the library, which combpred/_lib/versions.py has, too.
const release = "0.1.0"

// Version returns the version of the library, that of Go which built it, and the operating system and architecture that it was built
// for, such as "0.1.0 go1.26.8 linux/amd64".
func Version() string {
	return release + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}

// recoverTo turns a panic of the surrounding function into its error: gopy lets a panic end the process.
func recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = &parallel.PanicError{Value: r, Stack: debug.Stack()}
	}
}

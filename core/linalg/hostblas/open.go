//go:build cgo

package hostblas

/*
#cgo linux LDFLAGS: -ldl
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>

static void *hb_open(const char *path) {
  wchar_t wide[4096];
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 4096) == 0) return NULL;
  return LoadLibraryW(wide);
}

// The text is to be copied before the library is entered again: one caller at a time opens.
static const char *hb_error(const char *path) {
  static char text[4160];
  snprintf(text, sizeof text, "%s cannot be loaded: error %lu of Windows", path, (unsigned long)GetLastError());
  return text;
}

static uintptr_t hb_find(void *library, const char *name) { return (uintptr_t)GetProcAddress((HMODULE)library, name); }

static void hb_close(void *library) { FreeLibrary((HMODULE)library); }
#else
#include <dlfcn.h>

static void *hb_open(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

static const char *hb_error(const char *path) { return (void)path, dlerror(); }

static uintptr_t hb_find(void *library, const char *name) { return (uintptr_t)dlsym(library, name); }

static void hb_close(void *library) { dlclose(library); }
#endif

// Says whether a library is an OpenBLAS whose integers have 64 bits.
static int hb_wide(uintptr_t config) { return config != 0 && strstr(((char *(*)(void))config)(), "USE64BITINT") != NULL; }
*/
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"combpred/core/fault"
)

// libraries that Open tries, best first. Each has both BLAS and LAPACK, or is linked to the other.
var libraries = map[string][]string{
	"linux":   {"libmkl_rt.so.2", "libmkl_rt.so", "libopenblas.so.0", "libopenblas.so", "liblapack.so.3", "liblapack.so"},
	"darwin":  {"/System/Library/Frameworks/Accelerate.framework/Accelerate", "libopenblas.dylib"},
	"windows": {"mkl_rt.2.dll", "libopenblas.dll", "openblas.dll"},
}

// spellings are the ways to write a routine's name: Fortran compilers append an underscore, SciPy's OpenBLAS has a prefix.
var spellings = []string{"%s_", "%s", "scipy_%s_"}

// Open loads the shared library at path, or the first that serves of those with a usual name where path is "", and activates its
// routines. The library stays loaded; Source says which one it is.
func Open(path string) error {
	mu.Lock()
	defer mu.Unlock()
	candidates := libraries[runtime.GOOS]
	if candidates == nil {
		candidates = libraries["linux"]
	}
	if path != "" {
		candidates = []string{path}
	}
	var failures []string
	for _, candidate := range candidates {
		err := open(candidate)
		if err == nil {
			source = candidate
			return nil
		}
		if path != "" {
			return err
		}
		failures = append(failures, err.Error())
	}
	return fault.Value("none of %s serves: %s", strings.Join(candidates, ", "), strings.Join(failures, "; "))
}

// open tries one library. When it does not serve it is closed again and nothing has changed.
func open(path string) error {
	if active != nil {
		return fault.Value("a BLAS of the host is already active")
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	// What the system says of a failure belongs to the thread that called it.
	runtime.LockOSThread()
	library := C.hb_open(name)
	reason := ""
	if library == nil {
		reason = C.GoString(C.hb_error(name))
	}
	runtime.UnlockOSThread()
	if library == nil {
		return fault.Value("%s", reason)
	}
	before := offered
	err := offerAll(library, path)
	if err == nil {
		err = activate()
	}
	if err != nil {
		offered = before
		C.hb_close(library)
	}
	return err
}

// offerAll looks up all routines in a library.
func offerAll(library unsafe.Pointer, path string) error {
	find := func(name string) uintptr {
		text := C.CString(name)
		defer C.free(unsafe.Pointer(text))
		return uintptr(C.hb_find(library, text))
	}
	for _, config := range []string{"openblas_get_config", "scipy_openblas_get_config"} {
		if C.hb_wide(C.uintptr_t(find(config))) != 0 {
			return fault.Value("%s has integers of 64 bits, needed are 32", path)
		}
	}
	found := table{}
	for _, r := range found.routines() {
		for _, spelling := range spellings {
			if *r.at == 0 {
				*r.at = find(fmt.Sprintf(spelling, r.name))
			}
		}
		if *r.at == 0 {
			return fault.Value("%s has no routine called %s", path, r.name)
		}
	}
	offered = found
	return nil
}

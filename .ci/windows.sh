# Part of .ci/wheels: the wheel for Windows, cross-compiled. The one that users get is built on Windows, where Python's own headers and
# python3.lib are; this one tells that the sources compile, and what they export.
#
# The headers are those of this machine's Python with what differs in pyconfig.h; python3.lib is made from the names that the library for
# Linux looks for in the interpreter.
windows() {
  local folder=$work/windows include core wheel
  copy "$folder"
  include=$("$bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
  cp -rL "$include" "$work/include"
  cat >"$work/include/pyconfig.h" <<'END'
#define MS_WIN32
#define MS_WIN64
#define MS_WINDOWS
#define HAVE_DECLSPEC_DLL
#define Py_ENABLE_SHARED 1
#define HAVE_UINTPTR_T 1
#define HAVE_ERRNO_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_STDDEF_H 1
#define HAVE_WCHAR_H 1
#define WITH_THREAD 1
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8
#define SIZEOF_FPOS_T 8
#define SIZEOF_HKEY 8
#define SIZEOF_PID_T 4
#define ALIGNOF_MAX_ALIGN_T 8
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define PY_LONG_LONG long long
#include <io.h>
#include <basetsd.h>
#define HAVE_PY_SSIZE_T 1
typedef __int64 Py_ssize_t;
END
  core=$(find dist python/combpred/_lib -name '*x86_64.whl' -o -name '_core.abi3.so' | head -1)
  [ -n "$core" ] || fail "the wheel for Windows needs that for x86_64, or a build in place, for the names of Python's functions"
  rm -rf "$work/names"
  case $core in *.whl) "$bin/python" -m zipfile -e "$core" "$work/names" && core=$work/names/combpred/_lib/_core.abi3.so ;; esac
  { printf 'LIBRARY python3.dll\nEXPORTS\n'; "$bin/python" .ci/exports.py --python "$core"; } >"$work/python3.def"
  $zig dlltool -m i386:x86-64 -d "$work/python3.def" -l "$work/libpython3.a"
  build "$folder" "" CC="$zig cc -target x86_64-windows-gnu" GOOS=windows GOARCH=amd64 _PYTHON_HOST_PLATFORM=win-amd64 \
    CGO_CFLAGS="-I$work/include" CGO_LDFLAGS="-L$work"
  wheel=dist/$(basename "$folder"/dist/*.whl)
  cp "$folder"/dist/*.whl "$wheel"
  check "$wheel"
}
windows

#!/bin/sh
# Builds the C library, without Python, and installs it: usage: capi/install.sh PREFIX
#
# PREFIX/lib/libcombpred.so (on macOS .dylib), PREFIX/include/combpred.h, PREFIX/lib/pkgconfig/combpred.pc. Needs Go and a C compiler;
# GO and CC name them where they are not on PATH. DESTDIR, for packagers, stands before PREFIX where files are written, and nowhere else.
set -eu

say() {
  echo "install.sh: $*" >&2
  exit 1
}

[ $# -eq 1 ] || say "usage: capi/install.sh PREFIX"
case $1 in
/*) prefix=$1 ;;
*) prefix=$PWD/$1 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)

go=${GO:-go}
command -v "$go" >/dev/null || say "needs the Go toolchain, and finds none: install it from https://go.dev/dl/, or give its path in GO"
least=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$here/../go.mod")
have=$(cd "$here/.." && GOTOOLCHAIN=local "$go" env GOVERSION | sed 's/^go\([0-9]*\.[0-9]*\).*/\1/')
if [ "${have%.*}" -lt "${least%.*}" ] || { [ "${have%.*}" -eq "${least%.*}" ] && [ "${have#*.}" -lt "${least#*.}" ]; }; then
  say "needs Go $least or later, and $go is version $have: install a later one from https://go.dev/dl/, or give its path in GO"
fi
cc=${CC:-$("$go" env CC)}
command -v "${cc%% *}" >/dev/null || say "needs a C compiler, and $cc is not on PATH: install gcc or clang, or name yours in CC"

abi=$(sed -n 's/^#define CP_ABI_VERSION \([0-9]*\).*/\1/p' "$here/combpred.h")
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$here/../python/combpred/_lib/versions.py")
[ -n "$abi" ] && [ -n "$version" ] || say "the source tree is not complete"

# The linker's flags must be free of blanks, which the path of the source tree may have.
work=$(mktemp -d "${TMPDIR:-/tmp}/combpred.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
case $work in
*[[:space:]]*) say "the folder for temporary files, $work, has a blank in its name: give another in TMPDIR" ;;
esac
case $(uname -s) in
Darwin)
  name=libcombpred.dylib soname=libcombpred.$abi.dylib file=libcombpred.$abi.$version.dylib
  sed -n 's/^ *\(cp_[a-z_]*\);$/_\1/p' "$here/zz_exports.map" >"$work/exports"
  link="-Wl,-install_name,$prefix/lib/$soname -Wl,-exported_symbols_list,$work/exports"
  ;;
*)
  name=libcombpred.so soname=libcombpred.so.$abi file=libcombpred.so.$abi.$version
  grep -v PyInit "$here/zz_exports.map" >"$work/exports"
  link="-Wl,-soname,$soname -Wl,--version-script=$work/exports"
  ;;
esac

(cd "$here/.." && CGO_ENABLED=1 GOTOOLCHAIN=local GOWORK=off CGO_CFLAGS="${CFLAGS:--O2}" "$go" build -mod=readonly -trimpath -buildvcs=false \
  -buildmode=c-shared -ldflags "-s -w '-extldflags=$link'" -o "$work/$file" ./capi) || say "go build failed; its messages are above"

cat >"$work/combpred.pc" <<EOF
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: combpred
Description: Learning to predict combinatorial structures: a flat C interface
Version: $version
Libs: -L"\${libdir}" -lcombpred
Cflags: -I"\${includedir}"
EOF

to=${DESTDIR:-}$prefix
mkdir -p "$to/lib/pkgconfig" "$to/include"
# New files, never rewritten ones: processes may have the old library mapped.
put() {
  cp "$1" "$to/$2.new"
  chmod "$3" "$to/$2.new"
  mv -f "$to/$2.new" "$to/$2"
}
put "$work/$file" "lib/$file" 755
put "$here/combpred.h" include/combpred.h 644
put "$work/combpred.pc" lib/pkgconfig/combpred.pc 644
ln -sf "$file" "$to/lib/$soname"
ln -sf "$soname" "$to/lib/$name"
echo "installed $to/lib/$file, its links, $to/include/combpred.h and $to/lib/pkgconfig/combpred.pc"

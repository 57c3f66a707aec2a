#!/bin/sh
# Installs the TinyGo that builds our Wasm guests into $PREFIX (default /opt/tinygo): compiled from
# its Go module, pinned in toolchain/tinygo/go.mod, against Debian's LLVM 19. Needs Go, nothing from
# outside the package registries. A second run does nothing. `make plugins` finds the default prefix
# by itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PREFIX=${PREFIX:-/opt/tinygo}
llvm=19
packages="llvm-$llvm-dev libclang-$llvm-dev clang-$llvm lld-$llvm libclang-rt-$llvm-dev-wasm32 wasi-libc binaryen g++"

die() {
	printf 'toolchain/tinygo.sh: %s\n' "$*" >&2
	printf 'Any TinyGo %s or later does as well: put it on PATH, or run make with TINYGO=/path/to/tinygo.\n' \
		"${version:-0.41}" >&2
	exit 1
}

# quiet runs a command and shows its output only when it fails.
quiet() {
	"$@" >"$log" 2>&1 || {
		cat "$log" >&2
		die "this command failed: $*"
	}
}

version=$(awk '$1 == "require" && $2 == "github.com/tinygo-org/tinygo" { print substr($3, 2) }' "$here/tinygo/go.mod")
[ -n "$version" ] || die "no TinyGo version in $here/tinygo/go.mod"

if [ -x "$PREFIX/bin/tinygo" ]; then
	installed=$(TINYGOROOT=$PREFIX "$PREFIX/bin/tinygo" version) || die "$PREFIX/bin/tinygo does not run: remove $PREFIX"
	case $installed in
	"tinygo version $version "*)
		echo "$installed"
		exit
		;;
	esac
fi

command -v go >/dev/null || die "needs the go command on PATH"
command -v apt-get >/dev/null || die "knows only Debian and its kin (apt-get not found)"
# What is at PREFIX will be replaced: an unset or mistyped PREFIX must not cost anyone /usr/local.
if [ -e "$PREFIX" ] && [ ! -e "$PREFIX/targets/wasip1.json" ]; then
	rmdir "$PREFIX" 2>/dev/null || die "$PREFIX exists and is not TinyGo: choose another PREFIX"
fi

work=$(mktemp -d)
log=$work/log
new=$PREFIX.new
trap 'rm -rf "$work" "$new"' EXIT
trap 'exit 1' HUP INT TERM
rm -rf "$new"
mkdir -p "$new/bin" 2>/dev/null || die "cannot write $new: run as root, or with PREFIX=\$HOME/tinygo"

(cd "$here/tinygo" && GOWORK=off go mod download >/dev/null 2>&1) & # overlaps with the packages; go build reports errors

missing=
for p in $packages; do
	case $(dpkg-query -W -f='${Status}' "$p" 2>/dev/null) in
	*" installed") ;;
	*) missing="$missing $p" ;;
	esac
done
if [ -n "$missing" ]; then
	[ "$(id -u)" = 0 ] || die "needs root to install:$missing"
	export DEBIAN_FRONTEND=noninteractive
	quiet apt-get update -qq
	# shellcheck disable=SC2086 # a list of package names
	quiet apt-get install -y -qq --no-install-recommends $missing
fi
wait

cd "$here/tinygo"
export GOWORK=off CGO_ENABLED=1 # LLVM is linked as a C++ library
quiet go build -trimpath -tags "llvm$llvm" -ldflags='-s -w' -o "$new/bin/tinygo" github.com/tinygo-org/tinygo
src=$(go list -m -f '{{.Dir}}' github.com/tinygo-org/tinygo)
cp -r "$src/src" "$src/targets" "$new/"
chmod -R u+w "$new" # the module cache is read-only

# Git submodules upstream, so absent from the Go module; TinyGo wants the directories.
mkdir -p "$new/src/net" "$new/lib"

# wasi-libc and compiler-rt are submodules too: link Debian's builds of them instead. The two dropped
# features are LLVM 20 names for what the others already say: LLVM 19 warns about them in every build.
rt=/usr/lib/llvm-$llvm/lib/clang/$llvm/lib/wasi/libclang_rt.builtins-wasm32.a
[ -e "$rt" ] || die "$rt is missing although libclang-rt-$llvm-dev-wasm32 is installed"
for target in wasm-unknown wasip1; do
	sed -i -e '/"libc":/d' -e '/"rtlib":/d' \
		-e 's#"cflags": \[#"cflags": ["-isystem", "/usr/include/wasm32-wasi",#' \
		-e "s#\"--no-demangle\"#\"--no-demangle\", \"/usr/lib/wasm32-wasi/libc.a\", \"$rt\"#" \
		-e 's/+bulk-memory-opt,//' -e 's/+call-indirect-overlong,//' \
		"$new/targets/$target.json"
done

rm -rf "$PREFIX"
mv "$new" "$PREFIX" # last: its presence says that all is in place
TINYGOROOT=$PREFIX "$PREFIX/bin/tinygo" version

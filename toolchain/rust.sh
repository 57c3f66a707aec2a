#!/bin/sh
# Gives Rust a standard library for wasm32-unknown-unknown where `rustup target add` cannot download
# one: Debian's rustc-web, with the target's library built once from Debian's rust-web-src. Needs root,
# nothing from outside the package registries. A second run does nothing. Afterwards:
#
#	RUSTUP_TOOLCHAIN=debian-web cargo build --release --target wasm32-unknown-unknown
#
# or, without rustup: RUSTC=/usr/bin/rustc /usr/bin/cargo build ...
set -eu
target=wasm32-unknown-unknown
lib=/usr/lib/rustlib/$target/lib
stamp=built-by # names the compiler, since another one cannot read its libraries, and how this script calls it
packages="rustc-web cargo-web rust-web-src rust-web-llvm lld-22"

die() {
	printf 'toolchain/rust.sh: %s\n' "$*" >&2
	printf 'With rustup and its servers in reach, this does as well: rustup target add %s\n' "$target" >&2
	exit 1
}

# quiet runs a command and shows its output only when it fails.
quiet() {
	"$@" >"$log" 2>&1 || {
		cat "$log" >&2
		die "this command failed: $*"
	}
}

# identity is what the stamp says.
identity() { printf '%s, remapped\n' "$(/usr/bin/rustc --version 2>/dev/null)"; }

# build_std compiles std for the target as a dependency of an empty crate and installs its libraries.
build_std() {
	mkdir "$work/src"
	echo '#![no_std]' >"$work/src/lib.rs"
	cat >"$work/Cargo.toml" <<-'TOML'
		[package]
		name = "sysroot"
		version = "0.0.0"
		edition = "2021"
		[profile.release]
		opt-level = "s"
	TOML
	# RUSTC_BOOTSTRAP: -Zbuild-std is a nightly option. embed-bitcode: a plugin may link with lto = true. remap-path-prefix: what
	# a panic says of places must not name this machine's directories, or equal sources would give other bytes elsewhere.
	(
		cd "$work"
		export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Cembed-bitcode=yes -Cpanic=abort --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
		quiet /usr/bin/cargo build -q --release --target "$target" -Zbuild-std=std,panic_abort
	)
	rm -rf "$lib.new"
	mkdir -p "$lib.new"
	for f in "$work/target/$target/release/deps/"*.rlib; do
		case $f in
		*/libsysroot-*) ;; # the empty crate
		*) cp "$f" "$lib.new/" ;;
		esac
	done
	identity >"$lib.new/$stamp"
	rm -rf "$lib"
	mv "$lib.new" "$lib" # last: its presence says that all is in place
}

if [ ! -e "$lib/$stamp" ] || [ "$(cat "$lib/$stamp")" != "$(identity)" ]; then
	command -v apt-get >/dev/null || die "knows only Debian and its kin (apt-get not found)"
	[ "$(id -u)" = 0 ] || die "needs root to install packages and $lib"
	work=$(mktemp -d)
	log=$work/log
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	export DEBIAN_FRONTEND=noninteractive
	quiet apt-get update -qq
	# shellcheck disable=SC2086 # a list of package names
	quiet apt-get install -y -qq --no-install-recommends $packages
	build_std
fi

if command -v rustup >/dev/null; then
	rustup toolchain link debian-web /usr 2>/dev/null || die "rustup toolchain link debian-web /usr failed"
fi
/usr/bin/rustc --version

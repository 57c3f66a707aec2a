#!/usr/bin/env bash
# Compiles agenthost's own part of the benchmarks into .out, and prints the versions.
set -euo pipefail
cd "$(dirname "$0")"
out=$PWD/.out
root=$PWD/../../..
mkdir -p "$out"
cp "$root"/host/plugin/testdata/bench{,-leaking}.tinygo.wasm "$root"/host/plugin/testdata/bench.{rust,extism}.wasm "$out"
go build -trimpath -o "$out/peer" .
go build -trimpath -o "$out/start" ./start
(
	cd "$root"
	go build -trimpath -tags grpcnotrace -o "$out/agenthost" ./cmd/agenthost
	for guest in host/plugin/testdata/guests/bench plugins/redact plugins/cache; do
		GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -o "$out/$(basename $guest).go.wasm" "./$guest"
	done
	for package in host/plugin host/plugin/meter test/threadcost; do
		go test -c -o "$out/$(basename $package).test" "./$package"
	done
)
version() { go list -m -f '{{.Version}}' "$1"; }
echo "agenthost $(git -C "$root" describe --always --dirty), wazero $(version github.com/tetratelabs/wazero)," \
	"Extism go-sdk $(version github.com/extism/go-sdk), go-plugin $(version github.com/hashicorp/go-plugin)," \
	"gRPC $(version google.golang.org/grpc), SQLite of modernc.org/sqlite $(version modernc.org/sqlite)," \
	"guests by $(head -1 "$root/plugins/TOOLCHAIN") and $(cat "$root/plugins/TOOLCHAIN.rust")"

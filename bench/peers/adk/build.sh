#!/usr/bin/env bash
# Builds the peer and the program that the suite start starts into .out, and prints the versions in them.
set -euo pipefail
cd "$(dirname "$0")"

go build -trimpath -o .out/peer . >&2
go build -trimpath -o .out/start ./start >&2
go version -m .out/peer | awk '$1 == ".out/peer:" { go = $2 } $2 == "google.golang.org/adk/v2" { print "adk-go " substr($3, 2) ", Go " substr(go, 3) }'

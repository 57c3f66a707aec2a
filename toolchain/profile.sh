#!/usr/bin/env bash
# Runs a benchmark, and writes bench/profiles/NAME.txt: a title, the commands, what the benchmark reports, and the functions that take or wait for most
# of the time. KINDS are cpu, block and mutex, as many as should be shown.
#
#	toolchain/profile.sh NAME KINDS TITLE [ARGUMENT OF go test ...]
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1 kinds=$2 title=$3
shift 3
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

profiled=() shown=()
for kind in $kinds; do
	profiled+=("-${kind}profile=$work/$kind.out")
	shown+=("-${kind}profile=$kind.out")
done
go test "$@" -run '^$' "${profiled[@]}" -o "$work/bench.test" >"$work/report"

# top shows the profile of a kind.
top() {
	case $1 in
	cpu) go tool pprof -top -cum -nodecount 60 "$work/bench.test" "$work/cpu.out" ;;
	*) go tool pprof -top -cum -nodecount 30 -hide '^(runtime|testing)\.' "$work/bench.test" "$work/$1.out" ;;
	esac 2>"$work/errors" || { cat "$work/errors" >&2 && return 1; }
}

mkdir -p bench/profiles
{
	printf '%s\n\n`make profiles` wrote this with the following commands. Other programs may have used the machine too.\n\n' "$title"
	printf '  go test'
	for argument in "$@" -run '^$' "${shown[@]}" -o bench.test; do
		case $argument in
		*[!-a-zA-Z0-9_./=,]*) printf " '%s'" "$argument" ;;
		*) printf ' %s' "$argument" ;;
		esac
	done
	printf '\n'
	for kind in $kinds; do
		case $kind in
		cpu) printf '  go tool pprof -top -cum -nodecount 60 bench.test cpu.out\n' ;;
		*) printf "  go tool pprof -top -cum -nodecount 30 -hide '^(runtime|testing)\\.' bench.test %s.out\n" "$kind" ;;
		esac
	done
	printf '\n'
	grep '^Benchmark' "$work/report" | tr -s '\t ' ' '
	for kind in $kinds; do
		case $kind in
		cpu) printf '\nProcessor time, by function:\n' ;;
		block) printf '\nTime for which goroutines waited for channels, groups and locks, by function:\n' ;;
		mutex) printf '\nTime for which goroutines waited for locks, by the function that held them:\n' ;;
		esac
		top "$kind" | sed -n '/^Duration/s/.*Total samples/Total samples/p; /flat%/,$p' | sed 's/ *$//'
	done
} >"bench/profiles/$name.txt"

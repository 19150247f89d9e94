#!/bin/bash
# Build the fuzz programs with clang's libFuzzer and run each for a while.
#
#   scripts/fuzz.sh [NAME...]        all of fuzz/fuzz_*.c by default
#
# FUZZ_SECONDS  per program (300)
# FUZZ_JOBS     programs at a time (number of cores)
#
# The committed seeds in fuzz/corpus/ are only read, all of them by every
# program; what the fuzzer finds interesting collects in build-fuzz/corpus/NAME,
# and an input that breaks something is kept in build-fuzz/findings/ and named at
# the end. Turn a finding into a fixture before fixing it: copy it to the corpus,
# where `make test` replays it from then on.
set -euo pipefail
cd "$(dirname "$0")/.."

: "${MESON:=meson}" "${NINJA:=ninja}"
: "${FUZZ_SECONDS:=300}" "${FUZZ_JOBS:=$(nproc)}"
build=build-fuzz
findings=$build/findings

if [ ! -f $build/build.ninja ]; then
	CC=clang $MESON setup $build -Dfuzzing=true -Db_lundef=false \
		-Dbuildtype=debugoptimized -Db_sanitize=address,undefined
fi
$NINJA -C $build
mkdir -p $findings

if [ $# -eq 0 ]; then
	for f in fuzz/fuzz_*.c; do
		set -- "$@" "$(basename "$f" .c)"
	done
fi

# One program: its log goes to a file, one line to the screen.
run_one()
{
	local name=$1 short=${1#fuzz_} log=$build/$1.log rc=0
	local args=("$build/corpus/$short")
	mkdir -p "${args[0]}"
	for d in fuzz/corpus/*/; do
		if [ -d "$d" ]; then args+=("$d"); fi
	done
	if [ -f "fuzz/$short.dict" ]; then
		args+=("-dict=fuzz/$short.dict")
	fi
	"$build/fuzz/$name" -max_total_time="$FUZZ_SECONDS" -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$findings/$short-" \
		"${args[@]}" >"$log" 2>&1 || rc=$?
	local runs cov corpus
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	cov=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
	corpus=$(sed -n 's/.* corp: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
	if [ $rc -eq 0 ]; then
		printf 'ok    %-20s %10s runs, %6s edges, corpus of %s\n' \
			"$name" "${runs:-?}" "${cov:-?}" "${corpus:-?}"
	else
		printf 'FAIL  %-20s exit %d, see %s\n' "$name" $rc "$log"
		grep -a -m 1 -E "$reasons" "$log" || true
	fi
	return $rc
}
export -f run_one
# Otherwise a report of undefined behaviour would only be a line in a log.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
reasons='too much work|broken promise|ERROR|runtime error|SUMMARY'
export build findings reasons FUZZ_SECONDS

echo "fuzzing $# programs, $FUZZ_SECONDS s each, $FUZZ_JOBS at a time"
rc=0
printf '%s\n' "$@" | xargs -P "$FUZZ_JOBS" -I{} bash -c 'run_one {}' || rc=1
if [ $rc -ne 0 ]; then
	echo "inputs that broke something:"
	ls -1 $findings/* 2>/dev/null || echo "  none kept (see the logs)"
fi
exit $rc

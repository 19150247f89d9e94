#!/bin/sh
# Run every test in a build with address and undefined-behaviour sanitizers.
#
# Four suites, the cheapest first: the style
# script, the C tests registered with meson, the Python tests, and those of
# the latter that use threads once more under the thread sanitizer. All of
# them run even when an earlier one fails. The last line is the sum,
#
#   N passed, N failed[, N skipped]
#
# and the exit status is 0 only when nothing failed.
#
# BUILD_TEST: the build directory (build-test).
# BUILD_RELEASE: that of the release build (build); tests/cli/test_hardening.py
#             checks its protections.
# BUILD_TSAN: that of the thread sanitizer (build-tsan).
# TEST_ARGS:  handed to tests/run.py.
# PYTHON:     runs the Python tests (python3); one of 3.15 or newer also takes
#             part in tests/interop.
# BOBBIN_CLIENTS: what install-clients.sh has installed; tests of tests/interop
#             whose client is missing are skipped.
set -u
cd "$(dirname "$0")/.."

MESON=${MESON-meson} NINJA=${NINJA-ninja} PYTHON=${PYTHON-python3}
build=${BUILD_TEST-build-test}
tsan=${BUILD_TSAN-build-tsan}
export BUILD_RELEASE=${BUILD_RELEASE-build}
logs=$build/suite-logs

rm -rf "$logs"
no_build() { echo "the test build failed"; echo "0 passed, 1 failed"; exit 1; }
if [ ! -f "$build/build.ninja" ]; then
	# b_lundef: a library with sanitizers has undefined symbols by design.
	$MESON setup "$build" -Dbuildtype=debugoptimized \
		-Db_sanitize=address,undefined -Db_lundef=false \
		-Dwerror=true || no_build
fi
$NINJA -C "$build" || no_build
if [ ! -f "$BUILD_RELEASE/build.ninja" ]; then
	$MESON setup "$BUILD_RELEASE" --buildtype=release || no_build
fi
$MESON compile -C "$BUILD_RELEASE" bobbin:executable bobbin:shared_library ||
	no_build
mkdir -p "$logs"

# detect_leaks stays at its default: a leak is a failure.
export UBSAN_OPTIONS="${UBSAN_OPTIONS-print_stacktrace=1:halt_on_error=1}"

echo "== style"
scripts/check-style.sh >"$logs/style" 2>&1
echo $? >"$logs/style.rc"
cat "$logs/style"

echo "== C tests"
rm -f "$build/meson-logs/testlog.json"
$MESON test -C "$build" --print-errorlogs
echo $? >"$build/meson-logs/testlog.json.rc"

echo "== Python tests"
# A pipe would hide the status, so it is passed in a file.
# BOBBIN_SANITIZED: address space cannot be limited under the sanitizer.
{ BUILD_DIR=$build BOBBIN_SANITIZED=1 $PYTHON tests/run.py ${TEST_ARGS-} 2>&1
echo $? >"$logs/python.rc"; } | tee "$logs/python"

echo "== Python tests that use threads, thread sanitizer"
[ -f "$tsan/build.ninja" ] ||
	$MESON setup "$tsan" -Dbuildtype=debugoptimized \
		-Db_sanitize=thread -Db_lundef=false >/dev/null
{ $NINJA -C "$tsan" bobbin tools/make-trace >/dev/null &&
	BUILD_DIR=$tsan BOBBIN_SANITIZED=1 $PYTHON tests/run.py -k threads 2>&1
echo $? >"$logs/threads.rc"; } | tee "$logs/threads"

echo "== sum"
$PYTHON scripts/sum-tests.py \
	"style=$logs/style" \
	"C=$build/meson-logs/testlog.json" \
	"python=$logs/python" \
	"threads=$logs/threads" >"$logs/sum"
rc=$?
cat "$logs/sum"
exit $rc

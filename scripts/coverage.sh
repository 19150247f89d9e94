#!/bin/sh
# What the tests reach, as a table by folder and as a page.
#
#   scripts/coverage.sh              (or: make coverage)
#
# Builds with gcc's counters (build-coverage), runs the C tests and the Python
# tests, and adds up: lines and branches by folder on the screen, each line in
# build-coverage/coverage/index.html. A test that fails is named and does not
# stop it.
#
# COVERAGE_TESTS: passed to tests/run.py; "none" leaves the Python tests out
#             (-k cli/, for example).
set -eu
cd "$(dirname "$0")/.."

MESON=${MESON-meson} NINJA=${NINJA-ninja} PYTHON=${PYTHON-python3}
build=build-coverage
out=$build/coverage

[ -f $build/build.ninja ] || $MESON setup $build -Dbuildtype=debug \
	-Doptimization=1 -Db_coverage=true >/dev/null
$NINJA -C $build
find $build -name '*.gcda' -delete

$MESON test -C $build --print-errorlogs || echo "coverage: a C test failed"
if [ "${COVERAGE_TESTS-}" != none ]; then
	BUILD_DIR=$build $PYTHON tests/run.py ${COVERAGE_TESTS-} ||
		echo "coverage: a Python test failed"
fi

mkdir -p $out
gcovr --root . --object-directory $build --filter '(src|text|tui|explore|cli)/' \
	--exclude-unreachable-branches --exclude-throw-branches \
	--json-summary $out/summary.json --html-details $out/index.html \
	-j "$(nproc)" >/dev/null
$PYTHON scripts/coverage-table.py $out/summary.json
echo "each line: $out/index.html"

# The front door. The build itself is described in meson.build; this file only
# names the things people do. `make` builds and installs nothing; where a
# package is missing it says so. demo, test, bench and their like first install
# what they need (scripts/install-deps.sh: silent when nothing is missing).
#
#   make              build/bobbin
#   make deps         the packages that building needs
#   make demo         a story of a minute: a shop is slow, and why
#   make test         every test, in a build with sanitizers (build-test)
#   make test-interop outputs opened in the programs they are made for
#   make test-fleet   shipping to real servers, with faults
#   make test-arm     tests on aarch64, in a machine that qemu plays (slow)
#   make bench        speed and memory, as a table
#   make bench-live   what capturing running processes costs
#   make bench-web    how fast the browser shows a trace
#   make fuzz         libFuzzer over every reader; FUZZ_SECONDS=300 each
#   make analyze-code  the analyzers of gcc and clang over all sources
#   make coverage     what the tests reach, by folder and by line
#   make check-style  layers, banned functions, line width, headers
#   make install      PREFIX=/usr/local DESTDIR=
#   make clean        removes the build directories
#
# Packages managed by someone else: make DEPS=:

PREFIX ?= /usr/local
DESTDIR ?=
DEPS = scripts/install-deps.sh
CHECK_DEPS = $(if $(filter :,$(DEPS)),:,scripts/install-deps.sh --check)
# What tests/interop opens outputs in; each is optional.
CLIENTS = $(if $(filter :,$(DEPS)),:,scripts/install-clients.sh)
export BOBBIN_CLIENTS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/bobbin/clients

# Distribution tools before those of a version manager such as pyenv: the
# libraries and the interpreter they need are the distribution's too.
pick = $(firstword $(wildcard /usr/bin/$(1)) $(1))
export MESON ?= $(call pick,meson)
export NINJA ?= $(call pick,ninja)
export PYTHON ?= $(call pick,python3)

# Packages come before the build is configured, and two installers never run at
# once. ninja has its own jobs, so any -j is as fast.
.NOTPARALLEL:

all: build/build.ninja
	@$(NINJA) -C build

build/build.ninja:
	@$(CHECK_DEPS) build
	@$(MESON) setup build --buildtype=release --prefix=$(PREFIX)

deps: deps-build

deps-%:
	@$(DEPS) $*

# Without PHP the demo has a story too.
demo: deps-build all
	@$(DEPS) demo || echo "demo: going on with what is here"
	@scripts/demo.sh

clients:
	@$(CLIENTS)

test: deps-test clients
	@scripts/test.sh

test-interop: deps-test clients all
	@$(PYTHON) tests/run.py -k interop/

# Servers that are killed, requests that are spoiled: FLEET_ROUNDS=200 for long.
test-fleet: deps-test all
	@$(CLIENTS) clickhouse chdb minio
	@$(PYTHON) tests/run.py -j 1 -k fleet/

test-arm: deps-arm
	@scripts/arm-machine.sh

check-style: deps-build
	@scripts/check-style.sh

bench: deps-bench all
	@$(PYTHON) bench/run.py

bench-live: deps-bench clients all
	@$(PYTHON) bench/live.py
	@$(PYTHON) bench/live_python.py
	@$(PYTHON) bench/live_busy.py
	@$(PYTHON) bench/live_native.py
	@$(PYTHON) bench/live_programs.py
	@$(PYTHON) bench/live_pool.py
	@$(PYTHON) bench/live_soak.py

bench-web: deps-bench deps-page clients all
	@$(PYTHON) bench/web.py

fuzz: deps-fuzz
	@scripts/fuzz.sh

analyze-code: deps-analyze all
	@$(PYTHON) scripts/analyze-code.py

coverage: deps-test deps-coverage clients
	@scripts/coverage.sh

install: all
	@$(MESON) configure build --prefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) $(MESON) install -C build
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

clean:
	rm -rf build build-test build-tsan build-fuzz build-arm build-coverage

.PHONY: all deps demo clients test test-interop test-fleet test-arm check-style bench \
	bench-live bench-web fuzz analyze-code coverage install clean

# The front door. The build itself is described in meson.build; this file only
# names the things people do. Every target first installs what it needs
# (scripts/install-deps.sh: silent when nothing is missing).
#
#   make              build/bobbin
#   make demo         a tour: make a trace, convert it, damage it, recover it
#   make test         every test, in a build with sanitizers (build-test)
#   make bench        speed and memory, as a table
#   make fuzz         libFuzzer over every reader; FUZZ_SECONDS=300 each
#   make check-style  layers, banned functions, line width, headers
#   make install      PREFIX=/usr/local DESTDIR=
#   make clean        removes the build directories
#
# Packages managed by someone else: make DEPS=:

PREFIX ?= /usr/local
DESTDIR ?=
DEPS = scripts/install-deps.sh

# Distribution tools before those of a version manager such as pyenv: the
# libraries and the interpreter they need are the distribution's too.
pick = $(firstword $(wildcard /usr/bin/$(1)) $(1))
export MESON ?= $(call pick,meson)
export NINJA ?= $(call pick,ninja)
export PYTHON ?= $(call pick,python3)

all: deps-build build/build.ninja
	@$(NINJA) -C build

build/build.ninja:
	@$(MESON) setup build --buildtype=release --prefix=$(PREFIX)

deps-%:
	@$(DEPS) $*

demo: all
	@scripts/demo.sh

test: deps-test
	@scripts/test.sh

check-style: deps-build
	@scripts/check-style.sh

bench: deps-bench all
	@$(PYTHON) bench/run.py

fuzz: deps-fuzz
	@scripts/fuzz.sh

install: all
	@$(MESON) configure build --prefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) $(MESON) install -C build
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

clean:
	rm -rf build build-test build-tsan build-fuzz

.PHONY: all demo test check-style bench fuzz install clean

#!/bin/sh
# Install the packages that one of bobbin's make targets needs.
#
#   scripts/install-deps.sh [--check] [GROUP]
#   scripts/install-deps.sh --list
#
# GROUP: build (the default), page, demo, test, arm, bench, fuzz, analyze or coverage.
#
# Debian and Ubuntu: asks dpkg what is there, installs the rest with apt-get
# (through sudo when not root). Prints nothing and does not use the network if
# nothing is missing. Other systems: looks for the programs and libraries
# themselves and lists what is not found; it never calls a package manager it
# does not know. --check installs nothing: it lists what is missing and fails.
#
# Building where packages are managed by someone else: `make DEPS=:`.
set -eu

# group package why
table='
build gcc              C compiler
build libc6-dev        C library headers
build meson            build description
build ninja-build      runs the build
build pkg-config       finds the libraries below
build zlib1g-dev       reads gzip streams
build libdeflate-dev   writes whole gzip members fast
build libzstd-dev      packs and unpacks TACH profiles
build libxxhash-dev    hashing in the intern tables
build libpcre2-dev     patterns of --match and --hide
build libelf-dev       native frames: files of machine code
build libdw-dev        native frames: how to unwind it
build libseccomp-dev   restricts the system calls of a capture
build libncurses-dev   the full-screen explorer
build libmicrohttpd-dev  serves the page of view
build libcurl4-openssl-dev  sends samples to servers
build scdoc            man pages
build libcmocka-dev    C unit tests (the build describes them too)
page  clang            compiles the engine of html pages
page  lld              links it
page  wasi-libc        its C library
page  @wasm-rt         its compiler runtime
demo  python3          the worker and the customers of the shop
demo  php-cli          the shop; without it the worker has the story
test  python3          test runner
test  tmux             a terminal to explore in, without a screen
arm   qemu-system-arm  plays the machine
arm   gcc-aarch64-linux-gnu  C compiler for it
arm   mmdebstrap       puts a Debian for it together
arm   debian-archive-keyring  whose packages are signed
arm   cpio             packs what it starts with
bench python3          benchmark runner
bench valgrind         counts instructions
fuzz  clang            libFuzzer
fuzz  @clang-rt        libFuzzer and sanitizer runtime
analyze @clang-tidy    analyzer of the newest clang
coverage gcovr         adds up the counters of gcc
'

usage()
{
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
	exit "$1"
}

checks=
[ "${1-}" != --check ] || { checks=1; shift; }
case ${1-build} in
build | page | demo | test | arm | bench | fuzz | analyze | coverage) group=${1-build} ;;
--list)
	echo "$table" | awk 'NF { g = $1; p = $2; $1 = $2 = ""
		sub(/^@clang-rt$/, "libclang-rt-N-dev", p)
		sub(/^@wasm-rt$/, "libclang-rt-N-dev-wasm32", p)
		sub(/^@clang-tidy$/, "clang-tidy-N", p)
		printf "%-8s %-18s%s\n", g, p, $0 }'
	echo "bench    linux-perf          optional: hardware counters"
	exit 0 ;;
-h | --help) usage 0 ;;
*) usage 2 >&2 ;;
esac

# "package why" lines of the chosen group; every group includes build, and what
# is shown and tested has pages.
wanted=$(echo "$table" | awk -v g="$group" '
	$1 == g || $1 == "build" || ($1 == "page" && g ~ /^(demo|test)$/) {
		$1 = ""; print substr($0, 2) }')

say() { echo "install-deps: $*" >&2; }

# --- not a Debian: look, report, do not touch -------------------------------

if ! command -v dpkg-query >/dev/null 2>&1; then
	lost=
	need_cmd() { command -v "$1" >/dev/null 2>&1 || lost="$lost $1"; }
	need_lib() { pkg-config --exists "$1" 2>/dev/null || lost="$lost $1"; }
	for c in cc meson ninja pkg-config scdoc; do need_cmd $c; done
	for l in zlib libdeflate libzstd libxxhash libpcre2-8 libelf libdw libseccomp ncursesw libmicrohttpd libcurl cmocka; do need_lib $l; done
	case $group in
	page) need_cmd clang; need_cmd wasm-ld ;;
	demo) need_cmd python3; need_cmd php ;;
	test) need_cmd python3 ;;
	arm) for c in qemu-system-aarch64 aarch64-linux-gnu-gcc mmdebstrap cpio
		do need_cmd $c; done ;;
	bench) need_cmd valgrind; need_cmd python3 ;;
	fuzz) need_cmd clang ;;
	analyze) need_cmd clang-tidy ;;
	coverage) need_cmd gcovr ;;
	esac
	[ -n "$lost" ] || exit 0
	say "this is not a Debian or Ubuntu system, and these are not found:"
	say "   $lost"
	say "install them with your package manager; on Debian they would be:"
	echo "$wanted" | awk '{ p = $1; $1 = ""
		sub(/^@clang-rt$/, "libclang-rt-N-dev", p)
		sub(/^@wasm-rt$/, "libclang-rt-N-dev-wasm32", p)
		sub(/^@clang-tidy$/, "clang-tidy-N", p)
		printf "    %-18s%s\n", p, $0 }' >&2
	exit 1
fi

# --- Debian, Ubuntu ---------------------------------------------------------

# The version of the default clang, which its package depends on.
clang_version()
{
	{ dpkg-query -W -f='${Depends}\n' clang 2>/dev/null ||
		apt-cache show clang 2>/dev/null | sed -n 's/^Depends: //p'; } |
		sed -n 's/.*clang-\([0-9][0-9]*\).*/\1/p' | head -n 1
}

# Its runtime; older releases keep it in libclang-common-N-dev.
clang_rt()
{
	v=$(clang_version)
	if [ -z "$v" ]; then
		return
	elif dpkg-query -W "libclang-rt-$v-dev" >/dev/null 2>&1 ||
	    apt-cache show "libclang-rt-$v-dev" >/dev/null 2>&1; then
		echo "libclang-rt-$v-dev"
	else
		echo "libclang-common-$v-dev"
	fi
}

# The newest clang-tidy that is installed, or that can be: each finds more.
clang_tidy()
{
	for list in 'dpkg-query -W -f=${Package}\n clang-tidy-*' \
	    'apt-cache pkgnames clang-tidy-'; do
		v=$($list 2>/dev/null | sed -n 's/^clang-tidy-\([0-9]*\)$/\1/p' |
			sort -n | tail -n 1)
		[ -z "$v" ] || { echo "clang-tidy-$v"; return; }
	done
}

# Sets $missing to "package why" lines.
find_missing()
{
	list=$wanted
	case $list in
	*@clang-rt*)
		rt=$(clang_rt)
		list=$(echo "$list" | sed "s/^@clang-rt/${rt:-clang}/") ;;
	*@wasm-rt*)
		v=$(clang_version)
		list=$(echo "$list" |
			sed "s/^@wasm-rt/libclang-rt-${v:-14}-dev-wasm32/") ;;
	*@clang-tidy*)
		tidy=$(clang_tidy)
		list=$(echo "$list" |
			sed "s/^@clang-tidy/${tidy:-clang-tidy}/") ;;
	esac
	have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' \
		$(echo "$list" | awk '{ print $1 }') 2>/dev/null || true)
	missing=$(printf '%s\n--\n%s\n' "$have" "$list" | awk '
		$0 == "--" { in_list = 1; next }
		!in_list { if ($1 == "installed") have[$2] = 1; next }
		NF && !($1 in have) && !seen[$1]++')
}

# There it is the ordinary compiler.
[ "$(dpkg --print-architecture)" != arm64 ] ||
	wanted=$(echo "$wanted" | grep -v '^gcc-aarch64-linux-gnu ')

find_missing
[ -n "$missing" ] || exit 0

show_missing()
{
	echo "$missing" | awk '{ p = $1; $1 = ""
		printf "    %-18s%s\n", p, $0 }' >&2
}

if [ -n "$checks" ]; then
	say "missing for '$group'; \`make deps\` installs:"
	show_missing
	exit 1
fi

root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null 2>&1; then
		say "not root and no sudo; ask an administrator to run"
		say "    apt-get install" $(echo "$missing" | awk '{ print $1 }')
		exit 1
	fi
	root=sudo
fi

say "updating the package lists${root:+ (with sudo)}"
$root apt-get -qq update || say "update failed; going on with the old lists"
find_missing	# the names of versioned packages are known only now
say "installing for '$group'${root:+ (with sudo)}:"
show_missing
$root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
	--no-install-recommends $(echo "$missing" | awk '{ print $1 }') >&2

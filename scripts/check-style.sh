#!/bin/bash
# Rules that neither the compiler nor clang-format keeps.
#
# One line per check, "ok NAME" or "FAIL NAME", with the offending places under
# a failure as file:line: text. The last line is "N passed, N failed"; the exit
# status is 0 when nothing failed. The rules and their reasons are in
# CONTRIBUTING.md.
set -u
shopt -s lastpipe	# `… | check NAME` counts in this shell
cd "$(dirname "$0")/.."
CC=${CC-cc}
n_ok=0 n_fail=0

# Every file that belongs to the project and is still there.
files()
{
	{ git ls-files -co --exclude-standard -- "$@" 2>/dev/null ||
		find . -name .git -prune -o -path './build*' -prune -o \
			-type f -print | sed 's,^\./,,'; } |
		sort -u | while IFS= read -r f; do
		if [ -f "$f" ]; then printf '%s\n' "$f"; fi
	done
}

all=$(files)
c_files=$(grep -E '\.[ch]$' <<<"$all")
src_files=$(grep -E '^src/.*\.[ch]$' <<<"$all")
# Reference data keeps whatever bytes it came with.
text_files=$(grep -vE '^(tests/|fuzz/corpus/)' <<<"$all" |
	grep -E '\.(c|h|py|sh|md|build|options|scd|yml)$|(^|/)Makefile$'
	grep -E '^tests/.*\.(c|h|py|sh)$' <<<"$all")

# check NAME: reads complaints on stdin; none means ok.
check()
{
	local complaints
	complaints=$(cat)
	if [ -z "$complaints" ]; then
		echo "ok    style: $1"
		n_ok=$((n_ok + 1))
	else
		echo "FAIL  style: $1"
		sed 's/^/      /' <<<"$complaints"
		n_fail=$((n_fail + 1))
	fi
}

# C source with comments and the insides of literals blanked, as
# file:line:text, so that a search sees only code.
code()
{
	[ $# -gt 0 ] || return 0
	awk '
	FNR == 1 { in_comment = 0 }
	{
		s = $0; out = ""
		while (s != "") {
			if (in_comment) {
				i = index(s, "*/")
				if (!i) { s = ""; break }
				s = substr(s, i + 2); in_comment = 0
				continue
			}
			if (!match(s, /\/\*|\/\/|"|\047/)) { out = out s; break }
			tok = substr(s, RSTART, RLENGTH)
			out = out substr(s, 1, RSTART - 1)
			s = substr(s, RSTART + RLENGTH)
			if (tok == "//") break
			if (tok == "/*") { in_comment = 1; out = out " "; continue }
			out = out tok
			while (s != "") {	# inside a literal
				ch = substr(s, 1, 1)
				s = substr(s, ch == "\\" ? 3 : 2)
				if (ch == tok) { out = out tok; break }
			}
		}
		if (out ~ /[^ \t]/) print FILENAME ":" FNR ":" out
	}' "$@"
}

# search REGEX FILE...: places where code matches an extended regex.
search()
{
	local re=$1
	shift
	code "$@" | grep -E "^[^:]*:[0-9]+:.*$re"
}

# --- layers -----------------------------------------------------------------

# file:line:header for each #include "…" or <bobbin/…>, with the header given
# as a path from the root.
includes()
{
	grep -nHE '^[ 	]*#[ 	]*include[ 	]*("|<bobbin/)' "$@" /dev/null |
	while IFS=: read -r f line text; do
		h=$(sed 's/[^"<]*["<]\([^">]*\)[">].*/\1/' <<<"$text")
		case $h in
		core/* | model/* | format/* | pipeline/* | analyze/* | capture/*)
			h=src/$h ;;
		bobbin/*) h=include/$h ;;
		esac
		for d in . "$(dirname "$f")" src cli tui; do
			if [ -f "$d/$h" ]; then
				h=$(realpath -m --relative-to=. "$d/$h")
				break
			fi
		done
		echo "$f:$line:$h"
	done
}

# layer PATH: where a file stands; a folder of src/format is a layer of its own,
# and so is a runtime's folder of src/capture; that of native frames is for all.
layers()
{
	awk -F: '
	function layer(p,   a, n)
	{
		n = split(p, a, "/")
		if (a[1] == "include") return "public"
		if (a[1] == "cli" || a[1] == "tui") return a[1]
		if (a[1] == "examples") return "examples"
		if (a[1] != "src") return "other"
		if (n == 2) return "top"
		if (a[2] == "format" && n > 3) return "format/" a[3]
		if (a[2] == "capture" && n > 3 && a[3] !~ /^(proc|elf|native)$/)
			return "capture/" a[3]
		return a[2]
	}
	function may(from, to)
	{
		if (to == "public" || from == to) return 1
		if (from == "cli" && to == "tui") return 1
		if (from ~ /^(public|examples|cli|tui)$/) return 0
		if (from == "core") return 0
		if (from == "model") return to == "core"
		if (from ~ /^format\//)
			return to ~ /^(core|model|format)$/
		if (from == "format") return to ~ /^(core|model)$/
		if (from ~ /^capture/) return to ~ /^(core|model|capture)$/
		if (from == "pipeline") return to ~ /^(core|model|format)$/
		if (from == "analyze")
			return to ~ /^(core|model|format|pipeline)$/
		if (from == "top")
			return to ~ /^(core|model|format|pipeline)$/
		return 1
	}
	{
		from = layer($1); to = layer($3)
		if ($1 == "src/format/registry.c" && to ~ /^format\//) next
		if ($1 == "src/capture/registry.c" && to ~ /^capture\//) next
		if (!may(from, to))
			print $1 ":" $2 ": " from " may not include " $3
	}'
}

lib_files=$(grep -E '^(src|include|cli|tui|examples)/' <<<"$c_files")
includes $lib_files | layers |
	check "layers: core < model < format < pipeline < analyze, capture; cli, tui and examples use public headers"

# --- functions --------------------------------------------------------------

word='(^|[^A-Za-z0-9_])'
banned='(strcpy|stpcpy|strcat|sprintf|vsprintf|gets|alloca|strtok'
banned+='|strtol|strtoul|strtoll|strtoull|atoi|atol|atoll)'
search "$word$banned *\(" $c_files | check "no banned functions"

noisy='(printf|fprintf|vprintf|vfprintf|dprintf|vdprintf|puts|putchar|fputs'
noisy+='|perror|exit|_exit|_Exit|quick_exit|abort)'
search "$word$noisy *\(" $src_files |
	check "the library does not print, exit or abort"

# --- text -------------------------------------------------------------------

grep -nHE '[ 	]+$' $text_files /dev/null | sed 's/[ 	]*$//' |
	check "no trailing whitespace"

# A byte above 0x7f that continues a UTF-8 character takes no column.
LC_ALL=C awk '
	{
		col = 0
		for (i = 1; i <= length($0); i++) {
			ch = substr($0, i, 1)
			if (ch == "\t") col += 8 - col % 8
			else if (ch < "\200" || ch >= "\300") col++
		}
		if (col > 80) print FILENAME ":" FNR ": " col " columns"
	}' $c_files /dev/null | check "80 columns, tabs of 8"

grep -nHE '^ {8,}[^ \\]' $c_files /dev/null | cut -c -60 | check "indentation by tabs"

# --- headers ----------------------------------------------------------------

# A header must not need another one to be included before it, and public ones
# must not see the private tree. All compilers run at once, a core each.
header_alone()
{
	local flags=(-Iinclude)
	case $1 in
	include/*) ;;
	cli/*) flags+=(-I. -Icli) ;;
	*) flags+=(-Isrc -I.) ;;
	esac
	$CC -std=gnu11 -fsyntax-only -Wall -x c "${flags[@]}" \
		-include "$1" /dev/null 2>&1 | grep -E 'error|warning' | head -n 3
}
export -f header_alone
export CC

headers=$(grep -E '^(src|include|cli|tui)/.*\.h$' <<<"$all")
if [ -n "$headers" ]; then
	xargs -P "$(nproc)" -I{} bash -c 'header_alone {}' <<<"$headers"
fi | check "each header compiles alone"

# The public headers must also be usable from C++.
if command -v g++ >/dev/null 2>&1; then
	for h in $(grep -E '^include/.*\.h$' <<<"$all"); do
		g++ -fsyntax-only -Iinclude -x c++ -include "$h" /dev/null 2>&1 |
			grep -E 'error' | head -n 3
	done | check "public headers compile as C++"
fi

echo "$n_ok passed, $n_fail failed"
[ $n_fail -eq 0 ]

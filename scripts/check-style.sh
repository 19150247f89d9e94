#!/bin/bash
# Rules that neither the compiler nor clang-format checks.
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

# Every file of the project that exists.
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
# Reference data is not checked.
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
# file:line:text, so that a search sees only code. With LITERALS=1 literals
# stay whole.
code()
{
	[ $# -gt 0 ] || return 0
	awk -v keep="${LITERALS-}" '
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
				if (keep && ch != tok)
					out = out substr(s, 1, ch == "\\" ? 2 : 1)
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
		# The command has folders of its own of the same names.
		case $f:$h in
		*:bobbin/*) h=include/$h ;;
		cli/*) [ -f "cli/$h" ] && h=cli/$h ;;
		*:core/* | *:model/* | *:format/* | *:pipeline/* | \
		*:analyze/* | *:capture/* | *:record/* | *:store/* | \
		*:ship/*)
			h=src/$h ;;
		esac
		for d in . "$(dirname "$f")" src cli; do
			if [ -f "$d/$h" ]; then
				h=$(realpath -m --relative-to=. "$d/$h")
				break
			fi
		done
		echo "$f:$line:$h"
	done
}

# layer PATH: the layer of a file. A folder of src/format, other than common/, is
# a layer of its own, and so is that of an interpreter in src/capture.
layers()
{
	awk -F: '
	function layer(p,   a, n)
	{
		n = split(p, a, "/")
		if (a[1] == "include") return "public"
		if (a[1] ~ /^(cli|explore|text|tui)$/) return a[1]
		if (a[1] == "examples") return "examples"
		if (a[1] != "src") return "other"
		if (n == 2) return "top"
		if (a[2] == "format" && n > 3 && a[3] != "common")
			return "format/" a[3]
		if (a[2] == "capture" && n > 3 && a[3] ~ /^(php|python)$/)
			return "capture/" a[3]
		return a[2]
	}
	function may(from, to)
	{
		if (to == "public" || from == to) return 1
		if (from == "cli" && to ~ /^(text|tui|explore)$/) return 1
		if (from == "explore" && to ~ /^(text|tui)$/) return 1
		if (from == "tui" && to == "text") return 1
		if (from ~ /^(public|examples|cli|explore|text|tui)$/) return 0
		if (from == "core") return 0
		if (from == "model") return to == "core"
		if (from ~ /^format\//)
			return to ~ /^(core|model|format)$/
		if (from == "format") return to ~ /^(core|model)$/
		if (from ~ /^capture/) return to ~ /^(core|model|capture)$/
		if (from == "pipeline") return to ~ /^(core|model|format)$/
		if (from == "analyze")
			return to ~ /^(core|model|format|pipeline)$/
		if (from == "record") return to ~ /^(core|model|capture)$/
		if (from == "store")
			return to ~ /^(core|model|format|pipeline|analyze)$/
		if (from == "ship")
			return to ~ /^(core|model|format|pipeline|store)$/
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

lib_files=$(grep -E '^(src|include|cli|explore|text|tui|examples)/' <<<"$c_files")
includes $lib_files | layers |
	check "layers: core < model < format < pipeline < analyze < store < ship, capture < record; text < tui < explore < cli; these and examples use public headers"

# --- formats ----------------------------------------------------------------

# What a format is called, its magic and its side files are known to its folder
# alone; others ask struct format.
format_names=$(sed -n 's/.*\.name = "\([a-z0-9-]*\)".*/\1/p' src/format/*/*.c)
quirks="RELI|bobbin\.offset|\.live|\.defs|$(tr '\n' '|' <<<"$format_names")"
LITERALS=1 search "\"([^\"]*[^a-z\"])?(${quirks%|})([^a-z\"][^\"]*)?\"" \
	$(grep -E '^src/(core|model|pipeline|analyze|store|ship)/' <<<"$src_files") |
	grep -v '#include' |
	check "only a format's folder names it, its magic and its side files"

# include/bobbin/write.h has BOB_PART_SUFFIX.
LITERALS=1 search '\.part"' $(grep -E '^(src|cli|tui)/' <<<"$c_files") |
	check "only BOB_PART_SUFFIX names part files"

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

# Relative links between pages must lead to files. Fenced text has no links.
while IFS= read -r f; do
	awk -v f="$f" '
	/^ *```/ { fenced = !fenced; next }
	fenced { next }
	{
		s = $0
		gsub(/`[^`]*`/, "", s)
		while (match(s, /\]\([^) ]+\)/)) {
			print f ":" FNR ":" substr(s, RSTART + 2, RLENGTH - 3)
			s = substr(s, RSTART + RLENGTH)
		}
	}' "$f"
done < <(grep -E '\.md$' <<<"$all") | while IFS=: read -r f line to; do
	case $to in
	http:* | https:* | mailto:* | '#'*) continue ;;
	esac
	if [ ! -e "$(dirname "$f")/${to%%#*}" ]; then
		echo "$f:$line: no such file: $to"
	fi
done | check "links between pages lead to files"

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

headers=$(grep -E '^(src|include|cli|explore|text|tui)/.*\.h$' <<<"$all")
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

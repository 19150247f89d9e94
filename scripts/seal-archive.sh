#!/bin/sh
# Turn an archive into one of a single object whose hidden names are local.
#
#   seal-archive.sh IN OUT       CC, OBJCOPY and AR from the environment
set -eu
in=$1 out=$2
object=${out%.a}.sealed.o

${CC-cc} -r -nostdlib -o "$object" \
	-Wl,--whole-archive "$in" -Wl,--no-whole-archive
${OBJCOPY-objcopy} --localize-hidden "$object"
rm -f "$out"
${AR-ar} rcs "$out" "$object"
rm -f "$object"

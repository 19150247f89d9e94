#!/bin/bash
# A story of a minute: a shop is slow. Watch it, record it, read where the time
# goes, look at the page, fix it, and let a gate prove that the fix helps. The
# programs are in demo/. Without PHP the Python worker has the story.
#
# Waits for Enter between the steps on a terminal; runs through elsewhere
# (DEMO_PAUSE=no: on a terminal too; a number: so many seconds a step). The page
# and the recordings stay in build/demo (DEMO_DIR), nothing keeps running.
# DEMO_SECONDS is the length of a recording.
set -eu
exec 2>&1	# notes appear where they belong
root=$(cd "$(dirname "$0")/.." && pwd)
: "${PYTHON:=python3}"
build=$(cd "${BUILD_DIR-$root/build}" && pwd)
dir=${DEMO_DIR-$build/demo}
PATH=$build:$PATH
seconds=${DEMO_SECONDS-8}

mkdir -p "$dir"
cd "$dir"
rm -f ./*.rbt ./*.html ./*.svg

if [ -t 1 ]; then b=$'\e[1m' d=$'\e[2m' n=$'\e[0m'; else b='' d='' n=''; fi
pause=${DEMO_PAUSE-}
[ -n "$pause" ] || { [ -t 0 ] && [ -t 1 ]; } || pause=no
steps=0
step()
{
	case $pause in
	no) ;;
	[0-9]*) sleep "$pause" ;;
	*)	if [ $steps -gt 0 ]; then
			printf '\n%sEnter goes on%s' "$d" "$n"
			read -r _ || :
		fi ;;
	esac
	steps=$((steps + 1))
	printf '\n%s%d. %s%s\n' "$b" $steps "$1" "$n"
}
# Show a command as one would type it, then run it.
show() { printf '%s$%s %s%s%s\n' "$d" "$n" "$b" "$1" "$n"; }
run() { show "$1"; eval "$1"; }

# The programs end with the pipe to them, however this script ends.
start()
{
	exec 3> >(exec "$PYTHON" "$root/demo/start.py" "$@" "$dir" >started)
	for _ in $(seq 100); do
		[ ! -s started ] || break
		sleep 0.1
	done
	if [ ! -s started ]; then
		echo "the programs of demo/ did not start"
		exit 1
	fi
	sleep 0.5
}
stop() { exec 3>&-; rm -f started; sleep 0.5; }

has_php=
! command -v php >/dev/null 2>&1 || has_php=1
if [ -n "$has_php" ]; then
	what="A shop in PHP and its worker in Python are running. Pages are slow."
	match="$(basename "$dir")/(shop|worker)"
	culprit=PriceList request=' --request'
	old=shop/PriceList.php new=fixed/PriceList.php
else
	what="A worker in Python is running (there is no PHP here). It is slow."
	match="$(basename "$dir")/worker"
	culprit=spam request=
	old=spam.py new=fixed/spam.py
fi

last_step()
{
	step "One more thing: a recording on a disk that failed"
	size=$(stat -c %s before.rbt)
	head -c $((size * 97 / 100)) before.rbt >bad.rbt
	head -c 64 /dev/zero | tr '\0' '\377' |
		dd of=bad.rbt bs=1 seek=$((size * 2 / 5)) conv=notrunc status=none
	echo "64 bytes overwritten in the middle, the last 3 % cut off:"
	run "bobbin recover -o good.rbt bad.rbt" || :
	rm -f bad.rbt good.rbt
}

start
step "$what"
if ! bobbin doctor -P "$match" >/dev/null; then
	echo "Processes cannot be read here. What is in the way:"
	run "bobbin doctor -P '$match'" || :
	stop
	"$build/tools/make-trace" --samples 20000 --segments 4 \
		--annotations >before.rbt
	last_step
	exit 0
fi
run "bobbin top -P '$match' --count 1 --interval 3s -n 8"

step "Record $seconds seconds${request:+, with the request of each sample}"
run "bobbin record -P '$match'$request -d ${seconds}s -o before.rbt"

step "Where did the time go?"
run "bobbin analyze --top 10 before.rbt"

if [ -n "$has_php" ]; then
	step "Which pages are slow?"
	run "bobbin analyze --sections routes before.rbt"
fi

step "The same as a page for your browser"
# A build without clang for WebAssembly has no pages.
if bobbin convert -q -o slow.html before.rbt 2>/dev/null; then
	run "bobbin convert -q -o slow.html before.rbt"
	echo "file://$dir/slow.html"
else
	echo "This build has no pages (scripts/install-deps.sh page): a picture."
	run "bobbin convert -q -o slow.svg before.rbt"
	echo "file://$dir/slow.svg"
fi

step "The fix"
run "diff -u $old $new | tail -n +3" || :

step "Is it better? Record the fixed version in the same way, and compare"
stop
start --fixed
run "bobbin record -q -P '$match'$request -d ${seconds}s -o after.rbt"
run "bobbin diff --top 5 --fail-over '5%:$culprit' before.rbt after.rbt"
echo "exit status 0: the gate lets the fix pass"

step "And if someone puts the mistake back, CI stops it"
rc=0
show "bobbin diff --fail-over '5%:$culprit' after.rbt before.rbt"
bobbin diff --top 3 --fail-over "5%:$culprit" after.rbt before.rbt >gate ||
	rc=$?
sed "/^before/,\$d" gate	# the verdict, and what the gate says
rm -f gate
echo "exit status $rc"
stop

last_step
printf '\n%sThe page and the recordings are in %s%s\n' "$b" "$dir" "$n"

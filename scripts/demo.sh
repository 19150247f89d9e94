#!/bin/bash
# A tour of bobbin in a minute: sample a program that runs and see where its
# time goes; look at a larger trace, convert it, damage a copy and get the
# samples back; then a profile of CPython's. Leaves nothing behind (KEEP=DIR
# keeps the files in DIR).
set -eu
exec 2>&1	# notes appear where they belong
cd "$(dirname "$0")/.."
bobbin=$PWD/build/bobbin
make_trace=$PWD/build/tools/make-trace
profile=$PWD/tests/data/tach/real_json.bin

if [ -n "${KEEP-}" ]; then
	mkdir -p "$KEEP"
	dir=$KEEP
else
	dir=$(mktemp -d)
fi
cd "$dir"

if [ -t 1 ]; then b=$'\e[1m' d=$'\e[2m' n=$'\e[0m'; else b='' d='' n=''; fi
step() { printf '\n%s%s%s\n' "$b" "$*" "$n"; }
# Show a command as one would type it, then run it.
run() { printf '%s$ %s%s\n' "$d" "$*" "$n"; eval "$*"; }
bobbin() { "$bobbin" "$@"; }
# The samples of a file: the first field of a dump line is their number.
samples() { "$bobbin" dump --recover "$1" 2>/dev/null |
	awk -F '\t' '{ n += $1 } END { printf "%d", n }'; }

cat >busy.py <<'END'
import json, time
def parse(text):
    return json.loads(text)
def render(data):
    return json.dumps(data, indent=1)
def query():
    time.sleep(0.002)
def handle():
    query()
    for _ in range(20):
        render(parse('{"a": [1, 2, 3], "b": {"c": "d"}}'))
while True:
    handle()
END
step "1. A program that runs: where does its time go?"
python3 busy.py &
pid=$!
trap 'kill $pid 2>/dev/null || :; [ -n "${KEEP-}" ] || rm -rf "$dir"' EXIT
sleep 0.5
run "bobbin stack -p $pid" || :
if run "bobbin record -p $pid -r 500 -d 2s -o live.rbt"; then
	run "bobbin analyze --no-line --top 5 --sections self live.rbt"
	run "bobbin convert -o live.html live.rbt && ls -s live.html"
else
	echo "Processes cannot be read here. What is in the way:"
	run "bobbin doctor -p $pid" || :
fi
kill $pid 2>/dev/null || :
wait $pid 2>/dev/null || :

step "2. A larger trace, of a PHP application: three processes, four segments"
"$make_trace" --samples 200000 --segments 4 --stacks 800 --pids 3 \
	--annotations >trace.rbt
run "bobbin info trace.rbt | head -n 9"
run "bobbin analyze --no-line --top 3 --sections self trace.rbt"
run "bobbin convert -q -t phpspy trace.rbt | head -n 4 | cut -c -78"
run "bobbin converter:rbt --compress < trace.rbt > trace.rbt.gz"
run "ls -s --block-size=K trace.rbt trace.rbt.gz"

step "3. A disk error in the middle, and a tail that was never written"
size=$(stat -c %s trace.rbt)
head -c $((size * 97 / 100)) trace.rbt >bad.rbt
tail_lost=$(($(samples trace.rbt) - $(samples bad.rbt)))
head -c 64 /dev/zero | tr '\0' '\377' |
	dd of=bad.rbt bs=1 seek=$((size * 2 / 5)) conv=notrunc status=none
echo "64 bytes overwritten at byte $((size * 2 / 5)), the last 3 % cut off"
rc=0
run "bobbin verify bad.rbt" || rc=$?
echo "exit status $rc"

step "4. Recover every sample that is still there"
rc=0
run "bobbin recover -o good.rbt bad.rbt" || rc=$?
case $rc in
0) echo "exit status 0: nothing was lost" ;;
4) echo "exit status 4: recovered, with losses" ;;
*) echo "exit status $rc"; exit "$rc" ;;
esac
run "bobbin verify good.rbt"

step "5. What it came to"
whole=$(samples trace.rbt) kept=$(samples good.rbt)
printf '%9d samples written\n' "$whole"
printf '%9d of them in the part that was cut off\n' "$tail_lost"
printf '%9d overwritten, or cut in two\n' $((whole - tail_lost - kept))
printf '%9d recovered\n' "$kept"

step "6. What CPython's own profiler recorded (TACH): its lines, its bytes"
cp "$profile" profile.bin
run "bobbin info profile.bin | head -n 11"
run "bobbin replay -q --collapsed profile.bin | head -n 2 | cut -c -78"
run "bobbin convert -o profile.rbt profile.bin"
run "bobbin convert --dialect 1a -o for-old-python.bin profile.bin"
run "bobbin convert -o again.bin for-old-python.bin"
cmp profile.bin again.bin && echo "again.bin has the bytes that CPython wrote"

#!/bin/bash
# Makes the pictures of the demo anew: docs/images/demo.svg, a film of `make
# demo`, and docs/images/answer.svg, what analyze says about its shop. Needs
# tmux and PHP, takes a minute and a half.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
export DEMO_DIR=/tmp/demo DEMO_PAUSE=2 PYTHON=/usr/bin/python3
export PATH=$root/build:$PATH
images=$root/docs/images
picture() { "$PYTHON" "$root/scripts/terminal-picture.py" "$@"; }

picture --film 96x30 bash "$root/scripts/demo.sh" >"$images/demo.svg.new"
mv "$images/demo.svg.new" "$images/demo.svg"

"$PYTHON" "$root/demo/start.py" "$DEMO_DIR" < <(sleep 30) >/dev/null &
sleep 3
cd "$DEMO_DIR"
picture --shot 96x44 bash -c '
	type() { printf "\033[2m$\033[0m \033[1m%s\033[0m\n" "$1"; eval "$1"; }
	type "bobbin record -P \"demo/(shop|worker)\" -d 8s -o shop.rbt"
	type "bobbin analyze --top 5 shop.rbt"' >"$images/answer.svg"
wait
rm -rf "$DEMO_DIR"

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

cd "$DEMO_DIR"
mv before.rbt shop.rbt
picture --shot 96x30 bash -c '
	b=$(printf "\033[1m") n=$(printf "\033[0m")
	echo "\$ ${b}bobbin record -P php-fpm -d 8s -o shop.rbt$n"
	echo "\$ ${b}bobbin analyze shop.rbt$n"
	bobbin analyze --top 5 shop.rbt' >"$images/answer.svg"
rm -rf "$DEMO_DIR"

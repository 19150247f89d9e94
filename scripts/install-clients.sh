#!/bin/sh
# Install the programs in which bobbin's outputs are opened by tests/interop,
# and those that tests/live captures.
#
#   scripts/install-clients.sh [CLIENT...]
#   scripts/install-clients.sh --list
#
# Without a name: all that make test uses.
#
# Each client is optional: one that is not available is named with the reason,
# its tests are skipped with the same reason, and the exit status is 0. Packages
# come from the distribution (apt-get, through sudo when not root), the rest
# goes to $BOBBIN_CLIENTS (~/.cache/bobbin/clients), and so do servers, whose
# packages are only unpacked: no service is started. Prints nothing and does not
# use the network if everything is there.
#
# What comes from npm and PyPI has its version and its hash in tests/clients, and
# anything else is refused. Packages of the distribution are checked by apt, by
# the signatures of its lists.
#
# BOBBIN_CLIENT_SECONDS: how long one client may take (300).
set -u

pins=$(cd "$(dirname "$0")/../tests/clients" && pwd) || exit 1
dir=${BOBBIN_CLIENTS-${XDG_CACHE_HOME-$HOME/.cache}/bobbin/clients}
seconds=${BOBBIN_CLIENT_SECONDS-300}

node_version=24	# what profiler needs

# client what
table='
pprof      google pprof, from the Go toolchain or built from the distribution
protoc     decodes protobuf without knowing the message
xmllint    is it XML
callgrind  callgrind_annotate, of valgrind
chromium   a browser without a window
node       runs what npm has
browser    drives chromium (playwright-core)
typescript checks the types of the page of view
eslint     looks for mistakes in it
axe        is it usable without eyes, and are its colours readable
firefox    another browser, and what drives it (puppeteer-core)
speedscope its web page
ajv        checks JSON against a schema
perfetto   the engine of its page, one of 2022, for node
perfetto_python  its messages, for Python
profiler   the command line of Firefox Profiler, and a node that is new enough
pythons    CPython from 3.13 on of Debian unstable, with their own C library
python     CPython 3.15 or newer, of those or where the distribution has one
php        PHP on the command line
fpm        its server
apache     Apache with PHP as a module
embed      PHP as a library
headers    the headers of PHP
gunicorn   a server of Python, from PyPI
uvicorn    and one whose requests take turns on a thread
waitress   one whose threads get their work from a queue
uv         runs Python as its child, from PyPI
sudo       runs commands as somebody else
uwsgi      a server that has Python in it
musl       a C library whose code has no tables
zsh        a shell that completes
fish       another one
programs   whole programs of Python, from PyPI, for bench/live_programs.py
php_programs  and of PHP
clickhouse a server of 2018, which samples are shipped to (tests/fleet)
chdb       the engine of a current one, as a library (180 MB)
minio      object storage, built by the Go toolchain (minutes)
'
# Servers of tests/fleet, which is no part of make test: they come if they are
# named, as make test-fleet does.
named_only=' clickhouse chdb minio '

say() { echo "install-clients: $*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

case ${1-} in
--list) echo "$table" | sed '/^$/d'; exit 0 ;;
-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
mkdir -p "$dir/bin" "$dir/why" || exit 0
cd "$dir" || exit 0
here=$PWD

# --- ways of getting things --------------------------------------------------

root=
[ "$(id -u)" -eq 0 ] || root=sudo
lists_are_new=

renew_lists()
{
	[ -z "$lists_are_new" ] || return 0
	timeout "$seconds" $root apt-get -qq update >/dev/null 2>&1
	lists_are_new=1
}

# Installs packages; the reason for a failure is the last line of apt.
apt()
{
	has apt-get || { echo "no apt-get here"; return 1; }
	[ -z "$root" ] || has sudo || { echo "not root and no sudo"; return 1; }
	renew_lists
	timeout "$seconds" $root env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install -y --no-install-recommends "$@" \
		>apt.log 2>&1 || { reason_in apt.log; return 1; }
}

# Unpacks packages to a folder, and what they need that is not installed.
unpack()
{
	has apt-get && has dpkg-deb || { echo "no apt-get here"; return 1; }
	[ -n "$root" ] && ! has sudo || renew_lists
	to=$1
	shift
	rm -rf "$to.new"
	mkdir -p "$to.new/debs"
	packages=$(apt-get -s --no-install-recommends install "$@" 2>apt.log |
		awk '$1 == "Inst" { print $2 }')
	[ -n "$packages" ] || { reason_in apt.log; return 1; }
	(cd "$to.new/debs" && timeout "$seconds" apt-get -qq download $packages \
		>../../apt.log 2>&1) || { reason_in apt.log; return 1; }
	for deb in "$to.new/debs"/*.deb; do
		dpkg-deb -x "$deb" "$to.new" || return
	done
	rm -rf "$to.new/debs" "$to"
	mv "$to.new" "$to"
}

# Installs the packages of PyPI that a file of tests/clients names, to a folder
# (python). The list of what was installed is kept with them.
pip_install()
{
	to=${2-python}
	python3 -m pip --version >/dev/null 2>&1 || apt python3-pip || return
	timeout "$seconds" python3 -m pip install --quiet --upgrade \
		--require-hashes --no-deps --only-binary :all: \
		--target "$to" -r "$pins/$1.txt" >pip.log 2>&1 ||
		{ reason_in pip.log; return 1; }
	cp "$pins/$1.txt" "$to/$1.txt"
}

# Installs the packages of npm that a folder of tests/clients names.
npm_install()
{
	has npm || { echo "no npm here"; return 1; }
	rm -rf "npm/$1"
	mkdir -p npm && cp -R "$pins/$1" "npm/$1" || return
	(cd "npm/$1" && timeout "$seconds" npm ci --ignore-scripts \
		--no-audit --no-fund --loglevel=error) >npm.log 2>&1 ||
		{ reason_in npm.log; return 1; }
}

# apt of Debian unstable, with lists and settings of its own: nothing of the
# system is changed, and neither root nor sudo is needed. The mirror is the one
# that the system's apt has, the signatures are checked with Debian's keys.
unstable()
{
	program=$1
	shift
	timeout "$seconds" "$program" -q -o Dir::State="$here/unstable/state" \
		-o Dir::State::status="$here/unstable/status" \
		-o Dir::Cache="$here/unstable/cache" \
		-o Dir::Etc::sourcelist="$here/unstable/sources.list" \
		-o Dir::Etc::sourceparts=- -o Dir::Etc::preferencesparts=- \
		-o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
		"$@"
}

renew_unstable()
{
	has apt-get && has dpkg-deb || { echo "no apt-get here"; return 1; }
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -f $keys ] || { echo "no keys of Debian ($keys)"; return 1; }
	mirror=$(apt-get indextargets --format '$(LABEL) $(SITE)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$1 == "Debian" { print $2; exit }')
	[ -n "$mirror" ] || { echo "apt has no mirror of Debian here"; return 1; }
	rm -rf unstable
	mkdir -p unstable/state/lists/partial unstable/cache/archives/partial
	: >unstable/status
	echo "deb [signed-by=$keys] $mirror unstable main" \
		>unstable/sources.list
	unstable apt-get update >apt.log 2>&1 || { reason_in apt.log; return 1; }
}

reason_in()
{
	line=$(grep -i 'err\|^E: ' "$1" |
		grep -v ' log of this run\| code \| errno \| syscall ' | head -n 1)
	echo "${line:-$(tail -n 1 "$1")}"
}

# --- is it there? --------------------------------------------------------------

# Packages of npm are those of the lock. npm writes the hidden file when it has
# installed all of them.
module_is()
{
	cmp -s "$pins/$1/package-lock.json" "npm/$1/package-lock.json" &&
		[ -f "npm/$1/node_modules/.package-lock.json" ]
}

# So are packages of PyPI.
packages_are() { cmp -s "$pins/$1.txt" "${2-python}/$1.txt"; }

# A file that a pattern names is installed, or unpacked in a folder of ours.
file_is() # folder pattern
{
	for file in $2 $1$2; do
		[ ! -e "$file" ] || return 0
	done
	return 1
}

go_is_new() # 1.24 or newer
{
	has go && v=$(go env GOVERSION 2>/dev/null) && case $v in
	go1.[0-9] | go1.[0-9].* | go1.1[0-9]* | go1.2[0-3]*) false ;;
	go1.*) true ;;
	*) false ;;
	esac
}

node_is_new() { has node && [ "$(node -p 'parseInt(process.versions.node)')" -ge $node_version ]; }

has_pprof() { [ -x bin/pprof ]; }
has_protoc() { has protoc; }
has_xmllint() { has xmllint; }
has_callgrind() { has callgrind_annotate; }
has_chromium() { has chromium || has chromium-browser || has google-chrome; }
has_node() { has node && has npm; }
has_browser() { module_is browser; }
has_typescript() { module_is typescript; }
has_eslint() { module_is eslint; }
has_axe() { module_is axe; }
has_firefox()
{
	module_is firefox && { has firefox-esr || has firefox; }
}
has_speedscope() { module_is speedscope; }
has_ajv() { module_is ajv; }
has_perfetto() { module_is perfetto; }
has_perfetto_python() { packages_are perfetto_python; }
has_profiler() { module_is profiler && [ -x bin/node ]; }
# Each of them runs.
has_pythons()
{
	set -- pythons/usr/bin/python3.*
	[ -x "$1" ] || return 1
	for name; do
		"$PWD/$name" -c 'import ctypes, threading' 2>/dev/null || return
	done
}
has_python()
{
	for name in pythons/usr/bin/python3.15 python3.16 python3.15 \
		"${PYTHON-python3}"; do
		"$name" -c 'import _remote_debugging as m; m.BinaryReader' \
			2>/dev/null && return
	done
	return 1
}

has_php() { file_is '' '/usr/bin/php[0-9].[0-9]' || has php; }
has_fpm() { file_is fpm '/usr/sbin/php-fpm*' || has php-fpm; }
has_apache()
{
	file_is apache '/usr/lib/apache2/modules/libphp*.so' &&
		file_is apache /usr/sbin/apache2
}
has_embed() { file_is embed '/usr/lib/libphp*.so'; }
has_headers() { file_is headers '/usr/include/php/2*'; }
has_gunicorn() { packages_are gunicorn; }
has_waitress() { packages_are waitress; }
has_uv() { packages_are uv uv; }
has_sudo() { has sudo; }
has_uvicorn() { packages_are uvicorn; }
has_uwsgi()
{
	file_is uwsgi /usr/bin/uwsgi-core &&
		file_is uwsgi '/usr/lib/uwsgi/plugins/python3*_plugin.so'
}

has_musl() { has musl-gcc; }
has_zsh() { has zsh; }
has_fish() { has fish; }
has_programs() { packages_are programs programs; }
has_clickhouse() { file_is clickhouse /usr/sbin/clickhouse-server; }
has_chdb() { packages_are chdb chdb; }
has_minio() { [ -x bin/minio ]; }
has_php_programs() { [ -d php_programs/usr/share/php/Symfony ]; }

# --- getting it ------------------------------------------------------------------

# A script, so that the toolchain decides how to run it: newer ones build the
# tool when it is asked for.
get_pprof()
{
	if go_is_new && go tool pprof -h 2>&1 | grep -q -- -top; then
		printf '#!/bin/sh\nexec go tool pprof "$@"\n' >bin/pprof &&
			chmod +x bin/pprof
		return
	fi
	apt golang-go golang-github-google-pprof-dev \
		golang-github-chzyer-readline-dev \
		golang-github-ianlancetaylor-demangle-dev || return
	GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$PWD/go-cache \
		GOFLAGS= timeout "$seconds" /usr/bin/go build -o bin/pprof \
		github.com/google/pprof >go.log 2>&1 || { reason_in go.log; return 1; }
}

get_protoc() { apt protobuf-compiler; }
get_xmllint() { apt libxml2-utils; }
get_musl() { apt musl-tools; }
get_zsh() { apt zsh; }
get_fish() { apt fish; }
get_callgrind() { apt valgrind; }
get_chromium() { apt chromium; }
get_node() { apt nodejs npm; }
get_browser() { npm_install browser; }
get_typescript() { npm_install typescript; }
get_eslint() { npm_install eslint; }
get_axe() { npm_install axe; }
get_firefox()
{
	has firefox-esr || has firefox || apt firefox-esr || return
	npm_install firefox
}
get_speedscope() { npm_install speedscope; }
get_ajv() { npm_install ajv; }
get_perfetto() { npm_install perfetto; }

get_perfetto_python() { pip_install perfetto_python; }

get_profiler()
{
	npm_install profiler || return
	if node_is_new; then
		ln -sf "$(command -v node)" bin/node
		return
	fi
	case $(uname -m) in
	x86_64) kind=x64 ;;
	aarch64) kind=arm64 ;;
	*) echo "no node $node_version for $(uname -m)"; return 1 ;;
	esac
	npm_install node-$kind && ln -sf \
		"../npm/node-$kind/node_modules/node-linux-$kind/bin/node" bin/node
}

# Packages are only unpacked. Their C library is newer than the system's, so each
# interpreter is started by its own loader.
get_pythons()
{
	renew_unstable || return
	rm -rf pythons.new
	mkdir -p pythons.new/usr/libexec
	wanted=
	for minor in 13 14 15 16; do
		unstable apt-cache show python3.$minor-minimal \
			>/dev/null 2>&1 && wanted="$wanted python3.$minor-minimal
			libpython3.$minor-stdlib"
	done
	packages=$(unstable apt-get -s --no-install-recommends install $wanted \
		2>apt.log | awk '$1 == "Inst" && $2 ~ /^(lib|zlib|python)/ &&
		$2 !~ /gconv/ { print $2 }')
	[ -n "$packages" ] || { reason_in apt.log; return 1; }
	(cd pythons.new && unstable apt-get download $packages >../apt.log \
		2>&1) || { reason_in apt.log; return 1; }
	for deb in pythons.new/*.deb; do
		dpkg-deb -x "$deb" pythons.new || return
	done
	rm -rf pythons.new/*.deb unstable
	start_by_loader pythons.new || return
	rm -rf pythons
	mv pythons.new pythons
}

# Replaces each interpreter of a folder by a script.
start_by_loader()
{
	loader=$(cd "$1" && ls usr/lib/*-linux-gnu/ld-linux-*.so.* | head -n 1)
	[ -n "$loader" ] || { echo "libc6 has no loader"; return 1; }
	for file in "$1"/usr/bin/python3.*; do
		name=${file##*/}
		mv "$file" "$1/usr/libexec/$name"
		cat >"$file" <<-END
		#!/bin/sh
		root=\${0%/usr/bin/*}
		exec "\$root/$loader" --library-path "\$root/${loader%/*}" \\
			--argv0 "\$0" "\$root/usr/libexec/$name" "\$@"
		END
		chmod +x "$file"
	done
}

get_python()
{
	for name in python3.16 python3.15; do
		if apt-cache show $name 2>/dev/null | grep -q "^Package: $name\$"
		then
			apt $name
			return
		fi
	done
	echo "the distribution has no CPython 3.15"
	return 1
}

get_php() { apt php-cli; }
get_fpm() { unpack fpm php-fpm; }
get_apache() { unpack apache libapache2-mod-php; }
get_embed() { unpack embed libphp-embed; }
get_headers() { unpack headers php-dev; }
get_gunicorn() { pip_install gunicorn; }
get_waitress() { pip_install waitress; }
get_uv() { pip_install uv uv; }
get_sudo() { apt sudo; }
get_uvicorn() { pip_install uvicorn; }
get_clickhouse() { unpack clickhouse clickhouse-server; }
get_chdb() { pip_install chdb chdb; }
# Its module has the hash that tests/clients names, and the modules that it needs
# those of its own go.sum.
get_minio()
{
	go_is_new || { echo "no Go 1.24 or newer"; return 1; }
	module=$(sed -n 's/^module //p' "$pins/minio.txt")
	sum=$(sed -n 's/^sum //p' "$pins/minio.txt")
	export GOWORK=off GOFLAGS="-mod=mod -buildvcs=false"
	timeout "$seconds" go mod download -json "$module" >go.log 2>&1 ||
		{ reason_in go.log; return 1; }
	grep -qF "\"Sum\": \"$sum\"" go.log || {
		echo "$module has another hash"
		return 1
	}
	GOBIN=$here/bin timeout "$((3 * seconds))" \
		go install "$module" >go.log 2>&1 ||
		{ reason_in go.log; return 1; }
}
get_programs() { pip_install programs programs; }
get_php_programs()
{
	unpack php_programs php-codesniffer phpunit php-twig \
		php-symfony-http-kernel php-symfony-routing
}
get_uwsgi() { unpack uwsgi uwsgi-core uwsgi-plugin-python3; }

# --- all of them ------------------------------------------------------------------

names=$*
[ -n "$names" ] || names=$(echo "$table" | awk -v named="$named_only" \
	'index(named, " " $1 " ") == 0 { print $1 }')
for client in $names; do
	echo "$table" | grep -q "^$client " || {
		say "there is no client $client; see --list"
		exit 2
	}
	if has_$client; then
		rm -f "why/$client"
		continue
	fi
	# Not $(...): apt must remember that it has new lists.
	get_$client >why.new 2>/dev/null
	if has_$client; then
		say "$client is there now"
		rm -f "why/$client"
	else
		why=$(tail -n 1 why.new)
		echo "${why:-it cannot be run after its installation}" >"why/$client"
		say "$client cannot be had: $(cat "why/$client")"
	fi
done
rm -f why.new
exit 0

#!/bin/sh
# Test bobbin on aarch64, in a machine that qemu emulates.
#
#   scripts/arm-machine.sh          last line: N passed, N failed[, N skipped]
#   scripts/arm-machine.sh shell    the same machine, with a shell; exit ends it
#
# The machine is a Debian made from its arm64 packages. bobbin is built here
# against that directory. Then the directory, the programs and the tests are
# packed into the initial file system in memory of Debian's own kernel. There is
# no disk and no network, and no arm64 program runs on this machine.
# What runs inside: scripts/arm-inside.py.
#
# An emulated processor is 10 to 30 times slower than a real one: expect 40
# minutes, and do not trust times that are measured inside.
#
# ARM_SUITE   bookworm: PHP 8.2, Python 3.11, pages of 4 KiB (the default);
#             trixie: PHP 8.4, Python 3.13, pages of 16 KiB, and programs that
#             sign return addresses
# ARM_TESTS   which Python tests, for tests/run.py -k (live/)
# ARM_MIRROR  where packages come from (where mmdebstrap takes them from)
# ARM_CPU     which processor (max)
# What is fetched stays in $XDG_CACHE_HOME/bobbin/arm; the build in build-arm.
set -eu
cd "$(dirname "$0")/.."

MESON=${MESON-meson} NINJA=${NINJA-ninja} PYTHON=${PYTHON-python3}
suite=${ARM_SUITE-bookworm}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/bobbin/arm/$suite
root=$cache/root
build=$PWD/build-arm/$suite
triple=aarch64-linux-gnu
case $suite in
bookworm) php=8.2 kernel=linux-image-arm64 ;;
trixie) php=8.4 kernel=linux-image-arm64-16k ;;
*) echo "ARM_SUITE: bookworm or trixie" >&2; exit 2 ;;
esac
case ${1-test} in
test | shell) what=${1-test} ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

packages="$kernel base-files base-passwd libc-bin bash dash busybox-static
coreutils util-linux mount procps findutils grep sed gawk tar gzip hostname
ncurses-base tmux gcc libc6-dev musl-tools python3 python3-dev php$php-cli
php$php-fpm php$php-opcache php$php-dev libphp$php-embed apache2-bin
libapache2-mod-php$php zlib1g-dev libdeflate-dev libzstd-dev libxxhash-dev
libpcre2-dev libelf-dev libdw-dev libseccomp-dev libncurses-dev libcmocka-dev"

say() { echo "arm-machine: $*" >&2; }

# A name that ends in .new is not complete yet.
pack() { cpio --quiet -o -H newc -R +0:+0; }

# Packages are only unpacked. The first program of the machine does what is
# needed of the work of their scripts.
make_root()
{
	[ ! -f "$cache/root.cpio" ] || return 0
	say "fetching a Debian $suite for arm64 (1 GB, once)"
	rm -rf "$root" && mkdir -p "$root"
	hook=
	[ $suite != bookworm ] ||
		hook=--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr
	mmdebstrap --quiet --variant=extract --architectures=arm64 $hook \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/lib/modules/*' \
		--dpkgopt='path-exclude=/lib/modules/*' \
		--include="$(echo $packages | tr ' ' ,)" $suite - \
		${ARM_MIRROR:+"$ARM_MIRROR"} |
		tar -x --no-same-owner --exclude='./dev/*' -C "$root"
	# For the linker / is another directory than in the machine.
	find "$root/usr/lib/$triple" -maxdepth 1 -type l | while read -r l; do
		case $(readlink "$l") in
		/*) ln -sfr "$root$(readlink "$l")" "$l" ;;
		esac
	done
	cp "$root"/boot/vmlinuz-* "$cache/kernel"
	(cd "$root" && find . -path ./boot -prune -o -print | pack) \
		>"$cache/root.cpio.new"
	mv "$cache/root.cpio.new" "$cache/root.cpio"
}

make_build()
{
	if [ ! -f "$build/build.ninja" ]; then
		mkdir -p "$build"
		cat >"$build/cross.ini" <<-END
		[binaries]
		c = ['$triple-gcc', '--sysroot=$root']
		ar = '$triple-ar'
		strip = '$triple-strip'
		objcopy = '$triple-objcopy'
		pkgconfig = 'pkg-config'
		[built-in options]
		# The linker may know an older C library than that one.
		c_link_args = ['-Wl,--allow-shlib-undefined']
		[properties]
		sys_root = '$root'
		pkg_config_libdir = '$root/usr/lib/$triple/pkgconfig'
		[host_machine]
		system = 'linux'
		cpu_family = 'aarch64'
		cpu = 'aarch64'
		endian = 'little'
		END
		$MESON setup "$build" --cross-file "$build/cross.ini" \
			-Dbuildtype=release -Dwerror=true
	fi
	$NINJA -C "$build"
	$MESON introspect --tests "$build" >"$build/tests.json"
}

# The first program of the machine. pivot_root, which tests of containers use,
# does not work on the initial file system; it does on one that is bind-mounted
# over it.
write_init()
{
	cat <<-END
	#!/bin/busybox sh
	export PATH=/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8 TERM=linux
	if [ -z "\$IS_BOUND" ]; then
		mkdir /.root
		busybox mount --bind / /.root
		cd /.root
		busybox mount --move . /
		IS_BOUND=1 exec busybox chroot . /init
	fi
	busybox mount -t proc proc /proc
	busybox mount -t sysfs sys /sys
	busybox mount -t devtmpfs dev /dev
	mkdir -p /dev/pts /dev/shm /mnt
	busybox mount -t devpts -o ptmxmode=666 pts /dev/pts
	busybox mount -t tmpfs shm /dev/shm
	ln -s /proc/self/fd /dev/fd
	busybox ip link set lo up
	hostname arm
	cp /usr/share/base-passwd/passwd.master /etc/passwd
	cp /usr/share/base-passwd/group.master /etc/group
	ln -s php$php /usr/bin/php
	ln -s gawk /usr/bin/awk
	ln -s gcc /usr/bin/cc
	cd "$PWD"
	exec </dev/console >/dev/console 2>&1
	if [ $what = shell ]; then
		busybox setsid busybox cttyhack bash
	else
		python3 scripts/arm-inside.py "$build" "${ARM_TESTS-live/}"
	fi
	busybox poweroff -f
	END
}

# What changes from run to run, at the same paths as here, because the test
# programs contain the paths of their data.
make_rest()
{
	stage=$cache/rest
	rm -rf "$stage" && mkdir -p "$stage$build" "$stage$PWD"
	write_init >"$stage/init"
	chmod +x "$stage/init"
	cp -R bench cli contrib docs examples fuzz include scripts src tests \
		tools "$stage$PWD"
	(cd "$build" && find . -name '*.p' -prune -o -type f \
		\( -perm -100 -o -name tests.json -o -name '*.so.*' \) -print |
		pack) | (cd "$stage$build" && cpio --quiet -id)
	(cd "$stage" && find . | pack) >"$cache/rest.cpio"
}

boot()
{
	cat "$cache/root.cpio" "$cache/rest.cpio" >"$cache/initrd"
	qemu-system-aarch64 -machine virt,gic-version=3 \
		-cpu "${ARM_CPU-max,pauth-impdef=on}" -accel tcg,thread=multi \
		-smp 2 -m 4G -nodefaults -nographic -serial mon:stdio \
		-no-reboot -kernel "$cache/kernel" -initrd "$cache/initrd" \
		-append "console=ttyAMA0 quiet panic=-1 rdinit=/init"
}

make_root
make_build
make_rest
say "booting; this needs 4 GB of memory"
if [ $what = shell ]; then
	boot
	exit
fi
log=$build/console.log
boot </dev/null | tee "$log"
# The console ends lines as terminals do.
last=$(tr -d '\r' <"$log" | grep -E '^[0-9]+ passed, [0-9]+ failed' | tail -n 1)
[ -n "$last" ] || { echo "the machine ended early"; last='0 passed, 1 failed'; }
echo "$last"
case $last in *' 0 failed'*) ;; *) exit 1 ;; esac

/*
 * The system calls that are allowed; see confine.h. Each group says what it is
 * for. Not allowed on purpose: execve, fork and the like, process_vm_writev,
 * pidfd_getfd, bpf, perf_event_open, userfaultfd, io_uring, keyctl, mount,
 * chroot, unshare, setns, setuid and the like, capset, module and reboot calls.
 */
#include "capture/confine/confine.h"

#include <bobbin/confine.h>

#include <linux/prctl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#define ANY(n) { .name = n }
#define ONLY(n, arg, v) { .name = n, .how = CONFINE_EQUAL, .at = arg, \
	.value = (uint64_t)(v) }
#define BITS(n, arg, m, v) { .name = n, .how = CONFINE_MASK, .at = arg, \
	.mask = (uint64_t)(m), .value = (uint64_t)(v) }
#define CHILD(n) { .name = n, .flag = BOB_CONFINE_CHILD }

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* CLONE_THREAD, which needs _GNU_SOURCE in <sched.h>. */
#define THREAD_BIT 0x00010000

static const struct confine_call call[] = {
	/* Our own memory, which can never become executable. */
	ANY("brk"), ANY("munmap"), ANY("mremap"), ANY("madvise"),
	BITS("mmap", 2, PROT_EXEC, 0), BITS("mprotect", 2, PROT_EXEC, 0),

	/* Files: those of /proc and of processes, which are read; outputs,
	 * which are made, renamed and removed. */
	ANY("open"), ANY("openat"), ANY("openat2"), ANY("creat"),
	ANY("close"), ANY("close_range"), ANY("read"), ANY("pread64"),
	ANY("readv"), ANY("preadv"), ANY("write"), ANY("pwrite64"),
	ANY("writev"), ANY("pwritev"), ANY("lseek"), ANY("fstat"),
	ANY("stat"), ANY("lstat"), ANY("newfstatat"), ANY("statx"),
	ANY("statfs"), ANY("fstatfs"), ANY("access"), ANY("faccessat"),
	ANY("faccessat2"), ANY("readlink"), ANY("readlinkat"),
	ANY("getdents"), ANY("getdents64"), ANY("getcwd"), ANY("dup"),
	ANY("dup2"), ANY("dup3"), ANY("fcntl"), ANY("flock"),
	ANY("ftruncate"), ANY("fallocate"), ANY("fadvise64"), ANY("fsync"),
	ANY("fdatasync"), ANY("sync_file_range"), ANY("copy_file_range"),
	ANY("sendfile"), ANY("rename"), ANY("renameat"), ANY("renameat2"),
	ANY("link"), ANY("linkat"), ANY("unlink"), ANY("unlinkat"),
	ANY("mkdir"), ANY("mkdirat"), ANY("fchmod"), ANY("umask"),
	ANY("pipe"), ANY("pipe2"),
	/* Whether others may read a file: access control lists. */
	ANY("getxattr"),

	/* Time and sleep: the moments of samples. */
	ANY("clock_gettime"), ANY("clock_getres"), ANY("clock_nanosleep"),
	ANY("nanosleep"), ANY("gettimeofday"), ANY("time"), ANY("times"),

	/* Threads of our own, which share everything with us. */
	BITS("clone", 0, THREAD_BIT, THREAD_BIT), ANY("futex"),
	ANY("set_robust_list"), ANY("rseq"), ANY("sched_yield"),
	ANY("sched_getaffinity"), ANY("sched_setaffinity"), ANY("gettid"),
	ANY("set_tid_address"), ANY("membarrier"), ANY("exit"),
	ANY("exit_group"),

	/* Our own priority. */
	ANY("sched_setscheduler"), ANY("sched_getscheduler"),
	ANY("sched_setparam"), ANY("sched_getparam"), ANY("sched_setattr"),
	ANY("sched_getattr"), ANY("sched_get_priority_max"),
	ANY("sched_get_priority_min"), ANY("setpriority"),
	ANY("getpriority"),

	/* Signals to us, and waiting for processes and threads. */
	ANY("rt_sigaction"), ANY("rt_sigprocmask"), ANY("rt_sigreturn"),
	ANY("rt_sigsuspend"), ANY("rt_sigtimedwait"), ANY("rt_sigpending"),
	ANY("sigaltstack"), ANY("signalfd4"), ANY("restart_syscall"),
	ANY("pause"),
	ANY("wait4"), ANY("waitid"), CHILD("kill"),

	/* Our own ids, limits and usage. */
	ANY("getpid"), ANY("getppid"), ANY("getuid"), ANY("geteuid"),
	ANY("getgid"), ANY("getegid"), ANY("getresuid"), ANY("getresgid"),
	ANY("getgroups"), ANY("getpgrp"), ANY("getpgid"), ANY("getsid"),
	ANY("capget"), ANY("getrusage"), ANY("getrlimit"), ANY("uname"),
	ANY("sysinfo"), ANY("getcpu"), ANY("getrandom"),
	ONLY("prlimit64", 0, 0),
	ONLY("prctl", 0, PR_SET_NAME), ONLY("prctl", 0, PR_GET_NAME),
	ONLY("prctl", 0, PR_SET_TIMERSLACK),
	ONLY("prctl", 0, PR_GET_TIMERSLACK),
	ONLY("prctl", 0, PR_GET_SECCOMP),
	ONLY("prctl", 0, PR_GET_NO_NEW_PRIVS),
	ONLY("prctl", 0, PR_CAPBSET_READ),
#ifdef PR_SET_VMA
	ONLY("prctl", 0, PR_SET_VMA), /* malloc names its memory */
#endif

	/* Other processes: to read them, and to stop them for a read. Nothing
	 * writes to them or makes them run code. */
	ANY("process_vm_readv"), ANY("pidfd_open"),
	ONLY("ptrace", 0, PTRACE_SEIZE), ONLY("ptrace", 0, PTRACE_INTERRUPT),
	ONLY("ptrace", 0, PTRACE_DETACH),
	ONLY("ptrace", 0, PTRACE_GETREGSET),
	ONLY("ptrace", 0, PTRACE_GETSIGINFO),
	ONLY("ptrace", 0, PTRACE_LISTEN),
#ifdef __x86_64__
	ONLY("ptrace", 0, PTRACE_GETREGS),
#endif

	/* The socket of a daemon, for its status. */
	ONLY("socket", 0, AF_UNIX), ANY("bind"), ANY("listen"),
	ANY("accept"), ANY("accept4"), ANY("connect"), ANY("sendto"),
	ANY("recvfrom"), ANY("sendmsg"), ANY("recvmsg"), ANY("shutdown"),
	ANY("getsockopt"), ANY("setsockopt"), ANY("getsockname"),
	ANY("getpeername"), ANY("poll"), ANY("ppoll"), ANY("select"),
	ANY("pselect6"), ANY("epoll_create1"), ANY("epoll_ctl"),
	ANY("epoll_wait"), ANY("epoll_pwait"), ANY("eventfd2"),

	/* The terminal: its size and its keys. Not TIOCSTI, which fakes
	 * input. */
	ONLY("ioctl", 1, TCGETS), ONLY("ioctl", 1, TCSETS),
	ONLY("ioctl", 1, TCSETSW), ONLY("ioctl", 1, TCSETSF),
	ONLY("ioctl", 1, TIOCGWINSZ), ONLY("ioctl", 1, TCFLSH),
	ONLY("ioctl", 1, TIOCGPGRP), ONLY("ioctl", 1, FIONREAD),
	ONLY("ioctl", 1, FIONBIO),

#ifdef SANITIZED
	/* The leak check of sanitizers: it stops us from a process that shares
	 * our memory. */
	ANY("clone"), ANY("ptrace"), ANY("prctl"), ANY("kill"), ANY("mmap"),
	ANY("mprotect"), ANY("prlimit64"), ANY("personality"), ANY("mlock"),
	ANY("mincore"), ANY("msync"),
#endif
};

const struct confine_call *
confine_call_get(unsigned i)
{
	return i < sizeof(call) / sizeof(call[0]) ? &call[i] : NULL;
}

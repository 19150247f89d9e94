/* What a confined process can and cannot do. Each case runs in a child, because
 * confining cannot be undone. */
#define _GNU_SOURCE /* unshare, process_vm_readv */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/confine.h>

#include "support.h"

/* A process to look at; ended by the test. */
static pid_t victim;
static long word = 4711;

/* 0, or errno. */
static int
result(long r)
{
	return r < 0 ? errno : 0;
}

static int
try_exec(void)
{
	char *argv[] = { (char *)(uintptr_t)"true", NULL };
	char *env[] = { NULL };

	return result(execve("/bin/true", argv, env));
}

static int
try_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return result(pid);
}

static int try_internet(void) { return result(socket(AF_INET, SOCK_DGRAM,
	    0)); }
static int try_internet6(void) { return result(socket(AF_INET6, SOCK_STREAM,
	    0)); }
static int try_netlink(void) { return result(socket(AF_NETLINK, SOCK_RAW,
	    0)); }
static int try_unix(void) { return result(socket(AF_UNIX, SOCK_STREAM, 0)); }
static int try_kill(void) { return result(kill(victim, 0)); }
static int try_unshare(void) { return result(unshare(CLONE_NEWNS)); }
static int try_setuid(void) { return result(setuid(getuid())); }
static int try_dumpable(void) { return result(prctl(PR_SET_DUMPABLE, 0, 0, 0,
	    0)); }
static int try_chroot(void) { return result(chroot("/")); }

static int
try_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : 0;
}

static int
try_code_later(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? 0
	    : result(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}

static int
try_write(void)
{
	struct iovec v = { &word, sizeof(word) };

	return result(process_vm_writev(victim, &v, 1, &v, 1, 0));
}

static int
try_read(void)
{
	long copy = 0;
	struct iovec to = { &copy, sizeof(copy) };
	struct iovec from = { &word, sizeof(word) };
	int r = result(process_vm_readv(victim, &to, 1, &from, 1, 0));

	return r != 0 ? r : copy == word ? 0 : EIO;
}

static int
try_attach(void)
{
	return result(ptrace(PTRACE_ATTACH, victim, NULL, NULL));
}

/* As captures stop a thread. */
static int
try_stop(void)
{
	int status, r = result(ptrace(PTRACE_SEIZE, victim, NULL, NULL));

	if (r == 0)
		r = result(ptrace(PTRACE_INTERRUPT, victim, NULL, NULL));
	if (r == 0)
		r = result(waitpid(victim, &status, __WALL));
	if (r == 0)
		r = result(ptrace(PTRACE_DETACH, victim, NULL, NULL));
	return r;
}

static int
try_poke(void)
{
	int status, r = result(ptrace(PTRACE_SEIZE, victim, NULL, NULL));

	if (r == 0)
		r = result(ptrace(PTRACE_INTERRUPT, victim, NULL, NULL));
	if (r == 0)
		r = result(waitpid(victim, &status, __WALL));
	return r != 0 ? 0 : result(ptrace(PTRACE_POKEDATA, victim, &word, 1));
}

static int
try_file(void)
{
	char path[] = "/tmp/bobbin-confine-XXXXXX";
	int fd = mkstemp(path), r;

	if (fd < 0)
		return errno;
	r = result(write(fd, "x", 1));
	(void)close(fd);
	return r != 0 ? r : result(unlink(path));
}

static void *
nothing(void *user)
{
	return user;
}

static int
try_thread(void)
{
	pthread_t t;
	int r = pthread_create(&t, NULL, nothing, NULL);

	return r != 0 ? r : pthread_join(t, NULL);
}

static int
try_limits(void)
{
	struct rlimit limit;

	return result(getrlimit(RLIMIT_NOFILE, &limit));
}

static int
try_limits_of_others(void)
{
	struct rlimit limit;

	return result(prlimit(victim, RLIMIT_NOFILE, NULL, &limit));
}

static const struct {
	const char *name;
	int (*fn)(void);
	uint32_t flags;
	int want;
	int is_sanitized; /* the same in a build with sanitizers */
} tries[] = {
	{ "execve", try_exec, 0, EPERM, 1 },
	{ "fork", try_fork, BOB_CONFINE_CHILD, EPERM, 0 },
	{ "socket AF_INET", try_internet, 0, EPERM, 1 },
	{ "socket AF_INET6", try_internet6, 0, EPERM, 1 },
	{ "socket AF_NETLINK", try_netlink, 0, EPERM, 1 },
	{ "kill", try_kill, 0, EPERM, 0 },
	{ "unshare", try_unshare, 0, EPERM, 1 },
	{ "setuid", try_setuid, 0, EPERM, 1 },
	{ "chroot", try_chroot, 0, EPERM, 1 },
	{ "PR_SET_DUMPABLE", try_dumpable, 0, EPERM, 0 },
	{ "mmap PROT_EXEC", try_code, 0, EPERM, 0 },
	{ "mprotect PROT_EXEC", try_code_later, 0, EPERM, 0 },
	{ "process_vm_writev", try_write, 0, EPERM, 1 },
	{ "PTRACE_ATTACH", try_attach, 0, EPERM, 0 },
	{ "PTRACE_POKEDATA", try_poke, 0, EPERM, 0 },
	{ "prlimit of others", try_limits_of_others, 0, EPERM, 0 },
	{ "kill of a child", try_kill, BOB_CONFINE_CHILD, 0, 1 },
	{ "process_vm_readv", try_read, 0, 0, 1 },
	{ "PTRACE_SEIZE", try_stop, 0, 0, 1 },
	{ "socket AF_UNIX", try_unix, 0, 0, 1 },
	{ "a file", try_file, 0, 0, 1 },
	{ "a thread", try_thread, 0, 0, 1 },
	{ "getrlimit", try_limits, 0, 0, 1 },
};

#define NO_FILTER 250

/* What a try gives in a process that is confined. */
static int
in_child(int (*fn)(void), uint32_t flags, int (*confine)(struct bob_ctx *,
    uint32_t))
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct bob_ctx *ctx = bob_ctx_new();

		if (confine != NULL &&
		    confine(ctx, flags | BOB_CONFINE_CALLS) != BOB_OK)
			_exit(NO_FILTER);
		_exit(fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int
start_victim(void **state)
{
	(void)state;
	victim = fork();
	if (victim == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		/* Children of its parent may look at it, also with Yama. */
		(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
		for (;;)
			(void)pause();
	}
	return victim < 0;
}

static int
end_victim(void **state)
{
	(void)state;
	(void)kill(victim, SIGKILL);
	return waitpid(victim, NULL, 0) != victim;
}

static void
what_is_not_needed_is_refused(void **state)
{
	size_t i;
	int r;

	(void)state;
	for (i = 0; i < COUNT_OF(tries); i++) {
#ifdef __SANITIZE_ADDRESS__
		if (!tries[i].is_sanitized)
			continue;
#endif
		r = in_child(tries[i].fn, tries[i].flags, bob_confine);
		if (r == NO_FILTER)
			skip();
		if (r != tries[i].want)
			fail_msg("%s: %d (%s), not %d", tries[i].name, r,
			    strerror(r), tries[i].want);
		(void)end_victim(state);
		assert_int_equal(start_victim(state), 0);
	}
}

/* Without it most of these are possible: the filter is what refuses them. */
static void
what_is_refused_was_possible(void **state)
{
	(void)state;
	assert_int_equal(in_child(try_fork, 0, NULL), 0);
	assert_int_equal(in_child(try_code, 0, NULL), 0);
	assert_int_equal(in_child(try_kill, 0, NULL), 0);
	assert_int_equal(in_child(try_internet, 0, NULL), 0);
	assert_int_equal(in_child(try_write, 0, NULL), 0);
}

static uint64_t
caps(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return UINT64_MAX;
	return (uint64_t)(data[1].permitted | data[1].effective |
	    data[1].inheritable) << 32 | data[0].permitted |
	    data[0].effective | data[0].inheritable;
}

static uint64_t had;

static int
try_caps(void)
{
	uint64_t kept = UINT64_C(1) << CAP_SYS_PTRACE |
	    UINT64_C(1) << CAP_DAC_READ_SEARCH | UINT64_C(1) << CAP_SYS_NICE;
	unsigned long i;

	if (caps() != (had & kept))
		return 1;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 2;
	if ((had >> CAP_SETPCAP & 1) == 0)
		return 0;
	for (i = 0; i < 64; i++)
		if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1 &&
		    (kept >> i & 1) == 0)
			return 3;
	return 0;
}

static int
try_override(void)
{
	return (caps() ^ had) >> CAP_DAC_OVERRIDE & 1;
}

static void
capabilities_are_given_up(void **state)
{
	(void)state;
	had = caps();
	assert_int_equal(in_child(try_caps, 0, bob_confine), 0);
	assert_int_equal(in_child(try_override, BOB_CONFINE_OVERRIDE,
	    bob_confine), 0);
}

static void
calls_have_names(void **state)
{
	size_t i, n_exec = 0;

	(void)state;
	for (i = 0; bob_confine_call(i) != NULL; i++)
		n_exec += strcmp(bob_confine_call(i), "execve") == 0;
	assert_true(i > 50);
	assert_int_equal(n_exec, 0);
	assert_null(bob_confine_call(i + 1));
	assert_null(bob_confine_call(SIZE_MAX));
}

/* Prints the list, for who compares it with another one. */
static int
list(void)
{
	size_t i;

	for (i = 0; bob_confine_call(i) != NULL; i++)
		(void)puts(bob_confine_call(i));
	return 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_not_needed_is_refused,
		    start_victim, end_victim),
		cmocka_unit_test_setup_teardown(what_is_refused_was_possible,
		    start_victim, end_victim),
		cmocka_unit_test(capabilities_are_given_up),
		cmocka_unit_test(calls_have_names),
	};

	if (argc > 1 && strcmp(argv[1], "--list") == 0)
		return list();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

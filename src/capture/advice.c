/*
 * The kernel says no more than EPERM, so its rules are gone through in its own
 * order: capability, user, dumpable, Yama, other security modules. What they
 * look at can be read of any process.
 */
#include "capture/advice.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/mem.h"
#include "capture/proc/proc.h"
#include "capture/proc/status.h"

#define SCOPE "/proc/sys/kernel/yama/ptrace_scope"
#define WITH_SUDO "sudo bobbin ..."
#define IN_CONTAINER "docker run --cap-add SYS_PTRACE ...; in Kubernetes " \
    "securityContext: {capabilities: {add: [SYS_PTRACE]}}"

static void BOB_PRINTF(3, 4)
say(struct advice *a, const char *fix, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(a->text, sizeof(a->text), fmt, ap);
	va_end(ap);
	(void)snprintf(a->fix, sizeof(a->fix), "%s", fix);
}

const char *
advice_scope(long scope)
{
	switch (scope) {
	case 0: return "a user may read all own processes";
	case 1: return "only children of the reader may be read, or any "
	    "with CAP_SYS_PTRACE";
	case 2: return "reading needs CAP_SYS_PTRACE";
	case 3: return "no process may be read until the next boot";
	default: return "no Yama: a user may read all own processes";
	}
}

int
advice_try_self(void)
{
	static const char byte = 42;
	struct mem m;
	char got = 0;
	int r;

	mem_init(&m, (int)getpid());
	r = mem_read(&m, (uint64_t)(uintptr_t)&byte, &got, 1);
	return r < 0 ? r : got == byte ? 0 : -EIO;
}

void
advice_blocked(int sys, struct advice *ret)
{
	const char *fix = proc_in_container()
	    ? "docker run --cap-add SYS_PTRACE ..., or --security-opt "
	      "seccomp=unconfined; in Kubernetes securityContext: "
	      "{capabilities: {add: [SYS_PTRACE]}}"
	    : "run outside of the sandbox; a kernel needs "
	      "CONFIG_CROSS_MEMORY_ATTACH=y";

	say(ret, fix, "process_vm_readv is %s (%s)", sys == ENOSYS
	        ? "not in this kernel, or hidden by a seccomp filter"
	        : "forbidden by a seccomp filter", strerror(sys));
}

static int
is_same_user(const struct proc_status *us, const struct proc_status *it)
{
	int i;

	for (i = 0; i < 3; i++)
		if (it->uid[i] != us->uid[0] || it->gid[i] != us->gid[0])
			return 0;
	return 1;
}

/* Without the capability. 1 when a rule was found that forbids it. */
static int
without_cap(const struct proc_status *us, const struct proc_status *it,
    long scope, struct advice *ret)
{
	const char *fix = proc_in_container() && us->uid[1] == 0
	    ? IN_CONTAINER : WITH_SUDO;

	if (!is_same_user(us, it))
		say(ret, fix, "it belongs to user %llu and you are %llu, "
		    "without CAP_SYS_PTRACE",
		    (unsigned long long)it->uid[0],
		    (unsigned long long)us->uid[0]);
	else if (!it->is_dumpable)
		say(ret, "sudo bobbin ..., or for php-fpm: process.dumpable = "
		    "yes in the pool's configuration", "it is not dumpable, as "
		    "processes that changed their user are (php-fpm's "
		    "workers), and you have not CAP_SYS_PTRACE");
	else if (scope == 1 || scope == 2)
		say(ret, proc_in_container()
		    ? IN_CONTAINER
		    : "sudo sysctl -w kernel.yama.ptrace_scope=0, or "
		      "sudo bobbin ...",
		    "kernel.yama.ptrace_scope is %ld: %s", scope,
		    advice_scope(scope));
	else if ((it->cap_prm & ~us->cap_prm) != 0)
		say(ret, fix, "it has capabilities that you have not");
	else if (us->uid[0] == 0 || it->uid[0] == 0)
		say(ret, fix, "it may not be dumpable, and you have not "
		    "CAP_SYS_PTRACE");
	else
		return 0;
	return 1;
}

void
advice_refused(int pid, int sys, struct advice *ret)
{
	struct proc_status us, it;
	long scope = proc_sys(SCOPE, -1);
	int self = advice_try_self();

	memset(ret, 0, sizeof(*ret));
	if (self < 0 || sys == ENOSYS) {
		advice_blocked(self < 0 ? -self : sys, ret);
	} else if (scope == 3) {
		say(ret, "set kernel.yama.ptrace_scope=1 in /etc/sysctl.d "
		    "and boot", "kernel.yama.ptrace_scope is 3: %s",
		    advice_scope(scope));
	} else if (proc_status(0, &us) < 0 || proc_status(pid, &it) < 0) {
		say(ret, WITH_SUDO, "it cannot be seen in /proc");
	} else if (status_has_cap(&us, STATUS_CAP_SYS_PTRACE) &&
	    strcmp(us.uid_map, it.uid_map) != 0) {
		say(ret, "run bobbin on the host, or in that container",
		    "it is in another user namespace, where your "
		    "CAP_SYS_PTRACE does not count");
	} else if (status_has_cap(&us, STATUS_CAP_SYS_PTRACE) ||
	    !without_cap(&us, &it, scope, ret)) {
		say(ret, "journalctl -k | grep -i denied; then run bobbin "
		    "unconfined", "a security module (AppArmor, SELinux) "
		    "forbids it");
	}
}

/*
 * Finds the kernel's reason for EPERM by checking its rules in its own order:
 * capability, user, dumpable, Yama, other security modules. What they depend on
 * can be read of any process. See advice.h.
 */
#include "capture/doctor/advice.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/mem.h"
#include "capture/proc/proc.h"
#include "capture/proc/status.h"

#define WITH_SUDO "sudo bobbin ..."
#define IN_CONTAINER "docker run --cap-add SYS_PTRACE ...; in Kubernetes " \
    "securityContext: {capabilities: {add: [SYS_PTRACE]}}"

static void BOB_PRINTF(3, 4)
set_advice(struct advice *a, const char *fix, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(a->text, sizeof(a->text), fmt, ap);
	va_end(ap);
	(void)snprintf(a->fix, sizeof(a->fix), "%s", fix);
}

long
advice_read_scope(void)
{
	return proc_sys("/proc/sys/kernel/yama/ptrace_scope", -1);
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

	set_advice(ret, fix, "process_vm_readv is %s (%s)", sys == ENOSYS
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

/* For us without CAP_SYS_PTRACE. Returns 1 and sets *ret if a rule forbids
 * reading; else 0. */
static int
explain_without_cap(const struct proc_status *us, const struct proc_status *it,
    long scope, struct advice *ret)
{
	const char *fix = proc_in_container() && us->uid[1] == 0
	    ? IN_CONTAINER : WITH_SUDO;

	if (!is_same_user(us, it))
		set_advice(ret, fix, "it belongs to user %llu and you are "
		    "%llu, without CAP_SYS_PTRACE",
		    (unsigned long long)(it->uid[1] != us->uid[0]
		        ? it->uid[1] : it->uid[0]),
		    (unsigned long long)us->uid[0]);
	else if (!it->is_dumpable)
		set_advice(ret, "sudo bobbin ..., or for php-fpm: "
		    "process.dumpable = yes in the pool's configuration",
		    "it is not dumpable, as "
		    "processes that changed their user are (php-fpm's "
		    "workers), and you have not CAP_SYS_PTRACE");
	else if (scope == 1 || scope == 2)
		set_advice(ret, proc_in_container()
		    ? IN_CONTAINER
		    : "sudo sysctl -w kernel.yama.ptrace_scope=0, or "
		      "sudo bobbin ...",
		    "kernel.yama.ptrace_scope is %ld: %s", scope,
		    advice_scope(scope));
	else if ((it->cap_prm & ~us->cap_prm) != 0)
		set_advice(ret, fix, "it has capabilities that you have not");
	else if (us->uid[0] == 0 || it->uid[0] == 0)
		set_advice(ret, fix, "it may not be dumpable, and you have not "
		    "CAP_SYS_PTRACE");
	else
		return 0;
	return 1;
}

void
advice_refused(int pid, int sys, struct advice *ret)
{
	struct proc_status us, it;
	long scope = advice_read_scope();
	int self = advice_try_self();

	memset(ret, 0, sizeof(*ret));
	if (self < 0 || sys == ENOSYS) {
		advice_blocked(self < 0 ? -self : sys, ret);
	} else if (scope == 3) {
		set_advice(ret, "set kernel.yama.ptrace_scope=1 in "
		    "/etc/sysctl.d and boot",
		    "kernel.yama.ptrace_scope is 3: %s",
		    advice_scope(scope));
	} else if (proc_status(0, &us) < 0 || proc_status(pid, &it) < 0) {
		set_advice(ret, WITH_SUDO, "/proc hides it (hidepid)");
	} else if (status_has_cap(&us, STATUS_CAP_SYS_PTRACE) &&
	    strcmp(us.uid_map, it.uid_map) != 0) {
		set_advice(ret, "run bobbin on the host, or in that container",
		    "it is in another user namespace, where your "
		    "CAP_SYS_PTRACE does not count");
	} else if (status_has_cap(&us, STATUS_CAP_SYS_PTRACE) ||
	    !explain_without_cap(&us, &it, scope, ret)) {
		set_advice(ret, "journalctl -k | grep -i denied; then run "
		    "bobbin unconfined",
		    "a security module (AppArmor, SELinux) forbids it");
	}
}

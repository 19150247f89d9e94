/* bob_check_machine(): checks the machine, its limits and our permissions. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "capture/doctor/advice.h"
#include "capture/doctor/check.h"
#include "capture/native/modules/elfutils.h"
#include "capture/proc/proc.h"
#include "capture/proc/status.h"
#include "capture/sampler/realtime.h"

/* Descriptors for each sampled process: its memory and a file. */
#define FDS_EACH 2
/* Descriptors for everything else. */
#define FDS_OTHER 32

#define MB ((uint64_t)1000 * 1000)

static void
check_reading(struct checks *c)
{
	struct advice a;
	int r = advice_try_self();

	if (r == 0) {
		check_say(c, "process-vm-readv", BOB_HEALTH_OK, NULL,
		    "memory of other processes can be asked for");
		return;
	}
	advice_blocked(-r, &a);
	check_say(c, "process-vm-readv", BOB_HEALTH_PROBLEM, a.fix, "%s",
	    a.text);
}

static void
check_scope(struct checks *c, const struct proc_status *us)
{
	long scope = advice_read_scope();
	int has_cap = status_has_cap(us, STATUS_CAP_SYS_PTRACE);

	if (scope < 0)
		check_say(c, "ptrace-scope", BOB_HEALTH_OK, NULL, "%s",
		    advice_scope(scope));
	else if (scope == 3)
		check_say(c, "ptrace-scope", BOB_HEALTH_PROBLEM,
		    "set kernel.yama.ptrace_scope=1 in /etc/sysctl.d and "
		    "boot", "it is 3: %s", advice_scope(scope));
	else if (scope == 0 || has_cap)
		check_say(c, "ptrace-scope", BOB_HEALTH_OK, NULL,
		    "it is %ld: %s", scope, advice_scope(scope));
	else
		check_say(c, "ptrace-scope", BOB_HEALTH_WARNING,
		    "sudo sysctl -w kernel.yama.ptrace_scope=0, or sudo "
		    "bobbin ...", "it is %ld: %s", scope,
		    advice_scope(scope));
}

static void
check_capability(struct checks *c, const struct proc_status *us)
{
	if (status_has_cap(us, STATUS_CAP_SYS_PTRACE))
		check_say(c, "capability", BOB_HEALTH_OK, NULL,
		    "CAP_SYS_PTRACE is there: processes of all users can be "
		    "read");
	else if (us->uid[1] == 0)
		check_say(c, "capability", BOB_HEALTH_WARNING,
		    "docker run --cap-add SYS_PTRACE ...; in Kubernetes "
		    "securityContext: {capabilities: {add: [SYS_PTRACE]}}",
		    "root without CAP_SYS_PTRACE, as in containers: only "
		    "root's own processes can be read");
	else
		check_say(c, "capability", BOB_HEALTH_WARNING,
		    "sudo bobbin ...", "no CAP_SYS_PTRACE: only processes of "
		    "user %llu can be read, and not php-fpm's workers",
		    (unsigned long long)us->uid[1]);
}

static void
check_own_sandbox(struct checks *c, const struct proc_status *us)
{
	int is_first = strncmp(us->uid_map, "         0          0 4294967295",
	    31) == 0;

	if (us->seccomp > 0)
		check_say(c, "seccomp", BOB_HEALTH_OK, NULL, "we run under a "
		    "filter%s", c->worst == BOB_HEALTH_PROBLEM
		        ? "" : ", which lets processes be read");
	else
		check_say(c, "seccomp", BOB_HEALTH_OK, NULL, "no filter");
	if (is_first && !proc_in_container())
		check_say(c, "container", BOB_HEALTH_OK, NULL, "none");
	else
		check_say(c, "container", BOB_HEALTH_OK, NULL,
		    "%s%s%s: processes outside of it may not be seen",
		    proc_in_container() ? "inside a container" : "",
		    proc_in_container() && !is_first ? ", " : "",
		    is_first ? "" : "in a user namespace of its own");
	if (access("/proc/1/stat", R_OK) < 0)
		check_say(c, "proc", BOB_HEALTH_WARNING,
		    "sudo mount -o remount,hidepid=0 /proc, or sudo bobbin "
		    "...", "/proc shows own processes only (hidepid)");
	else
		check_say(c, "proc", BOB_HEALTH_OK, NULL,
		    "/proc shows all processes");
}

/* Returns how many microseconds late the kernel wakes us, the best of five. */
static uint64_t
wake_up_us(void)
{
	const struct timespec nap = { 0, 1000 * 1000 };
	struct timespec a, b;
	int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), i;
	uint64_t best = UINT64_MAX, us;

	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	for (i = 0; i < 5; i++) {
		(void)clock_gettime(CLOCK_MONOTONIC, &a);
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		(void)clock_gettime(CLOCK_MONOTONIC, &b);
		us = (uint64_t)((b.tv_sec - a.tv_sec) * 1000000 +
		    (b.tv_nsec - a.tv_nsec) / 1000);
		us = us > 1000 ? us - 1000 : 0;
		if (us < best)
			best = us;
	}
	if (slack > 0)
		(void)prctl(PR_SET_TIMERSLACK, (unsigned long)slack, 0, 0, 0);
	return best;
}

static void
check_clock(struct checks *c)
{
	static const char path[] = "/sys/devices/system/clocksource/"
	    "clocksource0/current_clocksource";
	char source[64];
	uint64_t late = wake_up_us();

	if (proc_read_small(path, source, sizeof(source)) <= 0)
		(void)snprintf(source, sizeof(source), "unknown");
	source[strcspn(source, "\n")] = '\0';
	if (strcmp(source, "hpet") == 0 || strcmp(source, "acpi_pm") == 0)
		check_say(c, "clock", BOB_HEALTH_WARNING,
		    "echo tsc | sudo tee /sys/devices/system/clocksource/"
		    "clocksource0/current_clocksource, where it is listed in "
		    "available_clocksource", "the clock source is %s: reading "
		    "the time takes a microsecond or more", source);
	else
		check_say(c, "clock", BOB_HEALTH_OK, NULL,
		    "clock source %s", source);
	if (late > 2000)
		check_say(c, "timer", BOB_HEALTH_WARNING,
		    "a lower --rate, or a higher priority: nice -n -5 bobbin "
		    "...", "the kernel wakes us %llu us late: some moments "
		    "will be missed", (unsigned long long)late);
	else
		check_say(c, "timer", BOB_HEALTH_OK, NULL,
		    "the kernel wakes us within %llu us",
		    (unsigned long long)late);
}

/* A pid that no process has: ptrace fails with ESRCH, or with EPERM if it is
 * forbidden. */
#define NO_PROCESS 0x7fffffff

/* Only --native and --pause stop threads. */
static void
check_stopping(struct checks *c)
{
	errno = 0;
	(void)ptrace(PTRACE_SEIZE, NO_PROCESS, NULL, NULL);
	if (errno == ESRCH)
		check_say(c, "stopping", BOB_HEALTH_OK, NULL, "threads can be "
		    "stopped, which native frames and --pause need");
	else
		check_say(c, "stopping", BOB_HEALTH_WARNING,
		    proc_in_container() ? "docker run --cap-add SYS_PTRACE ..."
		                        : NULL,
		    "ptrace is forbidden (%s): no native frames, no --pause",
		    strerror(errno));
}

/* elfutils is loaded only when it is needed. */
static void
check_native(struct checks *c)
{
	struct elfutils e;

	if (elfutils_open(c->ctx, &e) < 0) {
		check_say(c, "native", BOB_HEALTH_WARNING,
		    "sudo apt install libdw1, or elfutils-libs on Fedora",
		    "%s", bob_ctx_error(c->ctx)->text);
		return;
	}
	elfutils_close(&e);
	check_say(c, "native", BOB_HEALTH_OK, NULL,
	    ELFUTILS_SONAME " is there, which native frames need");
}

/* In a thread of its own, as priority belongs to a thread. */
static void *
try_realtime(void *user)
{
	struct realtime rt = { 0 };

	*(int *)user = realtime_begin(&rt, 0);
	return NULL;
}

static void
check_priority(struct checks *c)
{
	pthread_t thread;
	int is_on = 0;

	if (pthread_create(&thread, NULL, try_realtime, &is_on) != 0)
		return;
	(void)pthread_join(thread, NULL);
	if (is_on)
		check_say(c, "priority", BOB_HEALTH_OK, NULL,
		    "samples are taken with real-time priority: shares are "
		    "true on a busy machine, too");
	else
		check_say(c, "priority", BOB_HEALTH_WARNING,
		    "run it as root, or with CAP_SYS_NICE, or after 'ulimit -r "
		    "1'", "no real-time priority: where processors are few, "
		    "samples come late and shares are biased");
}

static void
check_limits(struct checks *c)
{
	struct rlimit files, size;

	/* The command raises its limit to the hard one. */
	if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
	    getrlimit(RLIMIT_FSIZE, &size) < 0)
		return;
	if (files.rlim_max == RLIM_INFINITY)
		files.rlim_max = 1 << 20;
	if (files.rlim_max < 256)
		check_say(c, "limits", BOB_HEALTH_WARNING, "ulimit -Hn 4096",
		    "%llu open files: enough for %llu processes",
		    (unsigned long long)files.rlim_max,
		    (unsigned long long)(files.rlim_max > FDS_OTHER
		        ? (files.rlim_max - FDS_OTHER) / FDS_EACH : 0));
	else if (size.rlim_cur != RLIM_INFINITY)
		check_say(c, "limits", BOB_HEALTH_WARNING,
		    "ulimit -f unlimited", "files end at %llu bytes",
		    (unsigned long long)size.rlim_cur);
	else
		check_say(c, "limits", BOB_HEALTH_OK, NULL,
		    "open files are enough for %llu processes",
		    (unsigned long long)((files.rlim_max - FDS_OTHER) /
		        FDS_EACH));
}

static void
check_output(struct checks *c, const char *dir)
{
	struct statvfs v;
	uint64_t mb;

	if (dir == NULL)
		return;
	if (access(dir, W_OK | X_OK) < 0 || statvfs(dir, &v) < 0) {
		check_say(c, "output", BOB_HEALTH_WARNING,
		    "-o a file elsewhere, or cd", "no file can be made in "
		    "%s: %s", dir, strerror(errno));
		return;
	}
	mb = (uint64_t)v.f_bavail * (uint64_t)v.f_frsize / MB;
	check_say(c, "output", mb < 100 ? BOB_HEALTH_WARNING : BOB_HEALTH_OK,
	    mb < 100 ? "-o a file on another disk" : NULL,
	    "%llu MB free in %s", (unsigned long long)mb, dir);
}

static void
check_runtimes(struct checks *c)
{
	char text[256] = "";
	const char *name;
	size_t i, n = 0;

	for (i = 0; (name = bob_runtime_get(i)) != NULL; i++)
		if (n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "%s%s %s", i > 0 ? ", " : "", name,
			    bob_runtime_versions(i));
	check_say(c, "runtimes", BOB_HEALTH_OK, NULL, "%s", text);
}

int
bob_check_machine(struct bob_ctx *ctx, const char *dir, bob_check_fn *fn,
    void *user)
{
	struct checks c = { .ctx = ctx, .fn = fn, .user = user };
	struct proc_status us;

	check_reading(&c);
	if (proc_status(0, &us) < 0) {
		check_say(&c, "proc", BOB_HEALTH_PROBLEM,
		    "sudo mount -t proc proc /proc", "there is no /proc");
		return BOB_OK;
	}
	check_scope(&c, &us);
	check_capability(&c, &us);
	check_own_sandbox(&c, &us);
	check_clock(&c);
	check_stopping(&c);
	check_native(&c);
	check_priority(&c);
	check_limits(&c);
	check_output(&c, dir);
	check_runtimes(&c);
	return BOB_OK;
}

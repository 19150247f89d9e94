/*
 * Checks one process, in the order in which a capture would fail: does it
 * exist, may it be read, is it of this architecture, which runtime does it
 * have, and do samples succeed. The first problem ends the checks, as later
 * ones would fail for the same reason.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/doctor/advice.h"
#include "capture/doctor/check.h"
#include "capture/proc/proc.h"
#include "capture/proc/status.h"
#include "capture/runtime.h"

/* How many samples are taken, and the time between them. */
#define N_TRIES 40
#define NAP_US 2500

#if defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#else
#define OUR_MACHINE EM_X86_64
#endif

struct exam {
	struct checks c;
	int pid;
	struct proc_status it;
	struct maps maps;
};

static void
report_unseen(struct exam *e, int sys)
{
	if (proc_is_hidden(e->pid))
		check_say(&e->c, "process", BOB_HEALTH_PROBLEM,
		    "sudo bobbin ...", "it runs, but /proc hides it (hidepid)");
	else if (sys == ENOENT || sys == ESRCH)
		check_say(&e->c, "process", BOB_HEALTH_PROBLEM, "ps -e",
		    "no such process: %d", e->pid);
	else
		check_say(&e->c, "process", BOB_HEALTH_PROBLEM, NULL,
		    "/proc/%d/status cannot be read: %s", e->pid,
		    strerror(sys));
}

static void
check_state(struct exam *e)
{
	struct checks *c = &e->c;
	char command[PROC_MAX_COMMAND], fix[64];
	int r = proc_status(e->pid, &e->it);

	if (r < 0) {
		report_unseen(e, -r);
		return;
	}
	(void)proc_command(e->pid, command, sizeof(command));
	switch (e->it.state) {
	case 'Z':
	case 'X':
		check_say(c, "process", BOB_HEALTH_PROBLEM, NULL, "it has "
		    "ended, and waits for its parent to notice (zombie)");
		return;
	case 'T':
		(void)snprintf(fix, sizeof(fix), "kill -CONT %d", e->pid);
		check_say(c, "process", BOB_HEALTH_WARNING, fix, "it is "
		    "stopped: every sample will be the same");
		return;
	case 't':
		(void)snprintf(fix, sizeof(fix), "ps -p %llu",
		    (unsigned long long)e->it.tracer);
		check_say(c, "process", BOB_HEALTH_WARNING, fix, "process "
		    "%llu traces it and has stopped it",
		    (unsigned long long)e->it.tracer);
		return;
	default:
		if (*command == '\0') {
			check_say(c, "process", BOB_HEALTH_PROBLEM, NULL,
			    "it is a thread of the kernel, or has no command "
			    "line");
			return;
		}
		check_say(c, "process", BOB_HEALTH_OK, NULL, "it runs");
	}
}

static void
check_tracer(struct exam *e)
{
	char fix[64];

	if (e->it.tracer == 0 || e->it.state == 't')
		return;
	(void)snprintf(fix, sizeof(fix), "ps -p %llu",
	    (unsigned long long)e->it.tracer);
	check_say(&e->c, "tracer", BOB_HEALTH_WARNING, fix, "process %llu "
	    "traces it: --pause and --native will not work",
	    (unsigned long long)e->it.tracer);
}

int
check_may_read(struct bob_ctx *ctx, int pid, struct maps *maps)
{
	struct mem m;
	uint64_t word;
	size_t i;
	int r;

	if (maps_read(ctx, maps, pid) < 0)
		return -bob_ctx_error(ctx)->sys;
	mem_init(&m, pid);
	r = -EFAULT;
	for (i = 0; i < maps->n_file && r == -EFAULT; i++)
		r = mem_read_u64(&m, maps->file[i].start, &word);
	return r;
}

static void
check_permission(struct exam *e)
{
	struct proc_status us;
	struct advice a;
	int r = check_may_read(e->c.ctx, e->pid, &e->maps);

	if (r == 0) {
		check_say(&e->c, "permission", BOB_HEALTH_OK, NULL,
		    "it may be read%s", proc_status(0, &us) == 0 &&
		        status_has_cap(&us, STATUS_CAP_SYS_PTRACE)
		        ? " (CAP_SYS_PTRACE)" : " (the same user)");
		return;
	}
	if (r == -EPERM || r == -EACCES || r == -ENOSYS) {
		advice_refused(e->pid, -r, &a);
		check_say(&e->c, "permission", BOB_HEALTH_PROBLEM, a.fix,
		    "it may not be read: %s", a.text);
		return;
	}
	check_say(&e->c, "permission", BOB_HEALTH_PROBLEM, NULL,
	    "it cannot be read: %s", strerror(-r));
}

static void
check_its_sandbox(struct exam *e)
{
	struct proc_status us;

	if (e->it.seccomp > 0)
		check_say(&e->c, "seccomp", BOB_HEALTH_OK, NULL, "it runs "
		    "under a filter, which does not keep others from reading "
		    "it");
	if (proc_status(0, &us) == 0 &&
	    strcmp(us.uid_map, e->it.uid_map) != 0)
		check_say(&e->c, "container", BOB_HEALTH_OK, NULL, "it is in "
		    "a user namespace of its own, and can be read from here");
}

/* True if the file of a link was removed: the kernel appends " (deleted)". */
static int
is_replaced(const char *link)
{
	static const char mark[] = " (deleted)";
	char to[4096];
	ssize_t n = readlink(link, to, sizeof(to));

	return n > (ssize_t)sizeof(mark) && memcmp(to + n - (sizeof(mark) - 1),
	    mark, sizeof(mark) - 1) == 0;
}

/* Checks the architecture, by the first bytes of the program. */
static void
check_program(struct exam *e)
{
	unsigned char head[20] = { 0 };
	char path[64];
	uint16_t machine;
	int fd = proc_open_program(e->pid);
	ssize_t n = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", e->pid);
	if (fd >= 0)
		n = read(fd, head, sizeof(head));
	if (fd >= 0)
		(void)close(fd);
	memcpy(&machine, head + 18, sizeof(machine));
	if (n != (ssize_t)sizeof(head) || memcmp(head, ELFMAG, SELFMAG) != 0)
		check_say(&e->c, "program", BOB_HEALTH_WARNING, NULL,
		    "its program file cannot be read");
	else if (head[EI_CLASS] != ELFCLASS64 || machine != OUR_MACHINE)
		check_say(&e->c, "program", BOB_HEALTH_PROBLEM, NULL,
		    "it is a program of another architecture (%s, machine "
		    "%u), and only those of this machine's own can be read",
		    head[EI_CLASS] == ELFCLASS64 ? "64 bits" : "32 bits",
		    machine);
	else if (is_replaced(path))
		check_say(&e->c, "program", BOB_HEALTH_OK, NULL,
		    "its file was replaced since it started; that does not "
		    "matter");
	else
		check_say(&e->c, "program", BOB_HEALTH_OK, NULL,
		    "64 bits, of this architecture");
}

const char *
check_named_module(const struct maps *m, const struct runtime **ret)
{
	const struct runtime *rt;
	size_t i, k;

	for (i = 0; (rt = runtime_get(i)) != NULL; i++)
		for (k = 0; k < m->n_file; k++)
			if (rt->is_module(&m->file[k])) {
				*ret = rt;
				return m->file[k].path;
			}
	return NULL;
}

/* True if BOB_E_UNSUPPORTED can mean the version of the runtime. If native
 * frames or tasks were asked for, it may mean these, and its text says how to
 * do without them. */
static int
is_about_version(const struct bob_attach_opts *o)
{
	return (o->flags & (BOB_ATTACH_NATIVE | BOB_ATTACH_TASKS)) == 0 &&
	    (o->runtime == NULL || strcmp(o->runtime, "native") != 0);
}

static void
report_no_runtime(struct exam *e, const struct bob_attach_opts *o)
{
	const struct bob_error *err = bob_ctx_error(e->c.ctx);
	const struct runtime *rt;
	const char *path = check_named_module(&e->maps, &rt);
	char text[BOB_MAX_TEXT];

	(void)snprintf(text, sizeof(text), "%s", err->text);
	if (err->code == BOB_E_UNSUPPORTED && is_about_version(o))
		check_say(&e->c, "runtime", BOB_HEALTH_PROBLEM,
		    "a newer bobbin; or --runtime-version with the nearest "
		    "version that is known", "%s", text);
	else if (err->code == BOB_E_FORMAT && path != NULL)
		check_say(&e->c, "runtime", BOB_HEALTH_PROBLEM,
		    "use a build whose dynamic symbols are left (strip "
		    "without --strip-all of a static program)",
		    "%.200s looks like %s and has not the symbols to find its "
		    "state", path, rt->name);
	else if (err->code == BOB_E_FORMAT)
		check_say(&e->c, "runtime", BOB_HEALTH_PROBLEM,
		    "bobbin doctor", "no PHP or Python is in it; a program "
		    "that was just started may still become one");
	else
		check_say(&e->c, "runtime", BOB_HEALTH_PROBLEM, NULL, "%s",
		    text);
}

static int
report_samples(struct exam *e, struct bob_proc *p)
{
	const struct timespec nap = { 0, NAP_US * 1000 };
	struct bob_capture_counts n;
	const struct bob_run *runs;
	size_t n_runs;
	int r = BOB_OK, i;

	for (i = 0; i < N_TRIES && r != BOB_EOF && r >= 0; i++) {
		r = bob_sample(p, (uint64_t)i * NAP_US, &runs, &n_runs);
		(void)nanosleep(&nap, NULL);
	}
	bob_proc_counts(p, &n);
	if (r < 0)
		return BOB_FAILED;
	if (r == BOB_EOF)
		check_say(&e->c, "samples", BOB_HEALTH_PROBLEM, NULL,
		    "it ended, or became another program, meanwhile");
	else if (n.taken == 0 && n.lost == 0)
		check_say(&e->c, "samples", BOB_HEALTH_OK, NULL,
		    "nothing runs in it now: an idle worker has no stack");
	else if (n.lost > n.taken)
		check_say(&e->c, "samples", n.taken > 0
		    ? BOB_HEALTH_WARNING : BOB_HEALTH_PROBLEM,
		    "--pause stops it for the moment of each sample",
		    "only %llu of %llu stacks could be proven",
		    (unsigned long long)n.taken,
		    (unsigned long long)(n.taken + n.lost));
	else
		check_say(&e->c, "samples", BOB_HEALTH_OK, NULL,
		    "%llu of %llu stacks could be proven",
		    (unsigned long long)n.taken,
		    (unsigned long long)(n.taken + n.lost));
	return BOB_OK;
}

static int
check_capture(struct exam *e, const struct bob_attach_opts *opts)
{
	struct bob_attach_opts o = *opts;
	struct bob_dict *dict = NULL;
	const struct bob_proc_facts *f;
	struct bob_proc *p;
	int r = BOB_OK;

	if (o.dict == NULL) {
		o.dict = dict = bob_dict_new(e->c.ctx);
		if (dict == NULL)
			return BOB_FAILED;
	}
	if (bob_attach(e->c.ctx, (uint64_t)e->pid, &o, &p) < 0) {
		report_no_runtime(e, &o);
	} else {
		f = bob_proc_facts(p);
		check_say(&e->c, "runtime", BOB_HEALTH_OK, NULL,
		    "%s %s%s%s in %.200s", f->runtime, f->version,
		    *f->flavour != '\0' ? " " : "", f->flavour, f->module);
		r = report_samples(e, p);
		bob_detach(p);
	}
	bob_dict_free(dict);
	return r;
}

int
check_process(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, bob_check_fn *fn, void *user)
{
	static void (*const steps[])(struct exam *e) = { check_state,
		check_tracer, check_permission, check_its_sandbox,
		check_program };
	struct exam e;
	size_t i;
	int r = BOB_OK;

	memset(&e, 0, sizeof(e));
	e.c = (struct checks){ .ctx = ctx, .fn = fn, .user = user };
	e.pid = pid > 0 && pid <= INT32_MAX ? (int)pid : -1;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) &&
	    e.c.worst < BOB_HEALTH_PROBLEM; i++)
		steps[i](&e);
	if (e.c.worst < BOB_HEALTH_PROBLEM)
		r = check_capture(&e, opts);
	maps_done(&e.maps);
	return r;
}

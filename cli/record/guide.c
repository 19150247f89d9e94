/*
 * What record says to guide its user: at the start what is sampled, at which
 * rate, where to, and how to stop; at the end what to do with the file.
 */
#include <stdio.h>
#include <string.h>

#include "print/msg.h"
#include "print/plain.h"
#include "record.h"

/* Command lines are cut to this. */
#define MAX_COMMAND 60
/* Pids that are named in one line. */
#define MAX_PIDS 5

/* "php 8.2.35 nts" */
static void
describe_runtime(const struct bob_proc_facts *f, char *buf, size_t cap)
{
	(void)snprintf(buf, cap, "%s %s%s%s", f->runtime, f->version,
	    *f->flavour != '\0' ? " " : "", f->flavour);
}

/* Cuts the folder of the program off a command line. */
static const char *
without_folder(const char *command)
{
	const char *end = command + strcspn(command, " "), *p = end;

	while (p > command && p[-1] != '/')
		p--;
	return p < end ? p : command;
}

/* "php 8.2.35 nts, pid 12: php index.php" */
static void
describe_process(const struct bob_proc *p, char *buf, size_t cap)
{
	const struct bob_proc_facts *f = bob_proc_facts(p);
	const char *command = without_folder(f->command);
	/* Its first line; code behind -c has many. */
	size_t len = strcspn(command, "\n");
	int n = len < MAX_COMMAND ? (int)len : MAX_COMMAND;
	int is_cut = command[n] != '\0';
	char runtime[96];

	describe_runtime(f, runtime, sizeof(runtime));
	(void)snprintf(buf, cap, "%s, pid %llu%s%.*s%s", runtime,
	    (unsigned long long)f->pid, n > 0 ? ": " : "",
	    n, command, is_cut ? "..." : "");
}

void
record_show_process(const struct bob_proc *p)
{
	char text[256];

	describe_process(p, text, sizeof(text));
	msg_step("sampling %s", text);
}

/* "12 processes (pids 4, 5, 6, 7, 8 and more), the first is php 8.2.35" */
static void
describe_several(const struct record *r, size_t n, char *buf, size_t cap)
{
	char pids[MAX_PIDS * 24] = "", runtime[96];
	const struct bob_proc *p;
	size_t i, at = 0;

	for (i = 0; i < n && i < MAX_PIDS; i++) {
		p = bob_sampler_get(r->sampler, i);
		if (p == NULL)
			break;
		at += (size_t)snprintf(pids + at, sizeof(pids) - at, "%s%llu",
		    i > 0 ? ", " : "",
		    (unsigned long long)bob_proc_facts(p)->pid);
	}
	p = bob_sampler_get(r->sampler, 0);
	describe_runtime(bob_proc_facts(p), runtime, sizeof(runtime));
	(void)snprintf(buf, cap, "%zu processes (pids %s%s), the first is %s",
	    n, pids, n > MAX_PIDS ? " and more" : "", runtime);
}

/* "99 times a second", "as often as possible" */
static const char *
describe_rate(const struct record *r, char buf[64])
{
	if (r->period_ns == 0)
		return "as often as possible";
	(void)snprintf(buf, 64, "%.4g times a second",
	    1e9 / (double)r->period_ns);
	return buf;
}

/* "for 10 s; Ctrl-C ends it sooner" */
static void
describe_end(const struct record *r, char *buf, size_t cap)
{
	char time[NUMBER_TEXT];

	if (r->duration_us > 0)
		(void)snprintf(buf, cap, " for %s; Ctrl-C ends it sooner",
		    number_time(time, r->duration_us));
	else
		(void)snprintf(buf, cap, "%s", r->child != 0
		        ? " until the command ends, or Ctrl-C"
		        : "; Ctrl-C ends it");
}

void
record_show_old(const struct record *r)
{
	if (r->has_old)
		msg_step("%s existed; it is %s.old now", r->output.path,
		    r->output.path);
}

void
record_show_start(const struct record *r)
{
	size_t n = 0;
	char text[256], rate[64], end[96];

	while (bob_sampler_get(r->sampler, n) != NULL)
		n++;
	if (n == 1)
		describe_process(bob_sampler_get(r->sampler, 0), text,
		    sizeof(text));
	else if (n > 1)
		describe_several(r, n, text, sizeof(text));
	else
		(void)snprintf(text, sizeof(text), "%s",
		    "nothing yet: no PHP or Python runs there so far");
	msg_step("sampling %s", text);
	describe_end(r, end, sizeof(end));
	msg_step("%s, mode %s, to %s%s", describe_rate(r, rate),
	    bob_mode_name((int)r->attach.mode), record_output_name(r), end);
	record_show_old(r);
}

/* What opens formats that bobbin itself does not read. */
static const struct {
	const char *format, *what;
} viewers[] = {
	{ "flamegraph", "a browser shows it" },
	{ "html", "a browser shows it" },
	{ "heatmap-html", "a browser shows it" },
	{ "gecko", "https://profiler.firefox.com opens it" },
	{ "chrome", "https://ui.perfetto.dev opens it" },
	{ "perfetto", "https://ui.perfetto.dev opens it" },
	{ "callgrind", "kcachegrind opens it" },
	{ "pstats", "python3 -m pstats and snakeviz open it" },
};

void
record_show_next(const struct record *r)
{
	const struct bob_format_info *f = r->output.format;
	const char *path = bob_recorder_path(r->recorder, NULL);
	size_t i;

	if (path == NULL)
		path = r->output.path;
	if (output_is_stdout(&r->output) || strchr(path, '\'') != NULL)
		return;
	if (f->can_read) {
		const char *quote = strpbrk(path, " \t\n\"\\$&;|<>*?()#~`!")
		    != NULL ? "'" : "";

		msg_step("next: bobbin explore %s%s%s, or bobbin analyze "
		    "%s%s%s", quote, path, quote, quote, path, quote);
		return;
	}
	for (i = 0; i < sizeof(viewers) / sizeof(viewers[0]); i++)
		if (strcmp(viewers[i].format, f->name) == 0)
			msg_step("next: %s", viewers[i].what);
}

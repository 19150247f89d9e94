/*
 * bobbin record: samples of running processes into a file.
 *
 * The file is written in place with everything on its way to the disk after a
 * second, so that a capture which is killed loses no more than that. It is
 * for its owner alone, as names of files and requests may be nobody else's
 * business.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/convert.h>

#include "live/attach.h"
#include "live/capture.h"
#include "msg.h"
#include "plain.h"
#include "record.h"

static volatile int is_stopped;

static void
on_signal(int sig)
{
	(void)sig;
	is_stopped = 1;
}

/* The second signal kills, as without us. */
static void
catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_RESETHAND;
	(void)sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
}

static int
library_failed(const struct record *r)
{
	const struct bob_error *e = bob_ctx_error(r->ctx);

	msg_error("%s", e->text);
	return msg_exit_code(e);
}

/* --- options ------------------------------------------------------------- */

static int
set_duration(struct record *r)
{
	const char *s = args_value(r->args, OPT_DURATION);

	if (s == NULL || (plain_get_time(s, strlen(s), &r->duration_us) &&
	    r->duration_us > 0 && r->duration_us < UINT64_MAX / 1000))
		return EXIT_OK;
	(void)msg_usage("--duration '%s' is not a time", s);
	msg_hint("as 10s, 500ms or 5m");
	return EXIT_USAGE;
}

/* --- output -------------------------------------------------------------- */

/* A name that nobody uses, with the suffix of the format. */
static int
make_up_name(struct record *r, uint64_t pid)
{
	const char *suffixes = r->target.to->suffixes;
	int n_suffix = (int)strcspn(suffixes, " ");
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];
	unsigned i;

	if (localtime_r(&now, &tm) == NULL ||
	    strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm) == 0)
		stamp[0] = '\0';
	r->name = malloc(128 + (size_t)n_suffix);
	for (i = 1; r->name != NULL && i < 1000; i++) {
		char again[16] = "";

		if (i > 1)
			(void)snprintf(again, sizeof(again), "-%u", i);
		(void)snprintf(r->name, 128 + (size_t)n_suffix,
		    "bobbin-%llu-%s%s%.*s", (unsigned long long)pid, stamp,
		    again, n_suffix, suffixes);
		if (access(r->name, F_OK) < 0) {
			r->target.path = r->name;
			return EXIT_OK;
		}
	}
	msg_error("no name for the output could be found");
	return EXIT_FAILED;
}

static int
set_target(struct record *r)
{
	struct conv *c = &r->target;
	int code = capture_target(r->args, c);

	if (code != EXIT_OK)
		return code;
	c->path = args_value(r->args, OPT_OUTPUT);
	if (outfiles_is_pattern(c->path)) {
		(void)msg_usage("%s: record writes one file", c->path);
		msg_hint("a name without {} and %%d; `bobbin convert` makes "
		    "a file per segment of it");
		return EXIT_USAGE;
	}
	return conv_set_target(c, NULL, "rbt");
}

static int
put_meta(struct record *r, const char *key, const char *value)
{
	struct bob_mark m;

	memset(&m, 0, sizeof(m));
	m.kind = BOB_MARK_META;
	m.key = bob_str_put(r->dict, key, strlen(key));
	m.value = bob_str_put(r->dict, value, strlen(value));
	if (m.key == BOB_NO_ID || m.value == BOB_NO_ID)
		return BOB_FATAL;
	return bob_write_mark(r->out, &m);
}

static int
put_meta_number(struct record *r, const char *key, double value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.15g", value);
	return put_meta(r, key, text);
}

/* What will be asked about the file one day. */
static int
put_facts(struct record *r)
{
	struct bob_proc *p = bob_sampler_get(r->sampler, 0);
	const struct bob_proc_facts *f = bob_proc_facts(p);
	char host[256] = "", key[64];
	int s;

	(void)gethostname(host, sizeof(host) - 1);
	s = put_meta(r, "host", host);
	if (s == BOB_OK && !r->names_pids)
		s = put_meta_number(r, "pid", (double)f->pid);
	if (s == BOB_OK)
		s = put_meta(r, "command", f->command);
	(void)snprintf(key, sizeof(key), "%s.version", f->runtime);
	if (s == BOB_OK)
		s = put_meta(r, key, f->version);
	if (s == BOB_OK)
		s = put_meta(r, "profiler.mode",
		    bob_mode_name((int)r->attach.mode));
	return s == BOB_OK ? put_meta(r, "bobbin.version", bob_version()) : s;
}

static int
begin_output(struct record *r)
{
	struct bob_target to = { .path = r->target.path,
		.flags = BOB_TARGET_LIVE | BOB_TARGET_PRIVATE };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = r->target.to->name, .options = r->target.options,
		.n_options = r->target.n_options, .dict = r->dict };
	struct bob_segment s;
	struct timespec now;

	if (bob_create(r->ctx, &to, &o, &r->out) < 0) {
		int code = library_failed(r);

		if (bob_ctx_error(r->ctx)->sys == ELOOP)
			msg_hint("a capture is not written through a "
			    "symbolic link: name the file itself");
		return code;
	}
	(void)clock_gettime(CLOCK_REALTIME, &now);
	memset(&s, 0, sizeof(s));
	s.period_us = (r->period_ns + 500) / 1000;
	s.start_us = (uint64_t)now.tv_sec * 1000000 +
	    (uint64_t)now.tv_nsec / 1000;
	s.flags = BOB_SEGMENT_TIMED;
	if (bob_write_segment(r->out, &s) < 0 || put_facts(r) < 0)
		return library_failed(r);
	return EXIT_OK;
}

/* --- while it runs ------------------------------------------------------- */

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	struct record *r = user;
	struct bob_run one;
	uint32_t track = bob_track_get(r->dict, runs[0].track)->flags;

	(void)p;
	r->n_samples += n;
	/* One process without threads is told once, in the metadata. */
	if (r->names_pids || n != 1 || (track & BOB_TRACK_TID) != 0)
		return bob_write_runs(r->out, runs, n);
	one = runs[0];
	one.track = 0;
	return bob_write_runs(r->out, &one, 1);
}

static void
on_gone(void *user, struct bob_proc *p)
{
	struct record *r = user;

	record_child_gone(r, bob_proc_facts(p)->pid);
	if (r->names_pids)
		msg_note("process %llu has ended",
		    (unsigned long long)bob_proc_facts(p)->pid);
}

/* "99.0/s, 0.02 % lost, 3 missed" */
static void
describe(const struct record *r, char *buf, size_t cap)
{
	struct bob_capture_counts c;
	double seconds = (double)r->t_us / 1e6;
	double tries;
	int n;

	bob_sampler_counts(r->sampler, &c);
	tries = (double)c.taken + (double)c.lost;
	n = snprintf(buf, cap, "%.1f/s, %.2f %% lost",
	    seconds > 0 ? (double)c.taken / seconds : 0,
	    tries > 0 ? 100 * (double)c.lost / tries : 0);
	if (c.missed > 0 && n > 0 && (size_t)n < cap)
		(void)snprintf(buf + n, cap - (size_t)n, ", %llu missed",
		    (unsigned long long)c.missed);
}

static int
on_tick(void *user, uint64_t t_us)
{
	struct record *r = user;
	char count[PLAIN_NUMBER], bytes[PLAIN_NUMBER], how[96], line[256];

	r->t_us = t_us;
	describe(r, how, sizeof(how));
	(void)snprintf(line, sizeof(line), "%.0f s  %s, %s, %s",
	    (double)t_us / 1e6, plain_nouns(count, r->n_samples, "sample"),
	    how, plain_bytes(bytes, bob_writer_bytes(r->out)));
	progress_line(line);
	if (record_children(r) != EXIT_OK)
		return BOB_FATAL;
	if (t_us - r->t_barrier < 1000000)
		return BOB_OK;
	r->t_barrier = t_us;
	return bob_barrier(r->out, 0);
}

static int
end_output(struct record *r)
{
	struct bob_capture_counts c;
	double seconds = (double)r->t_us / 1e6, tries, due;
	int s;

	bob_sampler_counts(r->sampler, &c);
	tries = (double)c.taken + (double)c.lost;
	due = tries + (double)c.idle + (double)c.missed;
	s = put_meta_number(r, "profiler.duration_s", seconds);
	if (s == BOB_OK && seconds > 0)
		s = put_meta_number(r, "profiler.samples_per_s",
		    (double)c.taken / seconds);
	if (s == BOB_OK)
		s = put_meta_number(r, "profiler.failed_percent",
		    tries > 0 ? 100 * (double)c.lost / tries : 0);
	if (s == BOB_OK)
		s = put_meta_number(r, "profiler.missed_percent",
		    due > 0 ? 100 * (double)c.missed / due : 0);
	if (s < 0) {
		bob_discard(r->out);
		r->out = NULL;
		return library_failed(r);
	}
	s = bob_finish(r->out);
	r->out = NULL;
	return s < 0 ? library_failed(r) : EXIT_OK;
}

static void
say_losses(const struct bob_capture_counts *c)
{
	char text[256] = "";
	size_t n = 0;
	int i;

	for (i = 0; i < BOB_N_LOST; i++)
		if (c->lost_by[i] > 0 && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "%s%s %llu", n > 0 ? ", " : "", bob_lost_name(i),
			    (unsigned long long)c->lost_by[i]);
	if (n > 0)
		msg_note("lost, by reason: %s", text);
}

static void
say_summary(const struct record *r, uint64_t n_bytes)
{
	struct bob_capture_counts c;
	char count[PLAIN_NUMBER], time[PLAIN_NUMBER], bytes[PLAIN_NUMBER];
	char how[96];

	bob_sampler_counts(r->sampler, &c);
	describe(r, how, sizeof(how));
	msg_note("%s: %s in %s, %s, %s", conv_is_stdout(&r->target)
	        ? "standard output" : r->target.path,
	    plain_nouns(count, r->n_samples, "sample"),
	    plain_time(time, r->t_us), how, plain_bytes(bytes, n_bytes));
	say_losses(&c);
	if (r->n_samples == 0 && c.lost == 0 && !msg_is_quiet())
		msg_hint("nothing ran: an idle worker has no stack");
}

static int
run(struct record *r)
{
	struct stat st;
	uint64_t n_bytes;
	int s, code;

	s = bob_sampler_run(r->sampler);
	progress_wipe();
	if (s < 0) {
		/* Told once: a writer that has failed will fail again. */
		code = library_failed(r);
		(void)bob_finish(r->out);
		r->out = NULL;
		return code;
	}
	n_bytes = bob_writer_bytes(r->out);
	code = end_output(r);
	if (!conv_is_stdout(&r->target) && stat(r->target.path, &st) == 0)
		n_bytes = (uint64_t)st.st_size;
	if (code == EXIT_OK)
		say_summary(r, n_bytes);
	return code;
}

/* --- the command --------------------------------------------------------- */

int
record_add(struct record *r, struct bob_proc *p)
{
	const struct bob_proc_facts *f = bob_proc_facts(p);

	msg_note("process %llu: %s %s%s%s", (unsigned long long)f->pid,
	    f->runtime, f->version, *f->flavour != '\0' ? " " : "",
	    f->flavour);
	if (bob_sampler_add(r->sampler, p) < 0) {
		bob_detach(p);
		return library_failed(r);
	}
	return EXIT_OK;
}

int
record_attach_pids(struct record *r)
{
	const struct args *a = r->args;
	struct bob_proc *p;
	uint64_t pid;
	size_t i;
	int code = EXIT_OK;

	for (i = 0; code == EXIT_OK && i < a->n_opts; i++) {
		if (a->opts[i].opt.id != OPT_PID)
			continue;
		if (!plain_get_u64(a->opts[i].value, &pid))
			return msg_usage("--pid '%s' is not a number",
			    a->opts[i].value);
		code = bob_attach(r->ctx, pid, &r->attach, &p) < 0
		    ? library_failed(r) : record_add(r, p);
	}
	return code;
}

static int
check_usage(const struct args *a)
{
	if (args_has(a, OPT_PID) == (a->n_operands > 0)) {
		(void)msg_usage("record: %s", a->n_operands > 0
		        ? "-p or a command, not both" : "of which process?");
		msg_hint("-p PID samples one that runs, -- COMMAND... starts "
		    "one");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int
set_up(struct record *r)
{
	struct bob_sampler_events ev = { on_runs, on_gone, on_tick, r };
	struct bob_sampler_opts o = { .size = sizeof(o), .events = &ev,
		.stop = &is_stopped };
	int code = check_usage(r->args);

	if (code == EXIT_OK)
		code = capture_rate(r->args, &r->period_ns);
	if (code == EXIT_OK)
		code = set_duration(r);
	if (code == EXIT_OK)
		code = capture_attach(r->args, &r->attach);
	if (code == EXIT_OK)
		code = attach_set_threads(r->args, &r->attach);
	if (code == EXIT_OK)
		code = set_target(r);
	if (code != EXIT_OK)
		return code;
	r->attach.dict = r->dict;
	r->names_pids = args_count(r->args, OPT_PID) > 1 ||
	    args_has(r->args, OPT_SUBPROCESSES);
	o.period_ns = r->period_ns;
	o.duration_us = r->duration_us;
	return bob_sampler_new(r->ctx, &o, &r->sampler) < 0
	    ? library_failed(r) : EXIT_OK;
}

static int
record(struct record *r)
{
	int code = set_up(r);

	if (code != EXIT_OK)
		return code;
	code = r->args->n_operands > 0 ? record_launch(r)
	                               : record_attach_pids(r);
	if (code == EXIT_OK && args_has(r->args, OPT_SUBPROCESSES))
		code = record_watch_children(r);
	if (code == EXIT_OK && r->target.path == NULL)
		code = make_up_name(r,
		    bob_proc_facts(bob_sampler_get(r->sampler, 0))->pid);
	if (code == EXIT_OK)
		code = begin_output(r);
	if (code == EXIT_OK) {
		catch_signals();
		code = run(r);
	}
	record_wait(r);
	return code;
}

int
cmd_record(const struct args *args)
{
	struct record r;
	int code = EXIT_FAILED;

	memset(&r, 0, sizeof(r));
	r.args = args;
	r.ctx = bob_ctx_new();
	r.dict = r.ctx != NULL ? bob_dict_new(r.ctx) : NULL;
	if (r.dict == NULL)
		msg_error("out of memory");
	else
		code = record(&r);
	if (r.out != NULL)
		bob_discard(r.out);
	bob_sampler_free(r.sampler);
	record_free_children(&r);
	free(r.target.options);
	free(r.name);
	bob_dict_free(r.dict);
	bob_ctx_free(r.ctx);
	return code;
}

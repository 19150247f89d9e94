/*
 * Where samples go: a tape after the other, or one with several segments.
 *
 * The files of a capture that goes on are named by a pattern, and each has its
 * own dictionary. When a new one cannot be opened the old one goes on, and it
 * is tried again when it is due again. Numbers of each file and segment (how
 * many were lost, for how long) are its own.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "convert/replay.h"
#include "live/capture.h"
#include "live/native.h"
#include "msg.h"
#include "plain.h"
#include "record.h"

#define BARRIER_US 1000000

/* --- options -------------------------------------------------------------- */

static int
set_rotation(struct record *r)
{
	const char *time = args_value(r->args, OPT_ROTATE_TIME);
	const char *size = args_value(r->args, OPT_ROTATE_SIZE);

	if (time != NULL && (!plain_get_time(time, strlen(time),
	        &r->rotate_us) || r->rotate_us == 0)) {
		(void)msg_usage("--rotate-time '%s' is not a time", time);
		msg_hint("as 30s, 10m or 1h");
		return EXIT_USAGE;
	}
	if (size != NULL && (!plain_get_size(size, &r->rotate_bytes) ||
	        r->rotate_bytes == 0)) {
		(void)msg_usage("--rotate-size '%s' is not a size", size);
		msg_hint("as 64k, 10M or 1G");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int
has_segments(const struct record *r)
{
	return (r->target.to->caps & BOB_CAP_SEGMENTS) != 0;
}

static int
can_rotate(const struct record *r)
{
	return outfiles_is_pattern(r->target.path) || has_segments(r);
}

static int
check_rotation(const struct record *r)
{
	if (r->target.path == NULL || can_rotate(r) ||
	    (r->rotate_us == 0 && r->rotate_bytes == 0))
		return EXIT_OK;
	(void)msg_usage("%s: %s does not come in segments", r->target.path,
	    r->target.to->name);
	msg_hint("a name with {} stands for a file each time, as in "
	    "-o 'trace-{}%.*s'", (int)strcspn(r->target.to->suffixes, " "),
	    r->target.to->suffixes);
	return EXIT_USAGE;
}

/* What the process is asked for is written, where a format has to be told. */
static void
write_what_is_read(struct record *r)
{
	static const struct {
		int id;
		const char *option;
	} same[] = { { OPT_WITH_OPCODE, "opcodes" }, { OPT_NATIVE, "native" } };
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (args_has(r->args, same[i].id) &&
		    conv_has_option(r->target.to, same[i].option))
			conv_add_option(&r->target, same[i].option, NULL);
}

/* --flamegraph and its like, or -t, or the suffix of the name, or what the
 * name of the command stands for. */
static int
set_format(struct record *r)
{
	const struct spelling *s = r->args->spelling;
	const struct replay_output *o;
	struct conv *c = &r->target;
	int code = replay_chosen(r->args, &o);

	if (code == EXIT_OK && o != NULL && args_has(r->args, OPT_TO)) {
		code = msg_usage("record: --to or --%s?", o->name);
		msg_hint("one format at a time");
	}
	if (code != EXIT_OK)
		return code;
	if (o != NULL && o->option != NULL)
		conv_add_option(c, o->option, NULL);
	code = conv_set_target(c, o != NULL ? o->format : NULL,
	    s != NULL && s->to != NULL ? s->to : "rbt");
	if (code == EXIT_OK) {
		write_what_is_read(r);
		code = capture_settle_target(c, r->ctx, r->filters.is_set
		    ? &r->filters.spec : NULL);
	}
	return code;
}

int
record_set_output(struct record *r)
{
	struct conv *c = &r->target;
	int code = filters_init(&r->filters, r->args);

	if (code == EXIT_FAILED)
		msg_error("out of memory");
	if (code == EXIT_OK)
		code = capture_target(r->args, c);
	if (code != EXIT_OK)
		return code;
	c->path = args_value(r->args, OPT_OUTPUT);
	code = set_format(r);
	if (code == EXIT_OK && c->path != NULL)
		code = conv_check_terminal(c);
	if (code == EXIT_OK)
		code = set_rotation(r);
	return code == EXIT_OK ? check_rotation(r) : code;
}

/* --- names ---------------------------------------------------------------- */

/* A name that nobody uses, with the suffix of the format. */
static int
make_up_name(struct record *r, uint64_t pid)
{
	const char *suffixes = r->target.to->suffixes;
	const char *number = r->rotate_us != 0 || r->rotate_bytes != 0 ? "-{}"
	                                                               : "";
	int n_suffix = (int)strcspn(suffixes, " ");
	size_t room = 128 + (size_t)n_suffix;
	time_t now = time(NULL);
	char stamp[32], again[16] = "", *first;
	struct tm tm;
	unsigned i;
	int is_free = 0;

	if (localtime_r(&now, &tm) == NULL ||
	    strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm) == 0)
		stamp[0] = '\0';
	r->name = malloc(room);
	for (i = 1; r->name != NULL && !is_free && i < 1000; i++) {
		if (i > 1)
			(void)snprintf(again, sizeof(again), "-%u", i);
		(void)snprintf(r->name, room, "bobbin-%llu-%s%s%s%.*s",
		    (unsigned long long)pid, stamp, again, number, n_suffix,
		    suffixes);
		first = outfiles_name(r->name, 0);
		is_free = first != NULL && access(first, F_OK) < 0;
		free(first);
	}
	r->target.path = r->name;
	if (is_free)
		return EXIT_OK;
	msg_error("no name for the output could be found");
	return EXIT_FAILED;
}

/* --- tapes ---------------------------------------------------------------- */

static struct tape_opts
opts_of(const struct record *r)
{
	const struct bob_proc *p = bob_sampler_get(r->sampler, 0);
	struct tape_opts o = { .format = r->target.to,
		.options = r->target.options,
		.n_options = r->target.n_options,
		.period_ns = r->period_ns, .t_us = r->t_us,
		.mode = (int)r->attach.mode,
		.filter = r->filters.is_set ? &r->filters.spec : NULL };

	bob_sampler_counts(r->sampler, &o.counts);
	if (!r->names_pids && p != NULL)
		o.facts = bob_proc_facts(p);
	return o;
}

static void
hint_link(const struct record *r)
{
	if (bob_ctx_error(r->ctx)->sys == ELOOP)
		msg_hint("a capture is not written through a symbolic link: "
		    "name the file itself");
}

/* True when there is such a file, or what a capture that was killed left of
 * it. */
static int
is_taken(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	if (lstat(path, &st) == 0)
		return 1;
	(void)snprintf(part, sizeof(part), "%s.part", path);
	return lstat(part, &st) == 0;
}

/* The name of the next file; what earlier captures left stays. NULL without
 * memory. */
static char *
next_name(struct record *r)
{
	char *path = outfiles_name(r->target.path, r->number++);

	while (path != NULL && outfiles_is_pattern(r->target.path) &&
	    is_taken(path)) {
		free(path);
		path = outfiles_name(r->target.path, r->number++);
	}
	return path;
}

/* The next file, into *ret. BOB_OK or FAILED. */
static int
open_tape(struct record *r, struct tape *ret)
{
	struct tape_opts o = opts_of(r);
	char *path = next_name(r);
	int s = path != NULL ? tape_open(ret, r->ctx, path, &o) : BOB_FAILED;

	if (path == NULL)
		msg_error("out of memory");
	else if (s < 0) {
		(void)record_failed(r);
		hint_link(r);
	}
	r->n_files += s == BOB_OK;
	free(path);
	return s;
}

/* Ids of all processes from this dictionary. */
static void
use_dict(struct record *r, struct bob_dict *dict)
{
	struct bob_proc *p;
	size_t i;

	for (i = 0; (p = bob_sampler_get(r->sampler, i)) != NULL; i++)
		bob_proc_set_dict(p, dict);
}

/* Who may see which source, of all processes. */
static void
see_all(struct record *r)
{
	struct bob_proc *p;
	size_t i;

	for (i = 0; (p = bob_sampler_get(r->sampler, i)) != NULL; i++)
		tape_see(&r->tape, p);
}

static int
name_process(struct record *r, const struct bob_proc *p)
{
	return r->names_pids ? tape_process(&r->tape, bob_proc_facts(p))
	                     : BOB_OK;
}

static int
name_processes(struct record *r)
{
	struct bob_proc *p;
	int s = BOB_OK;
	size_t i;

	for (i = 0; s == BOB_OK &&
	     (p = bob_sampler_get(r->sampler, i)) != NULL; i++)
		s = name_process(r, p);
	return s;
}

/* Says what was asked for and will not be in the file. */
static void
say_plan(struct record *r)
{
	static const uint32_t annotates = BOB_ATTACH_REQUEST |
	    BOB_ATTACH_QUERY | BOB_ATTACH_COOKIE | BOB_ATTACH_MEMORY;
	const struct bob_attach_opts *a = &r->attach;
	uint32_t wanted = r->names_pids ? BOB_CAP_PIDS : 0;
	char lost[BOB_MAX_TEXT];

	if ((a->flags & annotates) != 0 || a->n_vars > 0)
		wanted |= BOB_CAP_ANNOTATIONS;
	if ((a->flags & BOB_ATTACH_OPCODES) != 0)
		wanted |= BOB_CAP_OPCODES;
	r->target.says_plan = 1;
	if (bob_plan(wanted, bob_writer_caps(r->tape.out), lost,
	        sizeof(lost)) != 0)
		conv_say_plan(&r->target, lost);
}

int
record_begin(struct record *r)
{
	const struct bob_proc *p = bob_sampler_get(r->sampler, 0);
	uint64_t pid = r->child != 0 ? (uint64_t)r->child :
	    r->targets.v[0].pid;

	/* There need not be one yet. */
	if (p != NULL)
		pid = bob_proc_facts(p)->pid;
	if (r->target.path == NULL && make_up_name(r, pid) != EXIT_OK)
		return EXIT_FAILED;
	if (open_tape(r, &r->tape) < 0)
		return msg_exit_code(bob_ctx_error(r->ctx));
	say_plan(r);
	use_dict(r, r->tape.dict);
	see_all(r);
	return name_processes(r) < 0 ? record_failed(r) : EXIT_OK;
}

static uint64_t
file_size(const struct record *r, const char *path, uint64_t if_unknown)
{
	struct stat st;

	if (conv_is_stdout(&r->target))
		return if_unknown;
	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode) ? (uint64_t)st.st_size : if_unknown;
	if (errno == ENOENT)
		msg_warn("%s is not there any more: it was removed or renamed "
		    "while it was written", path);
	return if_unknown;
}

/* How well it went, and which builds native frames are of. */
static int
put_counts(struct record *r, struct tape *t)
{
	struct bob_capture_counts c;
	struct bob_proc *p;
	size_t i;
	int s;

	bob_sampler_counts(r->sampler, &c);
	c = tape_since(t, &c);
	s = tape_tell(t, &r->ledger);
	if (s == BOB_OK)
		s = tape_counts(t, &c, r->t_us);
	if (s == BOB_OK)
		s = native_put_cost(t->out, &c);
	for (i = 0; s == BOB_OK &&
	     (p = bob_sampler_get(r->sampler, i)) != NULL; i++)
		s = native_put_modules(t->out, p);
	return s;
}

/* Ends a tape with how well it went. BOB_OK or FATAL. */
static int
finish(struct record *r, struct tape *t)
{
	uint64_t n_bytes = bob_writer_bytes(t->out);
	char *path = strdup(t->path);
	int s = tape_barrier(t), s2;

	/* Samples first: what is said about them may not fit any more. */
	if (s == BOB_OK)
		s = put_counts(r, t);
	s2 = tape_close(t, &r->ledger, LEDGER_DISK);
	r->n_bytes += s2 == BOB_OK && path != NULL
	    ? file_size(r, path, n_bytes) : n_bytes;
	free(path);
	return s < 0 ? s : s2;
}

static int
next_file(struct record *r)
{
	struct tape old = r->tape, new;
	int s;

	if (open_tape(r, &new) < 0) {
		msg_hint("%s goes on", old.path);
		return BOB_OK;
	}
	r->tape = new;
	r->bytes_rotated = 0;
	use_dict(r, new.dict);
	see_all(r);
	s = finish(r, &old);
	return s < 0 ? s : name_processes(r);
}

static int
next_segment(struct record *r)
{
	struct tape_opts o = opts_of(r);
	int s = put_counts(r, &r->tape);

	if (s == BOB_OK)
		s = tape_segment(&r->tape, &o);
	if (s == BOB_OK)
		s = name_processes(r);
	r->bytes_rotated = bob_writer_bytes(r->tape.out);
	return s;
}

int
record_use(struct record *r, struct bob_proc *p)
{
	if (r->tape.out == NULL)
		return BOB_OK;
	bob_proc_set_dict(p, r->tape.dict);
	tape_see(&r->tape, p);
	/* Of one process the segment tells; this is another program now. */
	if (!r->names_pids && has_segments(r))
		return next_segment(r);
	return name_process(r, p);
}

static int
rotate(struct record *r)
{
	r->t_rotated = r->t_us;
	if (outfiles_is_pattern(r->target.path))
		return next_file(r);
	if (can_rotate(r))
		return next_segment(r);
	msg_warn("%s does not come in segments: SIGUSR1 changes nothing",
	    r->target.to->name);
	return BOB_OK;
}

static int
is_due(const struct record *r)
{
	return (outfiles_is_pattern(r->target.path) &&
	        tape_is_full(&r->tape)) ||
	    (r->rotate_us != 0 && r->t_us >= r->t_rotated + r->rotate_us) ||
	    (r->rotate_bytes != 0 && bob_writer_bytes(r->tape.out) >=
	        r->bytes_rotated + r->rotate_bytes);
}

/* Somebody has removed the file, or has made it shorter. Another one begins,
 * unless its name is taken: that file is not ours. */
static int
replace_file(struct record *r)
{
	int is_pattern = outfiles_is_pattern(r->target.path);

	msg_error("%s: it was removed or cut while it was written, and what "
	    "it held is lost", r->tape.path);
	use_dict(r, r->spare);
	(void)tape_close(&r->tape, &r->ledger, LEDGER_REMOVED);
	if (!is_pattern && is_taken(r->target.path)) {
		msg_error("%s: there is another file now; the capture ends",
		    r->target.path);
		r->is_said = 1;
	} else {
		r->is_said = open_tape(r, &r->tape) < 0;
	}
	if (r->is_said)
		return BOB_FATAL;
	msg_hint("%s goes on with new samples", r->tape.path);
	r->bytes_rotated = 0;
	use_dict(r, r->tape.dict);
	see_all(r);
	return name_processes(r);
}

int
record_tend(struct record *r, int now)
{
	int s;

	if (r->tape.out == NULL)
		return BOB_FATAL; /* as was said */
	if (now || is_due(r))
		return rotate(r);
	if (r->t_us < r->t_barrier + BARRIER_US)
		return BOB_OK;
	r->t_barrier = r->t_us;
	see_all(r);
	if (bob_writer_is_gone(r->tape.out))
		return replace_file(r);
	s = tape_tell(&r->tape, &r->ledger);
	return s < 0 ? s : tape_barrier(&r->tape);
}

int
record_end(struct record *r)
{
	use_dict(r, r->spare);
	return finish(r, &r->tape) < 0 ? record_failed(r) : EXIT_OK;
}

void
record_give_up(struct record *r)
{
	enum ledger_cause cause = ledger_cause_of(bob_ctx_error(r->ctx));

	use_dict(r, r->spare);
	(void)tape_close(&r->tape, &r->ledger, cause);
}

void
record_free_output(struct record *r)
{
	(void)tape_close(&r->tape, &r->ledger, LEDGER_DISK);
	filters_done(&r->filters);
	free(r->target.options);
	free(r->name);
	bob_dict_free(r->spare);
}

struct ledger
record_ledger(const struct record *r)
{
	struct ledger l = r->ledger;

	tape_add_to(&r->tape, &l);
	return l;
}

uint64_t
record_samples(const struct record *r)
{
	struct ledger l = record_ledger(r);

	return l.written + l.pending;
}

uint64_t
record_bytes(const struct record *r)
{
	return r->n_bytes + (r->tape.out != NULL
	        ? bob_writer_bytes(r->tape.out) : 0);
}

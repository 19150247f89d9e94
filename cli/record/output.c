/*
 * The output of record: its options, the names of its files, and the recorder
 * (bobbin/recorder.h) that writes them.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/options.h"
#include "output/outname.h"
#include "print/plain.h"
#include "print/msg.h"
#include "record.h"
#include "replay/replay.h"

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
		msg_hint("as 64k, 10MiB or 1G");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int
has_segments(const struct record *r)
{
	return (r->output.format->caps & BOB_CAP_SEGMENTS) != 0;
}

static int
can_rotate(const struct record *r)
{
	return outname_is_pattern(r->output.path) || has_segments(r);
}

static int
check_rotation(const struct record *r)
{
	if (r->output.path == NULL || can_rotate(r) ||
	    (r->rotate_us == 0 && r->rotate_bytes == 0))
		return EXIT_OK;
	(void)msg_usage("%s: %s has no segments", r->output.path,
	    r->output.format->name);
	msg_hint("a name with {} stands for a file each time, as in "
	    "-o 'trace-{}%.*s'", (int)strcspn(r->output.format->suffixes, " "),
	    r->output.format->suffixes);
	return EXIT_USAGE;
}

/* What is read of the process is written too; some formats need an option for
 * that. */
static int
add_options_of_capture(struct record *r)
{
	static const struct {
		int id;
		const char *option;
	} same[] = { { OPT_WITH_OPCODE, "opcodes" }, { OPT_NATIVE, "native" } };
	int code = EXIT_OK;
	size_t i;

	for (i = 0; code == EXIT_OK && i < sizeof(same) / sizeof(same[0]); i++)
		if (args_has(r->args, same[i].id) &&
		    output_takes(&r->output, same[i].option))
			code = output_add_option(&r->output, same[i].option,
			    NULL);
	return code;
}

/* By an option such as --flamegraph, else -t, else the suffix of -o, else the
 * default of the spelling (`run`, `inspector:trace`), else rbt. */
static int
set_format(struct record *r)
{
	const struct spelling *s = r->args->spelling;
	const struct replay_output *o;
	struct output *out = &r->output;
	int code = replay_chosen(r->args, &o);

	if (code == EXIT_OK && o != NULL && args_has(r->args, OPT_TO)) {
		code = msg_usage("record: --to or --%s?", o->name);
		msg_hint("one format at a time");
	}
	if (code == EXIT_OK && o != NULL && o->option != NULL)
		code = output_add_option(out, o->option, NULL);
	if (code == EXIT_OK)
		code = output_set_format(out, o != NULL ? o->format : NULL,
		    s != NULL && s->to != NULL ? s->to : "rbt");
	if (code == EXIT_OK)
		r->filters.is_set = filters_for_output(&r->filters, r->args,
		    out->format);
	if (code == EXIT_OK)
		code = add_options_of_capture(r);
	return code == EXIT_OK ? capture_set_annotations(out) : code;
}

int
record_set_output(struct record *r)
{
	int code = filters_init(&r->filters, r->args);

	if (code == EXIT_OK)
		code = output_init(&r->output, r->args);
	if (code == EXIT_OK)
		code = set_format(r);
	if (code == EXIT_OK && r->output.path != NULL)
		code = output_check_terminal(&r->output);
	if (code == EXIT_OK)
		code = set_rotation(r);
	return code == EXIT_OK ? check_rotation(r) : code;
}

/* --- names ---------------------------------------------------------------- */

/* Makes up a name that is free, with the suffix of the format. */
static int
make_up_name(struct record *r, uint64_t pid)
{
	const char *suffixes = r->output.format->suffixes;
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
		first = outname_make(r->name, 0);
		is_free = first != NULL && access(first, F_OK) < 0;
		free(first);
	}
	r->output.path = r->name;
	if (is_free)
		return EXIT_OK;
	msg_error("no free name for the output was found");
	return EXIT_FAILED;
}

/* --- what the recorder asks and tells ------------------------------------- */

/* True if there is such a file, or the unfinished one of a killed capture. */
static int
is_taken(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	if (lstat(path, &st) == 0)
		return 1;
	(void)snprintf(part, sizeof(part), "%s%s", path, BOB_PART_SUFFIX);
	return lstat(part, &st) == 0;
}

/* Returns the name of the next file; numbers that are taken are skipped. NULL
 * without memory. */
static char *
next_name(struct record *r)
{
	char *path = outname_make(r->output.path, r->number++);

	while (path != NULL && outname_is_pattern(r->output.path) &&
	    is_taken(path)) {
		free(path);
		path = outname_make(r->output.path, r->number++);
	}
	if (path == NULL)
		msg_error("out of memory");
	return path;
}

/* A file that was removed is made again, unless there is another file of that
 * name now: that one is not ours. */
static char *
on_name(void *user, const struct bob_proc *p, int is_again)
{
	struct record *r = user;

	(void)p;
	if (is_again && !outname_is_pattern(r->output.path) &&
	    is_taken(r->output.path)) {
		msg_error("%s: replaced by another file; the capture ends",
		    r->output.path);
		r->is_said = 1;
		return NULL;
	}
	return next_name(r);
}

static void
hint_link(const struct record *r)
{
	if (bob_ctx_error(r->ctx)->sys == ELOOP)
		msg_hint("a capture is not written through a symbolic link: "
		    "name the file itself");
}

static void
on_note(void *user, const struct bob_recorder_note *n)
{
	struct record *r = user;

	if (n->kind == BOB_NOTE_STAYS) {
		(void)record_failed(r);
		hint_link(r);
		msg_hint("%s goes on", n->path);
	} else if (n->kind == BOB_NOTE_REMOVED) {
		msg_error("%s: removed or truncated while it was written; its "
		    "samples are lost", n->path);
		r->was_removed = 1;
	} else {
		notes_tell(&r->notes, n);
	}
}

/* --- the recorder --------------------------------------------------------- */

int
record_new_recorder(struct record *r)
{
	struct bob_recorder_events ev = { on_name, on_note, r };
	struct bob_recorder_opts o = { .size = sizeof(o),
		.sampler = r->sampler, .format = r->output.format->name,
		.options = r->output.options,
		.n_options = r->output.n_options,
		.filter = r->filters.is_set ? &r->filters.spec : NULL,
		.period_ns = r->period_ns, .mode = r->attach.mode,
		.rotate_us = r->rotate_us, .rotate_bytes = r->rotate_bytes,
		.events = &ev };

	if (!r->names_pids)
		o.flags |= BOB_RECORDER_SINGLE;
	/* A name that is made up has a number if files rotate. */
	if (outname_is_pattern(r->output.path) || (r->output.path == NULL &&
	        (r->rotate_us != 0 || r->rotate_bytes != 0)))
		o.flags |= BOB_RECORDER_FILES;
	return bob_recorder_new(r->ctx, &o, &r->recorder) < 0
	    ? record_failed(r) : EXIT_OK;
}

static int
check_sources(const struct record *r)
{
	const char *dir = bob_recorder_missing_source(r->recorder);

	if (dir == NULL)
		return EXIT_OK;
	msg_error("source directory %s: no process has it", dir);
	return EXIT_FAILED;
}

static uint64_t
first_pid(const struct record *r)
{
	const struct bob_proc *p = bob_sampler_get(r->sampler, 0);

	/* There may be no process yet. */
	if (p != NULL)
		return bob_proc_facts(p)->pid;
	if (r->child != 0)
		return (uint64_t)r->child;
	return r->processes.n > 0 ? r->processes.v[0].pid : 0;
}

/* Otherwise the file gets its name at the end. */
static int
is_written_live(const struct record *r)
{
	return (r->output.format->caps & BOB_CAP_ORDER) != 0;
}

int
record_end(struct record *r)
{
	if (!is_written_live(r) && record_keep_old(r) != EXIT_OK)
		return EXIT_FAILED;
	if (bob_recorder_end(r->recorder) == BOB_OK) {
		if (!is_written_live(r))
			record_show_old(r);
		return EXIT_OK;
	}
	if (!is_written_live(r))
		record_restore_old(r);
	return record_failed(r);
}

int
record_begin(struct record *r)
{
	if (check_sources(r) != EXIT_OK)
		return EXIT_FAILED;
	if (r->output.path == NULL && make_up_name(r, first_pid(r)) != EXIT_OK)
		return EXIT_FAILED;
	if (is_written_live(r) && record_keep_old(r) != EXIT_OK)
		return EXIT_FAILED;
	if (bob_recorder_begin(r->recorder) < 0) {
		(void)record_failed(r);
		hint_link(r);
		record_restore_old(r);
		return msg_exit_code(bob_ctx_error(r->ctx));
	}
	record_show_start(r);
	if (r->host != NULL)
		(void)!write(r->host->begun_fd, "", 1);
	notes_tell_plan(&r->output, &r->attach,
	    r->names_pids && !r->is_wrapped, bob_recorder_caps(r->recorder));
	return EXIT_OK;
}

/* --- while it runs -------------------------------------------------------- */

static int
rotate(struct record *r)
{
	if (can_rotate(r))
		return bob_recorder_rotate(r->recorder);
	msg_warn("%s has no segments: SIGUSR1 changes nothing",
	    r->output.format->name);
	return BOB_OK;
}

int
record_tend(struct record *r, int now)
{
	int s = bob_recorder_tick(r->recorder, r->t_us);

	if (s == BOB_OK && now)
		s = rotate(r);
	if (s == BOB_OK && r->was_removed)
		msg_hint("%s goes on with new samples",
		    bob_recorder_path(r->recorder, NULL));
	r->was_removed = 0;
	return s;
}

const char *
record_output_name(const struct record *r)
{
	if (output_is_stdout(&r->output))
		return "standard output";
	return r->host != NULL && r->host->is_temporary ? "a temporary file"
	                                                : r->output.path;
}

void
record_free_output(struct record *r)
{
	bob_recorder_free(r->recorder);
	filters_done(&r->filters);
	output_done(&r->output);
	free(r->name);
}

/*
 * Reading phpspy's text. A trace is gathered line by line until a blank line
 * (or, with TABs between frames, the line's end) completes it, so that a
 * growing file can stop anywhere.
 *
 * A segment begins with the first trace, with the first one that has a time,
 * and where a time is before the segment's start.
 */
#include "format/phpspy/phpspy.h"
#include "format/phpspy/trace.h"

#define BATCH 512

struct reader {
	struct trace trace;
	int is_whole; /* the trace is complete and waits to become a run */
	struct bob_segment segment;
	struct bob_run runs[BATCH];
	size_t n_runs;
	int is_given;    /* the runs were handed out */
	int has_segment; /* a segment was handed out */
	int r;           /* < 0: dead */
};

static int
phpspy_open(struct source *src)
{
	struct reader *st = src->state;

	return trace_init(&st->trace, src);
}

static void
phpspy_close(struct source *src)
{
	struct reader *st = src->state;

	trace_done(&st->trace);
}

/* The end of a trace, if there was one: a block of comments is none. */
static void
end_trace(struct reader *st)
{
	if (st->trace.n_frames > 0 || st->trace.is_empty)
		st->is_whole = 1;
	else
		trace_clear(&st->trace);
}

/* One line. After it, is_whole may be set. */
static int
read_line(struct source *src)
{
	struct reader *st = src->state;
	const char *p;
	size_t n;
	int ends, r = lines_next(&st->trace.lines, &p, &n);

	if (r == BOB_EOF) {
		src->is_incomplete = st->trace.lines.is_cut ||
		    st->trace.lines.is_packed_cut;
		end_trace(st);
		return st->is_whole ? BOB_OK : BOB_EOF;
	}
	if (r != BOB_OK)
		return r;
	while (n > 0 && *p == ' ') {
		p++;
		n--;
	}
	if (n == 0) {
		end_trace(st);
		return BOB_OK;
	}
	r = trace_add_line(&st->trace, p, n, &ends);
	if (r == BOB_OK && ends)
		end_trace(st);
	return r;
}

static int
needs_segment(const struct source *src)
{
	const struct reader *st = src->state;
	const struct trace *t = &st->trace;

	return !st->has_segment || (t->has_time &&
	    (src->want & BOB_WANT_TIMES) &&
	    (!(st->segment.flags & BOB_SEGMENT_TIMED) ||
	    t->t_us < st->segment.start_us));
}

static void
begin_segment(struct source *src)
{
	struct reader *st = src->state;
	const struct trace *t = &st->trace;

	st->has_segment = 1;
	st->segment = (struct bob_segment){ .index = src->next_segment++,
		.offset = t->offset };
	if (!t->has_time || !(src->want & BOB_WANT_TIMES))
		return;
	st->segment.flags = BOB_SEGMENT_TIMED;
	st->segment.start_us = t->t_us >= PHPSPY_UNIX_TIME ? t->t_us : 0;
}

/* Everything but the stack. */
static int
fill_run(struct source *src, struct bob_run *run)
{
	struct reader *st = src->state;
	const struct trace *t = &st->trace;
	struct bob_track track = { .pid = t->pid, .flags = BOB_TRACK_PID };

	*run = (struct bob_run){ .count = 1 };
	if (t->has_pid && (src->want & BOB_WANT_TRACKS))
		run->track = bob_track_put(src->dict, &track);
	if (t->n_pairs > 0)
		run->annot = bob_annot_put(src->dict, t->pair, t->n_pairs);
	if (run->track == BOB_NO_ID || run->annot == BOB_NO_ID)
		return BOB_FATAL;
	if (t->has_time && (src->want & BOB_WANT_TIMES)) {
		run->flags = BOB_RUN_TIMED;
		run->t_first = t->t_us - st->segment.start_us;
		run->t_last = run->t_first;
	}
	return BOB_OK;
}

/* The trace becomes a run, or one more sample of the last one. */
static int
add_run(struct source *src)
{
	struct reader *st = src->state;
	struct bob_run run;
	struct bob_run *last = st->n_runs > 0 ? &st->runs[st->n_runs - 1]
	                                      : NULL;

	if (fill_run(src, &run) < 0 || trace_stack(&st->trace, &run.stack) < 0)
		return BOB_FATAL;
	trace_clear(&st->trace);
	st->is_whole = 0;
	if (last != NULL && last->stack == run.stack &&
	    last->track == run.track && last->annot == run.annot &&
	    last->flags == run.flags && last->t_first == run.t_first) {
		last->count++;
		return BOB_OK;
	}
	st->runs[st->n_runs++] = run;
	return BOB_OK;
}

static int
give_runs(struct reader *st, struct bob_event *ret)
{
	st->is_given = 1;
	*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = st->runs,
		.n_runs = st->n_runs };
	return BOB_OK;
}

static int
phpspy_next(struct source *src, struct bob_event *ret)
{
	struct reader *st = src->state;
	int r = st->r;

	if (st->is_given)
		st->n_runs = 0;
	st->is_given = 0;
	while (r == BOB_OK && st->n_runs < BATCH) {
		if (!st->is_whole) {
			r = read_line(src);
		} else if (!needs_segment(src)) {
			r = add_run(src);
		} else if (st->n_runs > 0) {
			return give_runs(st, ret);
		} else {
			begin_segment(src);
			*ret = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
				.segment = &st->segment };
			return BOB_OK;
		}
	}
	if (r < 0)
		st->r = r;
	return st->n_runs > 0 ? give_runs(st, ret) : r;
}

const struct source_ops phpspy_source = {
	.state_size = sizeof(struct reader),
	.open = phpspy_open,
	.next = phpspy_next,
	.close = phpspy_close,
};

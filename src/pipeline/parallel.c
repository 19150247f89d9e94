/*
 * Converts one file on several threads. The file is cut where segments seem to
 * begin; each worker decodes from its cut into a dictionary and a sink of its
 * own. A cut is accepted when the worker before it arrives exactly there. A
 * worker that began at a wrong place is discarded, and its part is decoded
 * again from the right one. So the result is that of one thread, whatever the
 * bytes.
 *
 * Workers never skip damage. If damage is to be skipped (BOB_CONVERT_RECOVER),
 * no worker writes to the conversion's own sink: a part with damage is
 * discarded, and one thread reads from there on.
 *
 * Only sinks that sum up (those with a join slot) can be run this way.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/convert.h"

/* Smaller parts are not worth a thread and a dictionary to merge. */
#define MIN_PART ((uint64_t)1 << 20)

struct worker {
	const struct conversion *conversion;
	const struct format *from;
	const char *name;
	int fd;
	uint64_t start, stop, size; /* part [start, stop) of size bytes */
	int is_main; /* works on the conversion's own dictionary and sink */

	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct sink *sink;
	struct bob_reader *rd;
	uint64_t end; /* where it stopped: a segment, or the end */
	uint64_t n_samples, n_segments;
	int status;
	int has_diag; /* it had something to say */
	pthread_t thread;
	int has_thread;
};

/* True when the next worker may begin at this segment. Behind a packed member
 * offsets are no longer those of the file and cannot be compared, so a worker
 * that meets one reads all that follows. */
static int
is_end_of_part(const struct worker *w, const struct bob_segment *s)
{
	return w->rd->in->stretch == 0 && s->offset >= w->stop;
}

/* Decodes until a segment begins at or behind `stop`. */
static void
worker_run(struct worker *w)
{
	struct bob_event ev;
	size_t i;
	int r;

	while ((r = bob_next(w->rd, &ev)) == BOB_OK) {
		if (ev.kind == BOB_EVENT_SEGMENT) {
			if (is_end_of_part(w, ev.segment)) {
				w->end = ev.segment->offset;
				w->status = BOB_OK;
				return;
			}
			w->n_segments++;
		}
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			w->n_samples = count_add(w->n_samples,
			    ev.runs[i].count);
		r = sink_event(w->sink, &ev);
		if (r < 0)
			break;
	}
	w->end = w->size;
	w->status = r < 0 ? r : BOB_OK;
}

/* Warnings of a worker would have wrong segment numbers, so they are not passed
 * on; the conversion decodes such a part again by itself. */
static void
note_diag(void *user, const struct bob_error *diag)
{
	struct worker *w = user;

	(void)diag;
	w->has_diag = 1;
}

static void *
work_thread(void *arg)
{
	worker_run(arg);
	return NULL;
}

static void
worker_done(struct worker *w)
{
	bob_close(w->rd);
	if (!w->is_main) {
		sink_discard(w->sink);
		bob_dict_free(w->dict);
	}
	bob_ctx_free(w->ctx);
}

/* Prepares a worker for [start, stop). */
static int
worker_init(struct worker *w, struct conversion *c)
{
	struct bob_read_opts o = conversion_read_opts(c);
	struct sink_spec spec = { .options = c->spec->options,
		.n_options = c->spec->n_options };
	struct in *in;

	w->conversion = c;
	w->ctx = ctx_new_worker(c->ctx);
	if (w->ctx == NULL)
		return err_nomem(c->ctx);
	if (w->is_main) {
		w->dict = c->dict;
		w->sink = c->sink;
		bob_ctx_on_diag(w->ctx, c->ctx->diag, c->ctx->diag_user);
	} else {
		bob_ctx_on_diag(w->ctx, note_diag, w);
		w->dict = bob_dict_new(w->ctx);
		spec.dict = w->dict;
		if (w->dict == NULL || sink_create(w->ctx, c->to, &spec,
		    &w->sink) < 0)
			return BOB_FATAL;
	}
	o.dict = w->dict;
	o.format = w->from->info.name;
	o.flags &= ~(uint32_t)BOB_READ_RECOVER;
	if (in_open_range(w->ctx, w->fd, w->start, w->size, w->name, &in) < 0)
		return BOB_FATAL;
	return reader_new(w->ctx, in, w->name, &o, 0, &w->rd);
}

/* Adds a worker's result to the conversion. */
static int
worker_join(struct worker *w, struct conversion *c)
{
	struct bob_counts n = w->dict->n;
	bob_stack *stack;
	bob_tid *track;
	bob_annot *annot;
	struct join_map map;
	int r = BOB_FATAL;

	c->done.n_samples = count_add(c->done.n_samples, w->n_samples);
	c->done.n_segments += w->n_segments;
	if (w->is_main)
		return BOB_OK;
	stack = malloc((size_t)n.n_stack * sizeof(*stack));
	track = malloc((size_t)n.n_track * sizeof(*track));
	annot = malloc((size_t)n.n_annot * sizeof(*annot));
	map = (struct join_map){ stack, track, annot };
	if (stack == NULL || track == NULL || annot == NULL)
		(void)err_nomem(c->ctx);
	else
		r = dict_merge(c->dict, w->dict, stack, track, annot);
	if (r == BOB_OK)
		r = c->sink->ops->join(c->sink, w->sink, &map);
	free(stack);
	free(track);
	free(annot);
	return r;
}

/* Converts the rest of the file from `start`, without workers. */
static int
finish_serially(struct conversion *c, const struct worker *like,
    uint64_t start)
{
	struct bob_read_opts o = conversion_read_opts(c);
	struct bob_reader *rd;
	struct in *in;
	int r;

	o.format = like->from->info.name;
	r = in_open_range(c->ctx, like->fd, start, like->size, like->name,
	    &in);
	if (r < 0 || (r = reader_new(c->ctx, in, like->name, &o, 0,
	    &rd)) < 0)
		return r;
	/* Errors name the path, but side files were read at the beginning. */
	rd->is_path = c->ctx->input.is_path;
	r = conversion_pump(c, rd, like->name);
	/* The pump counted from the file's beginning. */
	c->done.bytes_in -= start;
	bob_close(rd);
	return r;
}

/*
 * Joins results in the order of the file, as long as each worker began where
 * the one before it stopped, and ended well. The rest is done serially, which
 * also gives errors and warnings their right text.
 */
static int
collect_workers(struct conversion *c, struct worker *w, size_t n)
{
	uint64_t at = w[0].start;
	size_t i;
	int r;

	for (i = 0; i < n; i++) {
		if (w[i].start != at)
			continue;
		if (!w[i].is_main && (w[i].status < 0 || w[i].has_diag))
			break;
		r = worker_join(&w[i], c);
		if (r < 0)
			return r;
		if (w[i].status < 0) {
			if (w[i].ctx->error.status < 0)
				err_copy(c->ctx, w[i].ctx);
			return w[i].status;
		}
		c->done.is_incomplete |= bob_reader_is_incomplete(w[i].rd);
		at = w[i].end;
	}
	c->done.bytes_in += at;
	return at < w[0].size ? finish_serially(c, &w[0], at) : BOB_OK;
}

static size_t
count_threads(const struct conversion *c, uint64_t size)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = c->spec->threads != 0 ? c->spec->threads :
	    (size_t)(cpus < 1 ? 1 : cpus);

	if (n > BOB_MAX_THREADS)
		n = BOB_MAX_THREADS;
	return n > size / MIN_PART ? (size_t)(size / MIN_PART) : n;
}

/* True when parts may be decoded apart: the sink sums up one thing, and no
 * filter looks from one segment to the next. */
static int
may_cut(const struct conversion *c, const struct format *from)
{
	const struct bob_filter *f = c->filter;

	return c->sink->ops->join != NULL && from->source->cuts != NULL &&
	    (f == NULL || (f->flags & BOB_FILTER_TIME) == 0);
}

int
conversion_parallel(struct conversion *c, const struct format *from, int fd,
    uint64_t size, const char *name)
{
	uint64_t cut[BOB_MAX_THREADS + 1];
	struct worker *w;
	size_t n = count_threads(c, size), i;
	int r = BOB_OK;

	if (n < 2 || !may_cut(c, from))
		return BOB_EOF;
	cut[0] = 0;
	n = 1 + from->source->cuts(fd, size, cut + 1, n - 1);
	if (n < 2)
		return BOB_EOF;
	w = calloc(n, sizeof(*w));
	if (w == NULL)
		return err_nomem(c->ctx);
	for (i = 0; i < n; i++) {
		w[i].from = from;
		w[i].name = name;
		w[i].fd = fd;
		w[i].start = cut[i];
		w[i].stop = i + 1 < n ? cut[i + 1] : size;
		w[i].size = size;
		w[i].is_main = i == 0 &&
		    (c->spec->flags & BOB_CONVERT_RECOVER) == 0;
		r = worker_init(&w[i], c);
		if (r < 0) {
			err_copy(c->ctx, w[i].ctx != NULL ? w[i].ctx : c->ctx);
			n = i + 1;
			goto out;
		}
	}
	/* This thread decodes the first part. A part for which no thread can be
	 * started is decoded when the others are done. */
	for (i = 1; i < n; i++)
		w[i].has_thread = pthread_create(&w[i].thread, NULL,
		    work_thread, &w[i]) == 0;
	worker_run(&w[0]);
	for (i = 1; i < n; i++) {
		if (w[i].has_thread)
			(void)pthread_join(w[i].thread, NULL);
		else
			worker_run(&w[i]);
	}
	r = collect_workers(c, w, n);
out:
	for (i = 0; i < n; i++)
		worker_done(&w[i]);
	free(w);
	return r;
}

/*
 * Reading .rbt: events in order, strict or tolerant. The layout is described
 * in docs/formats/rbt.md; read.h has the invariants.
 */
#include "format/rbt/read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "format/rbt/cuts.h"

static void
count_record(struct rbt_reader *rd, unsigned kind, size_t bytes)
{
	rd->n_records[kind]++;
	rd->n_bytes[kind] += bytes;
}

/* The kind under which `info` counts a record. */
static unsigned
stat_kind(unsigned type, int is_segment)
{
	if (is_segment)
		return RBT_STAT_HEADER;
	return type >= 1 && type < RBT_STAT_HEADER ? type : RBT_STAT_UNKNOWN;
}

/*
 * Decodes the window as far as it goes. After FAILED, *ev is the event that
 * failed; its size is 0 when its borders are not known.
 */
static int
decode_window(struct rbt_reader *rd, struct rbt_item *ev)
{
	struct in *in = rd->in;
	int stats = (rd->src->want & BOB_WANT_STATS) != 0;
	const uint8_t *p;
	int r;

	while (in->n > 0) {
		if (rd->in_segment && !stats) {
			p = rbt_fast(rd, in->p, in->p + in->n);
			in_consume(in, (size_t)(p - in->p));
		}
		if (rd->n_run == RBT_BATCH)
			return RBT_STOP_GIVE_CLOSED;
		if (rd->has_gap && rd->gap.lost_is_exact)
			return rbt_tell_gap(rd);
		if (in->n == 0)
			break;
		if (in->p[0] == 0x1f && (r = in_unpack_here(in)) != 0) {
			rd->no_member_to = 0;
			if (r != 1)
				return r;
			rd->in_segment = 0;
			rd->last = RBT_LAST_NONE;
			break;
		}
		*ev = (struct rbt_item){ 0 };
		r = rbt_step(rd, in->p, in->n, ev);
		if (r != BOB_OK && r != RBT_STOP_MARK &&
		    r != RBT_STOP_SEGMENT)
			return r;
		assert(ev->size > 0 && ev->size <= in->n);
		if (stats)
			count_record(rd, stat_kind(ev->type,
			    r == RBT_STOP_SEGMENT), ev->size);
		in_consume(in, ev->size);
		if (r != BOB_OK)
			return r;
	}
	rd->need = 1;
	return RBT_STOP_NEED;
}

/* Goes on until something is to be delivered. */
static int
rbt_advance(struct rbt_reader *rd)
{
	struct rbt_item ev;
	const uint8_t *p;
	size_t n;
	int r;

	for (;;) {
		if (rd->is_searching && (r = rbt_search(rd)) != BOB_OK)
			return r;
		r = decode_window(rd, &ev);
		if (r == RBT_STOP_NEED) {
			r = in_peek(rd->in, rd->need, &p, &n);
			/* Bytes that are only needed to look ahead may be
			 * missing. Damage further on is found again when it is
			 * reached. */
			if (!rbt_is_last(rd) &&
			    (r == BOB_EOF || r == BOB_FATAL)) {
				rd->last_stretch = rd->in->stretch + 1;
				continue;
			}
			if (r == BOB_EOF)
				r = rbt_on_end(rd);
		} else if (r == BOB_FAILED) {
			r = rbt_on_damage(rd, &ev);
		}
		if (r != BOB_OK)
			return r;
	}
}

static int
give_some(struct rbt_reader *rd, size_t n, struct bob_event *ret)
{
	assert(n <= rd->n_run && rd->n_run <= RBT_BATCH);
	*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = rd->run,
		.n_runs = n };
	rd->n_given = n;
	return BOB_OK;
}

static int
give_all(struct rbt_reader *rd, struct bob_event *ret)
{
	if (rd->has_sums)
		(void)rbt_drain(rd);
	return rd->n_run > 0 ? give_some(rd, rd->n_run, ret) : BOB_EOF;
}

/* Forgets the runs that the last call handed out. */
static void
drop_given(struct rbt_reader *rd)
{
	rd->n_run -= rd->n_given;
	memmove(rd->run, rd->run + rd->n_given, rd->n_run * sizeof(*rd->run));
	rd->n_given = 0;
}

static int
rbt_next(struct source *src, struct bob_event *ret)
{
	struct rbt_reader *rd = src->state;
	int r;

	for (;;) {
		drop_given(rd);
		r = rd->is_dead ? BOB_FATAL : rbt_advance(rd);
		switch (r) {
		case RBT_STOP_MARK:
		case RBT_STOP_GAP:
			*ret = (struct bob_event){ .kind = BOB_EVENT_MARK,
				.mark = &rd->mark };
			return BOB_OK;
		case RBT_STOP_SEGMENT:
			*ret = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
				.segment = &rd->segment };
			return BOB_OK;
		case RBT_STOP_GIVE_CLOSED:
			return give_some(rd, rd->n_run - 1, ret);
		case RBT_STOP_GIVE_ALL:
			if (give_all(rd, ret) == BOB_OK)
				return BOB_OK;
			break; /* all sums were 0 */
		case BOB_AGAIN:
			if (rd->n_run > 1)
				return give_some(rd, rd->n_run - 1, ret);
			if (rd->n_run == 0 && give_all(rd, ret) == BOB_OK)
				return BOB_OK;
			return r;
		default: /* the end, or damage in strict reading */
			rd->is_dead = r == BOB_FATAL;
			if (give_all(rd, ret) == BOB_OK)
				return BOB_OK;
			return r;
		}
	}
}

static int
rbt_open(struct source *src)
{
	struct rbt_reader *rd = src->state;

	rd->src = src;
	rd->in = src->in;
	rd->sums = (src->want & (BOB_WANT_ORDER | BOB_WANT_TIMES |
	    BOB_WANT_ANNOTATIONS | BOB_WANT_STATS)) == 0;
	rd->hot = calloc(65536, sizeof(*rd->hot));
	if (rd->hot == NULL)
		return err_nomem(src->ctx);
	return defs_init(&rd->defs, src->ctx, src->dict);
}

static size_t
rbt_stats(const struct source *src, struct bob_stat *v, size_t cap)
{
	static const char *const kind[RBT_N_STATS] = { NULL, "frame",
		"stack", "sample", "checkpoint", "end", "metadata",
		"pid-sample", "compact-sample", "repeat", "string",
		"annotation", "header", "unknown" };
	const struct rbt_reader *rd = src->state;
	size_t n = 0, i;

	for (i = 0; i < RBT_N_STATS; i++) {
		if (rd->n_records[i] == 0)
			continue;
		if (n < cap)
			v[n] = (struct bob_stat){ kind[i], rd->n_records[i],
				rd->n_bytes[i] };
		n++;
	}
	return n;
}

static void
rbt_close(struct source *src)
{
	struct rbt_reader *rd = src->state;

	defs_done(&rd->defs);
	free(rd->hot);
	MEM_DROP(src->ctx, rd, far);
	MEM_DROP(src->ctx, rd, sum);
}

const struct source_ops rbt_source = {
	.state_size = sizeof(struct rbt_reader),
	.open = rbt_open,
	.next = rbt_next,
	.cuts = rbt_cuts,
	.stats = rbt_stats,
	.close = rbt_close,
};

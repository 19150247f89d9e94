/*
 * Reading TACH: header and footer, tables, then the samples. The tables stand
 * behind the samples, so all of a file must be there before its first sample
 * can be given.
 */
#include "format/tach/read.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spool.h"
#include "core/text.h"
#include "format/common/meta.h"
#include "format/tach/journal.h"

typedef unsigned long long ull;

int
tach_why(struct tach_reader *rd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(rd->why, sizeof(rd->why), fmt, ap);
	va_end(ap);
	return BOB_FAILED;
}

void
tach_warn(const struct tach_reader *rd, uint64_t at, const char *fmt, ...)
{
	char text[BOB_MAX_TEXT];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_diag(rd->src->ctx, BOB_WARN, BOB_E_CORRUPT, at,
	    "tach: byte %llu: %s", (ull)at, text);
}

/* Damage that ends strict reading. */
static int
fail_at(struct tach_reader *rd, uint64_t at, const char *why)
{
	return err_set(rd->src->ctx, BOB_FATAL, BOB_E_CORRUPT, at,
	    "tach: byte %llu: %s", (ull)at, why);
}

/* --- before the samples -------------------------------------------------- */

int
tach_add_meta(struct tach_reader *rd, struct bob_bytes key,
    struct bob_bytes value)
{
	struct bob_dict *d = rd->src->dict;
	struct bob_pair pair = {
		.key = bob_str_put(d, key.p, key.n),
		.value = bob_str_put(d, value.p, value.n),
	};

	if (pair.key == BOB_NO_ID || pair.value == BOB_NO_ID)
		return BOB_FATAL;
	if (rd->n_meta < TACH_MAX_META)
		rd->meta[rd->n_meta++] = pair;
	return BOB_OK;
}

static int
add_meta(struct tach_reader *rd, const char *key, const char *value)
{
	return tach_add_meta(rd, (struct bob_bytes){ key, strlen(key) },
	    (struct bob_bytes){ value, strlen(value) });
}

static int
add_decimal(struct tach_reader *rd, const char *key, double v)
{
	char text[TEXT_MAX_DECIMAL];

	text_format_decimal(text, v);
	return add_meta(rd, key, text);
}

static int
add_stats(struct tach_reader *rd, const struct tach_stats *s)
{
	int r = add_decimal(rd, META_DURATION, s->duration_s);

	if (r == BOB_OK)
		r = add_decimal(rd, META_RATE, s->rate);
	if (r == BOB_OK && (s->flags & TACH_STATS_HAS_FAILED))
		r = add_decimal(rd, META_FAILED, s->failed);
	if (r == BOB_OK && (s->flags & TACH_STATS_HAS_MISSED))
		r = add_decimal(rd, META_MISSED, s->missed);
	return r;
}

/* Facts that other formats may carry too. */
static int
gather_meta(struct tach_reader *rd)
{
	const struct tach_file *f = &rd->file;
	const char *mode = tach_mode_name(f->head.mode);
	char version[16], features[TACH_FEATURES_MAX];
	int r = BOB_OK;

	if (!(rd->src->want & BOB_WANT_MARKS))
		return BOB_OK;
	(void)snprintf(version, sizeof(version), "%u.%u.%u",
	    f->head.python[0], f->head.python[1], f->head.python[2]);
	if (tach_layouts[f->dialect].python != 0 && rd->has_header)
		r = add_meta(rd, META_PYTHON_VERSION, version);
	if (r == BOB_OK && mode != NULL)
		r = add_meta(rd, META_MODE, mode);
	if (r == BOB_OK && tach_put_features(features, f->head.mode))
		r = add_meta(rd, META_FEATURES, features);
	if (r == BOB_OK && f->has_stats)
		r = add_stats(rd, &f->stats);
	return r;
}

static int
read_tables(struct tach_reader *rd)
{
	const struct tach_file *f = &rd->file;
	const struct tach_head *h = &f->head;
	struct tach_tables *t = &rd->tables;
	int r;

	r = tables_read_strings(t, rd->spool, h->strings, h->frames,
	    f->size - h->strings, f->n_strings);
	if (r == BOB_OK)
		r = tables_read_frames(t, rd->spool, h->frames, f->frames_end,
		    f->size - h->frames, f->n_frames,
		    tach_layouts[f->dialect].frame_fields);
	return r == BOB_FAILED ? fail_at(rd, t->bad_at, t->why) : r;
}

int
tach_open_samples(struct tach_reader *rd, uint64_t end, int is_packed)
{
	struct in *below;
	int r = spool_range(rd->spool, TACH_HEADER, end, &rd->in);

	rd->end = rd->samples_end = end;
	if (r < 0 || !is_packed)
		return r;
	rd->end = UINT64_MAX;
	rd->in_base = TACH_HEADER;
	below = rd->in;
	rd->in = NULL;
	r = !(rd->src->flags & BOB_READ_ONE_THREAD) &&
	    in_is_worth_a_thread(end - TACH_HEADER) ?
	    in_open_zstd_ahead(below, rd->is_tolerant, &rd->in) :
	    in_open_zstd(below, rd->is_tolerant, &rd->in);
	return r < 0 ? BOB_FATAL : BOB_OK;
}

/* Header, footer and tables as they must be. */
static int
start_strictly(struct tach_reader *rd)
{
	const struct tach_head *h = &rd->file.head;
	struct bob_ctx *ctx = rd->src->ctx;
	int r = tach_probe(ctx, rd->spool, rd->dialect, &rd->file);

	if (r == BOB_OK)
		r = tach_complain(ctx, &rd->file);
	/* Samples are perhaps unpacked while tables are read. */
	if (r == BOB_OK)
		r = tach_open_samples(rd, h->strings,
		    h->compression == TACH_ZSTD);
	if (r == BOB_OK)
		r = read_tables(rd);
	rd->n_expected = h->n_samples;
	return r;
}

/* What is all there. */
static int
start_whole(struct tach_reader *rd)
{
	struct in *in = rd->finished != NULL ? rd->finished : rd->src->in;
	int r = spool_take(in, &rd->spool);

	if (r != BOB_OK)
		return r;
	r = rd->is_tolerant ? tach_salvage(rd) : start_strictly(rd);
	return r == BOB_OK ? gather_meta(rd) : r;
}

/* All that comes before the first sample. */
static int
tach_start(struct tach_reader *rd)
{
	struct source *src = rd->src;
	int r = (src->flags & BOB_READ_FOLLOW) && src->path != NULL ?
	    tach_follow(rd) : BOB_EOF;

	if (r == BOB_EOF)
		r = start_whole(rd);
	if (r != BOB_OK)
		return r;
	if (!rd->is_foreign)
		src->dialect = tach_layouts[rd->file.dialect].name;
	rd->segment = (struct bob_segment){ .index = src->next_segment++,
		.period_us = rd->file.head.interval_us,
		.t_begin = rd->file.head.start_us,
		.flags = BOB_SEGMENT_TIMED };
	return BOB_OK;
}

/* --- samples ------------------------------------------------------------- */

static void
count_bytes(struct tach_reader *rd)
{
	struct source *src = rd->src;

	src->bytes_in = in_stored(rd->in);
	src->bytes_unpacked = tach_place(rd);
	if (rd->phase == TACH_AT_END && !rd->is_dead) {
		src->bytes_in = rd->file.size;
		src->bytes_unpacked += rd->file.size - rd->samples_end;
	}
	/* A pipe, or a file packed as a whole, was read to its end before. */
	if (src->in->pos > 0)
		src->bytes_in = in_stored(src->in);
}

/* Fills the batch. BOB_OK, EOF, AGAIN or FATAL, and what rd->run has. */
static int
fill_batch(struct tach_reader *rd)
{
	const uint8_t *p;
	size_t n, had;
	int r = BOB_OK;

	while (r == BOB_OK) {
		if (rd->is_searching && tach_search(rd) < 0)
			return BOB_FATAL;
		rd->ran_out = 0;
		r = tach_records(rd);
		if (rd->is_doomed && (r == BOB_EOF || rd->ran_out))
			return BOB_FATAL;
		if (r == BOB_FAILED)
			r = tach_on_damage(rd);
		else if (r == BOB_EOF)
			r = tach_on_end(rd);
		if (r != TACH_STOP_NEED)
			continue;
		/* Runs from before a failure are given before it. */
		had = rd->in->n;
		r = in_peek(rd->in, rd->need, &p, &n);
		if (r == BOB_AGAIN && n == had)
			break;
		rd->is_doomed = r == BOB_FATAL;
		rd->is_last = r == BOB_EOF || r == BOB_FATAL;
		r = BOB_OK;
	}
	return r == TACH_STOP_GIVE ? BOB_OK : r;
}

static int
give_gap(struct tach_reader *rd, struct bob_event *ret)
{
	struct tach_gap *g = &rd->gap[rd->n_gap_given++];

	g->gap.why = g->why;
	rd->mark = (struct bob_mark){ .kind = BOB_MARK_GAP,
		.offset = g->gap.offset, .length = g->gap.length,
		.count = g->gap.lost, .gap = &g->gap };
	*ret = (struct bob_event){ .kind = BOB_EVENT_MARK,
		.mark = &rd->mark };
	return BOB_OK;
}

static int
give_meta(struct tach_reader *rd, struct bob_event *ret)
{
	const struct bob_pair *pair = &rd->meta[rd->n_meta_given++];

	rd->mark = (struct bob_mark){ .kind = BOB_MARK_META,
		.key = pair->key, .value = pair->value };
	*ret = (struct bob_event){ .kind = BOB_EVENT_MARK,
		.mark = &rd->mark };
	return BOB_OK;
}

/* Runs first, then the gaps that were met behind them. */
static int
give_runs(struct tach_reader *rd, struct bob_event *ret)
{
	int r = BOB_OK;

	while (r == BOB_OK) {
		if (rd->n_gap_given < rd->n_gap)
			return give_gap(rd, ret);
		rd->n_gap = rd->n_gap_given = 0;
		rd->n_run = rd->n_dt = 0;
		if (rd->phase == TACH_AT_END)
			return rd->is_dead ? BOB_FATAL : BOB_EOF;
		r = rd->is_dead ? BOB_FATAL : fill_batch(rd);
		rd->is_dead = r < 0;
		if (r != BOB_OK && r != BOB_AGAIN)
			rd->phase = TACH_AT_END;
		count_bytes(rd);
		assert(rd->n_run <= TACH_BATCH && rd->n_dt <= TACH_DT);
		if (rd->n_run > 0) {
			*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS,
				.runs = rd->run, .n_runs = rd->n_run };
			return BOB_OK;
		}
		if (rd->n_gap > 0)
			r = BOB_OK;
	}
	return r;
}

static int
tach_next(struct source *src, struct bob_event *ret)
{
	struct tach_reader *rd = src->state;
	int r;

	switch (rd->phase) {
	case TACH_AT_START:
		r = rd->is_dead ? BOB_FATAL : tach_start(rd);
		rd->is_dead = r < 0;
		if (r != BOB_OK)
			return r;
		rd->phase = TACH_AT_META;
		*ret = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
			.segment = &rd->segment };
		return BOB_OK;
	case TACH_AT_META:
		if (rd->n_meta_given < rd->n_meta)
			return give_meta(rd, ret);
		rd->phase = TACH_AT_RECORDS;
		return give_runs(rd, ret);
	default:
		return give_runs(rd, ret);
	}
}

static int
tach_open(struct source *src)
{
	struct tach_reader *rd = src->state;
	const char *dialect = format_source_option(src, "dialect");

	rd->src = src;
	rd->is_tolerant = (src->flags & BOB_READ_RECOVER) != 0;
	rd->has_header = 1;
	rd->expects_exactly = 1;
	rd->tables.ctx = src->ctx;
	rd->tables.dict = src->dict;
	rd->tables.is_tolerant = rd->is_tolerant;
	rd->dialect = dialect == NULL ? -1 : tach_dialect_named(dialect);
	if (dialect != NULL && rd->dialect < 0)
		return err_set(src->ctx, BOB_FATAL, BOB_E_USAGE, BOB_NO_OFFSET,
		    "tach has no dialect '%s' (v2, early-1, 1a, 1b, 1c)",
		    dialect);
	rd->has_times = (src->want & BOB_WANT_TIMES) != 0;
	rd->has_status = (src->want & BOB_WANT_STATUS) != 0;
	rd->has_tracks = (src->want & BOB_WANT_TRACKS) != 0;
	rd->has_stats = (src->want & BOB_WANT_STATS) != 0;
	rd->threads.ctx = src->ctx;
	rd->threads.seed = src->dict->seed;
	src->counts_bytes = 1;
	if (rd->has_times) {
		rd->dt = malloc(TACH_DT * sizeof(*rd->dt));
		if (rd->dt == NULL)
			return err_nomem(src->ctx);
	}
	return BOB_OK;
}

static void
tach_close(struct source *src)
{
	struct tach_reader *rd = src->state;

	in_close(rd->in);
	spool_close(rd->spool);
	in_close(rd->finished);
	journal_unfollow(rd->tail);
	tables_done(&rd->tables);
	threads_done(&rd->threads);
	free(rd->dt);
	MEM_DROP(src->ctx, rd, new_frame);
	MEM_DROP(src->ctx, rd, nameless);
}

static size_t
tach_stats(const struct source *src, struct bob_stat *v, size_t cap)
{
	static const char *const name[TACH_N_KINDS] = { "repeat", "full",
		"suffix", "pop_push" };
	const struct tach_reader *rd = src->state;
	size_t i;

	for (i = 0; i < TACH_N_KINDS && i < cap; i++)
		v[i] = (struct bob_stat){ name[i], rd->n_records[i],
			rd->n_bytes[i], rd->n_of_kind[i] };
	return TACH_N_KINDS;
}

static size_t
tach_facts(const struct source *src, struct bob_fact *v, size_t cap)
{
	const struct tach_reader *rd = src->state;
	struct bob_fact fact[] = {
		{ "frames written", rd->n_frames_written },
		{ "frames saved", rd->n_frames_saved },
		{ "strings", rd->tables.n_str },
		{ "string uses", rd->tables.n_str_uses },
		{ "frames", rd->tables.n_fid },
		{ "frame uses", rd->n_frames_written },
		{ "sample bytes", rd->in == NULL ? 0 :
		    tach_place(rd) - TACH_HEADER },
		{ "sample bytes packed", rd->in == NULL ? 0 :
		    rd->samples_end - TACH_HEADER },
		{ "table bytes", rd->file.size - rd->samples_end },
	};
	size_t n = sizeof(fact) / sizeof(fact[0]), i;

	for (i = 0; i < n && i < cap; i++)
		v[i] = fact[i];
	return n;
}

const struct source_ops tach_source = {
	.state_size = sizeof(struct tach_reader),
	.open = tach_open,
	.next = tach_next,
	.stats = tach_stats,
	.facts = tach_facts,
	.close = tach_close,
};

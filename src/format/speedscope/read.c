/* Reading speedscope's JSON: an index, then profile by profile; see read.h. */
#include "format/speedscope/read.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

int
speedscope_damage(struct speedscope_reader *rd, uint64_t offset,
    uint64_t length, uint64_t lost, const char *fmt, ...)
{
	struct bob_gap gap = { .offset = offset, .length = length,
		.lost = lost, .code = BOB_E_CORRUPT };
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = gaps_damage(&rd->gaps, rd->src, &gap, "speedscope", fmt, ap);
	va_end(ap);
	return r;
}

int
speedscope_broken(struct speedscope_reader *rd, uint64_t from)
{
	const struct bob_error *e = &rd->src->ctx->error;
	struct bob_gap gap = { .offset = from,
		.length = spool_size(rd->spool) - from, .code = e->code };

	if (!rd->is_tolerant ||
	    (e->code != BOB_E_CORRUPT && e->code != BOB_E_TRUNCATED))
		return BOB_FATAL;
	gaps_add(&rd->gaps, &gap, e->text);
	return BOB_FAILED;
}

static int
speedscope_open(struct source *src)
{
	struct speedscope_reader *rd = src->state;

	rd->src = src;
	rd->is_tolerant = (src->flags & BOB_READ_RECOVER) != 0;
	rd->is_time = 1;
	src->counts_bytes = 1;
	return BOB_OK;
}

static void
speedscope_close(struct source *src)
{
	struct speedscope_reader *rd = src->state;

	speedscope_close_profile(rd);
	spool_close(rd->spool);
	MEM_DROP(src->ctx, &rd->cursor, open);
	MEM_DROP(src->ctx, &rd->cursor, open_frame);
	MEM_DROP(src->ctx, rd, frame);
	MEM_DROP(src->ctx, rd, fid);
	MEM_DROP(src->ctx, rd, profile);
}

static int
speedscope_start(struct speedscope_reader *rd)
{
	struct source *src = rd->src;
	int r = spool_take(src->in, &rd->spool);

	if (r == BOB_OK && spool_size(rd->spool) > 0)
		r = speedscope_index(rd);
	if (r != BOB_OK)
		return r;
	src->bytes_unpacked = spool_size(rd->spool);
	src->bytes_in = spool_bytes_in(rd->spool, spool_size(rd->spool));
	return BOB_OK;
}

static void
give_segment(struct speedscope_reader *rd, struct bob_event *ret)
{
	rd->segment = (struct bob_segment){
		.index = rd->src->next_segment++,
		.period_us = rd->is_time ? rd->period_us : 0 };
	rd->has_segment = 1;
	*ret = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
		.segment = &rd->segment };
}

static void
note_negative(struct speedscope_reader *rd)
{
	if (rd->n_negative > 0)
		err_diag(rd->src->ctx, BOB_WARN, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "speedscope: %llu samples without a weight "
		    "of 0 or more are left out", (ull)rd->n_negative);
	rd->n_negative = 0;
}

/* The next profile of this kind; then those of the other kind. */
static int
next_profile(struct speedscope_reader *rd)
{
	int r;

	for (; rd->at < rd->n_profile; rd->at++)
		if (rd->profile[rd->at].is_time == rd->is_time)
			break;
	if (rd->at == rd->n_profile) {
		rd->at = 0;
		rd->has_segment = 0;
		if (!rd->is_time)
			rd->phase = SPEEDSCOPE_AT_END;
		rd->is_time = 0;
		return BOB_OK;
	}
	r = speedscope_open_profile(rd, &rd->profile[rd->at++]);
	rd->phase = SPEEDSCOPE_IN_PROFILE;
	return r;
}

static int
fill_batch(struct speedscope_reader *rd)
{
	int r = BOB_OK;

	rd->n_run = 0;
	while (r == BOB_OK && rd->n_run == 0 && !gaps_has(&rd->gaps)) {
		if (rd->phase == SPEEDSCOPE_AT_PROFILE)
			r = next_profile(rd);
		if (rd->phase == SPEEDSCOPE_AT_END)
			break;
		if (r != BOB_OK || rd->phase != SPEEDSCOPE_IN_PROFILE)
			continue;
		r = speedscope_read_runs(rd);
		if (r != BOB_EOF)
			continue;
		speedscope_close_profile(rd);
		rd->phase = SPEEDSCOPE_AT_PROFILE;
		r = BOB_OK;
	}
	return r;
}

/* A segment before its first runs, runs, and the gaps behind them. */
static int
speedscope_give(struct speedscope_reader *rd, struct bob_event *ret)
{
	if (rd->n_run == 0 && gaps_has(&rd->gaps))
		return gaps_give(&rd->gaps, &rd->mark, ret);
	if (rd->n_run == 0) {
		if (!rd->is_dead && rd->phase != SPEEDSCOPE_AT_END)
			rd->is_dead = fill_batch(rd) < 0;
		if (rd->n_run == 0 && gaps_has(&rd->gaps))
			return gaps_give(&rd->gaps, &rd->mark, ret);
	}
	if (rd->n_run == 0) {
		note_negative(rd);
		return rd->is_dead ? BOB_FATAL : BOB_EOF;
	}
	if (!rd->has_segment) {
		give_segment(rd, ret);
		return BOB_OK;
	}
	*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = rd->run,
		.n_runs = rd->n_run };
	rd->n_run = 0;
	return BOB_OK;
}

static int
speedscope_next(struct source *src, struct bob_event *ret)
{
	struct speedscope_reader *rd = src->state;
	int r;

	if (rd->phase == SPEEDSCOPE_AT_START) {
		r = rd->is_dead ? BOB_FATAL : speedscope_start(rd);
		rd->is_dead = r < 0;
		if (r != BOB_OK)
			return r;
		rd->phase = SPEEDSCOPE_AT_PROFILE;
	}
	return speedscope_give(rd, ret);
}

const struct source_ops speedscope_source = {
	.state_size = sizeof(struct speedscope_reader),
	.open = speedscope_open,
	.next = speedscope_next,
	.close = speedscope_close,
};

static int
holds_text(const char *p, size_t n, const char *text)
{
	size_t len = strlen(text);

	for (; n >= len; p++, n--)
		if (memcmp(p, text, len) == 0)
			return 1;
	return 0;
}

/* An object that names speedscope's schema; slashes may be escaped, so the
 * words between them are looked for. */
int
speedscope_bid(const uint8_t *bytes, size_t n)
{
	const char *p = (const char *)bytes;
	size_t i = 0;

	while (i < n && memchr(" \t\r\n", p[i], 4) != NULL)
		i++;
	if (i == n || p[i] != '{')
		return BID_NO;
	if (holds_text(p, n, "\"$schema\"") &&
	    holds_text(p, n, "speedscope.app") &&
	    holds_text(p, n, "file-format-schema.json"))
		return BID_MAGIC;
	return holds_text(p, n, "\"shared\"") &&
	    holds_text(p, n, "\"frames\"") ? BID_TEXT_MAYBE : BID_NO;
}

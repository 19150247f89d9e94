/*
 * Following a live writer. NAME.part has an empty header and grows; its journal
 * has the names. Up to the last barrier of the journal there are whole records,
 * and the journal has their names. Nothing behind it is looked at, because it
 * may be the tables. So samples come with barriers, and END is the end.
 *
 * A live file is read strictly, also in tolerant reading.
 */
#include <stdlib.h>
#include <string.h>

#include "core/regular.h"
#include "format/tach/journal.h"
#include "format/tach/read.h"

/* The sample data up to the last barrier: a window that lies in that of the
 * input below, which is borrowed. */
struct tail {
	struct in in;
	struct in *below;
	struct tach_reader *rd;
};

/* Names that the journal has and the tables do not. */
static int
take_names(struct tach_reader *rd)
{
	const struct journal *j = &rd->tail->j;
	struct tach_tables *t = &rd->tables;
	unsigned fields = tach_layouts[j->head.dialect].frame_fields;
	int r = BOB_OK;

	while (r == BOB_OK && t->n_str < j->n_string)
		r = tables_add_string(t, j->string[t->n_str].p,
		    j->string[t->n_str].n, 0);
	while (r == BOB_OK && t->n_fid < j->n_frame)
		r = tables_add_frame(t, &j->frame[t->n_fid], fields, 0);
	return r;
}

static uint64_t
limit_of(const struct journal *j)
{
	return j->has_end ? j->end.bytes : j->has_barrier ? j->barrier.bytes :
	    TACH_HEADER;
}

/* Looks at the journal again. */
static int
follow_journal(struct tach_reader *rd)
{
	const struct journal *j = &rd->tail->j;
	int r = journal_more(rd->src->ctx, rd->tail);

	if (r == BOB_OK)
		r = take_names(rd);
	if (j->has_end) {
		rd->file.head.n_samples = j->end.samples;
		rd->file.size = rd->samples_end = j->end.bytes;
	}
	return r;
}

static int
tail_fill(struct in *in, size_t min)
{
	struct tail *t = (struct tail *)in;
	const struct journal *j = &t->rd->tail->j;
	uint64_t limit, room;
	const uint8_t *p;
	size_t n;
	int r;

	in_consume(t->below, (size_t)(in->pos - t->below->pos));
	for (;;) {
		limit = limit_of(j);
		room = limit - in->pos;
		r = in_peek(t->below, min < room ? min : (size_t)room, &p, &n);
		in->p = p;
		in->n = n < room ? n : (size_t)room;
		if (in->n >= min)
			return BOB_OK;
		/* It has less than the journal says: it comes. */
		if (r != BOB_OK)
			return r;
		if (j->has_end)
			return BOB_EOF;
		if (follow_journal(t->rd) < 0)
			return BOB_FATAL;
		if (limit_of(j) == limit && !j->has_end)
			return BOB_AGAIN;
	}
}

static void
tail_close(struct in *in)
{
	free(in);
}

static const struct in_ops tail_ops = {
	.fill = tail_fill,
	.close = tail_close,
};

static int
open_tail(struct tach_reader *rd)
{
	struct tail *t = calloc(1, sizeof(*t));
	struct in *below = rd->src->in;

	if (t == NULL)
		return err_nomem(rd->src->ctx);
	in_consume(below, TACH_HEADER);
	t->in.ops = &tail_ops;
	t->in.ctx = below->ctx;
	t->in.name = below->name;
	t->in.p = below->p;
	t->in.pos = below->pos;
	t->below = below;
	t->rd = rd;
	rd->end = UINT64_MAX;
	if (rd->tail->j.head.compression != TACH_ZSTD) {
		rd->in = &t->in;
		return BOB_OK;
	}
	rd->in_base = TACH_HEADER;
	return in_open_zstd(&t->in, 0, &rd->in) < 0 ? BOB_FATAL : BOB_OK;
}

/* The journal has its first block. */
static int
follow_begin(struct tach_reader *rd)
{
	static const uint8_t big_one[4] = { 0, 0, 0, 1 };
	const struct journal *j = &rd->tail->j;
	struct tach_file *f = &rd->file;
	uint32_t i;
	int r = BOB_OK;

	rd->has_header = 0;
	rd->is_tolerant = 0;
	f->dialect = j->head.dialect;
	f->is_swapped = j->head.is_big != (tach_u32(big_one, 0) == 1);
	f->head.start_us = j->head.start_us;
	f->head.interval_us = j->head.interval_us;
	f->head.n_threads = UINT32_MAX;
	for (i = 0; (rd->src->want & BOB_WANT_MARKS) != 0 && i < j->n_meta &&
	    r == BOB_OK; i++)
		r = tach_add_meta(rd, j->meta[i].key, j->meta[i].value);
	return r == BOB_OK ? open_tail(rd) : r;
}

/* A file that was finished before we came does not grow any more. */
static int
read_finished(struct tach_reader *rd)
{
	struct source *src = rd->src;
	int fd = regular_open(src->path);

	if (fd < 0)
		return err_set(src->ctx, BOB_FATAL, BOB_E_IO, BOB_NO_OFFSET,
		    "%s: cannot be opened again", src->path);
	return in_open_fd(src->ctx, fd, 1, 0, src->path, &rd->finished) < 0 ?
	    BOB_FATAL : BOB_OK;
}

int
tach_follow(struct tach_reader *rd)
{
	static const uint8_t zero[TACH_HEADER];
	struct source *src = rd->src;
	const uint8_t *p;
	size_t n;
	int r;

	if (rd->finished != NULL)
		return BOB_EOF;
	r = in_peek(src->in, TACH_HEADER, &p, &n);
	if (r != BOB_OK)
		return r;
	if (memcmp(p, zero, TACH_HEADER) != 0) {
		r = read_finished(rd);
		return r == BOB_OK ? BOB_EOF : r;
	}
	if (rd->tail == NULL) {
		r = journal_follow(src->ctx, src->path, &rd->tail);
		if (r != BOB_OK)
			return r == BOB_EOF ? BOB_AGAIN : BOB_FATAL;
	}
	r = follow_journal(rd);
	if (r == BOB_OK && !rd->tail->j.has_head)
		return BOB_AGAIN;
	return r == BOB_OK ? follow_begin(rd) : r;
}

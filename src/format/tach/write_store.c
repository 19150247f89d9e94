/*
 * Where bytes go. A file begins with an empty header, which is filled in last:
 * an output that has no way back gets a copy of a temporary file. Records go
 * straight to the file, or gather in memory until they are packed.
 *
 * A live file has a journal beside it (journal.h). There records always gather
 * first, so that their names can be with the system before them; and packed
 * ones are cut into several frames, so that a torn one takes little with it.
 * They are packed thoroughly as long as they come slowly.
 */
#include <stdlib.h>

#include "format/tach/write.h"

/* Bytes of records in one frame of a live file. */
#define LIVE_FRAME ((uint64_t)1 << 20)

/* Bytes of records between two barriers, which are a second apart, up to which
 * there is time to pack them thoroughly: that takes some 0.1 us a byte. */
#define LIVE_SLOW ((uint64_t)128 << 10)

static int
open_journal(struct tach_writer *w)
{
	if (!out_is_live(w->sink->out))
		return BOB_OK;
	if (out_open_side(w->sink->out, TACH_JOURNAL_SUFFIX, &w->journal) < 0)
		return BOB_FAILED;
	w->sink->side = w->journal;
	return BOB_OK;
}

/* Of two temporary files, one will become the file: nobody can read that while
 * it is written. */
static int
refuse_live_small(struct tach_writer *w)
{
	if (!w->o.is_small || !out_is_live(w->sink->out))
		return BOB_OK;
	return err_set(w->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "tach: what is small is known at the end: it cannot be written "
	    "to a live file");
}

static size_t
n_streams(const struct tach_writer *w)
{
	return w->o.is_small ? 2 : 1;
}

static int
open_stream(struct tach_writer *w, struct tach_stream *s)
{
	int is_thorough = s != &w->stream[0] || w->journal != NULL;

	s->to = w->file;
	if (w->o.is_small) {
		if (out_open_temp(w->ctx, &s->temp) < 0)
			return BOB_FATAL;
		s->to = s->temp;
	}
	s->base = out_total(s->to);
	if (w->o.is_packed) {
		s->zpack = is_thorough
		    ? zpack_new_thorough(w->ctx, w->o.level)
		    : zpack_new(w->ctx, w->o.level);
		if (s->zpack == NULL)
			return BOB_FATAL;
	}
	if ((w->o.is_packed || w->journal != NULL) &&
	    out_open_memory(w->ctx, &s->gathered) < 0)
		return BOB_FATAL;
	s->records = s->gathered != NULL ? s->gathered : s->to;
	return BOB_OK;
}

/* Only at barriers all samples are in the file: until then they wait in
 * threads, in memory, and in the packer. */
static void
count_stored(struct tach_writer *w)
{
	w->file->stored = w->sink->stored;
	w->file->by_marks = 1;
	out_mark(w->file, 0);
}

int
tach_store_open(struct tach_writer *w)
{
	static const uint8_t header[TACH_HEADER];
	size_t i;
	int r = refuse_live_small(w);

	w->file = w->sink->out;
	if (r == BOB_OK && !out_can_patch(w->file)) {
		r = out_open_temp(w->ctx, &w->temp);
		w->file = w->temp;
	}
	if (r == BOB_OK)
		r = open_journal(w);
	if (r == BOB_OK)
		r = out_bytes(w->file, header, sizeof(header));
	if (r == BOB_OK && w->journal != NULL)
		count_stored(w);
	w->n_streams = n_streams(w);
	for (i = 0; i < n_streams(w) && r == BOB_OK; i++)
		r = open_stream(w, &w->stream[i]);
	return r;
}

static int
journal_new_meta(struct tach_writer *w)
{
	size_t i;
	int r = BOB_OK;

	for (i = 0; i < w->n_new_meta && r == BOB_OK; i++)
		r = journal_meta(w->journal,
		    bob_str_get(w->dict, w->new_meta[i].key),
		    bob_str_get(w->dict, w->new_meta[i].value));
	w->n_new_meta = 0;
	return r;
}

/* All names that the next records may use are handed to the system. */
static int
write_journal(struct tach_writer *w)
{
	struct journal_head head = {
		.dialect = w->o.dialect < 0
		    ? TACH_1B
		    : (enum tach_dialect)w->o.dialect,
		.is_big = w->o.is_big,
		.compression = w->o.is_packed ? TACH_ZSTD : TACH_RAW,
		.start_us = w->start_us,
		.interval_us = w->interval_us };
	struct tach_names *names = &w->names;
	int r = BOB_OK;

	if (w->journal == NULL)
		return BOB_OK;
	if (!w->has_journal_head)
		r = journal_head(w->journal, &head);
	w->has_journal_head = 1;
	if (r == BOB_OK && names->n_string > w->n_safe_string)
		r = journal_strings(w->journal,
		    names->string + w->n_safe_string,
		    names->n_string - w->n_safe_string);
	if (r == BOB_OK && names->n_frame > w->n_safe_frame)
		r = journal_frames(w->journal, names->frame + w->n_safe_frame,
		    names->n_frame - w->n_safe_frame, names->n_fields);
	w->n_safe_string = names->n_string;
	w->n_safe_frame = names->n_frame;
	if (r == BOB_OK)
		r = journal_new_meta(w);
	return r < 0 ? r : out_barrier(w->journal, 0);
}

/* A zstd frame has one level, so a new frame begins. */
static int
set_haste(struct tach_writer *w, struct tach_stream *s, int does)
{
	int r = BOB_OK;

	if (w->journal == NULL || w->is_in_haste == does)
		return BOB_OK;
	w->is_in_haste = does;
	if (zpack_pending(s->zpack) > 0)
		r = zpack_end(s->zpack, s->to);
	return r < 0 ? r : zpack_hurry(s->zpack, does);
}

int
tach_store_spill(struct tach_writer *w, struct tach_stream *s)
{
	const uint8_t *p;
	size_t n;
	int r;

	if (s->gathered == NULL)
		return BOB_OK;
	r = write_journal(w);
	if (r < 0)
		return r;
	p = out_memory_take(s->gathered, &n);
	if (s->zpack == NULL)
		return out_bytes(s->to, p, n);
	w->n_since_barrier += n;
	r = zpack_write(s->zpack, s->to, p, n);
	if (r == BOB_OK && w->journal != NULL &&
	    zpack_pending(s->zpack) >= LIVE_FRAME)
		r = zpack_end(s->zpack, s->to);
	if (r == BOB_OK && w->n_since_barrier > LIVE_SLOW)
		r = set_haste(w, s, 1);
	return r;
}

int
tach_store_flush(struct tach_writer *w)
{
	struct tach_stream *s = &w->stream[0];
	struct journal_mark mark = { .samples = w->n_samples };
	int r;

	/* The journal begins with the start, which the first sample tells. */
	if (!w->has_start)
		return BOB_OK;
	r = tach_store_spill(w, s);
	if (r == BOB_OK && s->zpack != NULL)
		r = zpack_flush(s->zpack, s->to);
	/* Twice as slow as to begin with: not to and fro. */
	if (r == BOB_OK && s->zpack != NULL &&
	    w->n_since_barrier < LIVE_SLOW / 2)
		r = set_haste(w, s, 0);
	w->n_since_barrier = 0;
	mark.bytes = out_total(w->file);
	if (r == BOB_OK)
		out_mark(w->file, w->n_samples);
	if (r == BOB_OK && w->journal != NULL)
		r = journal_barrier(w->journal, &mark);
	return r;
}

/* At least one frame: a file without samples has an empty one. */
static int
end_stream(struct tach_writer *w, struct tach_stream *s)
{
	int r = tach_store_spill(w, s);

	if (r < 0 || s->zpack == NULL)
		return r;
	if (zpack_pending(s->zpack) == 0 && out_total(s->to) > s->base)
		return BOB_OK;
	return zpack_end(s->zpack, s->to);
}

static int
copy_smaller(struct tach_writer *w)
{
	uint64_t plain = out_total(w->stream[0].temp);
	uint64_t small = out_total(w->stream[1].temp);

	w->n_plain = plain;
	w->n_records = small < plain ? small : plain;
	return out_copy_to(w->stream[small < plain].temp, w->file);
}

int
tach_store_end_records(struct tach_writer *w)
{
	struct journal_mark mark = { .samples = w->n_samples };
	size_t i;
	int r = BOB_OK;

	for (i = 0; i < n_streams(w) && r == BOB_OK; i++)
		r = end_stream(w, &w->stream[i]);
	if (r == BOB_OK && w->o.is_small)
		r = copy_smaller(w);
	if (r < 0 || w->journal == NULL)
		return r;
	out_mark(w->file, w->n_samples);
	mark.bytes = out_total(w->file);
	r = journal_end(w->journal, &mark);
	return r < 0 ? r : out_order(w->journal);
}

/* The header makes the file whole, so all else is there before it, and the
 * journal stays until it is there too. */
static int
finish_live(struct tach_writer *w, const uint8_t *header)
{
	int r = out_order(w->file);

	if (r == BOB_OK)
		r = out_patch(w->file, 0, header, TACH_HEADER);
	if (r == BOB_OK)
		r = out_order(w->file);
	if (r < 0)
		return r;
	out_remove(w->journal);
	w->journal = w->sink->side = NULL;
	return BOB_OK;
}

int
tach_store_finish(struct tach_writer *w, const uint8_t *header)
{
	int r;

	if (w->journal != NULL)
		return finish_live(w, header);
	r = out_patch(w->file, 0, header, TACH_HEADER);
	if (r == BOB_OK && w->temp != NULL)
		r = out_copy_to(w->temp, w->sink->out);
	return r;
}

/* Names alone are useless: a disk that was full from the start leaves neither
 * file. The error that ended the writer is kept, whether this works or not. */
static int
has_records(struct tach_writer *w)
{
	struct bob_error why = w->ctx->error;

	(void)out_barrier(w->file, 0);
	w->ctx->error = why;
	return w->n_samples > 0 && w->file->written > TACH_HEADER;
}

static void
close_journal(struct tach_writer *w)
{
	if (has_records(w)) {
		out_discard(w->journal);
	} else {
		out_remove(w->journal);
		out_remove(w->sink->out);
		w->sink->out = NULL;
		if (w->sink->stored != NULL)
			*w->sink->stored = 0;
	}
	w->journal = w->sink->side = NULL;
}

static void
close_stream(struct tach_stream *s)
{
	out_discard(s->temp);
	out_discard(s->gathered);
	zpack_free(s->zpack);
}

void
tach_store_close(struct tach_writer *w)
{
	if (w->journal != NULL)
		close_journal(w);
	out_discard(w->temp);
	close_stream(&w->stream[0]);
	close_stream(&w->stream[1]);
	free(w->new_meta);
}

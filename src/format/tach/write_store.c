/*
 * Where bytes go. A file begins with an empty header, which is filled in last:
 * an output that has no way back gets a copy of a temporary file. Records go
 * straight to the file, or gather in memory until they are packed.
 *
 * A live file has a journal beside it (journal.h). There records always gather
 * first, so that their names can be with the system before them; and packed
 * ones are cut into several frames, so that a torn one takes little with it.
 */
#include <stdlib.h>

#include "format/tach/write.h"

/* Bytes of records in one frame of a live file. */
#define LIVE_FRAME ((uint64_t)1 << 20)

static int
open_journal(struct tach_writer *w)
{
	if (!out_is_live(w->sink->out))
		return BOB_OK;
	if (out_open_side(w->sink->out, TACH_JOURNAL_SUFFIX, &w->journal) < 0)
		return BOB_FAILED;
	w->sink->live = w->journal;
	return BOB_OK;
}

int
tach_store_open(struct tach_writer *w)
{
	static const uint8_t header[TACH_HEADER];
	int r = BOB_OK;

	w->file = w->sink->out;
	if (!out_can_patch(w->file)) {
		r = out_open_temp(w->ctx, &w->temp);
		w->file = w->temp;
	}
	if (r == BOB_OK)
		r = open_journal(w);
	if (r == BOB_OK && w->o.is_packed) {
		w->zpack = zpack_new(w->ctx, w->o.level);
		r = w->zpack == NULL ? BOB_FATAL : BOB_OK;
	}
	if (r == BOB_OK && (w->o.is_packed || w->journal != NULL))
		r = out_open_memory(w->ctx, &w->gathered);
	w->records = w->gathered != NULL ? w->gathered : w->file;
	return r < 0 ? r : out_bytes(w->file, header, sizeof(header));
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

/* Everything that the next records may name is with the system. */
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
	if (r == BOB_OK)
		r = journal_strings(w->journal,
		    names->string + w->n_safe_string,
		    names->n_string - w->n_safe_string);
	if (r == BOB_OK)
		r = journal_frames(w->journal, names->frame + w->n_safe_frame,
		    names->n_frame - w->n_safe_frame, names->n_fields);
	w->n_safe_string = names->n_string;
	w->n_safe_frame = names->n_frame;
	if (r == BOB_OK)
		r = journal_new_meta(w);
	return r < 0 ? r : out_barrier(w->journal, 0);
}

int
tach_store_spill(struct tach_writer *w)
{
	const uint8_t *p;
	size_t n;
	int r;

	if (w->gathered == NULL)
		return BOB_OK;
	r = write_journal(w);
	if (r < 0)
		return r;
	p = out_memory_take(w->gathered, &n);
	if (w->zpack == NULL)
		return out_bytes(w->file, p, n);
	r = zpack_write(w->zpack, w->file, p, n);
	if (r == BOB_OK && w->journal != NULL &&
	    zpack_pending(w->zpack) >= LIVE_FRAME)
		r = zpack_end(w->zpack, w->file);
	return r;
}

int
tach_store_flush(struct tach_writer *w)
{
	struct journal_mark mark = { .samples = w->n_samples };
	int r;

	/* The journal begins with the start, which the first sample tells. */
	if (!w->has_start)
		return BOB_OK;
	r = tach_store_spill(w);
	if (r == BOB_OK && w->zpack != NULL)
		r = zpack_flush(w->zpack, w->file);
	mark.bytes = out_total(w->file);
	if (r == BOB_OK && w->journal != NULL)
		r = journal_barrier(w->journal, &mark);
	return r;
}

/* At least one frame: a file without samples has an empty one. */
static int
end_frames(struct tach_writer *w)
{
	if (zpack_pending(w->zpack) == 0 && out_total(w->file) > TACH_HEADER)
		return BOB_OK;
	return zpack_end(w->zpack, w->file);
}

int
tach_store_end_records(struct tach_writer *w)
{
	struct journal_mark mark = { .samples = w->n_samples };
	int r = tach_store_spill(w);

	if (r == BOB_OK && w->zpack != NULL)
		r = end_frames(w);
	if (r < 0 || w->journal == NULL)
		return r;
	mark.bytes = out_total(w->file);
	r = journal_end(w->journal, &mark);
	return r < 0 ? r : out_barrier(w->journal, 1);
}

/* The header makes the file whole, so all else is on disk before it, and the
 * journal stays until it is on disk too. */
static int
finish_live(struct tach_writer *w, const uint8_t *header)
{
	int r = out_barrier(w->file, 1);

	if (r == BOB_OK)
		r = out_patch(w->file, 0, header, TACH_HEADER);
	if (r == BOB_OK)
		r = out_barrier(w->file, 1);
	if (r < 0)
		return r;
	out_remove(w->journal);
	w->journal = w->sink->live = NULL;
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

/* Names alone are worth nothing: a disk that was full from the start leaves
 * neither file. Why the writer ends is more interesting than whether this
 * works. */
static int
has_records(struct tach_writer *w)
{
	struct bob_error why = w->ctx->error;

	(void)out_barrier(w->file, 0);
	w->ctx->error = why;
	return w->n_samples > 0 && w->file->written > 0;
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
	}
	w->journal = w->sink->live = NULL;
}

void
tach_store_close(struct tach_writer *w)
{
	if (w->journal != NULL)
		close_journal(w);
	out_discard(w->temp);
	out_discard(w->gathered);
	zpack_free(w->zpack);
	free(w->new_meta);
}

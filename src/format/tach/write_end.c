/*
 * The end of a file: the two tables, statistics if there are any, the footer,
 * and last of all the header, which until then is empty. Only a whole file
 * has one.
 */
#include <string.h>

#include "format/tach/write.h"

static int
put_strings(struct tach_writer *w)
{
	uint32_t i;
	int r = BOB_OK;

	for (i = 0; i < w->names.n_string && r == BOB_OK; i++) {
		struct bob_bytes s = w->names.string[i];
		uint8_t *p = out_reserve(w->file, TACH_STRING_MAX + s.n);

		if (p == NULL)
			return BOB_FATAL;
		r = out_commit(w->file, (size_t)(tach_put_string(p, s) - p));
	}
	return r;
}

static int
put_frames(struct tach_writer *w)
{
	uint32_t i;
	int r = BOB_OK;

	for (i = 0; i < w->names.n_frame && r == BOB_OK; i++) {
		uint8_t *p = out_reserve(w->file, TACH_FRAME_MAX), *end;

		if (p == NULL)
			return BOB_FATAL;
		end = tach_put_frame(p, &w->names.frame[i],
		    w->names.n_fields);
		r = out_commit(w->file, (size_t)(end - p));
	}
	return r;
}

static void
put_double(uint8_t *p, double v, int is_swapped)
{
	uint64_t bits;

	_Static_assert(sizeof(v) == sizeof(bits), "IEEE 754 double");
	memcpy(&bits, &v, sizeof(bits));
	tach_put_u64(p, bits, is_swapped);
}

static int
put_stats(struct tach_writer *w)
{
	const struct tach_stats *s = &w->meta.stats;
	uint8_t block[TACH_STATS_LONG] = { 0 };
	int swap = w->o.is_swapped;

	put_double(block, s->duration_s, swap);
	put_double(block + 8, s->rate, swap);
	put_double(block + 16, s->failed, swap);
	put_double(block + 24, s->missed, swap);
	tach_put_u32(block + 32, s->flags, swap);
	memcpy(block + 40, "TACHSTAT", 8);
	tach_put_u32(block + 48, 1, swap);
	tach_put_u32(block + 52, TACH_STATS_LONG, swap);
	return out_bytes(w->file, block, sizeof(block));
}

/* The checksum is reserved and stays zero. */
static int
put_footer(struct tach_writer *w)
{
	uint8_t footer[TACH_FOOTER] = { 0 };
	int swap = w->o.is_swapped;

	tach_put_u32(footer, w->names.n_string, swap);
	tach_put_u32(footer + 4, w->names.n_frame, swap);
	tach_put_u64(footer + 8, out_total(w->file) + TACH_FOOTER, swap);
	return out_bytes(w->file, footer, sizeof(footer));
}

static uint32_t
mode_of(const struct tach_meta *m)
{
	return m->mixes_modes ? 0 : m->mode | m->features;
}

static int
has_stats(const struct tach_meta *m)
{
	return m->has_stats && !m->mixes_stats;
}

/* Dialect 1b, unless a fact needs a field that only 1c has. */
static enum tach_dialect
final_dialect(const struct tach_writer *w)
{
	if (w->o.dialect >= 0)
		return (enum tach_dialect)w->o.dialect;
	return mode_of(&w->meta) != 0 || has_stats(&w->meta) ? TACH_1C
	                                                     : TACH_1B;
}

static int
put_tables(struct tach_writer *w, enum tach_dialect dialect,
    struct tach_head *head)
{
	int r;

	head->strings = out_total(w->file);
	r = put_strings(w);
	head->frames = out_total(w->file);
	if (r == BOB_OK)
		r = put_frames(w);
	if (r == BOB_OK && dialect == TACH_1C && has_stats(&w->meta))
		r = put_stats(w);
	return r < 0 ? r : put_footer(w);
}

int
tach_write_end(struct tach_writer *w)
{
	enum tach_dialect dialect = final_dialect(w);
	struct tach_head head = { .start_us = w->start_us,
		.interval_us = w->interval_us,
		.n_samples = w->n_samples,
		.n_threads = w->threads.n,
		.compression = w->o.is_packed ? TACH_ZSTD : TACH_RAW,
		.mode = mode_of(&w->meta) };
	uint8_t header[TACH_HEADER];
	int r;

	w->is_ending = 1;
	memcpy(head.python, w->meta.python, sizeof(head.python));
	r = tach_store_end_records(w);
	if (r == BOB_OK)
		r = put_tables(w, dialect, &head);
	if (r < 0)
		return r;
	tach_head_put(header, &tach_layouts[dialect], w->o.is_swapped, &head);
	return tach_store_finish(w, header);
}

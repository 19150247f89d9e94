/*
 * Header and tables of a file that may be damaged there, was cut, had bytes
 * added, or was never finished. A part that cannot be read is a gap. Samples
 * are searched in any case, and frames without names get numbers.
 */
#include <string.h>

#include "core/mem.h"
#include "core/spool.h"
#include "format/tach/read.h"

typedef unsigned long long ull;

/* Offsets above this are not real: reading dialect 1b as 1a, or the other way
 * round, gives at least such numbers. */
#define FAR ((uint64_t)TACH_HEADER << 32)

static const struct bob_gap no_loss = { .lost_is_exact = 1,
	.code = BOB_E_CORRUPT };

/* --- layout -------------------------------------------------------------- */

static int
is_inside(uint64_t at, uint64_t size)
{
	return at >= TACH_HEADER && at <= size;
}

/* Ranks how well a layout explains the header of a damaged file. */
static int
rank_header(const struct tach_head *h, uint64_t size)
{
	if (h->compression > TACH_ZSTD)
		return 0;
	if (h->strings >= TACH_HEADER && h->strings <= h->frames) {
		if (h->frames <= size)
			return 4;
		if (h->frames < FAR)
			return 3; /* the file was cut */
	}
	return is_inside(h->strings, size) || is_inside(h->frames, size) ?
	    2 : 1;
}

/* Finds the layout with the highest rank, and returns the rank. */
static int
pick_layout(struct tach_file *f, const uint8_t *header, int dialect)
{
	static const int all[] = { TACH_1B, TACH_1A, TACH_V2 };
	uint32_t version = tach_u32(header + 4, f->is_swapped);
	struct tach_head head;
	int best = -1, i, r;

	for (i = 0; i < 3; i++) {
		int d = dialect >= 0 ? dialect : all[i];

		if (dialect < 0 && tach_layouts[d].version != version)
			continue;
		tach_head_get(header, &tach_layouts[d], f->is_swapped, &head);
		r = rank_header(&head, f->size);
		if (r > best || (r == 3 && head.frames < f->head.frames)) {
			best = r;
			f->head = head;
			f->dialect = d;
		}
	}
	return best;
}

/* Both tables are as header and footer say. BOB_OK or FATAL. */
static int
is_exact(const struct tach_file *f, int *ret)
{
	const struct tach_head *h = &f->head;
	int r;

	*ret = 0;
	if (rank_header(h, f->size) < 4 || h->frames > f->frames_end)
		return BOB_OK;
	r = tables_strings_fit(f->spool, h->strings, h->frames, f->n_strings,
	    ret);
	if (r == BOB_OK && *ret)
		r = tables_frames_fit(f->spool, h->frames, f->frames_end,
		    f->n_frames, tach_layouts[f->dialect].frame_fields, ret);
	return r;
}

/* --- footer -------------------------------------------------------------- */

static int
is_footer(const uint8_t *p, uint64_t at, int is_swapped)
{
	static const uint8_t zero[TACH_FOOTER - 16];

	return tach_u64(p + 8, is_swapped) == at + TACH_FOOTER &&
	    memcmp(p + 16, zero, sizeof(zero)) == 0;
}

/* The footer at or behind `from` that says where it is; *ret is where it
 * ends, 0 when there is none. */
static int
find_footer(const struct tach_file *f, uint64_t from, uint64_t *ret)
{
	struct in *in;
	const uint8_t *p;
	size_t n, i;
	int r = spool_range(f->spool, from, f->size, &in);

	*ret = 0;
	if (r < 0)
		return r;
	while (*ret == 0 && (r = in_peek(in, TACH_FOOTER, &p, &n)) == BOB_OK) {
		for (i = 0; i + TACH_FOOTER <= n; i++)
			if (is_footer(p + i, in->pos + i, f->is_swapped)) {
				*ret = in->pos + i + TACH_FOOTER;
				break;
			}
		in_consume(in, i);
	}
	in_close(in);
	return r == BOB_FATAL ? r : BOB_OK;
}

/* Takes the footer that ends at `end`, and the block before it. */
static int
take_footer(struct tach_file *f, uint64_t end)
{
	uint8_t tail[TACH_STATS_TAIL + TACH_FOOTER];
	uint8_t block[TACH_STATS_LONG];
	uint32_t version = 0, n;

	if (spool_read(f->spool, end - sizeof(tail), tail, sizeof(tail)) < 0)
		return BOB_FATAL;
	f->n_strings = tach_u32(tail + TACH_STATS_TAIL, f->is_swapped);
	f->n_frames = tach_u32(tail + TACH_STATS_TAIL + 4, f->is_swapped);
	f->frames_end = end - TACH_FOOTER;
	n = tach_stats_size(tail, f->is_swapped, &version);
	if (n < TACH_STATS_SHORT || f->head.frames > f->frames_end ||
	    n > f->frames_end - f->head.frames)
		return BOB_OK;
	f->frames_end -= n;
	n = n < sizeof(block) ? n : (uint32_t)sizeof(block);
	if (spool_read(f->spool, f->frames_end, block, n) < 0)
		return BOB_FATAL;
	f->has_stats = version == 1 &&
	    tach_stats_get(block, n, f->is_swapped, &f->stats);
	return BOB_OK;
}

/* Finds where the tables end. *ret: there is a footer. */
static int
find_end(struct tach_reader *rd, int *ret)
{
	struct tach_file *f = &rd->file;
	struct bob_gap gap = no_loss;
	uint64_t from = f->head.frames <= f->size ? f->head.frames :
	    f->head.strings <= f->size ? f->head.strings : f->size, end;
	int r;

	*ret = 0;
	if (from < TACH_HEADER)
		from = TACH_HEADER;
	if (f->size < TACH_HEADER + TACH_FOOTER ||
	    from > f->size - TACH_FOOTER)
		return BOB_OK;
	r = take_footer(f, f->size);
	if (r == BOB_OK)
		r = is_exact(f, ret);
	if (r < 0 || *ret)
		return r;
	r = find_footer(f, from, &end);
	if (r < 0 || end == 0)
		return r;
	*ret = 1;
	gap.offset = end;
	gap.length = f->size - end;
	if (gap.length > 0)
		tach_add_gap(rd, &gap, "tach: byte %llu: %llu bytes behind "
		    "the footer", (ull)end, (ull)gap.length);
	return take_footer(f, end);
}

/* --- tables -------------------------------------------------------------- */

static void
add_table_gap(struct tach_reader *rd, uint64_t at, uint64_t to,
    const char *why)
{
	struct bob_gap gap = no_loss;

	rd->has_told_names = 1;
	gap.offset = at;
	gap.length = to > at ? to - at : 0;
	tach_add_gap(rd, &gap, "tach: byte %llu: %s; frames without a name are "
	    "called by their number", (ull)at, why);
}

static int
read_strings(struct tach_reader *rd, uint64_t from, uint64_t to, uint32_t n)
{
	struct tach_tables *t = &rd->tables;
	int r = tables_read_strings(t, rd->spool, from, to, UINT64_MAX, n);

	if (r == BOB_FAILED) {
		add_table_gap(rd, t->bad_at, to, t->why);
		r = BOB_OK;
	}
	return r;
}

static int
read_frames(struct tach_reader *rd, uint64_t from, uint64_t to)
{
	struct tach_tables *t = &rd->tables;
	int r = tables_read_frames(t, rd->spool, from, to, UINT64_MAX,
	    UINT32_MAX, tach_layouts[rd->file.dialect].frame_fields);

	if (r == BOB_FAILED) {
		add_table_gap(rd, t->bad_at, to, t->why);
		r = BOB_OK;
	}
	rd->is_nameless |= t->n_fid < rd->file.n_frames;
	return r;
}

/* Both tables, as far as there is something of them. */
static int
read_tables(struct tach_reader *rd, int has_footer)
{
	struct tach_file *f = &rd->file;
	const struct tach_head *h = &f->head;
	const struct tach_layout *layout = &tach_layouts[f->dialect];
	uint64_t end = has_footer ? f->frames_end : f->size;
	uint64_t frames = h->frames;
	int r;

	if (!has_footer)
		f->n_frames = UINT32_MAX;
	if (h->strings < TACH_HEADER || h->strings > end) {
		rd->is_nameless = 1;
		add_table_gap(rd, layout->strings, layout->strings + 8u,
		    "the string table is not in the file");
		return BOB_OK;
	}
	if (frames < h->strings || frames > end)
		frames = end;
	r = read_strings(rd, h->strings, frames, frames == h->frames ?
	    UINT32_MAX : has_footer ? f->n_strings : UINT32_MAX);
	if (r < 0)
		return r;
	if (frames != h->frames && has_footer)
		frames = rd->tables.end;
	if (frames < end)
		return read_frames(rd, frames, end);
	rd->is_nameless |= f->n_frames > 0;
	if (rd->is_nameless)
		add_table_gap(rd, layout->frames, layout->frames + 8u,
		    "the frame table is not in the file");
	return BOB_OK;
}

/* --- all of it ----------------------------------------------------------- */

static int
has_magic(const struct tach_file *f, const uint8_t *header)
{
	uint32_t version = tach_u32(header + 4, f->is_swapped);

	return tach_u32(header, f->is_swapped) == TACH_MAGIC && version >= 1 &&
	    version <= 2;
}

/* The first bytes are damaged, so only a layout that fits exactly is accepted.
 * BOB_OK when there is one, EOF when not, FATAL. */
static int
fit_without_magic(struct tach_reader *rd, const uint8_t *header)
{
	static const int all[] = { TACH_1B, TACH_1A, TACH_EARLY_1, TACH_V2 };
	struct tach_file *f = &rd->file;
	struct bob_gap gap = no_loss;
	int i, fits = 0, r;

	for (i = 0; i < 8; i++) {
		f->dialect = all[i / 2];
		f->is_swapped = i % 2;
		tach_head_get(header, &tach_layouts[f->dialect],
		    f->is_swapped, &f->head);
		if (f->size < TACH_HEADER + TACH_FOOTER ||
		    rank_header(&f->head, f->size) < 4)
			continue;
		r = take_footer(f, f->size);
		if (r == BOB_OK)
			r = is_exact(f, &fits);
		if (r < 0)
			return r;
		if (!fits || f->n_frames == 0)
			continue;
		gap.length = 8;
		tach_add_gap(rd, &gap, "tach: byte 0: magic number or version "
		    "are damaged; the tables show that it is dialect %s",
		    tach_layouts[f->dialect].name);
		return BOB_OK;
	}
	return BOB_EOF;
}

/* What the footer says of tables that were read to their ends. */
static void
tell_counts(const struct tach_reader *rd)
{
	const struct tach_file *f = &rd->file;
	const struct tach_tables *t = &rd->tables;

	if (t->n_str != f->n_strings)
		tach_warn(rd, f->head.strings, "the footer says %lu strings, "
		    "the table has %lu", (unsigned long)f->n_strings,
		    (unsigned long)t->n_str);
	if (t->n_fid != f->n_frames)
		tach_warn(rd, f->head.frames, "the footer says %lu frames, "
		    "the table has %lu", (unsigned long)f->n_frames,
		    (unsigned long)t->n_fid);
}

/* The header says whether samples are packed, unless the bytes contradict
 * it. */
static int
open_samples(struct tach_reader *rd, uint64_t end, int looks_packed)
{
	int is_zstd = rd->file.head.compression == TACH_ZSTD;
	const uint8_t *p;
	size_t n;
	int r = tach_open_samples(rd, end, is_zstd && looks_packed);

	if (r < 0 || !is_zstd || looks_packed)
		return r;
	r = in_peek(rd->in, (size_t)1 << 16, &p, &n);
	if (r < 0)
		return r;
	if (n == 0 || tach_is_chain(rd, p, p + n, r == BOB_EOF)) {
		tach_warn(rd, TACH_HEADER, "no zstd frame begins here; read "
		    "as not compressed");
		return BOB_OK;
	}
	in_close(rd->in);
	rd->in = NULL;
	return tach_open_samples(rd, end, 1);
}

/* Fills rd->file. *why is what strict reading would end with, its status
 * BOB_OK when that would not end here. BOB_OK, FATAL, or EOF: nothing fits. */
static int
find_layout(struct tach_reader *rd, const uint8_t *header,
    struct bob_error *why)
{
	struct bob_ctx *ctx = rd->src->ctx;
	struct tach_file *f = &rd->file, found, picked;
	int r;

	f->is_swapped = tach_u32(header, 0) != TACH_MAGIC;
	why->status = BOB_OK;
	if (!has_magic(f, header))
		return fit_without_magic(rd, header);
	if (tach_probe(ctx, rd->spool, rd->dialect, &found) == BOB_OK) {
		*f = found;
		return tach_complain(ctx, f);
	}
	*why = *bob_ctx_error(ctx);
	if (pick_layout(f, header, rd->dialect) >= 3 || rd->dialect >= 0)
		return BOB_OK;
	/* Perhaps the version is wrong. */
	picked = *f;
	r = fit_without_magic(rd, header);
	if (r == BOB_EOF)
		*f = picked;
	return r == BOB_EOF ? BOB_OK : r;
}

/* Damage that has cost no samples is reported as a warning; where something is
 * missing, the gaps report it. */
static void
tell_why(const struct tach_reader *rd, const struct bob_error *why)
{
	if (why->status == BOB_OK && rd->n_gap == 0)
		tell_counts(rd);
	if (why->status != BOB_OK &&
	    (rd->n_gap == 0 || why->code != BOB_E_TRUNCATED))
		err_diag(rd->src->ctx, BOB_WARN, BOB_E_CORRUPT, why->offset,
		    "%s", why->text);
}

/* Header, tables and samples of a file that was finished once. */
static int
start_finished(struct tach_reader *rd, const uint8_t *header)
{
	struct tach_file *f = &rd->file;
	const struct tach_head *h = &f->head;
	struct bob_error why;
	int has_footer, packed, r = find_layout(rd, header, &why);
	uint64_t end;

	/* Nothing fits; say what strict reading says. */
	if (r == BOB_EOF)
		return tach_probe(rd->src->ctx, rd->spool, rd->dialect, f) ==
		    BOB_OK ? BOB_OK : BOB_FATAL;
	if (r == BOB_OK)
		r = find_end(rd, &has_footer);
	if (r == BOB_OK)
		r = read_tables(rd, has_footer);
	if (r < 0)
		return r;
	tell_why(rd, &why);
	rd->src->is_incomplete = h->frames > f->size || !has_footer;
	rd->n_expected = h->n_samples;
	end = is_inside(h->strings, f->size) ? h->strings :
	    is_inside(h->frames, f->size) ? h->frames : f->size;
	r = tach_is_packed(f, &packed);
	return r < 0 ? r : open_samples(rd, end, packed);
}

int
tach_salvage(struct tach_reader *rd)
{
	static const uint8_t zero[TACH_HEADER];
	uint8_t header[TACH_HEADER];
	struct tach_file *f = &rd->file;

	f->spool = rd->spool;
	f->size = spool_size(rd->spool);
	if (f->size < TACH_HEADER)
		return tach_probe(rd->src->ctx, rd->spool, rd->dialect, f);
	if (spool_read(rd->spool, 0, header, sizeof(header)) < 0)
		return BOB_FATAL;
	if (memcmp(header, zero, sizeof(zero)) == 0)
		return tach_start_unfinished(rd);
	return start_finished(rd, header);
}

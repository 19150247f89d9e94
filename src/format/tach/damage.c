/*
 * Damage: what was lost, how it is reported, and how many samples a file should
 * have had. resync.c finds where to go on.
 *
 * The newest gap stays open until another one begins or the samples end. Its
 * cost are the samples behind it of threads that have not shown a whole stack
 * since, and the samples that are missing at the end from the count in the
 * header.
 */
#include <stdarg.h>
#include <stdio.h>

#include "core/mem.h"
#include "format/tach/read.h"

typedef unsigned long long ull;

void
tach_add_gap(struct tach_reader *rd, const struct bob_gap *gap,
    const char *fmt, ...)
{
	struct tach_gap *g = &rd->gap[rd->n_gap];
	va_list ap;

	if (rd->n_gap == TACH_MAX_GAPS)
		return;
	rd->n_gap++;
	g->gap = *gap;
	va_start(ap, fmt);
	(void)vsnprintf(g->why, sizeof(g->why), fmt, ap);
	va_end(ap);
	rd->n_lost = count_add(rd->n_lost, gap->lost);
}

static void
close_gap(struct tach_reader *rd)
{
	if (rd->has_open)
		tach_add_gap(rd, &rd->open.gap, "%s", rd->open.why);
	rd->has_open = 0;
}

/* Every thread may have had records in the gap. The counter would wrap after
 * 2^32 gaps. */
static void
lose_threads(struct tach_reader *rd)
{
	rd->epoch++;
	rd->n_since_gap = 0;
	rd->has_who = 0;
	rd->left = 0;
}

static void
open_gap(struct tach_reader *rd, uint64_t at, uint64_t length, int code)
{
	close_gap(rd);
	rd->open.gap = (struct bob_gap){ .offset = at, .length = length,
		.code = code };
	(void)snprintf(rd->open.why, sizeof(rd->open.why),
	    "tach: byte %llu%s: %.400s", (ull)at, rd->in_base == 0 ? "" :
	    " unpacked", rd->why);
	rd->has_open = 1;
	lose_threads(rd);
}

/* zstd could not go on: behind it another frame may be found. */
static int
on_zstd_damage(struct tach_reader *rd, uint64_t at, uint64_t length,
    const char *why)
{
	(void)tach_why(rd, "%s", why);
	open_gap(rd, at, length, BOB_E_CORRUPT);
	(void)snprintf(rd->open.why, sizeof(rd->open.why),
	    "tach: byte %llu: zstd: %s", (ull)at, why);
	if (in_cross(rd->in)) {
		rd->is_last = 0;
		rd->is_searching = rd->is_fresh = 1;
	} else {
		if (rd->src->is_incomplete)
			rd->open.gap.code = BOB_E_TRUNCATED;
		in_consume(rd->in, rd->in->n);
		rd->is_cut = 1;
	}
	return rd->n_gap > 0 ? (int)TACH_STOP_GIVE : BOB_OK;
}

/* True when the input ended because packed bytes are damaged. */
static int
is_zstd_damage(struct tach_reader *rd, uint64_t *at, uint64_t *length,
    const char **why)
{
	if (rd->in_base == 0 || rd->is_cut)
		return 0;
	*at = in_gap(rd->in, length, why);
	return *at != BOB_NO_OFFSET;
}

int
tach_on_damage(struct tach_reader *rd)
{
	uint64_t at = tach_place(rd), length;
	const char *why;

	if (!rd->is_tolerant)
		return err_set(rd->src->ctx, BOB_FATAL, BOB_E_CORRUPT, at,
		    "tach: byte %llu%s: %s", (ull)at, rd->in_base == 0 ? "" :
		    " unpacked", rd->why);
	if (rd->ran_out && is_zstd_damage(rd, &at, &length, &why))
		return on_zstd_damage(rd, at, length, why);
	open_gap(rd, at, 0, rd->ran_out && rd->src->is_incomplete
	    ? BOB_E_TRUNCATED : BOB_E_CORRUPT);
	rd->is_searching = 1;
	rd->is_fresh = 0;
	return rd->n_gap > 0 ? (int)TACH_STOP_GIVE : BOB_OK;
}

/* Adds the samples that the header has counted and nobody has accounted for to
 * the last gap. */
static void
account_missing(struct tach_reader *rd)
{
	const struct tach_layout *layout = &tach_layouts[rd->file.dialect];
	uint64_t known = count_add(rd->n_samples, rd->n_lost);
	struct bob_gap gap = { .offset = layout->samples,
		.length = layout->samples_size, .code = BOB_E_CORRUPT,
		.lost_is_exact = 1 };

	if (!rd->has_open && rd->expects_exactly && known > rd->n_expected)
		tach_warn(rd, layout->samples, "the header says %llu samples, "
		    "there are %llu", (ull)rd->n_expected, (ull)known);
	if (rd->has_open) {
		if (known <= rd->n_expected &&
		    rd->n_expected - known >= rd->open.gap.lost) {
			rd->open.gap.lost = rd->n_expected - known;
			rd->open.gap.lost_is_exact = rd->expects_exactly;
		}
	} else if (known < rd->n_expected) {
		gap.lost = rd->n_expected - known;
		tach_add_gap(rd, &gap, "tach: byte %u: %llu samples should be "
		    "in the file, there are %llu", layout->samples,
		    (ull)rd->n_expected, (ull)known);
	}
	close_gap(rd);
	gap = (struct bob_gap){ .offset = rd->tables.end,
		.code = BOB_E_TRUNCATED, .lost_is_exact = 1 };
	if (rd->lacks_names && !rd->has_told_names)
		tach_add_gap(rd, &gap, "tach: byte %llu: the frame table ends "
		    "before all frames of the samples; those without a name "
		    "are called by their number", (ull)gap.offset);
}

int
tach_on_end(struct tach_reader *rd)
{
	const struct tach_head *h = &rd->file.head;
	const struct tach_layout *layout = &tach_layouts[rd->file.dialect];
	uint64_t at, length;
	const char *why;

	if (rd->is_tolerant && is_zstd_damage(rd, &at, &length, &why))
		return on_zstd_damage(rd, at, length, why);
	if (rd->has_header && rd->threads.n < h->n_threads)
		tach_warn(rd, layout->threads, "the header says %lu threads, "
		    "the samples are of %lu", (unsigned long)h->n_threads,
		    (unsigned long)rd->threads.n);
	if (rd->is_tolerant) {
		account_missing(rd);
		return BOB_EOF;
	}
	if (rd->n_samples == h->n_samples)
		return BOB_EOF;
	return err_set(rd->src->ctx, BOB_FATAL, BOB_E_CORRUPT,
	    layout->samples, "tach: byte %u: the header says %llu samples, "
	    "there are %llu", layout->samples, (ull)h->n_samples,
	    (ull)rd->n_samples);
}

int
tach_make_lost(struct tach_reader *rd)
{
	static const char name[] = "<lost>", file[] = "~";
	struct bob_dict *d = rd->src->dict;
	struct bob_frame f = { .lang = BOB_LANG_PYTHON,
		.flags = BOB_FRAME_NO_LINE };
	bob_fid id;
	bob_stack stack;

	f.name = bob_str_put(d, name, sizeof(name) - 1);
	f.file = bob_str_put(d, file, sizeof(file) - 1);
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID)
		return BOB_FATAL;
	id = bob_frame_put(d, &f);
	stack = id == BOB_NO_ID ? BOB_NO_ID : bob_stack_push(d, 0, id);
	if (stack == BOB_NO_ID)
		return BOB_FATAL;
	rd->lost_stack = stack;
	return BOB_OK;
}

/* Makes a frame for each unknown index, so that the shape of stacks stays. */
static bob_fid
nameless_frame(struct tach_reader *rd, uint32_t index)
{
	struct bob_dict *d = rd->src->dict;
	struct bob_frame f = { .lang = BOB_LANG_PYTHON,
		.flags = BOB_FRAME_NO_LINE };
	char name[24];
	int n = snprintf(name, sizeof(name), "frame %lu",
	    (unsigned long)index);

	f.name = bob_str_put(d, name, (size_t)n);
	return f.name == BOB_NO_ID ? BOB_NO_ID : bob_frame_put(d, &f);
}

int
tach_missing_frame(struct tach_reader *rd, uint32_t index, bob_fid *ret)
{
	uint32_t n = rd->tables.n_fid;

	if (index < n && !rd->is_tolerant)
		return tach_why(rd, "frame %lu is used, but refers to a "
		    "string that does not exist", (unsigned long)index);
	/* A frame is in the table because a record had it first. */
	if (index >= n && (!rd->is_nameless ||
	    index > tach_place(rd) + BOB_MAX_DEPTH))
		return tach_why(rd, "frame %lu is used, but there are %lu",
		    (unsigned long)index, (unsigned long)n);
	rd->lacks_names = 1;
	/* Memory grows with what was read, not with what an index claims. */
	if (index >= TACH_MAX_NAMELESS || index > tach_place(rd)) {
		*ret = nameless_frame(rd, index);
		return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
	}
	if (MEM_TAKE(rd->src->ctx, rd, nameless, (size_t)index + 1) < 0)
		return BOB_FATAL;
	while (rd->n_nameless <= index)
		rd->nameless[rd->n_nameless++] = 0;
	if (rd->nameless[index] == 0) {
		*ret = nameless_frame(rd, index);
		if (*ret == BOB_NO_ID)
			return BOB_FATAL;
		rd->nameless[index] = *ret;
	}
	*ret = rd->nameless[index];
	return BOB_OK;
}

/* Finding the dialect; see the header. */
#include "format/tach/probe.h"

#include <stdio.h>
#include <string.h>

#include "core/spool.h"
#include "format/tach/tables.h"

typedef unsigned long long ull;

/* A frame's, in any dialect; each takes a byte at least. */
#define FEWEST_FIELDS 3

/* How far a layout makes sense of a file, each step on top of the one
 * before. */
enum fit { FIT_NONE, FIT_OFFSETS, FIT_COMPRESSION, FIT_COUNTS, FIT_EXACT };

struct candidate {
	int dialect;
	enum fit fit;
	struct tach_head head;
};

/* Everything of the file that all candidates share. */
struct evidence {
	struct bob_ctx *ctx;
	struct spool *spool;
	uint64_t size;
	int is_swapped;
	uint8_t header[TACH_HEADER];
	uint32_t n_strings, n_frames;
	uint64_t block; /* where statistics begin, or the footer */
	int has_block;
	uint32_t block_version;
};

static enum fit
judge_candidate(const struct evidence *e, const struct candidate *c)
{
	const struct tach_head *h = &c->head;

	if (h->strings < TACH_HEADER || h->strings > h->frames ||
	    h->frames > e->size - TACH_FOOTER)
		return FIT_NONE;
	if (h->compression > TACH_ZSTD)
		return FIT_OFFSETS;
	/* Uses the smallest frame of any dialect: a damaged count must not
	 * decide between frames of three and of seven fields. */
	if (e->n_strings > h->frames - h->strings ||
	    e->n_frames > (e->size - h->frames) / FEWEST_FIELDS)
		return FIT_COMPRESSION;
	return FIT_COUNTS;
}

/* What is wrong with the offsets, in words. */
static int
refuse_offsets(const struct evidence *e, const struct tach_layout *layout,
    const struct tach_head *h)
{
	uint64_t last = e->size - TACH_FOOTER;
	const char *table = h->strings < TACH_HEADER || h->strings > last ?
	    "string" : "frame";
	unsigned field = *table == 's' ? layout->strings : layout->frames;
	uint64_t at = *table == 's' ? h->strings : h->frames;

	if (at >= TACH_HEADER && at <= last)
		return err_set(e->ctx, BOB_FATAL, BOB_E_CORRUPT,
		    layout->strings, "tach: byte %u: the string table (byte "
		    "%llu) is behind the frame table (byte %llu)",
		    layout->strings, (ull)h->strings, (ull)h->frames);
	return err_set(e->ctx, BOB_FATAL, at < TACH_HEADER ? BOB_E_CORRUPT :
	    BOB_E_TRUNCATED, field, "tach: byte %u: the %s table is said to "
	    "be at byte %llu of a file of %llu bytes%s", field, table,
	    (ull)at, (ull)e->size, at < TACH_HEADER ? "" :
	    ", the last 32 of them its footer: it was cut, or its dialect "
	    "is not known");
}

/* Both tables end exactly where they must. BOB_OK with c->fit set, FATAL. */
static int
judge_tables(const struct evidence *e, struct candidate *c)
{
	const struct tach_head *h = &c->head;
	unsigned fields = tach_layouts[c->dialect].frame_fields;
	uint64_t end = c->dialect == TACH_1B && e->block >= h->frames ?
	    e->block : e->size - TACH_FOOTER;
	int r, is_exact;

	r = tables_strings_fit(e->spool, h->strings, h->frames, e->n_strings,
	    &is_exact);
	if (r == BOB_OK && is_exact)
		r = tables_frames_fit(e->spool, h->frames, end, e->n_frames,
		    fields, &is_exact);
	if (r == BOB_OK && is_exact)
		c->fit = FIT_EXACT;
	return r;
}

static int
refuse_several(const struct evidence *e, const struct candidate *v, int n)
{
	char names[64];
	size_t used = 0;
	int i;

	names[0] = '\0';
	for (i = 0; i < n; i++) {
		/* NOLINT(clang-analyzer-security.ArrayBound): n is 3 at most,
		 * as tach_probe has it. */
		const char *name = tach_layouts[v[i].dialect].name;

		used += (size_t)snprintf(names + used, sizeof(names) - used,
		    "%s%s", i == 0 ? "" : i == n - 1 ? " or " : ", ", name);
	}
	return err_set(e->ctx, BOB_FATAL, BOB_E_CORRUPT, 4,
	    "tach: byte 4: could be dialect %s; say which with --dialect",
	    names);
}

/* Keeps those that fit best, in their order. */
static int
keep_best(struct candidate *v, int n)
{
	enum fit best = FIT_NONE;
	int i, kept = 0;

	for (i = 0; i < n; i++)
		best = v[i].fit > best ? v[i].fit : best;
	for (i = 0; i < n; i++)
		if (v[i].fit == best)
			v[kept++] = v[i];
	return kept;
}

/* Reduces the candidates v[0..n) to the right one, in v[0]. */
static int
choose_candidate(const struct evidence *e, struct candidate *v, int n)
{
	int i, r;

	n = keep_best(v, n);
	if (v[0].fit == FIT_NONE)
		return refuse_offsets(e, &tach_layouts[v[0].dialect],
		    &v[0].head);
	if (n == 1)
		return BOB_OK;
	for (i = 0; i < n; i++)
		if ((r = judge_tables(e, &v[i])) < 0)
			return r;
	n = keep_best(v, n);
	/* Without frames nothing tells their forms apart; the common one is
	 * first. */
	if (n == 1 || e->n_frames == 0)
		return BOB_OK;
	return refuse_several(e, v, n);
}

static int
too_short(const struct evidence *e)
{
	return err_set(e->ctx, BOB_FATAL, BOB_E_TRUNCATED, e->size,
	    "tach: byte %llu: ends before header and footer are whole",
	    (ull)e->size);
}

/* Looks at the footer and before it. */
static int
gather_evidence(struct evidence *e)
{
	uint8_t tail[TACH_STATS_TAIL + TACH_FOOTER];
	uint32_t n_block;

	if (e->size < TACH_HEADER + TACH_FOOTER)
		return too_short(e);
	if (spool_read(e->spool, e->size - sizeof(tail), tail,
	    sizeof(tail)) < 0)
		return BOB_FATAL;
	e->n_strings = tach_u32(tail + TACH_STATS_TAIL, e->is_swapped);
	e->n_frames = tach_u32(tail + TACH_STATS_TAIL + 4, e->is_swapped);
	e->block = e->size - TACH_FOOTER;
	n_block = tach_stats_size(tail, e->is_swapped, &e->block_version);
	if (n_block >= TACH_STATS_SHORT && n_block <= e->block - TACH_HEADER) {
		e->block -= n_block;
		e->has_block = 1;
	}
	return BOB_OK;
}

static int
check_start(struct evidence *e, uint32_t *version)
{
	static const uint8_t zero[TACH_HEADER];

	if (e->size < TACH_HEADER)
		return too_short(e);
	if (spool_read(e->spool, 0, e->header, TACH_HEADER) < 0)
		return BOB_FATAL;
	e->is_swapped = tach_u32(e->header, 0) != TACH_MAGIC;
	if (memcmp(e->header, zero, TACH_HEADER) == 0)
		return err_set(e->ctx, BOB_FATAL, BOB_E_TRUNCATED, 0,
		    "tach: byte 0: never finished: its writer was killed or "
		    "still runs; `bobbin recover` gives what can be had");
	if (tach_u32(e->header, e->is_swapped) != TACH_MAGIC)
		return err_set(e->ctx, BOB_FATAL, BOB_E_CORRUPT, 0,
		    "tach: byte 0: there is no magic number: nothing shows "
		    "that this is a TACH profile");
	*version = tach_u32(e->header + 4, e->is_swapped);
	if (*version < 1 || *version > 2)
		return err_set(e->ctx, BOB_FATAL, BOB_E_UNSUPPORTED, 4,
		    "tach: byte 4: version %lu is not known (1 and 2 are)",
		    (unsigned long)*version);
	return BOB_OK;
}

/* The statistics, when the file has them and they make sense. */
static int
get_stats(const struct evidence *e, struct tach_file *f)
{
	uint8_t block[TACH_STATS_LONG];
	uint32_t n = (uint32_t)(e->size - TACH_FOOTER - e->block);

	if (!f->has_block || e->block_version != 1)
		return BOB_OK;
	n = n < sizeof(block) ? n : (uint32_t)sizeof(block);
	if (spool_read(e->spool, e->block, block, n) < 0)
		return BOB_FATAL;
	f->has_stats = tach_stats_get(block, n, f->is_swapped, &f->stats);
	if (!f->has_stats)
		err_diag(e->ctx, BOB_WARN, BOB_E_CORRUPT, e->block,
		    "tach: byte %llu: statistics that cannot be; ignored",
		    (ull)e->block);
	return BOB_OK;
}

static int
fill_in(const struct evidence *e, const struct candidate *c,
    struct tach_file *ret)
{
	const struct tach_layout *standard = &tach_layouts[TACH_1C];
	int is_1b = c->dialect == TACH_1B || c->dialect == TACH_1C;

	*ret = (struct tach_file){ .spool = e->spool, .size = e->size,
		.dialect = c->dialect, .is_swapped = e->is_swapped,
		.head = c->head, .n_strings = e->n_strings,
		.n_frames = e->n_frames,
		.frames_end = e->size - TACH_FOOTER };
	if (is_1b && e->has_block && e->block >= c->head.frames) {
		ret->has_block = 1;
		ret->frames_end = e->block;
	}
	if (c->dialect == TACH_1B && (ret->has_block ||
	    tach_u32(e->header + standard->mode, e->is_swapped) != 0)) {
		ret->dialect = TACH_1C;
		tach_head_get(e->header, standard, e->is_swapped, &ret->head);
	}
	return get_stats(e, ret);
}

/* The candidates of a version, the likeliest first. */
static int
list_candidates(uint32_t version, int dialect, struct candidate *v)
{
	static const int of_1[] = { TACH_1B, TACH_1A, TACH_EARLY_1 };
	int i;

	if (dialect >= 0 || version == 2) {
		v[0].dialect = dialect >= 0 ? dialect : TACH_V2;
		return 1;
	}
	for (i = 0; i < 3; i++)
		v[i].dialect = of_1[i];
	return 3;
}

int
tach_probe(struct bob_ctx *ctx, struct spool *spool, int dialect,
    struct tach_file *ret)
{
	struct evidence e = { .ctx = ctx, .spool = spool,
		.size = spool_size(spool) };
	struct candidate v[3];
	uint32_t version = 0;
	int n, i, r;

	if (check_start(&e, &version) < 0 || gather_evidence(&e) < 0)
		return BOB_FATAL;
	n = list_candidates(version, dialect, v);
	for (i = 0; i < n; i++) {
		tach_head_get(e.header, &tach_layouts[v[i].dialect],
		    e.is_swapped, &v[i].head);
		v[i].fit = judge_candidate(&e, &v[i]);
	}
	r = choose_candidate(&e, v, n);
	return r < 0 ? r : fill_in(&e, &v[0], ret);
}

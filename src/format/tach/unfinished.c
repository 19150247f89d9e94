/*
 * Files that were never finished: their header is empty and their tables were
 * not written. If the writer was bobbin, the journal has the names. CPython
 * leaves no journal, so frames get numbers.
 */
#include "core/spool.h"
#include "format/tach/journal.h"
#include "format/tach/read.h"

typedef unsigned long long ull;

int
tach_is_packed(const struct tach_file *f, int *ret)
{
	uint8_t p[4];
	uint32_t magic;

	*ret = 0;
	if (f->size < TACH_HEADER + sizeof(p))
		return BOB_OK;
	if (spool_read(f->spool, TACH_HEADER, p, sizeof(p)) < 0)
		return BOB_FATAL;
	magic = (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[1] << 8 | p[0];
	*ret = magic == 0xfd2fb528 || (magic & ~15u) == 0x184d2a50;
	return BOB_OK;
}

/* Thread ids are far below what 64 bits can hold. */
static int
guess_order(struct tach_reader *rd)
{
	const uint8_t *p;
	size_t n;
	int r = in_peek(rd->in, TACH_RECORD, &p, &n);

	if (r == BOB_OK)
		rd->file.is_swapped = tach_u64(p, 1) < tach_u64(p, 0);
	return r == BOB_FATAL ? r : BOB_OK;
}

/* CPython was killed: the tables were only in its memory. */
static int
start_nameless(struct tach_reader *rd)
{
	struct bob_gap gap = { .length = TACH_HEADER,
		.lost_is_exact = 1, .code = BOB_E_TRUNCATED };
	int packed, r = tach_is_packed(&rd->file, &packed);

	rd->is_nameless = rd->has_told_names = rd->is_foreign = 1;
	tach_add_gap(rd, &gap, "tach: byte 0: its writer never finished, so "
	    "the names of its functions are gone; how often, in which thread "
	    "and in which shape stacks were seen is right");
	if (r == BOB_OK)
		r = tach_open_samples(rd, rd->file.size, packed);
	return r < 0 ? r : guess_order(rd);
}

static int
take_journal_names(struct tach_reader *rd, const struct journal *j)
{
	struct tach_tables *t = &rd->tables;
	unsigned fields = tach_layouts[j->head.dialect].frame_fields;
	uint32_t i;
	int r = BOB_OK;

	for (i = 0; i < j->n_string && r == BOB_OK; i++)
		r = tables_add_string(t, j->string[i].p, j->string[i].n, 0);
	for (i = 0; i < j->n_frame && r == BOB_OK; i++)
		r = tables_add_frame(t, &j->frame[i], fields, 0);
	if (!(rd->src->want & BOB_WANT_MARKS))
		return r;
	for (i = 0; i < j->n_meta && r == BOB_OK; i++)
		r = tach_add_meta(rd, j->meta[i].key, j->meta[i].value);
	return r;
}

/* A writer of ours left its journal. */
static int
start_with_journal(struct tach_reader *rd, const struct journal *j)
{
	static const uint8_t big_one[4] = { 0, 0, 0, 1 };
	struct tach_file *f = &rd->file;
	uint64_t end = f->size;

	f->dialect = j->head.dialect;
	f->is_swapped = j->head.is_big != (tach_u32(big_one, 0) == 1);
	f->head.start_us = j->head.start_us;
	f->head.interval_us = j->head.interval_us;
	/* The journal may have lost its end, and names with it. */
	rd->is_nameless = 1;
	if (j->has_end && j->end.bytes >= TACH_HEADER && j->end.bytes < end)
		end = j->end.bytes;
	rd->n_expected = j->has_end ? j->end.samples :
	    j->has_barrier ? j->barrier.samples : 0;
	rd->expects_exactly = j->has_end;
	if (j->n_bytes > j->n_good)
		err_diag(rd->src->ctx, BOB_OK, BOB_E_TRUNCATED, j->n_good,
		    "tach: the journal of definitions ends inside a block, at "
		    "its byte %llu", (ull)j->n_good);
	if (take_journal_names(rd, j) < 0)
		return BOB_FATAL;
	return tach_open_samples(rd, end, j->head.compression == TACH_ZSTD);
}

int
tach_start_unfinished(struct tach_reader *rd)
{
	struct source *src = rd->src;
	struct journal j = { 0 };
	int r = src->path == NULL ? BOB_EOF :
	    journal_load(src->ctx, src->path, &j);

	src->is_incomplete = 1;
	rd->has_header = 0;
	rd->expects_exactly = 0;
	rd->file.dialect = TACH_1B;
	rd->file.head.n_threads = 0;
	if (r == BOB_OK && j.has_head) {
		r = start_with_journal(rd, &j);
	} else if (r != BOB_FATAL) {
		if (r == BOB_FAILED)
			err_diag(src->ctx, BOB_WARN, BOB_E_IO, BOB_NO_OFFSET,
			    "%s", bob_ctx_error(src->ctx)->text);
		r = start_nameless(rd);
	}
	journal_free(&j);
	return r;
}

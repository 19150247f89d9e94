/* Decoding the files of a live TACH writer; see the header. */
#include "tach_part.h"

#include <zstd.h>

#include "salvage.h"

enum { N_THREADS = 8, MAX_DEPTH = 256 };

struct thread {
	uint64_t tid, t;
	size_t depth;
	uint32_t frames[MAX_DEPTH];
};

struct walk {
	struct tach_part *part;
	const uint8_t *p, *end;
	struct thread threads[N_THREADS];
	size_t n_threads;
	tach_part_fn *fn;
	void *user;
};

/* All that can be had, also of a frame that is not whole. */
static void
unpack(struct tach_part *part, size_t n)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer from = { part->file.p, n, 64 };
	static uint8_t room[1 << 16];

	assert_non_null(z);
	while (from.pos <= from.size) {
		ZSTD_outBuffer to = { room, sizeof(room), 0 };
		size_t r = ZSTD_decompressStream(z, &to, &from);

		assert_false(ZSTD_isError(r));
		put_bytes(&part->records, room, to.pos);
		part->n_frames += r == 0;
		if (from.pos == from.size && to.pos < to.size)
			break;
	}
	(void)ZSTD_freeDCtx(z);
}

void
tach_part_load(struct bob_ctx *ctx, const char *path, struct tach_part *ret)
{
	size_t n;
	int r;

	memset(ret, 0, sizeof(*ret));
	load_file(path, &ret->file);
	r = journal_load(ctx, path, &ret->j);
	assert_true(r == BOB_OK || r == BOB_EOF);
	ret->has_journal = r == BOB_OK;
	n = ret->file.n;
	if (ret->j.has_end && n > ret->j.end.bytes)
		n = (size_t)ret->j.end.bytes;
	if (n <= 64)
		return;
	assert_true(ret->j.has_head);
	if (ret->j.head.compression == TACH_ZSTD)
		unpack(ret, n);
	else
		put_bytes(&ret->records, ret->file.p + 64, n - 64);
}

void
tach_part_free(struct tach_part *p)
{
	journal_free(&p->j);
	buf_free(&p->file);
	buf_free(&p->records);
}

static uint64_t
number(struct walk *w)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; w->p < w->end; shift += 7) {
		v |= (uint64_t)(*w->p & 0x7f) << shift;
		if (*w->p++ < 0x80)
			return v;
	}
	w->part->is_cut = 1;
	return 0;
}

static unsigned
byte(struct walk *w)
{
	if (w->p < w->end)
		return *w->p++;
	w->part->is_cut = 1;
	return 0;
}

static struct thread *
find_thread(struct walk *w, uint64_t tid)
{
	size_t i;

	for (i = 0; i < w->n_threads; i++)
		if (w->threads[i].tid == tid)
			return &w->threads[i];
	assert_true(i < N_THREADS);
	w->n_threads++;
	w->threads[i] = (struct thread){ .tid = tid,
		.t = w->part->j.head.start_us };
	return &w->threads[i];
}

static void
give(struct walk *w, struct thread *th, uint64_t delta, unsigned status)
{
	if (w->part->is_cut)
		return;
	th->t += delta;
	w->part->n_samples++;
	if (w->fn != NULL)
		w->fn(w->user, th->tid, th->t, status, th->frames, th->depth);
}

static void
repeats(struct walk *w, struct thread *th)
{
	uint64_t n = number(w), delta;

	for (; n > 0 && !w->part->is_cut; n--) {
		delta = number(w);
		give(w, th, delta, byte(w));
	}
}

/* Kinds 1 to 3: all, so many are kept, so many go. */
static void
change(struct walk *w, struct thread *th, unsigned kind)
{
	uint64_t delta = number(w), n = 0, i, keep;
	unsigned status = byte(w);
	uint32_t frames[MAX_DEPTH];

	if (kind > 1)
		n = number(w);
	keep = kind == 1 ? 0 : kind == 2 ? n : th->depth - n;
	assert_true(keep <= th->depth);
	n = number(w);
	assert_true(w->part->is_cut || n + keep <= MAX_DEPTH);
	for (i = 0; i < n && !w->part->is_cut; i++) {
		frames[i] = (uint32_t)number(w);
		assert_true(w->part->is_cut ||
		    frames[i] < w->part->j.n_frame);
	}
	if (w->part->is_cut)
		return;
	memmove(th->frames + n, th->frames + th->depth - keep,
	    keep * sizeof(*th->frames));
	memcpy(th->frames, frames, n * sizeof(*frames));
	th->depth = n + keep;
	give(w, th, delta, status);
}

void
tach_part_walk(struct tach_part *part, tach_part_fn *fn, void *user)
{
	struct walk w = { .part = part, .fn = fn, .user = user };
	struct thread *th;
	uint64_t tid;
	unsigned kind;

	w.p = part->records.p;
	w.end = w.p + part->records.n;
	while (w.p < w.end && !part->is_cut) {
		part->is_cut = w.end - w.p < 13;
		if (part->is_cut)
			return;
		memcpy(&tid, w.p, sizeof(tid));
		kind = w.p[12];
		w.p += 13;
		th = find_thread(&w, tid);
		assert_in_range(kind, 0, 3);
		if (kind == 0)
			repeats(&w, th);
		else
			change(&w, th, kind);
	}
}

/* Building TACH files by hand; see the header. */
#include "tach_make.h"

#include <stdlib.h>

/* Offsets in the header; 0: not there. */
static const struct {
	unsigned version, python, start, interval, samples, threads, strings,
	    frames, compression, fields, is_wide;
} layouts[] = {
	[MAKE_V2] = { 2, 0, 8, 16, 24, 28, 32, 40, 48, 3, 0 },
	[MAKE_EARLY_1] = { 1, 8, 12, 20, 28, 32, 36, 44, 52, 3, 0 },
	[MAKE_1A] = { 1, 8, 12, 20, 28, 32, 36, 44, 52, 7, 0 },
	[MAKE_1B] = { 1, 8, 12, 20, 28, 36, 40, 48, 56, 7, 1 },
};

void
make_free(struct make *m)
{
	buf_free(&m->samples);
	buf_free(&m->block);
}

/* A number of n bytes at p, in the file's byte order. */
static void
store(const struct make *m, uint8_t *p, uint64_t v, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		p[m->is_big ? n - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static void
put_number(const struct make *m, struct buf *b, uint64_t v, unsigned n)
{
	uint8_t p[8];

	store(m, p, v, n);
	put_bytes(b, p, n);
}

void
make_head(struct make *m, uint64_t tid, unsigned kind)
{
	put_number(m, &m->samples, tid, 8);
	put_number(m, &m->samples, 0, 4);
	put_byte(&m->samples, kind);
}

static void
put_frames(struct buf *b, const char *frames)
{
	put_varint(b, strlen(frames));
	for (; *frames != '\0'; frames++)
		put_varint(b, (uint64_t)(*frames - 'a'));
}

void
make_full(struct make *m, uint64_t tid, uint64_t delta, unsigned status,
    const char *frames)
{
	make_head(m, tid, 1);
	put_varint(&m->samples, delta);
	put_byte(&m->samples, status);
	put_frames(&m->samples, frames);
}

void
make_change(struct make *m, uint64_t tid, unsigned kind, uint64_t delta,
    unsigned status, uint64_t n, const char *frames)
{
	make_head(m, tid, kind);
	put_varint(&m->samples, delta);
	put_byte(&m->samples, status);
	put_varint(&m->samples, n);
	put_frames(&m->samples, frames);
}

void
make_repeat(struct make *m, uint64_t tid, uint64_t n, uint64_t delta,
    unsigned status)
{
	make_head(m, tid, 0);
	put_varint(&m->samples, n);
	for (; n > 0; n--) {
		put_varint(&m->samples, delta);
		put_byte(&m->samples, status);
	}
}

static void
put_tables(const struct make *m, struct buf *b, uint8_t *header)
{
	static const char *const name[] = { "f.py", "a", "b", "c", "d" };
	unsigned fields = layouts[m->dialect].fields, i;

	store(m, header + layouts[m->dialect].strings, b->n, 8);
	for (i = 0; i < COUNT_OF(name); i++) {
		put_varint(b, strlen(name[i]));
		put_text(b, name[i]);
	}
	store(m, header + layouts[m->dialect].frames, b->n, 8);
	for (i = 1; i <= 4; i++) {
		put_varint(b, 0);
		put_varint(b, i);
		put_varint(b, 2 * i);
		if (fields == 7)
			put_bytes(b, "\0\0\0\xff", 4);
	}
}

void
make_file(const struct make *m, struct buf *b)
{
	unsigned d = m->dialect;
	uint8_t header[64] = { 0 };
	size_t start = b->n;

	put_bytes(b, header, sizeof(header));
	put_bytes(b, m->samples.p, m->samples.n);
	put_tables(m, b, header);
	put_bytes(b, m->block.p, m->block.n);
	put_number(m, b, 5, 4);
	put_number(m, b, m->n_frames != 0 ? m->n_frames : 4, 4);
	put_number(m, b, b->n - start + 24, 8);
	put_bytes(b, (uint8_t[16]){ 0 }, 16);
	store(m, header, 0x54414348, 4);
	store(m, header + 4, layouts[d].version, 4);
	if (layouts[d].python != 0)
		memcpy(header + layouts[d].python, "\3\x10\2", 3);
	store(m, header + layouts[d].start, MAKE_START, 8);
	store(m, header + layouts[d].interval, 100, 8);
	store(m, header + layouts[d].samples, m->n_samples,
	    layouts[d].is_wide ? 8 : 4);
	store(m, header + layouts[d].threads, m->n_threads, 4);
	store(m, header + layouts[d].compression, m->compression, 4);
	if (d == MAKE_1B)
		store(m, header + 60, m->word, 4);
	memcpy(b->p + start, header, sizeof(header));
}

/* --- listing ------------------------------------------------------------- */

struct line {
	char *p;
	size_t n, cap;
};

static void BOB_PRINTF(2, 3)
add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->p + l->n, l->cap - l->n, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < l->cap - l->n);
	l->n += (size_t)n;
}

static void
add_str(struct line *l, const struct bob_dict *d, bob_str id)
{
	struct bob_bytes b = bob_str_get(d, id);

	add(l, "%.*s", (int)b.n, b.p);
}

static void
add_run(struct line *l, const struct bob_dict *d, const struct bob_run *run)
{
	const struct bob_track *track = bob_track_get(d, run->track);
	bob_stack s;
	uint64_t i;

	add(l, " ");
	if (run->track != 0 && track->tid != MAKE_THREAD)
		add(l, "t%llu:", (unsigned long long)track->tid);
	for (s = run->stack; s != 0; s = bob_stack_get(d, s).parent)
		add_str(l, d, bob_frame_get(d, bob_stack_get(d,
		    s).frame)->name);
	add(l, "=%llu", (unsigned long long)run->count);
	if (run->flags & BOB_RUN_TIMED) {
		add(l, "@%llu", (unsigned long long)run->t_first);
		for (i = 0; i + 1 < run->count; i++)
			add(l, ",%lu", (unsigned long)run->dt[i]);
	}
	if (run->flags & BOB_RUN_STATUS)
		add(l, "/%u", run->status);
}

static void
add_mark(struct line *l, const struct bob_dict *d, const struct bob_mark *m)
{
	if (m->kind == BOB_MARK_GAP) {
		if (m->gap->rootless > 0)
			add(l, " R%llu", (unsigned long long)m->gap->rootless);
		add(l, " G%llu%s/%llu", (unsigned long long)m->gap->lost,
		    m->gap->lost_is_exact ? "" : "+",
		    (unsigned long long)m->gap->length);
		return;
	}
	add(l, " M:");
	add_str(l, d, m->key);
	add(l, "=");
	add_str(l, d, m->value);
}

void
make_listing(struct bob_reader *in, char *text, size_t cap)
{
	struct line l = { text, 0, cap };
	struct bob_dict *d = bob_reader_dict(in);
	struct bob_event ev;
	size_t i;
	int r;

	text[0] = '\0';
	while ((r = bob_next(in, &ev)) == BOB_OK || r == BOB_AGAIN) {
		if (r == BOB_AGAIN)
			continue;
		if (ev.kind == BOB_EVENT_SEGMENT)
			add(&l, " S");
		if (ev.kind == BOB_EVENT_MARK)
			add_mark(&l, d, ev.mark);
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			add_run(&l, d, &ev.runs[i]);
	}
	add(&l, r < 0 ? " !" : " $");
}

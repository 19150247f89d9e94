/* Reading a trace into numbers, and comparing them; see the header. */
#include "digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/dict.h"
#include "work.h"

/* The most AGAIN in a row without a new byte. */
#define MAX_IDLE 4

void
promise_broken(const char *file, int line, const char *what)
{
	(void)fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, what);
	abort();
}

static void
no_memory(void)
{
	(void)fprintf(stderr, "out of memory\n");
	exit(1);
}

/* --- hashes: FNV-1a, by 64-bit words and by bytes ------------------------ */

#define FNV_BEGIN UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * FNV_PRIME;
	return h ^ h >> 32;
}

static uint64_t
mix_bytes(uint64_t h, const void *p, size_t n)
{
	const uint8_t *q = p;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ q[i]) * FNV_PRIME;
	return mix(h, n);
}

static uint64_t
mix_str(uint64_t h, const struct bob_dict *d, bob_str id)
{
	struct bob_bytes s = bob_str_get(d, id);

	return mix_bytes(h, s.p, s.n);
}

static uint64_t
mix_frame(uint64_t h, const struct bob_dict *d, bob_fid id)
{
	const struct bob_frame *f = bob_frame_get(d, id);

	h = mix(h, (uint64_t)f->where);
	h = mix(h, (uint64_t)f->lang << 8 | f->flags);
	h = mix_str(h, d, f->name);
	h = mix_str(h, d, f->scope);
	h = mix_str(h, d, f->ns);
	h = mix_str(h, d, f->file);
	h = mix(h, (uint64_t)f->opcode << 32 | (uint32_t)f->end_line);
	h = mix(h, (uint64_t)(uint32_t)f->col << 32 | (uint32_t)f->end_col);
	return mix_str(h, d, f->opname);
}

/* Hashes of stacks, remembered: as many as the dictionary has. */
struct stacks {
	uint64_t *hash;
	uint32_t n;
};

static uint64_t
stack_hash(struct stacks *s, const struct bob_dict *d, bob_stack id)
{
	uint32_t n = bob_dict_counts(d).n_stack;

	PROMISE(id < n);
	if (s->n < n) {
		s->hash = realloc(s->hash, n * sizeof(*s->hash));
		if (s->hash == NULL)
			no_memory();
		if (s->n == 0)
			s->hash[s->n++] = FNV_BEGIN;
	}
	for (; s->n < n; s->n++) {
		struct bob_node node = bob_stack_get(d, s->n);

		PROMISE(node.parent < s->n);
		s->hash[s->n] = mix_frame(s->hash[node.parent], d,
		    node.frame);
	}
	return s->hash[id];
}

static uint64_t
mix_annot(uint64_t h, const struct bob_dict *d, bob_annot id)
{
	const struct bob_pair *v;
	size_t n, i;

	v = bob_annot_get(d, id, &n);
	h = mix(h, id == 0 ? 0 : n + 1);
	for (i = 0; i < n; i++) {
		h = mix_str(h, d, v[i].key);
		h = mix_str(h, d, v[i].value);
	}
	return h;
}

static uint64_t
mix_track(uint64_t h, const struct bob_dict *d, bob_tid id)
{
	const struct bob_track *t = bob_track_get(d, id);

	h = mix(mix(h, t->pid), t->flags);
	return mix(mix(h, t->tid), t->interp);
}

/* --- counting ------------------------------------------------------------ */

static uint64_t
add(uint64_t a, uint64_t b)
{
	return a > BOB_MAX_COUNT - b ? BOB_MAX_COUNT : a + b;
}

static void
close_run(struct digest *t)
{
	if (t->count > 0)
		t->order = mix(mix(t->order, t->key), t->count);
	t->count = 0;
}

/* Samples in order: equal ones in a row are one, however they arrive. */
static void
add_samples(struct digest *t, uint64_t key, uint64_t count)
{
	if (key != t->key)
		close_run(t);
	t->key = key;
	t->count = add(t->count, count);
}

static void
add_weight(struct digest *t, uint64_t stack, uint64_t count)
{
	if (t->n_weight == t->cap_weight) {
		t->cap_weight = t->cap_weight == 0 ? 64 : t->cap_weight * 2;
		t->weight = realloc(t->weight,
		    t->cap_weight * sizeof(*t->weight));
		if (t->weight == NULL)
			no_memory();
	}
	t->weight[t->n_weight++] = (struct digest_weight){ t->n_segments, stack,
		count };
}

static int
compare_weights(const void *a, const void *b)
{
	const struct digest_weight *x = a, *y = b;

	if (x->segment != y->segment)
		return x->segment < y->segment ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Sorts and adds up; also done now and then, so that a long trace of few
 * stacks stays small. */
static void
sum_weights(struct digest *t)
{
	size_t i, n = 0;

	if (t->n_weight == 0)
		return;
	qsort(t->weight, t->n_weight, sizeof(*t->weight), compare_weights);
	for (i = 1; i < t->n_weight; i++) {
		struct digest_weight *w = &t->weight[n];

		if (compare_weights(w, &t->weight[i]) == 0)
			w->count = add(w->count, t->weight[i].count);
		else
			t->weight[++n] = t->weight[i];
	}
	t->n_weight = n + 1;
}

/* --- events -------------------------------------------------------------- */

static void
take_run(struct digest *t, const struct bob_run *run, struct stacks *stacks,
    const struct bob_dict *d)
{
	uint64_t stack = stack_hash(stacks, d, run->stack), h, i;

	PROMISE(run->count > 0 && run->count <= BOB_MAX_COUNT);
	t->n_samples = add(t->n_samples, run->count);
	add_weight(t, stack, run->count);
	h = mix(stack, t->n_segments);
	h = mix_annot(mix_track(h, d, run->track), d, run->annot);
	h = mix(h, run->flags & BOB_RUN_TIMED);
	h = mix(h, run->flags & BOB_RUN_STATUS ? run->status + 1u : 0);
	if (!(run->flags & BOB_RUN_TIMED)) {
		add_samples(t, h, run->count);
	} else if (run->dt == NULL || run->count == 1) {
		PROMISE(run->t_last == run->t_first);
		add_samples(t, mix(h, run->t_first), run->count);
	} else {
		uint64_t time = run->t_first;

		add_samples(t, mix(h, time), 1);
		for (i = 0; i < run->count - 1; i++) {
			time += run->dt[i];
			add_samples(t, mix(h, time), 1);
		}
		PROMISE(time == run->t_last);
	}
}

static void
take_mark(struct digest *t, const struct bob_mark *m,
    const struct digest_how *how, const struct bob_dict *d)
{
	uint64_t h = mix(mix(t->marks, m->kind), t->n_segments);

	switch (m->kind) {
	case BOB_MARK_META:
		h = mix_str(mix_str(h, d, m->key), d, m->value);
		break;
	case BOB_MARK_UNKNOWN:
		h = mix_bytes(mix(h, m->raw_type), m->bytes,
		    (size_t)m->length);
		break;
	case BOB_MARK_GAP:
		PROMISE(m->gap != NULL && m->gap->why[0] != '\0');
		PROMISE(how->has_loose_gaps || (m->gap->length > 0 &&
		    m->gap->offset >= t->gaps_end));
		t->n_gaps++;
		t->gaps_end = m->gap->offset + m->gap->length;
		PROMISE(t->gaps_end >= m->gap->offset);
		t->n_lost = add(t->n_lost, m->gap->lost);
		if (m->gap->code != BOB_E_TRUNCATED &&
		    m->gap->offset < t->first_gap)
			t->first_gap = m->gap->offset;
		return;
	default: /* checkpoints and ends are the writer's own business */
		return;
	}
	t->marks = h;
}

static void
take_event(struct digest *t, const struct bob_event *ev,
    struct stacks *stacks, const struct digest_how *how,
    const struct bob_dict *d)
{
	size_t i;

	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		close_run(t);
		t->n_segments++;
		t->segments = mix(mix(t->segments, ev->segment->period_us),
		    ev->segment->flags);
		break;
	case BOB_EVENT_RUNS:
		for (i = 0; i < ev->n_runs; i++)
			take_run(t, &ev->runs[i], stacks, d);
		if (t->n_weight > 100000)
			sum_weights(t);
		break;
	default:
		PROMISE(ev->kind == BOB_EVENT_MARK);
		take_mark(t, ev->mark, how, d);
	}
	/* A gap is no part of a trace, and needs no segment. */
	if (how->copy_to != NULL && (ev->kind != BOB_EVENT_MARK ||
	    ev->mark->kind != BOB_MARK_GAP))
		PROMISE(bob_write_event(how->copy_to, ev) == BOB_OK);
}

/* --- reading ------------------------------------------------------------- */

struct dribble {
	const uint8_t *p;
	size_t n;
	int has_given;
};

static long
dribble_read(void *user, void *buf, size_t cap)
{
	struct dribble *d = user;

	PROMISE(cap > 0);
	if (d->n == 0)
		return 0;
	d->has_given = !d->has_given;
	if (!d->has_given)
		return -2;
	memcpy(buf, d->p++, 1);
	d->n--;
	return 1;
}

/* --- what it may cost ---------------------------------------------------- */

/* Bytes of memory and steps of work that a byte of input may cost, and any
 * input: windows, first tables; a pprof of no size may have half a million
 * inlined frames. A zstd frame may ask for a window of 128 MiB. */
#define MEMORY_RATE 1024
#define MEMORY_FREE ((uint64_t)64 << 20)
#define WINDOW_FREE ((uint64_t)300 << 20)
#define WORK_RATE 64
#define WORK_FREE ((uint64_t)1 << 20)
#define STEP_FREE ((uint64_t)1 << 20)
#define EVENT_RATE 4
#define EVENT_FREE 4096

/* As many bytes as the input can stand for: gzip packs at most 1032 to 1. */
static uint64_t
size_of(const struct digest *t, const uint8_t *p, size_t n)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b };
	uint64_t size = n >= 2 && memcmp(p, gzip, 2) == 0 ? 1032 * n : n;

	return t->n_bytes > size ? t->n_bytes : size;
}

static int
has_zstd(const uint8_t *p, size_t n)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	size_t i;

	for (i = 0; i + sizeof(magic) <= n; i++)
		if (memcmp(p + i, magic, sizeof(magic)) == 0)
			return 1;
	return 0;
}

static void
note_memory(struct digest *t, const struct bob_ctx *ctx)
{
	struct bob_limits l = { .size = sizeof(l) };

	bob_ctx_used(ctx, &l);
	if (l.max_memory > t->memory)
		t->memory = l.max_memory;
}

/* Work, memory and events are bounded by the bytes of the input. Who also
 * writes samples may have to write some bytes of each: equal ones are copied,
 * which takes no more than 8 steps. */
static void
check_cost(const struct digest *t, const uint8_t *p, size_t n,
    const struct digest_how *how, const struct bob_dict *d,
    uint64_t work_before)
{
	uint64_t size = size_of(t, p, n);
	uint64_t written = how->copy_to != NULL ? t->n_samples / 16 : 0;

	PROMISE(t->memory <= size * MEMORY_RATE + MEMORY_FREE +
	    (has_zstd(p, n) || size > n ? WINDOW_FREE : 0));
	PROMISE(t->n_events <= size * EVENT_RATE + EVENT_FREE);
	work_check(size + written, how->trickle ? WORK_TRICKLE : WORK_READ,
	    STEP_FREE);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	PROMISE(d->work - work_before <= size * WORK_RATE + WORK_FREE);
#else
	(void)d;
	(void)work_before;
#endif
}

static uint64_t
work_of(const struct bob_dict *d)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	return d->work;
#else
	(void)d;
	return 0;
#endif
}

/* Handles are closed: nothing is held any more. */
static void
check_all_is_given_back(const struct bob_ctx *ctx)
{
	struct bob_limits l = { .size = sizeof(l) };

	bob_ctx_used(ctx, &l);
	PROMISE(l.max_memory == 0 && l.max_temp == 0);
}

/* --- reading all of it --------------------------------------------------- */

/* All events; patient with AGAIN as long as bytes arrive. */
static int
read_events(struct digest *t, struct bob_reader *rd,
    const struct digest_how *how, const struct dribble *source,
    const struct bob_ctx *ctx)
{
	struct bob_dict *d = bob_reader_dict(rd);
	struct stacks stacks = { 0 };
	struct bob_event ev;
	size_t left = source->n;
	int r, idle = 0;

	for (;;) {
		r = bob_next(rd, &ev);
		t->n_events += r == BOB_OK;
		note_memory(t, ctx);
		if (r == BOB_OK)
			take_event(t, &ev, &stacks, how, d);
		else if (r != BOB_AGAIN)
			break;
		idle = r == BOB_OK || source->n != left ? 0 : idle + 1;
		left = source->n;
		PROMISE(idle < MAX_IDLE);
	}
	free(stacks.hash);
	return r;
}

static void
note_error(struct digest *t, const struct bob_ctx *ctx)
{
	const struct bob_error *e = bob_ctx_error(ctx);

	PROMISE(e->status < 0 && e->text[0] != '\0');
	t->code = e->code;
	t->offset = e->offset;
}

static void
count_warning(void *user, const struct bob_error *diag)
{
	struct digest *t = user;

	t->n_warnings += diag->status == BOB_WARN;
}

void
digest_read(struct digest *t, const uint8_t *p, size_t n,
    const struct digest_how *how)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.format = how->format == NULL ? "rbt" : how->format,
		.want = how->want, .flags = how->flags, .dict = how->dict };
	struct dribble source = { .p = p, .n = n };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_reader *rd = NULL;
	uint64_t work;

	if (ctx == NULL)
		no_memory();
	memset(t, 0, sizeof(*t));
	bob_ctx_on_diag(ctx, count_warning, t);
	t->order = t->marks = t->segments = FNV_BEGIN;
	t->offset = t->first_gap = BOB_NO_OFFSET;
	t->status = how->trickle ?
	    bob_open_fn(ctx, dribble_read, &source, "fuzz", &o, &rd) :
	    bob_open_memory(ctx, p, n, "fuzz", &o, &rd);
	PROMISE(t->status == BOB_OK);
	if (!how->trickle)
		source.n = 0;
	work = work_of(bob_reader_dict(rd));
	work_begin();
	t->status = read_events(t, rd, how, &source, ctx);
	if (t->status < 0)
		note_error(t, ctx);
	close_run(t);
	sum_weights(t);
	t->is_incomplete = bob_reader_is_incomplete(rd);
	t->n_bytes = bob_reader_bytes_unpacked(rd);
	check_cost(t, p, n, how, bob_reader_dict(rd), work);
	bob_close(rd);
	check_all_is_given_back(ctx);
	bob_ctx_free(ctx);
}

void
digest_done(struct digest *t)
{
	free(t->weight);
}

void
digest_must_weigh_alike(const struct digest *a, const struct digest *b)
{
	size_t i;

	PROMISE(a->n_samples == b->n_samples);
	PROMISE(a->n_segments == b->n_segments);
	PROMISE(a->segments == b->segments);
	PROMISE(a->n_weight == b->n_weight);
	for (i = 0; i < a->n_weight; i++) {
		PROMISE(compare_weights(&a->weight[i], &b->weight[i]) == 0);
		PROMISE(a->weight[i].count == b->weight[i].count);
	}
}

void
digest_must_be_ordered_alike(const struct digest *a, const struct digest *b)
{
	digest_must_weigh_alike(a, b);
	PROMISE(a->order == b->order);
	PROMISE(a->marks == b->marks);
}

void
digest_must_end_alike(const struct digest *a, const struct digest *b)
{
	PROMISE(a->status == b->status);
	PROMISE(a->code == b->code);
	PROMISE(a->offset == b->offset);
	PROMISE(a->is_incomplete == b->is_incomplete);
}

void
digest_must_agree(const uint8_t *p, size_t n,
    const struct digest_how how[DIGEST_WAYS])
{
	struct digest d[DIGEST_WAYS];
	size_t i;

	for (i = 0; i < DIGEST_WAYS; i++)
		digest_read(&d[i], p, n, &how[i]);
	PROMISE(d[0].status == BOB_EOF || d[0].status == BOB_FATAL);
	PROMISE(d[0].n_gaps == 0);
	for (i = 1; i < DIGEST_WAYS; i++)
		digest_must_end_alike(&d[0], &d[i]);
	digest_must_be_ordered_alike(&d[0], &d[1]);
	for (i = 2; i < DIGEST_WAYS; i++)
		digest_must_weigh_alike(&d[0], &d[i]);
	for (i = 0; i < DIGEST_WAYS; i++)
		digest_done(&d[i]);
}

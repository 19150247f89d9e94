/* The dictionary: put and get. See bobbin/model.h and model/dict.h. */
#include "model/dict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const struct bob_frame no_frame;
static const struct bob_track no_track;

/* A random seed, so that nobody can craft names for one slot. */
static uint64_t
random_seed(const void *self)
{
	uint64_t seed;

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	/* The same input must take the same branches each time. */
	(void)self;
	return 1;
#endif
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	return (uint64_t)(uintptr_t)self ^ (uint64_t)time(NULL);
}

struct bob_dict *
bob_dict_new(struct bob_ctx *ctx)
{
	struct bob_dict *d = calloc(1, sizeof(*d));

	if (d == NULL) {
		(void)err_nomem(ctx);
		return NULL;
	}
	d->ctx = ctx;
	d->seed = random_seed(d);
	if (MEM_TAKE(ctx, d, str, 1) < 0 || MEM_TAKE(ctx, d, frame, 1) < 0 ||
	    MEM_GROW_BIG(ctx, d, node, 1) < 0 ||
	    MEM_TAKE(ctx, d, track, 1) < 0 || MEM_TAKE(ctx, d, annot, 1) < 0) {
		bob_dict_free(d);
		return NULL;
	}
	d->str[0] = (struct bob_bytes){ "", 0 };
	d->frame[0] = no_frame;
	d->node[0] = (struct dict_node){ 0, 0, 0, 0 };
	d->track[0] = no_track;
	d->annot[0] = (struct dict_annot){ 0, 0 };
	d->n = (struct bob_counts){ 1, 1, 1, 1, 1 };
	return d;
}

#if !defined(NDEBUG) && !defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
/* Invariants 2 and 4. */
static void
check_stacks(const struct bob_dict *d)
{
	uint32_t i, n_hashed = 0;
	uint32_t n_indexed = d->first_fresh != 0 ? d->first_fresh
	                                         : d->n.n_stack;

	for (i = 1; i < d->n.n_stack; i++) {
		const struct dict_node *n = &d->node[i];

		assert(n->parent < i);
		assert(n->depth == d->node[n->parent].depth + 1);
		assert(n->child == 0 || (n->child < d->n.n_stack &&
		    d->node[n->child].parent == i));
		n_hashed += i < n_indexed && d->node[n->parent].child != i;
	}
	assert(d->node[0].parent == 0 && d->node[0].depth == 0);
	assert(d->by_node.used == n_hashed);
}

/* All invariants of the header, in time linear in the entries. Not in fuzz
 * programs, which count each step. */
static void
dict_check(const struct bob_dict *d)
{
	uint32_t i;

	check_stacks(d);
	for (i = 1; i < d->n.n_annot; i++)
		assert(d->annot[i].first <= d->n_pair &&
		    d->annot[i].n <= d->n_pair - d->annot[i].first);
	assert(d->by_str.used == d->n.n_str - 1);
	assert(d->by_frame.used == d->n.n_frame - 1);
	assert(d->by_track.used == d->n.n_track - 1);
	assert(d->by_annot.used == d->n.n_annot - 1);
}
#else
static void
dict_check(const struct bob_dict *d)
{
	(void)d;
}
#endif

void
bob_dict_free(struct bob_dict *d)
{
	if (d == NULL)
		return;
	if (d->n.n_stack > 0)
		dict_check(d);
	MEM_DROP(d->ctx, d, str);
	MEM_DROP(d->ctx, d, frame);
	MEM_DROP_BIG(d->ctx, d, node);
	MEM_DROP(d->ctx, d, track);
	MEM_DROP(d->ctx, d, annot);
	MEM_DROP(d->ctx, d, pair);
	intern_free(&d->by_str);
	intern_free(&d->by_frame);
	intern_free(&d->by_node);
	intern_free(&d->by_track);
	intern_free(&d->by_annot);
	arena_free(&d->text);
	free(d);
}

struct bob_counts
bob_dict_counts(const struct bob_dict *d)
{
	return d->n;
}

static int
dict_too_many(struct bob_dict *d)
{
	return err_set(d->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "more distinct names than 32-bit ids can count");
}

/* Makes room in a hash table for one more than `count` entries. */
static int
dict_reserve(struct bob_dict *d, struct intern *t, uint32_t count)
{
	return count >= BOB_MAX_IDS ? dict_too_many(d) :
	    intern_reserve(d->ctx, t);
}

bob_str
bob_str_put(struct bob_dict *d, const void *p, size_t n)
{
	uint64_t h;
	uint32_t at, id;
	char *copy;

	if (n == 0)
		return 0;
	if (dict_reserve(d, &d->by_str, d->n.n_str) < 0)
		return BOB_NO_ID;
	DICT_WORK(d, n);
	h = XXH3_64bits_withSeed(p, n, d->seed);
	at = (uint32_t)(h >> 32);
	while ((id = intern_probe(&d->by_str, h, &at)) != 0)
		if (d->str[id].n == n && memcmp(d->str[id].p, p, n) == 0)
			return id;
	id = d->n.n_str;
	copy = arena_alloc(d->ctx, &d->text, n);
	if (copy == NULL || MEM_TAKE(d->ctx, d, str, (size_t)id + 1) < 0)
		return BOB_NO_ID;
	memcpy(copy, p, n);
	d->str[id] = (struct bob_bytes){ copy, n };
	intern_add(&d->by_str, h, at, id);
	return d->n.n_str++;
}

bob_fid
bob_frame_put(struct bob_dict *d, const struct bob_frame *f)
{
	uint64_t h;
	uint32_t at, id;

	if (dict_reserve(d, &d->by_frame, d->n.n_frame) < 0)
		return BOB_NO_ID;
	h = XXH3_64bits_withSeed(f, sizeof(*f), d->seed);
	at = (uint32_t)(h >> 32);
	while ((id = intern_probe(&d->by_frame, h, &at)) != 0)
		if (memcmp(&d->frame[id], f, sizeof(*f)) == 0)
			return id;
	id = d->n.n_frame;
	if (MEM_TAKE(d->ctx, d, frame, (size_t)id + 1) < 0)
		return BOB_NO_ID;
	d->frame[id] = *f;
	intern_add(&d->by_frame, h, at, id);
	return d->n.n_frame++;
}

/* Pushes n > 0 frames on a stack that does not have the outermost of them as a
 * child. Does not make it findable. */
static bob_stack
new_stacks(struct bob_dict *d, bob_stack parent, const bob_fid *frame,
    size_t n)
{
	size_t id = d->n.n_stack, i;
	uint32_t depth;

	assert(n > 0 && parent < id);
	if (n > BOB_MAX_IDS - id) {
		(void)dict_too_many(d);
		return BOB_NO_ID;
	}
	if (MEM_GROW_BIG(d->ctx, d, node, id + n) < 0)
		return BOB_NO_ID;
	depth = d->node[parent].depth;
	for (i = 0; i < n; i++) {
		d->node[id + i] = (struct dict_node){ parent,
			frame[n - 1 - i], ++depth, (bob_stack)(id + i + 1) };
		parent = (bob_stack)(id + i);
	}
	d->node[parent].child = 0;
	d->n.n_stack += (uint32_t)n;
	return parent;
}

/* The same for a stack without children: the new one is its first child. */
static bob_stack
push_new(struct bob_dict *d, bob_stack parent, const bob_fid *frame, size_t n)
{
	bob_stack first = d->n.n_stack;
	bob_stack id = new_stacks(d, parent, frame, n);

	if (id != BOB_NO_ID)
		d->node[parent].child = first;
	return id;
}

static uint64_t
hash_node(const struct bob_dict *d, bob_stack parent, bob_fid frame)
{
	uint32_t key[2] = { parent, frame };

	return XXH3_64bits_withSeed(key, sizeof(key), d->seed);
}

/* Adds the stacks of dict_push_fresh to by_node, so that they are found. */
static int
index_fresh(struct bob_dict *d)
{
	for (; d->first_fresh < d->n.n_stack; d->first_fresh++) {
		const struct dict_node *n = &d->node[d->first_fresh];
		uint64_t h = hash_node(d, n->parent, n->frame);
		uint32_t at = (uint32_t)(h >> 32);

		assert(d->first_fresh > 0);
		if (d->node[n->parent].child == d->first_fresh)
			continue;
		if (intern_reserve(d->ctx, &d->by_node) < 0)
			return BOB_FATAL;
		while (intern_probe(&d->by_node, h, &at) != 0)
			;
		intern_add(&d->by_node, h, at, d->first_fresh);
	}
	d->first_fresh = 0;
	return BOB_OK;
}

/* Pushes a frame that is not the first child of `parent`. */
static bob_stack
push_other(struct bob_dict *d, bob_stack parent, bob_fid frame)
{
	uint64_t h;
	uint32_t at, id;

	if ((d->first_fresh != 0 && index_fresh(d) < 0) ||
	    intern_reserve(d->ctx, &d->by_node) < 0)
		return BOB_NO_ID;
	h = hash_node(d, parent, frame);
	at = (uint32_t)(h >> 32);
	while ((id = intern_probe(&d->by_node, h, &at)) != 0)
		if (d->node[id].parent == parent && d->node[id].frame == frame)
			return id;
	id = new_stacks(d, parent, &frame, 1);
	if (id != BOB_NO_ID)
		intern_add(&d->by_node, h, at, id);
	return id;
}

bob_stack
dict_push_path(struct bob_dict *d, bob_stack parent, const bob_fid *frame,
    size_t n)
{
	bob_stack first;

	DICT_WORK(d, n);
	for (; n > 0 && parent != BOB_NO_ID; n--) {
		first = d->node[parent].child;
		if (first == 0)
			return push_new(d, parent, frame, n);
		parent = d->node[first].frame == frame[n - 1] ? first :
		    push_other(d, parent, frame[n - 1]);
	}
	return parent;
}

bob_stack
dict_push_fresh(struct bob_dict *d, bob_stack parent, bob_fid frame)
{
	if (d->node[parent].child == 0)
		return push_new(d, parent, &frame, 1);
	if (d->first_fresh == 0)
		d->first_fresh = d->n.n_stack;
	return new_stacks(d, parent, &frame, 1);
}

bob_stack
bob_stack_push(struct bob_dict *d, bob_stack parent, bob_fid frame)
{
	if (parent >= d->n.n_stack || frame >= d->n.n_frame) {
		(void)err_set(d->ctx, BOB_FATAL, BOB_E_USAGE, BOB_NO_OFFSET,
		    "a stack of ids that the dictionary never gave out");
		return BOB_NO_ID;
	}
	return dict_push_path(d, parent, &frame, 1);
}

bob_tid
bob_track_put(struct bob_dict *d, const struct bob_track *t)
{
	uint64_t h;
	uint32_t at, id;

	if (memcmp(t, &no_track, sizeof(*t)) == 0)
		return 0;
	if (dict_reserve(d, &d->by_track, d->n.n_track) < 0)
		return BOB_NO_ID;
	h = XXH3_64bits_withSeed(t, sizeof(*t), d->seed);
	at = (uint32_t)(h >> 32);
	while ((id = intern_probe(&d->by_track, h, &at)) != 0)
		if (memcmp(&d->track[id], t, sizeof(*t)) == 0)
			return id;
	id = d->n.n_track;
	if (MEM_TAKE(d->ctx, d, track, (size_t)id + 1) < 0)
		return BOB_NO_ID;
	d->track[id] = *t;
	intern_add(&d->by_track, h, at, id);
	return d->n.n_track++;
}

bob_annot
bob_annot_put(struct bob_dict *d, const struct bob_pair *v, size_t n)
{
	uint64_t h;
	uint32_t at, id;

	if (n > BOB_MAX_PAIRS) {
		(void)err_set(d->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "an annotation set of %zu pairs (limit %u)", n,
		    BOB_MAX_PAIRS);
		return BOB_NO_ID;
	}
	if (dict_reserve(d, &d->by_annot, d->n.n_annot) < 0)
		return BOB_NO_ID;
	DICT_WORK(d, n);
	h = XXH3_64bits_withSeed(v, n * sizeof(*v), d->seed);
	at = (uint32_t)(h >> 32);
	while ((id = intern_probe(&d->by_annot, h, &at)) != 0)
		if (d->annot[id].n == n && (n == 0 ||
		    memcmp(&d->pair[d->annot[id].first], v,
		        n * sizeof(*v)) == 0))
			return id;
	id = d->n.n_annot;
	if ((uint64_t)d->n_pair + n > BOB_MAX_IDS ||
	    MEM_TAKE(d->ctx, d, annot, (size_t)id + 1) < 0 ||
	    MEM_TAKE(d->ctx, d, pair, (size_t)d->n_pair + n) < 0)
		return BOB_NO_ID;
	if (n > 0)
		memcpy(&d->pair[d->n_pair], v, n * sizeof(*v));
	d->annot[id] = (struct dict_annot){ d->n_pair, (uint32_t)n };
	d->n_pair += (uint32_t)n;
	intern_add(&d->by_annot, h, at, id);
	return d->n.n_annot++;
}

struct bob_bytes
bob_str_get(const struct bob_dict *d, bob_str id)
{
	return d->str[id < d->n.n_str ? id : 0];
}

const struct bob_frame *
bob_frame_get(const struct bob_dict *d, bob_fid id)
{
	return &d->frame[id < d->n.n_frame ? id : 0];
}

struct bob_node
bob_stack_get(const struct bob_dict *d, bob_stack id)
{
	const struct dict_node *node = &d->node[id < d->n.n_stack ? id : 0];

	return (struct bob_node){ node->parent, node->frame, node->depth };
}

const struct bob_track *
bob_track_get(const struct bob_dict *d, bob_tid id)
{
	return &d->track[id < d->n.n_track ? id : 0];
}

const struct bob_pair *
bob_annot_get(const struct bob_dict *d, bob_annot id, size_t *n)
{
	const struct dict_annot *a = &d->annot[id < d->n.n_annot ? id : 0];

	*n = a->n;
	return a->n == 0 ? NULL : &d->pair[a->first];
}

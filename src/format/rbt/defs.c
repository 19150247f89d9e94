/* Decoding of definition events; see the header. */
#include "format/rbt/defs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/varint.h"
#include "format/rbt/lang.h"
#include "format/rbt/rbt.h"
#include "format/rbt/track.h"

/*
 * A file that redefines frames makes every sampled stack resolve again. Real
 * files never do. A crafted one could make a few bytes cost a million frames
 * each time, all of which may be new stacks. So the frames that are resolved
 * again are limited: this many in any file, and this many for each byte of its
 * definitions.
 */
#define REWORK_FREE ((uint64_t)1 << 20)
#define REWORK_RATE 8

typedef unsigned long long ull;

static int
defs_fail(struct rbt_defs *d, const char *why)
{
	(void)snprintf(d->why, sizeof(d->why), "%s", why);
	return BOB_FAILED;
}

int
defs_init(struct rbt_defs *d, struct bob_ctx *ctx, struct bob_dict *dict)
{
	d->ctx = ctx;
	d->dict = dict;
	d->generation = 1;
	d->lang = BOB_LANG_PHP;
	d->strings.seed = d->frames.seed = d->stacks.seed = dict->seed;
	d->tracks.seed = d->changes.by_number.seed = dict->seed;
	return BOB_OK;
}

void
defs_done(struct rbt_defs *d)
{
	idmap_free(&d->strings);
	idmap_free(&d->frames);
	idmap_free(&d->stacks);
	idmap_free(&d->tracks);
	rbt_changes_done(&d->changes);
	arena_free(&d->arena);
	MEM_DROP(d->ctx, d, stack);
	MEM_DROP(d->ctx, d, scratch);
	MEM_DROP(d->ctx, d, pairs);
	MEM_DROP(d->ctx, d, name);
}

void
defs_clear(struct rbt_defs *d)
{
	idmap_clear(&d->strings);
	idmap_clear(&d->frames);
	idmap_clear(&d->stacks);
	idmap_clear(&d->tracks);
	rbt_changes_clear(&d->changes);
	arena_reset(&d->arena);
	d->n_stack = 0;
	d->generation = 1;
	d->lang = BOB_LANG_PHP;
}

int
defs_string(struct rbt_defs *d, const uint8_t *p, const uint8_t *end)
{
	uint64_t id;
	bob_str s;

	if (!varint_get(&p, end, &id))
		return defs_fail(d, "string definition without an id");
	s = bob_str_put(d->dict, p, (size_t)(end - p));
	if (s == BOB_NO_ID)
		return BOB_FATAL;
	return idmap_set(d->ctx, &d->strings, id, s);
}

/* Whose strings are looked up, for messages. */
struct owner {
	const char *kind;
	uint64_t id;
	int has_id;
};

static int
fail_owner(struct rbt_defs *d, const struct owner *o, const char *what)
{
	if (o->has_id)
		(void)snprintf(d->why, sizeof(d->why), "%s %llu %s", o->kind,
		    (ull)o->id, what);
	else
		(void)snprintf(d->why, sizeof(d->why), "%s %s", o->kind, what);
	return BOB_FAILED;
}

/* One string reference of a frame or annotation. */
static int
get_string(struct rbt_defs *d, const uint8_t **p, const uint8_t *end,
    const struct owner *o, bob_str *ret)
{
	char what[64];
	uint64_t id;

	if (!varint_get(p, end, &id))
		return fail_owner(d, o, "ends before its last field");
	*ret = idmap_get(&d->strings, id);
	if (*ret != IDMAP_NONE)
		return BOB_OK;
	(void)snprintf(what, sizeof(what), "refers to undefined string %llu",
	    (ull)id);
	return fail_owner(d, o, what);
}

static int
get_native(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    const struct owner *o, struct bob_frame *f)
{
	uint64_t offset;
	int r;

	f->lang = BOB_LANG_NATIVE;
	if ((r = get_string(d, &p, end, o, &f->name)) < 0 ||
	    (r = get_string(d, &p, end, o, &f->file)) < 0)
		return r;
	if (!varint_get(&p, end, &offset))
		return fail_owner(d, o, "ends before its offset");
	f->where = (int64_t)offset;
	return BOB_OK;
}

/* In Python opcodes are numbers, which stand here in digits. */
static void
set_opcode(const struct rbt_defs *d, struct bob_frame *f, bob_str opcode)
{
	struct bob_bytes s = bob_str_get(d->dict, opcode);
	uint64_t n;

	if (f->lang == BOB_LANG_PYTHON && text_get_u64(s.p, s.n, &n) &&
	    n <= UINT16_MAX) {
		f->flags = BOB_FRAME_OPCODE;
		f->opcode = (uint16_t)n;
	} else {
		f->flags = BOB_FRAME_OPNAME;
		f->opname = opcode;
	}
}

/* A frame that is not native. */
static int
get_script(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    const struct owner *o, int has_opcode, struct bob_frame *f)
{
	bob_str opcode;
	uint64_t line;
	int r;

	f->lang = (uint8_t)d->lang;
	if ((r = get_string(d, &p, end, o, &f->ns)) < 0 ||
	    (r = get_string(d, &p, end, o, &f->scope)) < 0 ||
	    (r = get_string(d, &p, end, o, &f->name)) < 0 ||
	    (r = get_string(d, &p, end, o, &f->file)) < 0)
		return r;
	if (!varint_get(&p, end, &line))
		return fail_owner(d, o, "ends before its line");
	f->where = (int64_t)line;
	/* A flag without its field is accepted, as reli's reader does. */
	if (has_opcode && p < end) {
		if ((r = get_string(d, &p, end, o, &opcode)) < 0)
			return r;
		set_opcode(d, f, opcode);
	}
	return BOB_OK;
}

int
defs_frame(struct rbt_defs *d, const uint8_t *p, const uint8_t *end)
{
	struct owner o = { .kind = "frame", .has_id = 1 };
	struct bob_frame f = { 0 };
	uint64_t flags;
	uint32_t old;
	bob_fid fid;
	int r;

	d->n_bytes += (uint64_t)(end - p);
	if (!varint_get(&p, end, &o.id) || !varint_get(&p, end, &flags))
		return defs_fail(d, "frame definition without id and flags");
	if (flags & RBT_FRAME_NATIVE)
		r = get_native(d, p, end, &o, &f);
	else
		r = get_script(d, p, end, &o, (flags & RBT_FRAME_OPCODE) != 0,
		    &f);
	if (r < 0)
		return r;
	fid = bob_frame_put(d->dict, &f);
	if (fid == BOB_NO_ID)
		return BOB_FATAL;
	old = idmap_get(&d->frames, o.id);
	if (old != IDMAP_NONE && old != fid)
		d->generation++;
	return idmap_set(d->ctx, &d->frames, o.id, fid);
}

/* Turns frame ids into a stack. FAILED when one is undefined. */
static int
resolve_stack(struct rbt_defs *d, uint64_t id, struct rbt_stack *s)
{
	const uint8_t *p = s->ids;
	bob_stack top = 0;
	uint64_t frame = 0;
	uint32_t i;

	if (MEM_TAKE(d->ctx, d, scratch, s->depth) < 0)
		return BOB_FATAL;
	for (i = 0; i < s->depth; i++) {
		(void)varint_get(&p, s->end, &frame);
		d->scratch[i] = idmap_get(&d->frames, frame);
		if (d->scratch[i] == IDMAP_NONE) {
			(void)snprintf(d->why, sizeof(d->why),
			    "stack %llu refers to undefined frame %llu",
			    (ull)id, (ull)frame);
			return BOB_FAILED;
		}
	}
	for (i = s->depth; i-- > 0;) {
		top = bob_stack_push(d->dict, top, d->scratch[i]);
		if (top == BOB_NO_ID)
			return BOB_FATAL;
	}
	s->stack = top;
	s->generation = d->generation;
	return BOB_OK;
}

/* Checks that `depth` varints follow and keeps a copy of them. */
static int
keep_ids(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    uint32_t depth, struct rbt_stack *s)
{
	const uint8_t *q = p;
	uint8_t *copy;
	uint64_t frame;
	uint32_t i;

	for (i = 0; i < depth; i++)
		if (!varint_get(&q, end, &frame))
			return defs_fail(d, "stack definition ends before its "
			    "last frame");
	copy = arena_alloc(d->ctx, &d->arena, (size_t)(q - p));
	if (copy == NULL)
		return BOB_FATAL;
	memcpy(copy, p, (size_t)(q - p));
	*s = (struct rbt_stack){ .ids = copy, .end = copy + (q - p),
		.depth = depth };
	return BOB_OK;
}

/* Returns the entry that a definition of `id` may fill: a new one, or the one
 * it has, as long as that is not resolved. */
static int
take_entry(struct rbt_defs *d, uint64_t id, uint32_t *ret)
{
	*ret = idmap_get(&d->stacks, id);
	if (*ret != IDMAP_NONE && d->stack[*ret].generation == 0)
		return BOB_OK;
	*ret = (uint32_t)d->n_stack;
	if (*ret >= BOB_MAX_IDS)
		return defs_fail(d, "too many stacks");
	if (MEM_TAKE(d->ctx, d, stack, d->n_stack + 1) < 0 ||
	    idmap_set(d->ctx, &d->stacks, id, *ret) < 0)
		return BOB_FATAL;
	d->stack[*ret] = (struct rbt_stack){ 0 };
	d->n_stack++;
	return BOB_OK;
}

static int
check_depth(struct rbt_defs *d, uint64_t id, uint64_t depth, size_t n_bytes)
{
	if (depth > n_bytes)
		(void)snprintf(d->why, sizeof(d->why), "stack %llu claims "
		    "%llu frames in %zu bytes", (ull)id, (ull)depth, n_bytes);
	else if (depth > BOB_MAX_DEPTH)
		(void)snprintf(d->why, sizeof(d->why), "stack %llu has %llu "
		    "frames (limit %u)", (ull)id, (ull)depth, BOB_MAX_DEPTH);
	else
		return BOB_OK;
	return BOB_FAILED;
}

int
defs_stack(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    uint64_t *ret_id)
{
	struct rbt_stack made;
	uint64_t id, depth;
	uint32_t entry;
	int r;

	d->n_bytes += (uint64_t)(end - p);
	if (!varint_get(&p, end, &id) || !varint_get(&p, end, &depth))
		return defs_fail(d, "stack definition without id and depth");
	*ret_id = id;
	if ((r = check_depth(d, id, depth, (size_t)(end - p))) < 0 ||
	    (r = keep_ids(d, p, end, (uint32_t)depth, &made)) < 0 ||
	    (r = take_entry(d, id, &entry)) < 0)
		return r;
	d->stack[entry] = made;
	/* Most stacks can be resolved now; others may be when sampled. */
	r = resolve_stack(d, id, &d->stack[entry]);
	return r == BOB_FAILED ? BOB_OK : r;
}

/* Resolves a stack whose frames were not all known, or were redefined. */
static int
resolve_anew(struct rbt_defs *d, uint64_t id, uint32_t *entry)
{
	struct rbt_stack old = d->stack[*entry];
	int r;

	d->rework += old.depth;
	if (d->rework > REWORK_FREE + REWORK_RATE * d->n_bytes)
		return defs_fail(d, "frames are redefined too often");
	r = take_entry(d, id, entry);
	if (r < 0)
		return r;
	old.generation = 0;
	d->stack[*entry] = old;
	return resolve_stack(d, id, &d->stack[*entry]);
}

int
defs_resolve(struct rbt_defs *d, uint64_t id, uint32_t *ret_entry)
{
	uint32_t entry = idmap_get(&d->stacks, id);
	int r;

	if (entry == IDMAP_NONE) {
		(void)snprintf(d->why, sizeof(d->why),
		    "sample refers to undefined stack %llu", (ull)id);
		return BOB_FAILED;
	}
	if (d->stack[entry].generation != d->generation &&
	    (r = resolve_anew(d, id, &entry)) < 0)
		return r;
	*ret_entry = entry;
	return BOB_OK;
}

int
defs_annotation(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    bob_annot *ret)
{
	static const struct owner o = { .kind = "annotation" };
	uint64_t n, i;
	int r;

	if (!varint_get(&p, end, &n))
		return defs_fail(d, "annotation without a count");
	if ((int64_t)n < 0)
		n = 0;
	if (n > (uint64_t)(end - p) / 2)
		return defs_fail(d,
		    "annotation claims more pairs than it holds");
	if (n > BOB_MAX_PAIRS)
		return defs_fail(d, "annotation with too many pairs");
	if (MEM_TAKE(d->ctx, d, pairs, (size_t)n) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if ((r = get_string(d, &p, end, &o, &d->pairs[i].key)) < 0 ||
		    (r = get_string(d, &p, end, &o,
		         &d->pairs[i].value)) < 0)
			return r;
	*ret = bob_annot_put(d->dict, d->pairs, (size_t)n);
	return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* A length and that many bytes. */
static int
get_text(struct rbt_defs *d, const uint8_t **p, const uint8_t *end,
    struct bob_bytes *ret)
{
	uint64_t n;

	if (!varint_get(p, end, &n) || n > (uint64_t)(end - *p))
		return defs_fail(d, "metadata is longer than its event");
	*ret = (struct bob_bytes){ (const char *)*p, (size_t)n };
	*p += n;
	return BOB_OK;
}

static int
set_track(struct rbt_defs *d, uint64_t number, struct bob_track *t,
    struct bob_bytes name)
{
	bob_tid track;
	size_t n;

	if (name.n > 0) {
		if (MEM_TAKE(d->ctx, d, name, name.n) < 0)
			return BOB_FATAL;
		memcpy(d->name, name.p, name.n);
		n = rbt_track_unescape(d->name, name.n);
		t->name = bob_str_put(d->dict, d->name, n);
		if (t->name == BOB_NO_ID)
			return BOB_FATAL;
	}
	track = bob_track_put(d->dict, t);
	if (track == BOB_NO_ID)
		return BOB_FATAL;
	return idmap_set(d->ctx, &d->tracks, number, track);
}

int
defs_metadata(struct rbt_defs *d, const uint8_t *p, const uint8_t *end,
    bob_str *key, bob_str *value)
{
	struct bob_bytes k, v, name;
	struct bob_track track;
	uint64_t number;
	int r;

	if ((r = get_text(d, &p, end, &k)) < 0 ||
	    (r = get_text(d, &p, end, &v)) < 0)
		return r;
	if (rbt_track_parse(k, v, &number, &track, &name)) {
		r = set_track(d, number, &track, name);
		return r < 0 ? r : BOB_EOF;
	}
	if (rbt_lang_parse(k, v, &d->lang))
		return BOB_EOF;
	if (rbt_changes_parse(k, v)) {
		rbt_changes_begin(&d->changes);
		return BOB_EOF;
	}
	*key = bob_str_put(d->dict, k.p, k.n);
	*value = bob_str_put(d->dict, v.p, v.n);
	return *key == BOB_NO_ID || *value == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

int
defs_track(struct rbt_defs *d, uint64_t number, bob_tid *ret)
{
	struct bob_track plain = { .pid = number, .flags = BOB_TRACK_PID };

	*ret = idmap_get(&d->tracks, number);
	if (*ret != IDMAP_NONE)
		return BOB_OK;
	*ret = bob_track_put(d->dict, &plain);
	if (*ret == BOB_NO_ID)
		return BOB_FATAL;
	return idmap_set(d->ctx, &d->tracks, number, *ret);
}

/*
 * Definitions: strings, frames and stacks get their number in a segment, and
 * their event, when something first needs them. Numbers count from 0.
 */
#include <stdio.h>
#include <string.h>

#include <bobbin/limits.h>

#include "format/rbt/lang.h"
#include "format/rbt/write.h"

int
wire_map_reserve(struct bob_ctx *ctx, struct wire_map *m, size_t n)
{
	size_t old = m->cap_v;

	if (n <= old)
		return BOB_OK;
	if (mem_grow(ctx, &m->v, &m->cap_v, n, sizeof(*m->v)) < 0)
		return BOB_FATAL;
	/* Generation 0 is no segment's. */
	memset(m->v + old, 0, (m->cap_v - old) * sizeof(*m->v));
	return BOB_OK;
}

/* Returns the number of `id`. If it has none it gets one, and *is_new is
 * set. */
static uint32_t
wire_number(struct rbt_writer *w, struct wire_map *m, uint32_t id, int *is_new)
{
	*is_new = m->v[id].generation != w->generation;
	if (*is_new)
		m->v[id] = (struct wire){ w->generation, m->n++ };
	return m->v[id].id;
}

/* Readers refuse payloads above the limit: better to say so now. */
int
rbt_check_payload(struct rbt_writer *w, const char *what, uint64_t n)
{
	if (n <= BOB_MAX_EVENT)
		return BOB_OK;
	return err_set(w->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "rbt: cannot write %s of %llu bytes (limit %u)", what,
	    (unsigned long long)n, BOB_MAX_EVENT);
}

int
rbt_write_event(struct rbt_writer *w, int type, const void *p, size_t n)
{
	uint8_t *at = out_reserve(w->out, RBT_EVENT_HEAD + n);
	uint8_t *start = at;

	if (at == NULL)
		return BOB_FATAL;
	*at++ = (uint8_t)type;
	at = varint_put(at, n);
	if (n > 0)
		memcpy(at, p, n);
	return out_commit(w->out, (size_t)(at - start) + n);
}

static int
write_string(struct rbt_writer *w, uint32_t number, struct bob_bytes s)
{
	uint8_t *p, *start;

	if (rbt_check_payload(w, "a string", varint_size(number) + s.n) < 0)
		return BOB_FATAL;
	start = p = out_reserve(w->out, RBT_EVENT_HEAD + s.n);
	if (p == NULL)
		return BOB_FATAL;
	*p++ = RBT_STRING_DEF;
	p = varint_put(p, varint_size(number) + s.n);
	p = varint_put(p, number);
	memcpy(p, s.p, s.n);
	return out_commit(w->out, (size_t)(p - start) + s.n);
}

int
rbt_define_string(struct rbt_writer *w, bob_str id, uint32_t *ret)
{
	int is_new;

	/* A frame may have been put with an id that is no string. */
	if (id >= w->dict->n.n_str)
		id = 0;
	*ret = wire_number(w, &w->strings, id, &is_new);
	return is_new ? write_string(w, *ret, w->dict->str[id]) : BOB_OK;
}

int
rbt_find_own(const struct rbt_writer *w, uint32_t id, uint32_t *ret)
{
	if (id >= w->own.cap_v || w->own.v[id].generation != w->generation)
		return 0;
	*ret = w->own.v[id].id;
	return 1;
}

int
rbt_define_own(struct rbt_writer *w, uint32_t id, const char *text,
    uint32_t *ret)
{
	struct bob_bytes s = { text, strlen(text) };

	if (rbt_find_own(w, id, ret))
		return BOB_OK;
	if (wire_map_reserve(w->ctx, &w->own, (size_t)id + 1) < 0)
		return BOB_FATAL;
	*ret = w->strings.n++;
	w->own.v[id] = (struct wire){ w->generation, *ret };
	return write_string(w, *ret, s);
}

/* The strings of a frame, in the order of its fields, but for the opcode.
 * Languages that .rbt does not know are written as PHP is: their name is the
 * method. */
static size_t
frame_strings(const struct bob_frame *f, bob_str *ret)
{
	size_t n = 0;

	if (f->lang != BOB_LANG_NATIVE) {
		ret[n++] = f->ns;
		ret[n++] = f->scope;
	}
	ret[n++] = f->name;
	ret[n++] = f->file;
	return n;
}

static unsigned
frame_flags(const struct bob_frame *f)
{
	if (f->lang == BOB_LANG_NATIVE)
		return RBT_FRAME_NATIVE;
	return f->flags & (BOB_FRAME_OPNAME | BOB_FRAME_OPCODE)
	    ? RBT_FRAME_OPCODE
	    : 0;
}

/* The name of the opcode; where only its number is known, that in digits. */
static int
define_opcode(struct rbt_writer *w, const struct bob_frame *f, uint32_t *ret)
{
	char digits[8];

	if (f->flags & BOB_FRAME_OPNAME)
		return rbt_define_string(w, f->opname, ret);
	(void)snprintf(digits, sizeof(digits), "%u", f->opcode);
	return rbt_define_own(w, RBT_OWN_OPCODE + (uint32_t)f->opcode, digits,
	    ret);
}

/* Writes the language of the frames that follow, when it changes. */
static int
write_lang(struct rbt_writer *w, enum bob_lang lang)
{
	static const struct bob_bytes key = { RBT_META_LANG,
		sizeof(RBT_META_LANG) - 1 };
	const char *name = rbt_lang_name(lang);

	if (lang == BOB_LANG_NATIVE || lang == w->lang)
		return BOB_OK;
	w->lang = lang;
	return rbt_write_metadata(w, key,
	    (struct bob_bytes){ name, strlen(name) });
}

static int
write_frame(struct rbt_writer *w, bob_fid id, uint32_t number)
{
	const struct bob_frame *f = &w->dict->frame[id];
	unsigned flags = frame_flags(f);
	uint8_t body[8 * VARINT_MAX], *p = body;
	uint32_t string;
	bob_str need[4];
	size_t n, i;

	if (write_lang(w, (enum bob_lang)f->lang) < 0)
		return BOB_FATAL;
	n = frame_strings(f, need);
	p = varint_put(p, number);
	p = varint_put(p, flags);
	for (i = 0; i < n; i++) {
		if (rbt_define_string(w, need[i], &string) < 0)
			return BOB_FATAL;
		p = varint_put(p, string);
	}
	p = varint_put(p, (uint64_t)rbt_line(f));
	if (flags & RBT_FRAME_OPCODE) {
		if (define_opcode(w, f, &string) < 0)
			return BOB_FATAL;
		p = varint_put(p, string);
	}
	return rbt_write_event(w, RBT_FRAME_DEF, body, (size_t)(p - body));
}

static int
define_frame(struct rbt_writer *w, bob_fid id, uint32_t *ret)
{
	int r = 1, is_new;

	if (w->frames.v[id].generation != w->generation)
		r = rbt_fold_frame(w, id);
	if (r < 0)
		return r;
	*ret = wire_number(w, &w->frames, id, &is_new);
	return is_new ? write_frame(w, id, *ret) : BOB_OK;
}

/* Defines the frames of a stack; *ret_len: the bytes of their numbers. */
static int
define_frames(struct rbt_writer *w, bob_stack id, size_t *ret_len)
{
	uint32_t frame;

	*ret_len = 0;
	for (; id != 0; id = w->dict->node[id].parent) {
		if (define_frame(w, rbt_frame_of(w, id), &frame) < 0)
			return BOB_FATAL;
		*ret_len += varint_size(frame);
	}
	return BOB_OK;
}

static int
write_stack(struct rbt_writer *w, bob_stack id, uint32_t number, size_t len)
{
	uint32_t depth = w->dict->node[id].depth;
	uint8_t *p, *start;

	len += varint_size(number) + varint_size(depth);
	start = p = out_reserve(w->out, RBT_EVENT_HEAD + len);
	if (p == NULL)
		return BOB_FATAL;
	*p++ = RBT_STACK_DEF;
	p = varint_put(p, len);
	p = varint_put(p, number);
	p = varint_put(p, depth);
	for (; id != 0; id = w->dict->node[id].parent)
		p = varint_put(p, w->frames.v[rbt_frame_of(w, id)].id);
	return out_commit(w->out, (size_t)(p - start));
}

int
rbt_define_stack(struct rbt_writer *w, bob_stack id)
{
	uint32_t depth = w->dict->node[id].depth, stack;
	size_t len;
	int is_new;

	if (depth > BOB_MAX_DEPTH)
		return err_set(w->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "rbt: cannot write a stack of %u frames (limit %u)",
		    depth, BOB_MAX_DEPTH);
	if (define_frames(w, id, &len) < 0 || rbt_fold_stack(w, id) < 0)
		return BOB_FATAL;
	stack = wire_number(w, &w->stacks, id, &is_new);
	return is_new ? write_stack(w, id, stack, len) : BOB_OK;
}

/*
 * Strings and frames of the file, numbered in the order of first use. What is
 * told apart by the dictionary may be one frame here (a PHP opcode, columns
 * in a dialect without them), so frames are found by what the file will hold.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/text.h"
#include "format/tach/write.h"

int
tach_map_grow(struct bob_ctx *ctx, uint32_t **map, size_t *cap, size_t need)
{
	size_t old = *cap;

	if (need <= old)
		return BOB_OK;
	if (mem_grow(ctx, map, cap, need, sizeof(**map)) < 0)
		return BOB_FATAL;
	memset(*map + old, 0, (*cap - old) * sizeof(**map));
	return BOB_OK;
}

int
tach_check_count(struct bob_ctx *ctx, uint32_t n, const char *what)
{
	if (n < BOB_MAX_IDS)
		return BOB_OK;
	return err_set(ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "tach: more %s than 32-bit numbers can count", what);
}

static int
add_string(struct tach_names *names, struct bob_bytes s, uint32_t *ret)
{
	uint32_t i = names->n_string;
	char *copy;

	if (s.n > UINT32_MAX)
		return err_set(names->ctx, BOB_FATAL, BOB_E_LIMIT,
		    BOB_NO_OFFSET, "tach: a name of %zu bytes (the format's "
		    "limit is 2^32 - 1)", s.n);
	if (tach_check_count(names->ctx, i, "strings") < 0 ||
	    MEM_GROW(names->ctx, names, string, (size_t)i + 1) < 0)
		return BOB_FATAL;
	/* The dictionary's own strings stay where they are; a name that was
	 * put together does not. */
	if (s.p == names->name.p) {
		copy = arena_alloc(names->ctx, &names->text, s.n);
		if (copy == NULL)
			return BOB_FATAL;
		memcpy(copy, s.p, s.n);
		s.p = copy;
	}
	names->string[i] = s;
	names->n_string++;
	*ret = i;
	return BOB_OK;
}

static int
find_string(struct tach_names *names, struct bob_bytes s, uint32_t *ret)
{
	uint64_t h = XXH3_64bits_withSeed(s.p, s.n, names->dict->seed);
	uint32_t at = (uint32_t)(h >> 32), i;

	if (intern_reserve(names->ctx, &names->by_string) < 0)
		return BOB_FATAL;
	while ((i = intern_probe(&names->by_string, h, &at)) != 0)
		if (names->string[i - 1].n == s.n &&
		    memcmp(names->string[i - 1].p, s.p, s.n) == 0) {
			*ret = i - 1;
			return BOB_OK;
		}
	if (add_string(names, s, ret) < 0)
		return BOB_FATAL;
	intern_add(&names->by_string, h, at, *ret + 1);
	return BOB_OK;
}

static int32_t
narrow(int64_t v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN
	                                                 : (int32_t)v;
}

/* The number of its opcode. A format that has only names for opcodes keeps a
 * number as a name in digits. */
static uint32_t
opcode_of(const struct bob_dict *d, const struct bob_frame *f)
{
	struct bob_bytes name = bob_str_get(d, f->opname);
	uint64_t v = TACH_NO_OPCODE;

	if (f->flags & BOB_FRAME_OPCODE)
		v = f->opcode;
	else if (f->flags & BOB_FRAME_OPNAME)
		(void)text_get_u64(name.p, name.n, &v);
	return v < TACH_NO_OPCODE ? (uint32_t)v : TACH_NO_OPCODE;
}

/* Where in its source a frame is; -1 is unknown. An offset in native code is
 * not a line. */
static void
locate(const struct bob_dict *d, const struct bob_frame *f, int n_fields,
    struct tach_frame *ret)
{
	int has_line = !(f->flags & BOB_FRAME_NO_LINE) &&
	    f->lang != BOB_LANG_NATIVE;

	ret->line = has_line ? narrow(f->where) : -1;
	ret->end_line = ret->col = ret->end_col = -1;
	ret->opcode = TACH_NO_OPCODE;
	if (n_fields == 3)
		return;
	ret->opcode = opcode_of(d, f);
	if (has_line && (f->flags & BOB_FRAME_COLUMNS)) {
		ret->end_line = f->end_line;
		ret->col = f->col;
		ret->end_col = f->end_col;
	}
}

static int
add_frame(struct tach_names *names, const struct tach_frame *f)
{
	uint32_t i = names->n_frame;

	if (tach_check_count(names->ctx, i, "frames") < 0 ||
	    MEM_GROW(names->ctx, names, frame, (size_t)i + 1) < 0)
		return BOB_FATAL;
	names->frame[i] = *f;
	names->n_frame++;
	return BOB_OK;
}

static int
find_frame(struct tach_names *names, const struct tach_frame *f,
    uint32_t *ret)
{
	uint64_t h = XXH3_64bits_withSeed(f, sizeof(*f), names->dict->seed);
	uint32_t at = (uint32_t)(h >> 32), i;

	if (intern_reserve(names->ctx, &names->by_frame) < 0)
		return BOB_FATAL;
	while ((i = intern_probe(&names->by_frame, h, &at)) != 0)
		if (memcmp(&names->frame[i - 1], f, sizeof(*f)) == 0) {
			names->has_twins = 1;
			*ret = i - 1;
			return BOB_OK;
		}
	*ret = names->n_frame;
	if (add_frame(names, f) < 0)
		return BOB_FATAL;
	intern_add(&names->by_frame, h, at, *ret + 1);
	return BOB_OK;
}

int
tach_names_add(struct tach_names *names, bob_fid id)
{
	const struct bob_frame *f = &names->dict->frame[id];
	struct bob_bytes file = bob_str_get(names->dict, f->file), func;
	struct tach_frame frame = { 0 };
	uint32_t i;

	locate(names->dict, f, names->n_fields, &frame);
	if (frame_name_get(&names->name, names->dict, id, &func) < 0 ||
	    find_string(names, file, &frame.file) < 0 ||
	    find_string(names, func, &frame.func) < 0 ||
	    find_frame(names, &frame, &i) < 0)
		return BOB_FATAL;
	names->of_fid[id] = i + 1;
	return BOB_OK;
}

void
tach_names_free(struct tach_names *names)
{
	free(names->string);
	free(names->frame);
	free(names->of_fid);
	intern_free(&names->by_string);
	intern_free(&names->by_frame);
	arena_free(&names->text);
	frame_name_done(&names->name);
}

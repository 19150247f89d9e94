/* From frame texts to stacks; see the header. */
#include "format/common/frameread.h"

#include <assert.h>
#include <stdlib.h>

int
frame_reader_init(struct frame_reader *fr, struct bob_ctx *ctx,
    struct bob_dict *dict)
{
	memset(fr, 0, sizeof(*fr));
	fr->dict = dict;
	fr->seen = bob_dict_new(ctx);
	return fr->seen == NULL ? BOB_FATAL : BOB_OK;
}

void
frame_reader_done(struct frame_reader *fr)
{
	bob_dict_free(fr->seen);
	free(fr->fid);
	free(fr->buf);
	free(fr->path);
	free(fr->stack);
	memset(fr, 0, sizeof(*fr));
}

/* Adds a word without its escapes to the dictionary. */
static bob_str
put_word(struct frame_reader *fr, const struct frame_words *w,
    struct bob_bytes word)
{
	if (w->is_raw)
		return bob_str_put(fr->dict, word.p, word.n);
	return bob_str_put(fr->dict, fr->buf,
	    text_unescape(fr->buf, word.p, word.n));
}

static bob_fid
put_frame(struct frame_reader *fr, const struct frame_words *w)
{
	struct bob_frame f = { .where = w->where, .lang = w->lang,
		.flags = w->flags };

	if (w->lang != BOB_LANG_PHP)
		f.name = put_word(fr, w, w->name);
	else if (bob_frame_set_php_name(fr->dict, &f, fr->buf,
	    text_unescape(fr->buf, w->name.p, w->name.n)) < 0)
		return BOB_NO_ID;
	f.file = put_word(fr, w, w->file);
	f.opname = put_word(fr, w, w->opname);
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID ||
	    f.opname == BOB_NO_ID)
		return BOB_NO_ID;
	return bob_frame_put(fr->dict, &f);
}

static bob_fid
parse_frame(struct frame_reader *fr, const char *p, size_t n,
    frame_split_fn *split)
{
	struct frame_words w;

	if (!split(p, n, &w))
		return 0;
	if (MEM_GROW(fr->dict->ctx, fr, buf, n) < 0)
		return BOB_NO_ID;
	return put_frame(fr, &w);
}

bob_fid
frame_reader_get(struct frame_reader *fr, const char *p, size_t n,
    frame_split_fn *split)
{
	uint32_t known = fr->seen->n.n_str;
	bob_str id = bob_str_put(fr->seen, p, n);
	bob_fid fid;

	if (id == BOB_NO_ID)
		return BOB_NO_ID;
	if (id != 0 && id < known)
		return fr->fid[id];
	fid = parse_frame(fr, p, n, split);
	if (fid == BOB_NO_ID ||
	    MEM_GROW(fr->dict->ctx, fr, fid, (size_t)id + 1) < 0)
		return BOB_NO_ID;
	fr->fid[id] = fid;
	return fid;
}

int
frame_reader_push(struct frame_reader *fr, size_t depth, bob_fid frame,
    bob_stack *ret)
{
	struct bob_ctx *ctx = fr->dict->ctx;
	bob_stack s;

	assert(depth <= fr->depth); /* none was left out */
	if (depth < fr->depth && fr->path[depth] == frame) {
		*ret = fr->stack[depth];
		return BOB_OK;
	}
	fr->depth = depth;
	if (MEM_GROW(ctx, fr, path, depth + 1) < 0 ||
	    MEM_GROW(ctx, fr, stack, depth + 1) < 0)
		return BOB_FATAL;
	s = bob_stack_push(fr->dict, depth == 0 ? 0 : fr->stack[depth - 1],
	    frame);
	if (s == BOB_NO_ID)
		return BOB_FATAL;
	fr->path[depth] = frame;
	fr->stack[depth] = *ret = s;
	fr->depth = depth + 1;
	return BOB_OK;
}

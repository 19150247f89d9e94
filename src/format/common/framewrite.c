/* From frames to their texts; see the header. */
#include "format/common/framewrite.h"

void
frame_writer_done(struct frame_writer *fw)
{
	textmemo_done(&fw->memo);
	frame_name_done(&fw->name);
}

int
frame_writer_put_new(struct frame_writer *fw, struct text *t, bob_fid id)
{
	const struct bob_dict *d = fw->dict;
	const struct bob_frame *f;
	struct bob_bytes name;
	size_t start = t->n;

	if (frame_name_get(&fw->name, d, id, &name) < 0)
		return BOB_FATAL;
	f = bob_frame_get(d, id);
	fw->put(t, f, name, bob_str_get(d, f->file));
	/* Of a spilled text the beginning is gone. */
	if (t->r < 0 || t->is_spilled)
		return t->r;
	return textmemo_put(&fw->memo, d->ctx, id, t->p + start, t->n - start);
}

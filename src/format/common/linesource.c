/* Sources of text, line by line; see the header. */
#include "format/common/linesource.h"

#include <string.h>

int
line_source_open(struct source *src, const char *format, uint32_t flags,
    line_source_read_fn *read)
{
	struct line_source *ls = src->state;

	lines_init(&ls->lines, src->in, format);
	ls->read = read;
	ls->segment.flags = flags;
	return frame_reader_init(&ls->frames, src->ctx, src->dict);
}

void
line_source_close(struct source *src)
{
	struct line_source *ls = src->state;

	frame_reader_done(&ls->frames);
}

int
line_source_next(struct source *src, struct bob_event *ret)
{
	struct line_source *ls = src->state;
	int r = ls->r;

	if (ls->is_given)
		ls->n_runs = 0;
	ls->is_given = 0;
	while (r == BOB_OK && ls->n_runs < LINE_SOURCE_BATCH)
		r = ls->read(src);
	if (r < 0)
		ls->r = r;
	src->is_incomplete |= ls->lines.is_packed_cut;
	if (ls->n_runs == 0)
		return r;
	if (!ls->has_segment) {
		ls->has_segment = 1;
		ls->segment.index = src->next_segment++;
		*ret = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
			.segment = &ls->segment };
		return BOB_OK;
	}
	ls->is_given = 1;
	*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = ls->runs,
		.n_runs = ls->n_runs };
	return BOB_OK;
}

int
line_source_too_deep(struct line_source *ls)
{
	return err_set(ls->lines.in->ctx, BOB_FATAL, BOB_E_LIMIT,
	    ls->lines.offset, "%s: line %llu: more than %u frames",
	    ls->lines.format, (unsigned long long)ls->lines.number,
	    BOB_MAX_DEPTH);
}

int
line_source_stack(struct line_source *ls, const char *p, size_t n,
    frame_split_fn *split, int skips_empty, bob_stack *ret)
{
	const char *end = p + n, *semi, *stop;
	size_t depth = 0;
	bob_fid frame;
	int has_more;

	*ret = 0;
	for (has_more = n > 0; has_more; p = stop + 1) {
		semi = memchr(p, ';', (size_t)(end - p));
		stop = semi == NULL ? end : semi;
		has_more = semi != NULL;
		if (stop > p || !skips_empty) {
			if (depth == BOB_MAX_DEPTH)
				return line_source_too_deep(ls);
			frame = frame_reader_get(&ls->frames, p,
			    (size_t)(stop - p), split);
			if (frame == BOB_NO_ID || frame_reader_push(
			        &ls->frames, depth++, frame, ret) < 0)
				return BOB_FATAL;
		}
	}
	return BOB_OK;
}

/* Sources of text, line by line; see the header. */
#include "format/linesource.h"

int
line_source_open(struct source *src, const char *format,
    line_source_read_fn *read)
{
	struct line_source *ls = src->state;

	lines_init(&ls->lines, src->in, format);
	ls->read = read;
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

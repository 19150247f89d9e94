/*
 * What sources of text have in common that give samples line by line, in one
 * segment: lines become runs, runs are handed out in batches, and the segment
 * goes before the first of them.
 *
 * A format's state begins with a struct line_source, so that the slots below
 * need not know the rest of it; its `read` takes one line, or a few, and adds
 * at most one run.
 *
 *     static int xx_open(struct source *src)
 *     {
 *             return line_source_open(src, "xx", read_line);
 *     }
 *     ... .open = xx_open, .next = line_source_next,
 *         .close = line_source_close ...
 */
#ifndef FORMAT_LINESOURCE_H
#define FORMAT_LINESOURCE_H

#include "core/lines.h"
#include "format/format.h"
#include "format/frameread.h"

#define LINE_SOURCE_BATCH 512

/* BOB_OK, EOF, AGAIN or FATAL. */
typedef int line_source_read_fn(struct source *src);

struct line_source {
	struct lines lines;
	struct frame_reader frames;
	line_source_read_fn *read;
	struct bob_segment segment; /* to be filled in before the first run
	                             * is handed out */
	struct bob_run runs[LINE_SOURCE_BATCH];
	size_t n_runs;
	int is_given;    /* the runs were handed out */
	int has_segment; /* the segment was handed out */
	int r;           /* < 0: dead */
};

/* Slots of struct source_ops, or what they begin and end with. */
int line_source_open(struct source *src, const char *format,
    line_source_read_fn *read);
int line_source_next(struct source *src, struct bob_event *ret);
void line_source_close(struct source *src);

/* One more run; once per read. */
static inline void
line_source_add(struct line_source *ls, const struct bob_run *run)
{
	ls->runs[ls->n_runs++] = *run;
}

/* The line has more than BOB_MAX_DEPTH frames. Returns FATAL. */
int line_source_too_deep(struct line_source *ls);

#endif

/*
 * What sources of text have in common that give samples line by line, in one
 * segment. Lines become runs, runs are handed out in batches, and the segment
 * comes before the first of them.
 *
 * A format's state begins with a struct line_source, so that the slots below
 * need not know the rest of it. Its `read` takes one line, or a few, and adds
 * at most one run.
 *
 *     static int xx_open(struct source *src)
 *     {
 *             return line_source_open(src, "xx", 0, read_line);
 *     }
 *     ... .open = xx_open, .next = line_source_next,
 *         .close = line_source_close ...
 */
#ifndef FORMAT_COMMON_LINESOURCE_H
#define FORMAT_COMMON_LINESOURCE_H

#include <assert.h>

#include "core/lines.h"
#include "format/common/frameread.h"
#include "format/format.h"

#define LINE_SOURCE_BATCH 512

/* BOB_OK, EOF, AGAIN or FATAL. */
typedef int line_source_read_fn(struct source *src);

struct line_source {
	struct lines lines;
	struct frame_reader frames;
	line_source_read_fn *read;
	struct bob_segment segment; /* to be complete before the first run is
	                             * added */
	struct bob_run runs[LINE_SOURCE_BATCH];
	size_t n_runs;
	int is_given;    /* the runs were handed out */
	int has_segment; /* the segment was handed out */
	int r;           /* < 0: dead */
};

/* Slots of struct source_ops, or what they begin and end with. The flags are
 * those of the segment. */
int line_source_open(struct source *src, const char *format, uint32_t flags,
    line_source_read_fn *read);
int line_source_next(struct source *src, struct bob_event *ret);
void line_source_close(struct source *src);

/* Adds a run; at most once per read. */
static inline void
line_source_add(struct line_source *ls, const struct bob_run *run)
{
	assert(ls->n_runs < LINE_SOURCE_BATCH);
	ls->runs[ls->n_runs++] = *run;
}

/*
 * Pushes `frame;frame;frame`, root first, whose frames `split` takes apart; an
 * empty text is the empty stack. skips_empty: frames without text are left out.
 * BOB_OK and *ret, or FATAL.
 */
int line_source_stack(struct line_source *ls, const char *p, size_t n,
    frame_split_fn *split, int skips_empty, bob_stack *ret);

/* The line has more than BOB_MAX_DEPTH frames. Returns FATAL. */
int line_source_too_deep(struct line_source *ls);

#endif

/*
 * What the parts of the writer share:
 *
 *     write.c   gathers rows and intervals per track
 *     file.c    the whole file
 *     tables.c  facts about the trace, and the tables that threads share
 *     thread.c  one thread: its samples and markers
 */
#ifndef FORMAT_GECKO_WRITE_H
#define FORMAT_GECKO_WRITE_H

#include "core/text.h"
#include "format/common/axis.h"
#include "format/common/functions.h"
#include "format/format.h"
#include "format/gecko/marks.h"
#include "format/gecko/rows.h"
#include "model/labels.h"

/* What is in a stack, as bits. */
enum gecko_in_stack {
	GECKO_HAS_PHP = 1 << 0,
	GECKO_HAS_PYTHON = 1 << 1,
	GECKO_HAS_GC = 1 << 2
};

/* Indices of the categories that are listed in the file. */
enum gecko_category {
	GECKO_OTHER = 0, /* must be the first */
	GECKO_PHP,
	GECKO_PYTHON,
	GECKO_NATIVE,
	GECKO_GC,
	GECKO_GIL,
	GECKO_CPU,
	GECKO_EXCEPTION,
	GECKO_ANNOTATION
};

struct gecko_track {
	struct rows rows;
	struct marks marks;
	int64_t next;      /* when its next sample is due */
	uint64_t n_segment; /* the one it was last seen in, from 1 */
	unsigned has;      /* enum gecko_in_stack */
	int is_main;
};

struct gecko_writer {
	struct functions fns;
	struct labels labels;
	struct axis axis;
	struct lanes lanes;
	struct marks_to marks_to;
	struct gecko_track *track; /* by track */
	size_t cap_track, n_track;
	uint8_t *has; /* by stack of fns.own: enum gecko_in_stack */
	size_t cap_has, n_has;
	uint64_t n_segment;
	uint64_t period;     /* of the first sample; 0: none yet */
	int periods_differ;
	uint64_t n_moved;    /* samples that were brought into order */
	bob_str state_name[MARKS_N_STATES]; /* in fns.own */
};

/* A number with its digits. */
struct gecko_digits {
	uint64_t v;
	size_t n; /* 0: no number yet */
	char p[TEXT_MAX_U64];
};

/* What it takes to write the file. */
struct gecko_page {
	struct sink *sink;
	struct gecko_writer *w;
	struct text text;
	int64_t origin; /* time 0 of the file on the timeline */
	uint32_t *source_of; /* by string of fns.own: source + 1, or 0 */
	bob_str *source;     /* their file names */
	uint32_t n_source;
	struct rows_reader rows;
	struct marks_reader marks;
	struct gecko_digits last; /* of the column at hand */
};

/* The category of a function's frames. */
unsigned gecko_category(const struct functions *f, uint32_t function);

/* Writes all of it, when every sample was given. BOB_OK or FATAL. */
int gecko_put_file(struct gecko_page *page);

/* "meta" and "shared" with their values; a failure is kept in page->text. */
void gecko_put_meta(struct gecko_page *page);
int gecko_put_tables(struct gecko_page *page);

/* One thread. BOB_OK or FATAL. */
int gecko_put_thread(struct gecko_page *page, bob_tid id);

#endif

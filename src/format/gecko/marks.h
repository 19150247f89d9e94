/*
 * States of a thread besides its stack, as intervals: the bits of its status,
 * garbage collection, and its annotations. An interval begins with the first
 * sample that has it and ends with the next one that has not. Finished
 * intervals are packed into a lane.
 */
#ifndef FORMAT_GECKO_MARKS_H
#define FORMAT_GECKO_MARKS_H

#include <bobbin/model.h>

#include "format/common/functions.h"
#include "format/gecko/lanes.h"

/* States that a thread is in or not. */
enum marks_state {
	MARKS_GIL = 0,
	MARKS_WAITS,
	MARKS_CPU,
	MARKS_EXCEPTION,
	MARKS_GC,
	MARKS_N_STATES,
	MARKS_ANNOTATION = MARKS_N_STATES /* a kind of mark, but no state */
};

/* An interval that is over. */
struct mark {
	int64_t begin, end;
	uint32_t kind;      /* enum marks_state */
	bob_str key, value; /* of annotations: strings of fns->own */
};

/* An annotation that goes on. */
struct marks_note {
	struct bob_pair pair;
	int64_t begin;
};

struct marks {
	struct lane lane;
	uint64_t n;     /* in the lane */
	int64_t last;   /* begin of the last one there */
	unsigned state; /* bit by enum marks_state */
	int64_t since[MARKS_N_STATES];
	bob_annot annot;
	struct marks_note *note;
	size_t cap_note, n_note;
};

/* Where marks go, for all threads. */
struct marks_to {
	struct lanes *lanes;
	struct functions *fns; /* for their strings */
	char *utf8;
	size_t cap_utf8;
};

/* The bits of a status and of a stack with garbage collection in it. */
unsigned marks_state(unsigned status, int has_gc);

/* From `at` on. BOB_OK or FATAL; nothing to do when neither differs. */
int marks_change(struct marks_to *to, struct marks *m, unsigned state,
    bob_annot annot, int64_t at);

/* The string in fns->own, with U+FFFD for what is not UTF-8; BOB_NO_ID when
 * memory is out. */
bob_str marks_string(struct marks_to *to, bob_str id);

void marks_done(struct marks *m);

struct marks_reader {
	struct lane_reader in;
	struct mark mark; /* the one that marks_next gave */
};

/* From the front. BOB_OK or FATAL. */
int marks_begin(struct marks_reader *in, struct lanes *s,
    const struct marks *m);

/* 1, 0 at the end, or FATAL. */
int marks_next(struct marks_reader *in);

#endif

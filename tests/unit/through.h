/*
 * Converting text from one format to another, in memory. Shared by the tests of
 * the text formats.
 */
#ifndef UNIT_THROUGH_H
#define UNIT_THROUGH_H

#include "support.h"

/* What came of the last conversion. */
struct through {
	struct diags diags;
	struct bob_error error; /* of the call that failed */
	int status;             /* BOB_EOF, or how it failed */
	int is_incomplete;
	struct buf out; /* ends in a NUL that is not counted */
};

/* How to convert; zero is the plain way. */
struct through_how {
	const char *option, *value; /* of the target */
	size_t step;                /* bytes per read; 0: all at once */
	int stutter;                /* with "nothing yet" in between */
	uint32_t want;              /* enum bob_want; 0: all */
};

void through(struct through *t, const void *p, size_t n, const char *from,
    const char *to, const struct through_how *how);
void through_done(struct through *t);

/* Converts a string and expects another, without warnings. */
void assert_through(const char *text, const char *from, const char *to,
    const char *want);

/* The same in one format: what is written is what was read. */
void assert_same_through(const char *text, const char *format);

/* The frames, and nothing else, of each line of a dump: `P;a;/a.php;1;-` of
 * the leaf, a space, its caller, and so on; one line per line. */
void assert_dump_frames(const struct through *t, const char *want);

/* A trace made by hand, without an input. */
struct hand {
	struct bob_ctx *ctx;
	struct bob_writer *w;
	struct bob_dict *d;
	struct diags diags;
	struct buf out;
};

/* option: a key, or NULL for none. */
void hand_begin(struct hand *h, const char *format, const char *option,
    const char *value);
bob_str hand_str(struct hand *h, const char *s);

/* The frame with this name and file on top of parent. */
bob_stack hand_push(struct hand *h, bob_stack parent, struct bob_frame f,
    const char *name, const char *file);
void hand_segment(struct hand *h, const struct bob_segment *segment);
void hand_run(struct hand *h, const struct bob_run *run);

/* `count` samples in a segment of their own. */
void hand_samples(struct hand *h, uint64_t period, bob_stack stack,
    uint64_t count);

/* Finishes, expects the output, and frees everything. */
void hand_end(struct hand *h, const char *want);

/* Converts a string with each allocation failing in turn, once. */
void assert_survives_faults(const char *text, const char *from,
    const char *to);

#endif

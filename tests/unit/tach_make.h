/*
 * TACH files put together by hand, without any code of the library. Four
 * frames, a to d, at lines 1 to 4 of f.py, are all a test needs.
 */
#ifndef UNIT_TACH_MAKE_H
#define UNIT_TACH_MAKE_H

#include "support.h"

enum make_dialect { MAKE_V2, MAKE_EARLY_1, MAKE_1A, MAKE_1B };

#define MAKE_START 1000
#define MAKE_THREAD 4242

struct make {
	enum make_dialect dialect;
	int is_big;
	uint64_t n_samples;
	uint32_t n_threads, compression, word;
	struct buf samples; /* records, as they stand in the file */
	struct buf block;   /* between frame table and footer */
	uint32_t n_frames;  /* that the footer claims, unless 0 */
};

void make_free(struct make *m);

/* Head of a record, and whole records of one sample; n indices of frames. */
void make_head(struct make *m, uint64_t tid, unsigned kind);
void make_full(struct make *m, uint64_t tid, uint64_t delta, unsigned status,
    const char *frames);
/* SUFFIX (2) and POP_PUSH (3). */
void make_change(struct make *m, uint64_t tid, unsigned kind, uint64_t delta,
    unsigned status, uint64_t n, const char *frames);
/* REPEAT of n samples, all alike. */
void make_repeat(struct make *m, uint64_t tid, uint64_t n, uint64_t delta,
    unsigned status);

/* The whole file, appended to b. */
void make_file(const struct make *m, struct buf *b);

/*
 * Reads a file to its end and writes down what comes, to at most cap bytes:
 *
 *     S              a segment
 *     M:k=v          metadata
 *     ba=3@5,1,1/7   3 samples in b called by a at 5, 6 and 7 us, status 7
 *     t9:ba=1@5/7    the same of another thread than MAKE_THREAD
 *     G2/5           a gap of 5 bytes that lost exactly 2 samples (G2+)
 *     !              an error, $ the end
 */
void make_listing(struct bob_reader *in, char *line, size_t cap);

#endif

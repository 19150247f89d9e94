/*
 * The history of a side: which row each track had when, in the order of its
 * samples. A profile has it with BOB_PROFILE_RUNS. docs/internals/history.md
 * explains the bytes.
 *
 * Invariants:
 * 1. No sample is lost, and each keeps its time: the samples of a row in all
 *    lanes are those of the row (counts saturate).
 * 2. Memory is bounded: HISTORY_MEMORY of packed runs, HISTORY_OPEN of runs
 *    that are being packed, 64 bytes for each block and some 200 for each
 *    track. What is more goes to a temporary file.
 * 3. It never makes a profile fail. Without memory, or without room for
 *    temporary files, it is given up, with the reason in `why`.
 */
#ifndef ANALYZE_HISTORY_H
#define ANALYZE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

#include "core/mem.h"
#include "core/tempfile.h"

/* Bytes of packed runs that are held in memory: some 1.5 million runs. */
#define HISTORY_MEMORY ((size_t)8 << 20)

/* Bytes of runs that are being packed, of all tracks together. */
#define HISTORY_OPEN ((size_t)4 << 20)

/* Bytes of a block: small enough that a look at a moment is cheap, large enough
 * that its entry in the directory is small beside it. */
#define HISTORY_BLOCK ((size_t)4096)

/* What a run is packed as a difference from. */
struct history_state {
	uint64_t last; /* time of the last sample */
	uint64_t gap;  /* between the last two samples */
	uint32_t row;
	uint32_t is_joined; /* the last sample lasts until the next one */
};

/* A block: runs of one track. */
struct history_block {
	struct history_state start;
	uint64_t t_min, t_max; /* of what it covers */
	uint64_t end;          /* of its last run */
	uint64_t at;           /* where its bytes are */
	uint32_t n;            /* of them */
	uint32_t next;         /* of the same track, + 1; 0: none */
};

/* Equal samples, `gap` apart. */
struct history_run {
	uint32_t row;
	int begins; /* another request begins with it */
	uint64_t first, gap, count;
	uint64_t last; /* time of the last sample */
	uint64_t end;  /* how long it lasted; never before `last` */
};

/* A track. All zeros: no sample yet. */
struct history_lane {
	uint8_t *buf;                /* the block that is being packed */
	size_t n_buf, cap_buf;
	struct history_state start, now; /* before and after it */
	uint64_t t_min, t_max, end;  /* as in struct history_block */
	uint32_t first_block, last_block; /* + 1; 0: none */
	uint32_t request;            /* of the last sample */
	struct history_run open;     /* may still grow; count 0: none. `end` is
	                              * right if nothing follows */
};

struct history {
	struct bob_ctx *ctx;
	struct history_lane *lane; /* by track */
	size_t cap_lane;
	struct history_block *block;
	size_t n_block, cap_block;
	uint8_t *bytes; /* of the first blocks */
	size_t n_bytes, cap_bytes;
	struct tempfile spill; /* of the others */
	size_t n_open;         /* bytes of all lane[].buf */
	char *why;             /* not NULL: given up */
};

void history_init(struct history *h, struct bob_ctx *ctx);
void history_done(struct history *h);

/* Samples to be added: equal ones, `gap` apart, the first at `first`. */
struct history_new {
	uint32_t row;
	uint32_t request; /* number of their request on the track */
	uint64_t first, gap, count;
	uint64_t length; /* time since the sample before them, if that lasted
	                  * until `first`; another number if not */
	uint64_t tail;   /* how long the last one lasts if nothing follows */
};

/* Adds samples to a track. Times may run backwards: runs stay in the order they
 * were added. */
void history_add(struct history *h, bob_tid track,
    const struct history_new *x);

/* Returns the time of the last sample of a run. */
static inline uint64_t
history_last(const struct history_run *run)
{
	return count_add(run->first, count_mul(run->count - 1, run->gap));
}

/* Reads the runs of a track that overlap a span of time, in the order they were
 * added. Valid until history_add. */
struct history_reader {
	const struct history *h;
	const struct history_lane *lane;
	uint64_t from, to; /* from <= time < to */
	uint32_t block;    /* the next one, + 1; 0: none left */
	int part;          /* enum history_part */
	struct history_state state;
	const uint8_t *p, *p_end;
	uint64_t end;      /* of the last run in [p, p_end) */
	uint8_t room[HISTORY_BLOCK];
};

void history_begin(struct history_reader *r, const struct history *h,
    bob_tid track, uint64_t from, uint64_t to);

/* Returns 1 and sets *ret; 0 after the last run; FATAL. */
int history_next(struct history_reader *r, struct history_run *ret);

/* Returns how many samples of a run are in from <= time < to. */
uint64_t history_inside(const struct history_run *run, uint64_t from,
    uint64_t to);

#endif

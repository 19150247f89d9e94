/* What the parts of blocks.c share. */
#ifndef SHIP_BLOCKS_INSIDE_H
#define SHIP_BLOCKS_INSIDE_H

#include "core/mem.h"
#include "model/idle.h"
#include "model/labels.h"
#include "ship/blocks.h"
#include "ship/stackid.h"

/* Bits of the column status above those of enum bob_run_status. */
#define ROW_IDLE 0x40   /* idle by known functions */
#define ROW_STATUS 0x80 /* the bits below 0x40 are known */

/* What the samples of a track with a set of annotations have in common, as the
 * first values of their rows. */
#define OWNER_TEXTS 5
#define OWNER_HEAD (OWNER_TEXTS * (BLOCK_NAME + VARINT_MAX) + 64)

struct owner {
	struct blocks *b;
	struct labels labels;
	bob_tid track;
	bob_annot annot;
	int is_known; /* head is that of track and annot */
	uint8_t kind;
	bob_str route;
	bob_str *route_of; /* by annotation set, + 1; 0: not looked at */
	size_t cap_route_of;
	size_t n_head;
	uint8_t head[OWNER_HEAD]; /* begins with the day, ends with blk */
};

/* A sum: of a minute, a route and a stack. */
struct minute {
	uint32_t minute;
	bob_str route;
	bob_stack stack;
	uint32_t period;
	uint16_t zero;
	uint8_t is_idle, kind;
	uint32_t more_zero;
	uint64_t id; /* of the stack; the fields before it are the key */
	uint64_t value;
};

struct minutes {
	struct bob_ctx *ctx;
	uint64_t seed;
	struct minute *sum; /* 1 .. n - 1 */
	size_t cap_sum;
	uint32_t n, last;
	struct intern by_key;
};

struct blocks {
	struct bob_ctx *ctx;
	struct block_source src;
	struct block_how how;
	struct bob_reader *in;
	const struct bob_dict *dict;
	struct stackids ids;
	struct idle idle;
	struct owner owner;
	struct minutes minutes;
	struct rowbin samples, stacks, sums;
	struct bob_segment segment;
	uint64_t n_undated;
	unsigned n_days;

	/* Where reading stands. */
	struct bob_event event;
	size_t at_run;
	uint64_t at_sample; /* of that run */
	uint64_t t;         /* its time, on the segment's clock */
	uint64_t stack;     /* of that run: id and status of the rows */
	uint8_t status;
	struct minute sum;  /* without minute and value */

	struct block block;
	int has_begun, is_wanted;

	/* Stacks that were written: a byte for each of the dictionary. */
	uint8_t *sent;
	size_t cap_sent, n_sent;
	uint16_t sent_day;
	uint64_t *sent_now; /* ids of those of this block */
	size_t cap_sent_now, n_sent_now;
	bob_fid *path; /* scratch */
	size_t cap_path;
	uint64_t n_stack_bytes;
};

void owner_init(struct owner *o, struct blocks *b);
void owner_done(struct owner *o);

/* All return BOB_OK or FATAL. A mark may set the date of a segment. */
int owner_segment(struct owner *o, const struct bob_segment *segment);
int owner_mark(struct owner *o, struct bob_segment *segment,
    const struct bob_mark *mark);
int owner_of_slow(struct owner *o, bob_tid track, bob_annot annot);

/* Makes the head of samples of a track with these annotations. */
static inline int
owner_of(struct owner *o, bob_tid track, bob_annot annot)
{
	return o->is_known && o->track == track && o->annot == annot
	    ? BOB_OK : owner_of_slow(o, track, annot);
}

/* Cuts a name to BLOCK_NAME bytes. */
static inline size_t
block_name_length(size_t n)
{
	return n < BLOCK_NAME ? n : BLOCK_NAME;
}

void minutes_init(struct minutes *m, struct bob_ctx *ctx, uint64_t seed);
void minutes_done(struct minutes *m);
void minutes_begin(struct minutes *m);

/* Adds value to the sum that is like `key`, in the minute of ts. */
int minutes_add(struct minutes *m, uint64_t ts, const struct minute *key,
    uint64_t value);
int minutes_write(struct blocks *b);

/* Writes the stacks of the sums that the server does not have. */
int stacks_write(struct blocks *b);
void sent_done(struct blocks *b);

#endif

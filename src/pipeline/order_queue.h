/*
 * A queue of the samples of one track, packed: only what changes from run to
 * run, and times as differences. A sample that differs from the one before it
 * takes about 5 bytes, a sample of a long run 1 or 2.
 *
 * The queues of a segment share a store. They are filled in memory. When that
 * becomes too much, the owner of the store spills all of them to a file without
 * a name, from which each is read front to back through a small buffer. First
 * come all puts, then order_store_rewind, then all gets.
 */
#ifndef PIPELINE_ORDER_QUEUE_H
#define PIPELINE_ORDER_QUEUE_H

#include <bobbin/model.h>

#include "core/mem.h"
#include "core/tempfile.h"

struct order_chunk;

/* A stretch of the spill file. */
struct order_extent {
	uint64_t start, end;
};

/* Equal samples with one time. */
struct order_sample {
	uint64_t count;
	uint64_t t; /* of untimed ones: of the sample before */
	bob_stack stack;
	bob_annot annot;
	uint8_t status, flags; /* as in struct bob_run */
};

struct order_queue {
	bob_tid track;
	int64_t key; /* latest time so far, counted from store->origin; before
	              * any time INT64_MIN */
	struct order_sample now; /* the last one put or got */

	struct order_chunk *first, *last;
	struct order_extent *extent;
	size_t cap_extent, n_extent;

	/* Reading. */
	const uint8_t *p, *end; /* what is at hand */
	uint8_t *buf;           /* of spilled bytes */
	size_t i_extent;
	uint64_t n_dt; /* samples of this run still to come */
};

struct order_store {
	struct bob_ctx *ctx;
	size_t limit;    /* bytes in memory above which to spill */
	size_t used;     /* bytes in memory */
	struct tempfile spill;
	size_t buf_size; /* of each queue, when there is one */
	uint64_t origin; /* some time of the segment: times are compared as
	                  * signed distances from it, so that a clock may wrap
	                  * or be set back */
};

void order_queue_init(struct order_queue *q, bob_tid track);

/* Adds a run. BOB_OK or FATAL. */
int order_queue_put(struct order_store *s, struct order_queue *q,
    const struct bob_run *run);

/* Moves what the n queues hold in memory to the file. BOB_OK or FATAL. */
int order_store_spill(struct order_store *s, struct order_queue *q, size_t n);

/* The n queues are complete: reading begins. BOB_OK or FATAL. */
int order_store_rewind(struct order_store *s, struct order_queue *q,
    size_t n);

/* Takes the next samples of a queue into q->now, and their place in the order
 * into q->key. Returns 1, 0 when there are none, or FATAL. */
int order_queue_get(struct order_store *s, struct order_queue *q);

/* Frees what the queue holds. */
void order_queue_done(struct order_queue *q);

/* To be called when all queues are done: the first empties the file for another
 * segment, the second closes it. */
void order_store_reset(struct order_store *s);
void order_store_done(struct order_store *s);

#endif

/*
 * Annotations that are written where they change. A sample of .rbt has those
 * of an event right behind it, which takes more bytes than all the rest of
 * it; but whoever is sampled keeps his for a while. METADATA says that from
 * here to the end of the segment
 *
 *     bobbin.annotations    changes
 *
 * a sample without that event has the annotations of the one before it with
 * the same number (or, like it, without a number), and that an event without
 * pairs means none. Writers tell them anew behind each checkpoint, so that
 * what damage takes is soon there again. To other readers the samples in
 * between have none.
 */
#ifndef FORMAT_RBT_CHANGES_H
#define FORMAT_RBT_CHANGES_H

#include <bobbin/model.h>

#include "format/rbt/idmap.h"

#define RBT_META_CHANGES "bobbin.annotations"
#define RBT_CHANGES "changes"

/* What a reader remembers. */
struct rbt_changes {
	int is_on;
	struct idmap by_number; /* -> bob_annot */
	bob_annot plain; /* of samples without a number */
	/* The newest sample since the metadata; NONE: there is none. */
	enum { RBT_CHANGES_NONE, RBT_CHANGES_PLAIN, RBT_CHANGES_OF } newest;
	uint64_t number;
};

/* True when this is the metadata shown above. */
int rbt_changes_parse(struct bob_bytes key, struct bob_bytes value);

/* The metadata was seen: the rule holds from here on. */
void rbt_changes_begin(struct rbt_changes *c);

/* A new segment: forgets all annotations and turns the rule off. */
void rbt_changes_clear(struct rbt_changes *c);

/* Something was lost: forgets all annotations. */
void rbt_changes_forget(struct rbt_changes *c);

/* Return the annotations of a new sample that has none of its own. */
bob_annot rbt_changes_plain(struct rbt_changes *c);
bob_annot rbt_changes_of(struct rbt_changes *c, uint64_t number);

/* The newest sample has these annotations of its own. BOB_OK or FATAL. */
int rbt_changes_set(struct bob_ctx *ctx, struct rbt_changes *c,
    bob_annot annot);

void rbt_changes_done(struct rbt_changes *c);

#endif

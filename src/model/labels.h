/*
 * Labels: descriptions of processes from metadata, so that outputs and reports
 * can show more than a pid.
 *
 *     process.PID.runtime    php
 *     process.PID.version    8.2.30
 *     process.PID.parent     4711
 *     process.PID.command    php-fpm: pool www
 *     pid                    the process of samples without a pid
 *
 * The last value of each key counts. If `pid` has different values, samples
 * without a pid belong to no process. Values are copied, so labels may outlive
 * the dictionary. Labels of two parts of a trace can be joined.
 */
#ifndef MODEL_LABELS_H
#define MODEL_LABELS_H

#include "model/dict.h"
#include "model/intern.h"

enum label_fact {
	LABEL_RUNTIME,
	LABEL_VERSION,
	LABEL_PARENT,
	LABEL_COMMAND,
	N_LABEL_FACTS
};

struct label {
	uint64_t pid;
	char *fact[N_LABEL_FACTS]; /* NULL: not known */
	size_t len[N_LABEL_FACTS];
};

static inline struct bob_bytes
label_get(const struct label *label, enum label_fact fact)
{
	return label->fact[fact] != NULL ?
	    (struct bob_bytes){ label->fact[fact], label->len[fact] } :
	    (struct bob_bytes){ "", 0 };
}

struct labels {
	struct bob_ctx *ctx;
	uint64_t seed;
	struct label *label; /* 1 .. n - 1 */
	size_t cap_label;
	uint32_t n;
	struct intern by_pid;
	enum { LABELS_NO_OWN, LABELS_OWN, LABELS_SEVERAL } has_own;
	uint64_t own; /* the process of samples without a pid */
	char *text;   /* of labels_text */
	size_t cap_text;
};

/* The seed is that of the dictionary: the file chooses the pids, and they must
 * not all hash to one slot. */
void labels_init(struct labels *l, struct bob_ctx *ctx, uint64_t seed);
void labels_done(struct labels *l);

/* Takes a pair of metadata. Returns 1 if it is now part of a label; 0 if it is
 * metadata of another kind, or `pid`; FATAL without memory. */
int labels_take(struct labels *l, struct bob_bytes key,
    struct bob_bytes value);

/* The same for a mark; returns 0 if it is no metadata. */
int labels_mark(struct labels *l, const struct bob_dict *d,
    const struct bob_mark *mark);

/* Adds the labels of another part of the trace. Returns BOB_OK or FATAL. */
int labels_join(struct labels *l, const struct labels *from);

/* Returns the label of a track's process; NULL if it has none. */
const struct label *labels_of(const struct labels *l,
    const struct bob_track *track);

/*
 * Sets *ret to a description: "php-fpm: pool www (php 8.2.30, child of 4711)",
 * or those parts that are known. Long command lines are cut. The process chose
 * the bytes. Valid until the next call. Returns BOB_OK or FATAL.
 */
int labels_text(struct labels *l, const struct label *label,
    struct bob_bytes *ret);

#endif

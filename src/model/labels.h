/*
 * Labels: what metadata says about processes, so that outputs and reports can
 * call them by more than a number.
 *
 *     process.PID.runtime    php
 *     process.PID.version    8.2.30
 *     process.PID.parent     4711
 *     process.PID.command    php-fpm: pool www
 *     pid                    of the process of samples that name none
 *
 * The last value of each counts; where different pids are named, samples that
 * name none are nobody's. They are copied, so that labels outlive the
 * dictionary they came from; labels of two parts of a trace can be joined.
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
	uint64_t own; /* the process of samples that name none */
	char *text;   /* room */
	size_t cap_text;
};

/* The seed is the dictionary's: numbers are chosen by whoever wrote the
 * file. */
void labels_init(struct labels *l, struct bob_ctx *ctx, uint64_t seed);
void labels_done(struct labels *l);

/* Metadata: 1 when all that it said is part of a label now, 0 when it is a
 * fact like any other, FATAL without memory. */
int labels_take(struct labels *l, struct bob_bytes key,
    struct bob_bytes value);

/* The same for a mark of any kind. */
int labels_mark(struct labels *l, const struct bob_dict *d,
    const struct bob_mark *mark);

/* Adds what another part of the trace said. BOB_OK or FATAL. */
int labels_join(struct labels *l, const struct labels *from);

/* Of the process of a track; NULL: nothing is known. */
const struct label *labels_of(const struct labels *l,
    const struct bob_track *track);

/*
 * What people are told: "php-fpm: pool www (php 8.2.30, child of 4711)", as far
 * as it is known; empty when nothing is. Long command lines are cut. Bytes are
 * those of the process. Valid until the next call. BOB_OK or FATAL.
 */
int labels_text(struct labels *l, const struct label *label,
    struct bob_bytes *ret);

#endif

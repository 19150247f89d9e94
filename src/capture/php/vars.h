/*
 * Variables of a thread that were asked for, as annotations of its samples.
 *
 * A value is given when it was the variable's at one moment (see proof.h),
 * right after the stack was read; a local one, when its frame was still there.
 * What is not there is left out; what changes too fast to be read is left out
 * and counted. Nothing is allocated for a sample, apart from values that the
 * dictionary has not seen.
 */
#ifndef CAPTURE_PHP_VARS_H
#define CAPTURE_PHP_VARS_H

#include <stdint.h>

#include "capture/php/proof.h"
#include "capture/php/spec.h"
#include "capture/php/walk.h"
#include "capture/runtime.h"

#define VARS_MAX BOB_MAX_LIVE_VARS

struct var {
	const struct spec *spec;
	struct proof proof;
	uint64_t at;       /* of the zval, while the proof holds */
	int is_known;
	/* LOCAL: of which frame, and the last place of the name. */
	uint64_t ex, func;
	uint64_t names, name;
	uint32_t index;
	/* Ids of the dictionary; 0: not put yet. */
	bob_str key;
	struct bob_frame owner;
};

struct vars {
	struct process *p;
	const struct php_offsets *o;
	struct php_globals at;
	struct var *var;
	size_t n;
	struct bob_pair pair[VARS_MAX]; /* of the last sample */
	size_t n_pair;
};

/* At most VARS_MAX specs, which outlive the vars. BOB_OK or FATAL; vars_done
 * in either case. */
int vars_init(struct vars *v, struct process *p, const struct php_offsets *o,
    const struct spec *specs, size_t n, const struct php_globals *at);
void vars_done(struct vars *v);

/* Another request has begun: nothing is where it was. */
void vars_doubt(struct vars *v);

/* Forgets ids of the old dictionary. */
void vars_forget(struct vars *v);

/* Reads them, for the stack that was just proven, into v->pair. BOB_OK or
 * FATAL. */
int vars_read(struct vars *v, const struct walk *w);

/* Adds the variables of all frames of that stack to the process, innermost
 * first: those of the script and of functions that have a value. BOB_OK or
 * FATAL. */
int vars_read_locals(struct vars *v, const struct walk *w);

#endif

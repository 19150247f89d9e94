/*
 * Variables of a thread that the user asked for, as annotations of its samples;
 * and all local variables of a stack.
 *
 * They are read right after the stack was. A value is given if it was that of
 * the variable at one moment (see deps.h); that of a local variable, if its
 * frame was still in use. A variable that does not exist is left out; one that
 * changes too fast to be read is left out and counted. Only values that are new
 * to the dictionary allocate memory.
 */
#ifndef CAPTURE_PHP_VARIABLES_VARS_H
#define CAPTURE_PHP_VARIABLES_VARS_H

#include <stdint.h>

#include "capture/php/frames/walk.h"
#include "capture/php/variables/deps.h"
#include "capture/php/variables/spec.h"
#include "capture/runtime.h"

#define VARS_MAX BOB_MAX_CAPTURE_VARS

struct var {
	const struct spec *spec;
	struct deps deps;
	uint64_t at;       /* address of the zval, while deps are unchanged */
	int is_known;      /* `at` and `deps` are set */
	/* LOCAL: its frame; the array of names in its function, its name there,
	 * and its index. names == 0: not looked up. */
	uint64_t ex, func;
	uint64_t names, name;
	uint32_t index;
	/* Ids of the dictionary; 0: not put yet. */
	bob_str key;
	struct bob_frame owner; /* the function that the spec names */
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

/* At most VARS_MAX specs, which must outlive the vars. Returns BOB_OK or FATAL;
 * call vars_done() in either case. */
int vars_init(struct vars *v, struct process *p, const struct php_offsets *o,
    const struct spec *specs, size_t n, const struct php_globals *at);
void vars_done(struct vars *v);

/* Another request has begun: all variables are looked up again. */
void vars_doubt(struct vars *v);

/* Forgets ids of the old dictionary. */
void vars_forget(struct vars *v);

/* Reads the variables, for the stack that was just proven, into v->pair.
 * Returns BOB_OK or FATAL. */
int vars_read(struct vars *v, const struct walk *w);

/* Adds the local variables of all frames of that stack to the process
 * (process_add_local), innermost frame first. Undefined ones are left out.
 * Returns BOB_OK or FATAL. */
int vars_read_locals(struct vars *v, const struct walk *w);

#endif

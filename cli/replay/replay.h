/*
 * The outputs of CPython's profiler: what it calls them, and the format and
 * option of ours that each stands for. `replay` writes all of them, `record`
 * all that need nothing but samples.
 *
 * An output whose format is not in this build is in the table too, so that
 * asking for it gets a clear answer. Help does not list it.
 */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include <stddef.h>

#include "args/options.h"

struct replay_output {
	const char *name;   /* --NAME */
	const char *format; /* of ours */
	const char *option; /* a switch of that format, or NULL */
	const char *help;
	const char *baseline; /* placeholder of a file to compare with, or
	                       * NULL */
};

/* The i-th output as an option of a command, enum cmd_bit. 1 and *ret, or 0
 * behind the last. */
int replay_get(size_t i, uint32_t command, struct opt *ret);
size_t replay_count(void);

/* The one that was asked for, into *ret, or NULL. EXIT_OK, or EXIT_USAGE after
 * saying what is wrong. */
int replay_chosen(const struct args *args, const struct replay_output **ret);

/* Hints at all that can be written. */
void replay_hint(void);

/* True when some output has this format. */
int replay_writes(const char *format);

/* True when an output sets this switch by itself. */
int replay_sets(const char *option);

#endif

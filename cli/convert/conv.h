/*
 * A conversion, as convert, replay, recover and dump do it: one call of
 * bob_convert with what the arguments ask for.
 */
#ifndef CLI_CONV_H
#define CLI_CONV_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/convert.h>

#include "input/job.h"
#include "output/output.h"

struct conv {
	struct job job;
	struct output output;
	/* Set by the command between conv_init and conv_run. */
	uint32_t flags;  /* enum bob_convert_flags */
	unsigned threads;
	int is_live;     /* write in place, at least once a second */
	const char *baseline; /* what to compare with, or NULL */
	void (*gap)(void *user, const char *input, const struct bob_gap *gap);
	void *user;
	/* Filled by conv_run. */
	struct bob_converted done;
	int says_result; /* a line at the end: what was written */
};

/* Takes inputs, filters and the output from the arguments; the command sets the
 * format by output_set_format. EXIT_OK, or another code after saying what is
 * wrong. conv_done in either case. */
int conv_init(struct conv *c, const struct args *args);
void conv_done(struct conv *c);

/* Sets the flags to go on behind damage, unless --strict is given. conv_run
 * then says what was lost. */
void conv_pass_damage(struct conv *c);

/* Converts. Returns an exit code after saying what went wrong. */
int conv_run(struct conv *c);

#endif

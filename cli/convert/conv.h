/*
 * A conversion, as convert, replay, recover and dump do it: the job, the
 * target with its options, the output, and what to say meanwhile.
 */
#ifndef CLI_CONV_H
#define CLI_CONV_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/convert.h>

#include "job.h"
#include "outfile.h"

struct conv {
	struct job job;
	/* Set by the command between conv_init and conv_run. */
	const struct bob_format_info *to;
	uint32_t flags;  /* enum bob_convert_flags */
	unsigned threads;
	int says_plan;   /* say what the target cannot carry */
	int is_live;     /* write in place, at least once a second */
	const char *baseline; /* what to compare with, or NULL */
	void (*gap)(void *user, const char *input, const struct bob_gap *gap);
	void *user;
	/* Made from the arguments. */
	struct bob_option *options;
	size_t n_options;
	const char *path; /* NULL: standard output */
	/* Filled by conv_run. */
	struct bob_converted done;
	char lost[BOB_MAX_TEXT]; /* what the plan said last */
};

/* EXIT_OK, or another code after saying what is wrong; conv_done in either
 * case. */
int conv_init(struct conv *c, const struct args *args);
void conv_done(struct conv *c);

/*
 * The target format: `forced` when not NULL, else -t, else by the suffix of
 * -o, else `fallback`. EXIT_OK, or EXIT_USAGE after saying why.
 */
int conv_set_target(struct conv *c, const char *forced, const char *fallback);

/* One more option of the target; before conv_set_target. */
void conv_add_option(struct conv *c, const char *key, const char *value);

int conv_is_stdout(const struct conv *c);

/* Refuses to write what is not text to a terminal. EXIT_OK, or EXIT_USAGE
 * after saying so. */
int conv_check_terminal(const struct conv *c);
int conv_has_option(const struct bob_format_info *f, const char *key);

/* Does it, keeps or drops the output, says what went wrong. Exit code. */
int conv_run(struct conv *c);

/* The same for input that is still coming (live.c); conv_run calls it. */
int conv_run_live(struct conv *c);

/* Says what the target cannot carry, once. */
void conv_say_plan(struct conv *c, const char *lost);

#endif

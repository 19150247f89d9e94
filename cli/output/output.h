/*
 * What a command writes: the format, the options of that format and the path.
 * Conversions (convert/conv.h) and captures (record, daemon) have one each.
 *
 * Functions that return an exit code return EXIT_OK, or another code after
 * saying what is wrong.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>

#include <bobbin/convert.h>

#include "args/args.h"

struct output {
	const struct args *args;
	const char *path; /* NULL: standard output */
	const struct bob_format_info *format; /* by output_set_format */
	struct bob_option *options;           /* of the format */
	size_t n_options, cap_options;
	/* Where a --dialect goes that the format does not have: it is the
	 * input's. NULL: there is no input. */
	struct bob_option *input_dialect;
	int tells_plan; /* output_tell_plan prints */
	char lost[BOB_MAX_TEXT]; /* what output_tell_plan got last */
};

/* Takes -o and the options of formats from the arguments. output_done in either
 * case. */
int output_init(struct output *o, const struct args *args);
void output_done(struct output *o);

/* Adds an option of the format; key and value are borrowed. Before
 * output_set_format it may be one that the format does not have. */
int output_add_option(struct output *o, const char *key, const char *value);

/*
 * Finds the format: `forced` if not NULL, else -t, else by the suffix of -o,
 * else `fallback`. Refuses options that the format does not have.
 */
int output_set_format(struct output *o, const char *forced,
    const char *fallback);

/* True if the format has this option; true if it was given. */
int output_takes(const struct output *o, const char *key);
int output_has_option(const struct output *o, const char *key);

int output_is_stdout(const struct output *o);

/* Refuses to write a binary format to a terminal. */
int output_check_terminal(const struct output *o);

/* Says what the format cannot carry; the same text is said once. */
void output_tell_plan(struct output *o, const char *lost);

#endif

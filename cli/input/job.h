/*
 * What all commands that read have in common: a context, the inputs, the
 * filter, and messages for warnings and errors of the library.
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/filter.h>
#include <bobbin/option.h>
#include <bobbin/read.h>
#include <bobbin/status.h>

#include "args/args.h"
#include "damage.h"
#include "filters.h"

struct job {
	const struct command *command;
	const struct args *args; /* NULL: by job_init_file */
	struct bob_ctx *ctx;
	const char **inputs; /* "-" is standard input */
	size_t n_inputs;
	char **stored;       /* --store: the paths of inputs; ends with NULL */
	/* Of diff --store: the first inputs are what was before, with a filter
	 * of their own; and what the two sides are called. */
	size_t n_before;
	const struct bob_filter *before;
	char *side[2];
	char *title; /* --store: the store, and the range if one is asked for;
	              * NULL: the inputs are files */
	const char *from;    /* NULL: by content */
	struct bob_option dialect; /* of the input; key NULL: by content */
	int by_time;         /* the samples of all threads in one order */
	struct bob_dict *dict; /* for job_open; NULL: one of its own */
	const struct bob_filter *filter; /* NULL: everything */
	struct filters filters;
	int hides_truncation; /* the command itself reports an early end */
	int collects_damage; /* by job_passes_damage */
	int is_strict;       /* --strict */
	struct damages damages;
	uint64_t n_warnings, n_shown;
	uint64_t size;       /* bytes of the current input; 0 unknown */
};

/* Takes inputs and filters from the arguments. EXIT_OK, or another code after
 * saying what is wrong. job_done in either case. */
int job_init(struct job *j, const struct args *args);
void job_done(struct job *j);

/* The same for one file, with no option given. The path is borrowed. */
int job_init_file(struct job *j, const struct command *command,
    const char *path);

/* How many options for the input are given: 1 if `dialect` is set, else 0. */
size_t job_n_options(const struct job *j);

/*
 * For commands that read on behind damage unless --strict is given. Returns 1
 * if damage is to be skipped. In either case job_tell_damage says afterwards
 * what was lost, and returns EXIT_OK if nothing was, EXIT_PARTIAL, or
 * EXIT_FAILED if that leaves no sample (n_samples, before filters, is 0).
 */
int job_passes_damage(struct job *j);
int job_tell_damage(struct job *j, uint64_t n_samples);

/* bob_open for one input. flags: enum bob_read_flags; want: enum bob_want. */
int job_open(struct job *j, const char *input, uint32_t flags, uint32_t want,
    struct bob_reader **ret);

/* bob_next that waits when the input has nothing yet, and shows progress. */
int job_next(struct job *j, struct bob_reader *in, struct bob_event *ret);

/* The name of an input in messages: "stdin" for "-". */
const char *job_name(const char *input);

/* An input is a directory, which the command does not read. */
void job_hint_directory(void);

/* Prints the last error of the library and a hint; returns the exit code. */
int job_error(const struct job *j);

#endif

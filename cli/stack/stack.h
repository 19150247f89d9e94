/* bobbin stack: what was read of a process, and how it is printed: as text or
 * as JSON. */
#ifndef CLI_STACK_H
#define CLI_STACK_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "args/args.h"
#include "print/json.h"

struct stack_report {
	const struct bob_dict *dict;
	uint64_t pid;
	const char *error; /* it could not be attached; then that is all */
	const struct bob_proc_facts *facts;
	const struct bob_run *runs; /* a stack per thread */
	size_t n;
	const struct bob_local *locals; /* of frames of the runs */
	size_t n_locals;
	int with_locals; /* they were asked for */
	int has_more;    /* than those */
	struct bob_capture_counts counts;
	uint64_t n_tries;
	uint64_t lost; /* threads without a stack in the last try */
	int has_ended;
};

/* For people, on standard output. */
void stack_text(const struct stack_report *r);
void stack_json(struct json *j, const struct stack_report *r);

/* An option that was given to `dump` but is only for processes; or NULL. */
const char *stack_option(const struct args *args);

/* True if the arguments of `dump` mean processes: the operands are numbers and
 * no files, or -p was given and no trace comes from standard input. */
int stack_is_meant(const struct args *args);

#endif

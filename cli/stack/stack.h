/* bobbin stack: what is found out about a process, and the two ways to tell
 * it. */
#ifndef CLI_STACK_H
#define CLI_STACK_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "args.h"
#include "json.h"

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

/* Why stacks were lost, as "moved 12, read 1"; returns buf. */
const char *stack_losses(const struct bob_capture_counts *c, char *buf,
    size_t n);

/* The words of a status, from the first on; NULL behind the last. */
const char *stack_status(uint8_t status, size_t i);

/* An option that was given to `dump` and is for processes alone; or NULL. */
const char *stack_option(const struct args *args);

/* True when arguments of `dump` are numbers of processes: they are not files,
 * or no input but a terminal or /dev/null. */
int stack_is_meant(const struct args *args);

#endif

/*
 * Samples that follow a rule, for tests in which some are lost: sample i is
 * known, so it can be written, and recognised when it is read.
 *
 * Sample i is the i / RULE_TIDS-th of thread i % RULE_TIDS. A thread has each
 * stack four times before the next one comes.
 */
#ifndef CRASH_TACH_RULE_H
#define CRASH_TACH_RULE_H

#include "tach_part.h"

#define RULE_TIDS 3
#define RULE_START 1000

/* Begins a segment; writes sample i. */
int rule_begin(struct bob_writer *w);
int rule_write(struct bob_writer *w, uint64_t i);

/* Samples so far, by thread, and the names to check them by. */
struct rule_check {
	const struct journal *names; /* for rule_sample */
	uint64_t n[RULE_TIDS];
	uint64_t n_nameless; /* frames of which only a number is known */
};

/* A tach_part_fn: the next sample of its thread must follow the rule. */
void rule_sample(void *user, uint64_t tid, uint64_t t, unsigned status,
    const uint32_t *frames, size_t depth);

/* Reads on until there is no more, yet or ever: BOB_AGAIN, EOF or FATAL. All
 * samples must follow the rule; they are added to *n. */
int rule_drain(struct bob_reader *in, struct rule_check *c, uint64_t *n);

/* Reads a file by the library, with these enum bob_read_flags: everything
 * must follow the rule. Returns how many samples there are. */
uint64_t rule_read(struct bob_ctx *ctx, const char *path, uint32_t flags,
    struct rule_check *c);

#endif

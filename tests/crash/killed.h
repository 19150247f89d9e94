/*
 * A child that writes samples and is killed at a random moment. It says in a
 * pipe how many of them are behind a barrier.
 */
#ifndef CRASH_KILLED_H
#define CRASH_KILLED_H

#include <stdint.h>

uint32_t next_random(uint32_t *state);

/* Says that so many are safe; ends the child when nobody listens. */
void report_safe(int fd, uint64_t n);

/* Starts `write_on` in a child, lets it write up to a random moment, at the
 * latest until n are safe, and kills it. Returns how many it has said are
 * safe. */
uint64_t run_and_kill(uint32_t *random, uint64_t n,
    void (*write_on)(const void *user, int report), const void *user);

#endif

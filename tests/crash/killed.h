/*
 * A child that writes samples and is killed at a random moment. It reports
 * through a pipe how many samples it wrote before its last barrier: these are
 * safe.
 */
#ifndef CRASH_KILLED_H
#define CRASH_KILLED_H

#include <stdint.h>

uint32_t next_random(uint32_t *state);

/* In the child: reports that n samples are safe. Ends the child if the parent
 * is gone. */
void report_safe(int fd, uint64_t n);

/* Runs `write_on` in a child, and kills it at a random moment, at the latest
 * when n samples are safe. Returns how many were reported as safe. */
uint64_t run_and_kill(uint32_t *random, uint64_t n,
    void (*write_on)(const void *user, int report), const void *user);

struct bob_ctx;

/* For kill_main.c: kills a writer again and again, and fails unless all samples
 * that were safe can be read. is_packed: the writer packs. */
void kill_many(struct bob_ctx *ctx, int is_packed);

#endif

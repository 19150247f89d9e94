/*
 * Writes what is known of sampled processes as metadata of the output:
 *
 *     process.PID.runtime   php
 *     process.PID.version   8.2.30
 *     process.PID.parent    4711
 *     process.PID.command   php-fpm: pool www
 *
 * Readers make the names of tracks from it; docs/daemon.md describes it.
 */
#ifndef RECORD_FACTS_H
#define RECORD_FACTS_H

#include <bobbin/capture.h>
#include <bobbin/write.h>

/* Writes one pair of metadata. All of these return BOB_OK or FATAL. */
int facts_put(struct bob_writer *out, const char *key, const char *value);
int facts_put_number(struct bob_writer *out, const char *key, double value);

/* Writes the four pairs of a process, for the current segment. */
int facts_put_process(struct bob_writer *out, const struct bob_proc_facts *f);

/* Writes what was counted in `seconds`: samples taken and lost, and how late
 * they were. */
int facts_put_counts(struct bob_writer *out,
    const struct bob_capture_counts *c, double seconds);

#endif

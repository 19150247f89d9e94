/*
 * What is known of sampled processes, as metadata of the output:
 *
 *     process.PID.runtime   php
 *     process.PID.version   8.2.30
 *     process.PID.parent    4711
 *     process.PID.command   php-fpm: pool www
 *
 * Readers make the names of tracks from it; docs/daemon.md describes it.
 */
#ifndef CLI_FACTS_H
#define CLI_FACTS_H

#include <bobbin/capture.h>
#include <bobbin/write.h>

/* One pair of metadata. BOB_OK or FATAL, as for the others. */
int facts_put(struct bob_writer *out, const char *key, const char *value);
int facts_put_number(struct bob_writer *out, const char *key, double value);

/* The four of a process, for the segment that is being written. */
int facts_put_process(struct bob_writer *out, const struct bob_proc_facts *f);

#endif

/*
 * Source files for formats that show them (the option `source`), as the
 * recorded processes see these files.
 */
#ifndef RECORD_PROCESS_SOURCES_H
#define RECORD_PROCESS_SOURCES_H

#include <stddef.h>

#include <bobbin/capture.h>
#include <bobbin/option.h>
#include <bobbin/source.h>

/* Returns the directories that the options name, maybe none. NULL with errno
 * and *ret_bad, the directory that cannot be used. */
struct bob_sources *process_sources_new(const struct bob_option *v, size_t n,
    const char **ret_bad);

/* Returns the first directory that no process of the sampler has, or NULL. */
const char *process_sources_missing(const struct bob_option *v, size_t n,
    const struct bob_sampler *sampler);

/* To be called for each recorded process, when it comes and then every second.
 * Returns 0, or the errno for which no source is shown any more: E2BIG if the
 * processes are of too many users or containers. */
int process_sources_see(struct bob_sources *s, const struct bob_proc *p);

#endif

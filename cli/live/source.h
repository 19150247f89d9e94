/*
 * Source of processes that are captured (--source), for formats that show it:
 * as the processes see it.
 */
#ifndef CLI_LIVE_SOURCE_H
#define CLI_LIVE_SOURCE_H

#include <stddef.h>

#include <bobbin/capture.h>
#include <bobbin/source.h>
#include <bobbin/write.h>

/* What the options of a target name, which may be none. NULL, errno, and
 * *ret_bad: the one that cannot be used. */
struct bob_sources *live_sources_new(const struct bob_option *v, size_t n,
    const char **ret_bad);

/* A process whose samples are written, and again each second. NULL: no source
 * is shown. */
void live_sources_see(struct bob_sources *s, const struct bob_proc *p);

#endif

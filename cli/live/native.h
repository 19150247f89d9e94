/* What commands that capture have to do with native frames: the options, what
 * they cost, and what is needed to find names later. */
#ifndef CLI_NATIVE_H
#define CLI_NATIVE_H

#include <stddef.h>

#include <bobbin/capture.h>
#include <bobbin/write.h>

#include "args.h"

/* --native and --native-only. EXIT_OK, or EXIT_USAGE after saying what is
 * wrong. */
int native_set(const struct args *args, struct bob_attach_opts *ret);

/* "stopped 21 us a sample, 3 unmerged", or "" when no thread was stopped. */
const char *native_cost(const struct bob_capture_counts *c, char *buf,
    size_t cap);

/* The same as metadata; nothing when no thread was stopped. BOB_OK, or what
 * the writer says. */
int native_put_cost(struct bob_writer *out,
    const struct bob_capture_counts *c);

/* The builds of the files that samples had native frames of, as metadata
 * native.buildid.PATH. The same. */
int native_put_modules(struct bob_writer *out, struct bob_proc *p);

#endif

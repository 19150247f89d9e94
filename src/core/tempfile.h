/*
 * Temporary files without a name: in $TMPDIR, or /tmp. They are gone when
 * they are closed, however the program ends.
 */
#ifndef CORE_TEMPFILE_H
#define CORE_TEMPFILE_H

#include "core/error.h"

/* An open descriptor for reading and writing, or FATAL. */
int temp_open(struct bob_ctx *ctx);

#endif

/*
 * Temporary files without a name: in $TMPDIR, or /tmp. They are gone when
 * they are closed, however the program ends. What they hold counts against
 * the context's budget (max_temp).
 */
#ifndef CORE_TEMPFILE_H
#define CORE_TEMPFILE_H

#include "core/error.h"

struct tempfile {
	struct bob_ctx *ctx;
	int fd;        /* for reading and writing; -1: none */
	uint64_t size; /* bytes in it */
};

/* BOB_OK, or FATAL with fd -1. temp_close in either case. */
int temp_open(struct tempfile *t, struct bob_ctx *ctx);

/* Writes n bytes at its end. `what` is for messages: "trace.bin", "ordering by
 * time". BOB_OK or FATAL: BOB_E_BUDGET, or BOB_E_IO, which says where it is. */
int temp_write(struct tempfile *t, const char *what, const void *p, size_t n);

/* Empties it: room for others. It stays open. BOB_OK or FATAL. */
int temp_empty(struct tempfile *t);

/* Does nothing when none is open. */
void temp_close(struct tempfile *t);

#endif

/*
 * Temporary files without a name, in $TMPDIR or /tmp. They are gone when they
 * are closed, however the program ends. Their bytes count against the context's
 * budget (max_temp).
 */
#ifndef CORE_TEMPFILE_H
#define CORE_TEMPFILE_H

#include "core/error.h"

struct tempfile {
	struct bob_ctx *ctx;
	int fd;        /* for reading and writing; -1: none */
	uint64_t size; /* bytes in it */
};

/* Returns BOB_OK, or FATAL: fd is -1. Call temp_close in either case. */
int temp_open(struct tempfile *t, struct bob_ctx *ctx);

/* Appends n bytes. `what` is for messages: "trace.bin", "ordering by time".
 * Returns BOB_OK, or FATAL: BOB_E_BUDGET, or BOB_E_IO with the folder. */
int temp_write(struct tempfile *t, const char *what, const void *p, size_t n);

/* Reads n bytes from offset `at`. Returns BOB_OK or FATAL. */
int temp_read(const struct tempfile *t, const char *what, void *p, size_t n,
    uint64_t at);

/* Empties the file and gives its bytes back to the budget. It stays open.
 * Returns BOB_OK or FATAL. */
int temp_empty(struct tempfile *t);

/* Does nothing if none is open. */
void temp_close(struct tempfile *t);

/* Records that temporary files would exceed max_temp. Returns FATAL. */
int temp_over_budget(struct bob_ctx *ctx);

#endif

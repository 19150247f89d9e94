/*
 * The journal of a spool: what happened to each segment, a line for each event.
 *
 *     CHECKSUM VERB FIELD...
 *
 * The checksum covers the rest of the line. A line that does not fit its
 * checksum ends the journal: it is what a kill or a full disk has left, and is
 * cut off before the next line is written. Strings in fields are escaped and
 * have a '=' before them.
 *
 *     url =URL
 *     queue SEG SAMPLES BYTES T_FIRST T_LAST =NAME =SERVICE =HOST
 *     sent SEG            it goes out
 *     unknown SEG         it went out, and nobody knows what is there
 *     waits SEG           nothing of it went out
 *     end SEG ACKNOWLEDGED EXPIRED UNKNOWN DROPPED...   by cause
 *     known NAMEID        a file of the directory that was shipped before
 *     totals SEGMENTS ACKNOWLEDGED EXPIRED UNKNOWN DROPPED...
 *     traffic BYTES FAILURES
 */
#ifndef SHIP_SHIPLOG_H
#define SHIP_SHIPLOG_H

#include "core/error.h"

#define SHIPLOG_LINE 16384

struct shiplog {
	struct bob_ctx *ctx;
	int dir;     /* of the spool; borrowed */
	int fd;
	uint64_t n_lines;
	uint64_t end; /* bytes of whole lines */
	int next;     /* the journal that replaces it, or -1 */
	uint64_t next_lines, next_end;
};

/* Takes a line without its checksum: n bytes, and a NUL behind them. Returns
 * BOB_OK or FATAL. */
typedef int shiplog_fn(void *user, const char *p, size_t n);

/* Opens the journal in a directory for writing, and gives its lines to `fn`.
 * Returns BOB_OK or FAILED. Call shiplog_close in either case. */
int shiplog_open(struct shiplog *j, struct bob_ctx *ctx, int dir,
    shiplog_fn *fn, void *user);

/* Reads one only. */
int shiplog_read(struct bob_ctx *ctx, int dir, shiplog_fn *fn, void *user);

void shiplog_close(struct shiplog *j);

/* Appends a line; it is on disk when this returns BOB_OK. FAILED: nothing of it
 * is there. */
int shiplog_add(struct shiplog *j, const char *fmt, ...) BOB_PRINTF(2, 3);

/* Begin a journal that replaces this one, add lines to it, and put it in its
 * place, in one step. BOB_OK or FAILED; then the old one stays. */
int shiplog_begin_next(struct shiplog *j);
int shiplog_add_next(struct shiplog *j, const char *fmt, ...)
    BOB_PRINTF(2, 3);
int shiplog_end_next(struct shiplog *j);

/* Writes a string as a field to `to`, which has room for 3 * n + 2 bytes. */
void shiplog_escape(char *to, const char *s);

/* Take the next field of a line. Return 1; 0 if it is none of that kind.
 * shiplog_string writes at most cap bytes with the NUL. */
int shiplog_number(const char **p, uint64_t *ret);
int shiplog_string(const char **p, char *to, size_t cap);

#endif

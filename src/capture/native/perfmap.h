/*
 * /tmp/perf-PID.map: what a program says about code that it made at run time,
 * a line `START SIZE NAME` for each piece, in hexadecimal digits.
 *
 * It is written by the process while it runs, so a line may be whatever, and
 * the last one may be unfinished. A later line about the same place wins.
 */
#ifndef CAPTURE_NATIVE_PERFMAP_H
#define CAPTURE_NATIVE_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#include "capture/quota.h"
#include "core/mem.h"

#define PERFMAP_MAX_BYTES ((size_t)64 << 20)
#define PERFMAP_MAX_LINES ((size_t)1 << 20)
#define PERFMAP_MAX_NAME 512

/* Bytes that one look reads, which takes some milliseconds; the next one goes
 * on from there. Maps of large programs have some megabytes. */
#define PERFMAP_LOOK ((size_t)1 << 20)

struct perfmap_entry {
	uint64_t at, size;
	const char *name;
	uint32_t n_name;
	uint32_t line; /* later ones are newer */
};

/* Entries that are sorted. Later parts are newer and, up to PERFMAP_MERGED
 * entries, less than half as large: so each entry is moved a few times, however
 * often a map grows, and no merge takes longer than some milliseconds. */
struct perfmap_part {
	struct perfmap_entry *v;
	size_t n;
};

#define PERFMAP_MERGED ((size_t)1 << 17)
#define PERFMAP_PARTS 40

struct perfmap {
	struct bob_ctx *ctx;
	struct quota *quota;     /* of the process; NULL: there is none */
	uint64_t kept;           /* of it */
	uint64_t kept_before;    /* by what another file would replace */
	struct perfmap_part part[PERFMAP_PARTS];
	size_t n_part;
	struct perfmap_entry *v; /* those that are not sorted yet */
	size_t n_v, cap_v;
	size_t n;         /* of all of them, and of those before */
	uint64_t n_moved; /* how often entries were moved, in all */
	struct arena text;
	uint64_t offset;  /* in the file, up to which lines were taken */
	uint64_t dev, inode;
	int is_anew;      /* it is another file than before */
};

void perfmap_init(struct perfmap *m, struct bob_ctx *ctx);
void perfmap_done(struct perfmap *m);

/* An empty one for what the file of a map has more than that. */
void perfmap_init_more(struct perfmap *more, struct bob_ctx *ctx,
    const struct perfmap *m);

/* Adds what such a one has got, sealed, which is empty then. BOB_OK or
 * FATAL. */
int perfmap_join(struct perfmap *m, struct perfmap *more);

/* Sorts those that are new. BOB_OK or FATAL. */
int perfmap_seal(struct perfmap *m);

/* Takes the lines in n bytes that begin where the last ones ended. How many
 * bytes were used: what is behind the last end of a line is not. BOB_OK or
 * FATAL. */
int perfmap_take(struct perfmap *m, const char *p, size_t n, size_t *ret_used);

/* Reads what the file of a process has more than before, if there is one, up
 * to PERFMAP_LOOK. BOB_OK or FATAL. */
int perfmap_read(struct perfmap *m, int pid);

/* The entry that covers an address, or NULL. */
const struct perfmap_entry *perfmap_find(struct perfmap *m, uint64_t at);

#endif

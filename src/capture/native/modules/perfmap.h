/*
 * The perf map of a process, /tmp/perf-PID.map: names of code that a JIT has
 * made. Each line is `START SIZE NAME`, with hexadecimal numbers.
 *
 * The process writes it while it runs, so a line may be anything, and the last
 * one may be unfinished. Of two lines about the same address the later is used.
 */
#ifndef CAPTURE_NATIVE_MODULES_PERFMAP_H
#define CAPTURE_NATIVE_MODULES_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#include "capture/quota.h"
#include "core/mem.h"

#define PERFMAP_MAX_BYTES ((size_t)64 << 20)
#define PERFMAP_MAX_LINES ((size_t)1 << 20)
#define PERFMAP_MAX_NAME 512

/* Bytes that perfmap_read() reads at once, which takes some milliseconds; the
 * next call goes on from there. Maps of large programs have some megabytes. */
#define PERFMAP_LOOK ((size_t)1 << 20)

struct perfmap_entry {
	uint64_t at, size;
	const char *name;
	uint32_t n_name;
	uint32_t line; /* later ones are newer */
};

/* A sorted array of entries. Later parts are newer and less than half as large
 * as the one before, up to PERFMAP_MERGED entries. So each entry is moved only
 * a few times, however often a map grows, and no merge takes longer than some
 * milliseconds. */
struct perfmap_part {
	struct perfmap_entry *v;
	size_t n;
};

#define PERFMAP_MERGED ((size_t)1 << 17)
#define PERFMAP_PARTS 40

struct perfmap {
	struct bob_ctx *ctx;
	struct quota *quota;     /* of the process; NULL: no limit */
	uint64_t kept;           /* bytes charged to it */
	uint64_t kept_before;    /* of the map that this one adds to */
	struct perfmap_part part[PERFMAP_PARTS];
	size_t n_part;
	struct perfmap_entry *v; /* entries that are not sorted yet */
	size_t n_v, cap_v;
	size_t n;         /* all entries, with those of the map it adds to */
	uint64_t n_moved; /* how often entries were moved, for tests */
	struct arena text;
	uint64_t offset;  /* in the file, behind the last line that was read */
	uint64_t dev, inode;
	int is_anew;      /* it is another file, which replaces the map */
};

void perfmap_init(struct perfmap *m, struct bob_ctx *ctx);
void perfmap_done(struct perfmap *m);

/* Makes an empty map `more`, which reads what the file has beyond `m`. */
void perfmap_init_more(struct perfmap *more, struct bob_ctx *ctx,
    const struct perfmap *m);

/* Adds `more`, which must be sealed, and empties it. Returns BOB_OK or
 * FATAL. */
int perfmap_join(struct perfmap *m, struct perfmap *more);

/* Sorts new entries into a part. Returns BOB_OK or FATAL. */
int perfmap_seal(struct perfmap *m);

/* Parses the lines in n bytes, which follow those of the last call. Sets
 * *ret_used to the bytes up to the last newline. Returns BOB_OK or FATAL. */
int perfmap_take(struct perfmap *m, const char *p, size_t n, size_t *ret_used);

/* Reads at most PERFMAP_LOOK bytes more of the file of a process, if there is
 * one. Returns BOB_OK or FATAL. */
int perfmap_read(struct perfmap *m, int pid);

/* Returns the newest entry that covers an address, or NULL. */
const struct perfmap_entry *perfmap_find(struct perfmap *m, uint64_t at);

#endif

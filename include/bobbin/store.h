/*
 * Stores: directories of trace files, such as a daemon writes.
 *
 * A store is a directory. Its *segments* are the trace files in it and in its
 * subdirectories, known by the suffix of their format. A segment is *sealed*
 * when nothing is written to it any more, it is on disk, and a file beside it,
 * SEGMENT.idx, says what is in it: the *index*. The index is made from the
 * segment alone, so it can be made again at any time; it is written after the
 * segment, and in one step. docs/store.md describes the file.
 *
 *     bob_store_open(ctx, "/var/lib/bobbin", NULL, &s);
 *     for (i = 0; (seg = bob_store_get(s, i)) != NULL; i++)
 *             if (seg->state == BOB_SEGMENT_SEALED)
 *                     ... seg->name, seg->sha256, seg->n_samples ...
 *     bob_store_close(s);
 *
 * A store may hold anything: links are not followed, what is no regular file is
 * left alone, and an index that is damaged counts as none.
 *
 * Threads: a store belongs to the thread of its context.
 */
#ifndef BOBBIN_STORE_H
#define BOBBIN_STORE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/filter.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Behind the name of a segment: the name of its index. */
#define BOB_INDEX_SUFFIX ".idx"

#define BOB_SHA256_BYTES 32

enum bob_segment_state {
	BOB_SEGMENT_OPEN = 0, /* it is being written */
	BOB_SEGMENT_LEFT,     /* it is not sealed and nobody writes it: its
	                       * writer was killed, or knows no stores */
	BOB_SEGMENT_SEALED
};

enum bob_segment_fact {
	/* It ends inside an event, because its writer was killed. */
	BOB_SEGMENT_CUT = 1 << 0,
	/* It had more pids or routes than an index names. */
	BOB_SEGMENT_MORE_PIDS = 1 << 1,
	BOB_SEGMENT_MORE_ROUTES = 1 << 2
};

/* A process that a segment has samples of, or names in its metadata. */
struct bob_segment_process {
	uint64_t pid;
	const char *runtime, *command; /* "" if they are not known; a long
	                                * command line is cut */
};

/* A route of requests: the value of the annotation request.route. */
struct bob_segment_route {
	const char *route;
	uint64_t n_samples;
};

/*
 * What is known of a segment. Of one that is not sealed only name, size and
 * state are. Strings come from the segment: see bobbin/chars.h. Valid until the
 * store is closed or the segment sealed.
 */
struct bob_segment_info {
	const char *name; /* below the directory: "web1/bobbin-php-7.rbt" */
	int state;        /* enum bob_segment_state */
	uint64_t size;    /* bytes */
	uint8_t sha256[BOB_SHA256_BYTES]; /* of all its bytes */
	const char *format;
	const char *service, *host; /* "" if they are not known */
	uint64_t t_first, t_last; /* of its samples, in microseconds since
	                           * 1970; 0: none has a date */
	uint64_t n_samples;
	uint64_t n_undated;  /* samples that have no date */
	uint64_t n_gaps;     /* stretches of bytes that could not be read */
	uint64_t n_lost;     /* samples known to be lost in them */
	uint64_t n_unkept;   /* taken, but in no file: see bob_unkept */
	uint32_t facts;      /* enum bob_segment_fact */
	const struct bob_segment_process *processes; /* by pid */
	size_t n_processes;
	const struct bob_segment_route *routes; /* by name */
	size_t n_routes;
};

struct bob_store;

/*
 * Opens a store and reads all its indexes. `only` leaves out segments before
 * their index is read: it gets their names and returns 0 for those that are
 * not wanted. May be NULL. Returns BOB_OK and sets *ret, or FAILED.
 */
struct bob_store_opts {
	size_t size; /* sizeof(struct bob_store_opts) */
	int (*only)(void *user, const char *name);
	void *user;
};
BOB_API int bob_store_open(struct bob_ctx *ctx, const char *dir,
    const struct bob_store_opts *opts, struct bob_store **ret);

/* Frees a store. NULL is allowed. */
BOB_API void bob_store_close(struct bob_store *s);

/* Returns the i-th segment, by name; NULL behind the last. */
BOB_API const struct bob_segment_info *bob_store_get(
    const struct bob_store *s, size_t i);

/* Returns how many segments there are. */
BOB_API size_t bob_store_count(const struct bob_store *s);

/* Opens the i-th segment for reading: the file with its name, never a link.
 * Returns a descriptor, which the caller owns, or -1: the context has the
 * error. */
BOB_API int bob_store_fd(const struct bob_store *s, size_t i);

/* Learns the facts of a segment that is not sealed, by reading it. Nothing is
 * written, and its state stays. Returns BOB_OK or FAILED. */
BOB_API int bob_store_learn(struct bob_store *s, size_t i);

/* What is asked for. All zeros: everything. */
struct bob_query {
	size_t size; /* sizeof(struct bob_query) */
	const struct bob_filter *filter; /* its dates and pids count; NULL:
	                                  * none */
	const char *service, *host; /* NULL: any */
	const char *route;          /* NULL: any */
};

/* Why a segment cannot have a sample that is asked for. */
enum bob_miss {
	BOB_MISS_NONE = 0, /* it may have some */
	BOB_MISS_TIME,
	BOB_MISS_SERVICE,
	BOB_MISS_HOST,
	BOB_MISS_PID,
	BOB_MISS_ROUTE,
	BOB_N_MISSES
};

/* Compares the facts of a segment with a query. Returns enum bob_miss. For a
 * segment that is not sealed, call bob_store_learn before. */
BOB_API int bob_segment_misses(const struct bob_segment_info *segment,
    const struct bob_query *query);

enum bob_seal_flags {
	BOB_SEAL_AGAIN = 1 << 0 /* make the index of a sealed segment again */
};

/*
 * Seals the i-th segment: waits until it is on disk, reads it, and writes its
 * index. What is damaged in it is skipped and counted. Returns BOB_OK;
 * BOB_AGAIN if somebody writes it, or seals it now; FAILED.
 */
BOB_API int bob_store_seal(struct bob_store *s, size_t i, uint32_t flags);

/* Compares a sealed segment with its index. Returns BOB_OK; FAILED
 * (BOB_E_CORRUPT) if its bytes are not those that were sealed, or it cannot be
 * read. */
BOB_API int bob_store_check(struct bob_store *s, size_t i);

/* The same as bob_store_seal for one file by its path. */
BOB_API int bob_seal(struct bob_ctx *ctx, const char *path, uint32_t flags);

/* ---- Sealing beside other work ------------------------------------------ */

/*
 * A sealer seals files in a thread of its own, at the lowest priority, one
 * after the other. The thread begins with the first file, blocks all signals,
 * and ends with bob_sealer_free.
 */
struct bob_sealer;

/* Called in that thread for each file that can never be sealed. One that cannot
 * be sealed now, as when the disk is full, is tried again each minute. */
typedef void bob_sealer_note_fn(void *user, const char *path,
    const struct bob_error *why);

/* Returns BOB_OK and sets *ret, or FAILED. */
BOB_API int bob_sealer_new(struct bob_ctx *ctx, bob_sealer_note_fn *note,
    void *user, struct bob_sealer **ret);

/* Adds a file; copies the path. Returns BOB_OK, or FATAL without memory. */
BOB_API int bob_sealer_add(struct bob_sealer *s, const char *path);

struct bob_sealed {
	uint64_t n_waiting;  /* files that are not sealed yet */
	uint64_t n_sealed, n_failed;
	uint64_t cpu_us;     /* processor time of the thread */
};
BOB_API struct bob_sealed bob_sealer_counts(struct bob_sealer *s);

/* Waits until all files are sealed, but no longer than this, and frees the
 * sealer. What is not sealed then stays as it is: a disk may not answer for
 * minutes. NULL is allowed. */
BOB_API void bob_sealer_free(struct bob_sealer *s, uint64_t wait_us);

#ifdef __cplusplus
}
#endif
#endif

/*
 * Output: reserve, fill, commit, barrier.
 *
 * Invariants:
 * 1. Only committed bytes are passed to the system, in whole commits. So each
 *    write(2) ends where a commit ended: at the end of an event.
 * 2. write(2) is called when 64 KiB of commits have gathered, at a barrier, and
 *    at the end; never in between.
 * 3. After a failed write the output is dead: later calls return the same error
 *    and write nothing. So no data follows a hole.
 * 4. For an output that counts samples, *stored is never more than a reader
 *    finds in the file. A write that fails in the middle is cut back to a byte
 *    where the number of samples is known, so that a reader finds no more
 *    either.
 * 5. The limits of the context are checked before write(2): an output never has
 *    more bytes than max_output.
 * output.c checks them in debug builds (out_check).
 */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <bobbin/outdir.h>
#include <bobbin/write.h>

#include "core/error.h"

#define OUT_CHUNK ((size_t)64 << 10)
#define OUT_FIRST ((size_t)4 << 10) /* room at the beginning */

/* A note: the first `at` bytes of the buffer hold the first n samples. Notes
 * allow to keep most of a write that fails in the middle. */
#define OUT_NOTES 128
#define OUT_NOTE_STEP (OUT_CHUNK / OUT_NOTES)
struct out_note {
	size_t at;
	uint64_t n;
};

struct out {
	struct bob_ctx *ctx;
	uint8_t *buf;
	size_t len;  /* committed, not yet written */
	size_t cap_buf;
	size_t chunk; /* write when len reaches it: OUT_CHUNK; SIZE_MAX for
	               * memory; 0 once failed */
	uint64_t written; /* bytes passed to the system */
	uint64_t unpacked; /* bytes before they were packed */
	uint64_t max;     /* limit of both */
	/* Samples in what is committed, as its sink says. *stored, unless it
	 * is NULL, is set to how many of them the system has. */
	uint64_t n_samples;
	uint64_t *stored;
	/* n_samples is true only where out_mark was called: bytes committed
	 * after that hold samples that are not counted yet. */
	int by_marks;
	uint64_t mark_at, mark_n; /* the last mark: byte and samples */
	uint64_t safe_at;         /* *stored samples are before this byte */
	struct out_note *note;    /* of the buffer, or NULL */
	size_t n_notes, next_note; /* the next note is due at that byte */
	int failed;       /* status of the failed write, or 0 */
	int sys;          /* its errno */
	int fd;           /* -1: write goes to fn, or to memory only */
	bob_write_fn *fn;
	bob_patch_fn *patch; /* NULL: fn cannot overwrite bytes */
	void *user;
	int can_seek;     /* fd: written bytes can be overwritten */
	uint64_t base;    /* fd: offset of our first byte */
	struct bob_outdir dir; /* of a file by path */
	char *path;       /* its path; NULL if it was not opened by path */
	char *temp;       /* path until finished; NULL if written in place */
	char *final;      /* part file: path it gets when finished, else NULL */
	int owns_fd;
	int is_file;      /* a regular file, opened by path */
	int is_temp;      /* a temporary file without a name */
	uint64_t taken;   /* temporary file: bytes of the budget */
	int is_cut;       /* another program made it shorter */
	int is_private;   /* BOB_TARGET_PRIVATE */
	int is_lazy;      /* BOB_TARGET_LAZY */
	bob_unfinished_fn *unfinished; /* NULL, or told about temp */
	void *unfinished_user;
};

/* Opens a target. Returns BOB_OK and sets *ret, or FAILED; so do the other
 * functions that open one. */
int out_open(struct bob_ctx *ctx, const struct bob_target *to,
    struct out **ret);

/*
 * The same for a format whose file is not readable before out_finish. A regular
 * file with BOB_TARGET_LIVE becomes a part file: it is called PATH.part until
 * out_finish renames it. PATH.part must not exist: it belongs to another writer
 * at work, or to one that died, and can be recovered. out_discard keeps a part
 * file with all that was committed, but removes one without bytes. out_remove
 * removes it in any case.
 */
int out_open_part(struct bob_ctx *ctx, const struct bob_target *to,
    struct out **ret);

/* Opens a temporary file without a name. */
int out_open_temp(struct bob_ctx *ctx, struct out **ret);

/* Keeps everything in memory, for out_memory_take. */
int out_open_memory(struct bob_ctx *ctx, struct out **ret);

/* Returns the *n bytes that were committed since the last take, valid until the
 * next call. */
const uint8_t *out_memory_take(struct out *o, size_t *n);

/* The slow paths of out_reserve and out_commit. */
uint8_t *out_make_room(struct out *o, size_t max);
int out_write(struct out *o);

/* --- for output*.c alone ----------------------------------------------- */

/* The last part of a path: the name of a file in the output's folder. */
static inline const char *
out_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* Tells the caller which file is unfinished; NULL: none any more. */
static inline void
out_tell(const struct out *o, const char *temp)
{
	if (o->unfinished != NULL)
		o->unfinished(o->unfinished_user, o->dir.fd, temp);
}

/* Makes the output dead (invariant 3) and records why: sys is an errno, `what`
 * the verb for the message, such as "write". Returns FATAL. */
int out_fail(struct out *o, int sys, const char *what);

/* --- for all ------------------------------------------------------------ */

/* Returns room for max more bytes, or NULL (the context has the error). Drops
 * what was reserved before and not committed. */
static inline uint8_t *
out_reserve(struct out *o, size_t max)
{
	if (o->cap_buf - o->len > max)
		return o->buf + o->len;
	return out_make_room(o, max);
}

/* Commits the first `used` reserved bytes: they end an event. Returns BOB_OK or
 * FATAL. */
static inline int
out_commit(struct out *o, size_t used)
{
	assert(used <= o->cap_buf - o->len);
	o->len += used;
	return o->len < o->chunk ? BOB_OK : out_write(o);
}

/* Call where the committed bytes hold exactly n_samples samples. Takes a note
 * from time to time. */
void out_take_note(struct out *o);

static inline void
out_note(struct out *o)
{
	if (o->len >= o->next_note)
		out_take_note(o);
}

/* Marks that the committed bytes hold exactly the first n samples. */
static inline void
out_mark(struct out *o, uint64_t n)
{
	assert(n >= o->mark_n);
	o->n_samples = o->mark_n = n;
	o->mark_at = o->written + o->len;
	out_note(o);
}

/*
 * Counts n bytes that are packed into this output. They are limited by
 * max_output too: packing may shrink repeated bytes to a thousandth, so the
 * packed size bounds neither the time to pack nor the size after unpacking.
 * Returns BOB_OK or FATAL.
 */
int out_unpacked(struct out *o, uint64_t n);

/* Reserve, copy and commit bytes. Return BOB_OK or FATAL. */
int out_bytes(struct out *o, const void *p, size_t n);
int out_str(struct out *o, const char *s);

/* Passes everything committed to the system, and with `durable` to the disk.
 * Returns BOB_OK or FATAL. */
int out_barrier(struct out *o, int durable);

/* Before bytes that need those so far are written, or a copy of them is
 * removed: passes them to the disk; with BOB_TARGET_LAZY only to the system. */
static inline int
out_order(struct out *o)
{
	return out_barrier(o, !o->is_lazy);
}

/* True if out_patch works: for regular files that are not open for appending,
 * memory, and functions with a patch function. */
int out_can_patch(const struct out *o);

/*
 * Overwrites bytes [at, at + n), which were committed before; `at` counts from
 * the output's first byte. In memory, only bytes that were not taken. Returns
 * BOB_OK, or FATAL: the output is dead, as after a failed write.
 */
int out_patch(struct out *o, uint64_t at, const void *p, size_t n);

/* Commits everything in a temporary file to another output. Returns BOB_OK or
 * FATAL. */
int out_copy_to(struct out *temp, struct out *to);

/* Returns FATAL if n more bytes would exceed max_output, else BOB_OK: so that a
 * size that is known in advance does not fill the disk first. */
int out_expect(struct out *o, uint64_t n);

/* Bytes committed so far. */
static inline uint64_t
out_total(const struct out *o)
{
	return o->written + o->len;
}

/*
 * Writes what is left, gives the file its final name, closes and frees the
 * output, on failure too. A file is on disk before it gets its name; with
 * BOB_TARGET_LAZY only if it replaces a file. Returns BOB_OK or FATAL.
 */
int out_finish(struct out *o);

/* Frees the output. A file without its final name is removed, unless it is a
 * part file with bytes in it. NULL is allowed. */
void out_discard(struct out *o);

/*
 * Opens a side file: the path of `main` plus `suffix`, written in place. It
 * keeps bytes until they are in the main file in a better form. `main` must be
 * written in place (out_is_live), as a part file is. out_discard keeps a side
 * file. Call out_remove only when the main file is on disk and does not need
 * it.
 */
int out_open_side(const struct out *main, const char *suffix,
    struct out **ret);

/* Reads n bytes from offset `at` of a side or temporary file. Call a barrier
 * before. Returns BOB_OK or FATAL. */
int out_read_back(struct out *side, uint64_t at, void *p, size_t n);

/* Empties a side file, to begin again. Returns BOB_OK or FATAL. */
int out_restart(struct out *side);

/* Frees a side or part file and removes it from its folder. NULL is allowed. */
void out_remove(struct out *side);

/* True for a file that is written in place, under its name. */

static inline int
out_is_live(const struct out *o)
{
	return o->is_file && o->temp == NULL;
}

/* Removes a file that is written in place, unless its path now belongs to
 * another file. */
void out_unlink(const struct out *o);

/* True if another program has removed a file that is written in place, or has
 * made it shorter. */
int out_is_gone(const struct out *o);

#endif

/*
 * Output: reserve, fill, commit, barrier.
 *
 * Invariants:
 * 1. Only committed bytes are ever handed to the system, in whole commits, so
 *    each write(2) ends where a commit ended: on the border of an event.
 * 2. A write(2) is made when 64 KiB of commits have gathered, at a barrier,
 *    and at the end; never in between.
 * 3. After a failed write the output is dead: later calls return the same
 *    error and write nothing, so a gap can never be followed by data.
 * 4. An output that counts samples (`stored`) never says that more of them are
 *    in the file than a reader finds. A write that fails in the middle is cut
 *    at a place where their number is known, so that a reader finds no more of
 *    them either.
 * 5. What the context's limits allow is looked at before a write(2): an output
 *    never has more bytes than max_output.
 */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/outdir.h>
#include <bobbin/write.h>

#include "core/error.h"

#define OUT_CHUNK ((size_t)64 << 10)
#define OUT_FIRST ((size_t)4 << 10) /* room at the beginning */

/* A note of how many samples are in the buffer up to a byte of it, so that most
 * of a write can stay that fails in the middle. */
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
	size_t chunk; /* a commit that reaches it is written: OUT_CHUNK, or
	               * SIZE_MAX for memory, or 0 once failed */
	uint64_t written; /* handed to the system */
	uint64_t unpacked; /* bytes before they were packed */
	uint64_t max;     /* of which there are never more than that */
	/* Samples of the trace: in what is committed, as its sink says; and,
	 * unless NULL, where to say how many the system has. */
	uint64_t n_samples;
	uint64_t *stored;
	/* n_samples is true only where out_mark was called: what is committed
	 * in between holds samples that nobody has counted yet. */
	int by_marks;
	uint64_t mark_at, mark_n; /* the last one: byte and samples */
	uint64_t safe_at;         /* up to here *stored is what is there */
	struct out_note *note;    /* of the buffer, or NULL */
	size_t n_notes, next_note; /* the next one is due at that byte */
	int failed;       /* status of the failed write, or 0 */
	int sys;          /* its errno */
	int fd;           /* -1: write goes to fn, or to memory only */
	bob_write_fn *fn;
	bob_patch_fn *patch; /* NULL: fn's bytes are gone for good */
	void *user;
	int can_seek;     /* fd: written bytes can be reached again */
	uint64_t base;    /* fd: where our first byte is */
	struct bob_outdir dir; /* of a file by path, with its names */
	char *path;       /* its name; NULL when not by path */
	char *temp;       /* name until finished; NULL when written in place */
	char *final;      /* part file: name it gets when finished, else NULL */
	int owns_fd;
	int is_file;      /* a regular file, opened by path */
	int is_temp;      /* a file without a name */
	uint64_t taken;   /* of the budget for these */
	int is_cut;       /* somebody else made it shorter */
	int is_private;   /* for its owner alone; no link is followed */
};

/* Opens a target. BOB_OK or FAILED. */
int out_open(struct bob_ctx *ctx, const struct bob_target *to,
    struct out **ret);

/*
 * The same for a file that is not whole before out_finish. One that is to be
 * written in place (BOB_TARGET_LIVE, a regular file) becomes a part file: it
 * is called PATH.part until out_finish, which gives it its name on disk. It
 * must not exist: another writer is at work, or died and left it to be
 * recovered. out_discard keeps it with all that was committed; one that got
 * nothing is removed. A sink that knows it to be worthless uses out_remove.
 */
int out_open_part(struct bob_ctx *ctx, const struct bob_target *to,
    struct out **ret);

/* A temporary file without a name; it goes with the output. */
int out_open_temp(struct bob_ctx *ctx, struct out **ret);

/* Keeps everything in memory: out_memory_take gives it. */
int out_open_memory(struct bob_ctx *ctx, struct out **ret);

/* What was committed since the last take, valid until the next call. */
const uint8_t *out_memory_take(struct out *o, size_t *n);

/* The slow halves of the two functions below. */
uint8_t *out_make_room(struct out *o, size_t max);
int out_write(struct out *o);

/* The output is dead from here on; `what` is a verb. Returns FATAL. Only for
 * the output itself. */
int out_fail(struct out *o, int sys, const char *what);

/* Room for max more bytes, or NULL (the context has the error). What was
 * reserved before and not committed is dropped. */
static inline uint8_t *
out_reserve(struct out *o, size_t max)
{
	if (o->cap_buf - o->len > max)
		return o->buf + o->len;
	return out_make_room(o, max);
}

/* The first `used` reserved bytes are a whole event now. */
static inline int
out_commit(struct out *o, size_t used)
{
	o->len += used;
	return o->len < o->chunk ? BOB_OK : out_write(o);
}

/* What is committed so far holds the first n_samples, whole: worth a note from
 * time to time. */
void out_take_note(struct out *o);

static inline void
out_note(struct out *o)
{
	if (o->len >= o->next_note)
		out_take_note(o);
}

/* What is committed so far holds the first n samples, whole. */
static inline void
out_mark(struct out *o, uint64_t n)
{
	o->n_samples = o->mark_n = n;
	o->mark_at = o->written + o->len;
	out_note(o);
}

/*
 * Counts bytes that a packer takes for this output: they may not be more than
 * max_output either. A packer makes a thousandth of what repeats, so its own
 * output bounds neither the time that it takes nor what whoever unpacks it
 * gets. BOB_OK or FATAL.
 */
int out_unpacked(struct out *o, uint64_t n);

/* reserve, copy, commit. */
int out_bytes(struct out *o, const void *p, size_t n);
int out_str(struct out *o, const char *s);

/* Hands everything committed to the system; durable: to the disk. */
int out_barrier(struct out *o, int durable);

/* True when out_patch works: regular files that are not open for appending,
 * memory, functions that offer it. */
int out_can_patch(const struct out *o);

/*
 * Overwrites bytes [at, at + n), which were committed before; `at` counts
 * from the output's first byte. In memory, only what was not taken. A failure
 * is the end of the output, as a failed write is.
 */
int out_patch(struct out *o, uint64_t at, const void *p, size_t n);

/* Commits everything that a temporary file holds to another output. */
int out_copy_to(struct out *temp, struct out *to);

/* Refuses n more bytes now that would be above max_output in the end: what is
 * known before it is written need not fill the disk first. BOB_OK or FATAL. */
int out_expect(struct out *o, uint64_t n);

/* Bytes committed so far. */
static inline uint64_t
out_total(const struct out *o)
{
	return o->written + o->len;
}

/*
 * Writes what is left, gives the file its name, closes what the output owns
 * and frees it, in every case. A file is on disk before it gets its name.
 */
int out_finish(struct out *o);

/* Frees; a file without its final name is removed, unless it is a part file
 * with something in it. NULL is allowed. */
void out_discard(struct out *o);

/*
 * A side file, for bytes that are worth keeping only until something better
 * is in the main file: PATH of `main` with `suffix`, written in place. Only
 * beside a file that is itself written in place (out_is_live; a part file
 * is): a file that has no name yet has nothing to stand beside. Kept by
 * out_discard; out_remove it only when the main file is on disk and needs it
 * no more.
 */
int out_open_side(const struct out *main, const char *suffix,
    struct out **ret);

/* n bytes from offset `at` of a side or temporary file; after a barrier. */
int out_read_back(struct out *side, uint64_t at, void *p, size_t n);

/* Empties a side file and starts anew. */
int out_restart(struct out *side);

/* Discards a side or part file together with its name. NULL is allowed. */
void out_remove(struct out *side);

static inline int
out_is_live(const struct out *o)
{
	return o->is_file && o->temp == NULL;
}

/* Takes the name from a file that is written in place, if it has it still. */
void out_unlink(const struct out *o);

/* True when somebody else has removed a file that is written in place, or has
 * made it shorter: nobody will find what was written. */
int out_is_gone(const struct out *o);

#endif

/*
 * Reading a trace of any format, event by event.
 *
 *     struct bob_reader *in;
 *     struct bob_event ev;
 *     int r;
 *
 *     if (bob_open(ctx, "trace.rbt.gz", NULL, &in) < 0)
 *             ... bob_ctx_error(ctx)->text ...
 *     while ((r = bob_next(in, &ev)) == BOB_OK)
 *             if (ev.kind == BOB_EVENT_RUNS)
 *                     for (size_t i = 0; i < ev.n_runs; i++)
 *                             total += ev.runs[i].count;
 *     bob_close(in);
 *
 * The format is found by content. gzip is unpacked on the way, and an .rbt
 * stream may mix raw and packed segments. Memory grows with the number of
 * distinct strings, frames and stacks, not with the number of samples.
 *
 * A trace that ends inside an event (its writer still runs, or was killed) is
 * read to its last whole event and ends with BOB_EOF and a note; anything
 * else that is wrong ends strict reading with BOB_FATAL after all samples
 * before it were given. With BOB_READ_RECOVER it does not end: what cannot be
 * read is passed over and reported as a BOB_MARK_GAP.
 */
#ifndef BOBBIN_READ_H
#define BOBBIN_READ_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/filter.h>
#include <bobbin/model.h>
#include <bobbin/option.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_read_flags {
	BOB_READ_RECOVER = 1 << 0, /* pass over damage */
	BOB_READ_FOLLOW = 1 << 1,  /* the end of a file is BOB_AGAIN; so is a
	                            * pipe that has nothing at the moment,
	                            * but its end is the end */
	BOB_READ_BY_TIME = 1 << 2, /* the samples of a segment in the order of
	                            * their times, not in that of the file:
	                            * all of it is read before the first.
	                            * Those of one track keep their order; at
	                            * the same time the track goes first that
	                            * began first. Marks do not wait. */
	BOB_READ_REGULAR = 1 << 4, /* a path that is no regular file counts as
	                            * absent: a FIFO is not waited for */
	BOB_READ_ONE_THREAD = 1 << 3 /* large packed input is otherwise
	                            * unpacked by a thread that lives until
	                            * bob_close, with all signals blocked;
	                            * what is read is the same */
};

/*
 * What the caller will look at; the rest need not be decoded. 0 asks for
 * everything. Without BOB_WANT_ORDER the equal samples of a segment may come
 * as one run, which is several times faster.
 */
enum bob_want {
	BOB_WANT_ORDER = 1 << 0,
	BOB_WANT_TIMES = 1 << 1,
	BOB_WANT_TRACKS = 1 << 2,
	BOB_WANT_ANNOTATIONS = 1 << 3,
	BOB_WANT_STATUS = 1 << 4,
	BOB_WANT_MARKS = 1 << 5, /* gaps are always given */
	BOB_WANT_STATS = 1 << 6, /* bob_reader_stats will be asked */
	BOB_WANT_NONE = 1 << 7, /* nothing but stacks and counts */
	BOB_WANT_ALL = (1 << 7) - 1
};

struct bob_read_opts {
	size_t size;        /* sizeof(struct bob_read_opts) */
	const char *format; /* NULL: by content */
	uint32_t flags;     /* enum bob_read_flags */
	uint32_t want;      /* enum bob_want; 0 = BOB_WANT_ALL */
	const struct bob_filter *filter; /* NULL: everything; copied */
	struct bob_dict *dict; /* shared by several readers; NULL: its own */
	uint64_t first_segment; /* index of the first segment */
	/* From bob_format_info.read_options; borrowed until the format is
	 * known. What that format does not declare is ignored. */
	const struct bob_option *options;
	size_t n_options;
};

struct bob_reader;

/*
 * More bytes: returns how many were put at buf (at most cap), 0 at the end,
 * -1 on failure (errno), -2 when there is nothing yet.
 */
typedef long bob_read_fn(void *user, void *buf, size_t cap);

/*
 * Open. BOB_OK and *ret, or FAILED and *ret untouched. "-" is standard input.
 * bob_open_fd does not take ownership of fd; bob_open_memory borrows the
 * bytes until bob_close. `name` is what messages call the input.
 */
BOB_API int bob_open(struct bob_ctx *ctx, const char *path,
    const struct bob_read_opts *opts, struct bob_reader **ret);
BOB_API int bob_open_fd(struct bob_ctx *ctx, int fd, const char *name,
    const struct bob_read_opts *opts, struct bob_reader **ret);
BOB_API int bob_open_memory(struct bob_ctx *ctx, const void *p, size_t n,
    const char *name, const struct bob_read_opts *opts,
    struct bob_reader **ret);
BOB_API int bob_open_fn(struct bob_ctx *ctx, bob_read_fn *fn, void *user,
    const char *name, const struct bob_read_opts *opts,
    struct bob_reader **ret);

/*
 * The next event. BOB_OK; BOB_EOF; BOB_AGAIN when the input has no more yet
 * (call again later: nothing is lost); BOB_FATAL at damage in strict reading.
 * BOB_AGAIN can also come from bob_next before the format is known.
 */
BOB_API int bob_next(struct bob_reader *in, struct bob_event *ret);

/* The dictionary that the ids in the events belong to. */
BOB_API struct bob_dict *bob_reader_dict(struct bob_reader *in);

/* The name of the format, or NULL while it is not known yet. */
BOB_API const char *bob_reader_format(const struct bob_reader *in);

/* Facts about the bytes, for `info`: how many records of each kind there
 * were and how much room they took. Opened with BOB_WANT_STATS. */
struct bob_stat {
	const char *kind;
	uint64_t n_records, n_bytes;
	uint64_t n_samples; /* that these records hold; 0: not told apart */
};

/* Fills at most cap entries, returns how many there are. */
BOB_API size_t bob_reader_stats(const struct bob_reader *in,
    struct bob_stat *v, size_t cap);

/* Other numbers that the format's own tools would show, as "frames written".
 * Opened with BOB_WANT_STATS. */
struct bob_fact {
	const char *name;
	uint64_t value;
};

BOB_API size_t bob_reader_facts(const struct bob_reader *in,
    struct bob_fact *v, size_t cap);

/* The name of the format's dialect that was found, as "1b"; NULL when it has
 * none, or is not known yet. */
BOB_API const char *bob_reader_dialect(const struct bob_reader *in);

/* Bytes taken from the input so far: as stored, and unpacked. */
BOB_API uint64_t bob_reader_bytes_in(const struct bob_reader *in);
BOB_API uint64_t bob_reader_bytes_unpacked(const struct bob_reader *in);

/* True when the input ended inside an event: it is still being written or
 * was cut. */
BOB_API int bob_reader_is_incomplete(const struct bob_reader *in);

/* Closes; NULL is allowed. */
BOB_API void bob_close(struct bob_reader *in);

#ifdef __cplusplus
}
#endif
#endif

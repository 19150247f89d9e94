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
 * The reader finds the format by content. It unpacks gzip; an .rbt stream may
 * mix raw and packed segments. Memory grows with the number of distinct
 * strings, frames and stacks, not with the number of samples.
 *
 * Incomplete and hostile input:
 *
 *   - A trace may end inside an event, because its writer still runs or was
 *     killed. The reader gives all whole events, then BOB_EOF and a note.
 *   - At any other damage the reader gives all samples before it, then FATAL
 *     (BOB_E_CORRUPT, BOB_E_LIMIT and so on).
 *   - With BOB_READ_RECOVER the reader skips damage, reports it as a
 *     BOB_MARK_GAP, and goes on.
 *   - What an input may make the library use is bounded: see bobbin/limits.h,
 *     and bob_ctx_set_limits for lower limits.
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
	/* Skip damage. */
	BOB_READ_RECOVER = 1 << 0,
	/* The input is still growing. The end of a file is BOB_AGAIN; if the
	 * file is shorter than what was read of it, that is an error
	 * (BOB_E_TRUNCATED). An empty pipe is BOB_AGAIN too, but a closed pipe
	 * is BOB_EOF. */
	BOB_READ_FOLLOW = 1 << 1,
	/* Give the samples of a segment in the order of their times, instead
	 * of their order in the file. The whole segment is read before its
	 * first sample is given. Samples of one track keep their order. Of
	 * samples with the same time, the track that began first comes first.
	 * Marks are not delayed. */
	BOB_READ_BY_TIME = 1 << 2,
	/* Treat a path that is no regular file as absent (ENOENT). A FIFO is
	 * not opened, so nothing waits for its writer. */
	BOB_READ_REGULAR = 1 << 4,
	/* Start no thread. Without this flag, a thread unpacks large packed
	 * input ahead of the reader. It lives until bob_close and blocks all
	 * signals. The events are the same with and without it. */
	BOB_READ_ONE_THREAD = 1 << 3
};

/*
 * What the caller will look at. The reader need not decode the rest. 0 asks
 * for everything. Without BOB_WANT_ORDER the reader may join equal samples of
 * a segment into one run, which is several times faster.
 */
enum bob_want {
	BOB_WANT_ORDER = 1 << 0,
	BOB_WANT_TIMES = 1 << 1,
	BOB_WANT_TRACKS = 1 << 2,
	BOB_WANT_ANNOTATIONS = 1 << 3,
	BOB_WANT_STATUS = 1 << 4,
	BOB_WANT_MARKS = 1 << 5, /* gaps are given even without it */
	BOB_WANT_STATS = 1 << 6, /* for bob_reader_stats, bob_reader_facts */
	BOB_WANT_NONE = 1 << 7, /* stacks and counts only */
	BOB_WANT_ALL = (1 << 7) - 1
};

struct bob_read_opts {
	size_t size;        /* sizeof(struct bob_read_opts) */
	const char *format; /* a name from bob_format_get; NULL: by content */
	uint32_t flags;     /* enum bob_read_flags */
	uint32_t want;      /* enum bob_want; 0: BOB_WANT_ALL */
	const struct bob_filter *filter; /* copied; NULL: everything */
	struct bob_dict *dict; /* may be shared by several readers, and must
	                        * outlive them; NULL: the reader makes one */
	uint64_t first_segment; /* index that the first segment gets */
	/* Options of the format (bob_format_info.read_options). Borrowed until
	 * the format is known. Options that the format does not declare are
	 * ignored. */
	const struct bob_option *options;
	size_t n_options;
};

struct bob_reader;

/* Receives each gap that a reader of a context gives (BOB_READ_RECOVER),
 * whoever takes its events: a profile and a conversion do. `input` is the name
 * of the input. Both are valid during the call. */
typedef void bob_gap_fn(void *user, const char *input,
    const struct bob_gap *gap);

/* Sets that function. NULL, the default: none. */
BOB_API void bob_ctx_on_gap(struct bob_ctx *ctx, bob_gap_fn *fn, void *user);

/*
 * Reads at most cap bytes to buf. Returns how many; 0 at the end; -1 and sets
 * errno on failure; -2 if there are none yet.
 */
typedef long bob_read_fn(void *user, void *buf, size_t cap);

/*
 * Each opens a trace. Returns BOB_OK and sets *ret, or FAILED. NULL opts: all
 * fields 0. Free the reader with bob_close.
 *
 * The path "-" is standard input. bob_open_fd borrows fd and reads from its
 * current position. bob_open_memory borrows the n bytes until bob_close.
 * `name` is what messages call the input; it is copied.
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
 * Reads the next event. Returns BOB_OK and fills *ret, whose pointers are valid
 * until the next call; BOB_EOF; BOB_AGAIN if the input has no more yet (nothing
 * is lost: call again later); FATAL at damage, unless BOB_READ_RECOVER is set.
 * BOB_AGAIN may also come before the format is known.
 */
BOB_API int bob_next(struct bob_reader *in, struct bob_event *ret);

/* Returns the dictionary of the ids in the events. Unless the caller gave it,
 * the reader owns it, and bob_close frees it. */
BOB_API struct bob_dict *bob_reader_dict(struct bob_reader *in);

/* Returns the name of the format, or NULL while it is not known. Valid for
 * ever. */
BOB_API const char *bob_reader_format(const struct bob_reader *in);

/* Records of one kind: how many were read and how many bytes they took. */
struct bob_stat {
	const char *kind;
	uint64_t n_records, n_bytes;
	uint64_t n_samples; /* in these records; 0: not counted by kind */
};

/* Fills at most cap entries of v. Returns how many there are. Only for readers
 * that were opened with BOB_WANT_STATS. */
BOB_API size_t bob_reader_stats(const struct bob_reader *in,
    struct bob_stat *v, size_t cap);

/* Another number that the format's own tools would show, such as "frames
 * written". */
struct bob_fact {
	const char *name;
	uint64_t value;
};

/* Fills at most cap entries of v. Returns how many there are. Only for readers
 * that were opened with BOB_WANT_STATS. */
BOB_API size_t bob_reader_facts(const struct bob_reader *in,
    struct bob_fact *v, size_t cap);

/* Returns the name of the format's dialect, such as "1b"; NULL if the format
 * has none, or it is not known yet. */
BOB_API const char *bob_reader_dialect(const struct bob_reader *in);

/* Return how many bytes were taken from the input so far, as stored and after
 * unpacking. */
BOB_API uint64_t bob_reader_bytes_in(const struct bob_reader *in);
BOB_API uint64_t bob_reader_bytes_unpacked(const struct bob_reader *in);

/* Returns 1 if the input ended inside an event: it was cut, or its writer still
 * runs. */
BOB_API int bob_reader_is_incomplete(const struct bob_reader *in);

/* Closes and frees a reader. NULL is allowed. */
BOB_API void bob_close(struct bob_reader *in);

#ifdef __cplusplus
}
#endif
#endif

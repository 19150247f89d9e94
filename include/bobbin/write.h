/*
 * Writing a trace.
 *
 *     struct bob_target to = { .path = "trace.rbt" };
 *     struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };
 *     struct bob_writer *out;
 *
 *     bob_create(ctx, &to, &o, &out);
 *     d = bob_writer_dict(out);
 *     ... bob_str_put(d, ...), bob_frame_put, bob_stack_push ...
 *     bob_write_segment(out, &segment);
 *     bob_write_runs(out, &run, 1);
 *     bob_finish(out);
 *
 * Each write(2) ends on the border of an event, so a killed process leaves a
 * file of whole events. What was written before the last bob_barrier is out
 * of this process; what was written before a durable one is on disk.
 */
#ifndef BOBBIN_WRITE_H
#define BOBBIN_WRITE_H

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

/* Takes n bytes: 0, or -1 and errno. */
typedef int bob_write_fn(void *user, const void *p, size_t n);

/* Overwrites n bytes that were written before, from byte `at` on, counted
 * from the first one: 0, or -1 and errno. */
typedef int bob_patch_fn(void *user, uint64_t at, const void *p, size_t n);

enum bob_target_flags {
	BOB_TARGET_CLOSE = 1 << 0, /* the writer closes fd when done with it */
	BOB_TARGET_LIVE = 1 << 1,  /* path: write in place from the start; by
	                            * default a file gets its name when it is
	                            * whole, so an older one is never lost.
	                            * Formats that write their head last go
	                            * to PATH.part instead, which must not
	                            * exist and stays when they fail */
	BOB_TARGET_PRIVATE = 1 << 2 /* path: readable by its owner alone, and
	                             * not where a symbolic link leads */
};

/* Where bytes go: a path ("-" is standard output), else a function, else an
 * open file descriptor. Formats that write their head last use a temporary
 * file for functions that cannot patch and for descriptors that cannot seek. */
struct bob_target {
	const char *path;
	bob_write_fn *write;
	bob_patch_fn *patch; /* with write; NULL: it cannot */
	void *user;
	int fd;
	uint32_t flags;
};

/*
 * Hands over the output of segment `index` when the writer rotates: fills in
 * *ret and returns 0, or -1 to end the writer with an error. The caller owns
 * what it hands over and closes it (the writer is done with the one before
 * when this is called, and with the last one when bob_finish returns), unless
 * BOB_TARGET_CLOSE is set.
 */
typedef int bob_next_output_fn(void *user, uint64_t index,
    struct bob_target *ret);

struct bob_write_opts {
	size_t size;        /* sizeof(struct bob_write_opts) */
	const char *format; /* a name from bob_format_get */
	const struct bob_option *options; /* from bob_format_info.options */
	size_t n_options;
	struct bob_dict *dict; /* ids come from here, and it outlives the
	                        * writer; NULL: its own */
	bob_next_output_fn *next_output; /* NULL: one output for all */
	void *next_user;
	/* What is written of the samples that are given; copied. NULL:
	 * everything. */
	const struct bob_filter *filter;
	/* Where formats that show source look for it (bobbin/source.h); it
	 * outlives the writer. NULL: where their option `source` says. */
	const struct bob_sources *sources;
};

struct bob_writer;

/* Creates a writer. With next_output set, target may be NULL. BOB_OK and
 * *ret, or FAILED and *ret untouched. */
BOB_API int bob_create(struct bob_ctx *ctx, const struct bob_target *target,
    const struct bob_write_opts *opts, struct bob_writer **ret);

BOB_API struct bob_dict *bob_writer_dict(struct bob_writer *out);

/* A new segment begins. A run or mark without one gets a default segment
 * (period 10 ms). BOB_OK or FATAL, as for the next two. */
BOB_API int bob_write_segment(struct bob_writer *out,
    const struct bob_segment *segment);
BOB_API int bob_write_runs(struct bob_writer *out, const struct bob_run *runs,
    size_t n);
BOB_API int bob_write_mark(struct bob_writer *out,
    const struct bob_mark *mark);

/* Hands everything so far to the system; durable: to the disk. */
BOB_API int bob_barrier(struct bob_writer *out, int durable);

/* What this writer carries, enum bob_caps: the format's own, with what its
 * options add or take away. */
BOB_API uint32_t bob_writer_caps(const struct bob_writer *out);

/* Bytes given to the output so far (after packing), and those in a file beside
 * it that wait to be packed. */
BOB_API uint64_t bob_writer_bytes(const struct bob_writer *out);

/* Samples that were written so far, those that passed the filter. */
BOB_API uint64_t bob_writer_samples(const struct bob_writer *out);

/* Those of them that the system has: a reader of the output finds so many,
 * whatever happens to this process. Where a format writes all at the end, 0
 * until then. */
BOB_API uint64_t bob_writer_stored(const struct bob_writer *out);

/* True when a file that is written in place was removed or made shorter by
 * somebody else. */
BOB_API int bob_writer_is_gone(const struct bob_writer *out);

/* Ends the trace and frees the writer, also on failure. BOB_OK or FATAL. */
BOB_API int bob_finish(struct bob_writer *out);

/* The same, and how many samples are in the output then: all that were
 * written, or, after a failure, those that had reached it. */
BOB_API int bob_finish_counted(struct bob_writer *out, uint64_t *ret_stored);

/* Frees the writer without ending the trace; a file that had no name yet is
 * removed. NULL is allowed. */
BOB_API void bob_discard(struct bob_writer *out);

/* The same, and removes the files that are written in place, too: nothing in
 * them is worth keeping. */
BOB_API void bob_discard_files(struct bob_writer *out);

#ifdef __cplusplus
}
#endif
#endif

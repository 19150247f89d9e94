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
 * Each write(2) ends at the end of an event, so a killed process leaves a file
 * of whole events. After bob_barrier the system has everything that was
 * written before it; after a durable bob_barrier it is on disk.
 *
 * When writing fails (BOB_E_IO, BOB_E_BUDGET and so on) the writer is dead:
 * later calls return FATAL with the same error and write nothing.
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

/* Writes n bytes. Returns 0; -1 and sets errno on failure. */
typedef int bob_write_fn(void *user, const void *p, size_t n);

/* Overwrites n bytes from byte `at` on, counted from the first byte written.
 * They were all written before. Returns 0; -1 and sets errno on failure. */
typedef int bob_patch_fn(void *user, uint64_t at, const void *p, size_t n);

/* Behind the path of a file that is written in place but not whole before
 * bob_finish; see BOB_TARGET_LIVE. */
#define BOB_PART_SUFFIX ".part"

enum bob_target_flags {
	/* fd: the writer closes it. */
	BOB_TARGET_CLOSE = 1 << 0,
	/* path: the file is written in place, under its own name, from the
	 * start. Without this flag a new file gets its name when it is
	 * complete, and replaces an old one only then. A format that writes
	 * its header last uses PATH.part until it is complete. PATH.part must
	 * not exist; it stays if writing fails. */
	BOB_TARGET_LIVE = 1 << 1,
	/* path: only its owner may read the file, and a symbolic link at the
	 * end of the path is refused. */
	BOB_TARGET_PRIVATE = 1 << 2,
	/* path: bob_finish does not wait for the disk, unless the file
	 * replaces another one under its name. */
	BOB_TARGET_LAZY = 1 << 3
};

/*
 * Tells the caller which temporary file the process would leave behind if it
 * died now: `name` in the folder that dir_fd holds open. Called before the file
 * is created. Both arguments are valid until the next call. That call has a
 * NULL name: the file has got its final name, or is gone. A signal handler may
 * unlinkat(2) the last file; storing it in a way that is safe in a handler is
 * up to the caller. A file that is written in place, and a PATH.part, are kept
 * and not reported.
 */
typedef void bob_unfinished_fn(void *user, int dir_fd, const char *name);

/* Returns the length of PATH when `path` is that of its part file, PATH
 * BOB_PART_SUFFIX; 0 when it is not the path of a part file. */
BOB_API size_t bob_part_stem(const char *path);

/* Where bytes go: to `path` ("-" is standard output) if it is set, else to
 * `write` if it is set, else to `fd`. A format that writes its header last
 * uses a temporary file if the function cannot patch or fd cannot seek. */
struct bob_target {
	const char *path;
	bob_write_fn *write;
	bob_patch_fn *patch; /* with write; NULL: it cannot patch */
	void *user;          /* for all functions of the target */
	int fd;
	uint32_t flags;      /* enum bob_target_flags */
	bob_unfinished_fn *unfinished; /* with path; may be NULL */
};

/*
 * Called when the writer rotates: fills *ret with the output of segment
 * `index`. Returns 0; -1 ends the writer with an error. The caller keeps
 * ownership of what it passes, unless BOB_TARGET_CLOSE is set. When this is
 * called, the writer is done with the output before; when bob_finish returns,
 * with all of them.
 */
typedef int bob_next_output_fn(void *user, uint64_t index,
    struct bob_target *ret);

struct bob_write_opts {
	size_t size;        /* sizeof(struct bob_write_opts) */
	const char *format; /* a name from bob_format_get */
	/* Options of the format (bob_format_info.options). Borrowed during
	 * bob_create. */
	const struct bob_option *options;
	size_t n_options;
	struct bob_dict *dict; /* dictionary of the ids; it must outlive the
	                        * writer. NULL: the writer makes one */
	bob_next_output_fn *next_output; /* NULL: one output */
	void *next_user;
	/* Only samples that pass are written. Copied. NULL: all. */
	const struct bob_filter *filter;
	/* Source files, for formats that show them (bobbin/source.h). Must
	 * outlive the writer. NULL: their option `source` decides. */
	const struct bob_sources *sources;
};

struct bob_writer;

/* Creates a writer. With next_output set, target may be NULL. Returns BOB_OK
 * and sets *ret, or FAILED: BOB_E_USAGE, BOB_E_FORMAT (no such format, or it
 * cannot be written), BOB_E_IO and so on. Free it with bob_finish or
 * bob_discard. */
BOB_API int bob_create(struct bob_ctx *ctx, const struct bob_target *target,
    const struct bob_write_opts *opts, struct bob_writer **ret);

/* Returns the dictionary whose ids the writer takes. */
BOB_API struct bob_dict *bob_writer_dict(struct bob_writer *out);

/*
 * Write a segment header, n runs, and a mark. Each returns BOB_OK; FAILED
 * (BOB_E_USAGE) if an argument is wrong, such as an id that the dictionary
 * never gave out: then nothing was written, and the writer is usable; or FATAL.
 * Runs and marks before the first segment get a default segment with a period
 * of 10 ms. Arguments are borrowed during the call.
 */
BOB_API int bob_write_segment(struct bob_writer *out,
    const struct bob_segment *segment);
BOB_API int bob_write_runs(struct bob_writer *out, const struct bob_run *runs,
    size_t n);
BOB_API int bob_write_mark(struct bob_writer *out,
    const struct bob_mark *mark);

/* Writes what a reader gave (bob_next), by one of the three functions above.
 * Reader and writer must have the same dictionary. */
BOB_API int bob_write_event(struct bob_writer *out,
    const struct bob_event *event);

/* Passes everything so far to the system, and with `durable` to the disk.
 * Returns BOB_OK or FATAL. */
BOB_API int bob_barrier(struct bob_writer *out, int durable);

/* Returns what this writer can store (enum bob_caps): what its format can
 * store, plus or minus what its options change. */
BOB_API uint32_t bob_writer_caps(const struct bob_writer *out);

/* Returns the bytes written so far (after packing), plus those in a side file
 * that are not packed yet. */
BOB_API uint64_t bob_writer_bytes(const struct bob_writer *out);

/* Returns the samples written so far, without those that the filter dropped. */
BOB_API uint64_t bob_writer_samples(const struct bob_writer *out);

/* Returns how many of these samples the system has. A reader of the output
 * finds them even if this process is killed now. 0 until bob_finish for a
 * format that writes everything at the end. */
BOB_API uint64_t bob_writer_stored(const struct bob_writer *out);

/* Returns 1 if a file that is written in place was removed or made shorter by
 * another program. */
BOB_API int bob_writer_is_gone(const struct bob_writer *out);

/* Ends the trace and frees the writer, on failure too. Returns BOB_OK or
 * FATAL. */
BOB_API int bob_finish(struct bob_writer *out);

/* The same. *ret_stored, unless NULL, is set to the number of samples in the
 * output: all that were written; after a failure those that had reached it. */
BOB_API int bob_finish_counted(struct bob_writer *out, uint64_t *ret_stored);

/* Frees the writer without ending the trace. A file that has no final name yet
 * is removed. NULL is allowed. */
BOB_API void bob_discard(struct bob_writer *out);

/* The same, and also removes files that are written in place. The writer must
 * not be NULL. */
BOB_API void bob_discard_files(struct bob_writer *out);

/*
 * An output for bytes that are no trace, such as a report. A file gets its
 * name when it is complete, as with a writer.
 */
struct bob_out;

/* Returns BOB_OK and sets *ret, or FAILED. Free it with bob_out_finish or
 * bob_out_discard. */
BOB_API int bob_out_open(struct bob_ctx *ctx, const struct bob_target *target,
    struct bob_out **ret);

/* Appends n bytes. Returns BOB_OK, or FATAL: discard it. */
BOB_API int bob_out_put(struct bob_out *out, const void *p, size_t n);

/* Ends and frees it, on failure too. Returns BOB_OK or FATAL. */
BOB_API int bob_out_finish(struct bob_out *out);

/* Frees it. A file that has no final name yet is removed. NULL is allowed. */
BOB_API void bob_out_discard(struct bob_out *out);

#ifdef __cplusplus
}
#endif
#endif

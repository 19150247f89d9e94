/*
 * Formats by name, and whole conversions in one call.
 *
 *     const char *in[] = { "a.rbt", "b.rbt.gz" };
 *     struct bob_target to = { .path = "out.folded" };
 *     struct bob_convert c = { .size = sizeof(c), .inputs = in,
 *         .n_inputs = 2, .output = &to, .to = "folded" };
 *     if (bob_convert(ctx, &c, NULL) < 0)
 *             ... bob_ctx_error(ctx)->text ...
 */
#ifndef BOBBIN_CONVERT_H
#define BOBBIN_CONVERT_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/filter.h>
#include <bobbin/model.h>
#include <bobbin/option.h>
#include <bobbin/profile.h>
#include <bobbin/status.h>
#include <bobbin/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a format can store. A conversion loses what the input's format has and
 * the output's format has not. */
enum bob_caps {
	BOB_CAP_ORDER = 1 << 0,
	BOB_CAP_TIMES = 1 << 1,
	BOB_CAP_PIDS = 1 << 2,
	BOB_CAP_THREADS = 1 << 3,
	BOB_CAP_STATUS = 1 << 4,
	BOB_CAP_ANNOTATIONS = 1 << 5,
	BOB_CAP_META = 1 << 6,
	BOB_CAP_SEGMENTS = 1 << 7,
	BOB_CAP_PERIOD = 1 << 8,
	BOB_CAP_OPCODES = 1 << 9,
	BOB_CAP_NATIVE = 1 << 10, /* native frames with their offsets */
	BOB_CAP_COLUMNS = 1 << 11,
	BOB_CAP_UNKNOWN = 1 << 12 /* events of newer versions, as bytes */
};

struct bob_format_info {
	const char *name;
	const char *suffixes; /* ".rbt .rbt.gz", best first; may be "" */
	const char *summary;
	uint32_t caps; /* enum bob_caps */
	int can_read, can_write;
	int is_text; /* safe to print to a terminal */
	/* Options for writing and for reading. Each list ends with a NULL key;
	 * a list may be NULL. */
	const struct bob_option_info *options;
	const struct bob_option_info *read_options;
	int takes_before; /* `before` of struct bob_convert is possible */
	/* A report for people, with the times of bobbin/times.h. It is meant to
	 * be written without idle samples: a filter with BOB_IDLE_HIDE. It says
	 * how many there were. */
	int hides_idle;
};

/* Returns the i-th format, or NULL after the last one. Formats are constant
 * tables: valid for ever, in any thread. */
BOB_API const struct bob_format_info *bob_format_get(size_t i);

/* Return the format with this name, and the format with the longest suffix
 * that the path ends with; NULL if there is none. */
BOB_API const struct bob_format_info *bob_format_named(const char *name);
BOB_API const struct bob_format_info *bob_format_of_path(const char *path);

/*
 * Returns the caps of `from` that `to` lacks; 0: nothing is lost. Also writes
 * them to buf in words, such as "times, pids": cut to cap bytes, with a NUL
 * unless cap is 0.
 */
BOB_API uint32_t bob_plan(uint32_t from, uint32_t to, char *buf, size_t cap);

enum bob_convert_flags {
	BOB_CONVERT_RECOVER = 1 << 0, /* skip damage, as BOB_READ_RECOVER */
	BOB_CONVERT_EXACT = 1 << 1,   /* with RECOVER, rbt to rbt: copy intact
	                               * segments byte for byte */
	BOB_CONVERT_STRICT_PLAN = 1 << 2, /* losing anything is BOB_E_PLAN */
	BOB_CONVERT_BY_TIME = 1 << 3, /* as BOB_READ_BY_TIME */
	/* Inputs are still growing. What was read is passed to the system when
	 * an input pauses, at the latest after a second. If an input fails,
	 * the output is still ended properly. */
	BOB_CONVERT_LIVE = 1 << 4,
	/* With RECOVER: damage that leaves no sample at all is an error, and
	 * an old output stays as it was. */
	BOB_CONVERT_SOME = 1 << 5
};

/* Each may be NULL. Strings are valid during the call. */
struct bob_convert_events {
	/* The format of an input is known; `lost` says in words what this input
	 * has and the output cannot hold, as bob_plan does. Of a file its first
	 * 128 KiB are looked at; otherwise all counts that its format can
	 * hold. */
	void (*plan)(void *user, const char *input, const char *from,
	    const char *to, const char *lost);
	/* Recovery skipped bytes. */
	void (*gap)(void *user, const char *input, const struct bob_gap *gap);
	/* After each 4 MiB or more: bytes read, and bytes in all (0:
	 * unknown). */
	void (*progress)(void *user, uint64_t done, uint64_t total);
	void *user;
};

/* Everything is borrowed during the call. */
struct bob_convert {
	size_t size; /* sizeof(struct bob_convert) */
	const char *const *inputs; /* paths; "-" is standard input */
	size_t n_inputs;
	const struct bob_target *output;
	const char *from; /* format of the inputs; NULL: by content */
	const char *to;   /* format of the output */
	const struct bob_option *options; /* of the output */
	size_t n_options;
	const struct bob_filter *filter; /* NULL: everything */
	bob_next_output_fn *next_output; /* as in struct bob_write_opts */
	void *next_user;
	unsigned threads; /* 0: as many as there are processors */
	uint32_t flags;   /* enum bob_convert_flags */
	const struct bob_convert_events *events; /* may be NULL */
	const struct bob_option *read_options; /* as in struct bob_read_opts */
	size_t n_read_options;
	/* With BOB_CONVERT_LIVE: reading ends when *stop is not 0. A signal
	 * handler or another thread may set it; it is checked every half
	 * second. NULL: reading ends with the inputs. */
	const volatile int *stop;
	/* Inputs that the others are compared with, by formats that can
	 * (takes_before); they are read first. n_before 0: no comparison. */
	const char *const *before;
	size_t n_before;
	/* Their filter, if it is another one. NULL: `filter`. */
	const struct bob_filter *before_filter;
};

struct bob_converted {
	uint64_t n_samples, n_segments;
	uint64_t bytes_in, bytes_out;
	uint64_t n_gaps, n_lost; /* of recovery, as in struct bob_gap */
	int is_incomplete;       /* an input ended inside an event */
	uint64_t n_rootless;     /* as in struct bob_gap */
	/* Of formats with hides_idle: the times of all that was read, which the
	 * output says, too. times.size is 0 otherwise. */
	struct bob_times times;
};

/*
 * Converts all inputs, in order, to one output. Returns BOB_OK; BOB_WARN if
 * recovery lost something; FAILED otherwise. If an input is damaged, all
 * samples before the damage are written and the output is ended properly. If
 * there are none, an old file stays as it was. *ret, unless NULL, is filled in
 * every case.
 */
BOB_API int bob_convert(struct bob_ctx *ctx, const struct bob_convert *c,
    struct bob_converted *ret);

#ifdef __cplusplus
}
#endif
#endif

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
#include <bobbin/status.h>
#include <bobbin/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a format can carry; a conversion loses what the source has and the
 * target has not. */
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
	BOB_CAP_NATIVE = 1 << 10, /* native frames as such, with offsets */
	BOB_CAP_COLUMNS = 1 << 11,
	BOB_CAP_UNKNOWN = 1 << 12 /* events of newer versions, as bytes */
};

struct bob_format_info {
	const char *name;
	const char *suffixes; /* ".rbt .rbt.gz", best first; may be "" */
	const char *summary;
	uint32_t caps; /* enum bob_caps */
	int can_read, can_write;
	int is_text; /* harmless on a terminal */
	/* For writing and for reading; each ends with a NULL key, and may be
	 * NULL. */
	const struct bob_option_info *options;
	const struct bob_option_info *read_options;
};

/* The i-th format, or NULL behind the last one. */
BOB_API const struct bob_format_info *bob_format_get(size_t i);

/* By name, or by the longest suffix of a path; NULL when none fits. */
BOB_API const struct bob_format_info *bob_format_named(const char *name);
BOB_API const struct bob_format_info *bob_format_of_path(const char *path);

/*
 * What is lost from one set of caps to another, in words, as "times, pids":
 * written to buf as far as cap allows, always NUL-terminated. Returns the
 * caps that are lost; 0: nothing.
 */
BOB_API uint32_t bob_plan(uint32_t from, uint32_t to, char *buf, size_t cap);

enum bob_convert_flags {
	BOB_CONVERT_RECOVER = 1 << 0, /* read tolerantly */
	BOB_CONVERT_EXACT = 1 << 1,   /* with RECOVER, rbt to rbt: copy intact
	                               * segments byte for byte */
	BOB_CONVERT_STRICT_PLAN = 1 << 2, /* losing anything is an error */
	BOB_CONVERT_BY_TIME = 1 << 3 /* as BOB_READ_BY_TIME */
};

/* Called for each input once its format is known (what the plan says is
 * lost, "" for nothing), and for each gap that recovery passes over. */
struct bob_convert_events {
	void (*plan)(void *user, const char *input, const char *from,
	    const char *to, const char *lost);
	void (*gap)(void *user, const char *input, const struct bob_gap *gap);
	/* About ten times a second, with bytes done and to do (0 unknown). */
	void (*progress)(void *user, uint64_t done, uint64_t total);
	void *user;
};

struct bob_convert {
	size_t size; /* sizeof(struct bob_convert) */
	const char *const *inputs;
	size_t n_inputs;
	const struct bob_target *output;
	const char *from; /* NULL: by content */
	const char *to;
	const struct bob_option *options;
	size_t n_options;
	const struct bob_filter *filter; /* NULL: everything */
	bob_next_output_fn *next_output; /* as in struct bob_write_opts */
	void *next_user;
	unsigned threads; /* 0: as many as there are processors */
	uint32_t flags;   /* enum bob_convert_flags */
	const struct bob_convert_events *events; /* NULL: silent */
	const struct bob_option *read_options; /* as in struct bob_read_opts */
	size_t n_read_options;
	/* An input to compare the others with, for formats that show what
	 * differs; NULL: none. It is not counted in struct bob_converted. */
	const char *baseline;
};

struct bob_converted {
	uint64_t n_samples, n_segments;
	uint64_t bytes_in, bytes_out;
	uint64_t n_gaps, n_lost; /* recovery: gaps, samples known lost */
	int is_incomplete;       /* an input ended inside an event */
	uint64_t n_rootless; /* recovery: samples whose outer frames are
	                      * `<lost>` */
};

/*
 * Converts all inputs, in order, into one output. BOB_OK; BOB_WARN when
 * recovery lost something; FAILED otherwise. When an input turns out to be
 * damaged, all samples before the damage are still written and the output is
 * finished properly. *ret is filled in every case unless NULL.
 */
BOB_API int bob_convert(struct bob_ctx *ctx, const struct bob_convert *c,
    struct bob_converted *ret);

#ifdef __cplusplus
}
#endif
#endif

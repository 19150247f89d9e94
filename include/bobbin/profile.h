/*
 * Profiles: whole traces added up, and questions about them.
 *
 * A profile reads inputs of any format into sums, one per distinct
 * combination of stack, track, annotations and status. Its memory depends on
 * what is distinct, not on the number of samples. A view selects some of it
 * and groups its frames; tables, trees and time lines come from views:
 *
 *     bob_profile_new(ctx, NULL, &p);
 *     bob_profile_add(p, "trace.rbt", 0);
 *     bob_view_new(p, NULL, &v);
 *     row = bob_view_rows(v, BOB_BY_SELF, &n);
 *     for (i = 0; i < n; i++)
 *             ... row[i].self, bob_view_key(v, row[i].key).text ...
 *     bob_view_free(v);
 *     bob_profile_free(p);
 *
 * Weights are samples and microseconds. The time of a sample is the time since
 * the one before it on its track when all samples have times, else the period
 * of its segment: never a mixture (struct bob_profile_info says which). It is
 * one period for the first sample of a request, and behind a gap in which the
 * track may have had no stack (docs/analyze.md, "What time is"). Filters do not
 * change the time of a sample.
 */
#ifndef BOBBIN_PROFILE_H
#define BOBBIN_PROFILE_H

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

struct bob_profile;
struct bob_view;
struct bob_tree;

enum bob_profile_flags {
	BOB_PROFILE_RECOVER = 1 << 0, /* pass over damage */
	BOB_PROFILE_FOLLOW = 1 << 1,  /* inputs stay open for refresh */
	BOB_PROFILE_REQUESTS = 1 << 2, /* gather requests and routes */
	/* Rows are told apart by the annotation request.id, too: needed to
	 * group by it. */
	BOB_PROFILE_REQUEST_IDS = 1 << 3
};

/* What rows are told apart by besides; needed to group by it. */
enum bob_split { BOB_SPLIT_NONE = 0, BOB_SPLIT_SEGMENT, BOB_SPLIT_MINUTE };

struct bob_profile_opts {
	size_t size;        /* sizeof(struct bob_profile_opts) */
	const char *format; /* NULL: by content */
	uint32_t flags;     /* enum bob_profile_flags */
	int split;          /* enum bob_split */
	/* Only what passes is added; exact, also by time. NULL: everything. */
	const struct bob_filter *filter;
	const struct bob_option *options; /* as in struct bob_read_opts */
	size_t n_options;
	size_t n_last; /* how many of the last samples to keep */
	/* The annotation that tells requests apart; NULL: the first of
	 * request.id, request_id, request.uri, http.url, uri, url,
	 * request.route and route that a sample has. */
	const char *request_key; /* values in a row are one request */
	/* Called about ten times a second with the bytes done; returns
	 * nonzero to stop. May be NULL. */
	int (*progress)(void *user, uint64_t done);
	void *user;
};

/* BOB_OK and *ret, or FAILED. */
BOB_API int bob_profile_new(struct bob_ctx *ctx,
    const struct bob_profile_opts *opts, struct bob_profile **ret);
BOB_API void bob_profile_free(struct bob_profile *p);

/*
 * Reads an input ("-" is standard input) and adds it to a side: 0, or 1 for
 * what is compared with it. When it follows, it reads what there is. A
 * directory adds the files in it that some format recognises, and with FOLLOW
 * those that come later. BOB_OK; BOB_WARN when recovery lost something;
 * FAILED at damage: what came before it stays added.
 */
BOB_API int bob_profile_add(struct bob_profile *p, const char *path,
    int side);

/*
 * Adds an event that does not come from an input: a segment first, then runs
 * with ids of bob_profile_dict. All that is fed to a side is one trace. BOB_OK
 * or FATAL.
 */
BOB_API int bob_profile_feed(struct bob_profile *p, int side,
    const struct bob_event *ev);

/* Reads what has been written to followed inputs since. BOB_OK when there was
 * something, BOB_AGAIN when not, BOB_EOF when no input can grow any more,
 * FAILED at damage. Views that exist keep showing what they showed. */
BOB_API int bob_profile_refresh(struct bob_profile *p);

enum bob_time_basis {
	BOB_TIME_NONE = 0, /* no period is known, nor times: 10 ms assumed */
	BOB_TIME_PERIOD,   /* samples times the period of their segments */
	BOB_TIME_CLOCK     /* the times of the samples */
};

struct bob_profile_info {
	uint64_t n_read;    /* samples read, before the filter */
	uint64_t n_samples; /* added */
	uint64_t time_us;   /* of these */
	uint64_t n_segments, n_rows;
	uint64_t period_us; /* of all segments; 0: several, or unknown */
	int has_several_periods;
	uint64_t last_period_us; /* of the last segment, even an empty one */
	uint64_t max_period_us; /* the longest; 0: unknown. What the time of a
	                         * request may be wrong by */
	int basis;          /* enum bob_time_basis: what time_us is */
	int is_mixed;       /* some segments have times, others not */
	uint64_t t_first, t_last; /* on the trace's own clock, which begins
	                           * with the first sample; 0 without times */
	uint64_t start_us;  /* unix time of its zero; 0 unknown */
	uint64_t n_gaps, n_lost; /* passed over by recovery */
	uint64_t n_unkept; /* taken by the capture, but in no file; see
	                    * bob_unkept */
	int is_incomplete;  /* an input ended inside an event */
	uint32_t caps;      /* enum bob_caps, of all inputs together */
};

BOB_API struct bob_profile_info bob_profile_info(const struct bob_profile *p,
    int side);
BOB_API struct bob_dict *bob_profile_dict(struct bob_profile *p);

/* A fact from the metadata of a side's inputs: the last value of `key`, or
 * NULL. Valid until more is read. */
BOB_API const char *bob_profile_meta(const struct bob_profile *p, int side,
    const char *key);

/* What metadata says about a process, for people: "php-fpm: pool www (php
 * 8.2.30, child of 4711)"; empty when nothing. Long commands are cut. Valid
 * until the next call, or until more is read. */
BOB_API struct bob_bytes bob_profile_process(struct bob_profile *p,
    uint64_t pid);

/* One of the last samples, the latest last. */
struct bob_last {
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint8_t status;
	uint8_t flags;  /* enum bob_run_flags */
	uint64_t time;  /* on the trace's clock */
};

BOB_API const struct bob_last *bob_profile_last(const struct bob_profile *p,
    size_t *ret_n);

/* A distinct combination and what it got; for lists of facets. */
struct bob_cell {
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint32_t epoch; /* segment or minute, when split by it */
	uint8_t status, flags, side;
	uint64_t samples, time_us;
};

BOB_API const struct bob_cell *bob_profile_cells(struct bob_profile *p,
    size_t *ret_n);

/* ---- Requests ---------------------------------------------------------- */

/*
 * What one request got: equal values of the request key in a row on one track.
 * Its time is right to about a period on either side, as nobody knows when it
 * began and ended between two samples.
 */
struct bob_request {
	bob_str value; /* of request_key; else its address, or its id where it
	                * has none */
	bob_str route; /* annotation request.route or route, else made from
	                * the address */
	bob_tid track;
	uint64_t t_first;  /* trace clock; 0 without times */
	uint64_t samples, time_us;
	bob_stack stack;   /* its most sampled stack */
};

struct bob_route {
	bob_str route;
	uint64_t n_requests, samples, time_us; /* requests that were seen */
	uint64_t max_us, p50_us, p95_us; /* of single requests; percentiles
	                                  * to within 5 % */
	/* Seen in one sample only, and not at an end of the trace. Where there
	 * are some, others may have been so short that no sample saw them:
	 * n_requests is the least there were. */
	uint64_t n_single;
};

/* The slowest requests (at most 100), slowest first; NULL when samples carry
 * no request key. */
BOB_API const struct bob_request *bob_profile_requests(struct bob_profile *p,
    size_t *ret_n);
BOB_API const struct bob_route *bob_profile_routes(struct bob_profile *p,
    size_t *ret_n);

/* ---- Views ------------------------------------------------------------- */

/* What a key of a view is. Up to MODULE it is a property of frames; the rest
 * are properties of samples, where self and total are the same. */
enum bob_group {
	BOB_GROUP_LINE = 0, /* function, file and line */
	BOB_GROUP_NAME,     /* function by name alone */
	BOB_GROUP_FUNCTION, /* function and file */
	BOB_GROUP_FILE,
	BOB_GROUP_MODULE,   /* namespace, package or library */
	BOB_GROUP_PID,
	BOB_GROUP_THREAD,   /* pid and thread */
	BOB_GROUP_ANNOTATION,
	BOB_GROUP_STATUS,
	BOB_GROUP_SEGMENT,  /* needs BOB_SPLIT_SEGMENT */
	BOB_GROUP_MINUTE    /* needs BOB_SPLIT_MINUTE */
};

enum bob_view_flags {
	BOB_VIEW_OPCODES = 1 << 0 /* frames differ by opcode as well */
};

struct bob_view_opts {
	size_t size;   /* sizeof(struct bob_view_opts) */
	int group;     /* enum bob_group */
	const char *annotation; /* BOB_GROUP_ANNOTATION: whose values */
	uint32_t flags;         /* enum bob_view_flags */
	int side;
	/* Which of the profile to show; NULL: all. Its time range is taken
	 * to the precision of the time line. */
	const struct bob_filter *filter;
};

/* BOB_OK and *ret, or FAILED (BOB_E_USAGE for a bad pattern). */
BOB_API int bob_view_new(struct bob_profile *p,
    const struct bob_view_opts *opts, struct bob_view **ret);
BOB_API void bob_view_free(struct bob_view *v);

struct bob_sum {
	uint64_t samples, time_us;
};

/* All samples in the view, also those with an empty stack. */
BOB_API struct bob_sum bob_view_total(const struct bob_view *v);

/* Keys are numbers that are the same in all views of a profile with the same
 * group, annotation and flags, whatever their side and filter; 1 .. n - 1. */
BOB_API uint32_t bob_view_n_keys(const struct bob_view *v);

struct bob_key {
	struct bob_bytes text; /* whole: `function file:line [OPCODE]` */
	struct bob_bytes name, file, opcode; /* its parts; may be empty */
	int64_t line;
	int has_line;
	int lang;      /* enum bob_lang */
	bob_fid frame; /* one that has this key; 0: not about frames */
};

/* Valid as long as the profile, until more is read. */
BOB_API struct bob_key bob_view_key(const struct bob_view *v, uint32_t key);

/* The key of a frame; 0 when it has none here. Keys of samples are not of
 * frames. */
BOB_API uint32_t bob_view_key_of(const struct bob_view *v, bob_fid frame);

struct bob_row {
	uint32_t key; /* 0 in callers: what calls is the root; in callees:
	               * nothing is called */
	uint32_t first; /* rank by first appearance in the view */
	struct bob_sum self, total;
};

enum bob_order {
	BOB_BY_SELF = 0, /* samples */
	BOB_BY_TOTAL,
	BOB_BY_SELF_TIME,
	BOB_BY_TOTAL_TIME
};

/* Those of the view's keys that have any of it, heaviest first, of equal ones
 * the first seen. By self, keys without self are left out. NULL without
 * memory. Valid as long as the view. */
BOB_API const struct bob_row *bob_view_rows(struct bob_view *v, int order,
    size_t *ret_n);

/* What one key got; zeros when nothing. */
BOB_API struct bob_row bob_view_row(const struct bob_view *v, uint32_t key);

/*
 * Sets `is` to 1 for the keys whose text matches, else to 0; it has room for
 * bob_view_n_keys. BOB_OK, or FAILED for a bad pattern.
 */
BOB_API int bob_view_match(struct bob_view *v, const char *pattern,
    uint8_t *is);

/*
 * Who calls what is marked in `is`: of each sample the innermost marked frame
 * counts, with its caller. Callees: of each sample the outermost one, with
 * what it calls. Rows have total alone. Heaviest first; free with
 * bob_rows_free. BOB_OK and *ret (NULL for none), or FATAL without memory.
 */
BOB_API int bob_view_callers(struct bob_view *v, const uint8_t *is,
    struct bob_row **ret, size_t *ret_n);
BOB_API int bob_view_callees(struct bob_view *v, const uint8_t *is,
    struct bob_row **ret, size_t *ret_n);
BOB_API void bob_rows_free(struct bob_row *row);

/* ---- Trees ------------------------------------------------------------- */

struct bob_tree_node {
	uint32_t key; /* of node 0: the focus, or 0 */
	uint32_t parent, first_child, next_sibling; /* 0: none */
	uint32_t depth; /* of node 0: 0 */
	struct bob_sum self, total;
};

enum bob_direction {
	BOB_CALLEES = 0, /* children are called by their parent */
	BOB_CALLERS      /* children call their parent */
};

/*
 * A tree of the view. Without focus (0) BOB_CALLEES is the call tree and
 * BOB_CALLERS the inverted one, whose first level is where samples end. With
 * a focus it holds the samples that the key is in, from its innermost
 * occurrence inwards or outwards. Children are in order of weight, heaviest
 * first. Nodes lighter than min_samples and deeper than max_depth (0: any)
 * are left out; their weight stays in their parents' total. BOB_OK and *ret,
 * or FAILED.
 */
BOB_API int bob_view_tree(struct bob_view *v, int direction, uint32_t focus,
    uint64_t min_samples, uint32_t max_depth, struct bob_tree **ret);

/* Parents come before their children. */
BOB_API const struct bob_tree_node *bob_tree_nodes(const struct bob_tree *t,
    uint32_t *ret_n);
BOB_API void bob_tree_free(struct bob_tree *t);

/* The depth at which a tree of callers ends because more would take too many
 * steps (BOB_MAX_TREE_STEPS); 0: it is whole. What is further out stays in the
 * totals. */
BOB_API uint32_t bob_tree_cut(const struct bob_tree *t);

/* ---- Time -------------------------------------------------------------- */

/*
 * Samples over time, from 0 on the clock of the view's side, in equal bins:
 * at most 1024. Without times samples stand one period apart. With a key (not
 * 0) only the samples it is in count. A range in the view's filter leaves the
 * other bins empty.
 */
struct bob_timeline {
	uint64_t bin_us;
	const uint64_t *samples; /* n of them, owned by the view, valid until
	                          * the next call */
	uint32_t n;
};

/* BOB_OK, or FATAL without memory. */
BOB_API int bob_view_timeline(struct bob_view *v, uint32_t key,
    struct bob_timeline *ret);

/*
 * How much more the share of a key varies from bin to bin than independent
 * samples would: 1 for independent ones, n when samples come in clumps of
 * about n. At least 1. For errors that are honest about clumps.
 */
BOB_API int bob_view_clumping(struct bob_view *v, const uint32_t *key,
    size_t n, double *ret_self, double *ret_total);

/* The half width of the 95 % interval of a share of n samples, and its ends
 * (Wilson), for k of n samples with a clumping (1: none). */
struct bob_share {
	double share, low, high;
};

BOB_API struct bob_share bob_share_of(double k, double n, double clumping);

#ifdef __cplusplus
}
#endif
#endif

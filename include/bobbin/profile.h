/*
 * Profiles: whole traces added up. Views of them: tables, trees, time lines.
 *
 * A profile reads inputs of any format and adds up their samples: one sum for
 * each distinct combination of stack, track, annotations and status. Its memory
 * grows with these combinations, not with the number of samples. A view selects
 * samples of a profile and groups their frames by a key, such as the function:
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
 * Sums count samples and microseconds. If all samples have times, the time of
 * a sample is the time since the sample before it on its track. Otherwise it is
 * the period of its segment. The two are never mixed; `basis` in struct
 * bob_profile_info says which one is used. The first sample of a request, and
 * the first one after a gap in which the track may have been idle, count one
 * period (docs/analyze.md, "What time is"). Filters do not change the time of a
 * sample.
 *
 * Self is what a key got as the innermost frame (the leaf) of a stack. Total is
 * what it got anywhere in a stack; recursion counts once.
 *
 * Threads: a profile and its views belong to the thread of their context.
 * Names in a profile come from untrusted files: see bobbin/chars.h.
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
	BOB_PROFILE_RECOVER = 1 << 0, /* skip damage, as BOB_READ_RECOVER */
	BOB_PROFILE_FOLLOW = 1 << 1,  /* keep inputs open, for refresh */
	BOB_PROFILE_REQUESTS = 1 << 2, /* collect requests and routes */
	/* Keep a separate sum for each value of the annotation request.id.
	 * Views can then group by it. */
	BOB_PROFILE_REQUEST_IDS = 1 << 3,
	/* Keep the order of samples, for bob_history_open. Takes 12 MiB of
	 * memory, about 200 bytes for each track, and temporary files for what
	 * is more: some 5 bytes for each sample that differs from the one
	 * before it on its track, or comes after another gap. */
	BOB_PROFILE_RUNS = 1 << 4,
	/* Only what bob_profile_times needs. Without rows that takes half of
	 * the time and little memory. Views are empty, and bob_profile_times
	 * takes no filter. */
	BOB_PROFILE_TIMES = 1 << 5
};

/* Keep separate sums for each segment, or for each minute of the trace. Views
 * can then group by BOB_GROUP_SEGMENT or BOB_GROUP_MINUTE. */
enum bob_split { BOB_SPLIT_NONE = 0, BOB_SPLIT_SEGMENT, BOB_SPLIT_MINUTE };

/* Copied, with all that it points to. */
struct bob_profile_opts {
	size_t size;        /* sizeof(struct bob_profile_opts) */
	const char *format; /* NULL: by content */
	uint32_t flags;     /* enum bob_profile_flags */
	int split;          /* enum bob_split */
	/* Only samples that pass are added. A range of time is exact here, not
	 * rounded as in a view. NULL: all. */
	const struct bob_filter *filter;
	const struct bob_option *options; /* as in struct bob_read_opts */
	size_t n_options;
	size_t n_last; /* how many of the last samples to keep */
	/* The annotation that identifies requests: equal values in a row on
	 * one track are one request. NULL: the first of request.id,
	 * request_id, request.uri, http.url, uri, url, request.route and route
	 * that a sample has. */
	const char *request_key;
	/* Called about ten times a second with the bytes read; stops reading
	 * if it does not return 0. May be NULL. */
	int (*progress)(void *user, uint64_t done);
	void *user;
	/* The filter of side 0, if it is another one; but `idle` is that of
	 * `filter`. NULL: `filter` is for both sides. */
	const struct bob_filter *before;
};

/* Returns BOB_OK and sets *ret, or FAILED (BOB_E_USAGE for a bad pattern). NULL
 * opts: all fields 0. */
BOB_API int bob_profile_new(struct bob_ctx *ctx,
    const struct bob_profile_opts *opts, struct bob_profile **ret);

/* Frees a profile. Free its views and comparisons first. NULL is allowed. */
BOB_API void bob_profile_free(struct bob_profile *p);

/*
 * Reads an input ("-" is standard input) and adds it to a side: 0, or 1 for
 * what is compared with side 0. With BOB_PROFILE_FOLLOW it reads what there is
 * now. A directory adds all its files that have the name of a trace, and with
 * BOB_PROFILE_FOLLOW those that appear later.
 *
 * Returns BOB_OK; BOB_WARN if recovery lost something; FAILED at damage: the
 * samples before it stay added.
 */
BOB_API int bob_profile_add(struct bob_profile *p, const char *path,
    int side);

/* The same for an input of n bytes in memory, which messages call `name`. The
 * bytes are not needed afterwards. */
BOB_API int bob_profile_add_memory(struct bob_profile *p, const void *bytes,
    size_t n, const char *name, int side);

/*
 * Adds an event that comes from the caller instead of an input: a segment
 * first, then runs with ids of bob_profile_dict. All events of a side form one
 * trace. Returns BOB_OK or FATAL.
 */
BOB_API int bob_profile_feed(struct bob_profile *p, int side,
    const struct bob_event *ev);

/* Reads what was appended to followed inputs. Returns BOB_OK if there was
 * something; BOB_AGAIN if not; BOB_EOF if no input can grow any more; FAILED at
 * damage. Existing views do not change. */
BOB_API int bob_profile_refresh(struct bob_profile *p);

/* What times in a profile are. */
enum bob_time_basis {
	BOB_TIME_NONE = 0, /* neither times nor periods are known: each sample
	                    * counts 10 ms */
	BOB_TIME_PERIOD,   /* samples multiplied by the period */
	BOB_TIME_CLOCK     /* from the times of the samples */
};

struct bob_profile_info {
	uint64_t n_read;    /* samples read, before the filter */
	uint64_t n_samples; /* samples added */
	uint64_t time_us;   /* their time */
	uint64_t waited_us; /* the part of it in which asyncio tasks waited,
	                     * each counted on its own; the rest is the time of
	                     * threads */
	uint64_t n_segments;
	uint64_t n_rows;    /* distinct combinations; see struct bob_cell */
	uint64_t period_us; /* of all segments; 0: several, or unknown */
	int has_several_periods;
	uint64_t last_period_us; /* of the last segment, even an empty one */
	uint64_t max_period_us; /* the longest; 0: unknown. The time of a
	                         * request may be wrong by this much */
	uint64_t learned_us; /* the longest period that was estimated from
	                      * times, for segments that do not give theirs; 0:
	                      * none */
	int basis;          /* enum bob_time_basis */
	int is_mixed;       /* only some segments have times */
	uint64_t t_first, t_last; /* on the trace's clock, which starts with
	                           * the first sample; 0 without times */
	uint64_t start_us;  /* unix time at 0 of that clock; 0: unknown */
	uint64_t n_gaps, n_lost; /* skipped by recovery: struct bob_gap */
	uint64_t n_unkept; /* samples that were taken but are in no file; see
	                    * bob_unkept */
	int is_incomplete;  /* an input ended inside an event */
	uint32_t caps;      /* enum bob_caps, of all inputs together */
};

/* Returns what is known about a side (0 or 1). */
BOB_API struct bob_profile_info bob_profile_info(const struct bob_profile *p,
    int side);

/* Where the wall time of a recording comes from. */
enum bob_wall_basis {
	BOB_WALL_NONE = 0, /* unknown */
	BOB_WALL_SAID,     /* the capture said how long it took */
	BOB_WALL_CLOCK,    /* from the first time to the last, and one period */
	BOB_WALL_THREAD    /* no times: the time of the longest thread, so it is
	                    * at least that */
};

/* How idle samples were found. */
enum bob_idle_rule {
	BOB_IDLE_NONE = 0,     /* there are none */
	BOB_IDLE_BY_FUNCTIONS, /* by known functions; the capture did not say
	                        * whether threads were on a CPU */
	BOB_IDLE_BY_STATUS     /* by known functions, of threads that were not
	                        * on a CPU */
};

/*
 * The times of a recording. All surfaces show these figures; docs/time.md
 * defines them. Microseconds.
 */
struct bob_times {
	size_t size;         /* sizeof(struct bob_times), set by the caller */
	uint64_t wall_us;    /* wall time: how long the recording took; with a
	                      * range of time in the filter, the part in it */
	uint64_t thread_us;  /* thread time: the sum over all threads, also
	                      * when they were idle */
	uint64_t waited_us;  /* of asyncio tasks that waited, each for itself;
	                      * not in thread_us */
	uint64_t idle_us;    /* idle: the part of thread_us in which threads
	                      * waited for work */
	uint64_t share_us;   /* what shares refer to: thread_us + waited_us,
	                      * without idle_us if idle samples are hidden */
	uint64_t cpu_us;     /* CPU time: the part of thread_us on a CPU */
	uint64_t status_us;  /* the part of thread_us of which it is known
	                      * whether it was on a CPU */
	uint64_t samples, idle_samples, share_samples;
	uint64_t n_tracks, n_idle_tracks; /* threads with such samples */
	uint64_t n_gaps;     /* gaps: stretches that could not be read */
	uint64_t n_gap_lost; /* samples that were in them, as far as known */
	uint64_t n_lost;     /* lost: samples that the capture took but could
	                      * not use */
	uint64_t n_unkept;   /* not kept: see bob_unkept */
	uint64_t n_missed;   /* missed: moments at which it took no sample */
	uint64_t n_empty;    /* moments at which a process ran nothing that has
	                      * a stack: PHP between requests. They have no
	                      * samples and no time */
	double lost_percent, missed_percent; /* of all; below 0: unknown */
	int has_cpu;    /* cpu_us is known: status_us is not 0 */
	int basis;      /* enum bob_time_basis */
	int wall_basis; /* enum bob_wall_basis */
	int idle_rule;  /* enum bob_idle_rule */
	int is_idle_hidden; /* by the filter, or by that of the profile */
};

/*
 * Sets *ret to the times of a side (0 or 1): of the samples that pass a filter,
 * which may be NULL. Idle samples count as idle even if the filter, or that of
 * the profile, hides them. ret->size must be set; as many fields are set as it
 * has room for. Returns BOB_OK, or FAILED (BOB_E_USAGE for a bad pattern).
 */
BOB_API int bob_profile_times(struct bob_profile *p, int side,
    const struct bob_filter *filter, struct bob_times *ret);

/* Returns the dictionary of all ids in the profile, which owns it. */
BOB_API struct bob_dict *bob_profile_dict(struct bob_profile *p);

/* Returns the last value of `key` in the metadata of a side, or NULL. Valid
 * until more is read. */
BOB_API const char *bob_profile_meta(const struct bob_profile *p, int side,
    const char *key);

/* Returns a description of a process from the metadata: "php-fpm: pool www (php
 * 8.2.30, child of 4711)"; empty if there is none. Long command lines are cut.
 * Valid until the next call, or until more is read. */
BOB_API struct bob_bytes bob_profile_process(struct bob_profile *p,
    uint64_t pid);

/* One of the last samples. */
struct bob_last {
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint8_t status; /* enum bob_run_status */
	uint8_t flags;  /* enum bob_run_flags */
	uint64_t time;  /* on the trace's clock; 0 without times */
};

/* Returns the last *ret_n samples, the latest one last; at most n_last of the
 * options. Valid until the next call, or until more is read. */
BOB_API const struct bob_last *bob_profile_last(const struct bob_profile *p,
    size_t *ret_n);

/* A distinct combination with its sums. */
struct bob_cell {
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint32_t epoch; /* number of the segment or minute, if split by it */
	uint8_t status, flags, side;
	uint8_t is_idle; /* it waited for work: enum bob_idle */
	uint64_t samples, time_us;
};

/* Returns the *ret_n combinations of both sides, in order of their first
 * sample; NULL without memory. Valid until the next call, or until more is
 * read. */
BOB_API const struct bob_cell *bob_profile_cells(struct bob_profile *p,
    size_t *ret_n);

/* ---- Requests ---------------------------------------------------------- */

/*
 * One request: equal values of the request key in a row on one track. It began
 * and ended somewhere between two samples, so its time may be wrong by about a
 * period at either end.
 */
struct bob_request {
	bob_str value; /* of request_key; without request_key its address, or
	                * its id if it has no address */
	bob_str route; /* annotation request.route or route; else the address
	                * with numbers and ids replaced */
	bob_tid track;
	uint64_t t_first;  /* on the trace's clock; 0 without times */
	uint64_t samples, time_us;
	bob_stack stack;   /* the stack with more than half of its samples, if
	                    * there is one; else any of its stacks */
};

/* All requests of one route. */
struct bob_route {
	bob_str route;
	bob_str key; /* the annotation that has the route of all of them; 0:
	              * there is none, some were made of addresses */
	uint64_t n_requests, samples, time_us;
	uint64_t max_us, p50_us, p95_us; /* of one request; percentiles are
	                                  * exact to 5 % */
	/* Requests with one sample only, without those at the beginning and
	 * end of the trace. If there are some, other requests may have been
	 * too short for any sample: then n_requests is a lower bound. */
	uint64_t n_single;
};

/* Returns the *ret_n slowest requests, at most 100, slowest first; NULL if
 * there are none, or without memory. Needs BOB_PROFILE_REQUESTS. Valid until
 * the next call. */
BOB_API const struct bob_request *bob_profile_requests(struct bob_profile *p,
    size_t *ret_n);

/* The same for routes, those with the most time first. Beyond 9,999 routes all
 * others are one. */
BOB_API const struct bob_route *bob_profile_routes(struct bob_profile *p,
    size_t *ret_n);

/* ---- Views ------------------------------------------------------------- */

/* What a view groups by. Up to MODULE, a key is a property of frames. The
 * others are properties of samples: there self and total are the same. */
enum bob_group {
	BOB_GROUP_LINE = 0, /* function, file and line */
	BOB_GROUP_NAME,     /* function by name alone */
	BOB_GROUP_FUNCTION, /* function and file */
	BOB_GROUP_FILE,
	BOB_GROUP_CLASS,    /* by the names of methods */
	BOB_GROUP_MODULE,   /* namespace, package or library */
	BOB_GROUP_PID,
	BOB_GROUP_THREAD,   /* pid and thread */
	BOB_GROUP_ANNOTATION,
	BOB_GROUP_STATUS,
	BOB_GROUP_SEGMENT,  /* needs BOB_SPLIT_SEGMENT */
	BOB_GROUP_MINUTE    /* needs BOB_SPLIT_MINUTE */
};

enum bob_view_flags {
	BOB_VIEW_OPCODES = 1 << 0 /* frames with different opcodes have
	                           * different keys */
};

/* How the stacks of a view differ from those that were read. */
enum bob_shape_kind {
	/* A stack begins at its outermost frame with this text; samples
	 * without one are left out. */
	BOB_SHAPE_FOCUS = 1,
	BOB_SHAPE_HIDE, /* frames with this text are left out */
	/* Frames with this text that call each other are one frame, with the
	 * text as its key. */
	BOB_SHAPE_COLLAPSE,
	/* A call of what is in the stack already returns to it: what was
	 * between is left out. Has no group and no text. */
	BOB_SHAPE_RECURSION
};

struct bob_shape {
	int kind;  /* enum bob_shape_kind */
	int group; /* enum bob_group, MODULE at most: which text of a frame is
	            * compared. It need not be that of the view */
	struct bob_bytes text; /* as in struct bob_key */
};

/* Borrowed during bob_view_new. */
struct bob_view_opts {
	size_t size;   /* sizeof(struct bob_view_opts) */
	int group;     /* enum bob_group */
	const char *annotation; /* BOB_GROUP_ANNOTATION: the key to group by */
	uint32_t flags;         /* enum bob_view_flags */
	int side;
	/* Which samples of the profile to show; NULL: all. A range of time is
	 * rounded to the bins of the time line. */
	const struct bob_filter *filter;
	/* All of them hold. A frame is first compared with what is hidden and
	 * collapsed, then with the focus. */
	const struct bob_shape *shape;
	size_t n_shapes;
};

/* Returns BOB_OK and sets *ret, or FAILED (BOB_E_USAGE for a bad pattern, or a
 * grouping that the profile's options do not allow). NULL opts: all fields 0.
 * The profile must outlive the view. */
BOB_API int bob_view_new(struct bob_profile *p,
    const struct bob_view_opts *opts, struct bob_view **ret);

/* Frees a view. NULL is allowed. */
BOB_API void bob_view_free(struct bob_view *v);

struct bob_sum {
	uint64_t samples, time_us;
};

/* Returns the sum of all samples in the view, even those with an empty
 * stack. */
BOB_API struct bob_sum bob_view_total(const struct bob_view *v);

/* Returns n: keys are the numbers 1 to n - 1. A key has the same number in all
 * views of a profile that have the same group, annotation, flags and shape,
 * whatever their side and filter. */
BOB_API uint32_t bob_view_n_keys(const struct bob_view *v);

struct bob_key {
	struct bob_bytes text; /* all of it: `function file:line [OPCODE]` */
	struct bob_bytes name, file, opcode; /* its parts; may be empty */
	struct bob_bytes module; /* of `frame`, as BOB_GROUP_MODULE has it */
	int64_t line;
	int has_line;
	int lang;      /* enum bob_lang */
	bob_fid frame; /* a frame with this key; 0: a property of samples */
};

/* Returns the texts of a key; empty ones if there is no such key. Valid as long
 * as the profile; with a shape, as long as the view. */
BOB_API struct bob_key bob_view_key(const struct bob_view *v, uint32_t key);

/* Returns the key of a frame; 0 if it has none in this view, or if the view
 * groups by a property of samples. */
BOB_API uint32_t bob_view_key_of(const struct bob_view *v, bob_fid frame);

struct bob_row {
	uint32_t key; /* 0 in a row of callers: the root of the stack; in a row
	               * of callees: no call */
	uint32_t first; /* rank by first appearance in the view */
	struct bob_sum self, total;
};

enum bob_order {
	BOB_BY_SELF = 0, /* samples */
	BOB_BY_TOTAL,
	BOB_BY_SELF_TIME,
	BOB_BY_TOTAL_TIME
};

/* Returns the *ret_n keys that have samples in the view, heaviest first; of
 * equal ones the first seen. The orders by self leave out keys without self
 * samples. NULL without memory. Valid as long as the view. */
BOB_API const struct bob_row *bob_view_rows(struct bob_view *v, int order,
    size_t *ret_n);

/* Returns the sums of one key; zeros if it has none. */
BOB_API struct bob_row bob_view_row(const struct bob_view *v, uint32_t key);

/*
 * Sets is[key] to 1 for the keys whose text matches the pattern, else to 0.
 * `is` has room for bob_view_n_keys. Returns BOB_OK, or FAILED (BOB_E_USAGE for
 * a bad pattern).
 */
BOB_API int bob_view_match(struct bob_view *v, const char *pattern,
    uint8_t *is);

/*
 * Find the callers and the callees of the keys that are marked in `is`. In each
 * sample bob_view_callers takes the innermost marked frame and adds the sample
 * to its caller; bob_view_callees takes the outermost marked frame and adds the
 * sample to what it calls. Rows have a total and no self; heaviest first.
 *
 * Return BOB_OK and set *ret and *ret_n, or FATAL without memory. Free *ret
 * with bob_rows_free.
 */
BOB_API int bob_view_callers(struct bob_view *v, const uint8_t *is,
    struct bob_row **ret, size_t *ret_n);
BOB_API int bob_view_callees(struct bob_view *v, const uint8_t *is,
    struct bob_row **ret, size_t *ret_n);

/* Frees rows of the two functions above. NULL is allowed. */
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
 * Builds a tree of the view. Without a focus (0), BOB_CALLEES gives the call
 * tree, and BOB_CALLERS the inverted tree, whose first level has the innermost
 * frames. With a focus, the tree has the samples that contain this key, from
 * its innermost occurrence inwards (callees) or outwards (callers).
 *
 * Children are linked in order of their samples, most first. Nodes with fewer
 * than min_samples samples, or deeper than max_depth (0: any), are left out;
 * their samples stay in the totals of their parents.
 *
 * Returns BOB_OK and sets *ret, or FAILED without memory. Free *ret with
 * bob_tree_free.
 */
BOB_API int bob_view_tree(struct bob_view *v, int direction, uint32_t focus,
    uint64_t min_samples, uint32_t max_depth, struct bob_tree **ret);

/* Returns the *ret_n nodes of a tree. A parent comes before its children. Valid
 * until bob_tree_free. */
BOB_API const struct bob_tree_node *bob_tree_nodes(const struct bob_tree *t,
    uint32_t *ret_n);

/* Frees a tree. NULL is allowed. */
BOB_API void bob_tree_free(struct bob_tree *t);

/* Returns the depth at which a tree of callers was cut because the next level
 * would take too many steps (BOB_MAX_TREE_STEPS); 0 if it is complete. The
 * samples of deeper nodes stay in the totals. */
BOB_API uint32_t bob_tree_cut(const struct bob_tree *t);

/* ---- Time -------------------------------------------------------------- */

/* Samples over time, in at most 1024 bins of equal width. Bin 0 begins at 0 on
 * the clock of the view's side. Samples without times are placed one period
 * apart. */
struct bob_timeline {
	uint64_t bin_us;         /* width of a bin */
	const uint64_t *samples; /* of n bins; owned by the view, valid until
	                          * the next call for this view */
	uint32_t n;
};

/* Fills *ret with the time line of the samples that contain a key; of all
 * samples if the key is 0. Bins outside the range of time in the view's filter
 * are 0. Returns BOB_OK, or FATAL without memory. */
BOB_API int bob_view_timeline(struct bob_view *v, uint32_t key,
    struct bob_timeline *ret);

/*
 * Divides the time line into `parts` of equal length, and sets ret[i * parts +
 * p] to the samples of part p that contain key[i]. A bin belongs to the part
 * that its middle is in. One pass for 64 keys. Returns BOB_OK, or FATAL without
 * memory.
 */
BOB_API int bob_view_timelines(struct bob_view *v, const uint32_t *key,
    size_t n, uint32_t parts, uint64_t *ret);

/*
 * Measures how clumped the samples of n keys are: sets ret_self[i] and
 * ret_total[i] for key[i]. The clumping is how many times larger the variance
 * of the share over time is than with independent samples. It is 1 for
 * independent samples and about c if samples come in clumps of c; never below
 * 1. Ends an earlier time line of the view. Returns BOB_OK, or FATAL without
 * memory.
 */
BOB_API int bob_view_clumping(struct bob_view *v, const uint32_t *key,
    size_t n, double *ret_self, double *ret_total);

/* ---- The order of samples ---------------------------------------------- */

/* A track with samples in a view, whatever the view's range of time is. */
struct bob_lane {
	bob_tid track;
	uint32_t depth;     /* frames of its deepest stack, as grouped */
	struct bob_sum sum;
};

/* Returns the *ret_n tracks of a view, heaviest first by samples; of equal ones
 * that with the smaller id. NULL if there are none, or without memory. Valid as
 * long as the view. */
BOB_API const struct bob_lane *bob_view_lanes(struct bob_view *v,
    size_t *ret_n);

/* A grouped stack: that of its parent, and a frame of the key `key` on top.
 * Node 0 is the empty stack. A parent has a smaller number than its
 * children. */
struct bob_view_node {
	uint32_t parent, key, depth;
};

/* Returns a node; node 0 for a number that is none. */
BOB_API struct bob_view_node bob_view_node(const struct bob_view *v,
    uint32_t node);

/*
 * Equal samples of a track, one after the other without a pause. A sample lasts
 * from its time until that of the next one; for a period if nothing follows, or
 * if the next one does not continue it (docs/analyze.md, "What time is").
 */
struct bob_stretch {
	uint64_t t_first, t_last; /* of its first and last sample, on the
	                           * trace's clock */
	uint64_t t_end;  /* where the last one ends */
	uint64_t samples;
	uint64_t inside; /* those of them in the span that was asked for */
	uint32_t node;   /* its stack, as the view groups it */
	bob_stack stack; /* as it was read */
	bob_annot annot; /* without request ids, unless the profile has
	                  * BOB_PROFILE_REQUEST_IDS */
	uint8_t status, flags; /* as in struct bob_run */
	uint8_t is_idle;
	uint8_t begins;  /* another request begins with it */
};

struct bob_history;

/*
 * Begins to read the samples of one track that are in a view, in the span from
 * <= time < to on the trace's clock. The view's own range of time has no
 * effect; the rest of its filter has. Needs BOB_PROFILE_RUNS.
 *
 * Stretches come in the order of the trace. Where its times run backwards, they
 * go back too, and may overlap. Samples without times are placed as in struct
 * bob_timeline. A stretch is not cut to the span, but `inside` counts what is
 * in it: the sum of `inside` over all tracks is exactly what a profile has that
 * was filtered by this span.
 *
 * A look at a moment of a track costs a pass over its directory, which has an
 * entry for each 4 KiB, and some of these.
 *
 * Returns BOB_OK and sets *ret; FAILED: without the option (BOB_E_USAGE), or
 * when the order was given up because memory or temporary files ran out
 * (BOB_E_BUDGET). Close it before the view is freed or more is read.
 */
BOB_API int bob_history_open(struct bob_view *v, bob_tid track, uint64_t from,
    uint64_t to, struct bob_history **ret);

/* Returns 1 and sets *ret; 0 after the last stretch; FAILED if a temporary file
 * cannot be read. */
BOB_API int bob_history_next(struct bob_history *h, struct bob_stretch *ret);

/* Closes it. NULL is allowed. */
BOB_API void bob_history_close(struct bob_history *h);

/* A share (0 to 1) and its 95 % confidence interval. */
struct bob_share {
	double share, low, high;
};

/* Returns the share k / n of samples with a clumping (1: independent), with
 * Wilson's interval. If n is 0: 0, from 0 to 1. */
BOB_API struct bob_share bob_share_of(double k, double n, double clumping);

#ifdef __cplusplus
}
#endif
#endif

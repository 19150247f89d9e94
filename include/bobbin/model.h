/*
 * The data model: what a trace is, whatever file it came from.
 *
 * Everything is a dense 32-bit id in one append-only dictionary: strings,
 * frames, stacks, tracks (who was sampled) and annotation sets. Id 0 always
 * means none or empty. "What is new since I last looked" is a comparison of
 * counts (bob_dict_counts), so there are no callbacks for definitions.
 *
 * A stack is a node of a prefix tree: (parent stack, frame on top of it).
 * Stack 0 is the empty stack. Walking from a node to its parents lists the
 * frames leaf first.
 *
 *     for (bob_stack s = run->stack; s != 0; s = node.parent) {
 *             node = bob_stack_get(dict, s);
 *             frame = bob_frame_get(dict, node.frame);
 *             ...
 *     }
 *
 * Samples travel as runs: `count` equal samples in a row.
 */
#ifndef BOBBIN_MODEL_H
#define BOBBIN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/limits.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t bob_str;   /* a byte string; 0 is "" */
typedef uint32_t bob_fid;   /* a frame; 0 is none */
typedef uint32_t bob_stack; /* a stack; 0 is the empty one */
typedef uint32_t bob_tid;   /* a track; 0 is unknown */
typedef uint32_t bob_annot; /* an annotation set; 0 is none */

/* What the put functions return when memory or ids are out (the context has
 * the error). Never a valid id. */
#define BOB_NO_ID UINT32_MAX

/* Bytes that need not end in NUL nor be UTF-8; p is never NULL. */
struct bob_bytes {
	const char *p;
	size_t n;
};

enum bob_lang {
	BOB_LANG_OTHER = 0,
	BOB_LANG_PHP,
	BOB_LANG_PYTHON,
	BOB_LANG_NATIVE
};

enum bob_frame_flags {
	BOB_FRAME_OPNAME = 1 << 0,  /* opname is set (PHP opcode, may be "") */
	BOB_FRAME_OPCODE = 1 << 1,  /* opcode is set (Python) */
	BOB_FRAME_COLUMNS = 1 << 2, /* end_line, col and end_col are set */
	BOB_FRAME_NO_LINE = 1 << 3  /* where says nothing (lines merged) */
};

/*
 * One frame. Hashed and compared as bytes: clear it with memset or `= {0}`
 * and leave `zero` alone. A PHP function is namespace, class and method (see
 * bob_frame_name); other languages use `name` alone.
 */
struct bob_frame {
	int64_t where;   /* line; native: offset from the symbol */
	uint8_t lang;    /* enum bob_lang */
	uint8_t flags;   /* enum bob_frame_flags */
	uint16_t opcode; /* valid with BOB_FRAME_OPCODE, else 0 */
	bob_str name;    /* function, method or symbol */
	bob_str scope;   /* class */
	bob_str ns;      /* namespace */
	bob_str file;    /* source file; native: module */
	bob_str opname;
	int32_t end_line, col, end_col;
	uint32_t zero;
};

struct bob_node {
	bob_stack parent;
	bob_fid frame;
	uint32_t depth; /* frames in this stack; 0 only for stack 0 */
};

enum bob_track_flags {
	BOB_TRACK_PID = 1 << 0,
	BOB_TRACK_TID = 1 << 1,
	BOB_TRACK_INTERP = 1 << 2
};

/* Who was sampled. Hashed as bytes like a frame; what no flag names is 0. */
struct bob_track {
	uint64_t pid, tid;
	uint32_t interp;
	uint32_t flags; /* enum bob_track_flags: which of the three are known */
	bob_str name;   /* thread name, or 0 */
	uint32_t zero;
};

struct bob_pair {
	bob_str key, value;
};

enum bob_run_flags {
	BOB_RUN_TIMED = 1 << 0, /* t_first and t_last are set */
	BOB_RUN_STATUS = 1 << 1 /* status is set */
};

/* Bits of a sample's status. A thread without ON_CPU is idle, unless UNKNOWN
 * says that nobody looked. */
enum bob_run_status {
	BOB_STATUS_HAS_GIL = 1 << 0,
	BOB_STATUS_ON_CPU = 1 << 1,
	BOB_STATUS_UNKNOWN = 1 << 2,
	BOB_STATUS_WANTS_GIL = 1 << 3,
	BOB_STATUS_EXCEPTION = 1 << 4, /* it handles one */
	BOB_STATUS_MAIN_THREAD = 1 << 5
};

/*
 * `count` equal samples in a row; never 0, at most BOB_MAX_COUNT. Times are
 * microseconds on the segment's clock. With BOB_RUN_TIMED and count > 1, `dt`
 * holds the count - 1 differences from sample to sample; NULL means that all
 * share t_first when t_last equals it, else that nobody asked for them.
 */
struct bob_run {
	uint64_t count;
	uint64_t t_first, t_last;
	const uint32_t *dt; /* borrowed until the next call on the reader */
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint8_t status; /* enum bob_run_status */
	uint8_t flags;  /* enum bob_run_flags */
	uint16_t zero;
};

enum bob_segment_flags {
	BOB_SEGMENT_TIMED = 1 << 0 /* samples may carry times */
};

/* A stretch of a trace with one sampling period and one clock. */
struct bob_segment {
	uint64_t index;     /* from 0, over all inputs */
	uint64_t offset;    /* of its first byte in the unpacked stream */
	uint64_t period_us; /* 0 unknown */
	uint64_t start_us;  /* unix time of time 0; 0 unknown */
	uint64_t t_begin;   /* when sampling began, on the clock of the
	                     * samples' times; 0 unknown */
	uint32_t flags;     /* enum bob_segment_flags */
	uint32_t zero;
};

enum bob_mark_kind {
	BOB_MARK_META = 1,   /* key, value: a fact about this segment */
	BOB_MARK_CHECKPOINT, /* count: samples so far as the writer counted */
	BOB_MARK_END,        /* the segment was closed properly */
	BOB_MARK_UNKNOWN,    /* bytes: an event this build does not know */
	BOB_MARK_GAP         /* recovery passed over bytes: gap */
};

/* What recovery could not read. */
struct bob_gap {
	uint64_t offset, length; /* bytes passed over */
	uint64_t lost;           /* samples known to be lost, as far as known */
	int lost_is_exact;       /* 0: at least `lost`, perhaps more */
	uint64_t rootless;       /* samples behind it that were given, but
	                          * with a frame `<lost>` for those outer ones
	                          * that it has swallowed */
	int code;                /* enum bob_code */
	const char *why;         /* a sentence, as in struct bob_error */
};

/* Anything that is not a sample. Pointers are valid until the next call. */
struct bob_mark {
	uint32_t kind; /* enum bob_mark_kind */
	uint32_t raw_type; /* UNKNOWN: the format's own type number */
	uint64_t offset, length;
	uint64_t count;
	bob_str key, value;
	const void *bytes; /* UNKNOWN: `length` payload bytes */
	const struct bob_gap *gap;
};

enum bob_event_kind { BOB_EVENT_SEGMENT = 1, BOB_EVENT_RUNS, BOB_EVENT_MARK };

/* One step of a trace. Everything pointed to is borrowed until the next
 * call. */
struct bob_event {
	int kind; /* enum bob_event_kind: which of the three is set */
	const struct bob_segment *segment;
	const struct bob_mark *mark;
	const struct bob_run *runs;
	size_t n_runs;
};

struct bob_dict;

/* How many ids of each kind exist; valid ids are 0 .. n - 1. */
struct bob_counts {
	uint32_t n_str, n_frame, n_stack, n_track, n_annot;
};

/* A dictionary of its own, for a writer; readers come with one. NULL when
 * memory is out. Not safe for use by two threads at once. */
BOB_API struct bob_dict *bob_dict_new(struct bob_ctx *ctx);
BOB_API void bob_dict_free(struct bob_dict *dict);
BOB_API struct bob_counts bob_dict_counts(const struct bob_dict *dict);

/*
 * Put: returns the id of an equal thing, new or old; BOB_NO_ID on failure.
 * Bytes are copied. bob_annot_put with n = 0 gives the id of the empty set,
 * which is not 0 ("no annotations"); order of pairs counts.
 */
BOB_API bob_str bob_str_put(struct bob_dict *d, const void *p, size_t n);
BOB_API bob_fid bob_frame_put(struct bob_dict *d, const struct bob_frame *f);
BOB_API bob_stack bob_stack_push(struct bob_dict *d, bob_stack parent,
    bob_fid frame);
BOB_API bob_tid bob_track_put(struct bob_dict *d, const struct bob_track *t);
BOB_API bob_annot bob_annot_put(struct bob_dict *d, const struct bob_pair *v,
    size_t n);

/*
 * Get: what an id stands for; an id that was never given out gives what id 0
 * gives. String bytes stay where they are as long as the dictionary lives;
 * the other pointers are valid until the next put.
 */
BOB_API struct bob_bytes bob_str_get(const struct bob_dict *d, bob_str id);
BOB_API const struct bob_frame *bob_frame_get(const struct bob_dict *d,
    bob_fid id);
BOB_API struct bob_node bob_stack_get(const struct bob_dict *d, bob_stack id);
BOB_API const struct bob_track *bob_track_get(const struct bob_dict *d,
    bob_tid id);
BOB_API const struct bob_pair *bob_annot_get(const struct bob_dict *d,
    bob_annot id, size_t *n);

/*
 * The function's name as people write it, `Namespace\Class::method` or parts
 * of it, into buf (never more than cap bytes, no NUL added). Returns the
 * whole length, which may be above cap: then call again with more room.
 */
BOB_API size_t bob_frame_name(const struct bob_dict *d, bob_fid id, char *buf,
    size_t cap);

/*
 * Sets name, scope and ns of a PHP frame from its full name, so that
 * bob_frame_name gives back exactly these bytes. BOB_OK or BOB_FATAL.
 */
BOB_API int bob_frame_set_php_name(struct bob_dict *d, struct bob_frame *f,
    const char *name, size_t n);

/* Why a sample that a capture took is in no file. */
enum bob_unkept_cause {
	BOB_UNKEPT_DISK = 0, /* it could not be written */
	BOB_UNKEPT_REMOVED,  /* somebody removed the file that it was in */
	BOB_UNKEPT_MEMORY,   /* there was none */
	BOB_N_UNKEPT
};

/* As "disk"; NULL for what is none. */
BOB_API const char *bob_unkept_name(int cause);

/*
 * How many samples metadata say were taken and are in no file: the value of
 * `profiler.lost_disk` and its like, 0 for other keys. Each value counts, also
 * those of one key in one segment.
 */
BOB_API uint64_t bob_unkept(struct bob_bytes key, struct bob_bytes value);

#ifdef __cplusplus
}
#endif
#endif

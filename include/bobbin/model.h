/*
 * The data model: what a trace is, whatever file it came from.
 *
 * Strings, frames, stacks, tracks (who was sampled) and annotation sets are
 * entries of one dictionary. Each has a 32-bit id: 0, 1, 2 and so on, for each
 * kind. The dictionary only grows, and an id keeps its meaning. Id 0 always
 * means none or empty. To find out what is new, compare two results of
 * bob_dict_counts; there are no callbacks for definitions.
 *
 * A stack is a node of a prefix tree: a parent stack and the frame on top of
 * it. Stack 0 is the empty stack. Walking from a node to its parents lists the
 * frames, the leaf (innermost) first.
 *
 *     for (bob_stack s = run->stack; s != 0; s = node.parent) {
 *             node = bob_stack_get(dict, s);
 *             frame = bob_frame_get(dict, node.frame);
 *             ...
 *     }
 *
 * Samples are passed as runs: `count` equal samples in a row.
 *
 * Threads: a dictionary belongs to one thread at a time, with the handles that
 * use it.
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

/* Returned by the put functions when memory or ids are exhausted; the context
 * has the error. Never a valid id. */
#define BOB_NO_ID UINT32_MAX

/* n bytes at p. They need not be UTF-8 nor end in NUL. p is never NULL. */
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
	BOB_FRAME_NO_LINE = 1 << 3  /* ignore `where`: frames of several lines
	                             * were merged */
};

/*
 * One frame. It is hashed and compared as bytes: clear it with memset or
 * `= {0}` before you set fields, and leave `zero` alone. The name of a PHP
 * function has three parts: ns, scope and name (see bob_frame_name). Other
 * languages use `name` alone.
 */
struct bob_frame {
	int64_t where;   /* line number; native: offset from the symbol */
	uint8_t lang;    /* enum bob_lang */
	uint8_t flags;   /* enum bob_frame_flags */
	uint16_t opcode; /* 0 without BOB_FRAME_OPCODE */
	bob_str name;    /* function, method or symbol */
	bob_str scope;   /* class */
	bob_str ns;      /* namespace */
	bob_str file;    /* source file; native: executable or library */
	bob_str opname;  /* 0 without BOB_FRAME_OPNAME */
	int32_t end_line, col, end_col;
	uint32_t zero;
};

/* A stack: its frame is called by the innermost frame of its parent. */
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

/* Who was sampled: a process, a thread or an interpreter of a thread. Hashed
 * as bytes like a frame. A field whose flag is not set is 0. */
struct bob_track {
	uint64_t pid, tid;
	uint32_t interp;
	uint32_t flags; /* enum bob_track_flags: which of the three are known */
	bob_str name;   /* thread name, or 0 */
	uint32_t zero;
};

/* One annotation. */
struct bob_pair {
	bob_str key, value;
};

enum bob_run_flags {
	BOB_RUN_TIMED = 1 << 0, /* t_first and t_last are set */
	BOB_RUN_STATUS = 1 << 1 /* status is set */
};

/* Bits of a sample's status. A thread without ON_CPU is idle, unless UNKNOWN
 * is set: then the profiler did not find out. */
enum bob_run_status {
	BOB_STATUS_HAS_GIL = 1 << 0,
	BOB_STATUS_ON_CPU = 1 << 1,
	BOB_STATUS_UNKNOWN = 1 << 2,
	BOB_STATUS_WANTS_GIL = 1 << 3,
	BOB_STATUS_EXCEPTION = 1 << 4, /* it handles an exception */
	BOB_STATUS_MAIN_THREAD = 1 << 5
};

/*
 * `count` equal samples in a row: 1 to BOB_MAX_COUNT. Times are microseconds
 * on the segment's clock.
 *
 * With BOB_RUN_TIMED and count > 1, `dt` holds the count - 1 differences from
 * sample to sample. It is NULL in two cases: t_first equals t_last, and all
 * samples have that time; or the reader was not asked for times.
 */
struct bob_run {
	uint64_t count;
	uint64_t t_first, t_last; /* valid with BOB_RUN_TIMED */
	const uint32_t *dt; /* borrowed until the next call on the reader */
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	uint8_t status; /* enum bob_run_status; valid with BOB_RUN_STATUS */
	uint8_t flags;  /* enum bob_run_flags */
	uint16_t zero;
};

enum bob_segment_flags {
	BOB_SEGMENT_TIMED = 1 << 0 /* samples may carry times */
};

/* A part of a trace that has one sampling period and one clock. */
struct bob_segment {
	uint64_t index;     /* from 0, over all inputs */
	uint64_t offset;    /* of its first byte in the unpacked stream */
	uint64_t period_us; /* 0: unknown */
	uint64_t start_us;  /* unix time at time 0 of the clock; 0: unknown */
	uint64_t t_begin;   /* when sampling began, on the segment's clock; 0:
	                     * unknown */
	uint32_t flags;     /* enum bob_segment_flags */
	uint32_t zero;
};

enum bob_mark_kind {
	BOB_MARK_META = 1,   /* key, value: metadata of this segment */
	BOB_MARK_CHECKPOINT, /* count: samples that the writer has counted */
	BOB_MARK_END,        /* the writer ended the segment properly */
	BOB_MARK_UNKNOWN,    /* bytes: an event this build does not know */
	BOB_MARK_GAP         /* gap: recovery skipped bytes */
};

/* Bytes that recovery could not read. */
struct bob_gap {
	uint64_t offset, length; /* the bytes that were skipped */
	uint64_t lost;           /* samples known to be lost */
	int lost_is_exact;       /* 0: `lost` or more */
	uint64_t rootless;       /* samples after the gap whose outer frames
	                          * were defined in it; they have a frame
	                          * `<lost>` in place of them */
	int code;                /* enum bob_code */
	const char *why;         /* a sentence, as in struct bob_error */
};

/* Anything that is not a sample. Pointers are valid until the next call on the
 * reader. */
struct bob_mark {
	uint32_t kind; /* enum bob_mark_kind */
	uint32_t raw_type; /* UNKNOWN: the format's own type number */
	uint64_t offset, length; /* of its bytes in the unpacked stream */
	uint64_t count;     /* CHECKPOINT */
	bob_str key, value; /* META */
	const void *bytes;  /* UNKNOWN: `length` payload bytes */
	const struct bob_gap *gap; /* GAP */
};

enum bob_event_kind { BOB_EVENT_SEGMENT = 1, BOB_EVENT_RUNS, BOB_EVENT_MARK };

/* The next part of a trace: a segment that begins, some runs, or a mark.
 * Everything pointed to is borrowed until the next call on the reader. */
struct bob_event {
	int kind; /* enum bob_event_kind: which of the three is set */
	const struct bob_segment *segment;
	const struct bob_mark *mark;
	const struct bob_run *runs;
	size_t n_runs;
};

struct bob_dict;

/* How many ids of each kind exist. Valid ids are 0 to n - 1. */
struct bob_counts {
	uint32_t n_str, n_frame, n_stack, n_track, n_annot;
};

/* Returns a new dictionary that several handles can share, or NULL without
 * memory. Readers and writers make one of their own unless they get one. */
BOB_API struct bob_dict *bob_dict_new(struct bob_ctx *ctx);

/* Frees a dictionary. Close the handles that use it first. NULL is allowed. */
BOB_API void bob_dict_free(struct bob_dict *dict);

/* Returns how many entries it has. */
BOB_API struct bob_counts bob_dict_counts(const struct bob_dict *dict);

/*
 * Put: each returns the id of an equal entry, or of a new one; BOB_NO_ID on
 * failure (BOB_E_NOMEM, BOB_E_BUDGET, BOB_E_LIMIT). Bytes are copied.
 *
 * bob_stack_push pushes a frame on a stack; ids that the dictionary never gave
 * out are refused (BOB_E_USAGE). bob_annot_put takes n pairs, whose order
 * counts; n = 0 gives the id of the empty set, which differs from 0 ("no
 * annotations"). More than BOB_MAX_PAIRS pairs are refused (BOB_E_LIMIT).
 */
BOB_API bob_str bob_str_put(struct bob_dict *d, const void *p, size_t n);
BOB_API bob_fid bob_frame_put(struct bob_dict *d, const struct bob_frame *f);
BOB_API bob_stack bob_stack_push(struct bob_dict *d, bob_stack parent,
    bob_fid frame);
BOB_API bob_tid bob_track_put(struct bob_dict *d, const struct bob_track *t);
BOB_API bob_annot bob_annot_put(struct bob_dict *d, const struct bob_pair *v,
    size_t n);

/*
 * Get: each returns the entry of an id. An id that was never given out is
 * treated as 0. The bytes of a string are valid as long as the dictionary; the
 * other pointers are valid until the next put. bob_annot_get sets *n to the
 * number of pairs, and returns NULL when there are none.
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
 * Writes the full name of a frame's function to buf: `Namespace\Class::method`,
 * or those parts that it has. Writes at most cap bytes and no NUL. Returns the
 * full length; if that is above cap, call again with more room.
 */
BOB_API size_t bob_frame_name(const struct bob_dict *d, bob_fid id, char *buf,
    size_t cap);

/*
 * Sets name, scope and ns of *f from the full name of a PHP function (n bytes),
 * so that bob_frame_name returns exactly these bytes. Returns BOB_OK, or FATAL
 * without memory.
 */
BOB_API int bob_frame_set_php_name(struct bob_dict *d, struct bob_frame *f,
    const char *name, size_t n);

/* Why a sample that was taken is in no file. */
enum bob_unkept_cause {
	BOB_UNKEPT_DISK = 0, /* writing the file failed */
	BOB_UNKEPT_REMOVED,  /* another program removed or cut the file */
	BOB_UNKEPT_MEMORY,   /* out of memory */
	BOB_N_UNKEPT
};

/* Returns the name of a cause, such as "disk"; NULL if there is no such cause.
 * Valid for ever. */
BOB_API const char *bob_unkept_name(int cause);

/*
 * Returns how many samples a pair of metadata reports as taken but in no file:
 * the value of `profiler.lost_disk`, `profiler.lost_removed` or
 * `profiler.lost_memory`; 0 for other keys and for a value that is no number.
 * A trace may repeat a key: add up all values.
 */
BOB_API uint64_t bob_unkept(struct bob_bytes key, struct bob_bytes value);

#ifdef __cplusplus
}
#endif
#endif

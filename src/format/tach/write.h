/*
 * The TACH writer, split by what changes together:
 *
 *     write.c           runs into samples; the sinks' tables
 *     write_record.c    samples into records, by CPython's rules
 *     write_stack.c     stacks as nodes over the numbers of their frames
 *     write_names.c     strings and frames, numbered when first needed
 *     write_thread.c    threads, by their tracks
 *     write_meta.c      what marks say about the capture
 *     write_end.c       tables, statistics, footer and header
 *     write_def.c       entries of the tables
 *     write_store.c     where bytes go: plain, packed, with a journal
 *     write_options.c   what the caller may ask for
 *
 * Invariants:
 * 1. Numbers of strings and frames are those that CPython would give: in the
 *    order of first use, the innermost frame of a sample first, its file
 *    before its function.
 * 2. A frame has a number before any record that names it is committed.
 * 3. Two stacks have the same node exactly when their frames have the same
 *    numbers; a node's parent has a lower number than the node.
 * 4. What a thread repeats is held back in its state; whatever else is
 *    written of the thread comes after it. Order among threads is not kept,
 *    as CPython does not keep it.
 */
#ifndef FORMAT_TACH_WRITE_H
#define FORMAT_TACH_WRITE_H

#include "core/varint.h"
#include "core/zpack.h"
#include "format/common/frametext.h"
#include "format/tach/journal.h"
#include "format/tach/stats.h"
#include "format/tach/tach.h"

struct tach_write_opts {
	int dialect; /* enum tach_dialect, or -1: 1b, or 1c if need be */
	int is_packed;
	int level; /* of zstd */
	int is_big;     /* byte order */
	int is_swapped; /* ... which is not this machine's */
	int is_deep;
	int is_small;
};

/* Strings and frames by number, and how to find them. */
struct tach_names {
	struct bob_ctx *ctx;
	const struct bob_dict *dict;
	int n_fields; /* of a frame: 3 or 7 */
	struct bob_bytes *string;
	struct tach_frame *frame;
	size_t cap_string, cap_frame;
	uint32_t n_string, n_frame;
	struct intern by_string, by_frame; /* numbers + 1 */
	int has_twins; /* two frames of the dictionary have one number */
	uint32_t *of_fid; /* by frame of the dictionary: number + 1 or 0 */
	size_t cap_of_fid;
	struct frame_name name; /* put together from parts */
	struct arena text;      /* ... and kept */
};

/* A stack: a frame on top of another stack. */
struct tach_node {
	uint32_t parent, frame, depth;
};

/* No stack has this node; TACH_NO_FRAMES is the empty one. */
#define TACH_NO_NODE 0
#define TACH_NO_FRAMES 1
/* The stack is too deep for a node: only its innermost frames count. */
#define TACH_CUT UINT32_MAX

struct tach_stacks {
	struct tach_node *node;
	size_t cap_node;
	uint32_t n_node;
	struct intern by_node; /* if is_hashed */
	int is_hashed;
	uint32_t *of_stack; /* by stack of the dictionary */
	size_t cap_of_stack;
	uint32_t limit;     /* frames that a stack may have */
	uint32_t max_depth; /* that one has */
	uint32_t n_cut;     /* stacks beyond the limit */
	bob_stack *path;
	size_t cap_path;
};

/* What the file has of one thread so far. */
struct tach_thread {
	uint8_t head[12]; /* of its records: thread and interpreter */
	uint32_t n_repeats; /* held back */
	uint64_t t;
	bob_stack stack;
	uint32_t node; /* of stack */
	uint8_t *pairs; /* of the repeats: delta and status */
	size_t cap_pairs, len_pairs;
};

/* How to find a thread. */
struct tach_threads {
	struct tach_thread *v;
	size_t cap_v;
	uint32_t n;
	struct intern by_head; /* places in v + 1 */
	uint32_t *of_track; /* by track of the dictionary: place + 1 */
	size_t cap_of_track;
};

/* What is known of the capture. */
struct tach_meta {
	uint8_t python[3];
	uint32_t mode, features; /* as the header has them; 0: unknown */
	int has_t_begin, has_stats;
	int mixes_modes, mixes_stats; /* later segments say otherwise */
	uint64_t t_begin;
	struct tach_stats stats;
};

/*
 * Records on their way. There is one stream, by CPython's rules and to the
 * file; or two, to a temporary file each: the second is meant to be smaller,
 * and at the end the one that is goes to the file.
 */
struct tach_stream {
	struct out *to;       /* the file, or temp */
	struct out *temp;
	struct out *records;  /* where records are committed: to, or gathered */
	struct out *gathered; /* in memory, when more must happen first */
	struct zpack *zpack;  /* when packed */
	uint64_t base;        /* out_total(to) before the first of them */
};

struct tach_writer {
	struct bob_ctx *ctx;
	struct sink *sink;
	const struct bob_dict *dict;
	struct tach_write_opts o;
	struct tach_meta meta;
	struct tach_names names;
	struct tach_stacks stacks;
	struct tach_threads threads;

	struct bob_segment segment;
	uint64_t n_segments;
	int has_start, has_told_period;
	uint64_t start_us, interval_us;
	uint64_t n_samples;
	uint64_t max_samples; /* that the header can count */
	int is_over_budget; /* beyond max_samples, by max_output */
	uint64_t n_cut; /* samples whose outermost frames are left out */

	uint32_t *frames; /* of the record being written */
	size_t cap_frames;

	/* Where it all goes. */
	struct out *file; /* sink->out, or temp */
	struct out *temp; /* when sink->out has no way back */
	struct tach_stream stream[2];
	size_t n_streams; /* 2 with o.is_small */
	uint64_t n_records, n_plain; /* bytes of all records: as they are
	                              * written, and by CPython's rules */

	/* A live file's bytes of records since its last barrier, and whether
	 * these are too many to be packed well. */
	uint64_t n_since_barrier;
	int is_in_haste;

	/* A live file's journal, or NULL, and what is in it. */
	struct out *journal;
	int has_journal_head;
	uint32_t n_safe_string, n_safe_frame;
	struct bob_pair *new_meta; /* not in it yet */
	size_t cap_new_meta, n_new_meta;
	int is_ending; /* all samples are written */
};

/* write_options.c */
int tach_write_options_get(const struct sink *sink,
    struct tach_write_opts *o);

/* write_names.c: gives a frame of the dictionary its number. */
int tach_names_add(struct tach_names *names, bob_fid id);
void tach_names_free(struct tach_names *names);
/* A map from ids; new entries are 0. */
int tach_map_grow(struct bob_ctx *ctx, uint32_t **map, size_t *cap,
    size_t need);
/* An error when there can be no more than these n. */
int tach_check_count(struct bob_ctx *ctx, uint32_t n, const char *what);

/* write_stack.c */
int tach_stacks_init(struct tach_writer *w);
void tach_stacks_free(struct tach_stacks *stacks);
/* Gives a stack its node and all its frames numbers, or marks it as cut. */
int tach_stack_add(struct tach_writer *w, bob_stack stack);
/* The numbers of the innermost frames of one that is cut. */
int tach_stack_cut(struct tach_writer *w, bob_stack stack, uint32_t *frames);

/* write_thread.c */
int tach_thread_add(struct tach_writer *w, bob_tid track);
void tach_threads_free(struct tach_threads *threads);

/* write_record.c: a sample with another stack than the one before it. */
int tach_change(struct tach_writer *w, struct tach_thread *th,
    bob_stack stack, uint64_t delta, uint8_t status);
int tach_more_pairs(struct tach_writer *w, struct tach_thread *th);
/* Adds n samples with the same stack as the one before. Each has its own bytes
 * in the file; they are written a buffer at a time. */
int tach_repeat_equal(struct tach_writer *w, struct tach_thread *th,
    uint64_t delta, uint8_t status, uint64_t n);
int tach_flush_repeats(struct tach_writer *w, struct tach_thread *th);

/* write_meta.c: 1 when it is used. */
int tach_meta_take(struct tach_meta *m, struct bob_bytes key,
    struct bob_bytes value, int is_first_segment);

/* write_end.c */
int tach_write_end(struct tach_writer *w);

/* write_store.c */
int tach_store_open(struct tach_writer *w);
/* What has gathered goes on. */
int tach_store_spill(struct tach_writer *w, struct tach_stream *s);
/* ... and can be unpacked: a barrier follows. */
int tach_store_flush(struct tach_writer *w);
/* No more records; tables go to w->file. */
int tach_store_end_records(struct tach_writer *w);
/* The file is whole. */
int tach_store_finish(struct tach_writer *w, const uint8_t *header);
/* A live file that is not whole stays, with its journal, unless it is empty. */
void tach_store_close(struct tach_writer *w);

/* Bytes of repeats that a thread holds back: CPython's number. */
#define TACH_PAIRS 16384
/* The most that one of them takes: a delta and a status. */
#define TACH_PAIR_MAX (VARINT_MAX + 1)

/* Records are packed when this many bytes of them have gathered. */
#define TACH_SPILL ((size_t)128 << 10)

static inline int
tach_names_frame(struct tach_names *names, bob_fid id, uint32_t *ret)
{
	if (names->of_fid[id] == 0 && tach_names_add(names, id) < 0)
		return BOB_FATAL;
	*ret = names->of_fid[id] - 1;
	return BOB_OK;
}

/* The reserved bytes of s->records are a whole record now. */
static inline int
tach_store_commit(struct tach_writer *w, struct tach_stream *s, size_t n)
{
	if (out_commit(s->records, n) < 0)
		return BOB_FATAL;
	if (s->records == s->to || s->records->len < TACH_SPILL)
		return BOB_OK;
	return tach_store_spill(w, s);
}

/* A sample with the same stack as the one before it. */
static inline int
tach_repeat(struct tach_writer *w, struct tach_thread *th, uint64_t delta,
    uint8_t status)
{
	uint8_t *p;

	if (th->len_pairs + TACH_PAIR_MAX > th->cap_pairs &&
	    tach_more_pairs(w, th) < 0)
		return BOB_FATAL;
	p = varint_put(th->pairs + th->len_pairs, delta);
	*p++ = status;
	th->len_pairs = (size_t)(p - th->pairs);
	th->n_repeats++;
	return BOB_OK;
}

#endif

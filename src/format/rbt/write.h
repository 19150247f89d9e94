/*
 * The .rbt writer, split by what changes together:
 *
 *     write.c           runs into sample events; the sink's table
 *     write_annot.c     annotations, with each sample or where they change
 *     write_def.c       strings, frames and stacks, defined when first needed
 *     write_fold.c      frames that look alike in .rbt
 *     write_track.c     tracks, the same; status as an annotation
 *     write_segment.c   where segments begin and end; metadata, checkpoints
 *     write_store.c     where a segment's bytes go, plain or to be packed
 *     write_options.c   what the caller may ask for
 *
 * Invariants:
 * 1. Each commit to the output is one or more whole events; a sample, its
 *    annotation and its REPEAT are one commit.
 * 2. At most one run is held back (`count` samples like `key`). Whatever else
 *    is written, is written after it: order is never changed.
 * 3. A dictionary id has a number in this segment when its entry in the map
 *    carries this segment's generation; so a new segment forgets all numbers
 *    at once. Maps are as large as the dictionary was at the last rbt_runs.
 */
#ifndef FORMAT_RBT_WRITE_H
#define FORMAT_RBT_WRITE_H

#include "core/pack.h"
#include "core/varint.h"
#include "format/rbt/changes.h"
#include "format/rbt/idmap.h"
#include "format/rbt/rbt.h"

/* Type, length and a varint or two: the most that stands before the bytes of
 * an event. */
#define RBT_EVENT_HEAD (1 + 2 * VARINT_MAX)

struct wire {
	uint32_t generation, id;
};

/* From ids of the dictionary to numbers of the segment. */
struct wire_map {
	struct wire *v;
	size_t cap_v;
	uint32_t n; /* numbers given in this segment */
};

/* The number that a track has in the segment of this generation. */
struct wire_track {
	uint64_t number;
	uint32_t generation;
};

/* The annotations that were written last for a track. */
struct wire_told {
	uint64_t n_checked; /* of the writer, then */
	uint32_t generation;
	bob_annot annot;
	uint16_t status; /* as in rbt_key */
};

/* Strings of the writer's own, which are not in the dictionary, by their place
 * in rbt_writer.own. */
enum rbt_own {
	RBT_OWN_STATUS_KEY,
	RBT_OWN_STATUS, /* + status */
	RBT_OWN_OPCODE = RBT_OWN_STATUS + 256 /* + opcode */
};

enum rbt_times { RBT_TIMES_AUTO, RBT_TIMES_NONE, RBT_TIMES_DELTA };

struct rbt_write_opts {
	enum rbt_times times;
	int compress;
	int has_period;
	uint32_t period;
	uint64_t rotate_us, rotate_bytes; /* 0: never */
	uint64_t checkpoint;
	int status; /* write it */
	int changes; /* annotations are written where they change */
};

/* What makes two samples equal. */
struct rbt_key {
	uint64_t t; /* 0 unless is_timed */
	bob_stack stack; /* BOB_NO_ID: equal to none */
	bob_tid track;
	bob_annot annot;
	uint16_t is_timed;
	uint16_t status; /* + 1; 0: none is written */
};

struct rbt_writer {
	struct bob_ctx *ctx;
	struct sink *sink;
	const struct bob_dict *dict;
	struct out *out; /* where events go: sink->out, or `raw` */
	struct rbt_write_opts o;

	/* The run that is held back; with count 0, the last one written. */
	struct rbt_key key;
	uint64_t count;
	int continues; /* its first sample is like the last one written */

	/* The segment. */
	struct bob_segment source; /* as it was given to us */
	int is_open;
	int is_timed;    /* by its header */
	int fakes_times; /* timed, but the source has no times */
	uint32_t generation;
	enum bob_lang lang; /* that readers take frames for */
	struct wire_map strings, frames, stacks;
	struct idmap frame_by_hash, stack_by_hash; /* see write_fold.c */
	uint32_t *numbers;
	size_t cap_numbers;
	struct wire_map own; /* numbers are those of `strings` */
	struct wire_track *track; /* by id */
	size_t cap_track;
	struct wire_told *told; /* by track, where changes are written */
	size_t cap_told;
	int has_changes;   /* the segment says so */
	struct idmap taken; /* numbers of tracks: whose they are */
	uint64_t n_free;    /* numbers given out from RBT_FREE_NUMBERS on */
	char *text;         /* room for metadata about a track */
	size_t cap_text;
	uint64_t n_samples, n_checked; /* now, and at the last checkpoint */
	uint64_t t_last;   /* what the next delta counts from */
	uint64_t t_first;  /* of its first timed sample */
	int has_t_first;
	uint64_t begin;    /* out_total(out) before its header */
	uint64_t n_segments;
	uint64_t n_total;  /* samples of all segments */

	/* Metadata to be repeated when the segment is continued in a new
	 * one: the last value of each key. Kept only when rotating. */
	struct bob_pair *meta;
	size_t cap_meta, n_meta;
	struct wire_map meta_at; /* key -> place in meta; generation 1 */

	/* Packing. */
	struct pack *pack;
	struct out *raw; /* the segment so far: in memory or in a side file */
	uint8_t *part;   /* PACK_PART bytes read back from a side file */
	size_t n_skip;   /* bytes of the side file's own behind its header */
};

/* write_options.c */
int rbt_write_options_get(const struct sink *sink, struct rbt_write_opts *o);

/* write.c: writes the run that is held back. */
int rbt_flush_run(struct rbt_writer *w);

/* write_annot.c: the first says whether the held-back sample needs an
 * annotation. The second defines its strings, before the sample, and gives the
 * length of the payload. The third writes the event to p, behind the sample. */
int rbt_must_annotate(const struct rbt_writer *w);
int rbt_define_annotation(struct rbt_writer *w, size_t *ret_len);
uint8_t *rbt_put_annotation(struct rbt_writer *w, uint8_t *p, size_t len);

/* write_def.c */
int wire_map_reserve(struct bob_ctx *ctx, struct wire_map *m, size_t n);
int rbt_define_string(struct rbt_writer *w, bob_str id, uint32_t *ret);
int rbt_find_own(const struct rbt_writer *w, uint32_t id, uint32_t *ret);
int rbt_define_own(struct rbt_writer *w, uint32_t id, const char *text,
    uint32_t *ret);
int rbt_define_stack(struct rbt_writer *w, bob_stack id);
int rbt_write_event(struct rbt_writer *w, int type, const void *p, size_t n);
int rbt_check_payload(struct rbt_writer *w, const char *what, uint64_t n);

/*
 * write_fold.c: gives a frame or stack that has no number in this segment the
 * number of one that is written the same way. Returns 1, 0 when there is none,
 * or FATAL. The frames of a stack must have numbers.
 */
int rbt_fold_frame(struct rbt_writer *w, bob_fid id);
int rbt_fold_stack(struct rbt_writer *w, bob_stack id);
void rbt_fold_done(struct rbt_writer *w);

/* write_track.c */
int rbt_reserve_tracks(struct rbt_writer *w);
int rbt_define_track(struct rbt_writer *w, bob_tid id); /* has no number */
int rbt_define_status(struct rbt_writer *w, uint8_t status, uint32_t *key,
    uint32_t *value);

/* write_segment.c */
int rbt_begin(struct rbt_writer *w, const struct bob_segment *source);
int rbt_end(struct rbt_writer *w);
int rbt_rotate_if_due(struct rbt_writer *w, const struct rbt_key *k);
int rbt_checkpoint(struct rbt_writer *w);
int rbt_metadata(struct rbt_writer *w, bob_str key, bob_str value);
int rbt_write_metadata(struct rbt_writer *w, struct bob_bytes key,
    struct bob_bytes value);

/* write_store.c */
int rbt_store_open(struct rbt_writer *w);
int rbt_store_header(struct rbt_writer *w, const uint8_t *header);
int rbt_store_spill(struct rbt_writer *w);
int rbt_store_end(struct rbt_writer *w);
void rbt_store_finish(struct rbt_writer *w);
void rbt_store_close(struct rbt_writer *w);

/* Returns the line, or the offset from a symbol. A frame without a line gets 0;
 * in Python, where 0 is a line and frames without one are common, -1. */
static inline int64_t
rbt_line(const struct bob_frame *f)
{
	if (!(f->flags & BOB_FRAME_NO_LINE))
		return f->where;
	return f->lang == BOB_LANG_PYTHON ? -1 : 0;
}

/* Returns the frame on top of a stack, or 0 when the stack was pushed with an
 * id that is no frame. */
static inline bob_fid
rbt_frame_of(const struct rbt_writer *w, bob_stack id)
{
	bob_fid frame = w->dict->node[id].frame;

	return frame < w->dict->n.n_frame ? frame : 0;
}

/* Returns the number of a track that was defined, or NULL when the track is
 * unknown. */
static inline const uint64_t *
rbt_track_number(const struct rbt_writer *w, bob_tid id)
{
	const struct wire_track *t = &w->track[id];

	return t->generation == w->generation ? &t->number : NULL;
}

static inline int
rbt_rotates(const struct rbt_writer *w)
{
	return (w->o.rotate_us | w->o.rotate_bytes) != 0;
}

#endif

/*
 * The state of one .rbt reader, shared by read.c (events, order, marks),
 * sample.c (the hot loops) and resync.c (finding the way after damage).
 *
 * Invariants:
 * 1. An event is decoded only when all its bytes are in the window, and
 *    consumed only when it was decoded: after AGAIN nothing is half done.
 * 2. The newest run stays in the batch while an annotation or a REPEAT may
 *    still follow (rd->last names it); all runs before it are closed.
 * 3. Without BOB_WANT_ORDER (and with nothing wanted that tells equal stacks
 *    apart), plain samples are only counted, in sum[slot], and become runs
 *    when the segment ends or the input pauses. slot = entry of defs + 1;
 *    slot 0 counts nothing.
 */
#ifndef FORMAT_RBT_READ_H
#define FORMAT_RBT_READ_H

#include "core/input.h"
#include "format/format.h"
#include "format/rbt/defs.h"
#include "format/rbt/rbt.h"

/* Runs that travel together: enough to make calls cheap, small enough for
 * the first-level cache to hold what the sink reads next. */
#define RBT_BATCH 512

/* Bytes that recovery looks at behind an event before it trusts it: a header
 * and the type behind it. */
#define RBT_AHEAD 32

/* Tracks that are remembered. */
#define RBT_TRACKS 64u

/* rd->last: what a REPEAT would repeat. */
#define RBT_LAST_NONE 0u
#define RBT_LAST_RUN ((uint64_t)1 << 32) /* the newest run of the batch */
#define RBT_LAST_REPEATED ((uint64_t)1 << 33) /* flag: no annotation now */

/* Record kinds for `info`: one for each event type, then these. */
enum { RBT_STAT_HEADER = 0x0c, RBT_STAT_UNKNOWN, RBT_N_STATS };

/* How a step ends, besides BOB_OK, FAILED and FATAL. */
enum rbt_stop {
	RBT_STOP_NEED = 100,  /* rd->need bytes must be in the window */
	RBT_STOP_GIVE_CLOSED, /* hand out the closed runs, then come again */
	RBT_STOP_GIVE_ALL,    /* all runs and sums */
	RBT_STOP_MARK,        /* deliver rd->mark; its event is done */
	RBT_STOP_GAP,         /* deliver rd->mark, a gap; come again */
	RBT_STOP_SEGMENT      /* deliver rd->segment; its header is done */
};

/* One event in the window. */
struct rbt_item {
	unsigned type;
	const uint8_t *p, *end; /* payload */
	size_t size; /* of the whole event; 0 while that is unclear */
};

struct rbt_track {
	uint64_t number;
	bob_tid track; /* 0: nothing is known */
};

struct rbt_reader {
	struct source *src;
	struct in *in;
	struct rbt_defs defs;

	int in_segment; /* else between two segments, or before the first */
	int is_timed;
	struct bob_segment segment;
	uint64_t time;      /* sum of the segment's deltas */
	uint64_t n_samples; /* of the segment */

	struct bob_run run[RBT_BATCH];
	size_t n_run;
	size_t n_given; /* runs handed out by the last call */
	uint64_t last;

	int sums; /* invariant 3 applies */
	int has_sums;
	uint64_t *sum;
	size_t cap_sum, n_sum;
	size_t n_drained;

	/* The fast path of compact samples. Indexed by the two bytes behind the
	 * type, as a little-endian number: both bytes of a longer id, or a
	 * short id and the type of the next event. A value is a slot, or a
	 * stack + 1 where runs are made; 0 is "look closer". 65536 entries. */
	uint32_t *hot;
	int is_cold; /* frames were redefined: the tables stay empty */

	/* The same by any id of the file, where runs are made. */
	uint32_t *far;
	size_t cap_far, n_far;

	/* The newest numbers of PID samples and their tracks, by number modulo
	 * RBT_TRACKS: the workers of a pool are sampled in turn. */
	struct rbt_track track[RBT_TRACKS];

	size_t need; /* bytes that the current event needs in the window */
	unsigned last_stretch; /* see rbt_is_last */
	/* How far events behind marks were looked at for what belongs to the
	 * newest sample, and in which stretch, so that no event is looked at
	 * twice. */
	uint64_t looked_to;
	unsigned looked_in;
	struct bob_mark mark;
	int is_dead; /* FATAL was found; it is told when all runs are out */

	/* Recovery. */
	int is_damaged;     /* this segment lost something */
	int is_searching;   /* for a place to go on */
	uint64_t no_member_to; /* no gzip member begins before this byte */
	int is_behind_border; /* searching: the window's start is not judged */
	int has_gap;        /* gap is known but not told yet */
	struct bob_gap gap;
	char gap_why[BOB_MAX_TEXT];
	uint64_t n_lost;    /* of the segment, told so far */

	uint64_t n_records[RBT_N_STATS], n_bytes[RBT_N_STATS];
};

/* True when the window holds all that is left of the input's stretch, so that
 * nothing more can be seen ahead. */
static inline int
rbt_is_last(const struct rbt_reader *rd)
{
	return rd->last_stretch == rd->in->stretch + 1;
}

/* event.c */

/*
 * Decodes the header or event at p, n bytes of which are in the window. BOB_OK,
 * MARK or SEGMENT: item->size bytes are used. Else nothing was done; for FAILED
 * the reason is in defs.why.
 */
int rbt_step(struct rbt_reader *rd, const uint8_t *p, size_t n,
    struct rbt_item *item);

/* Puts a reason into defs.why; returns BOB_FAILED. */
int rbt_why(struct rbt_reader *rd, const char *fmt, ...) BOB_PRINTF(2, 3);

/* Writes the place of the reader, "rbt: segment 3, byte 10422", to buf. */
void rbt_place(const struct rbt_reader *rd, char *buf, size_t cap);

/* Warns, and names the place of the reader. */
void rbt_warn(struct rbt_reader *rd, const char *text);

/* damage.c */

/* The item at the window's start failed. Strict reading: FATAL. Tolerant
 * reading: BOB_OK, with rd->is_searching set or the item skipped, or GAP. */
int rbt_on_damage(struct rbt_reader *rd, const struct rbt_item *item);

/* Searches for a place to go on. BOB_OK when there is one or the input is
 * used up; AGAIN, FATAL. */
int rbt_search(struct rbt_reader *rd);

/* The input has no more bytes than the window. EOF, or as rbt_on_damage. */
int rbt_on_end(struct rbt_reader *rd);

/* A checkpoint of a damaged segment says how many samples were written. */
void rbt_settle_gap(struct rbt_reader *rd, uint64_t written);

/* Makes the gap the mark to be delivered; returns GAP. */
int rbt_tell_gap(struct rbt_reader *rd);

/* sample.c */

/* Decodes samples from p as long as they are of the simple kinds. Returns where
 * it stopped. */
const uint8_t *rbt_fast(struct rbt_reader *rd, const uint8_t *p,
    const uint8_t *end);

/*
 * Apply one event. rbt_add_*: a sample of a stack id; FAILED, with the reason
 * in defs.why, when that is undefined. The others: FAILED when there is no
 * sample before, FATAL when memory is out.
 */
int rbt_add_sample(struct rbt_reader *rd, uint64_t id);
int rbt_add_pid_sample(struct rbt_reader *rd, uint64_t id, uint64_t number);
int rbt_repeat(struct rbt_reader *rd, uint64_t count);
int rbt_annotate(struct rbt_reader *rd, bob_annot annot);

/* The first returns the track of a number, or 0 when it is not remembered. The
 * second forgets all numbers, because metadata may have changed them. */
static inline bob_tid
rbt_known_track(const struct rbt_reader *rd, uint64_t number)
{
	const struct rbt_track *t = &rd->track[number % RBT_TRACKS];

	return t->number == number ? t->track : 0;
}

void rbt_forget_tracks(struct rbt_reader *rd);

/* The first makes a defined stack known to the hot loops. The second makes them
 * forget all stacks of a segment. */
int rbt_heat(struct rbt_reader *rd, uint64_t id);
void rbt_cool(struct rbt_reader *rd);

/* Moves sums into the batch, as many as fit; 1 when some are left. */
int rbt_drain(struct rbt_reader *rd);

/* resync.c */

/*
 * Finds a place in p[1..end) where decoding may go on after the event at p
 * failed. It looks at bytes up to n. Returns the distance from p, or 0 when
 * there is none. `is_all`: these are the last bytes of the input. It returns
 * sure places only: a segment header, or a chain of events whose references all
 * resolve.
 */
size_t rbt_resync(const struct rbt_reader *rd, const uint8_t *p, size_t n,
    size_t end, int is_all);

/* True when p holds the header of a segment, by all that can be checked. */
int rbt_is_header(const uint8_t *p, size_t n);

/* True when what looks like a header at p (at least 16 bytes) is a stray
 * magic whose header bytes are really the next header. */
int rbt_is_stray(const uint8_t *p, size_t n);

/*
 * True when the payload at p has a damaged length that reaches over the next
 * segment: it holds a header with events behind it, and no event of a known
 * type begins behind the payload.
 */
int rbt_holds_header(const struct rbt_reader *rd, const uint8_t *p, size_t n);
int rbt_is_in_step(const struct rbt_reader *rd, const uint8_t *p, size_t n);

#endif

/*
 * The speedscope reader, split by what changes together:
 *
 *     read.c          the source's table; what is given when
 *     read_index.c    a first round: frames, and where each profile's arrays
 *                     are
 *     read_profile.c  the samples or events of one profile
 *     read_track.c    who was sampled, by the name of a profile
 *
 * Samples and their weights are two arrays, one behind the other, and frames
 * may come last: so the file is spooled and read with a cursor for each. Memory
 * depends on the number of frames, profiles and distinct stacks alone.
 */
#ifndef FORMAT_SPEEDSCOPE_READ_H
#define FORMAT_SPEEDSCOPE_READ_H

#include "core/jsonread.h"
#include "core/mem.h"
#include "core/spool.h"
#include "format/common/framelang.h"
#include "format/common/gaps.h"
#include "format/speedscope/speedscope.h"

#define SPEEDSCOPE_BATCH 512

/* A frame as it is in the file. */
struct speedscope_frame {
	bob_str name, file;
	int64_t line; /* 0: none */
};

struct speedscope_profile {
	uint64_t offset; /* of its object */
	/* Of its arrays; 0: it has none. */
	uint64_t samples, weights, events;
	struct json_number end; /* the time when it ends */
	int has_end;
	bob_str name;
	/* What a number of its unit is in thousandths of what is counted, as
	 * a power of ten: nanoseconds of microseconds, else of 1. */
	int power;
	int is_time;
};

/* What a cursor over weights or events has counted so far. */
struct speedscope_clock {
	uint64_t thousandths;
	uint64_t whole; /* of it, rounded */
};

/* A profile that is being read. */
struct speedscope_cursor {
	const struct speedscope_profile *profile;
	struct in *in, *weights_in; /* samples or events; weights */
	struct json_reader json, weights;
	struct speedscope_clock clock;
	bob_tid track;
	bob_stack *open; /* of events: the stack at each depth */
	bob_fid *open_frame;
	size_t cap_open, cap_open_frame, n_open;
	int is_started; /* a first event was there */
};

enum speedscope_phase {
	SPEEDSCOPE_AT_START,
	SPEEDSCOPE_AT_PROFILE, /* look for the next one */
	SPEEDSCOPE_IN_PROFILE,
	SPEEDSCOPE_AT_END
};

struct speedscope_reader {
	struct source *src;
	struct spool *spool;
	enum speedscope_phase phase;
	int is_tolerant;
	int is_dead;
	struct bob_segment segment;
	struct bob_mark mark;

	/* read_index.c */
	struct speedscope_frame *frame;
	bob_fid *fid; /* by frame, once all are there */
	struct speedscope_profile *profile;
	size_t cap_frame, cap_fid, cap_profile;
	size_t n_frame, n_profile;
	int is_ours; /* the file says that we wrote it */
	uint64_t period_us; /* what all times are multiples of */

	/* Profiles of times come first, as a segment of their own. */
	int is_time; /* of the profiles that are given now */
	size_t at;   /* the profile to look at next */
	int has_segment;
	struct speedscope_cursor cursor;
	uint64_t n_negative;

	struct gaps gaps;
	struct bob_run run[SPEEDSCOPE_BATCH];
	size_t n_run;
};

/*
 * Damage at a byte: FATAL with an error that says why, or FAILED with
 * tolerance, when `length` bytes are passed over and become a gap.
 */
int speedscope_damage(struct speedscope_reader *rd, uint64_t offset,
    uint64_t length, uint64_t lost, const char *fmt, ...) BOB_PRINTF(5, 6);

/* After FATAL of a json_reader: FATAL, or with tolerance FAILED and a gap
 * from `from` to the end of the file. What is not the file's fault stays
 * FATAL. */
int speedscope_broken(struct speedscope_reader *rd, uint64_t from);

/* read_index.c: frames, profiles and the period. BOB_OK or FATAL. */
int speedscope_index(struct speedscope_reader *rd);

/* read_profile.c */

/* Opens rd->cursor on a profile. BOB_OK or FATAL. */
int speedscope_open_profile(struct speedscope_reader *rd,
    const struct speedscope_profile *profile);
void speedscope_close_profile(struct speedscope_reader *rd);

/* Adds runs until the batch is full or there is a gap. BOB_OK; EOF at the end
 * of the profile; FATAL. */
int speedscope_read_runs(struct speedscope_reader *rd);

/* The greatest common divisor of *gcd and all times of the profile. BOB_OK or
 * FATAL. */
int speedscope_divide(struct speedscope_reader *rd,
    const struct speedscope_profile *profile, uint64_t *gcd);

/* read_track.c: the track that a profile's name tells; BOB_NO_ID on failure. */
bob_tid speedscope_track(struct bob_dict *d, bob_str name);

#endif

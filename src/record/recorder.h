/*
 * Private parts of a recorder.
 *
 *     recorder.c    the public functions
 *     lane.c        one tape after the other, of one process or of all
 *     outage.c      times in which no file can be written
 *     tape.c        one file
 *     facts.c       its metadata
 *     ledger.c      what became of samples
 *     process_sources.c  source files that formats show
 *
 * A lane takes the samples of one process, or those of all. A failure of one
 * lane does not end the others.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <bobbin/recorder.h>

#include "record/ledger.h"
#include "record/tape.h"

struct lane {
	struct bob_proc *proc; /* its process; NULL: all */
	struct tape tape;      /* not open (out is NULL) during an outage */
	struct ledger ledger;  /* of its tapes */
	uint64_t bytes_rotated; /* bytes of the tape when its segment began */
};

/* While no file can be written. Times are of the sampler's clock. */
struct outage {
	int is_on, is_told;
	int was_told;      /* t_told is set */
	uint64_t t_told;   /* when the caller was last notified */
	uint64_t t_began, t_ended;
	uint64_t t_next, wait_us; /* when a file is tried again */
	uint64_t lost;     /* samples that were lost before it began */
	int cause;         /* BOB_UNKEPT_* */
	char why[BOB_MAX_TEXT];
	char *path;        /* that could not be written */
};

struct bob_recorder {
	struct bob_ctx *ctx;
	struct bob_recorder_opts o;
	struct bob_recorder_events ev;
	const struct bob_format_info *format;
	struct bob_dict *spare; /* dictionary of lanes without a tape */
	/* The lane of all processes. With BOB_RECORDER_EACH it has no tape, and
	 * its ledger is that of processes that have ended. */
	struct lane all;
	struct lane **lane;     /* of each process */
	size_t n_lane, cap_lane;
	struct outage outage;
	uint64_t t_us;          /* now */
	uint64_t t_rotated, t_barrier;
	uint64_t n_rotations;
	int owes_rotation;      /* a rotation was due and could not be done */
};

static inline int
recorder_has(const struct bob_recorder *r, uint32_t flag)
{
	return (r->o.flags & flag) != 0;
}

/* Calls the event `note`. */
void recorder_note(struct bob_recorder *r,
    const struct bob_recorder_note *note);

/* Returns the lost samples of all lanes. */
uint64_t recorder_lost(const struct bob_recorder *r);

/* --- lane.c ---------------------------------------------------------------
 * Unless something else is said, functions return BOB_OK or FATAL, and with
 * BOB_RECORDER_PERSIST always BOB_OK. */

/* Opens a tape for a lane without one. Returns BOB_OK or FAILED. `is_again`:
 * its file was removed. */
int lane_open(struct bob_recorder *r, struct lane *l, int is_again);

/* Adds a process to the lane. */
int lane_join(struct bob_recorder *r, struct lane *l, struct bob_proc *p);

/* Takes samples; without a tape they are lost. */
int lane_take(struct bob_recorder *r, struct lane *l, const struct bob_run *v,
    size_t n);

/* Begins another file, or another segment. If no new file can be opened, the
 * old tape is used further. */
int lane_rotate(struct bob_recorder *r, struct lane *l);
int lane_new_segment(struct bob_recorder *r, struct lane *l);

/* Hands everything to the system; a file that was removed is replaced. */
int lane_sync(struct bob_recorder *r, struct lane *l);

/* Writes the build ids of the native frames of a process. */
int lane_put_modules(struct bob_recorder *r, struct lane *l,
    struct bob_proc *p);

/* Ends the tape, if there is one, with its counts. Returns BOB_OK or FATAL with
 * any flags. */
int lane_finish(struct bob_recorder *r, struct lane *l);

/* Ends the tape after a failure. Pending samples are lost by this cause. */
void lane_give_up(struct bob_recorder *r, struct lane *l, int cause);

/* True if the lane should rotate, by its bytes or its dictionary. */
int lane_is_due(const struct bob_recorder *r, const struct lane *l);

/* Gives its processes another dictionary. */
void lane_use_dict(struct bob_recorder *r, struct lane *l,
    struct bob_dict *dict);

/* --- outage.c ------------------------------------------------------------- */

/* An outage begins, with the error in the context; or a file was tried again
 * without success; or with success. */
void outage_begin(struct bob_recorder *r, const char *path);
void outage_goes_on(struct bob_recorder *r, const char *path);
void outage_end(struct bob_recorder *r);

/* True if there is no outage, or a file may be tried now. */
int outage_may_try(struct bob_recorder *r);

#endif

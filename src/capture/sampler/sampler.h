/*
 * Private parts of a sampler: what its two threads share.
 *
 * The sampling thread (beat.c) has real-time priority if that is allowed, so it
 * does nothing that can wait: it reads stacks, puts them into a dictionary of
 * its own, and adds runs to a batch. The caller's thread (sampler.c) takes the
 * batch from time to time, gives the runs ids of the caller's dictionaries
 * (relay.h), and calls the caller's events.
 *
 * A mutex, the gate, keeps the two apart (hand.h). The sampling thread holds it
 * while it reads a process. The caller's thread takes it to exchange batches,
 * to read new names and to add a process. The gate inherits priority, so that
 * the sampling thread never waits for a thread that gets no processor.
 */
#ifndef CAPTURE_SAMPLER_SAMPLER_H
#define CAPTURE_SAMPLER_SAMPLER_H

#include <stdatomic.h>

#include <bobbin/capture.h>

#include "capture/hand.h"
#include "capture/sampler/near.h"
#include "capture/sampler/realtime.h"
#include "capture/sampler/relay.h"

#define SECOND_NS ((uint64_t)1000 * 1000 * 1000)

/* Limit of turns in a period; a turn is a processor that samples are taken
 * from. */
#define MAX_TURNS 16

/* A message of the sampling thread. Runs, counts or a pointer to a dictionary
 * follow it in the batch. */
enum message_kind {
	MESSAGE_RUNS = 0, /* one sample of a process; no runs: it was idle */
	MESSAGE_COUNTS,   /* all counts of a process, if they have changed
	                   * otherwise */
	MESSAGE_GONE,     /* the process has ended, or does not answer */
	MESSAGE_DICT      /* later ids are of this dictionary */
};

struct message {
	struct bob_proc *proc;
	uint32_t kind;
	uint32_t delay; /* of runs: index of bob_capture_counts.delay */
	size_t n;       /* runs */
	size_t n_bytes; /* that follow */
};

struct batch {
	unsigned char *bytes;
	size_t n_bytes, cap_bytes;
	uint64_t missed; /* since the sampler was made */
	uint64_t demoted; /* the same */
};

/* A process of a sampler. */
struct member {
	struct bob_sampler *sampler;
	struct bob_proc *proc;
	struct relay *to;               /* the caller's; NULL: no memory */
	struct bob_capture_counts seen; /* of what the caller was given */
	struct bob_capture_counts sent; /* of what was put into batches */
	struct hand *left;              /* left behind in this process; NULL:
	                                 * none */
	struct seat seat;
	size_t turn;                    /* in which it is read */
};

struct bob_sampler {
	struct bob_ctx *ctx;
	struct bob_sampler_opts o;
	struct bob_sampler_events ev;

	/* Used by the caller's thread. */
	struct member **member;
	size_t n_member, cap_member;
	struct bob_capture_counts past; /* of processes that have ended */
	struct relay *relays;
	const struct bob_dict *from;    /* of the ids in `given` */
	struct batch given;
	uint64_t t_tick;  /* when the next tick is due */
	uint64_t t_given; /* when `given` was taken */
	uint64_t t_told;  /* of the last tick */
	struct hand *hand; /* the sampling thread; NULL: none */
	struct {           /* of is_stuck() */
		uint64_t n_away;
		int n_looks;
	} watch;
	int done_fd;       /* eventfd of its end; -1: there is none */

	/* Used by the sampling thread, or by who holds the gate. */
	struct bob_ctx *beat_ctx;
	struct bob_dict *dict;
	struct member **sampled;
	size_t n_sampled, cap_sampled;
	struct batch batch;
	uint64_t missed;
	uint64_t n_samples;
	/* Times of the clock, in ns: when it was started; when the period
	 * began; the moment of this turn; when the next process of this turn is
	 * to be read, after those before it. */
	uint64_t t_start, t_period, t_moment, t_due;
	uint64_t t_drawn; /* the next moment, if it is drawn already; else 0 */
	uint64_t n_stood; /* moments in periods that will be skipped for which
	                   * a process has a sample that stands for them */
	uint64_t drift;   /* see moment_of() */
	uint64_t seed;
	struct realtime realtime;
	struct near near;
	/* The processor of each turn; -1: any. */
	int turn_cpu[MAX_TURNS];
	size_t turn, n_turns;
	uint64_t t_ended;
	int result;

	/* Used by both. */
	_Atomic uint64_t period_ns;
	_Atomic double share;   /* of a period that samples may take */
	pthread_mutex_t lock;   /* of the next two */
	pthread_cond_t bell;    /* wakes the sampling thread */
	int is_rung;
	atomic_int is_stopped;
	atomic_int is_realtime; /* enum bob_realtime */
};

/* --- beat.c: the sampling thread ------------------------------------------ */

/* Samples until it is over. Returns BOB_OK, or FATAL with the error in
 * beat_ctx. */
int beat_run(struct bob_sampler *s);

/* Adds MESSAGE_GONE to the batch; the caller holds the gate. Returns BOB_OK or
 * FATAL. */
int beat_tell_gone(struct bob_sampler *s, struct member *m);

/* Removes the i-th of s->sampled. */
void beat_drop(struct bob_sampler *s, size_t i);

/* --- sampler.c: the caller's thread --------------------------------------- */

/* No process is read between the two. */
void gate_enter(struct bob_sampler *s);
void gate_leave(struct bob_sampler *s);

/* bob_proc_set_dict() for a process of a sampler. */
void member_set_dict(struct member *m, struct bob_dict *dict);

/* True if bob_sampler_run() has to end; for the sampling thread. */
int sampler_is_stopped(struct bob_sampler *s);

/* Gives the batch to the caller, and calls `tick` if it is due. The sampling
 * code calls it if there is no thread of its own. */
int sampler_give(struct bob_sampler *s);

#endif

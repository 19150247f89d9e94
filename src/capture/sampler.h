/*
 * Inside of a sampler: what its two threads share.
 *
 * One thread takes samples (beat.c). It runs with real-time priority where it
 * may, so it does nothing that can wait: it reads stacks, puts them into a
 * dictionary of its own, and adds runs to a batch. The caller's thread
 * (sampler.c) takes a batch from time to time, gives the runs ids of the
 * caller's dictionaries (relay.h), and calls his events.
 *
 * A gate keeps the two apart (hand.h). The first holds it while it is at a
 * process; the second takes it to exchange batches, to read new names and to
 * add a process. It hands on priority: the one who samples never waits for
 * somebody who has no processor.
 */
#ifndef CAPTURE_SAMPLER_H
#define CAPTURE_SAMPLER_H

#include <stdatomic.h>

#include <bobbin/capture.h>

#include "capture/hand.h"
#include "capture/realtime.h"
#include "capture/relay.h"

#define SECOND_NS ((uint64_t)1000 * 1000 * 1000)

/* What the thread that samples has to tell. Runs, counts or a dictionary lie
 * behind it. */
enum message_kind {
	MESSAGE_RUNS = 0, /* one sample of a process; without runs: idle */
	MESSAGE_COUNTS,   /* all of a process, where more has changed */
	MESSAGE_GONE,
	MESSAGE_DICT      /* ids are of this one from here on */
};

struct message {
	struct bob_proc *proc;
	uint32_t kind;
	uint32_t delay; /* of runs: index of bob_capture_counts.delay */
	size_t n;       /* runs */
	size_t n_bytes; /* behind it */
};

struct batch {
	unsigned char *bytes;
	size_t n_bytes, cap_bytes;
	uint64_t missed; /* since the sampler was made */
	uint64_t demoted;
};

/* A process of a sampler. */
struct member {
	struct bob_sampler *sampler;
	struct bob_proc *proc;
	struct relay *to;               /* the caller's; NULL: no memory */
	struct bob_capture_counts seen; /* of what the caller was given */
	struct bob_capture_counts sent; /* of what was put into batches */
	struct hand *left;              /* behind with it; NULL: none */
};

struct bob_sampler {
	struct bob_ctx *ctx;
	struct bob_sampler_opts o;
	struct bob_sampler_events ev;

	/* The caller's. */
	struct member **member;
	size_t n_member, cap_member;
	struct bob_capture_counts past; /* of processes that have ended */
	struct relay *relays;
	const struct bob_dict *from;    /* of the runs that are given */
	struct batch given;
	uint64_t t_tick;
	uint64_t t_given; /* until when samples were given */
	uint64_t t_told;  /* of the last tick */
	struct hand *hand; /* that samples now */
	struct {
		uint64_t n_away;
		int n_looks;
	} watch;
	int done_fd;       /* tells that it has ended; -1: there is none */

	/* Of the one who samples, or of who has the gate. */
	struct bob_ctx *beat_ctx;
	struct bob_dict *dict;
	struct member **live;
	size_t n_live, cap_live;
	struct batch batch;
	uint64_t missed;
	uint64_t n_waited; /* moments of this one's, see beat.c */
	uint64_t n_samples;
	/* Of the clock, in ns: t_due is when the next process of this moment is
	 * to be read, behind those before it. */
	uint64_t t_start, t_period, t_moment, t_due;
	uint64_t drift;
	uint64_t seed;
	struct realtime realtime;
	uint64_t t_ended;
	int result;

	/* Of both. */
	_Atomic uint64_t period_ns;
	_Atomic double share;   /* of the time, that all of it may take */
	pthread_mutex_t lock;
	pthread_cond_t bell;    /* ends its sleep */
	int is_rung;
	atomic_int is_stopped;
	atomic_int is_realtime; /* enum bob_realtime */
};

/* --- beat.c: the one who samples ------------------------------------------ */

/* Samples until it is over. BOB_OK or FATAL, with the error in beat_ctx. */
int beat_run(struct bob_sampler *s);

/* Adds to the batch, which its caller has. BOB_OK or FATAL. */
int beat_tell_gone(struct bob_sampler *s, struct member *m);

/* Takes the i-th of the live ones away. */
void beat_drop(struct bob_sampler *s, size_t i);

/* --- sampler.c: the caller's thread --------------------------------------- */

/* Nobody samples between the two. */
void gate_enter(struct bob_sampler *s);
void gate_leave(struct bob_sampler *s);

/* For bob_proc_set_dict of a member. */
void member_set_dict(struct member *m, struct bob_dict *dict);

/* True when the run has to end: asked by the one who samples. */
int sampler_is_stopped(struct bob_sampler *s);

/* Gives what there is, when the one who samples and the caller are one. */
int sampler_give(struct bob_sampler *s);

#endif

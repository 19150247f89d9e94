/*
 * zstd, unpacked ahead of the reader. A thread lets the layer of input_zstd.c
 * fill the pieces of a ring, while the reader decodes the full ones.
 *
 * Invariants:
 * 1. The layer below belongs to the thread until it parks. It parks when that
 *    layer has nothing more to give. Then the layer belongs to the reader,
 *    until the reader wakes the thread.
 * 2. Pieces [n_taken, n_made) of the ring are full and belong to the reader, as
 *    does the one before them, which holds its window. All others belong to the
 *    thread.
 * 3. Errors below are recorded in a context of the thread, and copied to the
 *    reader's context when the reader gets there.
 * Ownership changes only with the lock held. Threads share nothing else.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/status.h>

#include "core/input.h"
#include "core/mem.h"

#define RING 4
/* What libzstd unpacks at once. */
#define PIECE ((size_t)128 << 10)
/* Room in front of a piece for the unread bytes of the one before. */
#define HEAD ((size_t)16 << 10)
/* Less than that is unpacked faster than a thread starts. */
#define WORTH_A_THREAD ((uint64_t)128 << 10)

struct piece {
	uint8_t *buf; /* HEAD + PIECE bytes */
	size_t n;
	uint64_t stored; /* bytes taken from outside for it */
	int end;         /* BOB_OK, or why nothing follows */
};

struct ahead {
	struct in in;
	struct in *below;
	struct bob_ctx *own; /* context of the layers below */
	pthread_t thread;
	int has_thread;
	pthread_mutex_t lock;
	pthread_cond_t is_made, is_wanted;
	/* With the lock held. */
	uint64_t n_made, n_taken;
	int is_parked, must_stop;

	struct piece ring[RING];
	/* The reader's. */
	uint64_t stored;
	int end;       /* of the newest piece in the window */
	uint8_t *side; /* the window, when a piece does not hold it */
	size_t cap_side;
	int is_aside;
};

/* --- the thread ---------------------------------------------------------- */

static void
make_piece(struct in *below, struct piece *piece)
{
	const uint8_t *p;

	in_zstd_into(below, piece->buf + HEAD, PIECE);
	piece->end = in_peek(below, 1, &p, &piece->n);
	in_consume(below, piece->n);
	piece->stored = in_stored(below);
}

/* With the lock held: waits for a piece to fill. Returns 0 if the thread must
 * stop. */
static int
wait_for_work(struct ahead *a)
{
	while (!a->must_stop &&
	    (a->is_parked || a->n_made - a->n_taken == RING - 1))
		(void)pthread_cond_wait(&a->is_wanted, &a->lock);
	return !a->must_stop;
}

static void *
ahead_thread(void *arg)
{
	struct ahead *a = arg;
	struct piece *piece;

	(void)pthread_mutex_lock(&a->lock);
	while (wait_for_work(a)) {
		piece = &a->ring[a->n_made % RING];
		(void)pthread_mutex_unlock(&a->lock);
		make_piece(a->below, piece);
		(void)pthread_mutex_lock(&a->lock);
		a->n_made++;
		assert(a->n_made - a->n_taken < RING);
		a->is_parked = piece->end != BOB_OK;
		(void)pthread_cond_signal(&a->is_made);
	}
	(void)pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* The thread blocks all signals: they are for the threads of the host. If no
 * thread starts, the reader makes the pieces itself. */
static void
start_thread(struct ahead *a)
{
	sigset_t all, old;

	(void)sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0)
		return;
	a->has_thread = pthread_create(&a->thread, NULL, ahead_thread, a) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* --- the reader ---------------------------------------------------------- */

/* The next piece, without giving back the one before. */
static const struct piece *
next_piece(struct ahead *a)
{
	struct piece *piece = &a->ring[a->n_taken % RING];

	if (!a->has_thread) {
		make_piece(a->below, piece);
		a->n_made++;
		return piece;
	}
	(void)pthread_mutex_lock(&a->lock);
	while (a->n_made == a->n_taken)
		(void)pthread_cond_wait(&a->is_made, &a->lock);
	(void)pthread_mutex_unlock(&a->lock);
	return piece;
}

static void
ahead_give_back(struct ahead *a)
{
	(void)pthread_mutex_lock(&a->lock);
	assert(a->n_taken < a->n_made);
	a->n_taken++;
	(void)pthread_cond_signal(&a->is_wanted);
	(void)pthread_mutex_unlock(&a->lock);
}

/* Adds a piece to a window that is too long to go before it. */
static int
show_aside(struct ahead *a, const struct piece *piece)
{
	struct in *in = &a->in;
	size_t need = in->n + piece->n;

	if (a->is_aside) {
		if (in_make_room(in, &a->side, &a->cap_side, need) < 0)
			return BOB_FATAL;
	} else {
		if (MEM_TAKE(in->ctx, a, side, need) < 0)
			return BOB_FATAL;
		memcpy(a->side, in->p, in->n);
		in->p = a->side;
		a->is_aside = 1;
	}
	memcpy(a->side + (in->p - a->side) + in->n, piece->buf + HEAD,
	    piece->n);
	in->n = need;
	return BOB_OK;
}

static void
show_in_place(struct ahead *a, const struct piece *piece)
{
	struct in *in = &a->in;
	uint8_t *p = piece->buf + HEAD - in->n;

	if (in->n > 0)
		memcpy(p, in->p, in->n);
	in->p = p;
	in->n += piece->n;
	a->is_aside = 0;
}

static int
ahead_fill(struct in *in, size_t min)
{
	struct ahead *a = (struct ahead *)in;
	const struct piece *piece;

	while (in->n < min && a->end == BOB_OK) {
		piece = next_piece(a);
		if (in->n <= HEAD)
			show_in_place(a, piece);
		else if (show_aside(a, piece) < 0)
			return BOB_FATAL;
		a->end = piece->end;
		a->stored = piece->stored;
		ahead_give_back(a);
	}
	if (in->n >= min)
		return BOB_OK;
	if (a->end < 0)
		err_copy(in->ctx, a->own);
	return a->end;
}

/* The thread is parked when the reader has seen the end. */
static int
ahead_cross(struct in *in)
{
	struct ahead *a = (struct ahead *)in;

	if (a->end != BOB_EOF || !in_cross(a->below))
		return 0;
	in_consume(in, in->n);
	in->stretch++;
	a->end = BOB_OK;
	(void)pthread_mutex_lock(&a->lock);
	a->is_parked = 0;
	(void)pthread_cond_signal(&a->is_wanted);
	(void)pthread_mutex_unlock(&a->lock);
	return 1;
}

static uint64_t
ahead_gap(const struct in *in, uint64_t *len, const char **why)
{
	const struct ahead *a = (const struct ahead *)in;

	return a->end == BOB_OK ? BOB_NO_OFFSET : in_gap(a->below, len, why);
}

static uint64_t
ahead_stored(const struct in *in)
{
	return ((const struct ahead *)in)->stored;
}

static void
ahead_close(struct in *in)
{
	struct ahead *a = (struct ahead *)in;
	size_t i;

	if (a->has_thread) {
		(void)pthread_mutex_lock(&a->lock);
		a->must_stop = 1;
		(void)pthread_cond_signal(&a->is_wanted);
		(void)pthread_mutex_unlock(&a->lock);
		(void)pthread_join(a->thread, NULL);
	}
	(void)pthread_cond_destroy(&a->is_wanted);
	(void)pthread_cond_destroy(&a->is_made);
	(void)pthread_mutex_destroy(&a->lock);
	in_close(a->below);
	bob_ctx_free(a->own);
	for (i = 0; i < RING; i++)
		free(a->ring[i].buf);
	MEM_DROP(in->ctx, a, side);
	free(a);
}

static const struct in_ops ahead_ops = {
	.fill = ahead_fill,
	.cross = ahead_cross,
	.gap = ahead_gap,
	.stored = ahead_stored,
	.close = ahead_close,
};

/* The layers below and the ring. */
static int
ahead_prepare(struct ahead *a, struct in *below, int tolerant)
{
	struct bob_ctx *ctx = below->ctx;
	size_t i;

	a->own = ctx_new_worker(ctx);
	if (a->own == NULL) {
		in_close(below);
		return err_nomem(ctx);
	}
	below->ctx = a->own;
	if (in_open_zstd(below, tolerant, &a->below) < 0) {
		err_copy(ctx, a->own);
		return BOB_FATAL;
	}
	for (i = 0; i < RING; i++) {
		a->ring[i].buf = malloc(HEAD + PIECE);
		if (a->ring[i].buf == NULL)
			return err_nomem(ctx);
	}
	return BOB_OK;
}

int
in_open_zstd_ahead(struct in *below, int tolerant, struct in **ret)
{
	struct ahead *a = calloc(1, sizeof(*a));

	if (a == NULL) {
		(void)err_nomem(below->ctx);
		in_close(below);
		return BOB_FAILED;
	}
	a->in.ops = &ahead_ops;
	a->in.ctx = below->ctx;
	a->in.name = below->name;
	(void)pthread_mutex_init(&a->lock, NULL);
	(void)pthread_cond_init(&a->is_made, NULL);
	(void)pthread_cond_init(&a->is_wanted, NULL);
	if (ahead_prepare(a, below, tolerant) < 0) {
		ahead_close(&a->in);
		return BOB_FAILED;
	}
	start_thread(a);
	*ret = &a->in;
	return BOB_OK;
}

int
in_is_worth_a_thread(uint64_t size)
{
	return size >= WORTH_A_THREAD && sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/*
 * Sealing in a thread; see bobbin/store.h.
 *
 * A file that cannot be sealed now (a full disk) is tried again every minute,
 * and once at the end. One that is gone is forgotten. The thread has a context
 * of its own; everything that both threads touch is under the lock.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/store.h>

#include "core/clock.h"
#include "core/error.h"

#define RETRY_NS UINT64_C(60000000000)
#define LOWEST 19

struct job {
	struct job *next;
	uint64_t due_ns; /* not before this time */
	char path[];
};

struct bob_sealer {
	struct bob_ctx *ctx; /* of the thread */
	bob_sealer_note_fn *note;
	void *user;
	pthread_t thread;
	int has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *first, **last; /* what waits */
	int is_ending;
	int is_done;      /* the thread touches nothing any more */
	int is_abandoned; /* nobody waits for the thread: it frees the sealer */
	struct bob_sealed counts;
};

static void
release(struct bob_sealer *s)
{
	struct job *job;

	while ((job = s->first) != NULL) {
		s->first = job->next;
		free(job);
	}
	(void)pthread_cond_destroy(&s->changed);
	(void)pthread_mutex_destroy(&s->lock);
	bob_ctx_free(s->ctx);
	free(s);
}

/* --- the thread ----------------------------------------------------------- */

static uint64_t
thread_cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* The thread that starts it may sample in real time. */
static void
lower_priority(void)
{
	const struct sched_param plain = { .sched_priority = 0 };

	if (sched_getscheduler(0) != SCHED_OTHER)
		(void)sched_setscheduler(0, SCHED_OTHER, &plain);
	(void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), LOWEST);
}

/* Removes and returns the first job that is due; NULL: none. Sets *ret_ns to
 * when the next one is. */
static struct job *
take_due(struct bob_sealer *s, uint64_t *ret_ns)
{
	uint64_t now = clock_ns();
	struct job **at, *job;

	*ret_ns = UINT64_MAX;
	for (at = &s->first; (job = *at) != NULL; at = &job->next) {
		if (job->due_ns <= now || s->is_ending) {
			*at = job->next;
			if (job->next == NULL)
				s->last = at;
			job->next = NULL;
			return job;
		}
		if (job->due_ns < *ret_ns)
			*ret_ns = job->due_ns;
	}
	return NULL;
}

static void
append(struct bob_sealer *s, struct job *job)
{
	*s->last = job;
	s->last = &job->next;
}

/* True if it may be possible later. */
static int
is_passing(const struct bob_error *e, int r)
{
	return r == BOB_AGAIN || (e->sys != ENOENT &&
	    (e->code == BOB_E_IO || e->code == BOB_E_NOMEM ||
	        e->code == BOB_E_BUDGET));
}

/* The names of a file need some MB for a moment; a daemon should not keep them
 * for weeks. */
static void
give_back_memory(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

/* Seals a file without the lock, and enters the result with it. */
static void
work(struct bob_sealer *s, struct job *job)
{
	const struct bob_error *e = bob_ctx_error(s->ctx);
	uint64_t before = thread_cpu_us();
	int r, is_gone, again;

	(void)pthread_mutex_unlock(&s->lock);
	r = bob_seal(s->ctx, job->path, 0);
	is_gone = r < 0 && e->sys == ENOENT;
	again = r != BOB_OK && is_passing(e, r);
	give_back_memory();
	(void)pthread_mutex_lock(&s->lock);
	if (r < 0 && !is_gone && !again && s->note != NULL &&
	    !s->is_abandoned)
		s->note(s->user, job->path, e);
	s->counts.cpu_us += thread_cpu_us() - before;
	if (again && !s->is_ending) {
		job->due_ns = clock_ns() + RETRY_NS;
		append(s, job);
		return;
	}
	s->counts.n_waiting--;
	s->counts.n_sealed += r == BOB_OK;
	s->counts.n_failed += r != BOB_OK && !is_gone;
	free(job);
}

/* Waits for a change, or until a job is due. */
static void
wait_until(struct bob_sealer *s, uint64_t due_ns)
{
	struct timespec t = { .tv_sec = (time_t)(due_ns / 1000000000),
		.tv_nsec = (long)(due_ns % 1000000000) };

	if (due_ns == UINT64_MAX)
		(void)pthread_cond_wait(&s->changed, &s->lock);
	else
		(void)pthread_cond_timedwait(&s->changed, &s->lock, &t);
}

static void *
seal_all(void *user)
{
	struct bob_sealer *s = user;
	int is_abandoned;
	uint64_t due_ns = 0;
	struct job *job;

	lower_priority();
	(void)pthread_mutex_lock(&s->lock);
	for (;;) {
		job = s->is_abandoned ? NULL : take_due(s, &due_ns);
		if (job != NULL)
			work(s, job);
		else if (s->is_ending)
			break;
		else
			wait_until(s, due_ns);
	}
	s->is_done = 1;
	is_abandoned = s->is_abandoned;
	(void)pthread_cond_broadcast(&s->changed);
	(void)pthread_mutex_unlock(&s->lock);
	if (is_abandoned)
		release(s);
	return NULL;
}

/* --- the public functions ------------------------------------------------- */

int
bob_sealer_new(struct bob_ctx *ctx, bob_sealer_note_fn *note, void *user,
    struct bob_sealer **ret)
{
	struct bob_sealer *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;

	if (s != NULL)
		s->ctx = bob_ctx_new();
	if (s == NULL || s->ctx == NULL) {
		free(s);
		return (void)err_nomem(ctx), BOB_FAILED;
	}
	s->note = note;
	s->user = user;
	s->last = &s->first;
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	*ret = s;
	return BOB_OK;
}

/* Starts the thread, without signals. Returns 1 if it runs. */
static int
start(struct bob_sealer *s)
{
	sigset_t all, before;

	if (s->has_thread)
		return 1;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	s->has_thread = pthread_create(&s->thread, NULL, seal_all, s) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->has_thread;
}

int
bob_sealer_add(struct bob_sealer *s, const char *path)
{
	size_t n = strlen(path) + 1;
	struct job *job = calloc(1, sizeof(*job) + n);

	if (job == NULL)
		return BOB_FATAL;
	memcpy(job->path, path, n);
	(void)pthread_mutex_lock(&s->lock);
	s->counts.n_waiting++;
	append(s, job);
	(void)pthread_cond_signal(&s->changed);
	(void)pthread_mutex_unlock(&s->lock);
	return start(s) ? BOB_OK : BOB_FATAL;
}

struct bob_sealed
bob_sealer_counts(struct bob_sealer *s)
{
	struct bob_sealed c;

	(void)pthread_mutex_lock(&s->lock);
	c = s->counts;
	(void)pthread_mutex_unlock(&s->lock);
	return c;
}

/* Returns 1 if the thread has ended, or there was none. Else the thread is on
 * its own. */
static int
wait_for_thread(struct bob_sealer *s, uint64_t wait_us)
{
	uint64_t end = clock_ns() + wait_us * 1000;

	while (s->has_thread && !s->is_done && clock_ns() < end)
		wait_until(s, end);
	s->is_abandoned = s->has_thread && !s->is_done;
	return !s->is_abandoned;
}

void
bob_sealer_free(struct bob_sealer *s, uint64_t wait_us)
{
	int is_done;

	if (s == NULL)
		return;
	(void)pthread_mutex_lock(&s->lock);
	s->is_ending = 1;
	(void)pthread_cond_broadcast(&s->changed);
	is_done = wait_for_thread(s, wait_us);
	if (!is_done)
		(void)pthread_detach(s->thread);
	(void)pthread_mutex_unlock(&s->lock);
	if (!is_done)
		return;
	if (s->has_thread)
		(void)pthread_join(s->thread, NULL);
	release(s);
}

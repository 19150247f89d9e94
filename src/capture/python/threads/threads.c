/* Walks the lists of threads, and finds the tid of each. */
#include "capture/python/threads/threads.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "core/mem.h"

/* Bytes of the C library's descriptor of a thread that are searched. */
#define DESCRIPTOR 1024

/* Where the tid is in the descriptor of glibc and of musl. These places come
 * first: tids in a pid namespace are small, and any other number may look like
 * one. */
#if defined(__aarch64__)
static const uint16_t usual_places[] = { 208, 32 };
#else
static const uint16_t usual_places[] = { 720, 48 };
#endif

void
py_threads_init(struct py_threads *t, struct process *p,
    const struct py_site *site, struct py_codes *codes)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	t->site = site;
	t->codes = codes;
	tids_init(&t->tids, p->pid);
}

static void
free_thread(struct py_thread *h)
{
	if (h == NULL)
		return;
	pause_done(&h->pause);
	if (h->stat_fd >= 0)
		(void)close(h->stat_fd);
	if (h->copy != NULL)
		py_copy_done(h->copy);
	free(h->copy);
	py_walk_done(&h->walk);
	free(h);
}

/* Frees the threads that are not part of the next list. */
static void
free_unlisted(struct py_threads *t)
{
	size_t i;

	for (i = 0; i < t->n_thread; i++)
		if (!t->thread[i]->is_listed)
			free_thread(t->thread[i]);
	free(t->thread);
}

void
py_threads_done(struct py_threads *t)
{
	size_t i;

	free_unlisted(t);
	for (i = 0; i < t->next.n_thread; i++)
		free_thread(t->next.thread[i]);
	free(t->next.thread);
	ptrmap_free(&t->by_at);
	ptrmap_free(&t->listed);
	tids_done(&t->tids);
}

/* The tid, in our namespace, of the thread whose tid is at this place of a
 * descriptor. 0 if there is none. */
static int
tid_at(const struct py_threads *t, const uint8_t *b, long n, size_t at)
{
	size_t i;

	if ((long)at + 4 > n)
		return 0;
	for (i = 0; i < t->tids.n_pair; i++)
		if (mem_u32(b, at) == (uint32_t)t->tids.pair[i].inside)
			return t->tids.pair[i].here;
	return 0;
}

/*
 * Up to 3.10 only the pthread_t of a thread is known. In glibc and musl that is
 * the address of its descriptor, which has the tid. Returns 0 if it is not
 * found.
 */
static int
tid_by_pthread(struct py_threads *t, uint64_t thread_id)
{
	uint8_t b[DESCRIPTOR];
	long n = mem_read_some(&t->p->mem, thread_id, b, sizeof(b));
	size_t i;
	int tid = 0;

	if (n < 0 || tids_read(&t->tids) < 0)
		return 0;
	for (i = 0; tid == 0 && i < sizeof(usual_places) /
	        sizeof(usual_places[0]); i++)
		tid = tid_at(t, b, n, usual_places[i]);
	for (i = 0; tid == 0 && i < sizeof(b); i += 4)
		tid = tid_at(t, b, n, i);
	return tid;
}

/* The tid of a thread in our namespace. Servers that fork without telling
 * Python leave the tid of the parent in the child's state. */
static int
find_tid(struct py_threads *t, const struct py_thread *h)
{
	int tid = h->native_id != 0 && h->native_id <= INT32_MAX
	    ? tids_find(&t->tids, (int)h->native_id) : 0;

	return tid != 0 ? tid : tid_by_pthread(t, h->thread_id);
}

static int
is_main(const struct py_threads *t, const struct py_thread *h)
{
	const struct py_offsets *o = &t->site->o;
	uint64_t main_id;

	/* It is set when the program starts to run. Some programs that embed
	 * Python never set it. */
	if (o->is_main_thread != PY_NONE &&
	    mem_read_u64(&t->p->mem, h->interp + o->is_main_thread,
	        &main_id) == 0 && main_id != 0)
		return main_id == h->at;
	if (h->tid != 0)
		return h->tid == t->p->pid;
	return o->rt_main_thread != PY_NONE &&
	    mem_read_u64(&t->p->mem, t->site->runtime + o->rt_main_thread,
	        &main_id) == 0 && main_id == h->thread_id;
}

/* The address of the GIL of an interpreter. 0 if it is not needed or not there.
 * Free-threaded builds have one too, which may be switched on. */
static uint64_t
find_gil(const struct py_threads *t, uint64_t interp)
{
	const struct py_offsets *o = &t->site->o;
	uint64_t at;

	if (o->rt_current != PY_NONE)
		return t->site->runtime + o->rt_current;
	if (o->is_gil == PY_NONE || o->ts_holds_gil != PY_NONE ||
	    mem_read_u64(&t->p->mem, interp + o->is_gil, &at) < 0)
		return 0;
	return at % 8 == 0 && mem_is_user(at, 4096) ? at : 0;
}

/* Makes a thread from its state. NULL: memory is out, recorded. */
static struct py_thread *
new_thread(struct py_threads *t, uint64_t at, uint64_t interp,
    const uint8_t *state)
{
	const struct py_offsets *o = &t->site->o;
	struct py_thread *h = calloc(1, sizeof(*h));

	if (h != NULL)
		h->copy = malloc(sizeof(*h->copy));
	if (h == NULL || h->copy == NULL) {
		(void)err_nomem(t->p->ctx);
		free(h);
		return NULL;
	}
	h->stat_fd = -1;
	h->at = at;
	h->interp = interp;
	h->thread_id = mem_u64(state, o->ts_thread_id);
	if (o->ts_native_id != PY_NONE)
		h->native_id = mem_u64(state, o->ts_native_id);
	py_copy_init(h->copy, t->p->ctx, &t->p->mem, o, at, interp, 0);
	h->copy->room = &t->room;
	py_walk_init(&h->walk, t->p->ctx, t->p->dict, h->copy, t->codes,
	    t->p->max_depth);
	/* With native frames, marks are not needed. */
	h->walk.with_native = (t->p->flags & (BOB_ATTACH_NATIVE_MARKS |
	    BOB_ATTACH_NATIVE)) == BOB_ATTACH_NATIVE_MARKS;
	return h;
}

/* Finds tid, GIL, and whether it is the main thread. */
static void
look_at_thread(struct py_threads *t, struct py_thread *h)
{
	h->tid = find_tid(t, h);
	h->is_main = is_main(t, h);
	h->copy->gil = find_gil(t, h->interp);
}

/* Returns 1 if a state is still that of the thread. A state that was just
 * created has the ids of its creator until the thread runs. */
static int
is_same_thread(const struct py_threads *t, const struct py_thread *h,
    const uint8_t *state)
{
	const struct py_offsets *o = &t->site->o;

	return h->thread_id == mem_u64(state, o->ts_thread_id) &&
	    (o->ts_native_id == PY_NONE ||
	        h->native_id == mem_u64(state, o->ts_native_id));
}

/* The thread that is known at an address, if it is still the same. Else
 * NULL. */
static struct py_thread *
find_known(struct py_threads *t, uint64_t at, const uint8_t *state)
{
	uint32_t i = ptrmap_get(&t->by_at, at);
	struct py_thread *h = i != PTRMAP_NONE ? t->thread[i] : NULL;

	return h != NULL && !h->is_listed &&
	    is_same_thread(t, h, state) ? h : NULL;
}

/* Notes an address. Returns 1; 0 if it was met before: the list is a circle; or
 * -ENOMEM. */
static int
note_address(struct py_threads *t, uint64_t at)
{
	if (ptrmap_get(&t->listed, at) != PTRMAP_NONE) {
		t->is_cut = 1;
		return 0;
	}
	return ptrmap_put(t->p->ctx, &t->listed, at, 1) < 0 ? -ENOMEM : 1;
}

/* Returns 1 if an interpreter has n threads already, and that is all it can
 * have; or all interpreters together have. */
static int
is_full(struct py_threads *t, const struct py_thread_list *l, size_t n)
{
	if (n < l->max && l->n_thread < l->max_all)
		return 0;
	t->is_cut = 1;
	return 1;
}

/* Bytes of a thread's state up to the last field that the list needs. bounds.c
 * has checked the fields. */
static size_t
head_size(const struct py_offsets *o)
{
	uint32_t n = o->ts_next;

	n = o->ts_interp > n ? o->ts_interp : n;
	n = o->ts_thread_id > n ? o->ts_thread_id : n;
	if (o->ts_native_id != PY_NONE && o->ts_native_id > n)
		n = o->ts_native_id;
	assert(n <= PY_MAX_THREAD - 8);
	return n + 8;
}

/* Appends the thread at an address to the list. NULL: memory is out,
 * recorded. */
static struct py_thread *
list_thread(struct py_threads *t, struct py_thread_list *l, uint64_t interp,
    uint64_t at, const uint8_t *state)
{
	struct py_thread *h = find_known(t, at, state);
	int is_known = h != NULL;

	if (MEM_GROW(t->p->ctx, l, thread, l->n_thread + 1) < 0)
		return NULL;
	if (h == NULL)
		h = new_thread(t, at, interp, state);
	if (h == NULL)
		return NULL;
	h->is_listed = 1;
	l->thread[l->n_thread++] = h;
	if (!is_known)
		look_at_thread(t, h);
	else if (t->p->only_thread == BOB_MAIN_THREAD)
		h->is_main = is_main(t, h); /* others are not copied */
	return h;
}

static int
list_threads(struct py_threads *t, struct py_thread_list *l, uint64_t interp,
    uint32_t id, uint64_t at)
{
	const struct py_offsets *o = &t->site->o;
	uint8_t state[PY_MAX_THREAD];
	struct py_thread *h;
	size_t n = head_size(o), n_of = 0;
	int r;

	while (at != 0 && !is_full(t, l, n_of++)) {
		r = note_address(t, at);
		if (r <= 0)
			return r;
		r = at % 8 != 0 ? -EFAULT
		    : mem_read(&t->p->mem, at, state, n);
		if (r < 0)
			return r;
		if (mem_u64(state, o->ts_interp) != interp)
			return -EFAULT;
		h = list_thread(t, l, interp, at, state);
		if (h == NULL)
			return -ENOMEM;
		h->interp_id = id;
		at = mem_u64(state, o->ts_next);
	}
	return 0;
}

static int
list_interpreters(struct py_threads *t, struct py_thread_list *l)
{
	const struct py_offsets *o = &t->site->o;
	struct mem *m = &t->p->mem;
	uint64_t at, id, head;
	size_t n = 0;
	int bad = 0;
	int r = mem_read_u64(m, t->site->runtime + o->rt_interpreters, &at);

	while (r == 0 && at != 0) {
		r = note_address(t, at);
		if (r <= 0)
			break;
		if (n++ >= PY_MAX_INTERPRETERS) {
			t->is_cut = 1;
			break;
		}
		r = mem_read_u64(m, at + o->is_id, &id);
		if (r == 0)
			r = mem_read_u64(m, at + o->is_threads, &head);
		if (r == 0)
			r = list_threads(t, l, at, (uint32_t)id, head);
		if (r == -ENOMEM)
			return r;
		/* A bad list of one does not hide the threads of the next. */
		bad = r < 0 ? r : bad;
		r = mem_read_u64(m, at + o->is_next, &at);
	}
	return r < 0 ? r : bad;
}

/* If a list cannot be read to its end, threads that are known from before stay:
 * a thread that begins or ends meanwhile does not hide others. */
static int
keep_known(struct py_threads *t, struct py_thread_list *l)
{
	size_t i;

	for (i = 0; i < t->n_thread; i++) {
		if (t->thread[i]->is_listed || l->n_thread >= l->max_all)
			continue;
		if (MEM_GROW(t->p->ctx, l, thread, l->n_thread + 1) < 0)
			return -ENOMEM;
		t->thread[i]->is_listed = 1;
		l->thread[l->n_thread++] = t->thread[i];
	}
	return 0;
}

/* Sets how many threads the process can have, by the number that the kernel
 * knows; if it is not known, BOB_MAX_CAPTURE_THREADS. */
static void
set_limits(const struct py_threads *t, struct py_thread_list *l)
{
	size_t n = proc_thread_count(t->p->pid);

	l->max = l->max_all = BOB_MAX_CAPTURE_THREADS;
	if (n == 0 || n >= BOB_MAX_CAPTURE_THREADS)
		return;
	l->max = n + PY_SPARE_THREADS;
	n = PY_STATES_PER_THREAD * n + PY_SPARE_THREADS;
	if (n < l->max_all)
		l->max_all = n;
}

/* The next list takes the place of the one before. */
static void
take_list(struct py_threads *t)
{
	size_t i;

	free_unlisted(t);
	t->thread = t->next.thread;
	t->n_thread = t->next.n_thread;
	t->cap_thread = t->next.cap_thread;
	memset(&t->next, 0, sizeof(t->next));
	for (i = 0; i < t->n_thread; i++)
		t->thread[i]->is_listed = 0;
}

int
py_threads_list(struct py_threads *t)
{
	size_t i;
	int r = 0;

	set_limits(t, &t->next);
	t->is_cut = 0;
	t->tids.keep = TIDS_ONCE;
	ptrmap_clear(&t->by_at);
	ptrmap_clear(&t->listed);
	for (i = 0; i < t->n_thread; i++)
		if (ptrmap_put(t->p->ctx, &t->by_at, t->thread[i]->at,
		        (uint32_t)i) < 0)
			r = -ENOMEM;
	if (r == 0)
		r = list_interpreters(t, &t->next);
	if (r < 0 && r != -ENOMEM && keep_known(t, &t->next) < 0)
		r = -ENOMEM;
	take_list(t);
	return r;
}

void
py_threads_renew(struct py_threads *t)
{
	uint64_t main_id;
	size_t i;

	for (i = 0; i < t->n_thread; i++) {
		struct py_thread *h = t->thread[i];

		if (h->copy->gil == 0)
			h->copy->gil = find_gil(t, h->interp);
		main_id = py_copy_interp_u64(h->copy,
		    t->site->o.is_main_thread);
		if (main_id != 0)
			h->is_main = main_id == h->at;
	}
}

int
py_threads_are_same(const struct py_threads *t)
{
	const struct py_offsets *o = &t->site->o;
	size_t i;

	for (i = 0; i < t->n_thread; i++) {
		const struct py_thread *h = t->thread[i];
		uint64_t expect = 0, next_interp = 0;

		if (i + 1 < t->n_thread) {
			next_interp = t->thread[i + 1]->interp;
			if (next_interp == h->interp)
				expect = t->thread[i + 1]->at;
		}
		if (py_copy_thread_u64(h->copy, 0, o->ts_next) != expect ||
		    py_copy_thread_u64(h->copy, 0, o->ts_interp) !=
		    h->interp ||
		    !is_same_thread(t, h, h->copy->before))
			return 0;
		if ((i == 0 || t->thread[i - 1]->interp != h->interp) &&
		    py_copy_interp_u64(h->copy, o->is_threads) != h->at)
			return 0;
		if (expect == 0 && py_copy_interp_u64(h->copy, o->is_next) !=
		    next_interp)
			return 0;
	}
	return t->n_thread > 0;
}

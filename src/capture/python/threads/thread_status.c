/* Status bits from the copy of a thread's state, and from its stat in /proc. */
#include "capture/python/threads/thread_status.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "capture/python/objects/text.h"

/* Python's name of the main thread. */
#define MAIN_NAME "MainThread"

/* Entries of the list of handled exceptions that are read. */
#define MAX_HANDLERS 256

/* Samples in which a name is looked for. */
#define NAME_TRIES 8

/* Reads a name into buf (PY_MAX_TEXT bytes). Returns the number of bytes; 0 if
 * it has none. */
static size_t
read_thread_name(struct py_threads *t, struct py_thread *h, char *buf)
{
	struct proc_stat st;
	int n = py_names_read(&t->names, &t->p->mem, &t->site->o, h->interp,
	    h->thread_id, buf);

	if (n >= 0) {
		h->n_unnamed = NAME_TRIES;
		return (size_t)n;
	}
	if (h->n_unnamed < NAME_TRIES)
		h->n_unnamed++;
	if (h->is_main) {
		memcpy(buf, MAIN_NAME, sizeof(MAIN_NAME) - 1);
		return sizeof(MAIN_NAME) - 1;
	}
	if (h->tid == 0 || proc_stat(t->p->pid, h->tid, &st) < 0)
		return 0;
	memcpy(buf, st.name, strlen(st.name));
	return strlen(st.name);
}

bob_tid
py_status_track(struct py_threads *t, struct py_thread *h)
{
	struct process *p = t->p;
	struct bob_track track = { .pid = (uint64_t)p->pid,
		.interp = h->interp_id,
		.flags = BOB_TRACK_PID | BOB_TRACK_INTERP };
	char buf[PY_MAX_TEXT];
	bob_tid r;

	if (h->track != 0)
		return h->track;
	if (h->tid != 0) {
		track.tid = (uint64_t)h->tid;
		track.flags |= BOB_TRACK_TID;
	}
	track.name = bob_str_put(p->dict, buf, read_thread_name(t, h, buf));
	if (track.name == BOB_NO_ID)
		return BOB_NO_ID;
	r = bob_track_put(p->dict, &track);
	if (r != BOB_NO_ID && h->n_unnamed >= NAME_TRIES)
		h->track = r;
	return r;
}

/* A word of the copied state; 0 if the version does not have it. */
static uint64_t
state_word(const struct py_thread *h, uint32_t at)
{
	return at == PY_NONE ? 0 : py_copy_thread_u64(h->copy, 0, at);
}

static int
has_gil(const struct py_offsets *o, const struct py_thread *h)
{
	if (o->ts_holds_gil != PY_NONE)
		return py_copy_thread_u32(h->copy, o->ts_holds_gil) != 0;
	return py_copy_lock_holder(h->copy) == h->at;
}

static int
is_exception(const struct py_site *site, uint64_t at)
{
	return at != 0 && at != site->none;
}

/*
 * Returns 1 if a generator or coroutine handles an exception. Each keeps its
 * own, in a list from the innermost to that of the thread. That takes a read
 * for each, so it is done only if exceptions are what is asked for.
 */
static int
is_handled_within(struct process *p, const struct py_site *site,
    const struct py_thread *h)
{
	const struct py_offsets *o = &site->o;
	uint64_t first = state_word(h, o->ts_exc_info), at = first, now;
	uint32_t previous = o->minor <= 10 ? 24 : 8;
	uint8_t item[32];
	int n;

	for (n = 0; at != h->at + o->ts_handled && n < MAX_HANDLERS; n++) {
		if (at % 8 != 0 || !mem_is_user(at, sizeof(item)) ||
		    mem_read(&p->mem, at, item, previous + 8) < 0)
			return 0;
		if (is_exception(site, mem_u64(item, 0)))
			return mem_read_u64(&p->mem, h->at + o->ts_exc_info,
			    &now) == 0 && now == first;
		at = mem_u64(item, previous);
	}
	return 0;
}

/* Returns 1 if an exception is being raised or handled. */
static int
has_exception(struct process *p, const struct py_site *site,
    const struct py_thread *h)
{
	return state_word(h, site->o.ts_raised) != 0 ||
	    is_exception(site, state_word(h, site->o.ts_handled)) ||
	    (p->mode == BOB_MODE_EXCEPTION && is_handled_within(p, site, h));
}

/* Reads /proc/PID/task/TID/stat, and keeps it open if there are enough
 * descriptors. */
static ssize_t
read_stat(const struct process *p, struct py_thread *h, char *buf, size_t cap)
{
	char path[64];
	ssize_t n;
	int fd = h->stat_fd;

	if (fd < 0) {
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat",
		    p->pid, h->tid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	n = fd < 0 ? -1 : pread(fd, buf, cap, 0);
	if (h->stat_fd >= 0 || fd < 0)
		return n;
	if (proc_may_hold(fd))
		h->stat_fd = fd;
	else
		(void)close(fd);
	return n;
}

/* The state is the letter behind the name. The name may hold anything, so the
 * last ')' ends it. */
uint8_t
py_status_cpu(struct process *p, struct py_thread *h)
{
	char buf[256], *end;
	ssize_t n;

	if (h->tid == 0)
		return BOB_STATUS_UNKNOWN;
	n = read_stat(p, h, buf, sizeof(buf) - 1);
	if (n <= 0)
		return BOB_STATUS_UNKNOWN;
	buf[n] = '\0';
	end = strrchr(buf, ')');
	if (end == NULL || end[1] != ' ')
		return BOB_STATUS_UNKNOWN;
	return end[2] == 'R' && process_is_running(p, &h->oncpu, h->tid)
	    ? BOB_STATUS_ON_CPU : 0;
}

uint8_t
py_status_of(struct process *p, const struct py_site *site,
    const struct py_thread *h, uint8_t cpu)
{
	const struct py_offsets *o = &site->o;
	uint8_t status = cpu;

	if (has_gil(o, h))
		status |= BOB_STATUS_HAS_GIL;
	else if (o->ts_wants_gil != PY_NONE &&
	    py_copy_thread_u32(h->copy, o->ts_wants_gil) != 0)
		status |= BOB_STATUS_WANTS_GIL;
	if (has_exception(p, site, h))
		status |= BOB_STATUS_EXCEPTION;
	if (h->is_main)
		status |= BOB_STATUS_MAIN_THREAD;
	return status;
}

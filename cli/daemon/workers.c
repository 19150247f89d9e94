/* The processes that a daemon samples. A watch (bobbin/watch.h) finds and
 * attaches them. */
#include "daemon.h"
#include "print/msg.h"

/* Descriptors that must be left before another process is attached: for clients
 * that ask for the status (8), a new file while the old one is open, lists of
 * processes and threads, and files of the process. */
#define SPARE 32

/* A warning with the first process, not an error: another may have it. */
static void
check_sources(struct daemon *d)
{
	const char *dir;

	if (d->sources_checked)
		return;
	d->sources_checked = 1;
	dir = bob_recorder_missing_source(d->recorder);
	if (dir != NULL)
		msg_warn("source directory %s: no process has it", dir);
}

static int
on_came(void *user, struct bob_proc *p)
{
	struct daemon *d = user;

	check_sources(d);
	return bob_recorder_add(d->recorder, p);
}

static void
on_refused(void *user, const struct bob_watched *p)
{
	refused_tell(user, p);
}

static void
on_limited(void *user)
{
	struct daemon *d = user;
	const struct bob_error *e = bob_ctx_error(d->ctx);

	msg_warn("%s%s", e->text, e->code != BOB_E_LIMIT
	        ? "; it is tried again every second" : "");
}

int
workers_begin(struct daemon *d)
{
	struct bob_watch_events ev = { on_came, on_refused, on_limited, d };
	struct bob_watch_opts o = { .size = sizeof(o), .sampler = d->sampler,
		.attach = &d->attach, .pattern = d->pattern,
		.flags = BOB_WATCH_PLAIN, .spare_fds = SPARE, .events = &ev };

	d->attach.dict = bob_recorder_dict(d->recorder);
	return bob_watch_new(d->ctx, &o, &d->watch);
}

int
workers_poll(struct daemon *d)
{
	bob_watch_set_dict(d->watch, bob_recorder_dict(d->recorder));
	return bob_watch_poll(d->watch);
}

struct bob_proc *
workers_next(const struct daemon *d, size_t *at)
{
	struct bob_watched p;

	while (bob_watch_get(d->watch, (*at)++, &p))
		if (p.proc != NULL)
			return p.proc;
	return NULL;
}

size_t
workers_count(const struct daemon *d)
{
	size_t at = 0, n = 0;

	while (workers_next(d, &at) != NULL)
		n++;
	return n;
}

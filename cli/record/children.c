/*
 * --subprocesses: children of the processes that are sampled, and theirs.
 *
 * The list of processes is looked at ten times a second. A child that cannot
 * be read (yet) is tried again for two seconds: it may have been forked a
 * moment ago and become another program. One that is no runtime at all is left
 * alone; its children are looked at all the same.
 */
#include <stdlib.h>

#include "msg.h"
#include "record.h"

#define MAX_FAMILY 4096
#define MAX_TRIES 20

struct member {
	uint64_t pid;
	unsigned tries;  /* to attach; MAX_TRIES: given up */
	int is_attached;
	int is_seen;     /* in the list of processes */
};

struct family {
	struct member *v;
	size_t n, cap;
	int is_full;
};

static struct member *
find(const struct family *f, uint64_t pid)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].pid == pid)
			return &f->v[i];
	return NULL;
}

/* The member, old or new; NULL when there is no room. */
static struct member *
add(struct family *f, uint64_t pid)
{
	struct member *m = find(f, pid), *v;

	if (m != NULL)
		return m;
	if (f->n == f->cap) {
		v = f->n < MAX_FAMILY
		    ? realloc(f->v, (2 * f->cap + 16) * sizeof(*v)) : NULL;
		if (v == NULL) {
			if (!f->is_full)
				msg_warn("there are more than %zu "
				    "subprocesses; the others are left out",
				    f->n);
			f->is_full = 1;
			return NULL;
		}
		f->v = v;
		f->cap = 2 * f->cap + 16;
	}
	m = &f->v[f->n++];
	*m = (struct member){ .pid = pid, .is_seen = 1 };
	return m;
}

static int
take(void *user, const struct bob_proc_info *info)
{
	struct family *f = user;
	struct member *m = find(f, info->pid);

	if (m == NULL && find(f, info->ppid) != NULL)
		m = add(f, info->pid);
	if (m != NULL)
		m->is_seen = 1;
	return 0;
}

static void
drop_ended(struct family *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		if (f->v[i].is_seen)
			f->v[n++] = f->v[i];
	f->n = n;
}

/* EXIT_OK also when it could not be attached. */
static int
try(struct record *r, struct member *m)
{
	struct bob_proc *p;

	m->tries++;
	if (bob_attach(r->ctx, m->pid, &r->attach, &p) == BOB_OK) {
		m->is_attached = 1;
		return record_add(r, p);
	}
	if (bob_ctx_error(r->ctx)->code != BOB_E_FORMAT)
		m->tries = MAX_TRIES;
	return EXIT_OK;
}

int
record_children(struct record *r)
{
	struct family *f = r->family;
	size_t i;
	int code = EXIT_OK;

	if (f == NULL)
		return EXIT_OK;
	for (i = 0; i < f->n; i++)
		f->v[i].is_seen = 0;
	if (bob_proc_list(r->ctx, take, f) < 0)
		return EXIT_OK;
	drop_ended(f);
	for (i = 0; code == EXIT_OK && i < f->n; i++)
		if (!f->v[i].is_attached && f->v[i].tries < MAX_TRIES)
			code = try(r, &f->v[i]);
	return code;
}

int
record_watch_children(struct record *r)
{
	struct bob_proc *p;
	struct member *m;
	size_t i;

	r->family = calloc(1, sizeof(*r->family));
	for (i = 0; r->family != NULL &&
	     (p = bob_sampler_get(r->sampler, i)) != NULL; i++) {
		m = add(r->family, bob_proc_facts(p)->pid);
		if (m != NULL)
			m->is_attached = 1;
	}
	if (r->family != NULL)
		return EXIT_OK;
	msg_error("out of memory");
	return EXIT_FAILED;
}

void
record_child_gone(struct record *r, uint64_t pid)
{
	struct member *m = r->family != NULL ? find(r->family, pid) : NULL;

	/* It has ended, or become another program, which is worth a look. */
	if (m != NULL) {
		m->is_attached = 0;
		m->tries = 0;
	}
}

void
record_free_children(struct record *r)
{
	if (r->family != NULL)
		free(r->family->v);
	free(r->family);
	r->family = NULL;
}

/*
 * Reads the line NSpid of /proc/PID/task/TID/status, which has an id for each
 * namespace, from that of /proc to the innermost; see tids.h.
 */
#include "capture/proc/tids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"

/* Limit of the file. Its lines are short, except that of the groups. */
#define MAX_STATUS 16384

/* Returns the last number of a line; *ret_n is how many there are. */
static int
last_number(const char *s, size_t *ret_n)
{
	int v = 0;

	for (*ret_n = 0; *s != '\0' && *s != '\n'; s++) {
		if (*s < '0' || *s > '9')
			continue;
		for (v = 0; *s >= '0' && *s <= '9'; s++)
			v = v < INT32_MAX / 10 ? v * 10 + (*s - '0') : 0;
		(*ret_n)++;
		s--;
	}
	return v;
}

/* Returns the inner id of a thread and sets *ret_n to its number of namespaces.
 * The id itself if the kernel has no NSpid; 0 if the thread has ended. */
static int
inner_tid(int pid, int tid, size_t *ret_n)
{
	char path[64], buf[MAX_STATUS], *line;

	*ret_n = 1;
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid,
	    tid);
	if (proc_read_small(path, buf, sizeof(buf)) < 0)
		return 0;
	line = strstr(buf, "\nNSpid:");
	return line != NULL ? last_number(line + 1, ret_n) : tid;
}

int
tids_own(int pid)
{
	size_t n;

	return inner_tid(pid, pid, &n);
}

void
tids_init(struct tids *t, int pid)
{
	size_t n;

	memset(t, 0, sizeof(*t));
	t->pid = pid;
	(void)inner_tid(pid, pid, &n);
	t->is_nested = n > 1;
}

void
tids_done(struct tids *t)
{
	free(t->pair);
	memset(t, 0, sizeof(*t));
}

long
tids_read(struct tids *t)
{
	int here[TIDS_MAX];
	size_t depth;
	long n, i;

	if (t->keep == TIDS_KEPT)
		return (long)t->n_pair;
	n = proc_threads(t->pid, here, TIDS_MAX);
	if (n < 0)
		return n;
	if (t->pair == NULL)
		t->pair = calloc(TIDS_MAX, sizeof(*t->pair));
	if (t->pair == NULL)
		return -ENOMEM;
	t->n_pair = 0;
	for (i = 0; i < n; i++) {
		struct tid_pair *p = &t->pair[t->n_pair];

		p->here = here[i];
		p->inside = t->is_nested
		    ? inner_tid(t->pid, here[i], &depth) : here[i];
		t->n_pair += p->inside != 0;
	}
	if (t->keep == TIDS_ONCE)
		t->keep = TIDS_KEPT;
	return (long)t->n_pair;
}

static int
find_pair(const struct tids *t, int inside)
{
	size_t i;

	for (i = 0; i < t->n_pair; i++)
		if (t->pair[i].inside == inside)
			return t->pair[i].here;
	return 0;
}

static int
is_there(int pid, int tid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return access(path, F_OK) == 0;
}

int
tids_find(struct tids *t, int inside)
{
	size_t depth;
	int here;

	/* After a fork memory may hold the id of a thread of the parent. */
	if (!t->is_nested)
		return is_there(t->pid, inside) || !is_there(t->pid, t->pid)
		    ? inside : 0;
	/* The id may have been used again since all were read. */
	here = find_pair(t, inside);
	if (here != 0 && inner_tid(t->pid, here, &depth) == inside)
		return here;
	return tids_read(t) < 0 ? 0 : find_pair(t, inside);
}

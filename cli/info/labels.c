/*
 * What metadata says of processes: process.PID.runtime and
 * process.PID.command, as captures write them. The last of each counts.
 */
#include "info.h"

#include <stdlib.h>
#include <string.h>

/* Takes a key apart. Returns 1 and sets both; 0 if it is another key. */
static int
parse_key(struct bob_bytes key, uint64_t *ret_pid, enum info_fact_of *ret)
{
	static const char prefix[] = "process.";
	static const char *const fact[] = { ".runtime", ".command" };
	size_t at = sizeof(prefix) - 1, begin = at, i;

	if (key.n < at || memcmp(key.p, prefix, at) != 0)
		return 0;
	for (*ret_pid = 0; at < key.n && key.p[at] >= '0' &&
	    key.p[at] <= '9'; at++)
		if (__builtin_mul_overflow(*ret_pid, (uint64_t)10, ret_pid) ||
		    __builtin_add_overflow(*ret_pid,
		        (uint64_t)(key.p[at] - '0'), ret_pid))
			return 0;
	for (i = 0; at > begin && i < 2; i++)
		if (key.n - at == strlen(fact[i]) &&
		    memcmp(key.p + at, fact[i], key.n - at) == 0) {
			*ret = (enum info_fact_of)i;
			return 1;
		}
	return 0;
}

int
info_label_take(const struct info *x, const struct bob_mark *m,
    struct info_label *ret)
{
	*ret = (struct info_label){ .value = m->value,
		.number = x->n_labels };
	return parse_key(bob_str_get(x->dict, m->key), &ret->pid, &ret->fact);
}

/* By process and fact, the last one first. */
static int
by_process(const void *a, const void *b)
{
	const struct info_label *p = a, *q = b;

	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	if (p->fact != q->fact)
		return p->fact < q->fact ? -1 : 1;
	return p->number < q->number ? 1 : -1;
}

/* Returns the last value of a fact of a process; 0: none. */
static bob_str
label_find(const struct info *x, uint64_t pid, enum info_fact_of fact)
{
	struct info_label want = { .pid = pid, .fact = fact,
		.number = SIZE_MAX };
	size_t low = 0, high = x->n_labels, at;

	while (low < high) {
		at = low + (high - low) / 2;
		if (by_process(&x->labels[at], &want) < 0)
			low = at + 1;
		else
			high = at;
	}
	return low < x->n_labels && x->labels[low].pid == pid &&
	        x->labels[low].fact == fact ? x->labels[low].value : 0;
}

void
info_label_pids(struct info *x)
{
	size_t i;

	if (x->n_labels > 0)
		qsort(x->labels, x->n_labels, sizeof(*x->labels), by_process);
	for (i = 0; i < x->n_pids; i++) {
		if (!x->pids[i].is_known)
			continue;
		x->pids[i].runtime = label_find(x, x->pids[i].pid,
		    INFO_RUNTIME);
		x->pids[i].command = label_find(x, x->pids[i].pid,
		    INFO_COMMAND);
	}
}

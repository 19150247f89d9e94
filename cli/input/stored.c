/* --store; see the header. */
#include "stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/store.h>

#include "print/msg.h"
#include "print/plain.h"

/* What was decided about the segments of a store. */
struct plan {
	struct bob_store *store;
	const struct bob_segment_info **read; /* those that are read */
	size_t n;
	uint64_t missed[BOB_N_MISSES]; /* others, by enum bob_miss */
	uint64_t bytes, bytes_read;
};

static const struct {
	int id;
	const char *name;
} needs_store[] = { { OPT_SERVICE, "service" }, { OPT_HOST, "host" },
	{ OPT_EXPLAIN, "explain" } };

int
stored_check(const struct args *a)
{
	size_t i;

	for (i = 0; i < sizeof(needs_store) / sizeof(needs_store[0]); i++) {
		if (!args_has(a, needs_store[i].id))
			continue;
		(void)msg_usage("--%s is about the segments of a store",
		    needs_store[i].name);
		msg_hint("--store DIR names one");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int
check_usage(const struct job *j)
{
	const struct args *a = j->args;

	if (a->n_operands > 0) {
		(void)msg_usage("--store and '%s': the inputs are segments of "
		    "the store", a->operands[0]);
		msg_hint("leave one of them out");
		return EXIT_USAGE;
	}
	if (!args_has(a, OPT_FOLLOW) && !args_has(a, OPT_DIFF))
		return EXIT_OK;
	(void)msg_usage("--store cannot be used with --%s",
	    args_has(a, OPT_FOLLOW) ? "follow" : "diff");
	msg_hint("--follow follows a directory: bobbin analyze --follow DIR");
	return EXIT_USAGE;
}

/* By their first samples; those without dates come last. */
static int
earliest_first(const void *a, const void *b)
{
	const struct bob_segment_info *x =
	    *(const struct bob_segment_info *const *)a;
	const struct bob_segment_info *y =
	    *(const struct bob_segment_info *const *)b;

	if (x->t_first != y->t_first)
		return x->t_first - 1 < y->t_first - 1 ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Facts of what is not sealed are learned by reading it. What cannot be read
 * stays in the plan: the command says what is wrong with it. */
static int
plan_make(struct job *j, struct plan *p)
{
	const struct bob_query q = { .size = sizeof(q), .filter = j->filter,
		.service = args_value(j->args, OPT_SERVICE),
		.host = args_value(j->args, OPT_HOST),
		.route = args_value(j->args, OPT_ROUTE) };
	const struct bob_segment_info *g;
	size_t i;
	int r, miss;

	p->read = calloc(bob_store_count(p->store) + 1, sizeof(*p->read));
	if (p->read == NULL)
		return msg_no_memory();
	for (i = 0; (g = bob_store_get(p->store, i)) != NULL; i++) {
		r = bob_store_learn(p->store, i);
		miss = r < 0 ? BOB_MISS_NONE : bob_segment_misses(g, &q);
		p->bytes = plain_add(p->bytes, g->size);
		p->missed[miss]++;
		if (miss != BOB_MISS_NONE)
			continue;
		p->bytes_read = plain_add(p->bytes_read, g->size);
		p->read[p->n++] = g;
	}
	qsort(p->read, p->n, sizeof(*p->read), earliest_first);
	return EXIT_OK;
}

static void
plan_explain(const char *dir, const struct plan *p)
{
	static const char *const by[BOB_N_MISSES] = { "", "time", "service",
		"host", "pid", "route" };
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];
	size_t i;

	msg_report("%s: reads %zu of %s, %s of %s", dir, p->n,
	    number_nouns(a, bob_store_count(p->store), "segment"),
	    number_bytes(b, p->bytes_read), number_bytes(c, p->bytes));
	for (i = 1; i < BOB_N_MISSES; i++)
		if (p->missed[i] > 0)
			msg_report("  %s left out by %s", number_count(a,
			    p->missed[i]), by[i]);
	for (i = 0; i < p->n; i++)
		msg_report("  %s, %s%s", p->read[i]->name, number_bytes(a,
		    p->read[i]->size), p->read[i]->state == BOB_SEGMENT_SEALED
		        ? "" : ", not sealed: read twice");
}

static char *
path_of(const char *dir, const char *name)
{
	size_t room = strlen(dir) + strlen(name) + 2;
	char *path = malloc(room);

	if (path != NULL)
		(void)snprintf(path, room, "%s/%s", dir, name);
	return path;
}

static int
take_paths(struct job *j, const char *dir, const struct plan *p)
{
	size_t i;

	j->stored = calloc(p->n + 1, sizeof(*j->stored));
	j->inputs = calloc(p->n + 1, sizeof(*j->inputs));
	if (j->stored == NULL || j->inputs == NULL)
		return msg_no_memory();
	for (i = 0; i < p->n; i++) {
		j->stored[i] = path_of(dir, p->read[i]->name);
		if (j->stored[i] == NULL)
			return msg_no_memory();
		j->inputs[i] = j->stored[i];
	}
	j->n_inputs = p->n;
	return EXIT_OK;
}

static int
say_none(const char *dir, const struct plan *p)
{
	msg_error("%s: no segment has samples that are asked for", dir);
	if (bob_store_count(p->store) == 0)
		msg_hint("no file in it has the name of a trace");
	else
		msg_hint("'bobbin store %s' lists times, services and hosts; "
		    "--explain says what was left out", dir);
	return EXIT_FAILED;
}

int
stored_inputs(struct job *j)
{
	const char *dir = args_value(j->args, OPT_STORE);
	struct plan p = { 0 };
	int code = check_usage(j);

	if (code != EXIT_OK)
		return code;
	if (bob_store_open(j->ctx, dir, NULL, &p.store) < 0)
		return msg_ctx_error(j->ctx);
	code = plan_make(j, &p);
	if (code == EXIT_OK && args_has(j->args, OPT_EXPLAIN))
		plan_explain(dir, &p);
	if (code == EXIT_OK)
		code = p.n > 0 ? take_paths(j, dir, &p) : say_none(dir, &p);
	free(p.read);
	bob_store_close(p.store);
	return code;
}

void
stored_done(struct job *j)
{
	size_t i;

	for (i = 0; j->stored != NULL && j->stored[i] != NULL; i++)
		free(j->stored[i]);
	free(j->stored);
}

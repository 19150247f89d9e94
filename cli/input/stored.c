/* --store; see the header. */
#include "stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bobbin/store.h>

#include "print/msg.h"
#include "print/plain.h"

#define MOMENT_TEXT 64
#define DAY_LENGTH 11 /* of "2026-11-18T" */

/* What is asked for, and the segments that are read for it. */
struct part {
	char *name; /* of the store, and of the range that is compared */
	struct bob_query query;
	const struct bob_segment_info **read;
	size_t n;
	uint64_t missed[BOB_N_MISSES]; /* others, by enum bob_miss */
	uint64_t bytes_read;
};

struct plan {
	struct bob_store *store;
	uint64_t bytes;
	struct part part[2]; /* of a comparison: before and after */
	size_t n_parts;
};

static const struct {
	int id;
	const char *name;
} needs_store[] = { { OPT_SERVICE, "service" }, { OPT_HOST, "host" },
	{ OPT_EXPLAIN, "explain" }, { OPT_AGAINST, "against" },
	{ OPT_SINCE, "from" } };

int
stored_check(const struct args *a)
{
	size_t i;

	for (i = 0; i < sizeof(needs_store) / sizeof(needs_store[0]); i++) {
		/* Other commands take moments, also for files. */
		if (!args_has(a, needs_store[i].id) ||
		    (needs_store[i].id == OPT_SINCE &&
		        a->command->bit != CMD_DIFF))
			continue;
		(void)msg_usage("--%s is about the segments of a store",
		    needs_store[i].name);
		msg_hint("--store DIR names one");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

/* A comparison needs two ranges, any other question at most one. */
static int
check_ranges(const struct args *a)
{
	if (a->command->bit != CMD_DIFF ||
	    (args_has(a, OPT_SINCE) && args_has(a, OPT_AGAINST)))
		return EXIT_OK;
	(void)msg_usage("--store needs two ranges to compare");
	msg_hint("--from 14:02..14:05 is what is asked about, --against "
	    "'yesterday 14:02..14:05' what was before");
	return EXIT_USAGE;
}

/* What is no time is taken for a format, and segments have their own. */
static int
check_from(const struct args *a)
{
	const char *from = args_value(a, OPT_FROM);

	if (from == NULL)
		return EXIT_OK;
	(void)msg_usage("--from '%s' is not a time", from);
	msg_hint("as -15m, 14:02, 'yesterday 14:02', 2026-11-19T14:02:03Z");
	return EXIT_USAGE;
}

static int
check_usage(const struct job *j)
{
	const struct args *a = j->args;

	if (check_from(a) != EXIT_OK)
		return EXIT_USAGE;
	if (a->n_operands > 0) {
		(void)msg_usage("--store and '%s': the inputs are segments of "
		    "the store", a->operands[0]);
		msg_hint("leave one of them out");
		return EXIT_USAGE;
	}
	if (!args_has(a, OPT_FOLLOW) && !args_has(a, OPT_DIFF))
		return check_ranges(a);
	(void)msg_usage("--store cannot be used with --%s",
	    args_has(a, OPT_FOLLOW) ? "follow" : "diff");
	msg_hint(args_has(a, OPT_FOLLOW)
	    ? "--follow follows a directory: bobbin analyze --follow DIR"
	    : "bobbin diff --store compares two ranges of times");
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

/* A moment, "2026-11-18T14:02:00.5Z"; "" for the ends of all time. */
static void
put_moment(char buf[MOMENT_TEXT], uint64_t us)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;
	size_t n;

	buf[0] = '\0';
	if (us == 0 || us == UINT64_MAX || gmtime_r(&t, &tm) == NULL)
		return;
	n = strftime(buf, MOMENT_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	if (us % 1000000 != 0)
		n += (size_t)snprintf(buf + n, MOMENT_TEXT - n, ".%06u",
		    (unsigned)(us % 1000000));
	(void)snprintf(buf + n, MOMENT_TEXT - n, "Z");
}

/* "DIR 2026-11-18T14:02:00Z..14:05:00Z": the ends in full, as those that were
 * given may count from now. */
static char *
name_range(const char *dir, const struct bob_filter *f)
{
	size_t room = strlen(dir) + 2 * MOMENT_TEXT + 4;
	char from[MOMENT_TEXT], to[MOMENT_TEXT], *name = malloc(room);
	int is_same_day;

	put_moment(from, f->date_from);
	put_moment(to, f->date_to);
	is_same_day = strncmp(from, to, DAY_LENGTH) == 0 && *from != '\0';
	if (name != NULL)
		(void)snprintf(name, room, "%s %s..%s", dir, from,
		    to + (is_same_day ? DAY_LENGTH : 0));
	return name;
}

static int
part_init(struct part *p, const struct job *j, const struct bob_filter *filter,
    size_t n_segments)
{
	const char *dir = args_value(j->args, OPT_STORE);

	p->query = (struct bob_query){ .size = sizeof(p->query),
		.filter = filter,
		.service = args_value(j->args, OPT_SERVICE),
		.host = args_value(j->args, OPT_HOST),
		.route = args_value(j->args, OPT_ROUTE) };
	p->name = filter != NULL && (filter->flags & BOB_FILTER_DATE) != 0
	    ? name_range(dir, filter) : strdup(dir);
	p->read = calloc(n_segments + 1, sizeof(*p->read));
	return p->name != NULL && p->read != NULL ? EXIT_OK : msg_no_memory();
}

/* A segment that could not be looked into is not known to miss anything. */
static void
part_decide(struct part *p, const struct bob_segment_info *g, int is_known)
{
	int miss = is_known ? bob_segment_misses(g, &p->query) : BOB_MISS_NONE;

	p->missed[miss]++;
	if (miss != BOB_MISS_NONE)
		return;
	p->bytes_read = plain_add(p->bytes_read, g->size);
	p->read[p->n++] = g;
}

/* Facts of what is not sealed are learned by reading it. What cannot be read
 * stays in the plan: the command says what is wrong with it. */
static int
plan_make(struct job *j, struct plan *p)
{
	const struct bob_filter *filter[] = { j->before, j->filter };
	size_t count = bob_store_count(p->store), i, k;
	const struct bob_segment_info *g;
	int r = EXIT_OK, is_known;

	p->n_parts = j->before != NULL ? 2 : 1;
	for (k = 0; r == EXIT_OK && k < p->n_parts; k++)
		r = part_init(&p->part[k], j, filter[2 - p->n_parts + k],
		    count);
	for (i = 0; r == EXIT_OK && i < count; i++) {
		is_known = bob_store_learn(p->store, i) >= 0;
		g = bob_store_get(p->store, i);
		p->bytes = plain_add(p->bytes, g->size);
		for (k = 0; k < p->n_parts; k++)
			part_decide(&p->part[k], g, is_known);
	}
	for (k = 0; r == EXIT_OK && k < p->n_parts; k++)
		qsort(p->part[k].read, p->part[k].n, sizeof(*p->part[k].read),
		    earliest_first);
	return r;
}

static void
plan_done(struct plan *p)
{
	size_t k;

	for (k = 0; k < p->n_parts; k++) {
		free(p->part[k].name);
		free(p->part[k].read);
	}
	bob_store_close(p->store);
}

static void
part_explain(const struct plan *plan, const struct part *p)
{
	static const char *const by[BOB_N_MISSES] = { "", "time", "service",
		"host", "pid", "route" };
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];
	size_t i;

	msg_report("%s: reads %zu of %s, %s of %s", p->name, p->n,
	    number_nouns(a, bob_store_count(plan->store), "segment"),
	    number_bytes(b, p->bytes_read), number_bytes(c, plan->bytes));
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

/* Room for the paths of all parts. */
static int
make_room(struct job *j, const struct plan *p)
{
	size_t n = p->part[0].n + p->part[1].n;

	j->stored = calloc(n + 1, sizeof(*j->stored));
	j->inputs = calloc(n + 1, sizeof(*j->inputs));
	return j->stored != NULL && j->inputs != NULL ? EXIT_OK
	                                              : msg_no_memory();
}

static int
take_paths(struct job *j, const char *dir, const struct part *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		char *path = path_of(dir, p->read[i]->name);

		if (path == NULL)
			return msg_no_memory();
		j->stored[j->n_inputs] = path;
		j->inputs[j->n_inputs++] = path;
	}
	return EXIT_OK;
}

static int
say_none(const struct plan *plan, const struct part *p, const char *dir)
{
	msg_error("%s: no segment has samples that are asked for", p->name);
	if (bob_store_count(plan->store) == 0)
		msg_hint("no file in it has the name of a trace");
	else
		msg_hint("'bobbin store %s' lists times, services and hosts; "
		    "--explain says what was left out", dir);
	return EXIT_FAILED;
}

static int
plan_take(struct job *j, struct plan *p, const char *dir)
{
	int code = make_room(j, p);
	size_t k;

	for (k = 0; code == EXIT_OK && k < p->n_parts; k++) {
		if (args_has(j->args, OPT_EXPLAIN))
			part_explain(p, &p->part[k]);
		code = p->part[k].n > 0 ? take_paths(j, dir, &p->part[k])
		                        : say_none(p, &p->part[k], dir);
		*(p->n_parts == 1 ? &j->title : &j->side[k]) = p->part[k].name;
		p->part[k].name = NULL;
	}
	j->n_before = p->n_parts == 2 ? p->part[0].n : 0;
	return code;
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
	if (code == EXIT_OK)
		code = plan_take(j, &p, dir);
	plan_done(&p);
	return code;
}

void
stored_done(struct job *j)
{
	size_t i;

	for (i = 0; j->stored != NULL && j->stored[i] != NULL; i++)
		free(j->stored[i]);
	free(j->stored);
	free(j->side[0]);
	free(j->side[1]);
	free(j->title);
}

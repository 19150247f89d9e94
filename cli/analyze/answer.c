/*
 * The answer, before the tables: where most of the time goes and how sure that
 * is, what it waits for, and the one caller that is responsible.
 */
#include <string.h>

#include <bobbin/times.h>

#include "analyze.h"
#include "print/plain.h"

/* Callers are looked at up to this depth. */
#define MAX_DEPTH 24

/* A caller is responsible if it has at least this part of the function. */
#define MOST 0.5

/* What functions without code of their own wait for: by the beginning of the
 * name, or all of it if it ends in "$". */
static const struct {
	const char *name, *what;
} waits[] = {
	{ "PDO::", "the database" }, { "PDOStatement::", "the database" },
	{ "mysqli", "the database" }, { "pg_", "the database" },
	{ "SQLite3", "the database" }, { "Redis::", "the cache" },
	{ "Memcached::", "the cache" }, { "curl_", "the network" },
	{ "fsockopen$", "the network" },
	{ "stream_socket_client$", "the network" },
	{ "stream_select$", "the network" }, { "sleep$", "a timer" },
	{ "usleep$", "a timer" }, { "time_nanosleep$", "a timer" },
	{ "flock$", "a lock" }, { "sem_acquire$", "a lock" },
	{ "exec$", "another process" }, { "shell_exec$", "another process" },
	{ "proc_close$", "another process" },
	{ "Condition.wait$", "another thread" },
	{ "SSLSocket.read$", "the network" },
	{ "SocketIO.readinto$", "the network" },
	{ "Popen.wait$", "another process" },
	{ "Popen._try_wait$", "another process" },
	{ "clock_nanosleep$", "a timer" },
	{ "__futex_abstimed_wait_common$", "a lock" },
};

static const char *
waits_for(struct bob_bytes name)
{
	size_t i;

	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		size_t n = strlen(waits[i].name);
		int is_all = waits[i].name[n - 1] == '$';

		n -= (size_t)is_all;
		if (is_all ? name.n == n : name.n > n)
			if (memcmp(name.p, waits[i].name, n) == 0)
				return waits[i].what;
	}
	return NULL;
}

static int
contains(struct bob_bytes s, const char *part)
{
	size_t n = strlen(part), i;

	for (i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, part, n) == 0)
			return 1;
	return 0;
}

/* True if a function is of the program itself, not of a library. Long paths
 * count as its own. */
static int
is_own(const struct bob_key *k)
{
	static const char *const library[] = { "/vendor/", "-packages/",
		"/lib/python", "<frozen", "<internal>" };
	size_t i;

	/* All of a script is in its outermost frame: that says nothing. */
	if (k->lang == BOB_LANG_NATIVE || k->file.n == 0 ||
	    (k->name.n > 0 && k->name.p[0] == '<'))
		return 0;
	for (i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		if (k->file.n <= 4096 && contains(k->file, library[i]))
			return 0;
	return 1;
}

/* Finds the nearest caller of the program's own that has most of the samples
 * of a function. Returns 1 and sets *ret and its share of the function. */
static int
find_caller(struct analyze *a, uint32_t key, uint32_t *ret, double *ret_share)
{
	const struct bob_tree_node *v;
	struct bob_tree *tree;
	uint32_t n, i;
	int found = 0;

	if (bob_view_tree(a->r.view, BOB_CALLERS, key, 0, MAX_DEPTH,
	    &tree) < 0)
		return 0;
	v = bob_tree_nodes(tree, &n);
	for (i = v[0].first_child; i != 0 && !found; i = v[i].first_child) {
		struct bob_key k = bob_view_key(a->r.view, v[i].key);

		*ret_share = (double)v[i].total.samples /
		    (double)v[0].total.samples;
		if (*ret_share < MOST)
			break;
		*ret = v[i].key;
		found = is_own(&k) && v[i].key != key;
	}
	bob_tree_free(tree);
	return found;
}

static void
put_function(const struct analyze *a, uint32_t key, struct span *l)
{
	struct bob_key k = bob_view_key(a->r.view, key);
	struct bob_bytes s = k.name.n > 0 ? k.name : k.text;

	span_color(l, "1");
	span_safe(l, s.p, s.n < 400 ? s.n : 400);
	span_color(l, "0");
}

static void
put_percent(const struct analyze *a, const struct bob_share *s, struct span *l)
{
	span_printf(l, "%.1f %% %s %.1f", 100 * s->share,
	    a->o.is_ascii ? "+-" : "\xc2\xb1", 100 * (s->high - s->low) / 2);
}

/* Whether the first function is really before the second. */
static void
put_certainty(const struct analyze *a, const struct section *s,
    struct block *b)
{
	struct span *l = block_line(b);

	if (s->n < 2) {
		span_put(l, "No other function takes any.");
		return;
	}
	put_function(a, s->row[1].key, l);
	span_put(l, " is next with ");
	put_percent(a, &s->row[1].share, l);
	span_put(l, s->row[0].share.low > s->row[1].share.high ? "."
	    : ": too close to say which takes more.");
}

void
answer_text(struct analyze *a, struct block *b)
{
	const struct section *s = &a->r.section[SECTION_SELF];
	const struct analyze_row *row = s->row;
	char time[NUMBER_TEXT];
	const char *what;
	uint32_t caller;
	double part;
	struct span *l;

	if (!a->has_answer || !s->is_shown || s->n == 0 ||
	    a->r.groups_samples)
		return;
	l = block_line(b);
	put_function(a, row->key, l);
	span_put(l, " takes ");
	put_percent(a, &row->share, l);
	span_printf(l, " of the %s, %s.", a->r.by_time ? "time" : "samples",
	    number_time(time, row->sum.time_us));
	what = waits_for(bob_view_key(a->r.view, row->key).name);
	if (what != NULL)
		span_printf(block_line(b), "There it waits for %s.", what);
	if (find_caller(a, row->key, &caller, &part)) {
		l = block_line(b);
		put_function(a, caller, l);
		span_printf(l, " is the caller in %.0f %% of them.",
		    100 * part);
	}
	put_certainty(a, s, b);
}

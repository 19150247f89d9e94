/* bobbin store: what a directory of traces holds. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/store.h>

#include "args/args.h"
#include "print/grid.h"
#include "print/json.h"
#include "print/msg.h"
#include "print/plain.h"
#include "system/terminal.h"

#define DATE_TEXT 32

static const char *
state_name(int state)
{
	switch (state) {
	case BOB_SEGMENT_SEALED: return "sealed";
	case BOB_SEGMENT_OPEN: return "open";
	default: return "left";
	}
}

/* A date in UTC, "2026-11-19 14:02:03"; "-" for 0. */
static const char *
date_text(char buf[DATE_TEXT], uint64_t us)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	if (us == 0 || gmtime_r(&t, &tm) == NULL ||
	    strftime(buf, DATE_TEXT, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return "-";
	return buf;
}

/* --- JSON ----------------------------------------------------------------- */

static void
json_hash(struct json *j, const uint8_t sha256[BOB_SHA256_BYTES])
{
	char text[2 * BOB_SHA256_BYTES + 1];
	size_t i;

	for (i = 0; i < BOB_SHA256_BYTES; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", sha256[i]);
	json_str(j, "sha256", text);
}

static void
json_processes(struct json *j, const struct bob_segment_info *g)
{
	size_t i;

	json_open(j, "processes", '[');
	for (i = 0; i < g->n_processes; i++) {
		json_open(j, NULL, '{');
		json_u64(j, "pid", g->processes[i].pid);
		json_str(j, "runtime", g->processes[i].runtime);
		json_str(j, "command", g->processes[i].command);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_bool(j, "more_processes",
	    (g->facts & BOB_SEGMENT_MORE_PIDS) != 0);
}

static void
json_routes(struct json *j, const struct bob_segment_info *g)
{
	size_t i;

	json_open(j, "routes", '[');
	for (i = 0; i < g->n_routes; i++) {
		json_open(j, NULL, '{');
		json_str(j, "route", g->routes[i].route);
		json_u64(j, "samples", g->routes[i].n_samples);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_bool(j, "more_routes",
	    (g->facts & BOB_SEGMENT_MORE_ROUTES) != 0);
}

static void
json_sealed(struct json *j, const struct bob_segment_info *g)
{
	json_hash(j, g->sha256);
	json_str(j, "format", g->format);
	json_str(j, "service", g->service);
	json_str(j, "host", g->host);
	json_u64_if(j, "first_us", g->t_first, g->t_first != 0);
	json_u64_if(j, "last_us", g->t_last, g->t_last != 0);
	json_u64(j, "samples", g->n_samples);
	json_u64(j, "samples_undated", g->n_undated);
	json_u64(j, "gaps", g->n_gaps);
	json_u64(j, "lost", g->n_lost);
	json_u64(j, "unkept", g->n_unkept);
	json_bool(j, "cut", (g->facts & BOB_SEGMENT_CUT) != 0);
	json_processes(j, g);
	json_routes(j, g);
}

static void
print_json(const struct bob_store *s)
{
	const struct bob_segment_info *g;
	struct json j = { .f = stdout };
	size_t i;

	for (i = 0; (g = bob_store_get(s, i)) != NULL; i++) {
		json_open(&j, NULL, '{');
		json_str(&j, "name", g->name);
		json_str(&j, "state", state_name(g->state));
		json_u64(&j, "size", g->size);
		if (g->state == BOB_SEGMENT_SEALED)
			json_sealed(&j, g);
		json_close(&j, '{');
		json_end(&j);
	}
}

/* --- text ----------------------------------------------------------------- */

/* Sums of all segments. */
struct sums {
	uint64_t n[BOB_SEGMENT_SEALED + 1], bytes, samples, first, last;
};

static struct sums
add_up(const struct bob_store *s)
{
	const struct bob_segment_info *g;
	struct sums x = { .first = UINT64_MAX };
	size_t i;

	for (i = 0; (g = bob_store_get(s, i)) != NULL; i++) {
		x.n[g->state]++;
		x.bytes = plain_add(x.bytes, g->size);
		x.samples = plain_add(x.samples, g->n_samples);
		if (g->t_first != 0 && g->t_first < x.first)
			x.first = g->t_first;
		if (g->t_last > x.last)
			x.last = g->t_last;
	}
	return x;
}

static void
print_sums(const char *dir, const struct sums *x)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[DATE_TEXT];

	(void)plain_safe_str(stdout, dir);
	(void)printf(": %s sealed, %s; %s",
	    number_nouns(a, x->n[BOB_SEGMENT_SEALED], "segment"),
	    number_nouns(b, x->samples, "sample"), number_bytes(c, x->bytes));
	if (x->last != 0)
		(void)printf("; from %s", date_text(d, x->first));
	if (x->last != 0)
		(void)printf(" to %s UTC", date_text(d, x->last));
	(void)putchar('\n');
	if (x->n[BOB_SEGMENT_OPEN] > 0)
		(void)printf("%s being written\n", number_nouns(a,
		    x->n[BOB_SEGMENT_OPEN], "segment"));
	if (x->n[BOB_SEGMENT_LEFT] > 0)
		(void)printf("%s not sealed: 'bobbin store --seal' does it\n",
		    number_nouns(a, x->n[BOB_SEGMENT_LEFT], "segment"));
}

static void
put_row(struct grid *t, const struct bob_segment_info *g)
{
	int is_sealed = g->state == BOB_SEGMENT_SEALED;
	char a[NUMBER_TEXT], d[DATE_TEXT];
	const char *text[] = { g->service, g->host, g->name };
	size_t i;

	span_put(grid_cell(t), date_text(d, g->t_first));
	span_put(grid_cell(t), is_sealed && g->t_first != 0
	    ? number_time(a, g->t_last - g->t_first) : "");
	span_put(grid_cell(t), is_sealed ? number_count(a, g->n_samples) : "");
	span_put(grid_cell(t), number_bytes(a, g->size));
	span_put(grid_cell(t), state_name(g->state));
	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		span_safe(grid_cell(t), text[i], strlen(text[i]));
}

static int
print_table(const struct bob_store *s)
{
	struct grid t = { .column = { { "from (UTC)", 0, 0, 0 },
	    { "for", 1, 0, 3 }, { "samples", 1, 0, 0 }, { "size", 1, 0, 2 },
	    { "state", 0, 0, 0 }, { "service", 0, 0, 4 }, { "host", 0, 0, 5 },
	    { "segment", 0, 1, 0 } }, .n_columns = 8 };
	struct grid_style style = { .mark = "...", .keeps_end = 1 };
	const struct bob_segment_info *g;
	struct block b = { 0 };
	size_t i, lines;
	int r;

	if (isatty(STDOUT_FILENO))
		terminal_size(&style.width, &lines);
	for (i = 0; (g = bob_store_get(s, i)) != NULL; i++)
		put_row(&t, g);
	grid_calm(&t, &style, &b);
	r = block_is_whole(&b);
	if (r)
		block_print(&b, stdout, "\n");
	block_done(&b);
	grid_done(&t);
	return r ? EXIT_OK : msg_no_memory();
}

static int
print_text(const char *dir, const struct bob_store *s)
{
	struct sums x = add_up(s);

	print_sums(dir, &x);
	if (bob_store_count(s) == 0)
		return EXIT_OK;
	(void)putchar('\n');
	return print_table(s);
}

/* --- the command ---------------------------------------------------------- */

/* Seals what is to be sealed; goes on after a failure. */
static int
seal(struct bob_ctx *ctx, struct bob_store *s, const char *dir, int again)
{
	int code = EXIT_OK;
	size_t i;

	for (i = 0; i < bob_store_count(s); i++) {
		const struct bob_segment_info *g = bob_store_get(s, i);

		if (!again && g->state != BOB_SEGMENT_LEFT)
			continue;
		if (bob_store_seal(s, i, again ? BOB_SEAL_AGAIN : 0) >= 0)
			continue;
		msg_error("%s/%s: %s", dir, g->name, bob_ctx_error(ctx)->text);
		code = EXIT_FAILED;
	}
	return code;
}

static int
check(struct bob_ctx *ctx, struct bob_store *s)
{
	int code = EXIT_OK;
	size_t i;

	for (i = 0; i < bob_store_count(s); i++) {
		if (bob_store_get(s, i)->state != BOB_SEGMENT_SEALED ||
		    bob_store_check(s, i) == BOB_OK)
			continue;
		msg_error("%s", bob_ctx_error(ctx)->text);
		code = EXIT_FAILED;
	}
	return code;
}

static int
store_show(const struct args *args, struct bob_ctx *ctx, const char *dir)
{
	struct bob_store *s;
	int code = EXIT_OK, r;

	if (bob_store_open(ctx, dir, NULL, &s) < 0)
		return msg_ctx_error(ctx);
	if (args_has(args, OPT_SEAL) || args_has(args, OPT_REBUILD))
		code = seal(ctx, s, dir, args_has(args, OPT_REBUILD));
	if (args_has(args, OPT_CHECK) && check(ctx, s) != EXIT_OK)
		code = EXIT_FAILED;
	r = EXIT_OK;
	if (args_has(args, OPT_JSON))
		print_json(s);
	else
		r = print_text(dir, s);
	bob_store_close(s);
	return code != EXIT_OK ? code : r;
}

int
cmd_store(const struct args *args)
{
	struct bob_ctx *ctx;
	int code;

	if (args->n_operands != 1) {
		(void)msg_usage("store: no directory given");
		msg_hint("usage: bobbin store %s", args->command->synopsis);
		return EXIT_USAGE;
	}
	ctx = bob_ctx_new();
	if (ctx == NULL)
		return msg_no_memory();
	code = store_show(args, ctx, args->operands[0]);
	bob_ctx_free(ctx);
	return code;
}

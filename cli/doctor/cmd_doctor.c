/*
 * bobbin doctor: prints the checks of the library (bobbin/doctor.h) for this
 * machine or for some processes, and the processes that could be captured.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/doctor.h>

#include "capture/options.h"
#include "capture/processes.h"
#include "print/json.h"
#include "print/plain.h"
#include "print/grid.h"
#include "print/msg.h"

struct doctor {
	struct bob_ctx *ctx;
	struct processes processes;
	struct bob_attach_opts attach;
	struct json json;
	int is_json;
	int worst; /* enum bob_health */
	size_t n_listed;
	struct grid grid;
};

static const char *const words[] = { "ok", "warning", "problem" };

static void
on_check(void *user, const struct bob_check *k)
{
	static const char *const colors[] = { "32", "33", "31" };
	struct doctor *d = user;

	if (k->health > d->worst)
		d->worst = k->health;
	if (d->is_json) {
		json_open(&d->json, NULL, '{');
		json_str(&d->json, "name", k->name);
		json_str(&d->json, "health", words[k->health]);
		json_str(&d->json, "text", k->text);
		if (k->fix != NULL)
			json_str(&d->json, "fix", k->fix);
		json_close(&d->json, '{');
		return;
	}
	(void)printf("%s%-8s%s %-17s ", color_on(stdout, colors[k->health]),
	    words[k->health], color_off(stdout), k->name);
	(void)plain_safe_str(stdout, k->text);
	(void)putchar('\n');
	if (k->fix != NULL) {
		(void)printf("%27sfix: ", "");
		(void)plain_safe_str(stdout, k->fix);
		(void)putchar('\n');
	}
}

/* --- processes that could be read ----------------------------------------- */

static void
add_row(struct doctor *d, const struct bob_candidate *k)
{
	const struct passwd *user = getpwuid((uid_t)k->info->uid);
	struct grid *g = &d->grid;

	span_printf(grid_cell(g), "%llu", (unsigned long long)k->info->pid);
	if (user != NULL)
		span_put(grid_cell(g), user->pw_name);
	else
		span_printf(grid_cell(g), "%llu",
		    (unsigned long long)k->info->uid);
	span_put(grid_cell(g), k->runtime);
	span_put(grid_cell(g), k->why == NULL ? "yes" : "no");
	span_safe(grid_cell(g), k->info->command, strlen(k->info->command));
}

static int
on_candidate(void *user, const struct bob_candidate *k)
{
	struct doctor *d = user;

	if (k->info->pid == (uint64_t)getpid())
		return 0;
	d->n_listed++;
	if (!d->is_json) {
		add_row(d, k);
		return 0;
	}
	json_open(&d->json, NULL, '{');
	json_u64(&d->json, "pid", k->info->pid);
	json_u64(&d->json, "ppid", k->info->ppid);
	json_u64(&d->json, "uid", k->info->uid);
	json_str(&d->json, "runtime", k->runtime);
	json_bool(&d->json, "readable", k->why == NULL);
	if (k->why != NULL)
		json_str(&d->json, "why", k->why);
	if (k->fix != NULL)
		json_str(&d->json, "fix", k->fix);
	json_str(&d->json, "command", k->info->command);
	json_close(&d->json, '{');
	return 0;
}

static void
show_list(struct doctor *d)
{
	const struct grid_style style = { .width = 100, .mark = "..." };
	struct block b = { 0 };

	if (d->n_listed == 0) {
		(void)printf("\nNo PHP or Python process is running.\n");
		return;
	}
	(void)printf("\nPHP and Python processes, and whether they may be "
	    "read (-p PID shows why):\n");
	grid_box(&d->grid, &style, &b);
	if (block_is_whole(&b))
		block_print(&b, stdout, "\n");
	block_done(&b);
}

static int
check_machine(struct doctor *d)
{
	static const struct grid_column columns[] = {
		{ "pid", 1, 0 }, { "user", 0, 0 }, { "runtime", 0, 0 },
		{ "readable", 0, 0 }, { "command", 0, 1 } };
	int r;

	memcpy(d->grid.column, columns, sizeof(columns));
	d->grid.n_columns = sizeof(columns) / sizeof(columns[0]);
	if (d->is_json)
		json_open(&d->json, "machine", '[');
	r = bob_check_machine(d->ctx, ".", on_check, d);
	if (d->is_json) {
		json_close(&d->json, '[');
		json_open(&d->json, "processes", '[');
	}
	if (r == BOB_OK)
		r = bob_candidates(d->ctx, on_candidate, d);
	if (d->is_json)
		json_close(&d->json, '[');
	else
		show_list(d);
	return r;
}

/* --- one process ---------------------------------------------------------- */

static int
check_processes(struct doctor *d)
{
	size_t i;
	int r = BOB_OK;

	if (d->is_json)
		json_open(&d->json, "processes", '[');
	for (i = 0; r == BOB_OK && i < d->processes.n; i++) {
		uint64_t pid = d->processes.v[i].pid;

		if (d->is_json) {
			json_open(&d->json, NULL, '{');
			json_u64(&d->json, "pid", pid);
			json_open(&d->json, "checks", '[');
		} else {
			(void)printf("%sProcess %llu\n", i > 0 ? "\n" : "",
			    (unsigned long long)pid);
		}
		r = bob_check_process(d->ctx, pid, &d->attach, on_check, d);
		if (d->is_json) {
			json_close(&d->json, '[');
			json_close(&d->json, '{');
		}
	}
	if (d->is_json)
		json_close(&d->json, '[');
	return r;
}

static int
doctor(struct doctor *d)
{
	int is_about_processes = processes_are_given(&d->processes);
	int r;

	if (is_about_processes && d->processes.n == 0) {
		msg_error("no process matches '%s'", d->processes.pattern);
		return EXIT_FAILED;
	}
	d->json.f = stdout;
	if (d->is_json)
		json_open(&d->json, NULL, '{');
	r = is_about_processes ? check_processes(d) : check_machine(d);
	if (d->is_json) {
		json_str(&d->json, "verdict", words[d->worst]);
		json_close(&d->json, '{');
		json_end(&d->json);
	}
	if (r < 0) {
		msg_error("%s", bob_ctx_error(d->ctx)->text);
		return EXIT_FAILED;
	}
	return d->worst == BOB_HEALTH_PROBLEM ? EXIT_FAILED : EXIT_OK;
}

int
cmd_doctor(const struct args *args)
{
	struct doctor d;
	int code;

	memset(&d, 0, sizeof(d));
	d.is_json = args_has(args, OPT_JSON);
	d.ctx = bob_ctx_new();
	if (d.ctx == NULL)
		return msg_no_memory();
	code = processes_init(&d.processes, args, 1);
	if (code == EXIT_OK)
		code = capture_set_attach(args, &d.attach);
	if (code == EXIT_OK)
		code = processes_find(&d.processes, d.ctx);
	if (code == EXIT_OK)
		code = doctor(&d);
	processes_done(&d.processes);
	grid_done(&d.grid);
	bob_ctx_free(d.ctx);
	return code;
}

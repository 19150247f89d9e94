/* bobbin view: from options and inputs to a page in the browser. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/source.h>

#include "args/values.h"
#include "browser.h"
#include "follow.h"
#include "input/job.h"
#include "input/sources.h"
#include "print/msg.h"
#include "recording.h"
#include "reply.h"
#include "system/clock.h"
#include "system/signals.h"
#include "view.h"

/* Room for the names of inputs in the title. */
#define TITLE 512

/* How long a server waits for a request, and how often inputs that grow are
 * read. */
#define WAIT_MS 200
#define GROW_US 1000000

/* A server whose browser was started by it ends when no page has asked for so
 * long. Pages that are looked at ask every few seconds; browsers let hidden
 * ones ask once a minute. */
#define LEFT_US (150 * 1000000ULL)

struct viewing {
	const struct args *args; /* as they were given */
	struct view view;
	struct args own;         /* what the page reads, and how */
	const char *input;       /* of own, if there is a recording */
	struct job job;
	struct follow follow;
	struct bob_sources *sources;
	struct recording recording;
	struct browser browser;
	uint64_t asked; /* monotonic us of the last question */
};

static int
on_progress(void *user, uint64_t done)
{
	const struct viewing *v = user;

	progress_show(done, v->job.size);
	return *signals_stopped();
}

/* ---- Inputs ------------------------------------------------------------ */

/* Damage ends an input, but what was read before is shown. */
static int
read_inputs(struct viewing *v)
{
	struct bob_profile_opts o = { .size = sizeof(o),
		.format = v->job.from, .flags = VIEW_FLAGS,
		.filter = v->job.filter, .options = &v->job.dialect,
		.n_options = job_n_options(&v->job), .progress = on_progress,
		.user = v };
	size_t i;
	int r, code = EXIT_OK;

	if (job_passes_damage(&v->job))
		o.flags |= BOB_PROFILE_RECOVER;
	if (v->view.follows)
		o.flags |= BOB_PROFILE_FOLLOW;
	if (bob_profile_new(v->job.ctx, &o, &v->view.profile) < 0)
		return job_error(&v->job);
	for (i = 0; i < v->job.n_inputs; i++) {
		r = bob_profile_add(v->view.profile, v->job.inputs[i],
		    v->view.is_diff && i == 1);
		progress_wipe();
		if (r == BOB_WARN && code == EXIT_OK)
			code = EXIT_PARTIAL;
		else if (r < BOB_WARN)
			code = job_error(&v->job);
	}
	if (job_tell_damage(&v->job, 1) != EXIT_OK && code == EXIT_OK)
		code = EXIT_PARTIAL;
	return code;
}

/* The recorder has written all before it ended. */
static void
end_recording(struct viewing *v)
{
	follow_read(&v->follow);
	v->view.follows = 0;
	v->view.state = VIEW_ENDED;
	v->view.version++;
	msg_note("the recording has ended; the page stays until Ctrl-C");
}

static void
tend_recording(struct viewing *v)
{
	if (v->view.state != VIEW_RECORDING)
		return;
	if (recording_is_over(&v->recording))
		end_recording(v);
	v->view.recorded_us = recording_age(&v->recording);
}

static char *
make_title(const struct viewing *v)
{
	char *title = v->recording.title != NULL ? strdup(v->recording.title)
	    : calloc(1, TITLE);
	size_t at = 0, i;

	if (v->recording.title != NULL)
		return title;

	for (i = 0; title != NULL && i < v->job.n_inputs && at < TITLE; i++)
		at += (size_t)snprintf(title + at, TITLE - at, "%s%s",
		    i == 0 ? "" : v->view.is_diff ? " -> " : ", ",
		    job_name(v->job.inputs[i]));
	if (title != NULL && v->job.title != NULL)
		(void)snprintf(title, TITLE, "%s", v->job.title);
	return title;
}

/* ---- The server -------------------------------------------------------- */

static int
set_address(const struct args *args, struct server_opts *o)
{
	const char *port = args_value(args, OPT_PORT);
	uint64_t n = 0;
	int r = EXIT_OK;

	o->bind = args_value(args, OPT_BIND);
	if (port != NULL)
		r = value_count("port", port, 0, UINT16_MAX,
		    "0 is any that is free", &n);
	o->port = (uint16_t)n;
	return r;
}

/* Standard output belongs to a command that was started. */
static void
say_where(const struct viewing *v, const struct server_opts *o,
    const char *url)
{
	FILE *to = v->recording.is_command ? stderr : stdout;

	(void)fprintf(to, "%s\n", url);
	(void)fflush(to);
	if (o->bind != NULL && !server_is_loopback(o->bind))
		msg_warn("other machines can connect to %s; the address above "
		    "is the only secret, and is sent unencrypted", o->bind);
	msg_note("open this address in a browser; Ctrl-C ends the %s",
	    v->recording.pid != 0 ? "recording and the server" : "server");
	if (v->recording.folder != NULL)
		msg_note("the recording is temporary; -o FILE keeps it");
}

/* Called for each request that has the secret. */
static uint64_t
on_limit(void *user, const struct request *rq)
{
	struct viewing *v = user;

	v->asked = now_us();
	browser_forget(&v->browser);
	return view_limit(rq);
}

static void
on_request(void *user, const struct request *rq, struct reply *ret)
{
	struct viewing *v = user;

	view_reply(&v->view, rq, ret);
}

/* A recording goes on without a page. */
static int
is_left(struct viewing *v)
{
	return browser_is_open(&v->browser) &&
	    v->view.state != VIEW_RECORDING && now_us() - v->asked > LEFT_US;
}

static int
serve(struct viewing *v, struct server *s)
{
	const volatile int *stopped = signals_stopped();
	uint64_t grown = now_us();

	v->asked = now_us();
	while (!*stopped) {
		if (server_run(s, WAIT_MS) < 0) {
			msg_error("view: the server failed");
			return EXIT_FAILED;
		}
		if (v->view.follows && now_us() - grown >= GROW_US) {
			follow_read(&v->follow);
			grown = now_us();
		}
		tend_recording(v);
		if (is_left(v)) {
			msg_note("no page is open any more; the end");
			break;
		}
	}
	return EXIT_OK;
}

static void
catch_signals(void)
{
	signals_catch_stop(SIGINT, SIGNALS_ONCE);
	signals_catch_stop(SIGTERM, SIGNALS_ONCE);
	signals_catch_stop(SIGHUP, SIGNALS_ONCE);
}

static int
show(struct viewing *v, const struct args *args)
{
	struct server_opts o = { .limit = on_limit,
		.handle = on_request, .user = v };
	struct server *s = NULL;
	struct server_error err;
	int code = set_address(args, &o);

	if (code != EXIT_OK)
		return code;
	if (server_start(&o, &s, &err) < 0) {
		msg_error("view: %s", err.text);
		if (err.hint != NULL)
			msg_hint("%s", err.hint);
		return EXIT_FAILED;
	}
	catch_signals();
	say_where(v, &o, server_url(s));
	if (!args_has(args, OPT_NO_OPEN))
		browser_open(&v->browser, server_url(s));
	code = serve(v, s);
	browser_done(&v->browser);
	server_free(s);
	return code;
}

static int
can_read_again(const struct job *j)
{
	size_t i;

	for (i = 0; i < j->n_inputs; i++)
		if (strcmp(j->inputs[i], "-") == 0)
			return 0;
	return 1;
}

static int
has_samples(const struct view *v)
{
	return bob_profile_info(v->profile, 0).n_samples > 0 ||
	    (v->is_diff && bob_profile_info(v->profile, 1).n_samples > 0);
}

static int
view(struct viewing *v, const struct args *args)
{
	int shown, code = read_inputs(v);

	if (code == EXIT_USAGE || v->view.profile == NULL)
		return code;
	if (!v->view.follows && !has_samples(&v->view)) {
		if (code == EXIT_OK)
			msg_error("no samples%s to show", v->job.filter != NULL
			    ? " that pass the filters" : "");
		return EXIT_FAILED;
	}
	if (can_read_again(&v->job))
		v->view.job = &v->job;
	if (v->view.follows && follow_init(&v->follow, &v->view, &v->job) < 0)
		return msg_no_memory();
	cache_init(&v->view.cache, v->view.profile);
	shown = show(v, args);
	cache_clear(&v->view.cache);
	follow_done(&v->follow);
	return shown != EXIT_OK ? shown : code;
}

static int
set_options(struct viewing *v, const struct args *args)
{
	v->view.follows = args_has(args, OPT_FOLLOW);
	if (v->view.follows && v->view.state == VIEW_COMPLETE)
		v->view.state = VIEW_FOLLOWING;
	v->view.is_diff = args_has(args, OPT_DIFF);
	/* All samples are read: the page can show idle ones at any time. */
	v->view.idle = v->job.filters.spec.idle;
	v->job.filters.spec.idle = BOB_IDLE_KEEP;
	if (!v->view.is_diff || v->job.n_inputs == 2)
		return EXIT_OK;
	(void)msg_usage("view: --diff compares two inputs, not %zu",
	    v->job.n_inputs);
	msg_hint("as in bobbin view --diff before.rbt after.rbt");
	return EXIT_USAGE;
}

/* ---- The command ------------------------------------------------------- */

/* Options of a recording are a mistake if there is none. */
static int
check_options(const struct args *args)
{
	const struct opt *o;
	size_t i;

	for (i = 0; i < args->n_opts; i++) {
		o = &args->opts[i].opt;
		if (o->id == OPT_PID || (o->group != GROUP_CAPTURE &&
		    o->id != OPT_OUTPUT && o->id != OPT_FORCE))
			continue;
		(void)msg_usage("view: --%s is for a recording", o->name);
		msg_hint("without inputs, -p PID or -P PATTERN samples what "
		    "runs, and -- COMMAND... starts one");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

/* What the page reads. -p selects samples of the inputs; of a recording, whose
 * file is followed, it has selected the process. */
static int
set_arguments(struct viewing *v)
{
	static const struct arg follow = { .opt = { .id = OPT_FOLLOW,
	    .name = "follow", .group = GROUP_INPUT } };
	int is_recorded = v->recording.pid != 0;
	struct args *own = &v->own;
	size_t i;

	*own = *v->args;
	own->opts = calloc(v->args->n_opts + 1, sizeof(*own->opts));
	if (own->opts == NULL)
		return msg_no_memory();
	own->n_opts = 0;
	for (i = 0; i < v->args->n_opts; i++) {
		struct arg a = v->args->opts[i];

		if (a.opt.id == OPT_PID && is_recorded)
			continue;
		if (a.opt.id == OPT_PID)
			a.opt.group = GROUP_FILTER;
		own->opts[own->n_opts++] = a;
	}
	if (is_recorded) {
		own->opts[own->n_opts++] = follow;
		v->input = v->recording.path;
		own->operands = &v->input;
		own->n_operands = own->n_plain = 1;
	}
	return EXIT_OK;
}

static int
begin_recording(struct viewing *v)
{
	int code;

	if (!recording_is_asked(v->args))
		return check_options(v->args);
	catch_signals();
	code = recording_start(&v->recording, v->args);
	if (code == EXIT_OK)
		v->view.state = VIEW_RECORDING;
	return code;
}

/* How the recording ended counts most: it is the status of the command. */
static int
end_all(struct viewing *v, int code)
{
	int recorded = recording_end(&v->recording);

	return recorded != EXIT_OK ? recorded : code;
}

int
cmd_view(const struct args *args)
{
	struct viewing v = { .args = args };
	char *title = NULL;
	int code = begin_recording(&v);

	if (code == EXIT_OK)
		code = set_arguments(&v);
	if (code == EXIT_OK)
		code = job_init(&v.job, &v.own);
	if (code == EXIT_OK)
		code = sources_open(&v.own, &v.sources);
	if (code == EXIT_OK)
		code = set_options(&v, &v.own);
	if (code == EXIT_OK) {
		v.view.ctx = v.job.ctx;
		v.view.sources = v.sources;
		v.view.title = title = make_title(&v);
		code = title != NULL ? view(&v, args) : msg_no_memory();
	}
	bob_profile_free(v.view.profile);
	bob_sources_free(v.sources);
	free(title);
	job_done(&v.job);
	free(v.own.opts);
	return end_all(&v, code);
}

/* A recorder in a process of its own; see the header. */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/convert.h>

#include "capture/child.h"
#include "output/outname.h"
#include "print/msg.h"
#include "record/host.h"
#include "system/clock.h"
#include "system/signals.h"

/* Room for the name of a temporary file, and for what is recorded. */
#define NAME 4096
#define TITLE 160

static int
has_command(const struct args *args)
{
	return args->n_operands > args->n_plain;
}

int
recording_is_asked(const struct args *args)
{
	return has_command(args) || (args->n_plain == 0 &&
	    !args_has(args, OPT_STORE) &&
	    (args_has(args, OPT_PID) || args_has(args, OPT_PROCESS)));
}

/* ---- What is asked for ------------------------------------------------- */

static int
check(const struct args *args)
{
	const char *path = args_value(args, OPT_OUTPUT);
	const struct bob_format_info *f = path == NULL ? NULL
	    : bob_format_of_path(path);
	const char *two = NULL;

	if (args->n_plain > 0)
		two = "inputs or a command";
	else if (has_command(args) && (args_has(args, OPT_PID) ||
	    args_has(args, OPT_PROCESS)))
		two = "processes or a command";
	else if (args_has(args, OPT_DIFF))
		two = "--diff or a recording";
	if (two != NULL) {
		(void)msg_usage("view: %s, not both", two);
		msg_hint("-p PID or -P PATTERN samples what runs, -- "
		    "COMMAND... starts one");
		return EXIT_USAGE;
	}
	if (path == NULL || (!outname_is_pattern(path) &&
	    strcmp(path, "-") != 0 &&
	    (f == NULL || strcmp(f->name, "rbt") == 0)))
		return EXIT_OK;
	(void)msg_usage("view: what is recorded for the page is one .rbt file, "
	    "not '%s'", path);
	msg_hint("'bobbin convert' makes other formats of it");
	return EXIT_USAGE;
}

/* The process, the pattern, or the words of the command. */
static char *
make_title(const struct args *args)
{
	char *title = calloc(1, TITLE);
	size_t i, at = 0, n_pids = args_count(args, OPT_PID);

	if (title == NULL)
		return NULL;
	for (i = 0; i < args->n_operands && at < TITLE; i++)
		at += (size_t)snprintf(title + at, TITLE - at, "%s%s",
		    i == 0 ? "" : " ", args->operands[i]);
	if (args_has(args, OPT_PROCESS))
		(void)snprintf(title, TITLE, "processes that match %s",
		    args_value(args, OPT_PROCESS));
	else if (n_pids > 1)
		(void)snprintf(title, TITLE, "%zu processes", n_pids);
	else if (n_pids == 1)
		(void)snprintf(title, TITLE, "process %s",
		    args_value(args, OPT_PID));
	return title;
}

static char *
make_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = malloc(NAME);

	if (folder == NULL) {
		(void)msg_no_memory();
		return NULL;
	}
	(void)snprintf(folder, NAME, "%s/bobbin-view-XXXXXX",
	    tmp != NULL && *tmp == '/' ? tmp : "/tmp");
	if (mkdtemp(folder) != NULL)
		return folder;
	msg_error("%s: %s", folder, strerror(errno));
	msg_hint("TMPDIR names another place, and -o FILE keeps the recording");
	free(folder);
	return NULL;
}

static int
name_file(struct recording *r, const struct args *args)
{
	const char *path = args_value(args, OPT_OUTPUT);

	if (path != NULL) {
		r->path = strdup(path);
		return r->path != NULL ? EXIT_OK : msg_no_memory();
	}
	r->folder = make_folder();
	if (r->folder == NULL)
		return EXIT_FAILED;
	r->path = malloc(NAME + sizeof("/live.rbt"));
	if (r->path == NULL)
		return msg_no_memory();
	(void)snprintf(r->path, NAME + sizeof("/live.rbt"), "%s/live.rbt",
	    r->folder);
	return EXIT_OK;
}

/* The recorder gets what is about the capture and its file. Filters are the
 * page's: the file has all samples. */
static int
set_arguments(struct recording *r, const struct args *args)
{
	struct args *to = &r->record;
	struct arg output = { .opt = { .id = OPT_OUTPUT, .name = "output",
	    .group = GROUP_OUTPUT }, .value = r->path };
	size_t i;

	*to = *args;
	to->command = command_named("record", &to->spelling);
	to->n_opts = 0;
	to->opts = calloc(args->n_opts + 1, sizeof(*to->opts));
	if (to->opts == NULL)
		return msg_no_memory();
	for (i = 0; i < args->n_opts; i++)
		if (args->opts[i].opt.group == GROUP_CAPTURE ||
		    args->opts[i].opt.id == OPT_FORCE)
			to->opts[to->n_opts++] = args->opts[i];
	to->opts[to->n_opts++] = output;
	return EXIT_OK;
}

/* ---- The recorder ------------------------------------------------------ */

/* In the recorder. Its end, also by an error, closes the descriptor. */
static void
run_recorder(const struct recording *r, int begun_fd)
{
	const struct record_host host = { begun_fd, r->folder != NULL };
	int code;

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	code = record_for(&r->record, &host);
	(void)fflush(NULL);
	_exit(code);
}

static int
start_recorder(struct recording *r, int *ret_fd)
{
	int fd[2];

	if (pipe(fd) < 0 || fcntl(fd[0], F_SETFD, FD_CLOEXEC) < 0 ||
	    fcntl(fd[1], F_SETFD, FD_CLOEXEC) < 0) {
		msg_error("view: %s", strerror(errno));
		return EXIT_FAILED;
	}
	r->pid = (int)fork();
	if (r->pid == 0) {
		(void)close(fd[0]);
		run_recorder(r, fd[1]);
	}
	(void)close(fd[1]);
	if (r->pid < 0) {
		r->pid = 0;
		(void)close(fd[0]);
		msg_error("view: no process for the recording: %s",
		    strerror(errno));
		return EXIT_FAILED;
	}
	*ret_fd = fd[0];
	return EXIT_OK;
}

/* Waits for the byte that says that the file has begun. Returns 1; 0 if the
 * recorder has ended without it. */
static int
has_begun(const struct recording *r, int fd)
{
	const volatile int *signal = signals_for_child();
	int told = 0;
	ssize_t n;
	char byte;

	while ((n = read(fd, &byte, 1)) < 0 && errno == EINTR) {
		if (*signal != told)
			(void)kill(r->pid, *signal);
		told = *signal;
	}
	(void)close(fd);
	return n == 1;
}

int
recording_start(struct recording *r, const struct args *args)
{
	int code, fd = -1;

	memset(r, 0, sizeof(*r));
	code = check(args);
	if (code != EXIT_OK)
		return code;
	r->is_command = has_command(args);
	r->title = make_title(args);
	code = r->title != NULL ? name_file(r, args) : msg_no_memory();
	if (code == EXIT_OK)
		code = set_arguments(r, args);
	if (code == EXIT_OK)
		code = start_recorder(r, &fd);
	if (code != EXIT_OK)
		return code;
	r->start_us = now_us();
	if (has_begun(r, fd))
		return EXIT_OK;
	code = recording_end(r);
	return code != EXIT_OK ? code : EXIT_FAILED;
}

int
recording_is_over(struct recording *r)
{
	if (r->end_us == 0 && child_has_ended(r->pid))
		r->end_us = now_us();
	return r->end_us != 0;
}

uint64_t
recording_age(const struct recording *r)
{
	return (r->end_us != 0 ? r->end_us : now_us()) - r->start_us;
}

static void
remove_file(const struct recording *r)
{
	if (r->folder == NULL)
		return;
	if (r->path != NULL && unlink(r->path) < 0 && errno != ENOENT)
		msg_warn("%s: %s", r->path, strerror(errno));
	(void)rmdir(r->folder);
}

/* A ^C has reached the recorder too; other signals are passed on. Without any,
 * the server could not go on. */
static int
wait_for_recorder(const struct recording *r)
{
	int status;

	if (!*signals_stopped() && !child_has_ended(r->pid))
		(void)kill(r->pid, SIGTERM);
	status = child_wait(r->pid, signals_for_child());
	if (status < 0)
		return EXIT_FAILED;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
	                           : WEXITSTATUS(status);
}

int
recording_end(struct recording *r)
{
	int code = r->pid != 0 ? wait_for_recorder(r) : EXIT_OK;

	remove_file(r);
	free(r->record.opts);
	free(r->title);
	free(r->path);
	free(r->folder);
	memset(r, 0, sizeof(*r));
	return code;
}

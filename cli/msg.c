/*
 * Messages, colours, progress. The settings are the only global state of the
 * command beside the name that a signal has to clean up (outfile.c): every
 * function may have to say something, and there is one standard error.
 */
#include "msg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plain.h"

/* SGR sequences are put together in a few buffers in turn, so that some can
 * be used in one printf. */
#define N_SGR 8

static struct {
	int quiet;
	int color_out, color_err;
	int shows_progress;
	int has_progress; /* a progress line is on the screen */
	double t_start, t_shown;
	char sgr[N_SGR][16];
	unsigned n_sgr;
} state;

static int
is_smart_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term != NULL && strcmp(term, "dumb") != 0;
}

static int
wants_color(enum color_when when, int fd)
{
	const char *no = getenv("NO_COLOR");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return (no == NULL || *no == '\0') && is_smart_terminal(fd);
}

static double
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void
msg_setup(enum color_when color, int quiet)
{
	state.quiet = quiet;
	state.color_out = wants_color(color, STDOUT_FILENO);
	state.color_err = wants_color(color, STDERR_FILENO);
	state.shows_progress = !quiet && is_smart_terminal(STDERR_FILENO);
	state.t_start = now();
}

int
msg_is_quiet(void)
{
	return state.quiet;
}

const char *
color_on(const FILE *f, const char *sgr)
{
	char *buf = state.sgr[state.n_sgr++ % N_SGR];

	if (!(f == stdout ? state.color_out : state.color_err))
		return "";
	(void)snprintf(buf, sizeof(state.sgr[0]), "\033[%sm", sgr);
	return buf;
}

const char *
color_off(const FILE *f)
{
	return color_on(f, "0");
}

static void BOB_PRINTF(3, 0)
say(const char *sgr, const char *prefix, const char *fmt, va_list ap)
{
	char text[4 * BOB_MAX_TEXT];

	progress_wipe();
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	(void)fprintf(stderr, "%s%s%s", color_on(stderr, sgr), prefix,
	    color_off(stderr));
	(void)plain_safe_str(stderr, text);
	(void)fputc('\n', stderr);
}

void
msg_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("1;31", "bobbin: ", fmt, ap);
	va_end(ap);
}

void
msg_warn(const char *fmt, ...)
{
	va_list ap;

	if (state.quiet)
		return;
	va_start(ap, fmt);
	say("1;33", "bobbin: warning: ", fmt, ap);
	va_end(ap);
}

void
msg_note(const char *fmt, ...)
{
	va_list ap;

	if (state.quiet)
		return;
	va_start(ap, fmt);
	say("1", "bobbin: note: ", fmt, ap);
	va_end(ap);
}

void
msg_hint(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("1;36", "hint: ", fmt, ap);
	va_end(ap);
}

void
msg_report(const char *fmt, ...)
{
	va_list ap;

	if (state.quiet)
		return;
	va_start(ap, fmt);
	say("0", "", fmt, ap);
	va_end(ap);
}

int
msg_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("1;31", "bobbin: ", fmt, ap);
	va_end(ap);
	return EXIT_USAGE;
}

int
msg_value(const char *option, const char *value, const char *what,
    const char *hint)
{
	(void)msg_usage("--%s '%s' %s", option, value, what);
	msg_hint("%s", hint);
	return EXIT_USAGE;
}

int
msg_exit_code(const struct bob_error *e)
{
	return e->code == BOB_E_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

const char *
msg_code_name(int code)
{
	switch (code) {
	case BOB_E_NONE:
		return "none";
	case BOB_E_IO:
		return "io";
	case BOB_E_NOMEM:
		return "out-of-memory";
	case BOB_E_CORRUPT:
		return "corrupt";
	case BOB_E_TRUNCATED:
		return "truncated";
	case BOB_E_LIMIT:
		return "limit";
	case BOB_E_UNSUPPORTED:
		return "unsupported";
	case BOB_E_FORMAT:
		return "format";
	case BOB_E_BUDGET:
		return "budget";
	case BOB_E_USAGE:
		return "usage";
	}
	return "other";
}

void
progress_show(uint64_t done, uint64_t total)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER], c[PLAIN_NUMBER];
	double t = now(), seconds = t - state.t_start;

	if (!state.shows_progress || seconds < 0.5 || t - state.t_shown < 0.1)
		return;
	state.t_shown = t;
	state.has_progress = 1;
	(void)plain_bytes(a, done);
	(void)plain_bytes(c, (uint64_t)((double)done / seconds));
	if (total == 0)
		(void)fprintf(stderr, "\r\033[K%s, %s/s", a, c);
	else
		(void)fprintf(stderr, "\r\033[K%3.0f %%  %s of %s, %s/s",
		    100 * (double)done / (double)total, a,
		    plain_bytes(b, total), c);
	(void)fflush(stderr);
}

void
progress_line(const char *line)
{
	double t = now();

	if (!state.shows_progress || t - state.t_shown < 0.1)
		return;
	state.t_shown = t;
	state.has_progress = 1;
	(void)fprintf(stderr, "\r\033[K%s", line);
	(void)fflush(stderr);
}

void
progress_wipe(void)
{
	if (!state.has_progress)
		return;
	state.has_progress = 0;
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
}

int
msg_close_stdout(void)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) != 0)
		failed = 1;
	if (!failed)
		return EXIT_OK;
	msg_error("standard output: %s",
	    errno != 0 ? strerror(errno) : "write failed");
	return EXIT_FAILED;
}

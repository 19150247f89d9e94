/*
 * Messages, colours, progress. Their settings are global, as any function may
 * print a message and there is one standard error. The other globals of the
 * command are those that signal handlers need (system/signals.c,
 * output/outfile.c).
 */
#include "msg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plain.h"
#include "system/clock.h"
#include "system/terminal.h"
#include "text/safe.h"
#include "text/wrap.h"

/* SGR sequences use a few buffers in turn, so that one printf can have several
 * of them. */
#define N_SGR 8

/* Columns before the second and later lines of a message. */
#define HANGING 2

#define HINT "hint: "

/* Between two progress lines. */
#define BETWEEN_US 100000

static struct {
	int quiet;
	int color_out, color_err;
	int shows_progress;
	int has_progress; /* a progress line is on the screen */
	uint64_t t_start, t_shown; /* microseconds */
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

void
msg_setup(enum color_when color, int quiet)
{
	state.quiet = quiet;
	state.color_out = wants_color(color, STDOUT_FILENO);
	state.color_err = wants_color(color, STDERR_FILENO);
	state.shows_progress = !quiet && is_smart_terminal(STDERR_FILENO);
	state.t_start = now_us();
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

/* Safe text in lines of the terminal, from a column on. */
static void
put_lines(const char *text, size_t column, size_t width)
{
	size_t n = strlen(text), len, next;

	for (;;) {
		len = wrap_line(text, n, column, column > HANGING, width,
		    &next);
		(void)fwrite(text, 1, len, stderr);
		text += next;
		n -= next;
		if (n == 0)
			return;
		(void)fprintf(stderr, "\r\n%*s", HANGING, "");
		column = HANGING;
	}
}

/* The same for foreign text; without memory as one line. */
static void
put_text(const char *text, size_t column)
{
	size_t width, lines, n = 0;
	char *safe = NULL;
	FILE *to;

	terminal_size(&width, &lines);
	if (!isatty(STDERR_FILENO) ||
	    column + safe_width(text, strlen(text), 0) <= width ||
	    (to = open_memstream(&safe, &n)) == NULL) {
		(void)plain_safe_str(stderr, text);
		return;
	}
	(void)plain_safe_str(to, text);
	if (fclose(to) == 0)
		put_lines(safe, column, width);
	free(safe);
}

static void BOB_PRINTF(3, 0)
say(const char *sgr, const char *prefix, const char *fmt, va_list ap)
{
	int is_hint = strcmp(prefix, HINT) == 0;
	char text[4 * BOB_MAX_TEXT];

	progress_wipe();
	if (terminal_is_raw(STDERR_FILENO))
		(void)fputc('\r', stderr);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	(void)fprintf(stderr, "%s%s%s", color_on(stderr, sgr), prefix,
	    color_off(stderr));
	/* A terminal copies a line that it has broken as one: a command in a
	 * hint stays whole. */
	if (is_hint)
		(void)plain_safe_str(stderr, text);
	else
		put_text(text, strlen(prefix));
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
msg_step(const char *fmt, ...)
{
	va_list ap;

	if (state.quiet)
		return;
	va_start(ap, fmt);
	say("1", "bobbin: ", fmt, ap);
	va_end(ap);
}

void
msg_hint(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("1;36", HINT, fmt, ap);
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
msg_no_memory(void)
{
	msg_error("out of memory");
	return EXIT_FAILED;
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

int
msg_ctx_error(const struct bob_ctx *ctx)
{
	const struct bob_error *e = bob_ctx_error(ctx);

	msg_error("%s", e->text);
	return msg_exit_code(e);
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
	case BOB_E_SKIPPED:
		return "skipped";
	case BOB_E_PLAN:
		return "plan";
	}
	return "other";
}

void
progress_show(uint64_t done, uint64_t total)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];
	uint64_t t = now_us();
	double seconds = (double)(t - state.t_start) / 1e6;

	if (!state.shows_progress || seconds < 0.5 ||
	    t < state.t_shown + BETWEEN_US)
		return;
	state.t_shown = t;
	state.has_progress = 1;
	(void)number_bytes(a, done);
	(void)number_bytes(c, (uint64_t)((double)done / seconds));
	if (total == 0)
		(void)fprintf(stderr, "\r\033[K%s, %s/s", a, c);
	else
		(void)fprintf(stderr, "\r\033[K%3.0f %%  %s of %s, %s/s",
		    100 * (double)done / (double)total, a,
		    number_bytes(b, total), c);
	(void)fflush(stderr);
}

void
progress_line(const char *line)
{
	uint64_t t = now_us();

	if (!state.shows_progress || t < state.t_shown + BETWEEN_US)
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
	int failed = ferror(stdout), sys = 0;

	errno = 0;
	if (fflush(stdout) != 0) {
		sys = errno;
		failed = 1;
	}
	if (!failed)
		return EXIT_OK;
	msg_error("standard output: %s",
	    sys != 0 ? strerror(sys) : "write failed");
	return EXIT_FAILED;
}

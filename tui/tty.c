/*
 * ncurses on /dev/tty, so that standard input may be a trace. Keys are read
 * here and not by ncurses: then the same bytes are the same key on every
 * terminal, key maps can name any sequence, and no call blocks inside ncurses.
 */
#include "tty.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "background.h"
#include "tty_color.h"
#include "tty_signal.h"

/* How long the end waits for an answer that has not come, and after how many
 * keys none is expected any more. */
#define ANSWER_MS 50
#define MAX_LOOKS 32

static struct {
	SCREEN *screen;
	FILE *out;
	int fd;
	int is_ascii;
	struct canvas shown; /* what the terminal has */
	int is_known;        /* `shown` is right */
	char restore[256];   /* ends full screen, by its own description */
	int no_color;
	int is_asked;        /* for its background, and may yet answer */
	int n_looks;         /* how often it sent something else */
	char read[256];      /* what was read while looking for the answer */
	size_t n_read, held; /* the last `held` are perhaps a part of it */
} tty = { .fd = -1 };

static int
tty_fail(char *err, size_t n, const char *why)
{
	(void)snprintf(err, n, "%s", why);
	tty_close();
	return -1;
}

/* Adds a string of the terminal's description, without its delays. */
static void
add_restore(const char *name)
{
	const char *s = tigetstr(name);
	size_t at = strlen(tty.restore);

	if (s == NULL || s == (const char *)-1)
		return;
	while (*s != '\0' && at + 1 < sizeof(tty.restore)) {
		if (s[0] == '$' && s[1] == '<') {
			s += strcspn(s, ">");
			s += *s == '>';
			continue;
		}
		tty.restore[at++] = *s++;
	}
	tty.restore[at] = '\0';
}

/* Starts ncurses: modes, colours, and how to end full screen. */
static int
start_curses(const struct tty_opts *o)
{
	char buf[64];
	const char *type = tty_color_type(buf, sizeof(buf), o->no_color);

	if (!tty_color_is_able(type))
		return -1;
	tty.screen = newterm(type, tty.out, tty.out);
	if (tty.screen == NULL)
		return -1;
	(void)set_term(tty.screen);
	(void)raw();
	(void)noecho();
	(void)nonl();
	(void)curs_set(0);
	(void)leaveok(stdscr, FALSE);
	tty.no_color = o->no_color;
	tty.n_looks = 0;
	tty.is_asked = tty_color_init(o->theme, o->no_color) &&
	    background_may_be_asked(getenv("TERM"));
	tty.restore[0] = '\0';
	add_restore("sgr0");
	add_restore("cnorm");
	add_restore("rmcup");
	return 0;
}

int
tty_open(const struct tty_opts *o, char *err, size_t n)
{
	struct termios before;
	int fd;

	(void)setlocale(LC_CTYPE, "");
	tty.is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	tty.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (tty.fd < 0)
		return tty_fail(err, n, "there is no terminal");
	if (tcgetattr(tty.fd, &before) < 0)
		return tty_fail(err, n, strerror(errno));
	fd = dup(tty.fd);
	tty.out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (tty.out == NULL)
		return tty_fail(err, n, strerror(errno));
	if (tty_signal_init(tty.fd, &before) < 0)
		return tty_fail(err, n, strerror(errno));
	if (start_curses(o) < 0)
		return tty_fail(err, n, "the terminal type in $TERM is not "
		    "known here, or it cannot do full screen");
	tty_signal_take(tty.restore);
	if (tty.is_asked)
		tty.is_asked = fputs(BACKGROUND_QUERY, tty.out) >= 0 &&
		    fflush(tty.out) == 0;
	return 0;
}

/* Reads what the terminal sends, and takes its answer out of it. Returns 1 if
 * it has answered, -1 if nothing can be read. */
static int
read_answer(void)
{
	enum background found;
	ssize_t r;

	r = read(tty.fd, tty.read + tty.n_read, sizeof(tty.read) - tty.n_read);
	if (r <= 0)
		return r < 0 && errno == EINTR ? 0 : -1;
	tty.n_read += (size_t)r;
	found = background_take(tty.read, &tty.n_read, &tty.held);
	if (found == BACKGROUND_UNKNOWN)
		return 0;
	tty.is_asked = 0;
	(void)tty_color_init(found == BACKGROUND_LIGHT ? TTY_THEME_LIGHT
	                                               : TTY_THEME_DARK,
	    tty.no_color);
	tty_forget();
	return 1;
}

/* An answer that comes after the end would look as if it were typed into the
 * shell. */
static void
await_answer(void)
{
	struct pollfd p = { .fd = tty.fd, .events = POLLIN };

	while (tty.is_asked && poll(&p, 1, ANSWER_MS) > 0 &&
	    tty.n_read < sizeof(tty.read) && read_answer() == 0)
		continue;
	tty.is_asked = 0;
	tty.n_read = tty.held = 0;
}

void
tty_close(void)
{
	if (tty.screen != NULL)
		await_answer();
	if (tty.screen != NULL) {
		(void)endwin();
		tty_signal_release();
		delscreen(tty.screen);
		tty.screen = NULL;
	}
	tty_signal_done();
	if (tty.out != NULL)
		(void)fclose(tty.out);
	if (tty.fd >= 0)
		(void)close(tty.fd);
	tty.out = NULL;
	tty.fd = -1;
	canvas_done(&tty.shown);
	memset(&tty.shown, 0, sizeof(tty.shown));
}

int
tty_is_ascii(void)
{
	return tty.is_ascii;
}

void
tty_size(int *cols, int *rows)
{
	struct winsize w;

	if (ioctl(tty.fd, TIOCGWINSZ, &w) < 0 || w.ws_col == 0 ||
	    w.ws_row == 0) {
		*cols = COLS;
		*rows = LINES;
		return;
	}
	*cols = w.ws_col > CANVAS_MAX_COLS ? CANVAS_MAX_COLS : w.ws_col;
	*rows = w.ws_row > CANVAS_MAX_ROWS ? CANVAS_MAX_ROWS : w.ws_row;
}

static void
show_cell(const struct cell *c, int y, int x)
{
	wchar_t text[2 + SAFE_MARKS] = { 0 };
	attr_t attr = (attr_t)tty_color_attr(c->style);
	int pair = tty_color_pair(c->style), i;
	cchar_t cc;

	for (i = 0; i < 1 + SAFE_MARKS; i++)
		text[i] = (wchar_t)c->ch[i];
	if (c->attr & CELL_REVERSE)
		attr ^= A_REVERSE;
	if (c->attr & CELL_BOLD)
		attr |= A_BOLD;
	/* ncurses counts columns with wcwidth(3), whose table may be older. */
	if (wcwidth(text[0]) != c->width) {
		memcpy(text, L"?", 2 * sizeof(*text));
		if (c->width == 2)
			(void)mvaddch(y, x + 1, ' ');
	}
	(void)setcchar(&cc, text, attr, (short)pair, &pair);
	(void)mvadd_wch(y, x, &cc);
}

static void
show_row(const struct canvas *c, int y)
{
	const struct cell *row = &c->cell[(size_t)y * (size_t)c->cols];
	int x;

	for (x = 0; x < c->cols; x++)
		if (row[x].width > 0)
			show_cell(&row[x], y, x);
}

void
tty_show(const struct canvas *c, int x, int y)
{
	size_t row = (size_t)c->cols * sizeof(*c->cell);
	int i;

	if (c->cols != tty.shown.cols || c->rows != tty.shown.rows) {
		(void)resizeterm(c->rows, c->cols);
		tty.is_known = 0;
		if (canvas_resize(&tty.shown, c->cols, c->rows) < 0)
			return;
	}
	if (!tty.is_known)
		(void)clearok(stdscr, TRUE);
	for (i = 0; i < c->rows; i++) {
		struct cell *old = &tty.shown.cell[(size_t)i *
		    (size_t)c->cols];
		const struct cell *new = &c->cell[(size_t)i *
		    (size_t)c->cols];

		if (tty.is_known && memcmp(old, new, row) == 0)
			continue;
		show_row(c, i);
		memcpy(old, new, row);
	}
	tty.is_known = 1;
	(void)curs_set(x >= 0);
	(void)move(x >= 0 ? y : 0, x >= 0 ? x : 0);
	(void)refresh();
}

void
tty_forget(void)
{
	tty.is_known = 0;
}

/* True if keys were read while looking for the answer. */
static int
has_read(void)
{
	return tty.n_read > tty.held;
}

/* Bits of enum tty_news. */
static int
look_for_answer(void)
{
	int r;

	if (tty.n_read == sizeof(tty.read))
		return 0;
	r = read_answer();
	if (r < 0)
		return TTY_GONE;
	if (r == 0 && ++tty.n_looks == MAX_LOOKS) {
		tty.is_asked = 0;
		tty.held = 0;
	}
	return r > 0 ? TTY_RESIZE : 0; /* so that all is drawn again */
}

int
tty_wait(int timeout_ms)
{
	struct pollfd p[2] = { { .fd = tty.fd, .events = POLLIN },
		{ .fd = tty_signal_fd(), .events = POLLIN } };
	int news = 0;

	if (has_read())
		timeout_ms = 0;
	if (poll(p, 2, timeout_ms) < 0 && errno != EINTR)
		return TTY_GONE;
	if (p[0].revents & POLLIN)
		news |= tty.is_asked ? look_for_answer() : TTY_KEYS;
	else if (p[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		news |= TTY_GONE;
	if (has_read())
		news |= TTY_KEYS;
	switch (tty_signal_news()) {
	case SIGNAL_RESIZE:
		return news | TTY_RESIZE;
	case SIGNAL_STOP:
		tty_suspend();
		return news | TTY_RESIZE;
	case SIGNAL_CONTINUE:
		(void)reset_prog_mode();
		tty_signal_take(tty.restore);
		tty_forget();
		return news | TTY_RESIZE;
	default:
		return news;
	}
}

int
tty_has_keys(void)
{
	struct pollfd p = { .fd = tty.fd, .events = POLLIN };

	return has_read() ||
	    (poll(&p, 1, 0) > 0 && (p.revents & POLLIN) != 0);
}

/* Gives what was read already. */
static size_t
take_read(char *buf, size_t n)
{
	if (n > tty.n_read - tty.held)
		n = tty.n_read - tty.held;
	memcpy(buf, tty.read, n);
	tty.n_read -= n;
	memmove(tty.read, tty.read + n, tty.n_read);
	return n;
}

size_t
tty_read(char *buf, size_t n)
{
	ssize_t r;

	if (has_read())
		return take_read(buf, n);
	/* While an answer is expected, tty_wait reads. */
	if (n == 0 || tty.is_asked || !tty_has_keys())
		return 0;
	r = read(tty.fd, buf, n);
	return r > 0 ? (size_t)r : 0;
}

void
tty_suspend(void)
{
	(void)endwin();
	tty_signal_release();
	tty_signal_stop();
	(void)reset_prog_mode();
	tty_signal_take(tty.restore);
	tty_forget();
}

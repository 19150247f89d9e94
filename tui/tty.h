/*
 * The terminal in full-screen mode.
 *
 * tty_open switches to the alternate screen, raw keys and SGR mouse reports.
 * However the process ends, the terminal is restored: tty_close, exit(),
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT and the signals of a crash all lead to one
 * function that is safe in signal handlers. SIGTSTP restores it as well, and
 * SIGCONT switches it to full screen again.
 *
 * There is one terminal, so there is one of these per process.
 */
#ifndef TUI_TTY_H
#define TUI_TTY_H

#include <stddef.h>

#include "canvas.h"

enum tty_theme { TTY_THEME_AUTO = 0, TTY_THEME_DARK, TTY_THEME_LIGHT };

struct tty_opts {
	int theme;    /* enum tty_theme */
	int no_color; /* no colours, even if the terminal has them */
};

/* Returns 0; -1 with the reason in err (n bytes). */
int tty_open(const struct tty_opts *o, char *err, size_t n);
void tty_close(void);

int tty_is_ascii(void);
void tty_size(int *cols, int *rows);

/* Shows a canvas; sends only what changed since the last one. The cursor is
 * shown at (x, y), or hidden if x is negative. */
void tty_show(const struct canvas *c, int x, int y);

/* The next tty_show sends everything. */
void tty_forget(void);

enum tty_news {
	TTY_KEYS = 1 << 0,   /* there is something to read */
	TTY_RESIZE = 1 << 1, /* the size changed, or we were stopped */
	TTY_GONE = 1 << 2    /* there is no terminal any more */
};

/* Waits for news, at most timeout_ms (negative: for ever). Returns bits of
 * enum tty_news; 0 after the timeout. */
int tty_wait(int timeout_ms);

/* True when there is something to read. */
int tty_has_keys(void);

/* Reads keys without waiting; returns the number of bytes. */
size_t tty_read(char *buf, size_t n);

/* What ^Z does in other programs: stops the process. Returns when it is
 * continued. */
void tty_suspend(void);

#endif

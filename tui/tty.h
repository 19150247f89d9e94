/*
 * The terminal: taken over, drawn on, and always given back.
 *
 * tty_open switches to the alternate screen, raw keys and SGR mouse reports.
 * Whatever ends the process, the terminal is as it was before: tty_close,
 * exit(), SIGINT, SIGTERM, SIGHUP, SIGQUIT and the signals of a crash all
 * lead to one function that is safe in signal handlers. SIGTSTP gives the
 * terminal back as well, SIGCONT takes it again.
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
	int no_color; /* whatever the terminal can */
};

/* 0, or -1 with the reason in err (n bytes). */
int tty_open(const struct tty_opts *o, char *err, size_t n);
void tty_close(void);

int tty_is_ascii(void);
void tty_size(int *cols, int *rows);

/* Shows a canvas, of which only what changed is sent. The cursor is shown at
 * (x, y), or not at all when x is negative. */
void tty_show(const struct canvas *c, int x, int y);

/* The next tty_show sends everything. */
void tty_forget(void);

enum tty_news {
	TTY_KEYS = 1 << 0,   /* there is something to read */
	TTY_RESIZE = 1 << 1, /* the size changed, or we were away */
	TTY_GONE = 1 << 2    /* there is no terminal any more */
};

/* Waits for news, at most timeout_ms (negative: for ever). 0 when there was
 * none in time. */
int tty_wait(int timeout_ms);

/* True when there is something to read. */
int tty_has_keys(void);

/* Reads keys without waiting; the number of bytes. */
size_t tty_read(char *buf, size_t n);

/* As ^Z on other programs: stops the process, returns when it goes on. */
void tty_suspend(void);

#endif

/*
 * Signals and giving the terminal back. Everything that runs in a handler is
 * here, and is safe there: write(2), tcsetattr(3), sigaction(2), raise(3).
 */
#ifndef TUI_TTY_SIGNAL_H
#define TUI_TTY_SIGNAL_H

#include <termios.h>

/* Catches signals; `before` is what the terminal goes back to. 0, or -1 with
 * errno. */
int tty_signal_init(int fd, const struct termios *before);

/* Signals are as they were before. */
void tty_signal_done(void);

/* Turns the mouse on, and from now on a signal gives the terminal back; the
 * screen by sending `restore`, which is copied. */
void tty_signal_take(const char *restore);

/* Gives the terminal back now; does nothing when it is not taken. */
void tty_signal_release(void);

/* Readable when there is news. */
int tty_signal_fd(void);

enum signal_news {
	SIGNAL_NOTHING = 0,
	SIGNAL_RESIZE,
	SIGNAL_STOP,    /* someone wants us to stop */
	SIGNAL_CONTINUE /* we were stopped and go on */
};

/* What came since the last call; the most urgent of it. */
int tty_signal_news(void);

/* Stops the process as SIGTSTP does; returns when it goes on. */
void tty_signal_stop(void);

#endif

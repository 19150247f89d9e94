/*
 * Signals, and restoring the terminal. Everything that runs in a signal handler
 * is here, and is async-signal-safe: write(2), tcsetattr(3), sigaction(2),
 * raise(3).
 */
#ifndef TUI_TTY_SIGNAL_H
#define TUI_TTY_SIGNAL_H

#include <termios.h>

/* Catches signals; `before` has the modes to restore. Returns 0; -1 with
 * errno. */
int tty_signal_init(int fd, const struct termios *before);

/* Restores the signal handlers. */
void tty_signal_done(void);

/* Turns the mouse on. From now on a signal restores the terminal, and leaves
 * full screen by sending `restore`, which is copied. */
void tty_signal_take(const char *restore);

/* Restores the terminal now; does nothing without tty_signal_take before. */
void tty_signal_release(void);

/* Readable when there is news. */
int tty_signal_fd(void);

enum signal_news {
	SIGNAL_NOTHING = 0,
	SIGNAL_RESIZE,
	SIGNAL_STOP,    /* SIGTSTP */
	SIGNAL_CONTINUE /* SIGCONT, after we were stopped */
};

/* Returns the most urgent enum signal_news since the last call. */
int tty_signal_news(void);

/* Stops the process as SIGTSTP does; returns when it is continued. */
void tty_signal_stop(void);

#endif

/*
 * Signals that ask a command to stop, to begin a new file, or to draw again.
 *
 * A handler can only set a flag, and a flag that a handler sets is global: all
 * of them are in signals.c. The handlers do not restart system calls, so that a
 * signal ends a wait.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

enum signals_flags {
	SIGNALS_ONCE = 1 << 0,  /* the second signal has its default action */
	SIGNALS_ALWAYS = 1 << 1 /* also if the signal was ignored, as nohup(1)
	                         * does it */
};

/* From now on the signal sets signals_stopped. */
void signals_catch_stop(int sig, unsigned flags);

/* From now on the signal is kept for signals_take_rotation. */
void signals_catch_rotation(int sig, unsigned flags);

/* From now on SIGWINCH is kept for signals_take_resize. */
void signals_catch_resize(void);

/* Points to 1 after a signal that stops; as the library's `stop`. */
const volatile int *signals_stopped(void);

/*
 * Points to the last signal that stops and that a child has not got itself; 0:
 * none. The terminal sends its ^C to both.
 */
const volatile int *signals_for_child(void);

/* True if such a signal has come since the last call. */
int signals_take_rotation(void);
int signals_take_resize(void);

/* True if the next signals_take_resize is. */
int signals_is_resized(void);

#endif

/*
 * Whether the terminal is light or dark, by asking it: OSC 11 is answered with
 * the colour of the background by xterm, VTE, kitty, iTerm, Windows Terminal,
 * tmux and others. The answer comes as if it were typed, some time later or
 * never, so it is taken out of the keys when it comes. Nothing waits for it.
 */
#ifndef TUI_BACKGROUND_H
#define TUI_BACKGROUND_H

#include <stddef.h>

/* What is written to ask. */
#define BACKGROUND_QUERY "\033]11;?\033\\"

/* Answers are no longer than this. */
#define BACKGROUND_ANSWER 40

enum background { BACKGROUND_UNKNOWN = 0, BACKGROUND_DARK, BACKGROUND_LIGHT };

/* True if a terminal of this type ($TERM) may be asked: some show what they do
 * not understand. */
int background_may_be_asked(const char *type);

/*
 * Takes an answer out of *n bytes that the terminal sent, and returns it; *n is
 * less then. Returns BACKGROUND_UNKNOWN if there is none. Then *held is how
 * many bytes at the end may be the beginning of one: give them again, with what
 * comes next. A hostile answer is as any other key that is not known.
 */
enum background background_take(char *p, size_t *n, size_t *held);

#endif

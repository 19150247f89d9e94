/* A line that is typed at the bottom of the screen. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "key.h"
#include "model.h"

struct prompt {
	int action;  /* what it is for */
	char text[MODEL_PATTERN];
	size_t n;
};

void prompt_open(struct prompt *p, int action, const char *text);

enum prompt_result { PROMPT_GOES_ON = 0, PROMPT_DONE, PROMPT_CANCELLED };

/* Takes a key: Enter ends it, Esc and ^C cancel it, Backspace takes a
 * character away, ^U all of them; the rest is typed. */
int prompt_key(struct prompt *p, const struct event *e);

#endif

/* A line of text that the user types, such as a pattern. */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include <stddef.h>

#include "key.h"

#define PROMPT_TEXT 512 /* bytes, with the NUL */

struct prompt {
	int action; /* what the text is for; the caller's own number */
	char text[PROMPT_TEXT];
	size_t n;
};

/* Begins with a text, which may be "". */
void prompt_open(struct prompt *p, int action, const char *text);

enum prompt_result { PROMPT_GOES_ON = 0, PROMPT_DONE, PROMPT_CANCELLED };

/* Handles a key; returns enum prompt_result. Enter ends the line, Esc and ^C
 * cancel it, Backspace removes a character, ^U all; other keys are typed. */
int prompt_key(struct prompt *p, const struct event *e);

#endif

/* Editing a line of text; Backspace removes a whole character. */
#include "prompt.h"

#include <stdio.h>
#include <string.h>

void
prompt_open(struct prompt *p, int action, const char *text)
{
	p->action = action;
	(void)snprintf(p->text, sizeof(p->text), "%s", text);
	p->n = strlen(p->text);
}

static void
prompt_erase(struct prompt *p)
{
	while (p->n > 0 && ((unsigned char)p->text[--p->n] & 0xc0) == 0x80)
		;
	p->text[p->n] = '\0';
}

int
prompt_key(struct prompt *p, const struct event *e)
{
	const char *k = e->name;

	if (e->kind != EVENT_KEY)
		return PROMPT_GOES_ON;
	if (strcmp(k, "Enter") == 0)
		return PROMPT_DONE;
	if (strcmp(k, "Esc") == 0 || strcmp(k, "^C") == 0)
		return PROMPT_CANCELLED;
	if (strcmp(k, "Backspace") == 0) {
		prompt_erase(p);
	} else if (strcmp(k, "^U") == 0) {
		p->n = 0;
		p->text[0] = '\0';
	} else if ((unsigned char)e->raw[0] >= 0x20 &&
	    k[0] != '\0' && p->n + e->n_raw < sizeof(p->text)) {
		memcpy(p->text + p->n, e->raw, e->n_raw);
		p->n += e->n_raw;
		p->text[p->n] = '\0';
	}
	return PROMPT_GOES_ON;
}

/* Reports results of checks to the caller; see check.h. */
#include "capture/doctor/check.h"

#include <stdarg.h>
#include <stdio.h>

void
check_say(struct checks *c, const char *name, int health, const char *fix,
    const char *fmt, ...)
{
	struct bob_check k = { .name = name, .health = health };
	char text[BOB_MAX_TEXT];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	k.text = text;
	k.fix = fix != NULL && *fix != '\0' ? fix : NULL;
	if (health > c->worst)
		c->worst = health;
	c->fn(c->user, &k);
}

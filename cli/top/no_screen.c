/* Stands in for the full screen in a build without ncurses (-Dtui=disabled):
 * top prints its tables one after the other. */
#include "top.h"

int
top_has_screen(void)
{
	return 0;
}

int
top_screen_open(struct top *t)
{
	(void)t;
	return -1;
}

void
top_screen_close(struct top *t)
{
	(void)t;
}

void
top_screen_show(struct top *t)
{
	(void)t;
}

int
top_screen_keys(struct top *t)
{
	(void)t;
	return 1;
}

void
top_live_grew(struct top *t)
{
	(void)t;
}

void
top_live_close(struct top *t)
{
	(void)t;
}

void
top_live_open(struct top *t, const struct top_row *row)
{
	(void)t;
	(void)row;
}

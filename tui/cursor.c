/* Cursors in lists: moving, and scrolling on a screen; see the header. */
#include "cursor.h"

void
cursor_move(struct cursor *c, size_t n, long by)
{
	size_t step = by < 0 ? (size_t)-by : (size_t)by;

	if (n == 0)
		c->at = 0;
	else if (by < 0)
		c->at = c->at > step ? c->at - step : 0;
	else
		c->at = step < n - 1 - c->at ? c->at + step : n - 1;
}

void
cursor_fit(struct cursor *c, size_t n, int height)
{
	size_t h = height > 0 ? (size_t)height : 1;

	if (c->at >= n)
		c->at = n > 0 ? n - 1 : 0;
	if (c->top > c->at)
		c->top = c->at;
	if (c->at >= c->top + h)
		c->top = c->at - h + 1;
	if (n <= h)
		c->top = 0;
	else if (c->top > n - h)
		c->top = n - h;
}

void
cursor_scroll(struct cursor *c, size_t n, int height, long by)
{
	size_t h = height > 0 ? (size_t)height : 1;
	size_t most = n > h ? n - h : 0;
	size_t step = by < 0 ? (size_t)-by : (size_t)by;

	if (by < 0)
		c->top = c->top > step ? c->top - step : 0;
	else
		c->top = step < most - (c->top < most ? c->top : most)
		    ? c->top + step
		    : most;
	if (c->at < c->top)
		c->at = c->top;
	if (c->at >= c->top + h)
		c->at = c->top + h - 1;
	if (c->at >= n)
		c->at = n > 0 ? n - 1 : 0;
}

/* Statements; see the header. */
#include "ship/sql.h"

#include <stdarg.h>
#include <stdio.h>

void
sql_begin(struct sql *s)
{
	s->n = 0;
	s->is_cut = 0;
	s->p[0] = '\0';
}

static void
give_up(struct sql *s)
{
	s->is_cut = 1;
	s->n = 0;
	s->p[0] = '\0';
}

void
sql_add(struct sql *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (s->is_cut)
		return;
	va_start(ap, fmt);
	n = vsnprintf(s->p + s->n, SQL_MAX - s->n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= SQL_MAX - s->n)
		give_up(s);
	else
		s->n += (size_t)n;
}

void
sql_string(struct sql *s, const char *p, size_t n)
{
	size_t i;

	sql_add(s, "'");
	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < ' ' || c > '~' || c == '\'' || c == '\\')
			sql_add(s, "\\x%02X", c);
		else
			sql_add(s, "%c", c);
	}
	sql_add(s, "'");
}

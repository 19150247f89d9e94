/* A statement that is put together. It has a fixed size: what does not fit
 * makes it empty, and an empty statement is refused by ch_*. */
#ifndef SHIP_SQL_H
#define SHIP_SQL_H

#include <stddef.h>

#include <bobbin/api.h>

#define SQL_MAX 16384

struct sql {
	size_t n;
	int is_cut;
	char p[SQL_MAX]; /* ends with a NUL */
};

void sql_begin(struct sql *s);
void sql_add(struct sql *s, const char *fmt, ...) BOB_PRINTF(2, 3);

/* Adds a string between quotes. Its bytes may be anything. */
void sql_string(struct sql *s, const char *p, size_t n);

#endif

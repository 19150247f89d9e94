/*
 * Where the source of a recorded path is here: prefixes that stand for others.
 * The longest one that fits wins, whole folders only; "to" may be empty.
 */
#ifndef TUI_PATHMAP_H
#define TUI_PATHMAP_H

#include <stddef.h>

struct pathmap_rule {
	const char *from, *to;
	size_t from_len;
};

struct pathmap {
	const struct pathmap_rule *rule;
	size_t n;
};

/* The path to look at, into buf (n bytes). 0, or -1 when it does not fit, or is
 * no path. */
int pathmap_apply(const struct pathmap *m, const char *path, size_t len,
    char *buf, size_t n);

#endif

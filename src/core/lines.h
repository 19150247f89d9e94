/*
 * Lines of a text input, without their line ends (LF or CRLF). The last line
 * need not have a line end. After AGAIN nothing is lost: the line is given when
 * the rest of it has come.
 *
 * lines_warn reports a bad line with its number. It reports LINES_MAX_WARNINGS
 * lines at most, because a file of another kind would have too many.
 */
#ifndef CORE_LINES_H
#define CORE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "core/input.h"

#define LINES_MAX_WARNINGS 100

struct lines {
	struct in *in;
	const char *format; /* what messages begin with */
	uint64_t number;    /* of the line given last, from 1 */
	uint64_t offset;    /* of its first byte */
	size_t scanned;     /* unread bytes known to hold no line end */
	unsigned n_warnings;
	int is_cut;      /* the last line had no line end */
	int is_packed_cut; /* the input ended inside a packed member */
};

static inline void
lines_init(struct lines *l, struct in *in, const char *format)
{
	*l = (struct lines){ .in = in, .format = format };
}

/*
 * Reads the next line: sets *p to its *n bytes, valid until the next call.
 * Returns BOB_OK, EOF, AGAIN or FATAL. A line above BOB_MAX_LINE is FATAL.
 */
int lines_next(struct lines *l, const char **p, size_t *n);

/* Warns about the line given last: "FORMAT: line N: ...". lines_skip is for a
 * line that is not used at all (BOB_E_SKIPPED). */
void lines_warn(struct lines *l, const char *what);
void lines_skip(struct lines *l, const char *what);

#endif

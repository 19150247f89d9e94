/* Lines of a text input; see the header. */
#include "core/lines.h"

#include <string.h>

/* Finds the end of the line that begins the window: BOB_OK with *len bytes
 * before the LF; EOF with what there is; AGAIN; FATAL. */
static int
find_line_end(struct lines *l, size_t *len)
{
	struct in *in = l->in;
	const uint8_t *p = in->p, *end;
	size_t n = in->n;
	int r;

	for (;;) {
		end = n > l->scanned
		    ? memchr(p + l->scanned, '\n', n - l->scanned)
		    : NULL;
		*len = end == NULL ? n : (size_t)(end - p);
		if (*len > BOB_MAX_LINE)
			return err_set(in->ctx, BOB_FATAL, BOB_E_LIMIT,
			    in->pos, "%s: line %llu: longer than %u bytes",
			    l->format, (unsigned long long)l->number + 1,
			    BOB_MAX_LINE);
		if (end != NULL)
			return BOB_OK;
		l->scanned = n;
		r = in_peek(in, n + 1, &p, &n);
		if (r != BOB_OK && n == l->scanned)
			return r;
	}
}

int
lines_next(struct lines *l, const char **p, size_t *n)
{
	size_t len;
	int r = find_line_end(l, &len);

	if (r != BOB_OK && (r != BOB_EOF || len == 0))
		return r;
	l->is_cut = r == BOB_EOF;
	l->number++;
	l->offset = l->in->pos;
	l->scanned = 0;
	*p = (const char *)l->in->p;
	*n = len;
	in_consume(l->in, r == BOB_OK ? len + 1 : len);
	if (len > 0 && (*p)[len - 1] == '\r')
		(*n)--;
	return BOB_OK;
}

void
lines_warn(struct lines *l, const char *what)
{
	if (l->n_warnings == LINES_MAX_WARNINGS)
		return;
	err_diag(l->in->ctx, BOB_WARN, BOB_E_CORRUPT, l->offset,
	    "%s: line %llu: %s%s", l->format, (unsigned long long)l->number,
	    what, ++l->n_warnings == LINES_MAX_WARNINGS
	        ? " (more lines like this are not reported)" : "");
}

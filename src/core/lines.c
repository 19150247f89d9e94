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

/* At the end of the input: says once if a packed member is not whole. */
static void
look_at_end(struct lines *l)
{
	if (l->is_packed_cut || !in_unpack_is_cut(l->in))
		return;
	l->is_packed_cut = 1;
	err_diag(l->in->ctx, BOB_OK, BOB_E_TRUNCATED, l->in->pos,
	    "%s: the packed file ends too early: still being written, or cut",
	    l->format);
}

int
lines_next(struct lines *l, const char **p, size_t *n)
{
	size_t len;
	int r = find_line_end(l, &len);

	if (r == BOB_EOF)
		look_at_end(l);
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

static void
tell(struct lines *l, int code, const char *what)
{
	if (l->n_warnings == LINES_MAX_WARNINGS)
		return;
	err_diag(l->in->ctx, BOB_WARN, code, l->offset,
	    "%s: line %llu: %s%s", l->format, (unsigned long long)l->number,
	    what, ++l->n_warnings == LINES_MAX_WARNINGS
	        ? " (more lines like this are not reported)" : "");
}

void
lines_warn(struct lines *l, const char *what)
{
	tell(l, BOB_E_CORRUPT, what);
}

void
lines_skip(struct lines *l, const char *what)
{
	tell(l, BOB_E_SKIPPED, what);
}

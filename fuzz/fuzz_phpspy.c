/*
 * Reading phpspy's text, at once and a byte at a time. What bobbin writes must
 * be read as the same samples. The first writing may change control bytes in
 * comments, because it escapes them.
 */
#include "fuzz.h"

#include <string.h>

#include "digest.h"
#include "textual.h"

/* Blanks the column of annotations in a listing. */
static void
drop_annotations(struct textual *t)
{
	size_t i, len = 0;
	unsigned column = 0;

	for (i = 0; i < t->n; i++) {
		if (t->p[i] == '\t')
			column++;
		if (t->p[i] == '\n')
			column = 0;
		if (column != 7)
			t->p[len++] = t->p[i];
	}
	t->n = len;
}

/* Sums up neighbours of a listing that became equal, by dropping counts. */
static void
drop_counts(struct textual *t)
{
	const char *before = "";
	size_t n_before = 0, i = 0, len = 0;

	while (i < t->n) {
		const char *line = t->p + i;
		const char *lf = memchr(line, '\n', t->n - i);
		const char *tab = memchr(line, '\t', t->n - i);
		size_t n;

		PROMISE(lf != NULL && tab != NULL && tab < lf);
		i = (size_t)(lf + 1 - t->p);
		n = (size_t)(lf + 1 - tab);
		if (n == n_before && memcmp(tab, before, n) == 0)
			continue;
		memmove(t->p + len, tab, n);
		before = t->p + len;
		n_before = n;
		len += n;
	}
	t->n = len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct bob_option all[] = { { "opcodes", NULL },
		{ "native", NULL } };
	static const struct textual_how list = { .from = "phpspy",
		.to = "dump" };
	static const struct textual_how by_byte = { .from = "phpspy",
		.to = "dump", .trickle = 1 };
	static const struct textual_how same = { .from = "phpspy",
		.to = "phpspy", .options = all, .n_options = 2 };
	struct textual a, b, c, once, twice;

	textual_convert(&a, p, n, &list);
	textual_convert(&b, p, n, &by_byte);
	textual_must_be_alike(&a, &b);
	textual_convert(&once, p, n, &same);
	PROMISE(once.status == a.status);
	textual_convert(&twice, once.p, once.n, &same);
	PROMISE(twice.status == BOB_EOF);
	textual_convert(&c, once.p, once.n, &list);
	once.status = a.status = BOB_EOF;
	textual_must_be_alike(&once, &twice);
	drop_annotations(&a);
	drop_annotations(&c);
	drop_counts(&a);
	drop_counts(&c);
	textual_must_be_alike(&a, &c);
	textual_done(&a);
	textual_done(&b);
	textual_done(&c);
	textual_done(&once);
	textual_done(&twice);
	return 0;
}

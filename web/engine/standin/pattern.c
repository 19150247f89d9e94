/*
 * Patterns by the browser's RegExp (worker.js). Bytes become the characters
 * with the same numbers, so that `.` is one byte here too. There is no limit of
 * steps: the page ends a worker that does not answer in time.
 */
#include "core/pattern.h"

#include <stdlib.h>
#include <string.h>

#define IMPORT(name) \
	__attribute__((import_module("pattern"), import_name(name)))

/* Returns a number above 0; 0 with the reason, a string, in why (n bytes). */
IMPORT("compile") int js_compile(const char *text, size_t n_text, char *why,
    size_t n);
IMPORT("test") int js_test(int number, const char *s, size_t n);
IMPORT("drop") void js_drop(int number);

struct pattern {
	int number;
};

int
pattern_new(struct bob_ctx *ctx, const char *what, const char *text,
    struct pattern **ret)
{
	struct pattern *p = calloc(1, sizeof(*p));
	char why[128] = "";

	if (p == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	p->number = js_compile(text, strlen(text), why, sizeof(why));
	if (p->number > 0) {
		*ret = p;
		return BOB_OK;
	}
	free(p);
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "%s pattern: %s", what, why);
}

int
pattern_match(struct pattern *p, const char *s, size_t n)
{
	return js_test(p->number, s, n);
}

void
pattern_free(struct pattern *p)
{
	if (p != NULL)
		js_drop(p->number);
	free(p);
}

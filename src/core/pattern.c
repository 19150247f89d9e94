/*
 * Patterns over PCRE2. A pattern with a hostile subject may take exponential
 * time, so each match has a limit of steps and of memory. The first match that
 * exceeds it is reported as a warning, later ones are not.
 */
#include "core/pattern.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <bobbin/limits.h>

struct pattern {
	struct bob_ctx *ctx;
	const char *what;
	pcre2_general_context *memory;
	pcre2_compile_context *settings;
	pcre2_code *code;
	pcre2_match_context *limits;
	pcre2_match_data *data;
	int has_given_up;
};

/* PCRE2's memory comes from where ours comes from. */
static void *
pattern_alloc(size_t n, void *user)
{
	(void)user;
	return malloc(n);
}

static void
pattern_release(void *p, void *user)
{
	(void)user;
	free(p);
}

static int
pattern_compile(struct pattern *p, const char *text)
{
	char why[128];
	PCRE2_SIZE at;
	int e;

	p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	    PCRE2_NEVER_UTF, &e, &at, p->settings);
	if (p->code != NULL) {
		/* Without JIT (no such build, no executable memory) matching
		 * is slower, nothing else. */
		(void)pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
		return BOB_OK;
	}
	if (e == PCRE2_ERROR_NOMEMORY || e == PCRE2_ERROR_HEAP_FAILED) {
		(void)err_nomem(p->ctx);
		return BOB_FAILED;
	}
	(void)pcre2_get_error_message(e, (PCRE2_UCHAR *)why, sizeof(why));
	return err_set(p->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "%s pattern: after character %zu: %s", p->what,
	    (size_t)at, why);
}

/* Everything but the code: 0, or -1 without memory. */
static int
pattern_prepare(struct pattern *p)
{
	p->memory = pcre2_general_context_create(pattern_alloc,
	    pattern_release, NULL);
	if (p->memory == NULL)
		return -1;
	p->settings = pcre2_compile_context_create(p->memory);
	p->limits = pcre2_match_context_create(p->memory);
	p->data = pcre2_match_data_create(1, p->memory);
	if (p->settings == NULL || p->limits == NULL || p->data == NULL)
		return -1;
	(void)pcre2_set_match_limit(p->limits, BOB_MAX_MATCH_STEPS);
	(void)pcre2_set_depth_limit(p->limits, BOB_MAX_MATCH_STEPS);
	(void)pcre2_set_heap_limit(p->limits, BOB_MAX_MATCH_KIB);
	return 0;
}

int
pattern_new(struct bob_ctx *ctx, const char *what, const char *text,
    struct pattern **ret)
{
	struct pattern *p = calloc(1, sizeof(*p));
	int r;

	if (p == NULL || pattern_prepare(p) < 0) {
		(void)err_nomem(ctx);
		r = BOB_FAILED;
		goto fail;
	}
	p->ctx = ctx;
	p->what = what;
	r = pattern_compile(p, text);
	if (r < 0)
		goto fail;
	*ret = p;
	return BOB_OK;
fail:
	pattern_free(p);
	return r;
}

static int
pattern_run(struct pattern *p, const char *s, size_t n, size_t from,
    uint32_t options)
{
	int r = pcre2_match(p->code, (PCRE2_SPTR)s, n, from, options, p->data,
	    p->limits);

	/* Compiled code has a small fixed stack of its own; what does not fit
	 * there may well fit into the budget. */
	if (r == PCRE2_ERROR_JIT_STACKLIMIT)
		r = pcre2_match(p->code, (PCRE2_SPTR)s, n, from,
		    options | PCRE2_NO_JIT, p->data, p->limits);
	return r;
}

int
pattern_match(struct pattern *p, const char *s, size_t n)
{
	int r = pattern_run(p, s, n, 0, 0);

	if (r >= 0)
		return 1;
	if (r == PCRE2_ERROR_NOMATCH)
		return 0;
	if (r == PCRE2_ERROR_NOMEMORY)
		return err_nomem(p->ctx);
	if (!p->has_given_up)
		err_diag(p->ctx, BOB_WARN, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "%s pattern: takes too long on some text, which counts "
		    "as not matching", p->what);
	p->has_given_up = 1;
	return 0;
}

int
pattern_find(struct pattern *p, const char *s, size_t n, size_t from,
    int is_cut, size_t *ret_begin, size_t *ret_end)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(p->data);
	int r = pattern_run(p, s, n, from, is_cut ? PCRE2_PARTIAL_SOFT : 0);

	if (r == PCRE2_ERROR_NOMATCH)
		return PATTERN_NONE;
	if (r == PCRE2_ERROR_NOMEMORY)
		return err_nomem(p->ctx);
	if (r < 0 && r != PCRE2_ERROR_PARTIAL)
		return PATTERN_GAVE_UP;
	*ret_begin = at[0];
	/* \K may put the beginning behind the end. */
	*ret_end = at[1] > at[0] ? at[1] : at[0];
	return PATTERN_FOUND;
}

void
pattern_free(struct pattern *p)
{
	if (p == NULL)
		return;
	pcre2_match_data_free(p->data);
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
	pcre2_compile_context_free(p->settings);
	pcre2_general_context_free(p->memory);
	free(p);
}

/*
 * The context: the last error and the diag callback. Recording an error
 * allocates no memory, so that "out of memory" can always be recorded.
 */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
bob_version(void)
{
#define STR_(x) #x
#define STR(x) STR_(x)
	return STR(BOB_VERSION_MAJOR) "." STR(BOB_VERSION_MINOR) "." STR(
	    BOB_VERSION_PATCH);
}

struct bob_ctx *
bob_ctx_new(void)
{
	struct bob_ctx *ctx = calloc(1, sizeof(*ctx));

	if (ctx == NULL)
		return NULL;
	ctx->error.segment = ctx->error.offset = BOB_NO_OFFSET;
	ctx->budget = &ctx->own_budget;
	budget_init(ctx->budget);
	return ctx;
}

struct bob_ctx *
ctx_new_worker(const struct bob_ctx *of)
{
	struct bob_ctx *ctx = bob_ctx_new();

	if (ctx != NULL)
		ctx->budget = of->budget;
	return ctx;
}

void
bob_ctx_free(struct bob_ctx *ctx)
{
	free(ctx);
}

void
bob_ctx_on_diag(struct bob_ctx *ctx, bob_diag_fn *fn, void *user)
{
	ctx->diag = fn;
	ctx->diag_user = user;
}

void
bob_ctx_on_gap(struct bob_ctx *ctx, bob_gap_fn *fn, void *user)
{
	ctx->gap = fn;
	ctx->gap_user = user;
}

const struct bob_error *
bob_ctx_error(const struct bob_ctx *ctx)
{
	return &ctx->error;
}

/* True if an error of this code is about the content of an input. */
static int
is_about_bytes(int code)
{
	switch (code) {
	case BOB_E_CORRUPT:
	case BOB_E_TRUNCATED:
	case BOB_E_LIMIT:
	case BOB_E_UNSUPPORTED:
	case BOB_E_BUDGET:
	case BOB_E_SKIPPED:
		return 1;
	default:
		return 0;
	}
}

/* Sets the side of an error and the name of its input. A name that was cut is
 * no path. */
static void
fill_input(struct bob_error *e, const struct ctx_input *in)
{
	int n;

	e->side = in->name != NULL ? BOB_SIDE_INPUT : BOB_SIDE_NONE;
	e->input[0] = '\0';
	e->input_is_path = 0;
	if (in->name == NULL || !is_about_bytes(e->code))
		return;
	n = snprintf(e->input, sizeof(e->input), "%s", in->name);
	e->input_is_path = in->is_path && n < (int)sizeof(e->input);
}

static void BOB_PRINTF(6, 0)
fill(const struct bob_ctx *ctx, struct bob_error *e, int status, int code,
    uint64_t offset, const char *fmt, va_list ap)
{
	e->status = status;
	e->code = code;
	e->sys = 0;
	e->limit = BOB_LIMIT_NONE;
	e->segment = BOB_NO_OFFSET;
	e->offset = offset;
	fill_input(e, &ctx->input);
	(void)vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

int
err_set(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(ctx, &ctx->error, status, code, offset, fmt, ap);
	va_end(ap);
	return status;
}

int
err_sys(struct bob_ctx *ctx, int status, int sys, const char *fmt, ...)
{
	struct bob_error *e = &ctx->error;
	char why[128];
	size_t n;
	va_list ap;

	va_start(ap, fmt);
	fill(ctx, e, status, BOB_E_IO, BOB_NO_OFFSET, fmt, ap);
	va_end(ap);
	e->sys = sys;
	if (strerror_r(sys, why, sizeof(why)) != 0)
		(void)snprintf(why, sizeof(why), "error %d", sys);
	n = strlen(e->text);
	(void)snprintf(e->text + n, sizeof(e->text) - n, ": %s", why);
	return status;
}

int
err_nomem(struct bob_ctx *ctx)
{
	uint64_t max = ctx->budget->limits.max_memory;

	if (budget_is_refused(ctx->budget))
		return err_budget(ctx, BOB_LIMIT_MEMORY, BOB_NO_OFFSET,
		    "more than %llu bytes of memory are needed, the limit "
		    "(max_memory)", (unsigned long long)max);
	return err_set(ctx, BOB_FATAL, BOB_E_NOMEM, BOB_NO_OFFSET,
	    "out of memory");
}

int
err_budget(struct bob_ctx *ctx, int limit, uint64_t offset, const char *fmt,
    ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(ctx, &ctx->error, BOB_FATAL, BOB_E_BUDGET, offset, fmt, ap);
	va_end(ap);
	ctx->error.limit = limit;
	return BOB_FATAL;
}

int
err_set_status(struct bob_ctx *ctx, int status)
{
	ctx->error.status = status;
	return status;
}

int
err_set_sys(struct bob_ctx *ctx, int sys)
{
	ctx->error.sys = sys;
	return ctx->error.status;
}

int
err_of_output(struct bob_ctx *ctx)
{
	ctx->error.side = BOB_SIDE_OUTPUT;
	ctx->error.input[0] = '\0';
	ctx->error.input_is_path = 0;
	return ctx->error.status;
}

void
err_diag(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...)
{
	struct bob_error e;
	va_list ap;

	ctx->n_skipped += code == BOB_E_SKIPPED;
	if (ctx->diag == NULL)
		return;
	va_start(ap, fmt);
	fill(ctx, &e, status, code, offset, fmt, ap);
	va_end(ap);
	ctx->diag(ctx->diag_user, &e);
}

void
err_diag_error(struct bob_ctx *ctx)
{
	struct bob_error e = ctx->error;

	e.status = BOB_WARN;
	if (ctx->diag != NULL)
		ctx->diag(ctx->diag_user, &e);
}

void
err_copy(struct bob_ctx *to, const struct bob_ctx *from)
{
	to->error = from->error;
	/* The worker may not know the name of the input. */
	if (to->input.name != NULL && to->error.side != BOB_SIDE_OUTPUT)
		fill_input(&to->error, &to->input);
}

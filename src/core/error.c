/*
 * The context: last error, causes, and the way to the diag callback. No
 * memory is allocated here, so that "out of memory" can always be said.
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

const struct bob_error *
bob_ctx_error(const struct bob_ctx *ctx)
{
	return &ctx->error;
}

static void BOB_PRINTF(5, 0)
fill(struct bob_error *e, int status, int code, uint64_t offset,
    const char *fmt, va_list ap)
{
	e->status = status;
	e->code = code;
	e->sys = 0;
	e->n_causes = 0;
	e->segment = BOB_NO_OFFSET;
	e->offset = offset;
	(void)vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

int
err_set(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(&ctx->error, status, code, offset, fmt, ap);
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
	fill(e, status, BOB_E_IO, BOB_NO_OFFSET, fmt, ap);
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
		return err_set(ctx, BOB_FATAL, BOB_E_BUDGET, BOB_NO_OFFSET,
		    "more than %llu bytes of memory are needed, the limit "
		    "(max_memory)", (unsigned long long)max);
	return err_set(ctx, BOB_FATAL, BOB_E_NOMEM, BOB_NO_OFFSET,
	    "out of memory");
}

int
err_cause(struct bob_ctx *ctx, int status, const char *fmt, ...)
{
	struct bob_error *e = &ctx->error;
	va_list ap;

	e->status = status;
	if (e->n_causes == BOB_MAX_CAUSES)
		return status;
	va_start(ap, fmt);
	(void)vsnprintf(e->cause[e->n_causes++], BOB_MAX_TEXT, fmt, ap);
	va_end(ap);
	return status;
}

void
err_diag(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...)
{
	struct bob_error e;
	va_list ap;

	if (ctx->diag == NULL)
		return;
	va_start(ap, fmt);
	fill(&e, status, code, offset, fmt, ap);
	va_end(ap);
	ctx->diag(ctx->diag_user, &e);
}

void
err_copy(struct bob_ctx *to, const struct bob_ctx *from)
{
	to->error = from->error;
}

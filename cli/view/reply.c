/* Replies of the server: a file of the page, the answer to a question behind
 * "api/", the text of a source file, or the selection in a format behind
 * "export/". */
#include "reply.h"

#include <string.h>

#include "ask.h"
#include "assets.h"
#include "save.h"
#include "source.h"

/* For a question with a pattern. */
#define LIMIT_US (10 * 1000000ULL)

#define JSON_TYPE "application/json; charset=utf-8"

static void
reply_static(struct reply *ret, unsigned status, const char *type,
    const char *body, size_t n)
{
	ret->status = status;
	ret->type = type;
	ret->body = body;
	ret->n = n;
	ret->is_static = 1;
}

static void
give_asset(const char *name, struct reply *ret)
{
	const struct asset *a = view_assets;

	for (; a->name != NULL; a++)
		if (strcmp(a->name, *name == '\0' ? view_assets->name
		    : name) == 0) {
			reply_static(ret, 200, a->type, a->bytes, a->n);
			return;
		}
	ret->status = 404;
}

/* r: 1, or -1 without memory. */
static void
reply_json(int r, const struct answer *a, struct reply *ret)
{
	static const char no_memory[] = "{\"error\":\"out of memory\"}\n";

	if (r < 0) {
		reply_static(ret, 500, JSON_TYPE, no_memory,
		    sizeof(no_memory) - 1);
		return;
	}
	ret->status = a->is_error ? 400 : 200;
	ret->type = JSON_TYPE;
	ret->body = a->text;
	ret->n = a->n;
}

static void
give_answer(struct view *v, const struct request *rq, struct reply *ret)
{
	struct answer a;
	int r = view_ask(v, rq->path + 4, rq, &a);

	if (r == 0)
		ret->status = 404;
	else
		reply_json(r, &a, ret);
}

static void
give_source(struct view *v, const struct request *rq, struct reply *ret)
{
	struct answer a;
	int r = view_answer(v, answer_source, rq, &a);

	reply_json(r, &a, ret);
}

/* A file, or why there is none. */
static void
give_file(const struct view *v, const struct request *rq, struct reply *ret)
{
	char err[512] = "";
	struct answer a = { .text = NULL };

	if (save_selection(v, rq, rq->path + 7, &ret->file, &ret->n, err,
	    sizeof(err)) == 0) {
		ret->status = 200;
		ret->type = "application/octet-stream";
	} else {
		reply_json(view_refuse(err, &a), &a, ret);
	}
}

static void
give_formats(const struct view *v, struct reply *ret)
{
	struct answer a = { .text = NULL };

	reply_json(save_formats(v, &a), &a, ret);
}

static int
has_pattern(const struct request *rq)
{
	return request_param(rq, "match") != NULL ||
	    request_param(rq, "hide") != NULL;
}

uint64_t
view_limit(const struct request *rq)
{
	if (strncmp(rq->path, "export/", 7) == 0)
		return SERVER_UNLIMITED;
	return strncmp(rq->path, "api/", 4) == 0 && has_pattern(rq) ? LIMIT_US
	    : SERVER_AT_ONCE;
}

void
view_reply(struct view *v, const struct request *rq, struct reply *ret)
{
	if (strncmp(rq->path, "api/", 4) == 0)
		give_answer(v, rq, ret);
	else if (strcmp(rq->path, "formats") == 0)
		give_formats(v, ret);
	else if (strcmp(rq->path, "source") == 0)
		give_source(v, rq, ret);
	else if (strncmp(rq->path, "export/", 7) == 0)
		give_file(v, rq, ret);
	else
		give_asset(rq->path, ret);
}

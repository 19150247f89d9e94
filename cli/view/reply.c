/* Replies of the server: a file of the page, or the answer to a question behind
 * "api/". */
#include "reply.h"

#include <string.h>

#include "ask.h"
#include "assets.h"

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

static void
give_answer(struct view *v, const struct request *rq, struct reply *ret)
{
	static const char no_memory[] = "{\"error\":\"out of memory\"}\n";
	struct answer a;
	int r = view_ask(v, rq->path + 4, rq, &a);

	if (r < 0) {
		reply_static(ret, 500, JSON_TYPE, no_memory,
		    sizeof(no_memory) - 1);
		return;
	}
	ret->status = r == 0 ? 404 : a.is_error ? 400 : 200;
	ret->type = JSON_TYPE;
	ret->body = a.text;
	ret->n = a.n;
}

void
view_reply(struct view *v, const struct request *rq, struct reply *ret)
{
	if (strncmp(rq->path, "api/", 4) == 0)
		give_answer(v, rq, ret);
	else
		give_asset(rq->path, ret);
}

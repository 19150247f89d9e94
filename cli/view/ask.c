/* A request is a file of the page, or a question behind "api/". */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "assets.h"
#include "system/clock.h"

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
out_of_memory(struct reply *ret)
{
	static const char text[] = "{\"error\":\"out of memory\"}\n";

	reply_static(ret, 500, JSON_TYPE, text, sizeof(text) - 1);
}

/* {"error": ...} and nothing of what was begun. */
static void
give_error(const char *err, struct reply *ret)
{
	struct json j = { NULL, 0 };
	char *text = NULL;
	size_t n = 0;

	j.f = open_memstream(&text, &n);
	if (j.f == NULL) {
		out_of_memory(ret);
		return;
	}
	json_open(&j, NULL, '{');
	json_str(&j, "error", err);
	json_close(&j, '{');
	json_end(&j);
	if (fclose(j.f) != 0) {
		free(text);
		out_of_memory(ret);
		return;
	}
	ret->status = 400;
	ret->type = JSON_TYPE;
	ret->body = text;
	ret->n = n;
}

static void
give_answer(struct view *v, const struct request *rq, answer_fn *answer,
    struct reply *ret)
{
	struct json j = { NULL, 0 };
	char *text = NULL, err[512] = "";
	size_t n = 0;
	int r;

	j.f = open_memstream(&text, &n);
	if (j.f == NULL) {
		out_of_memory(ret);
		return;
	}
	json_open(&j, NULL, '{');
	r = answer(v, rq, &j, err, sizeof(err));
	json_close(&j, '{');
	json_end(&j);
	if (fclose(j.f) != 0 || r < 0) {
		free(text);
		if (r < 0)
			give_error(err, ret);
		else
			out_of_memory(ret);
		return;
	}
	ret->status = 200;
	ret->type = JSON_TYPE;
	ret->body = text;
	ret->n = n;
}

void
view_answer(void *user, const struct request *rq, struct reply *ret)
{
	struct view *v = user;
	answer_fn *answer;

	v->asked = now_us();
	if (strncmp(rq->path, "api/", 4) != 0) {
		give_asset(rq->path, ret);
		return;
	}
	answer = answer_find(rq->path + 4);
	if (answer != NULL)
		give_answer(v, rq, answer, ret);
	else
		ret->status = 404;
}

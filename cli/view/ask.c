/* Writes an answer as JSON, or why there is none; see the header. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>

int
view_refuse(const char *err, struct answer *ret)
{
	struct json j = { NULL, 0 };

	j.f = open_memstream(&ret->text, &ret->n);
	if (j.f == NULL)
		return -1;
	json_open(&j, NULL, '{');
	json_str(&j, "error", err);
	json_close(&j, '{');
	json_end(&j);
	ret->is_error = 1;
	return fclose(j.f) == 0 ? 1 : -1;
}

static int
write_answer(struct view *v, answer_fn *write, const struct request *rq,
    struct answer *ret)
{
	struct json j = { NULL, 0 };
	char err[512] = "";
	int r;

	j.f = open_memstream(&ret->text, &ret->n);
	if (j.f == NULL)
		return -1;
	json_open(&j, NULL, '{');
	r = write(v, rq, &j, err, sizeof(err));
	json_close(&j, '{');
	json_end(&j);
	if (fclose(j.f) != 0)
		return -1;
	if (r == 0)
		return 1;
	free(ret->text);
	ret->text = NULL;
	return view_refuse(err, ret);
}

int
view_answer(struct view *v, answer_fn *write, const struct request *rq,
    struct answer *ret)
{
	int r;

	*ret = (struct answer){ .text = NULL };
	r = write_answer(v, write, rq, ret);
	if (r < 0) {
		free(ret->text);
		ret->text = NULL;
	}
	return r;
}

int
view_ask(struct view *v, const char *name, const struct request *rq,
    struct answer *ret)
{
	answer_fn *write = answer_find(name);

	*ret = (struct answer){ .text = NULL };
	return write == NULL ? 0 : view_answer(v, write, rq, ret);
}

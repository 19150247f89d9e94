/* From a question to the text of its answer, whoever asks. */
#ifndef CLI_VIEW_ASK_H
#define CLI_VIEW_ASK_H

#include <stddef.h>

#include "answers.h"
#include "view.h"

struct answer {
	char *text; /* JSON; the caller frees it */
	size_t n;
	int is_error; /* it is {"error": "..."}: a parameter is wrong */
};

/* Makes an answer that says what is wrong. Returns 1; -1 without memory. */
int view_refuse(const char *err, struct answer *ret);

/* Answers with what `write` writes. Returns 1 and sets *ret; -1 without
 * memory. */
int view_answer(struct view *v, answer_fn *write, const struct request *rq,
    struct answer *ret);

/* Answers the question `name` (answers.h) with the parameters of rq. Returns 1
 * and sets *ret; 0 if there is no such question; -1 without memory. */
int view_ask(struct view *v, const char *name, const struct request *rq,
    struct answer *ret);

#endif

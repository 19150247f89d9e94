/* Time lines of many keys at once; see the header. */
#include "sparks.h"

#include <stdlib.h>

#include "param.h"
#include "question.h"

int
answer_sparks(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	uint64_t number[SPARK_KEYS], *part;
	uint32_t key[SPARK_KEYS];
	size_t i, n_keys;
	struct question q;
	int r;

	if (param_numbers(rq, "keys", number, SPARK_KEYS, &n_keys, err,
	    n) < 0 || question_init(&q, v, rq, err, n) < 0)
		return -1;
	part = calloc(n_keys * SPARK_PARTS + 1, sizeof(*part));
	if (part == NULL)
		return question_no_memory(err, n);
	for (i = 0; i < n_keys; i++)
		key[i] = number[i] < bob_view_n_keys(q.at->view)
		    ? (uint32_t)number[i] : 0;
	r = bob_view_timelines(q.at->view, key, n_keys, SPARK_PARTS, part);
	json_u64(j, "parts", SPARK_PARTS);
	json_open(j, "sparks", '[');
	for (i = 0; r == BOB_OK && i < n_keys * SPARK_PARTS; i++)
		json_u64(j, NULL, part[i]);
	json_close(j, '[');
	free(part);
	return r < 0 ? question_failed(v, err, n) : 0;
}

/* The tracks of a selection, for flame charts; see order.h. */
#include "order.h"
#include "param.h"
#include "question.h"

static void
put_lane(struct view *v, struct json *j, const struct bob_lane *lane)
{
	json_open(j, NULL, '{');
	json_u64(j, "track", lane->track);
	question_put_track(j, v, lane->track);
	json_u64(j, "depth", lane->depth);
	json_u64(j, "samples", lane->sum.samples);
	json_u64(j, "time_us", lane->sum.time_us);
	json_close(j, '{');
}

int
answer_lanes(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	const struct bob_lane *lane;
	struct bob_timeline line;
	struct question q;
	uint64_t first = 0;
	size_t i, n_lanes;

	if (param_number(rq, "first", &first, err, n) < 0 ||
	    question_init(&q, v, rq, err, n) < 0)
		return -1;
	lane = bob_view_lanes(q.at->view, &n_lanes);
	if (bob_view_timeline(q.at->view, 0, &line) < 0)
		return question_failed(v, err, n);
	json_u64(j, "end_us", line.bin_us * line.n);
	json_u64(j, "n_lanes", n_lanes);
	json_open(j, "lanes", '[');
	for (i = first; i < n_lanes && i - first < LANES_MOST; i++)
		put_lane(v, j, &lane[i]);
	json_close(j, '[');
	return 0;
}

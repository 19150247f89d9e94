/*
 * Which request of uvicorn a task serves.
 *
 * uvicorn.h reads the request. Here it is checked that the task is still the
 * same one after that.
 */
#include "capture/python/tasks/task_sampler_inside.h"

int
py_tasks_is_server(const struct py_tasks *t, uint32_t code)
{
	return t->with_requests &&
	    t->codes->code[code].server == PY_SERVER_UVICORN;
}

int
py_tasks_find_request(struct py_tasks *t, const struct py_task *task,
    uint64_t frame, uint32_t *ret)
{
	struct py_served_task of = { .at = task->at, .frame = frame,
		.name = py_tasks_name_hash(t, task) };
	struct py_task again;
	uint32_t request;

	*ret = 0;
	if (of.name == 0)
		return BOB_OK;
	request = py_uvicorn_meet(&t->uvicorn, &of);
	if (request == 0 || request == BOB_NO_ID)
		return request == 0 ? BOB_OK : BOB_FATAL;
	if (!py_uvicorn_is_believed(&t->uvicorn, request)) {
		if (py_task_read(&t->read, task->at, &again) < 0 ||
		    again.coro != task->coro ||
		    py_tasks_name_hash(t, &again) != of.name)
			return BOB_OK;
		py_uvicorn_believe(&t->uvicorn, request);
	}
	*ret = request;
	return BOB_OK;
}

/* The frame that serves a request, as py_tasks_find_running(); -1 if the task
 * that runs serves none. */
static long
find_serving(struct py_tasks *t, const struct py_thread *h,
    struct py_task *ret)
{
	int has_any;
	long depth = py_tasks_find_running(t, h, ret, &has_any);

	return depth >= 0 &&
	    py_tasks_is_server(t, h->walk.memo[depth].index) ? depth : -1;
}

int
py_tasks_meet_request(struct py_tasks *t, const struct py_thread *h,
    int *is_out_of_memory)
{
	struct py_served_task of;
	struct py_task task;
	uint32_t request;
	long depth;

	*is_out_of_memory = 0;
	if (!t->with_requests || !t->codes->has_uvicorn)
		return 1;
	py_tasks_forget(t);
	depth = find_serving(t, h, &task);
	if (depth < 0)
		return 1;
	of = (struct py_served_task){ .at = task.at,
		.name = py_tasks_name_hash(t, &task) };
	if (py_uvicorn_find(&t->uvicorn, &of) != 0)
		return 1;
	*is_out_of_memory = py_tasks_find_request(t, &task,
	    h->walk.memo[depth].at, &request) < 0;
	return request == 0 || h->walk.is_paused;
}

bob_annot
py_tasks_annotate(struct py_tasks *t, bob_annot annot)
{
	return t->running.is_any && t->running.request != 0
	    ? py_uvicorn_annotate(&t->uvicorn, t->running.request, annot)
	    : annot;
}

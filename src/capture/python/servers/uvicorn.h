/*
 * Requests of uvicorn, which serves many at the same time on a thread.
 *
 * uvicorn makes a task of asyncio for each request. Its coroutine is run_asgi
 * of the class RequestResponseCycle, in h11_impl.py or httptools_impl.py. The
 * variable self has the scope of ASGI: a dictionary with method, path and
 * query.
 *
 * All of these objects may have the addresses of others before. But names of
 * tasks are unique: asyncio numbers its tasks, and uvicorn gives them no other
 * name. So a request is identified by the address and the name of its task.
 * What was read of it is believed if the task has the same name after that.
 *
 * Ids of requests are numbers from 10 to 99999, then 10 again. They count for
 * the whole process, and have more than one digit to tell that
 * (analyze/together.h).
 */
#ifndef CAPTURE_PYTHON_SERVERS_UVICORN_H
#define CAPTURE_PYTHON_SERVERS_UVICORN_H

#include "capture/ptrmap.h"
#include "capture/python/servers/server.h"

/* Requests that are remembered: the latest ones. */
#define PY_UVICORN_MOST 16384u

/* A task that serves a request. */
struct py_served_task {
	uint64_t at;
	uint64_t name;  /* a hash of it */
	uint64_t frame; /* address of the frame of run_asgi */
};

/* A request. */
struct py_uvicorn_one {
	uint64_t task, name; /* as above */
	uint32_t number;     /* its id; 0: none yet */
	int is_known;        /* the pairs are believed */
	struct bob_pair pair[PY_REQUEST_PAIRS];
	size_t n_pair;
};

/* The requests of a process. */
struct py_uvicorn {
	struct py_server server;
	struct py_uvicorn_one *v;
	size_t n, cap_v;
	uint32_t n_request;
	uint32_t at; /* once v is full: the one to replace next */
	struct ptrmap by_task; /* indices in v, by address of the task */
	uint64_t cycle_type;   /* RequestResponseCycle; 0: not seen yet */
};

void py_uvicorn_init(struct py_uvicorn *u, struct process *p,
    const struct py_offsets *o);
void py_uvicorn_done(struct py_uvicorn *u);

/* Forgets ids: those of the next sample are of another dictionary. */
void py_uvicorn_forget(struct py_uvicorn *u);

/* Returns 1 if a function is the one that serves requests. */
int py_uvicorn_is(struct bob_bytes file, struct bob_bytes name);

/* The request of a task that is known. Returns a handle from 1 on; 0 if there
 * is none. */
uint32_t py_uvicorn_find(const struct py_uvicorn *u,
    const struct py_served_task *of);

/* The same, but reads and adds the request if it is not known; it is not
 * believed yet. Returns a handle; 0 if the task serves no request; BOB_NO_ID
 * when memory is out. */
uint32_t py_uvicorn_meet(struct py_uvicorn *u,
    const struct py_served_task *of);

/* The task was still the same after its request was read: believes it, and
 * gives it an id. */
void py_uvicorn_believe(struct py_uvicorn *u, uint32_t request);
int py_uvicorn_is_believed(const struct py_uvicorn *u, uint32_t request);

/* `annot` with the id and the pairs of a request. BOB_NO_ID when memory is
 * out. */
bob_annot py_uvicorn_annotate(struct py_uvicorn *u, uint32_t request,
    bob_annot annot);

#endif

/*
 * The request that a thread of a web server serves, as annotations of its
 * samples. gunicorn.h and uwsgi.h say how requests of these servers are found.
 * uvicorn serves many requests at the same time, each in a task: uvicorn.h.
 *
 * Each server has a value that differs from request to request: the key. A
 * stack belongs to a request if the same key was read before and after it was
 * copied. So the first stack with a new key is read again. Then the request is
 * read, and the key again: it must be the same.
 */
#ifndef CAPTURE_PYTHON_SERVERS_SERVER_H
#define CAPTURE_PYTHON_SERVERS_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/frames/walk.h"
#include "capture/python/objects/text.h"
#include "capture/runtime.h"

#define PY_REQUEST_KEY 16

/* Annotations of a request: method, uri, route, query. */
#define PY_REQUEST_PAIRS 4

/* The ids of requests in annotations: 1 to 9, then 1 again. */
#define PY_REQUEST_NUMBERS 9

/* The request of one thread. */
struct py_request {
	uint64_t start; /* gunicorn: last address of request_start */
	uint64_t core;  /* uWSGI: struct wsgi_request; 0: not known */
	uint8_t key[PY_REQUEST_KEY]; /* zeros: none so far */
	int is_known;    /* `pair` is that of the key */
	int is_true;     /* the stack that was just proven belongs to it */
	int is_other;    /* it has no number yet */
	uint32_t number; /* counts requests that have samples */
	struct bob_pair pair[PY_REQUEST_PAIRS];
	size_t n_pair;
	bob_annot annot; /* of the pairs; 0: not made yet */
};

/* What a process has in common. Types are addresses; 0: not seen yet. */
struct py_server {
	struct process *p;
	const struct py_offsets *o;
	uint64_t time_type, input_type, cell_type, dict_type, bytes_type;
};

void py_server_init(struct py_server *s, struct process *p,
    const struct py_offsets *o);

/* Which server a function belongs to, if it is the one that calls the
 * application: enum py_server_code. */
uint8_t py_server_kind(struct bob_bytes file, struct bob_bytes name);

/*
 * Finds the request that the stack which was just proven belongs to. Returns 1
 * if that is known, also if it is none; 0 if the stack must be read again; -1
 * if memory is out.
 */
int py_server_look(struct py_server *s, const struct py_walk *w,
    struct py_request *r);

/* After py_server_look(): `annot` with the pairs of the request, if there is
 * one. BOB_NO_ID when memory is out. */
bob_annot py_server_annotate(struct py_server *s, struct py_request *r,
    bob_annot annot);

/* Forgets ids: those of the next sample are of another dictionary. */
void py_server_forget(struct py_request *r);

/* --- for the files of each server ---------------------------------------- */

/* Frames, from the outermost on, among which the one that serves a request is
 * searched. Below it are frames of the server itself. */
#define PY_SERVER_DEPTH 64

/* The request that a stack belongs to. */
struct py_served {
	uint8_t key[PY_REQUEST_KEY];
	uint8_t kind;    /* enum py_server_code */
	uint64_t object; /* gunicorn: address of `req`; or 0 */
};

/* Returns 1 if s ends with `end`. */
int py_server_ends(struct bob_bytes s, const char *end);

/* The address of the object that a word of a frame refers to. 0 if it is not a
 * reference. */
uint64_t py_server_ref(const struct py_server *s, uint64_t word);

/* Returns 1 if the type at an address has this name, which has less than 32
 * bytes. *known remembers the address of the type that had. */
int py_server_is_type(struct py_server *s, uint64_t type, const char *name,
    uint64_t *known);

/* Reads the string at an address. Returns the number of bytes; 0 if there is
 * none. */
size_t py_server_text(struct py_server *s, uint64_t at, char buf[PY_MAX_TEXT]);

/* Adds a pair to the request, if n > 0. 0; -1 when memory is out. */
int py_server_add(struct py_server *s, struct py_request *r, const char *key,
    const char *value, size_t n);

/* `annot` with an id and the pairs of a request. BOB_NO_ID when memory is
 * out. */
bob_annot py_server_put(struct py_server *s, struct bob_bytes id,
    const struct bob_pair *pair, size_t n_pair, bob_annot annot);

/* Adds the path that the client asked for, and its route: the path with ids and
 * numbers replaced. 0; -1 when memory is out. */
int py_server_add_uri(struct py_server *s, struct py_request *r,
    const char *path, size_t n);

#endif

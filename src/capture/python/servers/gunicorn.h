/*
 * Requests of gunicorn's workers that serve one request at a time on a thread:
 * sync and gthread. Both call the application in a function handle_request, of
 * workers/sync.py and workers/gthread.py, which has these variables:
 *
 * 	request_start	datetime.now() when the request began
 * 	req		the request: method, path, query
 *
 * The frame and these objects mostly have the addresses of those of the request
 * before. But the time in request_start differs: it is the key. If
 * request_start is not a datetime of C (a program may replace that class),
 * there is no annotation.
 */
#ifndef CAPTURE_PYTHON_SERVERS_GUNICORN_H
#define CAPTURE_PYTHON_SERVERS_GUNICORN_H

#include "capture/python/servers/server.h"

/* Returns 1 if a function is the one that serves requests. */
int py_gunicorn_is(struct bob_bytes file, struct bob_bytes name);

/* Finds the request of a stack. Returns 1 and sets *ret; 0 if there is none. */
int py_gunicorn_find(struct py_server *s, const struct py_walk *w,
    struct py_request *r, struct py_served *ret);

/* Adds the pairs of a request to r. 0; -1 when memory is out. */
int py_gunicorn_read(struct py_server *s, struct py_request *r,
    const struct py_served *of);

#endif

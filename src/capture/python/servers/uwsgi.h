/*
 * Requests of uWSGI's workers that serve one request at a time on a thread.
 *
 * uWSGI calls the application from C, so the outermost Python function is one
 * of the application, whatever its name. One of its variables is the WSGI
 * environment, a dictionary. Its item "wsgi.input" is an object of the type
 * uwsgi._Input, which has the address of uWSGI's own structure of the request.
 * Each thread has one such structure and uses it for all requests. So it is
 * looked for once.
 *
 * The structure has the request, and the time in microseconds at which it was
 * accepted: that is the key. The next word must be the same time in seconds, as
 * uWSGI keeps both, and the one behind it, the time of the end, must be 0. All
 * of these are at the same offsets in every version from 2.0 to 2.0.30. Between
 * two requests the whole structure is 0.
 *
 * With --async or gevent, requests take turns on a thread. Their environment
 * says so, and then there is no annotation.
 */
#ifndef CAPTURE_PYTHON_SERVERS_UWSGI_H
#define CAPTURE_PYTHON_SERVERS_UWSGI_H

#include "capture/python/servers/server.h"

/* Finds the request of a thread. Returns 1 and sets *ret; 0 if there is
 * none. */
int py_uwsgi_find(struct py_server *s, const struct py_walk *w,
    struct py_request *r, struct py_served *ret);

/* Adds the pairs of the request to r. 0; -1 when memory is out. */
int py_uwsgi_read(struct py_server *s, struct py_request *r);

#endif

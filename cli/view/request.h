/*
 * A question: a name and parameters. Two doors ask: the HTTP server of `view`
 * (server.h), and the module in a page that is a file (web/engine/door.c).
 */
#ifndef CLI_VIEW_REQUEST_H
#define CLI_VIEW_REQUEST_H

struct request {
	const char *path; /* the name, behind "api/"; or a file of the page */
	/* The value of a parameter, decoded; NULL: not given. */
	const char *(*param)(const struct request *rq, const char *name);
};

static inline const char *
request_param(const struct request *rq, const char *name)
{
	return rq->param(rq, name);
}

#endif

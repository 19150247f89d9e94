/*
 * One HTTP request after the other, to one server, over one connection that is
 * kept. Redirects are not followed. Certificates and names are verified.
 *
 *     http_open(ctx, &opts, &h);
 *     req = (struct http_req){ .path = "/ping" };
 *     r = http_do(h, &req, &ans);
 *     http_close(h);
 */
#ifndef SHIP_HTTP_H
#define SHIP_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "ship/url.h"

/* Bytes of an answer that are kept when nobody takes them. */
#define HTTP_KEPT 4096

struct http_opts {
	const struct ship_url *url;
	const char *login_file; /* NULL: none; see login.h */
	const char *user, *password; /* used without a file; may be NULL */
	const char *ca_file; /* NULL: the system's */
	unsigned timeout_s;  /* of a whole request; 0: 300 */
	const char *mark;    /* what a header of a true answer begins with;
	                      * NULL: nothing is known */
	const volatile int *stop; /* ends a request; may be NULL */
};

/* Takes a part of an answer with status 200. Returns 0 to go on, -1 to give
 * up: the context has the error. */
typedef int http_take_fn(void *user, const uint8_t *p, size_t n);

struct http_req {
	const char *method;  /* NULL: GET, or POST with a body */
	const char *path;    /* behind the host, with the query */
	const char *const *headers; /* ends with NULL; or NULL */
	const void *body;
	size_t n_body;
	int fd;              /* with is_upload: what is sent, from its
	                      * beginning, n_body bytes; body is NULL */
	int is_upload;
	int is_head;         /* only the headers of the answer are wanted */
	const char *sigv4;   /* signs the request, as "aws:amz:REGION:s3"; NULL:
	                      * the password is sent */
	const char *header;  /* of the answer that is kept, as "etag:", in lower
	                      * case; NULL: none */
	http_take_fn *take;  /* NULL: it is kept in the answer */
	void *user;
};

struct http_ans {
	int status;
	unsigned retry_after_s; /* 0: the server did not say */
	size_t n_text;          /* of the whole answer that was read */
	char text[HTTP_KEPT];   /* its beginning, with a NUL behind it; a
	                         * stranger's bytes */
	char header[256]; /* its value, without blanks around it */
	uint64_t length;  /* of the content, as the answer says */
	int is_marked; /* the answer has such a header */
	int has_begun; /* bytes of the request went out: without an answer it
	                * is unknown what the server did */
};

struct http;

/* Returns BOB_OK and sets *ret, or FAILED. Strings are borrowed. */
int http_open(struct bob_ctx *ctx, const struct http_opts *opts,
    struct http **ret);

/* Returns BOB_OK for an answer of any status; FAILED if there is none, or
 * `take` gave up: then has_begun is set. */
int http_do(struct http *h, const struct http_req *req, struct http_ans *ret);

/* NULL is allowed. */
void http_close(struct http *h);

/* Writes the n bytes at p to `to`, percent-encoded, with a NUL. `to` has room
 * for 3 * n + 1 bytes. Returns the length. */
size_t http_encode(char *to, const char *p, size_t n);

#endif

/*
 * Object storage with the interface of S3 as a target: an object for each
 * segment, BUCKET/PREFIX/HOST/SEGMENT.
 *
 * Objects are only created, never replaced (If-None-Match), and have their
 * SHA-256 as metadata. A segment is acknowledged when the server says that an
 * object of its size has this hash: after an upload without an answer too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ship/blocks.h"
#include "ship/http.h"
#include "ship/segfile.h"
#include "ship/targets.h"

/* Every answer of such a server has a header like this. */
#define MARK "x-amz-"
#define HASH_TEXT (2 * SHA256_BYTES + 1)
#define HASH_HEADER "x-amz-meta-sha256:"
#define PATH (SHIP_URL_PART + 12 * SEGFILE_NAME)

struct s3 {
	struct bob_ctx *ctx;
	struct ship_url url;
	struct http *http;
	const volatile int *stop;
	char sigv4[SHIP_URL_PART];
};

static void
s3_close(void *state)
{
	struct s3 *s = state;

	http_close(s->http);
	free(s);
}

/* The region is in the names of Amazon's servers: s3.eu-west-1.amazonaws.com.
 * Others take any. */
static void
set_region(struct s3 *s)
{
	const char *host = s->url.host, *dot;
	char region[SHIP_URL_PART] = "us-east-1";

	if (strncmp(host, "s3.", 3) == 0 &&
	    strstr(host, ".amazonaws.com") != NULL) {
		dot = strchr(host + 3, '.');
		if (dot != NULL && strncmp(host + 3, "amazonaws", 9) != 0)
			(void)snprintf(region, sizeof(region), "%.*s",
			    (int)(dot - host - 3), host + 3);
	}
	(void)snprintf(s->sigv4, sizeof(s->sigv4), "aws:amz:%.64s:s3",
	    region);
}

static int
s3_open(struct bob_ctx *ctx, const struct bob_target_opts *opts, void **ret)
{
	struct s3 *s = calloc(1, sizeof(*s));
	struct http_opts h;

	if (s == NULL)
		return err_nomem(ctx), BOB_FAILED;
	s->ctx = ctx;
	s->stop = opts->stop;
	if (ship_url_parse(ctx, opts->url, &s->url) < 0)
		goto fail;
	if (s->url.path[0] == '\0' || s->url.path[0] == '/') {
		(void)err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "the address of object storage needs a bucket, as in "
		    "s3://HOST/BUCKET/PREFIX");
		goto fail;
	}
	set_region(s);
	h = (struct http_opts){ .url = &s->url, .user = opts->user,
		.password = opts->password, .login_file = opts->login_file,
		.ca_file = opts->ca_file, .timeout_s = opts->timeout_s,
		.stop = opts->stop, .mark = MARK };
	if (http_open(ctx, &h, &s->http) < 0)
		goto fail;
	*ret = s;
	return BOB_OK;
fail:
	free(s);
	return BOB_FAILED;
}

/* Judges a status that is none of the expected. Returns FAILED. */
static int
fail_by_status(struct s3 *s, const struct http_ans *ans,
    struct send_result *ret)
{
	ret->why = ans->status == 401 || ans->status == 403 ||
	    ans->status == 404 ? SHIP_SETUP :
	    ans->status == 400 || ans->status == 413 ? SHIP_REFUSED :
	    SHIP_BUSY;
	ret->retry_after_s = ans->retry_after_s;
	return err_set(s->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	    "%s: status %d: %.300s", s->url.host, ans->status, ans->text);
}

/* Asks whether an object is the segment. Returns 1 if it is; 0 if another one
 * has its name; -1 if there is none; FAILED. */
#define NOT_THERE (-1)
static int
is_there(struct s3 *s, const char *path, const char *hash,
    const struct block_source *src, struct send_result *ret)
{
	struct http_req req = { .path = path, .is_head = 1,
		.sigv4 = s->sigv4, .header = HASH_HEADER };
	struct http_ans ans;

	if (http_do(s->http, &req, &ans) < 0) {
		ret->why = SHIP_BUSY;
		return BOB_FAILED;
	}
	if (ans.status == 404 && ans.is_marked)
		return NOT_THERE;
	if (ans.status != 200 || !ans.is_marked)
		return fail_by_status(s, &ans, ret);
	return strcmp(ans.header, hash) == 0 && ans.length == src->size;
}

/* Uploads the segment, unless an object has its name. Returns BOB_OK when it is
 * to be asked for. */
static int
put(struct s3 *s, const char *path, const char *hash,
    const struct block_source *src, struct send_result *ret)
{
	char meta[HASH_TEXT + 64], body[HASH_TEXT + 64];
	const char *const headers[] = { body, meta, "If-None-Match: *", NULL };
	struct http_req req = { .path = path, .is_upload = 1, .fd = src->fd,
		.n_body = src->size, .sigv4 = s->sigv4, .headers = headers };
	struct http_ans ans;
	int r;

	(void)snprintf(body, sizeof(body), "x-amz-content-sha256: %s", hash);
	(void)snprintf(meta, sizeof(meta), HASH_HEADER " %s", hash);
	ret->has_sent = 1;
	r = http_do(s->http, &req, &ans);
	if (r < 0) {
		ret->why = SHIP_BUSY;
		return r;
	}
	ret->bytes_sent += src->size;
	/* 412: it is there by now. */
	return ans.status == 200 || ans.status == 412 ? BOB_OK :
	    fail_by_status(s, &ans, ret);
}

/* Writes the path of a request for an object to `to`. */
static void
make_path(const struct s3 *s, char to[PATH], const char *host,
    const char *name)
{
	char a[3 * SEGFILE_NAME + 1], b[6 * SEGFILE_NAME + 1];

	(void)http_encode(a, host, strlen(host));
	(void)http_encode(b, name, strlen(name));
	(void)snprintf(to, PATH, "/%s/%s/%s", s->url.path, a, b);
}

/* Ships by one name. Returns as is_there, never NOT_THERE. */
static int
ship_as(struct s3 *s, const char *host, const char *name, const char *hash,
    const struct block_source *src, struct send_result *ret)
{
	char path[PATH];
	int r;

	make_path(s, path, host, name);
	r = is_there(s, path, hash, src, ret);
	if (r != NOT_THERE)
		return r;
	if (put(s, path, hash, src, ret) < 0)
		return BOB_FAILED;
	r = is_there(s, path, hash, src, ret);
	if (r != NOT_THERE)
		return r;
	ret->why = SHIP_BUSY;
	return err_set(s->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	    "%s: %s was stored, and is not there", s->url.host, name);
}

static int
s3_send(void *state, const struct block_source *src, struct send_result *ret)
{
	char host[SEGFILE_NAME], name[SEGFILE_NAME], other[2 * SEGFILE_NAME];
	uint8_t digest[SHA256_BYTES];
	char hash[HASH_TEXT];
	struct s3 *s = state;
	size_t i;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (segfile_copy(src->fd, -1, s->stop, digest) < 0) {
		ret->why = SHIP_BUSY;
		return err_sys(s->ctx, BOB_FAILED, errno, "%s", src->name);
	}
	if (!segfile_is(digest, src->seg)) {
		ret->why = SHIP_LOCAL;
		return segfile_changed(s->ctx, src->name);
	}
	for (i = 0; i < SHA256_BYTES; i++)
		(void)snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	segfile_name(host, src->host);
	segfile_name(name, src->file);
	r = ship_as(s, host, name, hash, src, ret);
	if (r == 0) {
		(void)snprintf(other, sizeof(other), "%016" PRIx64 "-%.200s",
		    src->seg, name);
		r = ship_as(s, host, other, hash, src, ret);
	}
	if (r == 1)
		ret->acknowledged = src->n_samples;
	else if (r == 0) {
		ret->why = SHIP_REFUSED;
		r = err_set(s->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "%s: other objects have the names of %s", s->url.host,
		    src->name);
	}
	return r == 1 ? BOB_OK : BOB_FAILED;
}

const struct target_ops s3_target = {
	.open = s3_open,
	.send = s3_send,
	.close = s3_close,
};

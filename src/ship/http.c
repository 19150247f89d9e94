/* HTTP by libcurl; see the header. */
#include "ship/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/text.h"
#include "ship/curl.h"
#include "ship/login.h"

/* An answer that nobody takes is read no further than this. */
#define MOST_TEXT ((size_t)64 << 10)
#define MOST_PATH 16384
#define CONNECT_S 10
/* A connection that carries less than a byte a second for so long is cut. */
#define STALL_S 60

struct http {
	struct bob_ctx *ctx;
	struct http_opts opts;
	struct curl_api api;
	CURL *easy;
	char why[CURL_ERROR_SIZE];
	char base[SHIP_URL_BASE];
	/* of the request that runs */
	const struct http_req *req;
	struct http_ans *ans;
	int gave_up;
	uint64_t n_read; /* bytes of the file that is sent */
};

int
http_open(struct bob_ctx *ctx, const struct http_opts *opts,
    struct http **ret)
{
	struct http *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return err_nomem(ctx), BOB_FAILED;
	h->ctx = ctx;
	h->opts = *opts;
	if (curl_api_open(ctx, &h->api) < 0) {
		free(h);
		return BOB_FAILED;
	}
	ship_url_base(opts->url, h->base);
	h->easy = h->api.curl_easy_init();
	if (h->easy == NULL) {
		free(h);
		return err_nomem(ctx), BOB_FAILED;
	}
	*ret = h;
	return BOB_OK;
}

void
http_close(struct http *h)
{
	if (h == NULL)
		return;
	h->api.curl_easy_cleanup(h->easy);
	free(h);
}

static size_t
on_body(char *p, size_t size, size_t n, void *user)
{
	struct http *h = user;
	struct http_ans *ans = h->ans;
	size_t at = ans->n_text, room = HTTP_KEPT - 1, take;
	long status = 0;

	n *= size;
	(void)(h->api.curl_easy_getinfo)(h->easy, CURLINFO_RESPONSE_CODE,
	    &status);
	if (status == 200 && h->req->take != NULL) {
		h->gave_up = h->req->take(h->req->user, (uint8_t *)p, n) != 0;
		return h->gave_up ? 0 : n;
	}
	if (at < room) {
		take = n < room - at ? n : room - at;
		memcpy(ans->text + at, p, take);
		ans->text[at + take] = '\0';
	}
	ans->n_text += n;
	return ans->n_text > MOST_TEXT ? 0 : n;
}

/* If a line is the header `name` ("etag:"), returns the length of its value and
 * sets *ret to it; 0 if it is another one. */
static size_t
value_of(const char *line, size_t len, const char *name, const char **ret)
{
	size_t at = strlen(name);

	if (len <= at || strncasecmp(line, name, at) != 0)
		return 0;
	while (at < len && line[at] == ' ')
		at++;
	while (len > at && strchr("\r\n ", line[len - 1]) != NULL)
		len--;
	*ret = line + at;
	return len - at;
}

static size_t
on_header(char *p, size_t size, size_t n, void *user)
{
	struct http *h = user;
	size_t len = size * n, k;
	const char *mark = h->opts.mark, *value;
	uint64_t v;

	if (mark != NULL && len > strlen(mark) &&
	    strncasecmp(p, mark, strlen(mark)) == 0)
		h->ans->is_marked = 1;
	k = value_of(p, len, "retry-after:", &value);
	if (k > 0 && text_get_u64(value, k, &v))
		h->ans->retry_after_s = v < 3600 ? (unsigned)v : 3600;
	k = value_of(p, len, "content-length:", &value);
	if (k > 0 && text_get_u64(value, k, &v))
		h->ans->length = v;
	k = h->req->header == NULL ? 0 :
	    value_of(p, len, h->req->header, &value);
	if (k > 0 && k < sizeof(h->ans->header)) {
		memcpy(h->ans->header, value, k);
		h->ans->header[k] = '\0';
	}
	return len;
}

/* Gives the bytes of a file to be sent. */
static size_t
on_read(char *p, size_t size, size_t n, void *user)
{
	struct http *h = user;
	ssize_t k = pread(h->req->fd, p, size * n, (off_t)h->n_read);

	if (k < 0)
		return CURL_READFUNC_ABORT;
	h->n_read += (size_t)k;
	return (size_t)k;
}

/* libcurl sends it again, on a connection that had ended. */
static int
on_seek(void *user, curl_off_t at, int from)
{
	struct http *h = user;

	if (from != SEEK_SET || at < 0)
		return CURL_SEEKFUNC_FAIL;
	h->n_read = (uint64_t)at;
	return CURL_SEEKFUNC_OK;
}

static int
on_progress(void *user, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
    curl_off_t up)
{
	const struct http *h = user;

	(void)down_all;
	(void)down;
	(void)up_all;
	(void)up;
	return h->opts.stop != NULL && *h->opts.stop != 0;
}

/* The credentials of this request; those of a file may have changed. */
static int
find_login(const struct http *h, struct login *ret)
{
	const struct http_opts *o = &h->opts;

	memset(ret, 0, sizeof(*ret));
	if (o->login_file != NULL && login_read(h->ctx, o->login_file,
	        o->url->host, o->url->port, ret) < 0)
		return BOB_FAILED;
	if (o->login_file == NULL && o->user != NULL)
		(void)snprintf(ret->user, LOGIN_MAX, "%s", o->user);
	if (o->login_file == NULL && o->password != NULL)
		(void)snprintf(ret->password, LOGIN_MAX, "%s", o->password);
	if (ret->user[0] == '\0')
		(void)snprintf(ret->user, LOGIN_MAX, "%s", o->url->user);
	return BOB_OK;
}

#define SET(option, value)                                                   \
	(h->api.curl_easy_setopt)(h->easy, (option), (value))

static void
set_connection(struct http *h, const struct login *login)
{
	(void)SET(CURLOPT_PROTOCOLS_STR, h->opts.url->tls ? "https" : "http");
	(void)SET(CURLOPT_NOSIGNAL, 1L);
	(void)SET(CURLOPT_FOLLOWLOCATION, 0L);
	(void)SET(CURLOPT_SSL_VERIFYPEER, 1L);
	(void)SET(CURLOPT_SSL_VERIFYHOST, 2L);
	(void)SET(CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	(void)SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
	(void)SET(CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
	(void)SET(CURLOPT_TIMEOUT, h->opts.timeout_s == 0 ? 300L
	                                    : (long)h->opts.timeout_s);
	(void)SET(CURLOPT_ERRORBUFFER, h->why);
	(void)SET(CURLOPT_NOPROGRESS, 0L);
	(void)SET(CURLOPT_XFERINFOFUNCTION, on_progress);
	(void)SET(CURLOPT_XFERINFODATA, h);
	(void)SET(CURLOPT_WRITEFUNCTION, on_body);
	(void)SET(CURLOPT_WRITEDATA, h);
	(void)SET(CURLOPT_HEADERFUNCTION, on_header);
	(void)SET(CURLOPT_HEADERDATA, h);
	if (h->opts.ca_file != NULL)
		(void)SET(CURLOPT_CAINFO, h->opts.ca_file);
	if (login->user[0] != '\0') {
		if (h->req->sigv4 != NULL)
			(void)SET(CURLOPT_AWS_SIGV4, h->req->sigv4);
		else
			(void)SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		(void)SET(CURLOPT_USERNAME, login->user);
		(void)SET(CURLOPT_PASSWORD, login->password);
	}
}

static void
set_request(struct http *h, const char *url, struct curl_slist *headers)
{
	const struct http_req *req = h->req;

	(void)SET(CURLOPT_URL, url);
	(void)SET(CURLOPT_HTTPHEADER, headers);
	if (req->body != NULL) {
		(void)SET(CURLOPT_POST, 1L);
		(void)SET(CURLOPT_POSTFIELDS, req->body);
		(void)SET(CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)req->n_body);
	}
	if (req->is_upload) {
		(void)SET(CURLOPT_UPLOAD, 1L);
		(void)SET(CURLOPT_READFUNCTION, on_read);
		(void)SET(CURLOPT_READDATA, h);
		(void)SET(CURLOPT_SEEKFUNCTION, on_seek);
		(void)SET(CURLOPT_SEEKDATA, h);
		(void)SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)req->n_body);
	}
	if (req->is_head)
		(void)SET(CURLOPT_NOBODY, 1L);
	if (req->method != NULL)
		(void)SET(CURLOPT_CUSTOMREQUEST, req->method);
}

/* Adds a header; frees the list when memory is out. */
static struct curl_slist *
add_header(struct http *h, struct curl_slist *list, const char *text)
{
	struct curl_slist *more = h->api.curl_slist_append(list, text);

	if (more == NULL)
		h->api.curl_slist_free_all(list);
	return more;
}

/* Without "Expect" the body is sent at once. libcurl would sign that header
 * though it does not send it. Returns BOB_OK or FAILED; the list may be
 * empty. */
static int
make_headers(struct http *h, const struct http_req *req,
    struct curl_slist **ret)
{
	struct curl_slist *list = NULL;
	const char *const *p = req->headers;

	if (req->sigv4 == NULL)
		list = add_header(h, NULL, "Expect:");
	if (req->sigv4 == NULL && list == NULL)
		return err_nomem(h->ctx), BOB_FAILED;
	for (; p != NULL && *p != NULL; p++) {
		list = add_header(h, list, *p);
		if (list == NULL)
			return err_nomem(h->ctx), BOB_FAILED;
	}
	*ret = list;
	return BOB_OK;
}

static int
perform(struct http *h)
{
	long status = 0, sent = 0;
	CURLcode code = h->api.curl_easy_perform(h->easy);

	(void)(h->api.curl_easy_getinfo)(h->easy, CURLINFO_RESPONSE_CODE,
	    &status);
	(void)(h->api.curl_easy_getinfo)(h->easy, CURLINFO_REQUEST_SIZE, &sent);
	h->ans->status = (int)status;
	h->ans->has_begun = sent > 0;
	/* An answer that was too long is an answer. */
	if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && !h->gave_up &&
	        status != 0))
		return BOB_OK;
	if (h->gave_up)
		return err_set_status(h->ctx, BOB_FAILED);
	return err_set(h->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET, "%s: %s",
	    h->base, h->why[0] != '\0' ? h->why :
	    h->api.curl_easy_strerror(code));
}

int
http_do(struct http *h, const struct http_req *req, struct http_ans *ret)
{
	char url[MOST_PATH + SHIP_URL_BASE];
	struct curl_slist *headers;
	struct login login;
	int n, r;

	memset(ret, 0, sizeof(*ret));
	n = snprintf(url, sizeof(url), "%s%s", h->base, req->path);
	if (n < 0 || (size_t)n >= sizeof(url))
		return err_set(h->ctx, BOB_FAILED, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "%s: a request of %d bytes is too long", h->base, n);
	if (find_login(h, &login) < 0)
		return BOB_FAILED;
	if (make_headers(h, req, &headers) < 0) {
		login_forget(&login);
		return BOB_FAILED;
	}
	h->req = req;
	h->ans = ret;
	h->gave_up = 0;
	h->n_read = 0;
	h->why[0] = '\0';
	h->api.curl_easy_reset(h->easy);
	set_connection(h, &login);
	set_request(h, url, headers);
	r = perform(h);
	login_forget(&login);
	h->api.curl_slist_free_all(headers);
	return r;
}

size_t
http_encode(char *to, const char *p, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		uint8_t c = (uint8_t)p[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
		    c == '.' || c == '~') {
			to[k++] = (char)c;
			continue;
		}
		to[k++] = '%';
		to[k++] = digits[c >> 4];
		to[k++] = digits[c & 15];
	}
	to[k] = '\0';
	return k;
}

/* HTTP with libmicrohttpd, and who may ask; see the header. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "microhttpd.h"
#include "slow.h"
#include "visitors.h"

/* Bytes of the secret. */
#define SECRET 16

/* Seconds after which a silent connection is closed. */
#define TIMEOUT 60

/* How often slow answers are looked for. */
#define SLOW_MS 10

/* Bytes that one connection may take for a request. */
#define REQUEST_MEMORY (32 * 1024)

#define POLICY                                                                \
	"default-src 'none'; script-src 'self'; style-src 'self'; "           \
	"connect-src 'self'; img-src 'self' data: blob:; "                    \
	"worker-src 'self'; base-uri 'none'; form-action 'none'; "            \
	"frame-ancestors 'none'"

struct server {
	struct server_opts o;
	struct microhttpd http;
	struct MHD_Daemon *daemon;
	struct visitors visitors;
	struct slows slows;
	int is_everywhere;               /* it listens on all addresses */
	char prefix[2 + 2 * SECRET + 1]; /* "/SECRET/" */
	char host[SERVER_URL / 2];       /* "127.0.0.1:4711" */
	char other_host[32];             /* "localhost:4711", or "" */
	char url[SERVER_URL];
};

/* ---- Answers ----------------------------------------------------------- */

static void
add_headers(const struct microhttpd *http, struct MHD_Response *r,
    const char *type)
{
	static const char *const all[][2] = {
		{ "Content-Security-Policy", POLICY },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cache-Control", "no-store" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		(void)http->MHD_add_response_header(r, all[i][0], all[i][1]);
	(void)http->MHD_add_response_header(r, "Content-Type", type);
}

/* Takes what the reply owns. */
static struct MHD_Response *
make_response(const struct microhttpd *http, const struct reply *reply)
{
	struct MHD_Response *r;
	int fd;

	if (reply->file != NULL) {
		fd = dup(fileno(reply->file));
		(void)fclose(reply->file);
		r = fd < 0 ? NULL
		    : http->MHD_create_response_from_fd(reply->n, fd);
		if (r == NULL && fd >= 0)
			(void)close(fd);
		return r;
	}
	r = http->MHD_create_response_from_buffer(reply->n,
	    (void *)(uintptr_t)reply->body,
	    reply->is_static ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);
	if (r == NULL && !reply->is_static)
		free((void *)(uintptr_t)reply->body);
	return r;
}

static enum MHD_Result
send_reply(const struct microhttpd *http, struct MHD_Connection *c,
    const struct reply *reply)
{
	enum MHD_Result sent;
	struct MHD_Response *r = make_response(http, reply);

	if (r == NULL)
		return MHD_NO;
	add_headers(http, r, reply->type);
	/* Never shown: it may be a page of its own. */
	if (reply->file != NULL)
		(void)http->MHD_add_response_header(r, "Content-Disposition",
		    "attachment");
	sent = http->MHD_queue_response(c, reply->status, r);
	http->MHD_destroy_response(r);
	return sent;
}

static enum MHD_Result
send_error(const struct microhttpd *http, struct MHD_Connection *c,
    unsigned status, const char *text)
{
	const struct reply reply = { .status = status,
		.type = "text/plain; charset=utf-8", .body = text,
		.n = strlen(text), .is_static = 1 };

	return send_reply(http, c, &reply);
}

/* ---- Who may ask ------------------------------------------------------- */

/* Compares n bytes in the same time wherever they differ. */
static int
is_same(const char *a, const char *b, size_t n)
{
	unsigned char differs = 0;
	size_t i;

	for (i = 0; i < n; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return differs == 0;
}

static int
has_secret(const struct server *s, const char *path)
{
	const size_t n = sizeof(s->prefix) - 1;

	return strlen(path) >= n && is_same(path, s->prefix, n);
}

/* "192.0.2.1:4711" or "[2001:db8::1]:4711" with the port of the server. */
static int
is_number(const struct server *s, const char *host)
{
	const char *port = strrchr(s->host, ':'), *end = strrchr(host, ':');
	char address[INET6_ADDRSTRLEN + 2];
	unsigned char ignored[sizeof(struct in6_addr)];
	size_t n;

	if (end == NULL || strcmp(end, port) != 0 ||
	    (size_t)(end - host) >= sizeof(address))
		return 0;
	n = (size_t)(end - host);
	memcpy(address, host, n);
	address[n] = '\0';
	if (n < 2 || address[0] != '[' || address[n - 1] != ']')
		return inet_pton(AF_INET, address, ignored) == 1;
	address[n - 1] = '\0';
	return inet_pton(AF_INET6, address + 1, ignored) == 1;
}

static int
is_own_host(const struct server *s, const char *host)
{
	return host != NULL && (strcasecmp(host, s->host) == 0 ||
	    (s->other_host[0] != '\0' &&
	    strcasecmp(host, s->other_host) == 0) ||
	    (s->is_everywhere && is_number(s, host)));
}

/* Origin is "http://HOST"; without one the request is no page's, or of the
 * same origin. */
static int
is_own_origin(const struct server *s, const char *origin)
{
	return origin == NULL || (strncmp(origin, "http://", 7) == 0 &&
	    is_own_host(s, origin + 7));
}

static int
is_own_site(const char *site)
{
	return site == NULL || strcmp(site, "same-origin") == 0 ||
	    strcmp(site, "none") == 0;
}

static const char *
header(const struct server *s, struct MHD_Connection *c, const char *name)
{
	return s->http.MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static int
may_ask(const struct server *s, struct MHD_Connection *c, const char *path)
{
	/* Somebody who follows a link to the page itself comes from another
	 * site; the page shows nothing before it asks by itself. */
	int is_page = strlen(path) == sizeof(s->prefix) - 1;

	return has_secret(s, path) && is_own_host(s, header(s, c, "Host")) &&
	    is_own_origin(s, header(s, c, "Origin")) &&
	    (is_page || is_own_site(header(s, c, "Sec-Fetch-Site")));
}

/* A request with what its parameters are read from. */
struct asked {
	struct request rq;
	const struct server *server;
	struct MHD_Connection *connection;
};

static const char *
param(const struct request *rq, const char *name)
{
	const struct asked *a = (const struct asked *)rq;

	return a->server->http.MHD_lookup_connection_value(a->connection,
	    MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result
find_nul(void *found, enum MHD_ValueKind kind, const char *key, size_t n_key,
    const char *value, size_t n)
{
	(void)kind;
	if ((n_key > 0 && memchr(key, '\0', n_key) != NULL) ||
	    (n > 0 && memchr(value, '\0', n) != NULL))
		*(int *)found = 1;
	return MHD_YES;
}

/* True if a parameter has a NUL: its text would end there, and be another. */
static int
has_nul(const struct server *s, struct MHD_Connection *c)
{
	int found = 0;

	(void)s->http.MHD_get_connection_values_n(c, MHD_GET_ARGUMENT_KIND,
	    find_nul, &found);
	return found;
}

static void
on_connection(void *user, struct MHD_Connection *c, void **visitor,
    enum MHD_ConnectionNotificationCode what)
{
	struct server *s = user;
	const union MHD_ConnectionInfo *info;

	if (what != MHD_CONNECTION_NOTIFY_STARTED) {
		visitors_remove(&s->visitors, *visitor);
		slow_left(&s->slows, c);
		return;
	}
	info = s->http.MHD_get_connection_info(c,
	    MHD_CONNECTION_INFO_CONNECTION_FD);
	*visitor = info == NULL ? NULL
	    : visitors_add(&s->visitors, info->connect_fd);
}

static void
note_known(const struct server *s, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = s->http.MHD_get_connection_info(
	    c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct visitor *one = info == NULL ? NULL : info->socket_context;

	if (one != NULL)
		one->is_known = 1;
}

static enum MHD_Result
send_answer(const struct server *s, struct MHD_Connection *c,
    const struct reply *reply)
{
	if (reply->body == NULL && reply->file == NULL)
		return send_error(&s->http, c, reply->status != 0
		    ? reply->status : MHD_HTTP_NOT_FOUND, "not found\n");
	return send_reply(&s->http, c, reply);
}

/* Answers a request, or lets it wait: then *ret_slow is set, and this is called
 * again with it. */
static enum MHD_Result
answer(struct server *s, struct MHD_Connection *c, const struct request *rq,
    void **ret_slow)
{
	uint64_t limit = s->o.limit(s->o.user, rq);
	struct slow *slow = limit == SERVER_AT_ONCE ? NULL
	    : slow_add(&s->slows, c, &s->o, rq, limit);
	struct reply reply;

	if (slow != NULL) {
		*ret_slow = slow;
		return MHD_YES;
	}
	if (limit != SERVER_AT_ONCE)
		return send_error(&s->http, c, MHD_HTTP_SERVICE_UNAVAILABLE,
		    "no process for a slow question\n");
	memset(&reply, 0, sizeof(reply));
	s->o.handle(s->o.user, rq, &reply);
	return send_answer(s, c, &reply);
}

/* libmicrohttpd calls this more than once for a request. *state is NULL at
 * first, then the server, or the slow question that has an answer now. */
static enum MHD_Result
on_request(void *user, struct MHD_Connection *c, const char *url,
    const char *method, const char *version, const char *body, size_t *n_body,
    void **state)
{
	struct server *s = user;
	struct asked asked = { { .param = param }, s, c };
	struct reply reply;

	(void)version;
	(void)body;
	if (*state == NULL) { /* the headers only; a body would follow */
		*state = s;
		return MHD_YES;
	}
	if (*n_body > 0) {
		*n_body = 0;
		return MHD_YES;
	}
	if (*state != s) {
		slow_take(&s->slows, *state, &reply);
		*state = s;
		return send_answer(s, c, &reply);
	}
	if (!may_ask(s, c, url))
		return send_error(&s->http, c, MHD_HTTP_NOT_FOUND,
		    "not found\n");
	note_known(s, c);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return send_error(&s->http, c, MHD_HTTP_METHOD_NOT_ALLOWED,
		    "only GET is possible\n");
	if (has_nul(s, c))
		return send_error(&s->http, c, MHD_HTTP_BAD_REQUEST,
		    "a parameter has a NUL\n");
	asked.rq.path = url + sizeof(s->prefix) - 1;
	return answer(s, c, &asked.rq, state);
}

/* ---- Start and end ----------------------------------------------------- */

static int
make_secret(struct server *s)
{
	static const char digit[] = "0123456789abcdef";
	unsigned char raw[SECRET];
	char *to = s->prefix;
	size_t i;

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return -1;
	*to++ = '/';
	for (i = 0; i < sizeof(raw); i++) {
		*to++ = digit[raw[i] >> 4];
		*to++ = digit[raw[i] & 15];
	}
	*to++ = '/';
	*to = '\0';
	return 0;
}

static struct addrinfo *
find_address(const char *bind, uint16_t port)
{
	struct addrinfo hints, *found = NULL;
	char service[8];

	memset(&hints, 0, sizeof(hints));
	hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
	hints.ai_socktype = SOCK_STREAM;
	(void)snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(bind, service, &hints, &found) != 0)
		return NULL;
	return found;
}

int
server_is_loopback(const char *address)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, address, &four) == 1)
		return (ntohl(four.s_addr) >> 24) == 127;
	return inet_pton(AF_INET6, address, &six) == 1 &&
	    IN6_IS_ADDR_LOOPBACK(&six);
}

/* "0.0.0.0" and "::" are no address to connect to. */
static int
is_everywhere(const char *address)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, address, &four) == 1)
		return four.s_addr == INADDR_ANY;
	return inet_pton(AF_INET6, address, &six) == 1 &&
	    IN6_IS_ADDR_UNSPECIFIED(&six);
}

static void
set_names(struct server *s, const char *bind, uint16_t port)
{
	int is_six = strchr(bind, ':') != NULL;
	char name[65];

	s->is_everywhere = is_everywhere(bind);
	if (s->is_everywhere && gethostname(name, sizeof(name)) == 0) {
		name[sizeof(name) - 1] = '\0';
		bind = name;
		is_six = 0;
	}
	(void)snprintf(s->host, sizeof(s->host), is_six ? "[%s]:%u" : "%s:%u",
	    bind, port);
	if (s->is_everywhere || server_is_loopback(bind))
		(void)snprintf(s->other_host, sizeof(s->other_host),
		    "localhost:%u", port);
	(void)snprintf(s->url, sizeof(s->url), "http://%s%s", s->host,
	    s->prefix);
}

/* What can be done if the server cannot listen. */
static const char *
hint_for(int sys)
{
	switch (sys) {
	case EADDRINUSE:
		return "another program listens there; without --port it is "
		       "any port that is free";
	case EACCES:
		return "ports below 1024 are root's; without --port it is any "
		       "port that is free";
	case EADDRNOTAVAIL:
		return "this machine does not have that address; 'ip addr' "
		       "lists those that it has";
	default:
		return NULL;
	}
}

static int
listen_on(struct server *s, const char *bind, struct server_error *err)
{
	const union MHD_DaemonInfo *info;
	struct addrinfo *at = find_address(bind, s->o.port);

	if (at == NULL) {
		(void)snprintf(err->text, sizeof(err->text),
		    "'%s' is no address", bind);
		err->hint = "a number as 127.0.0.1 or ::1, no name";
		return -1;
	}
	errno = 0;
	s->daemon = s->http.MHD_start_daemon(MHD_USE_EPOLL |
	    MHD_ALLOW_SUSPEND_RESUME |
	    (at->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0), s->o.port, NULL,
	    NULL, on_request, s, MHD_OPTION_SOCK_ADDR, at->ai_addr,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)VISITORS,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MEMORY,
	    MHD_OPTION_END);
	freeaddrinfo(at);
	info = s->daemon == NULL ? NULL
	    : s->http.MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
	if (info == NULL) {
		err->hint = hint_for(errno);
		(void)snprintf(err->text, sizeof(err->text),
		    "cannot listen on %s port %u: %s", bind, s->o.port,
		    errno != 0 ? strerror(errno) : "no server");
		return -1;
	}
	set_names(s, bind, info->port);
	return 0;
}

int
server_start(const struct server_opts *o, struct server **ret,
    struct server_error *err)
{
	struct server *s = calloc(1, sizeof(*s));

	memset(err, 0, sizeof(*err));
	if (s == NULL) {
		(void)snprintf(err->text, sizeof(err->text), "out of memory");
		return -1;
	}
	s->o = *o;
	visitors_init(&s->visitors);
	s->slows.http = &s->http;
	if (microhttpd_open(&s->http, err->text, sizeof(err->text)) < 0) {
		free(s);
		return -1;
	}
	if (make_secret(s) < 0) {
		(void)snprintf(err->text, sizeof(err->text),
		    "no random numbers: %s", strerror(errno));
		free(s);
		return -1;
	}
	if (listen_on(s, o->bind != NULL ? o->bind : "127.0.0.1", err) < 0) {
		server_free(s);
		return -1;
	}
	*ret = s;
	return 0;
}

void
server_free(struct server *s)
{
	if (s == NULL)
		return;
	slow_end(&s->slows);
	if (s->daemon != NULL)
		s->http.MHD_stop_daemon(s->daemon);
	free(s);
}

const char *
server_url(const struct server *s)
{
	return s->url;
}

int
server_run(struct server *s, int ms)
{
	visitors_tend(&s->visitors);
	slow_tend(&s->slows);
	if (s->slows.n > 0 && ms > SLOW_MS)
		ms = SLOW_MS;
	return s->http.MHD_run_wait(s->daemon, ms) == MHD_YES ? 0 : -1;
}

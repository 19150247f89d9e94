/* The URL of a target; see the header. */
#include "ship/url.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

static const struct scheme {
	const char *name;
	enum ship_kind kind;
	int tls;
	unsigned port;
} schemes[] = {
	{ "clickhouse", SHIP_CLICKHOUSE, 0, 8123 },
	{ "clickhouse+http", SHIP_CLICKHOUSE, 0, 8123 },
	{ "clickhouse+https", SHIP_CLICKHOUSE, 1, 8443 },
	{ "s3", SHIP_S3, 1, 443 },
	{ "s3+https", SHIP_S3, 1, 443 },
	{ "s3+http", SHIP_S3, 0, 9000 },
};

static int
refuse(struct bob_ctx *ctx, const char *why)
{
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "the address of the target %s", why);
}

/* Copies n bytes that a URL may have unescaped. Returns 1; 0 if there are
 * others, or too many. */
static int
take(char to[SHIP_URL_PART], const char *p, size_t n)
{
	size_t i;

	if (n >= SHIP_URL_PART)
		return 0;
	for (i = 0; i < n; i++)
		if (p[i] <= ' ' || p[i] > '~' || strchr("\"'<>\\%?#", p[i]))
			return 0;
	memcpy(to, p, n);
	to[n] = '\0';
	return 1;
}

static int
take_path(struct bob_ctx *ctx, const char *path, struct ship_url *u)
{
	size_t n = strlen(path);

	if (n == 0 || n >= SHIP_URL_PART)
		return refuse(ctx, "has no path, or one of more than 255 "
		    "bytes");
	u->kind = SHIP_DIR;
	memcpy(u->path, path, n + 1);
	return BOB_OK;
}

/* Takes [USER@]HOST[:PORT], n bytes. */
static int
take_authority(struct bob_ctx *ctx, const char *p, size_t n,
    struct ship_url *u)
{
	const char *at = memchr(p, '@', n), *colon;
	size_t host;
	uint64_t port;

	if (at != NULL) {
		size_t user = (size_t)(at - p);

		if (memchr(p, ':', user) != NULL)
			return refuse(ctx, "has a password, which other users "
			    "of this machine can see; put it into a file "
			    "(--login)");
		if (!take(u->user, p, user))
			return refuse(ctx, "has no valid user");
		n -= user + 1;
		p = at + 1;
	}
	colon = n > 0 && *p == '[' ? memchr(p, ']', n) : p;
	colon = colon == NULL ? NULL :
	    memchr(colon, ':', n - (size_t)(colon - p));
	host = colon == NULL ? n : (size_t)(colon - p);
	if (host == 0 || !take(u->host, p, host))
		return refuse(ctx, "has no valid host");
	if (colon == NULL)
		return BOB_OK;
	if (!text_get_u64(colon + 1, n - host - 1, &port) || port == 0 ||
	    port > 65535)
		return refuse(ctx, "has no valid port");
	u->port = (unsigned)port;
	return BOB_OK;
}

int
ship_url_parse(struct bob_ctx *ctx, const char *text, struct ship_url *ret)
{
	const char *sep = strstr(text, "://"), *rest, *slash;
	struct ship_url u;
	size_t i, n;
	int r;

	memset(&u, 0, sizeof(u));
	if (strncmp(text, "dir:", 4) == 0 || strncmp(text, "file://", 7) == 0)
		r = take_path(ctx, text + (*text == 'd' ? 4 : 7), &u);
	else if (sep == NULL)
		r = take_path(ctx, text, &u);
	else {
		n = sizeof(schemes) / sizeof(schemes[0]);
		for (i = 0; i < n; i++)
			if (strlen(schemes[i].name) == (size_t)(sep - text) &&
			    strncmp(text, schemes[i].name,
			        (size_t)(sep - text)) == 0)
				break;
		if (i == n)
			return refuse(ctx, "begins with no kind of server that "
			    "is known: clickhouse://, s3:// or dir:");
		u.kind = schemes[i].kind;
		u.tls = schemes[i].tls;
		u.port = schemes[i].port;
		rest = sep + 3;
		slash = strchr(rest, '/');
		n = slash == NULL ? strlen(rest) : (size_t)(slash - rest);
		r = take_authority(ctx, rest, n, &u);
		if (r == BOB_OK && slash != NULL &&
		    !take(u.path, slash + 1, strlen(slash + 1)))
			return refuse(ctx, "has no valid path");
	}
	if (r == BOB_OK)
		*ret = u;
	return r;
}

void
ship_url_base(const struct ship_url *u, char buf[SHIP_URL_BASE])
{
	(void)snprintf(buf, SHIP_URL_BASE, "http%s://%s:%u",
	    u->tls ? "s" : "", u->host, u->port);
}

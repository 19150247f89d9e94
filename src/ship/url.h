/*
 * Where samples are shipped to: KIND://[USER@]HOST[:PORT][/PATH], or the path
 * of a directory. `KIND+https` and `KIND+http` choose the transport.
 *
 *     clickhouse://db1/prof          http, port 8123, database prof
 *     clickhouse+https://db1:8443/prof
 *     s3://REGION.example.com/bucket/prefix    https; s3+http:// without
 *     dir:/srv/profiles              also file:///srv/profiles
 *
 * A password in it is refused: other users see it in the list of processes.
 */
#ifndef SHIP_URL_H
#define SHIP_URL_H

#include "core/error.h"

enum ship_kind { SHIP_CLICKHOUSE, SHIP_DIR, SHIP_S3 };

#define SHIP_URL_PART 256

struct ship_url {
	enum ship_kind kind;
	int tls;
	unsigned port;
	char user[SHIP_URL_PART]; /* "" if there is none */
	char host[SHIP_URL_PART]; /* with [] around an address of IPv6 */
	char path[SHIP_URL_PART]; /* without the slash before it; of SHIP_DIR
	                           * the whole path */
};

/* Returns BOB_OK and sets *ret, or FAILED (BOB_E_USAGE). */
int ship_url_parse(struct bob_ctx *ctx, const char *text,
    struct ship_url *ret);

/* Writes "http://HOST:PORT" to buf: what requests begin with. */
#define SHIP_URL_BASE (SHIP_URL_PART + 32)
void ship_url_base(const struct ship_url *u, char buf[SHIP_URL_BASE]);

#endif

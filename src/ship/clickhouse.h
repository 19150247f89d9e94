/*
 * A ClickHouse server over HTTP: statements, and inserting packed rows.
 *
 * Works with servers from 18.16 on. What a server can do is known from its
 * version, which the first request asks for.
 */
#ifndef SHIP_CLICKHOUSE_H
#define SHIP_CLICKHOUSE_H

#include <bobbin/ship.h>

#include "ship/blocks.h"
#include "ship/http.h"
#include "ship/sql.h"
#include "ship/target.h"

#define CH_VERSION(major, minor) ((major) * 1000u + (minor))
/* The oldest version that this was tried with. */
#define CH_OLDEST CH_VERSION(18, 16)
/* Codecs of columns, TTL of tables, tokens of inserts, zstd. */
#define CH_MODERN CH_VERSION(22, 3)

/* The layout of the tables that this build knows. */
#define CH_SCHEMA 1u

struct ch {
	struct bob_ctx *ctx;
	struct ship_url url;
	struct http *http;
	const volatile int *stop;
	unsigned version; /* CH_VERSION; 0: not asked yet */
	char version_text[32];
	unsigned schema;  /* 0: there are no tables */
	unsigned keep_days, keep_sums_days; /* 0: for ever */
	enum ship_why why;  /* of the last failure */
	uint64_t exception; /* its number, as the server gave it; 0: none */
	unsigned retry_after_s; /* what the server asked for; 0: nothing */
	struct sql sql;   /* scratch of the callers */
};

/* Takes a line of an answer, without its end: n bytes, and a NUL behind them.
 * Returns 0, or -1 to give up: the context has the error. */
typedef int ch_line_fn(void *user, const char *p, size_t n);

/* Opens a handle; nothing is sent. Returns BOB_OK and sets *ret, or FAILED. */
int ch_open(struct bob_ctx *ctx, const struct bob_target_opts *opts,
    struct ch **ret);
void ch_close(struct ch *c);

/* The calls below return BOB_OK, or FAILED and set c->why. */

/* Asks for the version. */
int ch_hello(struct ch *c);

/* Reads the settings that ch_init left. c->schema is 0 without them. */
int ch_settings(struct ch *c);

/* Runs a statement and gives the lines of the answer to `line` (NULL: none is
 * expected). */
int ch_run(struct ch *c, const struct sql *sql, ch_line_fn *line, void *user);

/* Runs a statement that changes tables, and may use types that a server has
 * only on request. */
int ch_change(struct ch *c, const struct sql *sql);

/* Inserts packed rows. Two requests with one token never run at once. The
 * server forgets tokens; whether a block is there, only a query tells. */
int ch_insert(struct ch *c, const char *table, const char *columns,
    const char *token, const void *body, size_t n);

/* How rows must be packed for this server. */
static inline enum rowbin_packing
ch_packing(const struct ch *c)
{
	return c->version >= CH_MODERN ? ROWBIN_ZSTD : ROWBIN_GZIP;
}

/* Takes the next number of a line of numbers between tabs. Returns 1; 0 if
 * there is none. */
int ch_number(const char **p, const char *end, uint64_t *ret);

#endif

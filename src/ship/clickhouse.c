/* A ClickHouse server over HTTP; see the header. */
#include "ship/clickhouse.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"

/* Lines of an answer are longer only if it is not the answer. */
#define MOST_LINE 4096

/* Every answer of a server, of any version, has a header like this. A proxy's
 * own answers have not. */
#define MARK "X-ClickHouse-"

static int
fail(struct ch *c, enum ship_why why)
{
	c->why = why;
	return BOB_FAILED;
}

/* A name that needs no quotes. */
static int
is_name(const char *s)
{
	return *s != '\0' && strspn(s, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(s) &&
	    (*s < '0' || *s > '9');
}

int
ch_open(struct bob_ctx *ctx, const struct bob_target_opts *opts,
    struct ch **ret)
{
	struct ch *c = calloc(1, sizeof(*c));
	struct http_opts h;

	if (c == NULL)
		return err_nomem(ctx), BOB_FAILED;
	c->ctx = ctx;
	c->stop = opts->stop;
	if (ship_url_parse(ctx, opts->url, &c->url) < 0)
		goto fail;
	if (c->url.path[0] == '\0')
		(void)snprintf(c->url.path, SHIP_URL_PART, "bobbin");
	if (c->url.kind != SHIP_CLICKHOUSE || !is_name(c->url.path)) {
		(void)err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "the address of a ClickHouse server ends with the name of "
		    "a database (letters, digits, _), as in "
		    "clickhouse://db1/bobbin");
		goto fail;
	}
	h = (struct http_opts){ .url = &c->url, .user = opts->user,
		.password = opts->password, .login_file = opts->login_file,
		.ca_file = opts->ca_file, .timeout_s = opts->timeout_s,
		.stop = opts->stop, .mark = MARK };
	if (http_open(ctx, &h, &c->http) < 0)
		goto fail;
	*ret = c;
	return BOB_OK;
fail:
	free(c);
	return BOB_FAILED;
}

void
ch_close(struct ch *c)
{
	if (c == NULL)
		return;
	http_close(c->http);
	free(c);
}

/* --- answers ------------------------------------------------------------- */

/* Returns the number of an exception, "Code: 60, …"; 0 if there is none. */
static uint64_t
exception_of(const struct http_ans *ans)
{
	static const char head[] = "Code: ";
	const char *p = ans->text + sizeof(head) - 1;
	uint64_t v;

	if (strncmp(ans->text, head, sizeof(head) - 1) != 0 ||
	    !text_get_u64(p, text_n_digits(p, strlen(p)), &v))
		return 0;
	return v;
}

static int
is_one_of(uint64_t v, const uint16_t *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v == list[i])
			return 1;
	return 0;
}

/* What to do about an exception. Most pass: memory, disk, parts, replicas. */
static enum ship_why
why_of(const struct http_ans *ans)
{
	/* Unknown table, database or column; no right, or no such user. */
	static const uint16_t setup[] = { 10, 16, 47, 60, 81, 164, 192, 193,
		194, 497, 516 };
	/* The rows or the statement are not what the server understands. */
	static const uint16_t refused[] = { 6, 19, 26, 27, 32, 33, 38, 41, 43,
		53, 62, 72, 115, 117, 131, 252 };
	uint64_t code = exception_of(ans);

	if (ans->status == 401 || ans->status == 403 ||
	    is_one_of(code, setup, sizeof(setup) / sizeof(setup[0])))
		return SHIP_SETUP;
	/* Too many parts: 252 as well, but it passes. */
	if (code == 252 && strstr(ans->text, "Too many parts") != NULL)
		return SHIP_BUSY;
	if (is_one_of(code, refused, sizeof(refused) / sizeof(refused[0])) ||
	    ans->status == 413)
		return SHIP_REFUSED;
	return SHIP_BUSY;
}

/* Judges an answer. Returns BOB_OK if it is that of a ClickHouse server which
 * did what was asked. */
static int
judge(struct ch *c, const struct http_ans *ans)
{
	char base[SHIP_URL_BASE];

	ship_url_base(&c->url, base);
	c->exception = 0;
	c->retry_after_s = ans->retry_after_s;
	if (ans->status == 200 && ans->is_marked && ans->n_text == 0)
		return BOB_OK;
	if (ans->status == 200 && !ans->is_marked)
		(void)err_set(c->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "%s: the answer is none of a ClickHouse server: %.200s",
		    base, ans->text);
	else
		(void)err_set(c->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "%s: status %d: %.300s", base, ans->status, ans->text);
	c->exception = exception_of(ans);
	return fail(c, why_of(ans));
}

/* Cuts an answer into lines. */
struct cutter {
	struct ch *c;
	ch_line_fn *line;
	void *user;
	size_t n;
	char text[MOST_LINE];
};

static int
cut_line(struct cutter *u)
{
	u->text[u->n] = '\0';
	if (u->line == NULL || u->line(u->user, u->text, u->n) != 0) {
		if (u->line == NULL)
			(void)err_set(u->c->ctx, BOB_FAILED, BOB_E_IO,
			    BOB_NO_OFFSET, "an answer where none belongs: "
			    "%.100s", u->text);
		return -1;
	}
	u->n = 0;
	return 0;
}

static int
take(void *user, const uint8_t *p, size_t n)
{
	struct cutter *u = user;
	size_t i;

	for (i = 0; i < n; i++) {
		if (p[i] == '\n') {
			if (cut_line(u) != 0)
				return -1;
		} else if (u->n < MOST_LINE - 1) {
			u->text[u->n++] = (char)p[i];
		} else {
			(void)err_set(u->c->ctx, BOB_FAILED, BOB_E_LIMIT,
			    BOB_NO_OFFSET, "a line of an answer is longer "
			    "than %d bytes", MOST_LINE);
			return -1;
		}
	}
	return 0;
}

int
ch_number(const char **p, const char *end, uint64_t *ret)
{
	size_t n = text_n_digits(*p, (size_t)(end - *p));

	if (!text_get_u64(*p, n, ret))
		return 0;
	*p += n;
	if (*p < end && **p == '\t')
		(*p)++;
	return 1;
}

/* --- requests ------------------------------------------------------------ */

static int
refuse_long(struct ch *c)
{
	(void)err_set(c->ctx, BOB_FAILED, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "a statement is longer than %d bytes", SQL_MAX);
	return fail(c, SHIP_LOCAL);
}

static int
run(struct ch *c, const char *path, const struct sql *sql, ch_line_fn *line,
    void *user)
{
	struct cutter u = { .c = c, .line = line, .user = user };
	struct http_req req = { .body = sql->p, .n_body = sql->n,
		.path = path, .take = take, .user = &u };
	struct http_ans ans;

	c->retry_after_s = 0;
	if (sql->n == 0)
		return refuse_long(c);
	if (http_do(c->http, &req, &ans) < 0)
		return fail(c, SHIP_BUSY);
	if (judge(c, &ans) < 0)
		return BOB_FAILED;
	if (u.n == 0)
		return BOB_OK;
	(void)err_set(c->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	    "an answer ends inside a line");
	return fail(c, SHIP_BUSY);
}

/* With wait_end_of_query a failure after the first rows has a status of its
 * own. */
int
ch_run(struct ch *c, const struct sql *sql, ch_line_fn *line, void *user)
{
	return run(c, "/?wait_end_of_query=1", sql, line, user);
}

/* An answer to ON CLUSTER has a line for each machine. */
static int
ignore_line(void *user, const char *p, size_t n)
{
	(void)user;
	(void)p;
	(void)n;
	return 0;
}

int
ch_change(struct ch *c, const struct sql *sql)
{
	return run(c, c->version >= CH_MODERN ? "/?wait_end_of_query=1"
	    "&allow_suspicious_low_cardinality_types=1"
	    : "/?wait_end_of_query=1"
	    "&allow_experimental_low_cardinality_type=1",
	    sql, ignore_line, NULL);
}

int
ch_insert(struct ch *c, const char *table, const char *columns,
    const char *token, const void *body, size_t n)
{
	static const char *const gzip[] = { "Content-Encoding: gzip", NULL };
	static const char *const zstd[] = { "Content-Encoding: zstd", NULL };
	char query[1024], encoded[3 * sizeof(query) + 1];
	char path[sizeof(encoded) + 512];
	struct http_req req = { .body = body, .n_body = n, .path = path,
		.headers = ch_packing(c) == ROWBIN_ZSTD ? zstd : gzip };
	struct http_ans ans;
	int len;

	len = snprintf(query, sizeof(query),
	    "INSERT INTO %s.%s (%s) FORMAT RowBinary", c->url.path, table,
	    columns);
	(void)http_encode(encoded, query, (size_t)len);
	(void)snprintf(path, sizeof(path), "/?query=%s&query_id=bobbin-%s-%s"
	    "&insert_distributed_sync=1%s%s", encoded, table, token,
	    c->version >= CH_MODERN
	        ? "&async_insert=0&insert_deduplication_token=" : "",
	    c->version >= CH_MODERN ? token : "");
	c->retry_after_s = 0;
	if (http_do(c->http, &req, &ans) < 0)
		return fail(c, SHIP_BUSY);
	return judge(c, &ans);
}

/* --- what server is it? -------------------------------------------------- */

static int
take_version(void *user, const char *p, size_t n)
{
	struct ch *c = user;
	size_t digits = text_n_digits(p, n), more;
	uint64_t major, minor;

	if (n < sizeof(c->version_text) && digits < n && p[digits] == '.') {
		more = text_n_digits(p + digits + 1, n - digits - 1);
		if (text_get_u64(p, digits, &major) && major < 10000 &&
		    text_get_u64(p + digits + 1, more, &minor) &&
		    minor < 1000) {
			c->version = CH_VERSION((unsigned)major,
			    (unsigned)minor);
			memcpy(c->version_text, p, n + 1);
			return 0;
		}
	}
	(void)err_set(c->ctx, BOB_FAILED, BOB_E_UNSUPPORTED, BOB_NO_OFFSET,
	    "'%.32s' is no version of ClickHouse", p);
	return -1;
}

int
ch_hello(struct ch *c)
{
	if (c->version != 0)
		return BOB_OK;
	sql_begin(&c->sql);
	sql_add(&c->sql, "SELECT version() FORMAT TabSeparated");
	if (ch_run(c, &c->sql, take_version, c) < 0)
		return BOB_FAILED;
	if (c->version >= CH_OLDEST)
		return BOB_OK;
	(void)err_set(c->ctx, BOB_FAILED, BOB_E_UNSUPPORTED, BOB_NO_OFFSET,
	    "ClickHouse %s is too old: 18.16 or newer is needed",
	    c->version == 0 ? "?" : c->version_text);
	c->version = 0;
	return fail(c, SHIP_SETUP);
}

/* A line "KEY\tNUMBER". Keys of later versions are left alone. */
static int
take_setting(void *user, const char *p, size_t n)
{
	struct ch *c = user;
	const struct {
		const char *key;
		unsigned *value;
	} known[] = {
		{ "schema\t", &c->schema },
		{ "keep_days\t", &c->keep_days },
		{ "keep_sums_days\t", &c->keep_sums_days },
	};
	size_t i, k;
	uint64_t v;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		k = strlen(known[i].key);
		if (n > k && memcmp(p, known[i].key, k) == 0 &&
		    text_get_u64(p + k, n - k, &v) && v < 100000)
			*known[i].value = (unsigned)v;
	}
	return 0;
}

int
ch_settings(struct ch *c)
{
	c->schema = c->keep_days = c->keep_sums_days = 0;
	c->exception = 0;
	sql_begin(&c->sql);
	sql_add(&c->sql, "SELECT key, argMax(value, at) FROM %s.fleet "
	    "GROUP BY key FORMAT TabSeparated", c->url.path);
	if (ch_run(c, &c->sql, take_setting, c) < 0)
		return BOB_FAILED;
	if (c->schema <= CH_SCHEMA)
		return BOB_OK;
	(void)err_set(c->ctx, BOB_FAILED, BOB_E_UNSUPPORTED, BOB_NO_OFFSET,
	    "the tables were made by a newer bobbin (layout %u, this one "
	    "knows %u)", c->schema, CH_SCHEMA);
	return fail(c, SHIP_SETUP);
}

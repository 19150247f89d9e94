/*
 * The tables of a ClickHouse server: creating and changing them.
 *
 * The same tables on all versions. Codecs and TTL are left out where a server
 * has none; the order of columns in rows is that of blocks_columns_*.
 */
#include <string.h>

#include "ship/clickhouse.h"

struct making {
	struct ch *c;
	const struct bob_fleet_opts *opts;
	int is_modern;
};

static const char *
codec(const struct making *m, const char *text)
{
	return m->is_modern ? text : "";
}

/* Gives a statement to the caller, and runs it. */
static int
run(struct making *m, const struct sql *sql)
{
	if (m->opts->statement != NULL && sql->n > 0)
		m->opts->statement(m->opts->user, sql->p);
	return m->opts->flags & BOB_FLEET_DRY_RUN ? BOB_OK :
	    ch_change(m->c, sql);
}

static void
add_cluster(struct making *m)
{
	if (m->opts->cluster != NULL)
		sql_add(&m->c->sql, " ON CLUSTER %s", m->opts->cluster);
}

/* "CREATE TABLE …", with the name that rows are really in: behind a table for
 * the whole cluster there is one on each machine. */
static void
begin_table(struct making *m, const char *name)
{
	struct sql *s = &m->c->sql;

	sql_begin(s);
	sql_add(s, "CREATE TABLE IF NOT EXISTS %s.%s%s", m->c->url.path, name,
	    m->opts->cluster != NULL ? "_local" : "");
	add_cluster(m);
}

/* " ENGINE = …": `kind` is "" or "Replacing", `args` of the engine. */
static void
add_engine(struct making *m, const char *name, const char *kind,
    const char *args)
{
	struct sql *s = &m->c->sql;

	if (m->opts->cluster == NULL) {
		sql_add(s, " ENGINE = %sMergeTree(%s)", kind, args);
		return;
	}
	sql_add(s, " ENGINE = Replicated%sMergeTree("
	    "'/clickhouse/tables/{shard}/%s/%s', '{replica}'%s%s)", kind,
	    m->c->url.path, name, *args != '\0' ? ", " : "", args);
}

/* " TTL …" and settings, where the server has them. */
static void
add_keep(struct making *m, const char *column, unsigned days)
{
	struct sql *s = &m->c->sql;

	if (!m->is_modern)
		return;
	if (days > 0)
		sql_add(s, " TTL %s + toIntervalDay(%u)", column, days);
	sql_add(s, " SETTINGS ttl_only_drop_parts = 1");
	if (m->opts->cluster == NULL)
		sql_add(s, ", non_replicated_deduplication_window = 10000");
}

/* The table for the whole cluster: all rows of a segment go to one shard, so
 * that a block is there whole or not at all. */
static int
end_table(struct making *m, const char *name, const char *shard_by)
{
	struct sql *s = &m->c->sql;
	const char *db = m->c->url.path;

	if (run(m, s) < 0)
		return BOB_FAILED;
	if (m->opts->cluster == NULL)
		return BOB_OK;
	sql_begin(s);
	sql_add(s, "CREATE TABLE IF NOT EXISTS %s.%s", db, name);
	add_cluster(m);
	sql_add(s, " AS %s.%s_local ENGINE = Distributed(%s, %s, %s_local, %s)",
	    db, name, m->opts->cluster, db, name, shard_by);
	return run(m, s);
}

static int
make_samples(struct making *m)
{
	begin_table(m, "samples");
	sql_add(&m->c->sql, " (day Date, service LowCardinality(String), "
	    "host LowCardinality(String), runtime LowCardinality(String), "
	    "route LowCardinality(String), pid UInt64%s, tid UInt64%s, "
	    "kind UInt8, period UInt32%s, seg UInt64%s, blk UInt32%s, "
	    "status UInt8%s, ts UInt64%s, stack LowCardinality(UInt64), "
	    "value UInt64%s)",
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"),
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"),
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"),
	    codec(m, " CODEC(Delta, ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"));
	add_engine(m, "samples", "", "");
	sql_add(&m->c->sql, " PARTITION BY day ORDER BY (service, kind, "
	    "intDiv(ts, 60000000), host, pid, ts)");
	add_keep(m, "day", m->opts->keep_days);
	return end_table(m, "samples", "seg");
}

static int
make_stacks(struct making *m)
{
	begin_table(m, "stacks");
	sql_add(&m->c->sql, " (stack UInt64, frames Array(String)%s, "
	    "files Array(String)%s, lines Array(Int64)%s, "
	    "langs Array(UInt8)%s, seen Date)",
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"),
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"));
	add_engine(m, "stacks", "Replacing", "seen");
	sql_add(&m->c->sql, " ORDER BY stack");
	add_keep(m, "seen", m->opts->keep_sums_days);
	return end_table(m, "stacks", "stack");
}

static int
make_minutes(struct making *m)
{
	begin_table(m, "minutes");
	sql_add(&m->c->sql, " (day Date, service LowCardinality(String), "
	    "kind UInt8, period UInt32%s, seg UInt64%s, blk UInt32%s, "
	    "minute DateTime%s, route LowCardinality(String), idle UInt8%s, "
	    "stack LowCardinality(UInt64), value UInt64%s)",
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"),
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(Delta, ZSTD(1))"),
	    codec(m, " CODEC(ZSTD(1))"), codec(m, " CODEC(ZSTD(1))"));
	add_engine(m, "minutes", "", "");
	sql_add(&m->c->sql, " PARTITION BY day ORDER BY (service, kind, "
	    "minute, route, idle, stack)");
	add_keep(m, "day", m->opts->keep_sums_days);
	return end_table(m, "minutes", "seg");
}

/* What the tables are like, for those who ship and ask. */
static int
make_settings(struct making *m)
{
	begin_table(m, "fleet");
	sql_add(&m->c->sql, " (key String, value String, at DateTime)");
	add_engine(m, "fleet", "", "");
	sql_add(&m->c->sql, " ORDER BY key");
	return end_table(m, "fleet", "1");
}

static int
set_settings(struct making *m)
{
	const struct {
		const char *key;
		unsigned value;
	} v[] = {
		{ "schema", CH_SCHEMA },
		{ "keep_days", m->is_modern ? m->opts->keep_days : 0 },
		{ "keep_sums_days",
		    m->is_modern ? m->opts->keep_sums_days : 0 },
	};
	struct sql *s = &m->c->sql;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		sql_begin(s);
		sql_add(s, "INSERT INTO %s.fleet (key, value, at) "
		    "SELECT '%s', '%u', now()", m->c->url.path, v[i].key,
		    v[i].value);
		if (run(m, s) < 0)
			return BOB_FAILED;
	}
	return BOB_OK;
}

/* Tables that are there already may have another TTL. */
static int
change_keep(struct making *m)
{
	const struct {
		const char *table, *column;
		unsigned days;
	} v[] = {
		{ "samples", "day", m->opts->keep_days },
		{ "minutes", "day", m->opts->keep_sums_days },
		{ "stacks", "seen", m->opts->keep_sums_days },
	};
	struct sql *s = &m->c->sql;
	size_t i;

	for (i = 0; m->is_modern && i < sizeof(v) / sizeof(v[0]); i++) {
		sql_begin(s);
		sql_add(s, "ALTER TABLE %s.%s%s", m->c->url.path, v[i].table,
		    m->opts->cluster != NULL ? "_local" : "");
		add_cluster(m);
		if (v[i].days > 0)
			sql_add(s, " MODIFY TTL %s + toIntervalDay(%u)",
			    v[i].column, v[i].days);
		else
			sql_add(s, " REMOVE TTL");
		if (run(m, s) < 0)
			return BOB_FAILED;
	}
	return BOB_OK;
}

static int
make_database(struct making *m)
{
	sql_begin(&m->c->sql);
	sql_add(&m->c->sql, "CREATE DATABASE IF NOT EXISTS %s",
	    m->c->url.path);
	add_cluster(m);
	return run(m, &m->c->sql);
}

static int
check_cluster(struct bob_ctx *ctx, const char *name)
{
	if (name == NULL || (*name != '\0' && strspn(name, "abcdefghijklmno"
	        "pqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
	        == strlen(name)))
		return BOB_OK;
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "the name of a cluster has letters, digits and _ only");
}

/* The layout that is there: 0 if there are no tables. */
static int
find_schema(struct ch *c)
{
	if (ch_settings(c) == BOB_OK)
		return BOB_OK;
	return c->why == SHIP_SETUP && c->schema == 0 ? BOB_OK : BOB_FAILED;
}

int
bob_fleet_init(struct bob_ctx *ctx, const struct bob_target_opts *to,
    const struct bob_fleet_opts *opts, struct bob_fleet_info *ret)
{
	struct making m = { .opts = opts };
	int r;

	if (check_cluster(ctx, opts->cluster) < 0 || ch_open(ctx, to, &m.c) < 0)
		return BOB_FAILED;
	r = ch_hello(m.c);
	if (r == BOB_OK)
		r = find_schema(m.c);
	if (r == BOB_OK) {
		m.is_modern = m.c->version >= CH_MODERN;
		memcpy(ret->version, m.c->version_text, sizeof(ret->version));
		ret->old_schema = m.c->schema;
		ret->schema = CH_SCHEMA;
		ret->removes_old = m.is_modern;
		r = make_database(&m) < 0 || make_samples(&m) < 0 ||
		    make_stacks(&m) < 0 || make_minutes(&m) < 0 ||
		    make_settings(&m) < 0 ||
		    (ret->old_schema > 0 && change_keep(&m) < 0) ||
		    set_settings(&m) < 0 ? BOB_FAILED : BOB_OK;
	}
	ch_close(m.c);
	return r;
}

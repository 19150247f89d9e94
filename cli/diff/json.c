/* The differences as JSON; docs/diff.md describes the keys. */
#include "diff.h"
#include "input/grouping.h"
#include "print/json.h"
#include "print/times.h"

static void
put_side(const struct diff *x, struct json *j, int side)
{
	static const char *const orders[] = { "measured", "none", "sorted" };

	json_open(j, side == 0 ? "before" : "after", '{');
	json_str(j, "input", x->name[side]);
	json_u64(j, "samples", x->info.total[side].samples);
	json_u64(j, "time_us", x->info.total[side].time_us);
	json_str(j, "order", orders[x->info.order[side]]);
	json_times(j, &x->info.times[side]);
	json_bool(j, "idle_hidden", x->info.times[side].is_idle_hidden);
	json_close(j, '{');
}

static void
put_sum(struct json *j, const char *key, struct bob_sum sum, double share)
{
	json_open(j, key, '{');
	json_u64(j, "samples", sum.samples);
	json_u64(j, "time_us", sum.time_us);
	json_double(j, "share", share);
	json_close(j, '{');
}

static void
put_change(struct json *j, const struct bob_change *c)
{
	put_sum(j, "before", c->before, c->share_before);
	put_sum(j, "after", c->after, c->share_after);
	json_double(j, "delta", c->delta);
	json_double(j, "low", c->low);
	json_double(j, "high", c->high);
	if (c->share_before > 0)
		json_double(j, "relative",
		    c->share_after / c->share_before - 1);
	else
		json_null(j, "relative");
	json_double(j, "p", c->p);
	json_double(j, "q", c->q);
	json_bool(j, "significant", c->is_significant);
	json_double(j, "clumping", c->clumping);
	json_double(j, "growth", c->growth);
	json_double(j, "growth_high", c->growth_high);
	if (c->mark == BOB_CHANGE_NONE)
		json_null(j, "mark");
	else
		json_str(j, "mark", c->mark == BOB_CHANGE_NEW ? "new"
		                                              : "gone");
}

static void
put_key(const struct diff *x, struct json *j, uint32_t key)
{
	struct bob_key k = bob_diff_key(x->d, key);

	json_bytes(j, "key", k.text.p, k.text.n);
	if (k.frame == 0)
		return;
	json_bytes(j, "function", k.name.p, k.name.n);
	json_bytes(j, "file", k.file.p, k.file.n);
}

static void
put_rows(const struct diff *x, struct json *j, int order)
{
	size_t n, i;
	const struct bob_diff_row *row = bob_diff_rows(x->d, order, &n);

	json_open(j, diff_order_name(order), '[');
	for (i = 0; i < n && i < x->o.top; i++) {
		json_open(j, NULL, '{');
		put_key(x, j, row[i].key);
		put_change(j, order == BOB_BY_SELF ? &row[i].self
		                                   : &row[i].total);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_paths(const struct diff *x, struct json *j)
{
	size_t n, i;
	const struct bob_diff_path *path = bob_diff_paths(x->d, &n);

	json_open(j, "paths", '[');
	for (i = 1; i < n; i++) {
		json_open(j, NULL, '{');
		json_u64(j, "id", i);
		if (path[i].parent == 0)
			json_null(j, "parent");
		else
			json_u64(j, "parent", path[i].parent);
		json_u64(j, "depth", path[i].depth);
		put_key(x, j, path[i].key);
		put_change(j, &path[i].total);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_limits(const struct diff *x, struct json *j)
{
	size_t i;

	json_open(j, "limits", '[');
	for (i = 0; i < x->o.n_gates; i++) {
		json_open(j, NULL, '{');
		json_double(j, "limit", x->o.gate[i].limit);
		if (x->o.gate[i].pattern != NULL)
			json_str(j, "match", x->o.gate[i].pattern);
		else
			json_null(j, "match");
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
put_gate(const struct diff *x, struct json *j)
{
	size_t i;

	if (x->o.n_gates == 0) {
		json_null(j, "gate");
		return;
	}
	json_open(j, "gate", '{');
	json_bool(j, "passed", x->n_hits == 0);
	json_u64(j, "tests", x->n_tested);
	put_limits(x, j);
	json_open(j, "hits", '[');
	for (i = 0; i < x->n_hits; i++) {
		json_open(j, NULL, '{');
		json_u64(j, "limit", x->hit[i].gate);
		json_str(j, "of", diff_order_name(x->hit[i].order));
		put_key(x, j, x->hit[i].key);
		json_double(j, "p_holm", x->hit[i].p);
		put_change(j, &x->hit[i].change);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_close(j, '{');
}

static void
put_verdict(const struct diff *x, struct json *j)
{
	struct bob_verdict v = bob_diff_verdict(x->d);

	json_open(j, "verdict", '{');
	json_str(j, "text", v.text);
	json_u64(j, "keys", v.n_keys);
	json_u64(j, "changed", v.n_changed);
	if (v.key == 0)
		json_null(j, "of");
	else
		json_str(j, "of", diff_order_name(v.order));
	if (v.key == 0)
		json_null(j, "key");
	else
		json_bytes(j, "key", bob_diff_key(x->d, v.key).text.p,
		    bob_diff_key(x->d, v.key).text.n);
	json_double(j, "findable", v.findable);
	json_close(j, '{');
}

void
diff_json(const struct diff *x, FILE *f)
{
	struct json j = { .f = f };

	json_open(&j, NULL, '{');
	put_side(x, &j, 0);
	put_side(x, &j, 1);
	json_str(&j, "normalize", x->o.normalize == BOB_NORMALIZE_TIME
	    ? "time" : "samples");
	json_str(&j, "group_by", grouping_name(x->o.group));
	put_verdict(x, &j);
	put_gate(x, &j);
	json_open(&j, "tested", '{');
	json_u64(&j, "self", x->info.n_tested_self);
	json_u64(&j, "total", x->info.n_tested_total);
	json_u64(&j, "paths", x->info.n_tested_paths);
	json_close(&j, '{');
	put_rows(x, &j, BOB_BY_SELF);
	put_rows(x, &j, BOB_BY_TOTAL);
	put_paths(x, &j);
	json_close(&j, '{');
	json_end(&j);
}

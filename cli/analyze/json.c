/*
 * Reports as JSON, on one line. The keys are those of
 * docs/analyze.schema.json; new ones may come, none changes its meaning.
 */
#include <string.h>

#include "analyze.h"
#include "input/grouping.h"
#include "print/json.h"
#include "print/times.h"

#define VERSION 1

static void
put_text(struct json *j, const char *key, struct bob_bytes s)
{
	json_bytes(j, key, s.p, s.n);
}

static void
put_str(struct json *j, const struct analyze *a, const char *key, bob_str id)
{
	put_text(j, key, bob_str_get(bob_profile_dict(a->profile), id));
}

static void
put_key_facts(struct json *j, struct bob_view *v, uint32_t key, int is_frame)
{
	struct bob_key k = bob_view_key(v, key);

	put_text(j, "text", k.text);
	if (!is_frame)
		return;
	put_text(j, "name", k.name);
	put_text(j, "file", k.file);
	if (k.has_line)
		json_i64(j, "line", k.line);
	else
		json_null(j, "line");
	put_text(j, "opcode", k.opcode);
}

static void
put_share(struct json *j, const struct analyze_row *row)
{
	json_u64(j, "samples", row->sum.samples);
	json_u64(j, "time_us", row->sum.time_us);
	json_double(j, "share", row->share.share);
	json_double(j, "low", row->share.low);
	json_double(j, "high", row->share.high);
	json_double(j, "clumping", row->clumping);
}

static void
put_parts(struct json *j, const struct analyze_row *row)
{
	json_u64(j, "self_samples", row->self.samples);
	json_u64(j, "self_time_us", row->self.time_us);
	json_u64(j, "total_samples", row->total.samples);
	json_u64(j, "total_time_us", row->total.time_us);
}

static void
put_parent(struct json *j, const struct analyze_row *row)
{
	json_u64_if(j, "parent", row->parent - 1, row->parent != 0);
	json_u64(j, "depth", row->depth);
}

static void
key_row(struct json *j, struct analyze *a, int id, size_t i)
{
	const struct analyze_row *row = &a->r.section[id].row[i];
	int is_table = id <= SECTION_TOTAL;

	if (row->key == 0)
		json_str(j, "text", id == SECTION_CALLERS ? "<root>"
		                                          : "<leaf>");
	else
		put_key_facts(j, is_table ? a->r.view : a->r.frames, row->key,
		    !is_table || !a->r.groups_samples);
	put_share(j, row);
	if (is_table || id == SECTION_TREE)
		put_parts(j, row);
	if (id == SECTION_TREE)
		put_parent(j, row);
}

static void
put_track(struct json *j, const struct analyze *a, bob_tid id)
{
	const struct bob_track *t = bob_track_get(bob_profile_dict(a->profile),
	    id);

	json_u64_if(j, "pid", t->pid, t->flags & BOB_TRACK_PID);
	json_u64_if(j, "tid", t->tid, t->flags & BOB_TRACK_TID);
}

static void
frame_text(struct json *j, const struct analyze *a, const char *key,
    bob_fid frame)
{
	uint32_t k = bob_view_key_of(a->r.frames, frame);

	put_text(j, key, bob_view_key(a->r.frames, k).text);
}

static void
request_row(struct json *j, struct analyze *a, size_t i)
{
	const struct analyze_row *row = &a->r.section[SECTION_REQUESTS].row[i];
	const struct bob_request *q = &a->r.request[row->index];
	struct bob_dict *d = bob_profile_dict(a->profile);

	put_str(j, a, "request", q->value);
	put_str(j, a, "route", q->route);
	put_track(j, a, q->track);
	json_u64(j, "at_us", q->t_first);
	put_share(j, row);
	frame_text(j, a, "frame", bob_stack_get(d, q->stack).frame);
}

static void
route_row(struct json *j, struct analyze *a, int id, size_t i)
{
	const struct analyze_row *row = &a->r.section[id].row[i];
	const struct bob_route *t = &a->r.route[row->index];

	put_str(j, a, "route", t->route);
	json_u64(j, "requests", t->n_requests);
	json_u64(j, "seen_once", t->n_single);
	put_share(j, row);
	json_u64(j, "p50_us", t->p50_us);
	json_u64(j, "p95_us", t->p95_us);
	json_u64(j, "max_us", t->max_us);
}

static void
put_annotations(struct json *j, const struct analyze *a, bob_annot id)
{
	const struct bob_pair *v;
	size_t n, i;

	v = bob_annot_get(bob_profile_dict(a->profile), id, &n);
	json_open(j, "annotations", '[');
	for (i = 0; i < n; i++) {
		json_open(j, NULL, '{');
		put_str(j, a, "key", v[i].key);
		put_str(j, a, "value", v[i].value);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
tail_row(struct json *j, const struct analyze *a, size_t i)
{
	const struct section *s = &a->r.section[SECTION_TAIL];
	const struct bob_last *x = &a->r.last[s->n - s->n_shown + i];
	struct bob_dict *d = bob_profile_dict(a->profile);
	bob_stack at = x->stack;
	size_t n = 0;

	json_u64(j, "ago", s->n_shown - 1 - i);
	put_track(j, a, x->track);
	json_u64_if(j, "time_us", x->time, x->flags & BOB_RUN_TIMED);
	json_u64_if(j, "status", x->status, x->flags & BOB_RUN_STATUS);
	put_annotations(j, a, x->annot);
	json_open(j, "frames", '[');
	for (; at != 0 && (a->o.last_depth == 0 || n < a->o.last_depth); n++) {
		struct bob_node node = bob_stack_get(d, at);

		frame_text(j, a, NULL, node.frame);
		at = node.parent;
	}
	json_close(j, '[');
}

static void
put_bins(struct json *j, const struct report *r, const uint64_t *v)
{
	size_t i;

	json_open(j, "bins", '[');
	for (i = r->first_bin; i < r->n_bins; i++)
		json_u64(j, NULL, v[i]);
	json_close(j, '[');
}

static void
timeline_row(struct json *j, struct analyze *a, size_t i)
{
	const struct analyze_row *row = &a->r.section[SECTION_TIMELINE].row[i];

	if (row->key == 0)
		json_str(j, "text", "");
	else
		put_key_facts(j, a->r.view, row->key, !a->r.groups_samples);
	put_share(j, row);
	put_bins(j, &a->r, a->r.strip[i].samples);
}

static void
put_row(struct json *j, struct analyze *a, int id, size_t i)
{
	json_open(j, NULL, '{');
	switch (id) {
	case SECTION_TIMELINE:
		timeline_row(j, a, i);
		break;
	case SECTION_REQUESTS:
		request_row(j, a, i);
		break;
	case SECTION_ROUTES:
	case SECTION_FREQUENT:
		route_row(j, a, id, i);
		break;
	case SECTION_TAIL:
		tail_row(j, a, i);
		break;
	default:
		key_row(j, a, id, i);
		break;
	}
	json_close(j, '{');
}

static void
put_section(struct json *j, struct analyze *a, int id)
{
	const struct section *s = &a->r.section[id];
	size_t i;

	json_open(j, section_name(id), '{');
	if (id == SECTION_CALLERS || id == SECTION_CALLEES)
		json_str(j, "pattern", id == SECTION_CALLERS ? a->o.callers
		                                             : a->o.callees);
	if (id == SECTION_TREE) {
		json_bool(j, "inverted", a->o.is_inverted);
		json_u64(j, "min_samples", a->r.tree_min);
	}
	if (id == SECTION_TIMELINE) {
		json_u64(j, "bin_us", a->r.bin_us);
		json_u64(j, "first_us", a->r.first_bin * a->r.bin_us);
	}
	if (id >= SECTION_REQUESTS && id <= SECTION_FREQUENT)
		json_u64_if(j, "resolution_us", a->r.info.max_period_us,
		    a->r.info.max_period_us != 0);
	json_u64(j, "rows_in_all", s->n_all);
	json_open(j, "rows", '[');
	for (i = 0; i < s->n_shown; i++)
		put_row(j, a, id, i);
	json_close(j, '[');
	json_close(j, '{');
}

static void
put_samples(struct json *j, const struct report *r)
{
	json_open(j, "samples", '{');
	json_u64(j, "read", r->info.n_read);
	json_u64(j, "passed", r->info.n_samples);
	json_u64(j, "without_stack", r->n_stackless);
	json_u64(j, "counted", r->whole.samples);
	json_close(j, '{');
}

static void
put_time(struct json *j, const struct report *r)
{
	const struct bob_profile_info *i = &r->info;
	const struct bob_times *t = &r->times;
	int has_times = i->basis == BOB_TIME_CLOCK || i->is_mixed;

	json_open(j, "time", '{');
	json_u64(j, "us", r->whole.time_us);
	json_times(j, t);
	json_bool(j, "idle_hidden", t->is_idle_hidden);
	json_u64(j, "empty_moments", t->n_empty);
	json_u64(j, "share_us", t->share_us);
	json_str(j, "basis", basis_name(r));
	json_bool(j, "mixed", i->is_mixed);
	json_u64_if(j, "period_us", i->period_us, i->period_us != 0);
	json_u64_if(j, "learned_period_us", i->learned_us, i->learned_us != 0);
	json_bool(j, "several_periods", i->has_several_periods);
	json_u64_if(j, "first_us", i->t_first, has_times);
	json_u64_if(j, "last_us", i->t_last, has_times);
	json_u64_if(j, "start_unix_us", i->start_us, i->start_us != 0);
	json_close(j, '{');
}

static void
put_damage(struct json *j, const struct report *r)
{
	json_open(j, "damage", '{');
	json_u64(j, "gaps", r->info.n_gaps);
	json_u64(j, "lost", r->info.n_lost);
	json_u64(j, "unkept", r->info.n_unkept);
	json_bool(j, "incomplete", r->info.is_incomplete);
	json_close(j, '{');
}

static void
put_answer_row(struct json *j, struct analyze *a, const char *name,
    const struct bob_answer_row *row)
{
	if (row->key == 0) {
		json_null(j, name);
		return;
	}
	json_open(j, name, '{');
	put_key_facts(j, a->r.view, row->key, 1);
	json_u64(j, "samples", row->sum.samples);
	json_u64(j, "time_us", row->sum.time_us);
	json_double(j, "share", row->share.share);
	json_double(j, "low", row->share.low);
	json_double(j, "high", row->share.high);
	json_close(j, '{');
}

static void
put_caller(struct json *j, struct analyze *a)
{
	const struct bob_answer *x = &a->r.answer;

	if (x->caller == 0) {
		json_null(j, "caller");
		return;
	}
	json_open(j, "caller", '{');
	put_key_facts(j, a->r.view, x->caller, 1);
	json_u64(j, "samples", x->caller_samples);
	json_double(j, "share", x->caller_share);
	json_close(j, '{');
}

static void
put_sentences(struct json *j, const struct analyze *a)
{
	struct bob_answer_part part[BOB_ANSWER_PARTS];
	char buf[BOB_ANSWER_TEXT];
	size_t n = answer_parts(a, buf, part), i;
	struct span l = { 0 };

	json_open(j, "sentences", '[');
	for (i = 0; i < n; i++) {
		span_safe(&l, part[i].text.p, part[i].text.n);
		if (i + 1 < n && part[i + 1].sentence == part[i].sentence)
			continue;
		json_bytes(j, NULL, l.p, l.n);
		span_done(&l);
	}
	json_close(j, '[');
}

static void
put_answer(struct json *j, struct analyze *a)
{
	const struct bob_answer *x = &a->r.answer;

	if (!a->r.has_answer) {
		json_null(j, "answer");
		return;
	}
	json_open(j, "answer", '{');
	put_sentences(j, a);
	put_answer_row(j, a, "function", &x->first);
	if (x->waits_for != NULL)
		json_str(j, "waits_for", x->waits_for);
	else
		json_null(j, "waits_for");
	put_caller(j, a);
	put_answer_row(j, a, "next", &x->next);
	json_bool(j, "clear", x->is_clear);
	json_double(j, "idle_share", x->idle_share);
	json_close(j, '{');
}

static void
put_inputs(struct json *j, const struct analyze *a)
{
	size_t i;

	json_open(j, "inputs", '[');
	for (i = 0; i < a->job.n_inputs; i++)
		json_str(j, NULL, job_name(a->job.inputs[i]));
	json_close(j, '[');
}

static void
put_group(struct json *j, const struct analyze *a)
{
	json_str(j, "group_by", grouping_name(a->o.group));
	if (a->o.annotation != NULL)
		json_str(j, "annotation", a->o.annotation);
	else
		json_null(j, "annotation");
	json_str(j, "shares_of", a->r.by_time ? "time" : "samples");
}

/* Sections that did not fit. */
static void
put_dropped(struct json *j, const struct analyze *a)
{
	size_t i;

	json_open(j, "left_out", '[');
	for (i = 0; i < a->o.layout.n; i++)
		if (a->r.section[a->o.layout.section[i]].is_dropped)
			json_str(j, NULL,
			    section_name(a->o.layout.section[i]));
	json_close(j, '[');
}

void
analyze_json(struct analyze *a, FILE *f)
{
	struct json j = { f, 0 };
	struct span why = { 0 };
	size_t i;

	json_open(&j, NULL, '{');
	json_u64(&j, "version", VERSION);
	put_inputs(&j, a);
	put_group(&j, a);
	put_answer(&j, a);
	put_samples(&j, &a->r);
	put_time(&j, &a->r);
	put_damage(&j, &a->r);
	if (why_empty(a, &why))
		json_bytes(&j, "why_empty", why.p, why.n);
	else
		json_null(&j, "why_empty");
	span_done(&why);
	json_open(&j, "sections", '{');
	for (i = 0; i < a->o.layout.n; i++)
		if (a->r.section[a->o.layout.section[i]].is_shown)
			put_section(&j, a, a->o.layout.section[i]);
	json_close(&j, '{');
	put_dropped(&j, a);
	json_close(&j, '{');
	json_end(&j);
}

/* From a request to a view; see the header. */
#include "question.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <bobbin/chars.h>

int
question_no_memory(char *err, size_t n)
{
	(void)snprintf(err, n, "out of memory");
	return -1;
}

int
question_failed(const struct view *v, char *err, size_t n)
{
	(void)snprintf(err, n, "%s", bob_ctx_error(v->ctx)->text);
	return -1;
}

/* Bytes of an id, and how many of them are of the text if that is too long. */
#define ID 200
#define ID_HEAD 160
#define ID_TAIL 17 /* a mark and a number */

int
question_can_name(struct bob_bytes text, size_t most)
{
	uint32_t c;
	size_t i, k;

	if (text.n > most ||
	    (text.n > 0 && memchr(text.p, '\0', text.n) != NULL))
		return 0;
	for (i = 0; i < text.n; i += k)
		if ((k = bob_char_take(text.p + i, text.n - i, &c)) == 0)
			return 0;
	return 1;
}

/* FNV-1a: names need to be told apart, not protected. */
static uint64_t
hash(const char *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 0x100000001b3;
	return h;
}

/* Writes the id of a text; returns its length. */
static size_t
make_id(char to[ID + 1], struct bob_bytes text)
{
	size_t i, n = text.n < ID_HEAD ? text.n : ID_HEAD;

	if (question_can_name(text, ID)) {
		memcpy(to, text.p, text.n);
		to[text.n] = '\0';
		return text.n;
	}
	for (i = 0; i < n; i++)
		to[i] = text.p[i] > ' ' && text.p[i] < 0x7f ? text.p[i] : '_';
	return n + (size_t)snprintf(to + n, ID + 1 - n, "~%016" PRIx64,
	    hash(text.p, text.n));
}

/* The key with this id; 0: none. */
static uint32_t
find_key(const struct bob_view *view, const char *id)
{
	const size_t n = strlen(id);
	uint32_t i, n_keys = bob_view_n_keys(view);
	char own[ID + 1];

	for (i = 1; i < n_keys; i++)
		if (make_id(own, bob_view_key(view, i).text) == n &&
		    memcmp(own, id, n) == 0)
			return i;
	return 0;
}

/* The whole texts of rules that have the short form of an id. They are those of
 * keys, which the profile keeps. */
static int
resolve_shape(struct view *v, struct selection *s, char *err, size_t n)
{
	struct bob_view_opts o = { .size = sizeof(o) };
	struct bob_view *view;
	uint32_t key;
	size_t i;

	for (i = 0; i < s->n_shapes; i++) {
		struct bob_bytes *text = &s->shape[i].text;

		if (text->n < ID_TAIL || text->p[text->n - ID_TAIL] != '~')
			continue;
		o.group = s->shape[i].group;
		o.side = selection_side(s);
		if (bob_view_new(v->profile, &o, &view) < 0)
			return question_failed(v, err, n);
		key = find_key(view, text->p);
		if (key != 0)
			*text = bob_view_key(view, key).text;
		bob_view_free(view);
	}
	return 0;
}

int
question_init(struct question *q, struct view *v, const struct request *rq,
    char *err, size_t n)
{
	const char *focus = request_param(rq, "focus");
	struct selection s;
	int is_diff;

	memset(q, 0, sizeof(*q));
	if (selection_init(&s, rq, v->is_diff ? 2 : 1, v->idle, err, n) < 0)
		return -1;
	if (resolve_shape(v, &s, err, n) < 0) {
		selection_done(&s);
		return -1;
	}
	q->at = cache_view(&v->cache, &s);
	is_diff = v->is_diff || s.has_base;
	if (is_diff)
		q->diff = cache_diff(&v->cache, &s);
	selection_done(&s);
	if (q->at == NULL || (is_diff && q->diff == NULL))
		return question_failed(v, err, n);
	if (focus == NULL || *focus == '\0')
		return 0;
	q->focus = find_key(q->at->view, focus);
	if (q->focus != 0)
		return 0;
	(void)snprintf(err, n, "there is no such function in this trace");
	return -1;
}

void
question_put_key(struct json *j, const struct bob_key *k)
{
	char id[ID + 1];

	json_bytes(j, "id", id, make_id(id, k->text));
	json_bytes(j, "text", k->text.p, k->text.n);
	json_bytes(j, "name", k->name.p, k->name.n);
	json_bytes(j, "file", k->file.p, k->file.n);
	json_bytes(j, "module", k->module.p, k->module.n);
	if (!question_can_name(k->module, ID))
		json_bytes(j, "module_id", id, make_id(id, k->module));
	if (k->has_line)
		json_i64(j, "line", k->line);
	json_i64(j, "lang", k->lang);
}

void
question_put_track(struct json *j, const struct view *v, bob_tid track)
{
	struct bob_dict *dict = bob_profile_dict(v->profile);
	const struct bob_track *k = bob_track_get(dict, track);
	struct bob_bytes b;

	json_u64_if(j, "pid", k->pid, (k->flags & BOB_TRACK_PID) != 0);
	json_u64_if(j, "tid", k->tid, (k->flags & BOB_TRACK_TID) != 0);
	b = bob_str_get(dict, k->name);
	json_bytes(j, "name", b.p, b.n);
	if ((k->flags & BOB_TRACK_PID) != 0) {
		b = bob_profile_process(v->profile, k->pid);
		json_bytes(j, "process", b.p, b.n);
	}
}

void
question_put_change(struct json *j, const char *key,
    const struct bob_change *c)
{
	json_open(j, key, '{');
	json_u64(j, "samples_before", c->before.samples);
	json_u64(j, "samples_after", c->after.samples);
	json_double(j, "before", c->share_before);
	json_double(j, "after", c->share_after);
	json_double(j, "delta", c->delta);
	json_double(j, "low", c->low);
	json_double(j, "high", c->high);
	json_double(j, "q", c->q);
	json_bool(j, "is_significant", c->is_significant);
	json_close(j, '{');
}

void
question_put_keys(struct json *j, const struct bob_view *view,
    const struct bob_diff *diff, const uint8_t *is_key)
{
	uint32_t i, n = bob_view_n_keys(view);
	const struct bob_diff_row *row;
	struct bob_key k;
	char number[16];

	json_open(j, "keys", '{');
	for (i = 1; i < n; i++) {
		if (!is_key[i])
			continue;
		(void)snprintf(number, sizeof(number), "%" PRIu32, i);
		json_open(j, number, '{');
		k = bob_view_key(view, i);
		question_put_key(j, &k);
		row = diff == NULL ? NULL : bob_diff_row(diff, i);
		if (row != NULL)
			question_put_change(j, "change", &row->total);
		json_close(j, '{');
	}
	json_close(j, '{');
}

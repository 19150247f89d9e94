/* Annotations of a selection; see the header. */
#include "facets.h"

#include <stdlib.h>
#include <string.h>

#include "question.h"
#include "selection.h"

/* The keys that annotations have, in the order of their first sample. */
static size_t
find_keys(struct view *v, bob_str *key)
{
	struct bob_dict *dict = bob_profile_dict(v->profile);
	const struct bob_cell *cell;
	const struct bob_pair *pair;
	size_t i, k, p, n, n_pairs, n_keys = 0;
	bob_annot last = 0;

	cell = bob_profile_cells(v->profile, &n);
	for (i = 0; cell != NULL && i < n; i++) {
		if (cell[i].annot == last)
			continue;
		last = cell[i].annot;
		pair = bob_annot_get(dict, last, &n_pairs);
		for (p = 0; p < n_pairs; p++) {
			for (k = 0; k < n_keys && key[k] != pair[p].key; k++)
				;
			if (k == n_keys && n_keys < FACETS_KEYS)
				key[n_keys++] = pair[p].key;
		}
	}
	return n_keys;
}

/* Leaves the conditions on one key out of a filter. */
static size_t
drop_key(const char **to, const struct bob_filter *from, const char *key)
{
	size_t i, len = strlen(key), n = 0;

	for (i = 0; i < from->n_annotations; i++)
		if (strncmp(from->annotations[i], key, len) != 0 ||
		    (from->annotations[i][len] != '\0' &&
		        from->annotations[i][len] != '='))
			to[n++] = from->annotations[i];
	return n;
}

static void
put_values(struct json *j, struct bob_view *view)
{
	const struct bob_row *row;
	size_t i, n, n_put = 0;
	struct bob_key k;

	row = bob_view_rows(view, BOB_BY_TOTAL, &n);
	json_u64(j, "n_values", row != NULL ? n : 0);
	json_open(j, "values", '[');
	for (i = 0; row != NULL && i < n && n_put < FACETS_VALUES; i++) {
		k = bob_view_key(view, row[i].key);
		if (!question_can_name(k.text, FACETS_TEXT))
			continue;
		json_open(j, NULL, '{');
		json_bytes(j, "value", k.text.p, k.text.n);
		json_u64(j, "samples", row[i].total.samples);
		json_close(j, '{');
		n_put++;
	}
	json_close(j, '[');
}

/* Returns 0; -1: the context has the error. */
static int
put_facet(struct view *v, const struct selection *s, const char *key,
    struct json *j)
{
	struct bob_filter filter = *selection_filter(s);
	const char *annot[SELECTION_LINES];
	struct bob_view_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_ANNOTATION, .annotation = key,
		.side = selection_side(s), .filter = &filter };
	struct bob_view *view;

	filter.n_annotations = drop_key(annot, selection_filter(s), key);
	filter.annotations = filter.n_annotations > 0 ? annot : NULL;
	if (bob_view_new(v->profile, &o, &view) < 0)
		return -1;
	json_open(j, NULL, '{');
	json_str(j, "key", key);
	put_values(j, view);
	json_close(j, '{');
	bob_view_free(view);
	return 0;
}

static int
put_facets(struct view *v, const struct selection *s, struct json *j)
{
	struct bob_dict *dict = bob_profile_dict(v->profile);
	bob_str key[FACETS_KEYS];
	size_t i, n = find_keys(v, key);
	struct bob_bytes name;
	char *text;
	int r = 0;

	json_open(j, "facets", '[');
	for (i = 0; r == 0 && i < n; i++) {
		name = bob_str_get(dict, key[i]);
		/* A condition cannot name such a key. */
		if (!question_can_name(name, FACETS_TEXT) ||
		    (name.n > 0 && memchr(name.p, '=', name.n) != NULL))
			continue;
		text = strndup(name.p, name.n);
		r = text == NULL ? -1 : put_facet(v, s, text, j);
		free(text);
	}
	json_close(j, '[');
	return r;
}

int
answer_facets(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct selection s;
	int r;

	if (selection_init(&s, rq, v->is_diff ? 2 : 1, v->idle, err, n) < 0)
		return -1;
	r = put_facets(v, &s, j);
	selection_done(&s);
	return r < 0 ? question_failed(v, err, n) : 0;
}

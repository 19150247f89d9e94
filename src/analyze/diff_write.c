/* A comparison handed to a format that draws it; see bobbin/diff.h. */
#include <stdlib.h>
#include <string.h>

#include "analyze/diff.h"
#include "pipeline/sink.h"

/* What the format gets, and room for it. */
struct handed {
	struct format_diff diff;
	const struct bob_diff_row **row;
	struct bob_key *key;
};

static int
hand_over(const struct bob_diff *d, struct handed *h)
{
	uint32_t key;

	h->row = calloc(d->n_key, sizeof(*h->row));
	h->key = calloc(d->n_key, sizeof(*h->key));
	if (h->row == NULL || h->key == NULL)
		return err_nomem(d->ctx);
	for (key = 1; key < d->n_key; key++) {
		h->row[key] = bob_diff_row(d, key);
		h->key[key] = bob_diff_key(d, key);
	}
	h->diff.path = d->path;
	h->diff.n_path = d->n_path;
	h->diff.row = h->row;
	h->diff.key = h->key;
	h->diff.n_key = d->n_key;
	h->diff.total[0] = d->info.total[0];
	h->diff.total[1] = d->info.total[1];
	h->diff.times[0] = d->info.times[0];
	h->diff.times[1] = d->info.times[1];
	h->diff.verdict = d->text;
	h->diff.by_time = d->normalize == BOB_NORMALIZE_TIME;
	h->diff.has_lines = d->view[1]->keys->group == BOB_GROUP_LINE;
	return BOB_OK;
}

static int
check_output(const struct bob_diff *d, const struct bob_diff_output *o,
    const struct format *f)
{
	if (f == NULL || f->sink == NULL || !format_sink_ops(f, o->options,
	        o->n_options)->takes_diff)
		return err_set(d->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%s cannot show a difference", o->to);
	if (!keys_are_frames(d->view[1]->keys))
		return err_set(d->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%s shows calls: it needs a grouping by functions", o->to);
	return BOB_OK;
}

static int
draw(const struct bob_diff *d, const struct bob_diff_output *o,
    const struct format *f, const struct format_diff *diff,
    struct bob_dict *dict)
{
	struct sink_spec spec = { .target = o->output, .options = o->options,
		.n_options = o->n_options, .dict = dict, .diff = diff };
	struct sink *sink;
	int r = sink_create(d->ctx, f, &spec, &sink);

	return r < 0 ? r : sink_finish(sink, NULL);
}

int
bob_diff_write(const struct bob_diff *d, const struct bob_diff_output *out)
{
	struct bob_diff_output o = { 0 };
	const struct format *f;
	struct handed h = { 0 };
	struct bob_dict *dict = NULL;
	int r;

	memcpy(&o, out, out->size < sizeof(o) ? out->size : sizeof(o));
	f = format_named(o.to);
	r = check_output(d, &o, f);
	if (r == BOB_OK)
		r = hand_over(d, &h);
	if (r == BOB_OK) {
		h.diff.name[0] = o.name[0];
		h.diff.name[1] = o.name[1];
		dict = bob_dict_new(d->ctx);
		r = dict == NULL ? BOB_FATAL : draw(d, &o, f, &h.diff, dict);
	}
	bob_dict_free(dict);
	free(h.row);
	free(h.key);
	return r < 0 ? err_set_status(d->ctx, BOB_FAILED) : BOB_OK;
}

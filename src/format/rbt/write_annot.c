/*
 * The annotation of a sample: whether it needs one, which strings that needs,
 * and its event. With bobbin.annotations, a sample needs one only when its
 * annotations have changed.
 */
#include "format/rbt/write.h"

#include <bobbin/limits.h>

/* Returns what was written last for samples with the number of this one, or for
 * samples without a number. */
static struct wire_told *
find_told(const struct rbt_writer *w)
{
	return &w->told[rbt_track_number(w, w->key.track) != NULL
	    ? w->key.track : 0];
}

int
rbt_must_annotate(const struct rbt_writer *w)
{
	static const struct wire_told nothing;
	const struct wire_told *told;
	int has_any = w->key.annot != 0 || w->key.status != 0;

	if (!w->o.changes)
		return has_any;
	told = find_told(w);
	if (told->generation != w->generation)
		told = &nothing;
	if (told->annot != w->key.annot || told->status != w->key.status)
		return 1;
	/* Behind a checkpoint they are told anew. */
	return has_any && told->n_checked != w->n_checked;
}

/* From here on samples without an annotation have the one before. */
static int
write_changes(struct rbt_writer *w)
{
	static const struct bob_bytes key = { RBT_META_CHANGES,
		sizeof(RBT_META_CHANGES) - 1 };
	static const struct bob_bytes value = { RBT_CHANGES,
		sizeof(RBT_CHANGES) - 1 };

	if (!w->o.changes || w->has_changes)
		return BOB_OK;
	w->has_changes = 1;
	return rbt_write_metadata(w, key, value);
}

/* True when the status goes with these n pairs. */
static int
has_status_pair(const struct rbt_writer *w, size_t n)
{
	return w->key.status != 0 && n < BOB_MAX_PAIRS;
}

int
rbt_define_annotation(struct rbt_writer *w, size_t *ret_len)
{
	const struct bob_pair *v;
	uint32_t key, value;
	size_t n, i;

	if (write_changes(w) < 0)
		return BOB_FATAL;
	v = bob_annot_get(w->dict, w->key.annot, &n);
	*ret_len = varint_size(n + (size_t)has_status_pair(w, n));
	for (i = 0; i < n; i++) {
		if (rbt_define_string(w, v[i].key, &key) < 0 ||
		    rbt_define_string(w, v[i].value, &value) < 0)
			return BOB_FATAL;
		*ret_len += varint_size(key) + varint_size(value);
	}
	if (!has_status_pair(w, n))
		return BOB_OK;
	if (rbt_define_status(w, (uint8_t)(w->key.status - 1), &key, &value) <
	    0)
		return BOB_FATAL;
	*ret_len += varint_size(key) + varint_size(value);
	return BOB_OK;
}

uint8_t *
rbt_put_annotation(struct rbt_writer *w, uint8_t *p, size_t len)
{
	const struct bob_pair *v;
	uint32_t key = 0, value = 0;
	size_t n, i;

	*p++ = RBT_SAMPLE_ANNOTATION;
	p = varint_put(p, len);
	v = bob_annot_get(w->dict, w->key.annot, &n);
	p = varint_put(p, n + (size_t)has_status_pair(w, n));
	/* Defined before, so this only looks them up. */
	for (i = 0; i < n; i++) {
		(void)rbt_define_string(w, v[i].key, &key);
		p = varint_put(p, key);
		(void)rbt_define_string(w, v[i].value, &value);
		p = varint_put(p, value);
	}
	if (has_status_pair(w, n)) {
		(void)rbt_define_status(w, (uint8_t)(w->key.status - 1), &key,
		    &value);
		p = varint_put(varint_put(p, key), value);
	}
	if (w->o.changes)
		*find_told(w) = (struct wire_told){ w->n_checked,
			w->generation, w->key.annot, w->key.status };
	return p;
}

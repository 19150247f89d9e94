/* Which annotations become labels; see write.h. */
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "format/pprof/write.h"

int
pprof_labels_init(struct pprof_labels *l, struct bob_ctx *ctx,
    const char *list)
{
	size_t n = strlen(list), i;

	memset(l, 0, sizeof(*l));
	l->ctx = ctx;
	l->own = bob_dict_new(ctx);
	l->keys = malloc(n + 2);
	if (l->own == NULL || l->keys == NULL)
		return err_nomem(ctx);
	memcpy(l->keys, list, n + 1);
	l->keys[n + 1] = '\0';
	for (i = 0; i < n; i++)
		if (l->keys[i] == ',')
			l->keys[i] = '\0';
	l->n_keys = n;
	return BOB_OK;
}

void
pprof_labels_done(struct pprof_labels *l)
{
	bob_dict_free(l->own);
	free(l->keys);
	free(l->of_annot);
}

static int
is_allowed(const struct pprof_labels *l, struct bob_bytes key)
{
	const char *p = l->keys, *end = l->keys + l->n_keys;

	for (; p < end; p += strlen(p) + 1)
		if (strlen(p) == key.n && memcmp(p, key.p, key.n) == 0)
			return 1;
	return 0;
}

/* A string of our own, mended. */
static bob_str
put_string(struct pprof_labels *l, struct bob_bytes s)
{
	char *mended;
	bob_str id;

	if (utf8_valid(s.p, s.n) == s.n)
		return bob_str_put(l->own, s.p, s.n);
	mended = malloc(3 * s.n);
	if (mended == NULL)
		return err_nomem(l->ctx), BOB_NO_ID;
	id = bob_str_put(l->own, mended, utf8_replace(mended, s.p, s.n));
	free(mended);
	return id;
}

static bob_annot
reduce_annotations(struct pprof_labels *l, const struct bob_dict *from,
    bob_annot id)
{
	struct bob_pair kept[BOB_MAX_PAIRS];
	size_t n, n_kept = 0, i;
	const struct bob_pair *v = bob_annot_get(from, id, &n);

	for (i = 0; i < n; i++) {
		if (!is_allowed(l, bob_str_get(from, v[i].key)))
			continue;
		kept[n_kept].key = put_string(l, bob_str_get(from, v[i].key));
		kept[n_kept].value = put_string(l,
		    bob_str_get(from, v[i].value));
		if (kept[n_kept].key == BOB_NO_ID ||
		    kept[n_kept].value == BOB_NO_ID)
			return BOB_NO_ID;
		n_kept++;
	}
	return n_kept == 0 ? 0 : bob_annot_put(l->own, kept, n_kept);
}

bob_annot
pprof_labels_of(struct pprof_labels *l, const struct bob_dict *from,
    bob_annot id)
{
	size_t n = from->n.n_annot;

	if (id == 0)
		return 0;
	if (id >= l->n_of_annot) {
		if (MEM_GROW(l->ctx, l, of_annot, n) < 0)
			return BOB_NO_ID;
		for (; l->n_of_annot < n; l->n_of_annot++)
			l->of_annot[l->n_of_annot] = BOB_NO_ID;
	}
	if (l->of_annot[id] == BOB_NO_ID)
		l->of_annot[id] = reduce_annotations(l, from, id);
	return l->of_annot[id];
}

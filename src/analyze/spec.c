/* Deep copies; see the header. */
#include "analyze/spec.h"

#include <stdlib.h>
#include <string.h>

/* Returns a copy of n numbers; NULL for none. Sets *failed without memory. */
static const uint64_t *
copy_numbers(const uint64_t *v, size_t n, int *failed)
{
	uint64_t *to;

	if (n == 0)
		return NULL;
	to = calloc(n, sizeof(*to));
	if (to == NULL) {
		*failed = 1;
		return NULL;
	}
	memcpy(to, v, n * sizeof(*to));
	return to;
}

static const char *
copy_text(const char *s, int *failed)
{
	char *to;

	if (s == NULL)
		return NULL;
	to = strdup(s);
	*failed |= to == NULL;
	return to;
}

static const char *const *
copy_texts(const char *const *v, size_t n, int *failed)
{
	char **to;
	size_t i;

	if (n == 0)
		return NULL;
	to = calloc(n, sizeof(*to));
	if (to == NULL) {
		*failed = 1;
		return NULL;
	}
	for (i = 0; i < n; i++) {
		to[i] = strdup(v[i]);
		*failed |= to[i] == NULL;
	}
	return (const char *const *)to;
}

int
filter_spec_copy(struct bob_ctx *ctx, struct bob_filter *ret,
    const struct bob_filter *from)
{
	struct bob_filter f = { 0 };
	int failed = 0;

	if (from != NULL)
		memcpy(&f, from, from->size < sizeof(f) ? from->size :
		    sizeof(f));
	f.size = sizeof(f);
	f.pids = copy_numbers(f.pids, f.n_pids, &failed);
	f.tids = copy_numbers(f.tids, f.n_tids, &failed);
	f.annotations = copy_texts(f.annotations, f.n_annotations, &failed);
	if (f.annotations == NULL)
		f.n_annotations = 0;
	f.hide = copy_text(f.hide, &failed);
	f.match = copy_text(f.match, &failed);
	*ret = f;
	return failed ? err_nomem(ctx) : BOB_OK;
}

/* Frees a copy that is held by a const pointer. */
static void
spec_free(const void *p)
{
	void *q;

	memcpy(&q, &p, sizeof(q));
	free(q);
}

void
filter_spec_done(struct bob_filter *f)
{
	size_t i;

	for (i = 0; i < f->n_annotations; i++)
		spec_free(f->annotations[i]);
	spec_free(f->annotations);
	spec_free(f->pids);
	spec_free(f->tids);
	spec_free(f->hide);
	spec_free(f->match);
}

int
options_copy(struct bob_ctx *ctx, struct bob_option **ret, size_t *ret_n,
    const struct bob_option *from, size_t n)
{
	int failed = 0;
	size_t i;

	*ret = NULL;
	*ret_n = 0;
	if (n == 0)
		return BOB_OK;
	*ret = calloc(n, sizeof(**ret));
	if (*ret == NULL)
		return err_nomem(ctx);
	*ret_n = n;
	for (i = 0; i < n; i++) {
		(*ret)[i].key = copy_text(from[i].key, &failed);
		(*ret)[i].value = copy_text(from[i].value, &failed);
	}
	return failed ? err_nomem(ctx) : BOB_OK;
}

void
options_done(struct bob_option *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		spec_free(v[i].key);
		spec_free(v[i].value);
	}
	free(v);
}

/* Encoding an index; see index.h. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/mem.h"
#include "core/output.h"
#include "core/varint.h"
#include "store/index.h"

/* Numbers one after the other; the first failure is kept. */
struct coder {
	struct out *to;
	int r;
};

static void
put_bytes(struct coder *w, const void *p, size_t n)
{
	if (w->r == BOB_OK)
		w->r = out_bytes(w->to, p, n);
}

static void
put_u64(struct coder *w, uint64_t v)
{
	uint8_t buf[VARINT_MAX];

	put_bytes(w, buf, (size_t)(varint_put(buf, v) - buf));
}

/* A string has a NUL behind it, so that a reader need not copy it. */
static void
put_text(struct coder *w, const char *p, size_t n)
{
	put_u64(w, n);
	put_bytes(w, p, n);
	put_bytes(w, "", 1);
}

static void
put_fact(struct coder *w, struct bob_bytes s)
{
	size_t n = s.n < INDEX_MAX_COMMAND ? s.n : INDEX_MAX_COMMAND;
	const char *nul = memchr(s.p, '\0', n);

	put_text(w, s.p, nul != NULL ? (size_t)(nul - s.p) : n);
}

static void
put_counts(struct coder *w, const struct contents *c)
{
	put_u64(w, c->t_first);
	put_u64(w, c->t_last);
	put_u64(w, c->n_samples);
	put_u64(w, c->n_undated);
	put_u64(w, c->n_gaps);
	put_u64(w, c->n_lost);
	put_u64(w, c->n_unkept);
	put_u64(w, c->facts);
	put_text(w, c->service.p, strlen(c->service.p));
	put_text(w, c->host.p, strlen(c->host.p));
}

/* --- processes ------------------------------------------------------------ */

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Those with samples, and those that metadata name; each once, sorted. Returns
 * their number. */
static size_t
list_pids(const struct contents *c, uint64_t *to)
{
	size_t n = 0, i, k = 0;

	for (i = 1; i < c->n_pid; i++)
		to[n++] = c->pid[i].pid;
	for (i = 1; i < c->labels.n && n < CONTENTS_MAX_PIDS; i++)
		to[n++] = c->labels.label[i].pid;
	if (n == 0)
		return 0;
	qsort(to, n, sizeof(*to), by_number);
	for (i = 1; i < n; i++)
		if (to[i] != to[k])
			to[++k] = to[i];
	return k + 1;
}

static void
put_process(struct coder *w, const struct contents *c, uint64_t pid)
{
	static const struct label none;
	const struct bob_track t = { .pid = pid, .flags = BOB_TRACK_PID };
	const struct label *l = labels_of(&c->labels, &t);

	l = l != NULL ? l : &none;
	put_u64(w, pid);
	put_fact(w, label_get(l, LABEL_RUNTIME));
	put_fact(w, label_get(l, LABEL_COMMAND));
}

static int
put_processes(struct coder *w, const struct contents *c)
{
	uint64_t *pid = malloc(((size_t)c->n_pid + c->labels.n + 1) *
	    sizeof(*pid));
	size_t n, i;

	if (pid == NULL)
		return err_nomem(c->ctx);
	n = list_pids(c, pid);
	put_u64(w, n);
	for (i = 0; i < n; i++)
		put_process(w, c, pid[i]);
	free(pid);
	return w->r;
}

/* --- routes --------------------------------------------------------------- */

struct named {
	struct bob_bytes name;
	uint64_t n_samples;
};

static int
by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
	int r = memcmp(x->name.p, y->name.p, n);

	return r != 0 ? r : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

static int
put_routes(struct coder *w, const struct contents *c)
{
	size_t n = c->n_route - 1, i;
	struct named *v = calloc(n + 1, sizeof(*v));

	if (v == NULL)
		return err_nomem(c->ctx);
	for (i = 0; i < n; i++)
		v[i] = (struct named){ bob_str_get(c->dict,
		    c->route[i + 1].route), c->route[i + 1].n_samples };
	if (n > 0)
		qsort(v, n, sizeof(*v), by_name);
	put_u64(w, n);
	for (i = 0; i < n; i++) {
		put_text(w, v[i].name.p, v[i].name.n);
		put_u64(w, v[i].n_samples);
	}
	free(v);
	return w->r;
}

/* --- all of it ------------------------------------------------------------ */

static int
put_head(struct coder *w, struct contents *c, const struct index_file *file)
{
	put_u64(w, file->size);
	put_bytes(w, file->sha256, sizeof(file->sha256));
	put_text(w, file->format, strlen(file->format));
	put_counts(w, c);
	if (put_processes(w, c) < 0)
		return BOB_FATAL;
	return put_routes(w, c);
}

static void
put_le(uint8_t *p, uint64_t v, size_t n)
{
	while (n-- > 0) {
		*p++ = (uint8_t)v;
		v >>= 8;
	}
}

static int
put_with_prefix(struct out *to, const uint8_t *head, size_t n)
{
	uint8_t prefix[INDEX_PREFIX] = INDEX_MAGIC;

	if (n > INDEX_MAX_HEAD)
		return err_set(to->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "its index has %zu bytes; %u are possible", n,
		    INDEX_MAX_HEAD);
	put_le(prefix + 8, n, 4);
	put_le(prefix + 16, XXH3_64bits(head, n), 8);
	if (out_bytes(to, prefix, sizeof(prefix)) < 0)
		return BOB_FATAL;
	return out_bytes(to, head, n);
}

int
index_encode(struct contents *c, const struct index_file *file, struct out *to)
{
	struct coder w = { NULL, BOB_OK };
	const uint8_t *head;
	size_t n;
	int r;

	if (out_open_memory(c->ctx, &w.to) < 0)
		return BOB_FATAL;
	r = put_head(&w, c, file);
	if (r == BOB_OK) {
		head = out_memory_take(w.to, &n);
		r = put_with_prefix(to, head, n);
	}
	out_discard(w.to);
	return r;
}

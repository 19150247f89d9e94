/* Metadata about processes; see the header. */
#include "model/labels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/mem.h"
#include "core/text.h"
#include "core/utf8.h"

#define PREFIX "process."

/* Longest part of a command line in a description. */
#define MAX_COMMAND 120

/* Room for the words of a description besides its facts. */
#define TEXT_ROOM 32

static const char *const fact_name[N_LABEL_FACTS] = {
	[LABEL_RUNTIME] = "runtime",
	[LABEL_VERSION] = "version",
	[LABEL_PARENT] = "parent",
	[LABEL_COMMAND] = "command",
};

void
labels_init(struct labels *l, struct bob_ctx *ctx, uint64_t seed)
{
	memset(l, 0, sizeof(*l));
	l->ctx = ctx;
	l->seed = seed;
	l->n = 1;
}

void
labels_done(struct labels *l)
{
	uint32_t i;
	size_t k;

	for (i = 1; i < l->n; i++)
		for (k = 0; k < N_LABEL_FACTS; k++)
			free(l->label[i].fact[k]);
	free(l->label);
	free(l->text);
	intern_free(&l->by_pid);
}

/* Parses a key "process.PID.FACT". Returns 1 and sets *ret_pid and *ret_fact; 0
 * if it is another key. */
static int
parse_key(struct bob_bytes key, uint64_t *ret_pid, size_t *ret_fact)
{
	size_t n = sizeof(PREFIX) - 1, digits, i;
	struct bob_bytes rest;

	if (key.n < n || memcmp(key.p, PREFIX, n) != 0)
		return 0;
	digits = text_n_digits(key.p + n, key.n - n);
	if (!text_get_u64(key.p + n, digits, ret_pid) ||
	    key.n == n + digits || key.p[n + digits] != '.')
		return 0;
	n += digits + 1;
	rest = (struct bob_bytes){ key.p + n, key.n - n };
	for (i = 0; i < N_LABEL_FACTS; i++) {
		*ret_fact = i;
		if (bytes_are(rest, fact_name[i]))
			return 1;
	}
	return 0;
}

static uint64_t
pid_hash(const struct labels *l, uint64_t pid)
{
	return XXH3_64bits_withSeed(&pid, sizeof(pid), l->seed);
}

static uint32_t
label_find(const struct labels *l, uint64_t pid, uint64_t hash, uint32_t *at)
{
	uint32_t id;

	*at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&l->by_pid, hash, at)) != 0)
		if (l->label[id].pid == pid)
			return id;
	return 0;
}

/* The label of a process, new or old; NULL without memory. */
static struct label *
label_put(struct labels *l, uint64_t pid)
{
	uint64_t hash = pid_hash(l, pid);
	uint32_t at, id;

	if (intern_reserve(l->ctx, &l->by_pid) < 0)
		return NULL;
	id = label_find(l, pid, hash, &at);
	if (id != 0)
		return &l->label[id];
	if (MEM_GROW(l->ctx, l, label, (size_t)l->n + 1) < 0)
		return NULL;
	id = l->n++;
	l->label[id] = (struct label){ .pid = pid };
	intern_add(&l->by_pid, hash, at, id);
	return &l->label[id];
}

static int
set_fact(struct labels *l, struct label *label, size_t fact,
    struct bob_bytes value)
{
	char *copy = NULL;

	if (value.n > 0) {
		copy = malloc(value.n);
		if (copy == NULL)
			return err_nomem(l->ctx);
		memcpy(copy, value.p, value.n);
	}
	free(label->fact[fact]);
	label->fact[fact] = copy;
	label->len[fact] = value.n;
	return BOB_OK;
}

static void
set_own(struct labels *l, uint64_t pid)
{
	if (l->has_own == LABELS_NO_OWN)
		l->has_own = LABELS_OWN;
	else if (l->own != pid)
		l->has_own = LABELS_SEVERAL;
	l->own = pid;
}

int
labels_take(struct labels *l, struct bob_bytes key, struct bob_bytes value)
{
	struct label *label;
	uint64_t pid;
	size_t fact;

	if (bytes_are(key, "pid")) {
		if (text_get_u64(value.p, value.n, &pid))
			set_own(l, pid);
		return 0;
	}
	if (!parse_key(key, &pid, &fact))
		return 0;
	label = label_put(l, pid);
	if (label == NULL || set_fact(l, label, fact, value) < 0)
		return BOB_FATAL;
	return 1;
}

int
labels_mark(struct labels *l, const struct bob_dict *d,
    const struct bob_mark *mark)
{
	if (mark->kind != BOB_MARK_META)
		return 0;
	return labels_take(l, bob_str_get(d, mark->key),
	    bob_str_get(d, mark->value));
}

int
labels_join(struct labels *l, const struct labels *from)
{
	const struct label *other;
	struct label *label;
	uint32_t i;
	size_t k;

	for (i = 1; i < from->n; i++) {
		other = &from->label[i];
		label = label_put(l, other->pid);
		if (label == NULL)
			return BOB_FATAL;
		for (k = 0; k < N_LABEL_FACTS; k++)
			if (other->fact[k] != NULL && set_fact(l, label, k,
			        label_get(other, (enum label_fact)k)) < 0)
				return BOB_FATAL;
	}
	if (from->has_own != LABELS_NO_OWN)
		set_own(l, from->own);
	if (from->has_own == LABELS_SEVERAL)
		l->has_own = LABELS_SEVERAL;
	return BOB_OK;
}

const struct label *
labels_of(const struct labels *l, const struct bob_track *track)
{
	int is_named = (track->flags & BOB_TRACK_PID) != 0;
	uint64_t pid = is_named ? track->pid : l->own;
	uint32_t at, id;

	if (l->n < 2 || (!is_named && l->has_own != LABELS_OWN))
		return NULL;
	id = label_find(l, pid, pid_hash(l, pid), &at);
	return id != 0 ? &l->label[id] : NULL;
}

static size_t
append(char *to, size_t n, struct bob_bytes s)
{
	if (s.n > 0)
		memcpy(to + n, s.p, s.n);
	return n + s.n;
}

static size_t
append_word(char *to, size_t n, const char *word)
{
	return append(to, n, (struct bob_bytes){ word, strlen(word) });
}

/* The beginning of a command line, not cut within a character. */
static struct bob_bytes
cut_command(struct bob_bytes s)
{
	size_t n = 0, step;
	int is_whole;

	if (s.n <= MAX_COMMAND)
		return s;
	while ((step = utf8_take(s.p + n, s.n - n, &is_whole)) > 0 &&
	    n + step <= MAX_COMMAND)
		n += step;
	return (struct bob_bytes){ s.p, n };
}

int
labels_text(struct labels *l, const struct label *label,
    struct bob_bytes *ret)
{
	struct bob_bytes all = label_get(label, LABEL_COMMAND);
	struct bob_bytes command = cut_command(all);
	struct bob_bytes runtime = label_get(label, LABEL_RUNTIME);
	struct bob_bytes version = label_get(label, LABEL_VERSION);
	struct bob_bytes parent = label_get(label, LABEL_PARENT);
	size_t n = 0, open;

	if (MEM_GROW(l->ctx, l, text, command.n + runtime.n + version.n +
	        parent.n + TEXT_ROOM) < 0)
		return BOB_FATAL;
	n = append(l->text, n, command);
	if (command.n < all.n)
		n = append_word(l->text, n, "...");
	if (n > 0)
		n = append_word(l->text, n, " (");
	open = n;
	n = append(l->text, n, runtime);
	if (version.n > 0)
		n = append_word(l->text, n, n > open ? " " : "version ");
	n = append(l->text, n, version);
	if (parent.n > 0)
		n = append_word(l->text, n, n > open ? ", child of " :
		    "child of ");
	n = append(l->text, n, parent);
	if (open > 0)
		n = n > open ? append_word(l->text, n, ")") : open - 2;
	assert(n <= l->cap_text);
	*ret = (struct bob_bytes){ l->text, n };
	return BOB_OK;
}

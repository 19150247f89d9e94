/*
 * The source view: opens the file of the selected frame, and adds up the
 * weights of its lines.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "model_inside.h"

/* A view by line, whatever the grouping on the screen is; NULL if it fails. */
static struct bob_view *
line_view(struct model *m, int side)
{
	struct bob_filter f;
	struct bob_view_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_LINE, .filter = &f,
		.side = m->is_diff ? side : 0 };
	struct bob_view *v = NULL;

	model_filter_of(m, 1, &f);
	return bob_view_new(m->profile, &o, &v) < 0 ? NULL : v;
}

/* The line of a key in this file; 0 if it has none there. */
static size_t
line_of(const struct source_file *s, const struct bob_key *k,
    struct bob_bytes file)
{
	if (!k->has_line || k->line < 1 || (uint64_t)k->line > s->n ||
	    k->file.n != file.n || memcmp(k->file.p, file.p, file.n) != 0)
		return 0;
	return (size_t)k->line;
}

/*
 * Functions that share a line (closures) may be in one sample together, so
 * their totals must not be added up. Instead, add up the callers of all of
 * them: these count each sample once.
 */
static uint64_t
total_of_keys(struct model *m, struct bob_view *v, const uint8_t *is)
{
	struct bob_row *row = NULL;
	uint64_t sum = 0;
	size_t n = 0, i;

	if (bob_view_callers(v, is, &row, &n) < 0)
		return 0;
	for (i = 0; i < n; i++)
		sum += model_weight(m, row[i].total);
	bob_rows_free(row);
	return sum;
}

static void
fix_shared_line(struct model *m, struct bob_view *v, int side, size_t line,
    struct bob_bytes file)
{
	struct source_file *s = &m->source;
	uint8_t *is = calloc((size_t)bob_view_n_keys(v) + 1, 1);
	const struct bob_row *row;
	size_t n, i;

	row = bob_view_rows(v, BOB_BY_TOTAL, &n);
	for (i = 0; is != NULL && row != NULL && i < n; i++) {
		struct bob_key k = bob_view_key(v, row[i].key);

		is[row[i].key] = line_of(s, &k, file) == line;
	}
	if (is != NULL)
		s->line[line - 1].total[side] = total_of_keys(m, v, is);
	free(is);
}

/* Adds the weights of a side to the lines of the file. */
static void
weigh_lines(struct model *m, struct bob_view *v, int side,
    struct bob_bytes file)
{
	struct source_file *s = &m->source;
	uint8_t *n_keys = calloc(s->n + 1, 1);
	const struct bob_row *row;
	size_t n, i, line;

	row = bob_view_rows(v, BOB_BY_TOTAL, &n);
	for (i = 0; n_keys != NULL && row != NULL && i < n; i++) {
		struct bob_key k = bob_view_key(v, row[i].key);
		struct source_line *l;

		line = line_of(s, &k, file);
		if (line == 0)
			continue;
		l = &s->line[line - 1];
		l->self[side] += model_weight(m, row[i].self);
		l->total[side] += model_weight(m, row[i].total);
		if (l->key == 0)
			l->key = bob_view_key_of(m->view[1], k.frame);
		if (n_keys[line] < 2)
			n_keys[line]++;
	}
	for (line = 1; n_keys != NULL && line <= s->n; line++)
		if (n_keys[line] > 1)
			fix_shared_line(m, v, side, line, file);
	free(n_keys);
}

/* The line of a key with the most self, then with the largest total; of the
 * whole file if the key has none. */
static size_t
hottest_line(const struct source_file *s, uint32_t key)
{
	size_t best = 0, i;

	for (i = 1; i < s->n; i++) {
		const struct source_line *l = &s->line[i], *b = &s->line[best];
		int is = l->key == key, was = b->key == key;

		if (is != was ? is : l->self[1] != b->self[1]
		        ? l->self[1] > b->self[1]
		        : l->total[1] > b->total[1])
			best = i;
	}
	return best;
}

void
model_open_source(struct model *m, uint32_t key)
{
	char path[4096], why[256];
	struct bob_key k;
	int side;

	if (key == 0 || !model_is_frames(m)) {
		model_say(m, 0, "there is no source to show");
		return;
	}
	k = bob_view_key(m->view[1], key);
	if (k.file.n == 0 && k.frame != 0) {
		const struct bob_dict *d = bob_profile_dict(m->profile);

		k.file = bob_str_get(d, bob_frame_get(d, k.frame)->file);
	}
	if (k.file.n == 0 || k.file.n >= sizeof(path) ||
	    memchr(k.file.p, '\0', k.file.n) != NULL) {
		model_say(m, 0, "the file of this frame is not known");
		return;
	}
	memcpy(path, k.file.p, k.file.n);
	path[k.file.n] = '\0';
	if (source_read(&m->source, m->sources, path, why, sizeof(why)) < 0) {
		model_say(m, 1, "%s", why);
		return;
	}
	for (side = m->is_diff ? 0 : 1; side < 2; side++) {
		struct bob_view *v = line_view(m, side);

		if (v != NULL)
			weigh_lines(m, v, side, k.file);
		bob_view_free(v);
	}
	m->source.c.at = k.has_line && k.line >= 1 &&
	        (uint64_t)k.line <= m->source.n
	    ? (size_t)k.line - 1
	    : hottest_line(&m->source, key);
	/* Some lines above it. */
	m->source.c.top = m->source.c.at > 8 ? m->source.c.at - 8 : 0;
	m->over = OVER_SOURCE;
}

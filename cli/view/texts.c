/* Writes folded stacks and CSV of a selection; see the header. */
#include "texts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/chars.h>

#include "question.h"

/* ---- Bytes of names ---------------------------------------------------- */

/* Which characters are escaped besides those that act, and how: each byte as
 * two digits behind a mark. */
struct escapes {
	const char *chars, *mark, *digit;
};

#define UPPER "0123456789ABCDEF"
#define LOWER "0123456789abcdef"

static int
is_escaped(const struct escapes *e, uint32_t c, const char *next, size_t n)
{
	if (bob_char_kind(c) == BOB_CHAR_ACTS)
		return 1;
	if (c > 0x7e || strchr(e->chars, (int)c) == NULL)
		return 0;
	/* A % is one only where it would be read as an escape. */
	return c != '%' || (n >= 2 && isxdigit((unsigned char)next[0]) &&
	    isxdigit((unsigned char)next[1]));
}

static void
put_byte(FILE *f, const struct escapes *e, unsigned char byte)
{
	(void)fputs(e->mark, f);
	(void)fputc(e->digit[byte >> 4], f);
	(void)fputc(e->digit[byte & 15], f);
}

static void
put_escaped(FILE *f, struct bob_bytes s, const struct escapes *e)
{
	size_t i = 0, len, k;
	uint32_t c;

	for (; i < s.n; i += len) {
		len = bob_char_take(s.p + i, s.n - i, &c);
		if (len == 0) { /* not UTF-8: stays as it is */
			len = 1;
			(void)fputc(s.p[i], f);
		} else if (!is_escaped(e, c, s.p + i + len, s.n - i - len)) {
			(void)fwrite(s.p + i, 1, len, f);
		} else {
			for (k = 0; k < len; k++)
				put_byte(f, e, (unsigned char)s.p[i + k]);
		}
	}
}

/* Ends the text in *text and makes it the answer. */
static int
put_text(struct json *j, FILE *f, char **text, const size_t *n_text,
    char *err, size_t n)
{
	int is_cut = ftello(f) > TEXTS_MAX;

	if (fclose(f) != 0)
		return question_no_memory(err, n);
	if (is_cut) {
		(void)snprintf(err, n, "the text would have more than %d MiB; "
		    "select less", TEXTS_MAX >> 20);
		return -1;
	}
	json_bytes(j, "text", *text, *n_text);
	return 0;
}

/* ---- Folded stacks ----------------------------------------------------- */

/* Names of keys, one after the other. */
struct names {
	char *text;
	size_t *end; /* by key */
};

/* A line that keeps what it shares with the line before it. */
struct line {
	const struct names *names;
	char *p;
	size_t cap;
	size_t *end; /* by depth */
};

static void
put_name(FILE *f, const struct bob_key *k)
{
	static const struct escapes alone = { ";%", "%", UPPER },
	    before_file = { ";% ", "%", UPPER };
	struct bob_bytes name = k->name;

	if (name.n == 0 && k->file.n == 0)
		name = k->text;
	/* A line that begins with # is a comment. */
	if (name.n > 0 && *name.p == '#') {
		(void)fputs("%23", f);
		name.p++;
		name.n--;
	}
	put_escaped(f, name, k->file.n > 0 ? &before_file : &alone);
	if (k->file.n == 0)
		return;
	if (k->name.n > 0)
		(void)fputc(' ', f);
	put_escaped(f, k->file, &alone);
	if (k->has_line)
		(void)fprintf(f, ":%" PRId64, k->line);
}

static int
names_init(struct names *ret, const struct bob_view *view)
{
	uint32_t i, n_keys = bob_view_n_keys(view);
	struct bob_key k;
	size_t n;
	FILE *f;

	ret->text = NULL;
	ret->end = calloc((size_t)n_keys + 1, sizeof(*ret->end));
	f = ret->end == NULL ? NULL : open_memstream(&ret->text, &n);
	if (f == NULL)
		return -1;
	for (i = 1; i < n_keys; i++) {
		k = bob_view_key(view, i);
		put_name(f, &k);
		ret->end[i] = (size_t)ftello(f);
	}
	return fclose(f) == 0 ? 0 : -1;
}

static void
names_done(struct names *names)
{
	free(names->text);
	free(names->end);
}

/* Room for the deepest node, whose line is the longest number of frames. */
static int
line_init(struct line *l, const struct names *names,
    const struct bob_tree_node *node, uint32_t n)
{
	uint32_t i, deepest = 0;

	for (i = 0; i < n; i++)
		if (node[i].depth > deepest)
			deepest = node[i].depth;
	*l = (struct line){ .names = names };
	l->end = calloc((size_t)deepest + 1, sizeof(*l->end));
	return l->end == NULL ? -1 : 0;
}

/* Puts a frame behind those of its parents. */
static int
line_put(struct line *l, uint32_t depth, uint32_t key)
{
	size_t from = key == 0 ? 0 : l->names->end[key - 1];
	size_t n = l->names->end[key] - from, at = l->end[depth - 1];
	char *p;

	if (l->cap - at < n + 1) {
		l->cap = 2 * (at + n + 1);
		p = realloc(l->p, l->cap);
		if (p == NULL)
			return -1;
		l->p = p;
	}
	if (depth > 1)
		l->p[at++] = ';';
	memcpy(l->p + at, l->names->text + from, n);
	l->end[depth] = at + n;
	return 0;
}

/* The node behind i in the order of the flame graph; 0: none. */
static uint32_t
next_node(const struct bob_tree_node *node, uint32_t i)
{
	if (node[i].first_child != 0)
		return node[i].first_child;
	while (i != 0 && node[i].next_sibling == 0)
		i = node[i].parent;
	return i == 0 ? 0 : node[i].next_sibling;
}

static int
put_stacks(FILE *f, struct line *l, const struct bob_tree_node *node)
{
	uint32_t i = 0;

	do {
		if (i != 0 && line_put(l, node[i].depth, node[i].key) < 0)
			return -1;
		if (node[i].self.samples == 0)
			continue;
		if (l->end[node[i].depth] > 0)
			(void)fwrite(l->p, 1, l->end[node[i].depth], f);
		(void)fprintf(f, " %" PRIu64 "\n", node[i].self.samples);
	} while ((i = next_node(node, i)) != 0 && ftello(f) <= TEXTS_MAX);
	return 0;
}

static int
put_tree(FILE *f, const struct bob_view *view, const struct bob_tree *tree)
{
	struct names names = { NULL, NULL };
	struct line line = { .names = NULL };
	const struct bob_tree_node *node;
	uint32_t n;
	int r = -1;

	node = bob_tree_nodes(tree, &n);
	if (names_init(&names, view) == 0 &&
	    line_init(&line, &names, node, n) == 0)
		r = put_stacks(f, &line, node);
	free(line.end);
	free(line.p);
	names_done(&names);
	return r;
}

int
answer_folded(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	const struct bob_tree *tree;
	struct question q;
	char *text = NULL;
	size_t n_text;
	FILE *f;
	int r;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	tree = cache_tree(&v->cache, q.at, BOB_CALLEES, 0);
	if (tree == NULL)
		return question_failed(v, err, n);
	f = open_memstream(&text, &n_text);
	if (f == NULL)
		return question_no_memory(err, n);
	json_u64(j, "samples", bob_view_total(q.at->view).samples);
	if (put_tree(f, q.at->view, tree) == 0) {
		r = put_text(j, f, &text, &n_text, err, n);
	} else {
		(void)fclose(f);
		r = question_no_memory(err, n);
	}
	free(text);
	return r;
}

/* ---- CSV --------------------------------------------------------------- */

/* A cell as RFC 4180 has it. Spreadsheets compute what begins like a formula:
 * names come from untrusted files, so such a cell gets a quote in front. */
static void
put_cell(FILE *f, struct bob_bytes s)
{
	/* In quotes; a quote is doubled, which is its escape here. */
	static const struct escapes control = { "", "\\x", LOWER };
	const char *quote;
	struct bob_bytes part;

	(void)fputc('"', f);
	if (s.n > 0 && strchr("=+-@", *s.p) != NULL)
		(void)fputc('\'', f);
	while (s.n > 0) {
		quote = memchr(s.p, '"', s.n);
		part = (struct bob_bytes){ s.p, quote == NULL ? s.n
		    : (size_t)(quote - s.p) };
		put_escaped(f, part, &control);
		if (quote != NULL)
			(void)fputs("\"\"", f);
		part.n += quote != NULL;
		s.p += part.n;
		s.n -= part.n;
	}
	(void)fputc('"', f);
}

static void
put_sum(FILE *f, const struct bob_sum *sum, const struct bob_sum *all)
{
	(void)fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%.6g", sum->samples,
	    sum->time_us, all->samples == 0 ? 0.0
	    : (double)sum->samples / (double)all->samples);
}

static void
put_rows(FILE *f, const struct bob_view *view, const struct bob_row *row,
    size_t n)
{
	struct bob_sum all = bob_view_total(view);
	struct bob_key k;
	size_t i;

	(void)fputs("name,file,line,self_samples,self_us,self_share,"
	    "total_samples,total_us,total_share\n", f);
	for (i = 0; i < n && ftello(f) <= TEXTS_MAX; i++) {
		k = bob_view_key(view, row[i].key);
		put_cell(f, k.name.n > 0 ? k.name : k.text);
		(void)fputc(',', f);
		put_cell(f, k.file);
		(void)fputc(',', f);
		if (k.has_line)
			(void)fprintf(f, "%" PRId64, k.line);
		put_sum(f, &row[i].self, &all);
		put_sum(f, &row[i].total, &all);
		(void)fputc('\n', f);
	}
}

int
answer_csv(struct view *v, const struct request *rq, struct json *j, char *err,
    size_t n)
{
	const struct bob_row *row;
	struct question q;
	char *text = NULL;
	size_t n_rows, n_text;
	FILE *f;
	int r;

	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	row = bob_view_rows(q.at->view, BOB_BY_TOTAL, &n_rows);
	if (row == NULL)
		return question_no_memory(err, n);
	f = open_memstream(&text, &n_text);
	if (f == NULL)
		return question_no_memory(err, n);
	put_rows(f, q.at->view, row, n_rows);
	json_u64(j, "samples", bob_view_total(q.at->view).samples);
	r = put_text(j, f, &text, &n_text, err, n);
	free(text);
	return r;
}

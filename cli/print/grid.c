/* Tables of text: widths of columns, boxes and Markdown; see the header. */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

void
grid_done(struct grid *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		span_done(&g->cell[i]);
	free(g->cell);
	g->cell = NULL;
	g->n = g->cap = 0;
}

struct span *
grid_cell(struct grid *g)
{
	struct span *v;
	size_t cap;

	if (g->n == g->cap) {
		cap = g->cap == 0 ? 64 : 2 * g->cap;
		v = realloc(g->cell, cap * sizeof(*v));
		if (v == NULL) {
			g->failed = 1;
			g->nowhere = (struct span){ .failed = 1 };
			return &g->nowhere;
		}
		g->cell = v;
		g->cap = cap;
	}
	g->cell[g->n] = (struct span){ 0 };
	return &g->cell[g->n++];
}

static void
grid_measure(const struct grid *g, size_t width[GRID_COLUMNS])
{
	size_t i, k;

	for (k = 0; k < g->n_columns; k++) {
		struct span title = { 0 };

		span_put(&title, g->column[k].title);
		width[k] = title.width;
		span_done(&title);
	}
	for (i = 0; i < g->n; i++) {
		/* NOLINT(clang-analyzer-core.DivideZero): it has columns. */
		k = i % g->n_columns;
		if (g->cell[i].width > width[k])
			width[k] = g->cell[i].width;
	}
}

/* Flexible columns share the room that the others leave. The narrowest comes
 * first, so that room it does not need goes to the wider ones. */
static void
grid_squeeze(const struct grid *g, size_t total, size_t width[GRID_COLUMNS])
{
	size_t used = 3 * (g->n_columns - 1) + 4, n_flexible = 0, k, best;
	int is_done[GRID_COLUMNS] = { 0 };

	for (k = 0; k < g->n_columns; k++) {
		if (g->column[k].is_flexible)
			n_flexible++;
		else
			used += width[k];
	}
	total = total > used ? total - used : 0;
	for (; n_flexible > 0; n_flexible--) {
		best = g->n_columns;
		for (k = 0; k < g->n_columns; k++)
			if (g->column[k].is_flexible && !is_done[k] &&
			    (best == g->n_columns || width[k] < width[best]))
				best = k;
		if (width[best] > total / n_flexible)
			width[best] = total / n_flexible;
		if (width[best] == 0)
			width[best] = 1;
		total -= width[best] < total ? width[best] : total;
		is_done[best] = 1;
	}
}

static void
grid_border(const struct grid *g, const size_t *width, struct block *b)
{
	struct span *l = block_line(b);
	size_t k;

	span_color(l, "2");
	for (k = 0; k < g->n_columns; k++) {
		span_put(l, "+");
		span_fill(l, "-", width[k] + 2);
	}
	span_put(l, "+");
	span_color(l, "0");
}

static void
grid_bar(struct span *l, const char *s)
{
	span_color(l, "2");
	span_put(l, s);
	span_color(l, "0");
}

/* Appends a cell to a line, padded to `width` columns. */
static void
grid_put_cell(struct span *l, const struct span *cell, size_t width,
    int is_right)
{
	/* NOLINT(-Wanalyzer-null-dereference): a first cell makes its line. */
	size_t begin = l->width;

	if (is_right && cell->width < width)
		span_pad(l, begin + width - cell->width);
	span_add(l, cell);
	span_pad(l, begin + width);
}

static void
grid_put_titles(const struct grid *g, const size_t *width, struct block *b)
{
	struct span *l = block_line(b);
	size_t k;

	for (k = 0; k < g->n_columns; k++) {
		struct span title = { 0 };

		span_put(&title, g->column[k].title);
		grid_bar(l, k == 0 ? "| " : " | ");
		grid_put_cell(l, &title, width[k], 0);
		span_done(&title);
	}
	grid_bar(l, " |");
}

void
grid_box(struct grid *g, const struct grid_style *s, struct block *b)
{
	size_t width[GRID_COLUMNS], i, k;
	struct span *l = NULL;

	grid_measure(g, width);
	if (s->width > 0) {
		grid_squeeze(g, s->width, width);
		for (i = 0; i < g->n; i++)
			span_crop(&g->cell[i], width[i % g->n_columns],
			    s->keeps_end, s->mark);
		/* A title is never cut. */
		grid_measure(g, width);
	}
	grid_border(g, width, b);
	grid_put_titles(g, width, b);
	grid_border(g, width, b);
	for (i = 0; i < g->n; i++) {
		k = i % g->n_columns;
		if (k == 0)
			l = block_line(b);
		grid_bar(l, k == 0 ? "| " : " | ");
		grid_put_cell(l, &g->cell[i], width[k], g->column[k].is_right);
		if (k == g->n_columns - 1)
			grid_bar(l, " |");
	}
	grid_border(g, width, b);
	b->failed |= g->failed;
}

/* Columns between two columns. */
#define CALM_GAP 2u
/* Flexible columns are given so many columns before others are left out. */
#define CALM_NAME 26u

/* Columns that the table needs if names have some room. */
static size_t
calm_need(const struct grid *g, const size_t *width, const int *is_out)
{
	size_t need = 0, k;

	for (k = 0; k < g->n_columns; k++)
		if (!is_out[k])
			need += CALM_GAP + (g->column[k].is_flexible &&
			    width[k] > CALM_NAME ? CALM_NAME : width[k]);
	return need;
}

/* Leaves out columns until the rest fits. */
static void
calm_drop(const struct grid *g, const size_t *width, size_t total,
    int is_out[GRID_COLUMNS])
{
	size_t k, worst;

	while (calm_need(g, width, is_out) > total) {
		worst = g->n_columns;
		for (k = 0; k < g->n_columns; k++)
			if (!is_out[k] && g->column[k].drop > 0 &&
			    (worst == g->n_columns || g->column[k].drop >
			        g->column[worst].drop))
				worst = k;
		if (worst == g->n_columns)
			return;
		is_out[worst] = 1;
	}
}

/* Flexible columns share the room that the others leave, the narrowest
 * first. */
static void
calm_squeeze(const struct grid *g, size_t total, const int *is_out,
    size_t width[GRID_COLUMNS])
{
	size_t used = 0, n = 0, k, best;
	int is_done[GRID_COLUMNS] = { 0 };

	for (k = 0; k < g->n_columns; k++) {
		if (is_out[k])
			continue;
		used += CALM_GAP + (g->column[k].is_flexible ? 0 : width[k]);
		n += g->column[k].is_flexible != 0;
	}
	total = total > used ? total - used : 0;
	for (; n > 0; n--) {
		best = g->n_columns;
		for (k = 0; k < g->n_columns; k++)
			if (g->column[k].is_flexible && !is_out[k] &&
			    !is_done[k] && (best == g->n_columns ||
			        width[k] < width[best]))
				best = k;
		if (best == g->n_columns)
			return;
		if (width[best] > total / n)
			width[best] = total / n;
		if (width[best] == 0)
			width[best] = 1;
		total -= width[best] < total ? width[best] : total;
		is_done[best] = 1;
	}
}

static void
calm_crop(const struct grid_column *c, const struct grid_style *s,
    struct span *cell, size_t width)
{
	if (!c->is_flexible || s->width == 0)
		return;
	if (s->keeps_end || s->keeps_begin)
		span_crop(cell, width, s->keeps_end, s->mark);
	else
		span_crop_middle(cell, width, s->head, s->mark);
}

/* The last column is not padded, so that lines do not end in spaces. */
static void
calm_put(const struct grid *g, const size_t *width, const int *is_out,
    size_t k, const struct span *cell, struct span *l)
{
	size_t last = g->n_columns - 1;

	while (last > 0 && is_out[last])
		last--;
	span_pad(l, l->width + CALM_GAP);
	if (k == last && !g->column[k].is_right)
		span_add(l, cell);
	else
		grid_put_cell(l, cell, width[k], g->column[k].is_right);
}

static void
calm_titles(const struct grid *g, const size_t *width, const int *is_out,
    struct block *b)
{
	struct span *l = block_line(b);
	size_t k;

	span_color(l, "2");
	for (k = 0; k < g->n_columns; k++) {
		struct span title = { 0 };

		if (is_out[k])
			continue;
		span_put(&title, g->column[k].title);
		calm_put(g, width, is_out, k, &title, l);
		span_done(&title);
	}
	span_color(l, "0");
}

void
grid_calm(struct grid *g, const struct grid_style *s, struct block *b)
{
	size_t width[GRID_COLUMNS], i, k;
	int is_out[GRID_COLUMNS] = { 0 };
	struct span *l = NULL;

	grid_measure(g, width);
	for (k = 0; k < g->n_columns; k++)
		is_out[k] = *g->column[k].title == '\0';
	if (s->width > 0) {
		calm_drop(g, width, s->width, is_out);
		calm_squeeze(g, s->width, is_out, width);
	}
	calm_titles(g, width, is_out, b);
	for (i = 0; i < g->n; i++) {
		/* NOLINT(clang-analyzer-core.DivideZero): it has columns. */
		k = i % g->n_columns;
		if (k == 0)
			l = block_line(b);
		if (is_out[k])
			continue;
		calm_crop(&g->column[k], s, &g->cell[i], width[k]);
		calm_put(g, width, is_out, k, &g->cell[i], l);
	}
	b->failed |= g->failed;
}

/* Puts more backticks around the text than it has in a row. A bar would end a
 * cell even inside them, so it is escaped. */
void
grid_put_code(struct span *l, const struct span *text, int is_cell)
{
	size_t run = 0, longest = 0, i;
	char c[2] = { 0 };

	for (i = 0; i < text->n; i++) {
		run = text->p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	if (text->n == 0)
		return;
	span_fill(l, "`", longest + 1);
	span_put(l, longest > 0 ? " " : "");
	for (i = 0; i < text->n; i++) {
		c[0] = text->p[i];
		span_put(l, is_cell && c[0] == '|' ? "\\|" : c);
	}
	span_put(l, longest > 0 ? " " : "");
	span_fill(l, "`", longest + 1);
}

void
grid_md(const struct grid *g, struct block *b)
{
	struct span *l = block_line(b);
	size_t i, k;

	for (k = 0; k < g->n_columns; k++)
		span_printf(l, "| %s ", g->column[k].title);
	span_put(l, "|");
	l = block_line(b);
	for (k = 0; k < g->n_columns; k++)
		span_put(l, g->column[k].is_flexible ? "|---" : "|--:");
	span_put(l, "|");
	for (i = 0; i < g->n; i++) {
		/* NOLINT(clang-analyzer-core.DivideZero): it has columns. */
		k = i % g->n_columns;
		if (k == 0)
			l = block_line(b);
		span_put(l, "| ");
		if (g->column[k].is_flexible)
			grid_put_code(l, &g->cell[i], 1);
		else
			span_add(l, &g->cell[i]);
		span_put(l, k == g->n_columns - 1 ? " |" : " ");
	}
	b->failed |= g->failed;
}

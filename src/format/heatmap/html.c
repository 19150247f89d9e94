/*
 * The heat map as a page: a file to open each, no scripts. Names and source
 * are untrusted text: whatever means something in HTML is escaped.
 */
#include <string.h>

#include "format/heatmap/heatmap.h"

/* Shades of a line, the hottest last. */
#define SHADES 8

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>Heat map</title>\n<style>\n"
    ":root{color-scheme:light dark;--h:220,60,30}\n"
    "body{font:14px/1.5 system-ui,sans-serif;margin:1.5em;max-width:110em}\n"
    "h1{font-size:1.3em;margin:0}\n"
    "details{border-top:1px solid #8884;padding:.3em 0}\n"
    "summary{cursor:pointer;display:flex;gap:1em}\n"
    "summary b{font-weight:600;overflow-wrap:anywhere;unicode-bidi:isolate}\n"
    ".n{font-variant-numeric:tabular-nums;min-width:11em;color:#777}\n"
    "table{border-collapse:collapse;font:12px/1.5 ui-monospace,monospace;"
    "width:100%;margin:.4em 0 1em}\n"
    "td{padding:0 .7em;white-space:pre;text-align:right;"
    "font-variant-numeric:tabular-nums}\n"
    "td:last-child{text-align:left;width:100%;unicode-bidi:isolate;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "tr.c td{color:#888}\n"
    ".h1 td{background:rgba(var(--h),.06)}.h2 td{background:rgba(var(--h),"
    ".12)}.h3 td{background:rgba(var(--h),.19)}.h4 td{background:rgba(var("
    "--h),.26)}\n"
    ".h5 td{background:rgba(var(--h),.34)}.h6 td{background:rgba(var(--h),"
    ".42)}.h7 td{background:rgba(var(--h),.52)}.h8 td{background:rgba(var("
    "--h),.64)}\n"
    "</style></head><body>\n";

static void
put_share(struct heatmap_page *page, const struct heat *part)
{
	struct text *t = &page->text;
	unsigned permille = heatmap_permille(&page->map, part);

	text_u64(t, part->samples);
	text_str(t, " (");
	text_u64(t, permille / 10);
	text_byte(t, '.');
	text_u64(t, permille % 10);
	text_str(t, " %)");
}

/* Returns 0 to SHADES, by the root of the share, so that lines with few samples
 * differ from those with none. */
static unsigned
shade(const struct heatmap *h, const struct heat_line *line)
{
	double x = h->hottest == 0 ? 0 :
	    (double)line->self.weight / (double)h->hottest;
	unsigned i = 0;

	while (i < SHADES && x > (double)i * i / (SHADES * SHADES))
		i++;
	return i;
}

static void
put_line(struct heatmap_page *page, const struct source_text *src,
    int64_t number, const struct heat_line *line)
{
	struct text *t = &page->text;

	if (line == NULL) {
		text_str(t, "<tr class=c><td><td><td>");
	} else {
		text_str(t, "<tr class=h");
		text_u64(t, shade(&page->map, line));
		text_str(t, "><td>");
		if (line->self.samples > 0)
			put_share(page, &line->self);
		text_str(t, "<td>");
		put_share(page, &line->total);
		text_str(t, "<td>");
	}
	if (number > 0)
		text_i64(t, number);
	text_str(t, "<td>");
	heatmap_put_text(t, source_text_line(src, number), 1);
	text_byte(t, '\n');
}

static void
put_context(struct heatmap_page *page, const struct source_text *src,
    int64_t after, int64_t before)
{
	struct source_between b = source_between(src, after, before);
	int64_t i;

	for (i = b.first; i < b.first_end; i++)
		put_line(page, src, i, NULL);
	for (i = b.second; i < b.second_end; i++)
		put_line(page, src, i, NULL);
}

static void
put_lines(struct heatmap_page *page, const struct heat_file *f,
    const struct source_text *src)
{
	int64_t last = 0;
	size_t i;

	text_str(&page->text, "<table>\n");
	for (i = 0; i < f->n; i++) {
		const struct heat_line *line = &page->map.line[f->first + i];

		if (line->total.samples == 0)
			continue;
		put_context(page, src, last, line->line);
		put_line(page, src, line->line, line);
		last = line->line;
	}
	text_str(&page->text, "</table>");
}

static int
put_file(struct heatmap_page *page, const struct heat_file *f, int is_open)
{
	struct bob_bytes name = page->map.fns.own->str[f->name];
	struct text *t = &page->text;
	struct source_text src;
	int r = source_text_load(page->sink->ctx, &src,
	    page->map.sources, name, &page->map.source_left);

	if (r == BOB_OK) {
		text_begin(t, page->sink->out);
		text_str(t, is_open ? "<details open>" : "<details>");
		text_str(t, "<summary><span class=n>");
		put_share(page, &f->self);
		text_str(t, "</span><span class=n>");
		put_share(page, &f->total);
		text_str(t, "</span><b>");
		heatmap_put_text(t, name.n > 0 ? name :
		    (struct bob_bytes){ "(no file)", 9 }, 1);
		text_str(t, "</b></summary>");
		put_lines(page, f, &src);
		text_str(t, "</details>\n");
		r = text_commit(t);
	}
	source_text_done(&src);
	return r;
}

static int
put_head(struct heatmap_page *page)
{
	struct text *t = &page->text;

	text_begin(t, page->sink->out);
	text_str(t, head);
	text_str(t, "<h1>Heat map</h1><p>");
	text_u64(t, page->map.all.samples);
	text_str(t, " samples. Of each file and line: those taken right "
	            "there, and those that passed through; in brackets their "
	            "share.</p>\n<p>");
	heatmap_put_times(page, "<br>\n");
	text_str(t, "</p>\n");
	if (bob_sources_count(page->map.sources) == 0)
		text_str(t, "<p>No source shown: give --source DIR.</p>\n");
	return text_commit(t);
}

static int
put_foot(struct heatmap_page *page)
{
	return out_str(page->sink->out, "</body></html>\n");
}

const struct heatmap_style heatmap_html_style = { put_head, put_file,
	put_foot };

/*
 * Heat maps: where in the source the samples are. Per file, the lines that
 * were sampled, with the samples that were taken right there (self) and those
 * that passed through (total), and the text of the lines when the source can
 * be read. As text and as a page; described in docs/formats/heatmap.md.
 *
 *     gather.c  sums by line
 *     source.c  the text of source files
 *     escape.c  text that may hold anything
 *     text.c    for terminals
 *     html.c    a page
 */
#ifndef FORMAT_HEATMAP_H
#define FORMAT_HEATMAP_H

#include <bobbin/source.h>

#include "core/text.h"
#include "format/common/functions.h"
#include "format/format.h"

/* Lines of source shown around one that was sampled. */
#define HEATMAP_CONTEXT 2

/* Bytes of source that are read for one report: a crafted trace may call one
 * large file by a million names. */
#define HEATMAP_MAX_SOURCE ((size_t)256 << 20)

extern const struct format heatmap_format, heatmap_html_format;

/* The state of both sinks. */
struct heatmap_writer {
	struct bob_sources *sources; /* options */
};

/* Slots that both sinks share. */
int heatmap_open(struct sink *sink);
void heatmap_close(struct sink *sink);

/* Samples, and what of them decides what is hot: as in reports, samples, or
 * their time if periods differ. */
struct heat {
	uint64_t samples, weight;
};

/* One line of a file; line 0: not known. */
struct heat_line {
	bob_str file; /* of fns.own */
	int64_t line;
	struct heat self, total;
};

/* One file: lines first .. first + n - 1, in order. */
struct heat_file {
	bob_str name;
	size_t first, n;
	struct heat self, total;
};

struct heatmap {
	struct bob_ctx *ctx;
	struct functions fns;
	struct heat_line *line;
	struct heat_file *file; /* hottest first */
	size_t n_line, n_file;
	struct heat all;
	uint64_t hottest; /* self weight of the hottest line */
	const struct bob_sources *sources;
	size_t source_left; /* bytes of source that may be read still */
};

/* Returns the share of everything, in thousandths. */
unsigned heatmap_permille(const struct heatmap *h, const struct heat *part);

/*
 * The text of a source file in memory, or nothing: only what is below the
 * directories that the user named and looks like PHP or Python source by its
 * name is read, so that a crafted trace cannot have other files copied into a
 * report.
 */
struct source_text {
	char *p;
	size_t n;
	size_t *start; /* of each line, and one more */
	size_t n_line;
};

/* Reads the text of a file; it has zero lines when it cannot be read or is
 * larger than *left, from which its size is subtracted. BOB_OK or FATAL (out of
 * memory); source_text_done in either case. */
int source_text_load(struct bob_ctx *ctx, struct source_text *s,
    const struct bob_sources *sources, struct bob_bytes name, size_t *left);
void source_text_done(struct source_text *s);

/* A line, from 1, without its end; empty when there is none. */
struct bob_bytes source_text_line(const struct source_text *s, int64_t line);

/*
 * Which lines to show between two that were sampled (after: 0 for the first):
 * those from first to first_end - 1, and from second to second_end - 1, which
 * may be none. The second never begin before the first end.
 */
struct source_between {
	int64_t first, first_end, second, second_end;
};

struct source_between source_between(const struct source_text *s,
    int64_t after, int64_t before);

/* What it takes to write either of them. */
struct heatmap_page {
	struct sink *sink;
	struct heatmap map;
	struct text text;
};

/* How they differ: functions that write the head, one file, and the foot.
 * BOB_OK or FATAL. */
struct heatmap_style {
	int (*head)(struct heatmap_page *page);
	int (*file)(struct heatmap_page *page, const struct heat_file *f,
	    int is_first);
	int (*foot)(struct heatmap_page *page);
};

extern const struct heatmap_style heatmap_text_style, heatmap_html_style;

/* Writes what the times of the recording are, and what shares refer to: lines
 * that end with `end`. */
void heatmap_put_times(struct heatmap_page *page, const char *end);

/* Writes all of it. BOB_OK or FATAL. */
int heatmap_put(struct sink *sink, const struct heatmap_style *style);

/* Names and source: what is no UTF-8, and characters that a terminal or a
 * browser would act upon, become U+FFFD. */
void heatmap_put_text(struct text *t, struct bob_bytes s, int is_html);

#endif

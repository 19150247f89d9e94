/*
 * Heat maps: where in the source the samples are. Per file, the lines that
 * were sampled, with the samples that were taken right there (self) and those
 * that passed through (total), and the text of the lines when the source can
 * be read. As text and as a page; described in docs/formats/heatmap.md.
 *
 *     gather.c  sums by line
 *     source.c  the text of source files
 *     text.c    for terminals
 *     html.c    a page
 */
#ifndef FORMAT_HEATMAP_H
#define FORMAT_HEATMAP_H

#include "core/text.h"
#include "format/format.h"
#include "format/functions.h"
#include "model/tally.h"

/* Lines of source shown around one that was sampled. */
#define HEATMAP_CONTEXT 2

extern const struct format heatmap_format, heatmap_html_format;

/* The state of both sinks. */
struct heatmap_writer {
	struct tally tally;
};

extern const struct sink_ops heatmap_sink, heatmap_html_sink;

/* Slots that both sinks share. */
int heatmap_open(struct sink *sink);
int heatmap_segment(struct sink *sink, const struct bob_segment *segment);
int heatmap_runs(struct sink *sink, const struct bob_run *v, size_t n);
int heatmap_join(struct sink *sink, struct sink *from,
    const struct join_map *map);
void heatmap_close(struct sink *sink);

/* One line of a file; line 0: not known. */
struct heat_line {
	bob_str file; /* of fns.own */
	uint32_t seen;
	int64_t line;
	uint64_t self, total; /* samples */
};

/* One file: lines first .. first + n - 1, in order. */
struct heat_file {
	bob_str name;
	size_t first, n;
	uint64_t self, total;
	uint32_t seen;
};

struct heatmap {
	struct bob_ctx *ctx;
	struct functions fns;
	struct heat_line *line;
	struct heat_file *file; /* most samples first */
	size_t n_line, n_file;
	uint64_t samples; /* of all */
	uint64_t hottest; /* self samples of the hottest line */
};

/* BOB_OK or FATAL; heatmap_done in either case. */
int heatmap_make(struct heatmap *h, const struct sink *sink);
void heatmap_done(struct heatmap *h);

/*
 * The text of a source file in memory, or nothing: only what looks like PHP or
 * Python source by its name is read, so that a crafted trace cannot have other
 * files copied into a report.
 */
struct source_text {
	char *p;
	size_t n;
	size_t *start; /* of each line, and one more */
	size_t n_line;
};

/* Zero lines when it cannot be read. BOB_OK or FATAL (out of memory). */
int source_text_load(struct bob_ctx *ctx, struct source_text *s,
    struct bob_bytes name);
void source_text_done(struct source_text *s);

/* A line, from 1, without its end; empty when there is none. */
struct bob_bytes source_text_line(const struct source_text *s, int64_t line);

#endif

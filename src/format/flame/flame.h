/*
 * Flame graphs: `flamegraph`, a picture that answers clicks (SVG). It carries
 * its tree as JSON; docs/formats/flamegraph.md describes it.
 *
 *     gather.c  the options, and what a sample lasts
 *     tree.c    stacks reduced to what is shown, largest first
 *     tree_diff.c  the tree of a comparison, whose statistics are handed over
 *     show.c    names, numbers and colours for people
 *     data.c    the tree as JSON, for the script
 *     svg.c     the picture
 *
 * core.js is the script's half of tree.c: it turns the JSON into views.
 */
#ifndef FORMAT_FLAME_H
#define FORMAT_FLAME_H

#include <bobbin/times.h>

#include "core/asset.h"
#include "core/text.h"
#include "format/common/functions.h"
#include "format/format.h"

/* Lines above the picture, below what is in it. */
#define FLAME_LINES 2
#define FLAME_LINE_TEXT (3 * BOB_TIMES_TEXT + 32)

/* Colours: each language has hues, and each of those has tints. */
#define FLAME_LANGS 4
#define FLAME_HUES 8
#define FLAME_TINTS 3
#define FLAME_COLOURS (FLAME_LANGS * FLAME_HUES * FLAME_TINTS)

extern const struct format flamegraph_format;
extern const struct sink_ops flamegraph_sink;
extern const struct bob_option_info flamegraph_options[];

/* Made by the build. */
extern const struct asset_part flame_svg_asset[];

/* State of the sink. */
struct flame_writer {
	struct bob_dict *texts; /* has the title */
	bob_str title; /* 0: none was given */
	int is_icicle, has_lines;
	uint64_t width;     /* pixels */
	uint64_t min_width; /* of a box, in thousandths of a pixel */
};

/* gather.c: reads the options, and begins. */
int flame_open(struct sink *sink);
void flame_close(struct sink *sink);

/* What is drawn is the weight: samples, or their time if periods differ. */
struct flame_sum {
	uint64_t samples, time_us, weight;
};

/* What numbers are. */
struct flame_scale {
	int by_time;   /* weights are times */
	int has_times; /* each sum has its time beside its samples; otherwise
	                * it is samples * period */
	uint64_t period; /* microseconds; 0: no time is known, not even an
	                  * assumed one is shown */
};

struct flame_scale flame_scale(const struct sink *sink);

/* A box; they are in the order of drawing: callers before what they call, and
 * of one caller the largest first. Box 0 stands for everything. */
struct flame_box {
	uint32_t parent, depth;
	bob_fid frame; /* of tree->fns.own; 0: everything */
	struct flame_sum self, total, base, base_total;
	const struct bob_change *change; /* in a comparison; else NULL */
};

struct flame_tree {
	struct functions fns; /* its dictionary holds the reduced stacks */
	bob_stack *node_of; /* by stack of the sink: reduced */
	uint32_t *box_of;   /* by reduced stack; 0 but for stack 0: none */
	struct flame_box *box;
	uint32_t n;
	uint32_t depth; /* of the deepest box */
	double max_delta; /* largest significant change of a share, also of a
	                   * function */
	/* In a comparison: by function of the shown ones, the row of its key;
	 * NULL: none. */
	const struct bob_diff_row **row_of;
};

/* tree.c. BOB_OK or FATAL; flame_tree_done in either case. */
int flame_tree_build(struct flame_tree *tree, struct sink *sink);
void flame_tree_done(struct flame_tree *tree);

/* Sorts boxes, which have their parents' places in `from` as parents, into the
 * order of drawing. */
int flame_tree_sort(struct flame_tree *tree, struct sink *sink,
    const struct flame_box *from, uint32_t n);

/* tree_diff.c: the same for a comparison. */
int flame_tree_compare(struct flame_tree *tree, struct sink *sink);

/* Where boxes are, for the picture: left[i] is where box i begins, in units of
 * weight, or UINT64_MAX when it is too narrow to be drawn; next is room for
 * placing them. */
struct flame_drawing {
	uint64_t *left, *next;
	uint32_t depth; /* of the deepest box that is drawn */
	char line[FLAME_LINES][FLAME_LINE_TEXT]; /* about the recording */
	uint32_t n_lines;
	uint32_t n_narrow, n_gone; /* boxes that are not drawn; that only the
	                            * baseline has */
	uint64_t narrow, gone; /* their weight */
};

/* A file being written. */
struct flame_page {
	struct sink *sink;
	struct flame_writer *w;
	struct flame_scale scale;
	struct flame_tree tree;
	struct flame_drawing drawing;
	struct text t;
	char *clean; /* room for a name made safe */
	size_t cap_clean;
};

/* Writes the asset with its holes filled by the functions. */
struct flame_hole {
	const char *name;
	void (*fill)(struct flame_page *page);
};

int flame_write(struct sink *sink, const struct asset_part *part,
    const struct flame_hole *hole);

/* Holes of the asset. */
void flame_put_title(struct flame_page *page);
void flame_put_data(struct flame_page *page);

/*
 * show.c: a name that no viewer trips over. Control characters become their
 * pictures, others that act or that nobody sees become [202E], and what is no
 * character becomes U+FFFD. Valid until the next call.
 */
struct bob_bytes flame_clean(struct flame_page *page, struct bob_bytes s);

/* Bytes (UTF-8, clean) as XML or HTML text, also in an attribute. */
void flame_put_xml(struct text *t, struct bob_bytes s);

void flame_put_count(struct text *t, uint64_t v);       /* 1,234,567 */
void flame_put_time(struct text *t, uint64_t us);       /* 12.34 ms */
void flame_put_share(struct text *t, double share);     /* 12.34% */
/* "before 10.0 %, after 14.2 %: +4.2 points [+3.1, +5.3], q 0.002", as XML. */
void flame_put_change(struct text *t, const struct bob_change *c);
double flame_share(uint64_t part, uint64_t whole);

/* Number of a frame's colour, below FLAME_COLOURS, and that as #rrggbb. */
unsigned flame_colour_of(const struct functions *fns, bob_fid id);
void flame_put_colour(struct text *t, unsigned colour);

/* The colour of a changed share: grey unless it is significant. max is the
 * largest significant change. */
void flame_put_change_colour(struct text *t, const struct bob_change *c,
    double max);

#endif

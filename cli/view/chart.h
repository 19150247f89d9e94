/*
 * The flame chart of one track in a span of time, in as many parts as can be
 * seen.
 *
 * Boxes: a frame, for as long as samples in a row have it above the same
 * frames. A box that is narrower than `grain` is merged with narrow neighbours
 * on the same parent, and stands for all that is above it. So in each box
 *
 *     samples = its own as innermost frame + those of the boxes on it
 *
 * and the samples of the track are those of the boxes of depth 1, and those
 * with an empty stack.
 *
 * Bands: in which state the track was. Marks: the annotations it had. What is
 * narrower than `grain` is merged there too; the sums stay.
 *
 * Everything is cut to the span. Time: one step for each stretch of the span,
 * and one for each frame that differs from the stretch before it, CHART_DEPTH
 * at most. Memory: `limit` parts.
 */
#ifndef CLI_VIEW_CHART_H
#define CLI_VIEW_CHART_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/profile.h>

/* Frames above this depth are counted in the box of this depth. */
#define CHART_DEPTH 512

struct chart_box {
	uint64_t start, end;
	uint64_t samples; /* taken in the span */
	uint32_t depth;   /* 1: an outermost frame */
	uint32_t node;    /* of the view: its stack. Of a merged box: a stack
	                   * that is in it; that of more than half of its
	                   * time, if there is one */
	uint32_t n;       /* how many narrow boxes it is; 0: it is wide */
};

/* What a track did: of several that are true, the first. */
enum chart_state {
	CHART_IDLE = 0, /* it waited for work */
	CHART_GC,       /* the garbage collector ran */
	CHART_WAITS,    /* it waited for the GIL */
	CHART_ON_CPU,
	CHART_OFF_CPU,
	CHART_UNKNOWN,
	CHART_STATES
};

/* Of several states, one after the other, if it was merged. */
struct chart_band {
	uint64_t start, end;
	uint64_t samples[CHART_STATES];
};

/* Samples in a row of one request: with the same address, route, task or id, or
 * if there is none of these, with the same first annotation. */
struct chart_mark {
	uint64_t start, end, samples;
	bob_annot annot; /* of its first sample */
	uint32_t n;      /* how many are merged; 0: none */
};

/* Parts in the order of their ends; all freed by chart_done. */
struct chart {
	uint64_t samples; /* of the track in the span */
	uint64_t grain;   /* us */
	struct chart_box *box;
	struct chart_band *band;
	struct chart_mark *mark;
	size_t n_box, n_band, n_mark;
};

struct chart_span {
	uint64_t from, to; /* from <= time < to, on the trace's clock */
	uint64_t grain;    /* us of what can be seen; at least 1 */
	size_t limit;      /* of boxes, of bands, and of marks; at least
	                    * CHART_LEAST */
};

/* With a grain as wide as the span a track has no more parts of a kind. */
#define CHART_LEAST 4

/*
 * Reads the chart of a track. The grain is doubled until the parts are within
 * the limit. Returns BOB_OK: free *ret with chart_done; FAILED: the context has
 * the error; FATAL: no memory.
 */
int chart_read(struct bob_profile *p, struct bob_view *v, bob_tid track,
    const struct chart_span *span, struct chart *ret);
void chart_done(struct chart *c);

/* Returns what a track did in a stretch, and the name of a state. */
enum chart_state chart_state_of(struct bob_profile *p,
    const struct bob_stretch *s);
const char *chart_state_name(enum chart_state state);

/* Returns which of its annotations a mark is called by. */
size_t chart_name_of(const struct bob_dict *dict, bob_annot annot);

#endif

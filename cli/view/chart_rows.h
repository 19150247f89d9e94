/* The rows above the boxes of a flame chart: its bands and marks (chart.h). */
#ifndef CLI_VIEW_CHART_ROWS_H
#define CLI_VIEW_CHART_ROWS_H

#include "chart.h"

/* The annotation that tells a mark from the next one. */
struct chart_name {
	bob_annot annot;      /* the set that has it */
	struct bob_pair pair;
	int is_any;           /* 0: there are no annotations */
};

/* The band and the mark that may still grow; all zeros: none. */
struct chart_rows {
	struct chart_band band;
	struct chart_mark mark;   /* annot 0: none */
	struct chart_mark narrow; /* merged ones; annot 0: none */
	struct chart_name marked; /* of the last stretch */
	struct chart_name name;   /* what was looked up last */
	int has_band;
};

/* Adds a stretch that is cut to the span, then ends the rows. Return 1: the
 * limit is reached. */
int chart_rows_add(struct chart_rows *r, struct bob_profile *p,
    const struct bob_stretch *s, struct chart *to, size_t limit);
int chart_rows_end(struct chart_rows *r, struct chart *to, size_t limit);

#endif

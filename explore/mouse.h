/* What clicks, drags and the wheel do, by where they happen. */
#ifndef EXPLORE_MOUSE_H
#define EXPLORE_MOUSE_H

#include <stdint.h>

#include "model.h"
#include "tui/key.h"

#define MOUSE_DOUBLE_MS 400

struct mouse {
	uint64_t t_press; /* of the last press, in ms */
	int x, y;
	int is_dragging;  /* a range of time */
};

void mouse_event(struct mouse *s, struct model *m, const struct event *e,
    uint64_t now_ms);

#endif

/*
 * Actions of the explorer, each with its name, its keys and a line of help. Key
 * bindings, the footer, the help screen and the manual are made from this
 * table.
 */
#ifndef EXPLORE_ACTION_H
#define EXPLORE_ACTION_H

#include <stddef.h>

enum action {
	ACT_NONE = 0,
	ACT_UP,
	ACT_DOWN,
	ACT_PAGE_UP,
	ACT_PAGE_DOWN,
	ACT_TOP,
	ACT_BOTTOM,
	ACT_LEFT,
	ACT_RIGHT,
	ACT_FOLD_ALL,
	ACT_UNFOLD_ALL,
	ACT_NEXT_PANE,
	ACT_PREV_PANE,
	ACT_ENTER,
	ACT_BACK,
	ACT_PANES,
	ACT_FLAME,
	ACT_WHOLE,
	ACT_CALLEES,
	ACT_CALLERS,
	ACT_SELF,
	ACT_TOTAL,
	ACT_OVERVIEW_FULL,
	ACT_OVERVIEW,
	ACT_FOLLOW_CURSOR,
	ACT_MINI_FLAME,
	ACT_ALIGN,
	ACT_FILTER,
	ACT_MATCH,
	ACT_NO_LINE,
	ACT_OPCODES,
	ACT_GROUP,
	ACT_FACETS,
	ACT_IDLE,
	ACT_SOURCE,
	ACT_DELTA,
	ACT_UNIT,
	ACT_CLEAR,
	ACT_TIME,
	ACT_TIME_LEFT,
	ACT_TIME_RIGHT,
	ACT_TIME_FROM,
	ACT_TIME_TO,
	ACT_TIME_RESET,
	ACT_REDRAW,
	ACT_SUSPEND,
	ACT_CANCEL,
	ACT_HELP,
	ACT_QUIT,
	N_ACTIONS
};

enum action_group {
	ACTIONS_MOVE,
	ACTIONS_VIEW,
	ACTIONS_SHOW,
	ACTIONS_NARROW,
	ACTIONS_TIME,
	ACTIONS_OTHER,
	N_ACTION_GROUPS
};

struct action_info {
	const char *name; /* in key maps */
	const char *keys; /* names of keys, spaces between them */
	const char *help;
	int group;
};

const struct action_info *action_info(int action);
const char *action_group_title(int group);

/* The action with this name; ACT_NONE if there is none. */
int action_named(const char *name, size_t n);

#endif

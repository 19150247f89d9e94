/* The actions that keys of top stand for; act.c does them. */
#ifndef CLI_TOP_ACTIONS_H
#define CLI_TOP_ACTIONS_H

enum top_action {
	DO_BY = 0,  /* with enum top_by */
	DO_ORDER,   /* with enum top_order */
	DO_SORT_LEFT,
	DO_SORT_RIGHT,
	DO_EXPLORE,
	DO_SAVE,
	DO_IDLE,
	DO_FREEZE,
	DO_FILTER,
	DO_CLEAR,
	DO_WIDER,
	DO_NARROWER,
	DO_UP,
	DO_DOWN,
	DO_PAGE_UP,
	DO_PAGE_DOWN,
	DO_FIRST,
	DO_LAST,
	DO_SUSPEND,
	DO_REDRAW,
	DO_CANCEL,
	DO_SHOW_KEYS,
	DO_END
};

#endif

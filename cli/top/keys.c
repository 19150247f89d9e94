/* The keys of top: for the screen, its help, and the manual. */
#include <stdio.h>

#include "args/options.h"
#include "actions.h"
#include "top.h"

const struct top_key top_keys[] = {
	{ "Enter", DO_EXPLORE, 0, "explore what was sampled, from this row" },
	{ "s", DO_SAVE, 0, "save what was sampled to a file" },
	{ "1", DO_ORDER, TOP_SELF, "sort by %Own: itself, in the window" },
	{ "2", DO_ORDER, TOP_TOTAL,
	    "sort by %Total: with what it calls, in the window" },
	{ "3", DO_ORDER, TOP_ALL_SELF, "sort by OwnTime, since the start" },
	{ "4", DO_ORDER, TOP_ALL_TOTAL, "sort by TotalTime, since the start" },
	{ "<", DO_SORT_LEFT, 0, "sort by the column at the left (also Left)" },
	{ ">", DO_SORT_RIGHT, 0,
	    "sort by the column at the right (also Right)" },
	{ "Left", DO_SORT_LEFT, 0, NULL },
	{ "Right", DO_SORT_RIGHT, 0, NULL },
	{ "/", DO_FILTER, 0, "only rows that match, as you type; Esc clears" },
	{ "f", DO_BY, TOP_BY_FUNCTION, "rows are functions" },
	{ "l", DO_BY, TOP_BY_LINE, "rows are lines" },
	{ "F", DO_BY, TOP_BY_FILE, "rows are files" },
	{ "r", DO_BY, TOP_BY_ROUTE, "rows are routes of requests" },
	{ "p", DO_BY, TOP_BY_PID, "rows are processes" },
	{ "t", DO_BY, TOP_BY_THREAD, "rows are threads" },
	{ "i", DO_IDLE, 0, "with or without threads that wait for work" },
	{ "Space", DO_FREEZE, 0, "freeze the table; sampling goes on" },
	{ "c", DO_CLEAR, 0, "begin the sums since the start anew" },
	{ "+", DO_WIDER, 0, "twice the window" },
	{ "-", DO_NARROWER, 0, "half the window" },
	{ "Up", DO_UP, 0, NULL },
	{ "k", DO_UP, 0, NULL },
	{ "Down", DO_DOWN, 0, NULL },
	{ "j", DO_DOWN, 0, NULL },
	{ "PgUp", DO_PAGE_UP, 0, NULL },
	{ "PgDn", DO_PAGE_DOWN, 0, NULL },
	{ "Home", DO_FIRST, 0, NULL },
	{ "End", DO_LAST, 0, NULL },
	{ "^Z", DO_SUSPEND, 0, NULL },
	{ "^L", DO_REDRAW, 0, NULL },
	{ "Esc", DO_CANCEL, 0, NULL },
	{ "?", DO_SHOW_KEYS, 0, "this list (also h)" },
	{ "h", DO_SHOW_KEYS, 0, NULL },
	{ "F1", DO_SHOW_KEYS, 0, NULL },
	{ "q", DO_END, 0, "quit" },
	{ "F10", DO_END, 0, NULL },
	{ "^C", DO_END, 0, NULL },
};

const size_t top_n_keys = sizeof(top_keys) / sizeof(top_keys[0]);

int
top_key_help(size_t i, struct key_help *ret)
{
	size_t at;

	for (at = 0; at < top_n_keys; at++) {
		if (top_keys[at].help == NULL || i-- > 0)
			continue;
		ret->group = "";
		(void)snprintf(ret->keys, sizeof(ret->keys), "%s",
		    top_keys[at].key);
		ret->what = top_keys[at].help;
		return 1;
	}
	return 0;
}

/* The table of actions, with the default keys; see the header. */
#include "action.h"

#include <string.h>

static const struct action_info table[N_ACTIONS] = {
	[ACT_UP] = { "up", "Up k", "one row up", ACTIONS_MOVE },
	[ACT_DOWN] = { "down", "Down j", "one row down", ACTIONS_MOVE },
	[ACT_PAGE_UP] = { "page_up", "PgUp ^B", "10 rows up", ACTIONS_MOVE },
	[ACT_PAGE_DOWN] = { "page_down", "PgDn ^F Space", "10 rows down",
	    ACTIONS_MOVE },
	[ACT_TOP] = { "top", "Home g", "first row", ACTIONS_MOVE },
	[ACT_BOTTOM] = { "bottom", "End G", "last row", ACTIONS_MOVE },
	[ACT_LEFT] = { "left", "Left h",
	    "callers pane; flame: box to the left; tree: fold",
	    ACTIONS_MOVE },
	[ACT_RIGHT] = { "right", "Right l",
	    "callees pane; flame: box to the right; tree: unfold",
	    ACTIONS_MOVE },
	[ACT_FOLD_ALL] = { "fold_all", "H", "tree: fold all below",
	    ACTIONS_MOVE },
	[ACT_UNFOLD_ALL] = { "unfold_all", "L", "tree: unfold all below",
	    ACTIONS_MOVE },
	[ACT_NEXT_PANE] = { "next_pane", "Tab", "next pane", ACTIONS_MOVE },
	[ACT_PREV_PANE] = { "prev_pane", "Shift-Tab", "previous pane",
	    ACTIONS_MOVE },
	[ACT_ENTER] = { "enter", "Enter", "look at the selected frame",
	    ACTIONS_VIEW },
	[ACT_BACK] = { "back", "u Backspace", "back to where you were",
	    ACTIONS_VIEW },
	[ACT_PANES] = { "panes", "P", "callers and callees", ACTIONS_VIEW },
	[ACT_FLAME] = { "flame", "S",
	    "flame: of the whole program, or of the focus", ACTIONS_VIEW },
	[ACT_WHOLE] = { "whole", "w", "flame of the whole program",
	    ACTIONS_VIEW },
	[ACT_CALLEES] = { "callees", ">", "tree of what it calls",
	    ACTIONS_VIEW },
	[ACT_CALLERS] = { "callers", "<", "tree of what calls it",
	    ACTIONS_VIEW },
	[ACT_SELF] = { "self", "s", "sort by self, in the list or overview",
	    ACTIONS_VIEW },
	[ACT_TOTAL] = { "total", "t", "sort by total, in the list or overview",
	    ACTIONS_VIEW },
	[ACT_OVERVIEW_FULL] = { "overview_full", "O",
	    "all functions without lines, by self", ACTIONS_VIEW },
	[ACT_SOURCE] = { "source", "v", "source of the selected frame",
	    ACTIONS_VIEW },
	[ACT_OVERVIEW] = { "overview", "o", "overview at the left",
	    ACTIONS_SHOW },
	[ACT_FOLLOW_CURSOR] = { "follow", "f",
	    "focus what the overview's cursor is on", ACTIONS_SHOW },
	[ACT_MINI_FLAME] = { "mini_flame", "F", "small flame of everything",
	    ACTIONS_SHOW },
	[ACT_TIME] = { "time", "T", "samples over time", ACTIONS_SHOW },
	[ACT_ALIGN] = { "align", "A", "which end of long names is shown",
	    ACTIONS_SHOW },
	[ACT_NO_LINE] = { "no_line", "n", "rows are lines, or functions",
	    ACTIONS_SHOW },
	[ACT_OPCODES] = { "opcodes", "c", "tell opcodes apart",
	    ACTIONS_SHOW },
	[ACT_GROUP] = { "group", "b",
	    "rows are lines, functions, files, modules, threads, ...",
	    ACTIONS_SHOW },
	[ACT_UNIT] = { "unit", "%", "count samples or time", ACTIONS_SHOW },
	[ACT_DELTA] = { "delta", "d",
	    "difference: sort by change or by weight", ACTIONS_SHOW },
	[ACT_FILTER] = { "filter", "/", "show only rows that match",
	    ACTIONS_NARROW },
	[ACT_MATCH] = { "match", "m", "only samples with a frame that matches",
	    ACTIONS_NARROW },
	[ACT_FACETS] = { "facets", "a",
	    "choose processes, threads, status, annotations",
	    ACTIONS_NARROW },
	[ACT_IDLE] = { "idle", "i",
	    "with or without threads that wait for work", ACTIONS_NARROW },
	[ACT_CLEAR] = { "clear", "x", "drop filter, match, facets and range",
	    ACTIONS_NARROW },
	[ACT_TIME_LEFT] = { "time_left", ",", "time cursor to the left",
	    ACTIONS_TIME },
	[ACT_TIME_RIGHT] = { "time_right", ".", "time cursor to the right",
	    ACTIONS_TIME },
	[ACT_TIME_FROM] = { "time_from", "[", "only from the time cursor on",
	    ACTIONS_TIME },
	[ACT_TIME_TO] = { "time_to", "]", "only up to the time cursor",
	    ACTIONS_TIME },
	[ACT_TIME_RESET] = { "time_reset", "r", "all of the time",
	    ACTIONS_TIME },
	[ACT_REDRAW] = { "redraw", "^L", "draw the screen again",
	    ACTIONS_OTHER },
	[ACT_SUSPEND] = { "suspend", "^Z", "back to the shell; fg returns",
	    ACTIONS_OTHER },
	[ACT_CANCEL] = { "cancel", "Esc",
	    "close what is open, or clear the filter",
	    ACTIONS_OTHER },
	[ACT_HELP] = { "help", "? F1", "this help", ACTIONS_OTHER },
	[ACT_QUIT] = { "quit", "q ^C", "quit", ACTIONS_OTHER },
};

const struct action_info *
action_info(int action)
{
	return &table[action];
}

const char *
action_group_title(int group)
{
	static const char *const titles[N_ACTION_GROUPS] = {
		[ACTIONS_MOVE] = "Move",
		[ACTIONS_VIEW] = "Look",
		[ACTIONS_SHOW] = "Show",
		[ACTIONS_NARROW] = "Narrow down",
		[ACTIONS_TIME] = "Time",
		[ACTIONS_OTHER] = "Other",
	};

	return titles[group];
}

int
action_named(const char *name, size_t n)
{
	int i;

	for (i = 1; i < N_ACTIONS; i++)
		if (strlen(table[i].name) == n &&
		    memcmp(table[i].name, name, n) == 0)
			return i;
	return ACT_NONE;
}

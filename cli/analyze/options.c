/* The options of bobbin analyze. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze.h"
#include "args/values.h"
#include "input/grouping.h"
#include "print/plain.h"
#include "print/msg.h"

/* The limit of --last. */
#define MAX_LAST 100000
#define MIN_BUDGET 8

/* The width of a table without --crop: a name of 70 kB, which a trace may have,
 * would make each row as long. */
#define MAX_COLUMNS 1000

static const char *const section_names[N_SECTIONS] = {
	[SECTION_SELF] = "self",
	[SECTION_TOTAL] = "total",
	[SECTION_CALLERS] = "callers",
	[SECTION_CALLEES] = "callees",
	[SECTION_TREE] = "tree",
	[SECTION_TIMELINE] = "timeline",
	[SECTION_REQUESTS] = "requests",
	[SECTION_ROUTES] = "routes",
	[SECTION_FREQUENT] = "frequent",
	[SECTION_TAIL] = "tail",
};

const char *
section_name(int section)
{
	return section_names[section];
}

int
group_is_of_samples(int group)
{
	return group > BOB_GROUP_MODULE;
}

int
layout_has(const struct layout *l, int section)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->section[i] == section)
			return 1;
	return 0;
}

static int
is_named(const char *name, const char *p, size_t n)
{
	return strlen(name) == n && memcmp(name, p, n) == 0;
}

static int
find_section(const char *p, size_t n)
{
	int i;

	for (i = 0; i < N_SECTIONS; i++)
		if (is_named(section_names[i], p, n))
			return i;
	return -1;
}

/* Parses --sections. Returns 1; 0 if a word is unknown or given twice, and sets
 * that word. */
static int
parse_sections(struct layout *l, const char *spec, const char **ret_word,
    size_t *ret_len)
{
	int begins_row = 1, id;
	size_t n;

	memset(l, 0, sizeof(*l));
	for (; *spec != '\0'; spec += n) {
		begins_row |= *spec == ',';
		n = 1;
		if (strchr(",+ ", *spec) != NULL)
			continue;
		n = strcspn(spec, ",+ ");
		id = find_section(spec, n);
		if (id < 0 || layout_has(l, id)) {
			*ret_word = spec;
			*ret_len = n;
			return 0;
		}
		l->section[l->n] = (uint8_t)id;
		l->begins_row[l->n++] = (uint8_t)begins_row;
		begins_row = 0;
	}
	return 1;
}

static int
set_sections(struct analyze_opts *o, const char *spec)
{
	const char *word;
	size_t n;

	if (parse_sections(&o->layout, spec, &word, &n)) {
		if (o->layout.n > 0)
			return EXIT_OK;
		return msg_value("sections", spec, "names no section",
		    "as in --sections self+total,tail");
	}
	(void)msg_usage("--sections: '%.*s' is %s", (int)(n < 64 ? n : 64),
	    word, find_section(word, n) < 0 ? "unknown" : "given twice");
	msg_hint("there are self, total, callers, callees, tree, timeline, "
	    "requests, routes, frequent and tail; ',' stacks them, '+' puts "
	    "them side by side");
	return EXIT_USAGE;
}

/* Sets *ret to 1 for the word `yes`, to 0 for `no`. */
static int
set_word(const char *option, const char *value, const char *no,
    const char *yes, int *ret)
{
	char hint[80];

	*ret = strcmp(value, yes) == 0;
	if (*ret || strcmp(value, no) == 0)
		return EXIT_OK;
	(void)snprintf(hint, sizeof(hint), "there are %s and %s", no, yes);
	return msg_value(option, value, "is unknown", hint);
}

static int
set_crop(struct analyze_opts *o, const char *value)
{
	o->is_auto_crop = strcmp(value, "auto") == 0;
	if (o->is_auto_crop)
		return EXIT_OK;
	return value_size("crop", value, 0, SIZE_MAX, &o->crop);
}

static int
set_interval(struct analyze_opts *o, const char *value)
{
	if (plain_get_time(value, strlen(value), &o->interval_us) &&
	    o->interval_us >= 10000 && o->interval_us <= 86400000000u)
		return EXIT_OK;
	return msg_value("interval", value, "is not a time from 10 ms to 24 h",
	    "as in --interval 0.5 or --interval 1m");
}

static int
set_option(struct analyze_opts *o, const struct arg *a)
{
	size_t n = 0;
	int r;

	switch (a->opt.id) {
	case OPT_TOP:
		return value_size("top", a->value, 0, SIZE_MAX, &o->top);
	case OPT_LAST:
		o->n_last = 1;
		return a->value == NULL ? EXIT_OK
		    : value_size("last", a->value, 1, MAX_LAST, &o->n_last);
	case OPT_LAST_DEPTH:
		return value_size("last-depth", a->value, 0, SIZE_MAX,
		    &o->last_depth);
	case OPT_CALLERS:
		o->callers = *a->value != '\0' ? a->value : NULL;
		break;
	case OPT_CALLEES:
		o->callees = *a->value != '\0' ? a->value : NULL;
		break;
	case OPT_REQUEST_KEY:
		o->request_key = a->value;
		break;
	case OPT_NO_LINE:
		o->group = BOB_GROUP_NAME;
		break;
	case OPT_LINES:
		o->group = BOB_GROUP_LINE;
		break;
	case OPT_GROUP_BY:
		return grouping_set(a->value, &o->group, &o->annotation);
	case OPT_WITH_OPCODE:
		o->has_opcodes = 1;
		break;
	case OPT_PATH:
		return set_word("path", a->value, "full", "short",
		    &o->has_short_paths);
	case OPT_CROP:
		return set_crop(o, a->value);
	case OPT_CROP_ANCHOR:
		o->has_anchor = 1;
		return set_word("crop-anchor", a->value, "left", "right",
		    &o->keeps_end);
	case OPT_INVERT:
		o->is_inverted = 1;
		break;
	case OPT_DEPTH:
		r = value_size("depth", a->value, 0, UINT32_MAX, &n);
		o->depth = (uint32_t)n;
		return r;
	case OPT_MIN_PERCENT:
		return value_min_percent(a->value, &o->min_share);
	case OPT_BUDGET:
		return value_size("budget", a->value, MIN_BUDGET, SIZE_MAX,
		    &o->budget);
	case OPT_FOLLOW:
		o->follows = 1;
		break;
	case OPT_INTERVAL:
		return set_interval(o, a->value);
	case OPT_ASCII:
		o->is_ascii = 1;
		break;
	default:
		break;
	}
	return EXIT_OK;
}

static int
set_style(struct analyze_opts *o, const struct args *a)
{
	int json = args_has(a, OPT_JSON), md = args_has(a, OPT_MD);
	int csv = args_has(a, OPT_CSV);

	if (json + md + csv > 1) {
		(void)msg_usage("--json, --md and --csv exclude each other");
		msg_hint("choose one of them");
		return EXIT_USAGE;
	}
	if (json)
		o->style = STYLE_JSON;
	else if (md)
		o->style = STYLE_MD;
	else if (csv)
		o->style = STYLE_CSV;
	else if (a->spelling != NULL && a->spelling->whose != NULL)
		o->style = STYLE_RELI;
	return EXIT_OK;
}

/* True when the terminal's character set is not UTF-8. Other outputs are
 * UTF-8 whatever the locale. */
static int
is_ascii_terminal(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;
	size_t i;

	if (!isatty(STDOUT_FILENO))
		return 0;
	for (i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
		value = getenv(names[i]);
	if (value == NULL || *value == '\0')
		return 0;
	return strstr(value, "UTF-8") == NULL &&
	    strstr(value, "utf-8") == NULL && strstr(value, "UTF8") == NULL &&
	    strstr(value, "utf8") == NULL;
}

/* All sections, one below the other; some only if they are asked for. */
static void
add_sections(struct layout *l, int has_tree, int has_timeline,
    int has_requests)
{
	int id, is_wanted;

	memset(l, 0, sizeof(*l));
	for (id = 0; id < N_SECTIONS; id++) {
		is_wanted = id == SECTION_TREE ? has_tree
		    : id == SECTION_TIMELINE ? has_timeline
		    : id >= SECTION_REQUESTS && id <= SECTION_FREQUENT
		    ? has_requests : 1;
		if (!is_wanted)
			continue;
		l->section[l->n] = (uint8_t)id;
		l->begins_row[l->n++] = 1;
	}
}

/* Some sections are shown if an option of their own was given. */
static int
set_layout(struct analyze_opts *o, const struct args *a)
{
	const char *spec = args_value(a, OPT_SECTIONS);
	int has_tree = args_has(a, OPT_TREE) || args_has(a, OPT_INVERT) ||
	    args_has(a, OPT_DEPTH) || args_has(a, OPT_MIN_PERCENT);
	int has_requests = args_has(a, OPT_REQUESTS) ||
	    args_has(a, OPT_REQUEST_KEY);

	if (spec != NULL)
		return set_sections(o, spec);
	add_sections(&o->layout, has_tree, args_has(a, OPT_TIMELINE),
	    has_requests);
	return EXIT_OK;
}

void
analyze_defaults(struct analyze_opts *o)
{
	memset(o, 0, sizeof(*o));
	o->style = STYLE_TABLES;
	o->top = 20;
	o->min_share = 0.01;
	o->group = BOB_GROUP_FUNCTION;
	o->interval_us = 1000000;
	o->is_auto_crop = isatty(STDOUT_FILENO);
	o->crop = MAX_COLUMNS;
	o->is_ascii = is_ascii_terminal();
	add_sections(&o->layout, 0, 0, 0);
}

int
analyze_options(struct analyze_opts *o, const struct args *args)
{
	size_t i;
	int r;

	analyze_defaults(o);
	r = set_style(o, args);
	if (o->style != STYLE_TABLES) {
		o->is_auto_crop = o->is_ascii = 0;
		o->crop = 0;
	}
	/* reli's tables are by line. */
	if (o->style == STYLE_RELI)
		o->group = BOB_GROUP_LINE;
	for (i = 0; r == EXIT_OK && i < args->n_opts; i++)
		r = set_option(o, &args->opts[i]);
	if (r == EXIT_OK)
		r = set_layout(o, args);
	return r;
}

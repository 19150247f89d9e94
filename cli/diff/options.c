/* The options of bobbin diff. */
#include <stdlib.h>
#include <string.h>

#include "args/values.h"
#include "diff.h"
#include "input/grouping.h"
#include "input/pair.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/terminal.h"

static const struct {
	const char *name;
	int style;
	const char *suffixes[3];
} styles[] = {
	{ "text", DIFF_TEXT, { ".txt" } },
	{ "json", DIFF_JSON, { ".json" } },
	{ "md", DIFF_MD, { ".md", ".markdown" } },
	{ "folded", DIFF_FOLDED, { ".folded", ".collapsed" } },
	{ "svg", DIFF_SVG, { ".svg" } },
	{ "html", DIFF_HTML, { ".html", ".htm" } },
};

#define N_STYLES (sizeof(styles) / sizeof(styles[0]))

static int
add_gate(struct diff_opts *o, const char *value)
{
	struct bob_gate *g = &o->gate[o->n_gates++];
	size_t n = strcspn(value, ":");

	g->pattern = value[n] == ':' ? value + n + 1 : NULL;
	if (plain_get_percent(value, n, &g->limit) &&
	    (g->pattern == NULL || *g->pattern != '\0'))
		return EXIT_OK;
	return msg_value("fail-over", value, "is not a percentage",
	    "as in --fail-over 5%, or --fail-over 2%:REGEX for functions "
	    "that match");
}

static int
set_normalize(struct diff_opts *o, const char *value)
{
	o->is_scaled = 1;
	o->normalize = strcmp(value, "time") == 0 ? BOB_NORMALIZE_TIME
	                                          : BOB_NORMALIZE_SAMPLES;
	if (o->normalize == BOB_NORMALIZE_TIME ||
	    strcmp(value, "samples") == 0)
		return EXIT_OK;
	return msg_value("normalize", value, "is unknown",
	    "there are samples and time");
}

static int
set_option(struct diff_opts *o, const struct arg *a)
{
	size_t n = 0;
	int r;

	switch (a->opt.id) {
	case OPT_TOP:
		return value_size("top", a->value, 0, SIZE_MAX, &o->top);
	case OPT_DEPTH:
		r = value_size("depth", a->value, 0, UINT32_MAX, &n);
		o->depth = (uint32_t)n;
		return r;
	case OPT_MIN_PERCENT:
		return value_min_percent(a->value, &o->min_share);
	case OPT_LINES:
		o->group = BOB_GROUP_LINE;
		return EXIT_OK;
	case OPT_GROUP_BY:
		if (grouping_parse(a->value, &o->group, &o->annotation) &&
		    o->group != BOB_GROUP_SEGMENT &&
		    o->group != BOB_GROUP_MINUTE)
			return EXIT_OK;
		return msg_value("group-by", a->value,
		    "is unknown",
		    "group by function, name, line, file, class, module, "
		    "pid, thread, status or annotation:KEY");
	case OPT_NORMALIZE:
		return set_normalize(o, a->value);
	case OPT_FAIL_OVER:
		return add_gate(o, a->value);
	default:
		return EXIT_OK;
	}
}

static int
style_named(const char *name)
{
	size_t i;

	for (i = 0; i < N_STYLES; i++)
		if (strcmp(styles[i].name, name) == 0)
			return styles[i].style;
	return -1;
}

static int
style_of_path(const char *path)
{
	size_t i, k, n = strlen(path);

	for (i = 0; i < N_STYLES; i++) {
		for (k = 0; k < 3 && styles[i].suffixes[k] != NULL; k++) {
			size_t m = strlen(styles[i].suffixes[k]);

			if (n > m && strcmp(path + n - m,
			        styles[i].suffixes[k]) == 0)
				return styles[i].style;
		}
	}
	return -1;
}

static int
set_style(struct diff_opts *o, const struct args *a)
{
	const char *to = args_value(a, OPT_TO);
	int json = args_has(a, OPT_JSON), md = args_has(a, OPT_MD);

	if (json + md + (to != NULL) > 1) {
		(void)msg_usage("--json, --md and --to exclude each other");
		msg_hint("choose one of them");
		return EXIT_USAGE;
	}
	if (to != NULL)
		o->style = style_named(to);
	else if (json || md)
		o->style = json ? DIFF_JSON : DIFF_MD;
	else if (o->path != NULL)
		o->style = style_of_path(o->path);
	if (o->style >= 0)
		return EXIT_OK;
	if (to != NULL)
		(void)msg_usage("diff cannot write '%s'", to);
	else
		(void)msg_usage("%s: unknown suffix", o->path);
	msg_hint("-t says what to write: text, json, md, folded, svg or "
	    "html");
	return EXIT_USAGE;
}

int
diff_options(struct diff_opts *o, const struct args *args)
{
	const char *path = args_value(args, OPT_OUTPUT);
	size_t i, lines;
	int r;

	memset(o, 0, sizeof(*o));
	o->group = BOB_GROUP_FUNCTION;
	o->min_share = PAIR_MIN_SHARE;
	o->path = path != NULL && strcmp(path, "-") != 0 ? path : NULL;
	o->gate = calloc(args_count(args, OPT_FAIL_OVER) + 1,
	    sizeof(*o->gate));
	if (o->gate == NULL)
		return msg_no_memory();
	r = set_style(o, args);
	for (i = 0; r == EXIT_OK && i < args->n_opts; i++)
		r = set_option(o, &args->opts[i]);
	o->width = SIZE_MAX;
	if (o->path == NULL)
		terminal_size(&o->width, &lines);
	/* JSON has all rows. */
	if (!args_has(args, OPT_TOP))
		o->top = o->style == DIFF_JSON ? SIZE_MAX : 10;
	return r;
}

void
diff_options_done(struct diff_opts *o)
{
	free(o->gate);
}

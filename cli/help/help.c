/* The text of --help and `bobbin help`, and help_choice. */
#include "help.h"

#include <string.h>

#include <bobbin/convert.h>

#include "args/spellings.h"
#include "print/plain.h"
#include "print/msg.h"

#define WIDTH 79
#define COLUMN 28 /* where explanations begin */

const struct help_fact help_exit_codes[] = {
	{ "0", "success" },
	{ "1", "failure" },
	{ "2", "wrong usage" },
	{ "3", "a check that was asked for has failed" },
	{ "4", "partial: something could not be read and was skipped, or an "
	    "input is incomplete" },
	{ NULL, NULL },
};

const struct help_fact help_environment[] = {
	{ "NO_COLOR", "when set and not empty, no colours unless "
	    "--color=always" },
	{ "TERM", "dumb: no colours and no progress line" },
	{ NULL, NULL },
};

/* The i-th format that can be read, or written; NULL behind the last. */
static const char *
format_name(size_t i, int reading)
{
	const struct bob_format_info *f;
	size_t k;

	for (k = 0; (f = bob_format_get(k)) != NULL; k++)
		if ((reading ? f->can_read : f->can_write) && i-- == 0)
			return f->name;
	return NULL;
}

/* The dialects of a format that has any, as "a|b|c"; else NULL. */
static const char *
dialects(void)
{
	const struct bob_format_info *f;
	const struct bob_option_info *o;
	size_t k;

	for (k = 0; (f = bob_format_get(k)) != NULL; k++)
		for (o = f->read_options; o != NULL && o->key != NULL; o++)
			if (strcmp(o->key, "dialect") == 0)
				return o->arg;
	return NULL;
}

static const char *
command_name(size_t i)
{
	const struct command *c = command_get(i);

	return c != NULL ? c->name : NULL;
}

size_t
help_choice(const char *arg, size_t i, const char **ret)
{
	const char *p = NULL;

	if (arg != NULL && strcmp(arg, "DIALECT") == 0)
		arg = dialects();
	if (arg == NULL)
		return 0;
	if (strcmp(arg, "FROM") == 0 || strcmp(arg, "TO") == 0)
		p = format_name(i, strcmp(arg, "FROM") == 0);
	else if (strcmp(arg, "COMMAND") == 0)
		p = command_name(i);
	else if (strchr(arg, '|') != NULL)
		for (p = arg; i > 0 && p != NULL; i--)
			if ((p = strchr(p, '|')) != NULL)
				p++;
	if (p == NULL)
		return 0;
	*ret = p;
	return strcspn(p, "|");
}

static void
put_title(FILE *f, const char *text)
{
	(void)fprintf(f, "\n%s%s:%s\n", color_on(f, "1"), text, color_off(f));
}

/* A name in the left column, an explanation in the right one. */
static void
put_entry(FILE *f, const char *left, const char *right)
{
	size_t col = strlen(left) + 2;

	(void)fprintf(f, "  %s%s%s", color_on(f, "36"), left, color_off(f));
	if (col + 2 > COLUMN) {
		(void)fputc('\n', f);
		col = 0;
	}
	plain_wrap(f, right, col, COLUMN, WIDTH);
}

static void
option_entry(FILE *f, const struct opt *o)
{
	char left[80];
	char letter[5] = { '-', o->letter, ',', ' ', '\0' };
	const char *arg = o->arg != NULL ? o->arg : "";

	(void)snprintf(left, sizeof(left), "%s--%s%s%s%s",
	    o->letter != 0 ? letter : "    ", o->name,
	    o->may_be_bare ? "[=" : o->arg != NULL ? " " : "", arg,
	    o->may_be_bare ? "]" : "");
	put_entry(f, left, o->help);
}

static void
option_group(FILE *f, const struct command *c, int group)
{
	int has_title = 0;
	struct opt o;
	size_t i;

	for (i = 0; opt_get(c, i, &o); i++) {
		if (o.group != group || o.is_hidden)
			continue;
		if (!has_title)
			put_title(f, opt_group_title(group));
		has_title = 1;
		option_entry(f, &o);
	}
}

/* The options of formats, under the names of those that have them. */
static void
format_options(FILE *f, const struct command *c)
{
	struct opt first, o;
	char text[80];
	size_t i, k;

	for (i = 0; opt_get(c, i, &first); i++) {
		if (!opt_opens_formats(c, i))
			continue;
		(void)snprintf(text, sizeof(text), "Output as %s",
		    first.formats);
		put_title(f, text);
		for (k = i; opt_get(c, k, &o); k++)
			if (strcmp(first.formats, o.formats) == 0)
				option_entry(f, &o);
	}
}

static void
put_respellings(FILE *f, const char *heading, const struct respelled *r)
{
	char left[80], right[512];

	if (r == NULL)
		return;
	put_title(f, heading);
	for (; r->is != NULL; r++) {
		respelled_left(r, left, sizeof(left));
		respelled_right(r, right, sizeof(right));
		put_entry(f, left, right);
	}
}

static void
put_facts(FILE *f, const char *heading, const struct help_fact *v)
{
	put_title(f, heading);
	for (; v->name != NULL; v++)
		put_entry(f, v->name, v->what);
}

void
help_command(FILE *f, const struct command *c)
{
	const struct spelling *s = c->spellings;
	const struct example *e;
	char text[80];
	int group;

	(void)fprintf(f, "%sbobbin %s%s: %s\n", color_on(f, "1"), c->name,
	    color_off(f), c->summary);
	put_title(f, "Usage");
	(void)fprintf(f, "  bobbin %s %s\n", c->name, c->synopsis);
	for (; s != NULL && s->name != NULL; s++)
		(void)fprintf(f, "  bobbin %s ...%s%s%s\n", s->name,
		    s->whose != NULL ? "  (as " : "",
		    s->whose != NULL ? s->whose : "",
		    s->whose != NULL ? " spells it)" : "");
	(void)fputc('\n', f);
	plain_wrap(f, c->description, 0, 0, WIDTH);
	for (group = 0; group < GROUP_FORMAT; group++)
		if (group != GROUP_GENERAL)
			option_group(f, c, group);
	format_options(f, c);
	option_group(f, c, GROUP_GENERAL);
	put_respellings(f, "Options as others spell them", c->respelled);
	for (s = c->spellings; s != NULL && s->name != NULL; s++) {
		(void)snprintf(text, sizeof(text), "As bobbin %s", s->name);
		put_respellings(f, text, s->options);
	}
	put_title(f, "Examples");
	for (e = c->examples; e->line != NULL; e++)
		(void)fprintf(f, "  %s%s%s\n      %s\n", color_on(f, "36"),
		    e->line, color_off(f), e->what);
}

static void
command_list(FILE *f, int chapter)
{
	static const char *const heading[N_CHAPTERS] = {
		[CHAPTER_CAPTURE] = "Capture running processes",
		[CHAPTER_LOOK] = "Look at traces",
		[CHAPTER_CHANGE] = "Change traces",
		[CHAPTER_HELP] = "Help",
	};
	const struct command *c;
	size_t i;

	put_title(f, heading[chapter]);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		if (c->chapter == (enum chapter)chapter)
			put_entry(f, c->name, c->summary);
}

void
help_overview(FILE *f)
{
	const struct spelling *own;
	const struct command *any = command_named("convert", &own);
	int chapter;

	(void)fprintf(f, "%sbobbin%s: where PHP and Python spend their time\n",
	    color_on(f, "1"), color_off(f));
	put_title(f, "Usage");
	(void)fputs("  bobbin COMMAND [OPTION]... [FILE]...\n", f);
	for (chapter = CHAPTER_CAPTURE; chapter < N_CHAPTERS; chapter++)
		command_list(f, chapter);
	put_title(f, "Filters, on every command that reads");
	{
		struct opt o;
		size_t i;

		for (i = 0; opt_get(any, i, &o); i++)
			if (o.group == GROUP_FILTER)
				option_entry(f, &o);
	}
	option_group(f, NULL, GROUP_GENERAL);
	put_facts(f, "Exit status", help_exit_codes);
	put_facts(f, "Environment", help_environment);
	(void)fputs("\n'bobbin help COMMAND' explains a command.\n", f);
}

void
help_short(FILE *f)
{
	const struct command *c;
	size_t i;

	(void)fputs("usage: bobbin COMMAND [OPTION]... [FILE]...\n\n", f);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		put_entry(f, c->name, c->summary);
	(void)fputs("\n'bobbin help' says more.\n", f);
}

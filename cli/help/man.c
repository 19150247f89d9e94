/*
 * Man pages, in the language of scdoc: *bold*, _underlined_, # headings, a
 * tab for indentation, a backslash before what would be markup.
 */
#include "help.h"

#include <string.h>

#include <bobbin/api.h>

#include "args/spellings.h"

void
man_put(FILE *f, const char *text, const char *indent)
{
	int at_start = 1;

	for (; *text != '\0'; text++) {
		if (*text == '\n') {
			(void)fprintf(f, "\n\n%s", indent);
			at_start = 1;
			continue;
		}
		if (strchr("\\*_[]<>`~^", *text) != NULL ||
		    (at_start && strchr("#-.|!", *text) != NULL))
			(void)fputc('\\', f);
		(void)fputc(*text, f);
		at_start = 0;
	}
}

/* Writes text that is inside a literal block, where only backslashes are
 * special. */
static void
man_put_literal(FILE *f, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			(void)fputc('\\', f);
		(void)fputc(*text, f);
	}
}

static void
option(FILE *f, const struct opt *o)
{
	if (o->letter != 0)
		(void)fprintf(f, "*-%c*, ", o->letter);
	(void)fprintf(f, "*--%s*", o->name);
	if (o->arg != NULL) {
		(void)fputs(o->may_be_bare ? "\\[=_" : " _", f);
		man_put(f, o->arg, "");
		(void)fputs(o->may_be_bare ? "_\\]" : "_", f);
	}
	(void)fputs("\n\t", f);
	man_put(f, o->help, "\t");
	(void)fputs("\n\n", f);
}

static void
option_group(FILE *f, const struct command *c, int group, const char *formats)
{
	int has_title = 0;
	struct opt o;
	size_t i;

	for (i = 0; opt_get(c, i, &o); i++) {
		if (o.group != group || o.is_hidden ||
		    (formats != NULL && strcmp(o.formats, formats) != 0))
			continue;
		if (!has_title && formats != NULL)
			(void)fprintf(f, "## Output as %s\n\n", formats);
		else if (!has_title)
			(void)fprintf(f, "## %s\n\n", opt_group_title(group));
		has_title = 1;
		option(f, &o);
	}
}

void
man_entry(FILE *f, const char *left, const char *right)
{
	(void)fputs("*", f);
	man_put(f, left, "");
	(void)fputs("*\n\t", f);
	man_put(f, right, "\t");
	(void)fputs("\n\n", f);
}

static void
respellings(FILE *f, const char *heading, const char *name,
    const struct respelled *r)
{
	char left[80], right[512];

	if (r == NULL)
		return;
	(void)fprintf(f, "## %s%s\n\n", heading, name);
	for (; r->is != NULL; r++) {
		respelled_left(r, left, sizeof(left));
		respelled_right(r, right, sizeof(right));
		man_entry(f, left, right);
	}
}

static void
target_options(FILE *f, const struct command *c)
{
	struct opt o;
	size_t i;

	for (i = 0; opt_get(c, i, &o); i++)
		if (opt_opens_formats(c, i))
			option_group(f, c, GROUP_FORMAT, o.formats);
}

static void
facts(FILE *f, const char *heading, const struct help_fact *v)
{
	(void)fprintf(f, "# %s\n\n", heading);
	for (; v->name != NULL; v++)
		man_entry(f, v->name, v->what);
}

void
man_see_also(FILE *f, const struct command *self)
{
	const struct command *c;
	size_t i;

	(void)fputs("# SEE ALSO\n\n", f);
	if (self != NULL)
		(void)fputs("*bobbin*(1)", f);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		if (c != self && c->bit != CMD_HELP)
			(void)fprintf(f, "%s*bobbin-%s*(1)",
			    i > 0 || self != NULL ? ", " : "", c->name);
	(void)fputs(", *bobbin-" COMING_FROM "*(1)\n", f);
}

void
man_head(FILE *f, const char *dash, const char *name, const char *summary)
{
	(void)fprintf(f, "bobbin%s%s(1) \"bobbin %s\" \"bobbin manual\"\n\n"
	    "# NAME\n\nbobbin%s%s - ", dash, name, bob_version(), dash, name);
	man_put(f, summary, "");
	(void)fputs("\n\n# SYNOPSIS\n\n", f);
}

/* The keys of a command that fills the screen, from the table that it uses. */
static void
key_list(FILE *f, const struct command *c)
{
	const char *group = "";
	struct key_help k;
	size_t i;

	for (i = 0; c->keys != NULL && c->keys(i, &k); i++) {
		if (i == 0)
			(void)fputs("# KEYS\n\n", f);
		if (strcmp(k.group, group) != 0)
			(void)fprintf(f, "## %s\n\n", k.group);
		group = k.group;
		man_entry(f, k.keys, k.what);
	}
}

static void
command_page(FILE *f, const struct command *c)
{
	const struct spelling *s = c->spellings;
	const struct example *e;
	int group;

	man_head(f, "-", c->name, c->summary);
	(void)fprintf(f, "*bobbin %s* ", c->name);
	man_put(f, c->synopsis, "");
	for (; s != NULL && s->name != NULL; s++)
		(void)fprintf(f, "++\n*bobbin %s* ...", s->name);
	(void)fputs("\n\n# DESCRIPTION\n\n", f);
	man_put(f, c->description, "");
	(void)fputs("\n\n# OPTIONS\n\n", f);
	for (group = 0; group < GROUP_FORMAT; group++)
		if (group != GROUP_GENERAL)
			option_group(f, c, group, NULL);
	target_options(f, c);
	option_group(f, c, GROUP_GENERAL, NULL);
	respellings(f, "Options as others spell them", "", c->respelled);
	for (s = c->spellings; s != NULL && s->name != NULL; s++)
		respellings(f, "As bobbin ", s->name, s->options);
	key_list(f, c);
	(void)fputs("# EXAMPLES\n\n", f);
	for (e = c->examples; e->line != NULL; e++) {
		man_put(f, e->what, "");
		(void)fputs(":\n\n```\n", f);
		man_put_literal(f, e->line);
		(void)fputs("\n```\n\n", f);
	}
	facts(f, "EXIT STATUS", help_exit_codes);
	man_see_also(f, c);
}

static void
overview_page(FILE *f)
{
	const struct spelling *own;
	const struct command *c;
	size_t i;

	man_head(f, "", "", "records, converts, analyzes and shows profiles of "
	    "PHP and Python");
	(void)fputs("*bobbin* _COMMAND_ \\[_OPTION_]... \\[_FILE_]...\n\n"
	    "# COMMANDS\n\n", f);
	for (i = 0; (c = command_get(i)) != NULL; i++) {
		(void)fprintf(f, "*bobbin %s* ", c->name);
		man_put(f, c->synopsis, "");
		(void)fputs("\n\t", f);
		man_put(f, c->summary, "\t");
		(void)fputs("\n\n", f);
	}
	(void)fputs("# OPTIONS\n\nFilters work on every command that reads; "
	    "the other options are explained with their commands.\n\n", f);
	option_group(f, command_named("convert", &own), GROUP_FILTER, NULL);
	option_group(f, NULL, GROUP_GENERAL, NULL);
	facts(f, "EXIT STATUS", help_exit_codes);
	facts(f, "ENVIRONMENT", help_environment);
	man_see_also(f, NULL);
}

void
man_page(FILE *f, const struct command *c)
{
	if (c == NULL)
		overview_page(f);
	else
		command_page(f, c);
}

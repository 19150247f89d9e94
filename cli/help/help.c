/*
 * The text of --help and `bobbin help`, in two levels, and help_choice. The
 * first level fits a terminal of 80 columns and 24 rows; the second has
 * everything.
 */
#include "help.h"

#include <string.h>

#include <bobbin/convert.h>

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
	{ "other", "record -- COMMAND: that of the command; 128+N after signal "
	    "N" },
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

/* The i-th command; of the topics of help, also what follows the commands. */
static const char *
command_name(size_t i, int is_topic)
{
	const struct command *c = command_get(i);

	if (c != NULL)
		return c->name;
	return is_topic && command_get(i - 1) != NULL ? COMING_FROM : NULL;
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
	else if (strcmp(arg, "COMMAND") == 0 || strcmp(arg, "TOPIC") == 0)
		p = command_name(i, strcmp(arg, "TOPIC") == 0);
	else if (strchr(arg, '|') != NULL)
		for (p = arg; i > 0 && p != NULL; i--)
			if ((p = strchr(p, '|')) != NULL)
				p++;
	if (p == NULL)
		return 0;
	*ret = p;
	return strcspn(p, "|");
}

void
help_title(FILE *f, const char *text)
{
	(void)fprintf(f, "\n%s%s:%s\n", color_on(f, "1"), text, color_off(f));
}

void
help_entry(FILE *f, const char *left, const char *right, size_t column)
{
	size_t col = strlen(left) + 2;

	(void)fprintf(f, "  %s%s%s", color_on(f, "36"), left, color_off(f));
	if (col + 2 > column) {
		(void)fputc('\n', f);
		col = 0;
	}
	plain_wrap(f, right, col, column, WIDTH);
}

static void
put_entry(FILE *f, const char *left, const char *right)
{
	help_entry(f, left, right, COLUMN);
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
			help_title(f, opt_group_title(group));
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
		help_title(f, text);
		for (k = i; opt_get(c, k, &o); k++)
			if (strcmp(first.formats, o.formats) == 0)
				option_entry(f, &o);
	}
}

static void
put_facts(FILE *f, const char *heading, const struct help_fact *v)
{
	help_title(f, heading);
	for (; v->name != NULL; v++)
		put_entry(f, v->name, v->what);
}

/* The first line: the name and what it does. */
static void
put_head(FILE *f, const char *name, const char *summary)
{
	(void)fprintf(f, "%sbobbin%s%s%s: %s\n", color_on(f, "1"),
	    *name != '\0' ? " " : "", name, color_off(f), summary);
}

static void
put_examples(FILE *f, const struct command *c, size_t max)
{
	const struct example *e = c->examples;

	help_title(f, "Examples");
	for (; e->line != NULL && max-- > 0; e++)
		(void)fprintf(f, "  %s%s%s\n      %s\n", color_on(f, "36"),
		    e->line, color_off(f), e->what);
}

/* --- the second level: everything ------------------------------------- */

void
help_command(FILE *f, const struct command *c)
{
	const struct spelling *s = c->spellings;
	int group;

	put_head(f, c->name, c->summary);
	help_title(f, "Usage");
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
	put_examples(f, c, SIZE_MAX);
	if (c->respelled != NULL || c->spellings != NULL)
		(void)fputs("\n'bobbin help " COMING_FROM "' lists the commands"
		    " and options of other profilers.\n", f);
}

static void
overview(FILE *f)
{
	const struct spelling *own;
	const struct command *any = command_named("convert", &own);

	help_title(f, "Filters, on every command that reads");
	option_group(f, any, GROUP_FILTER);
	option_group(f, NULL, GROUP_GENERAL);
	put_facts(f, "Exit status", help_exit_codes);
	put_facts(f, "Environment", help_environment);
}

/* --- the first level: one screen -------------------------------------- */

#define BRIEF_EXAMPLES 3

static const struct {
	const char *title;
	uint32_t commands[6]; /* enum cmd_bit; 0: no more */
} chapters[] = {
	{ "Capture running processes",
	    { CMD_RECORD, CMD_TOP, CMD_STACK, CMD_DAEMON, CMD_DOCTOR } },
	{ "Look at recordings",
	    { CMD_ANALYZE, CMD_EXPLORE, CMD_VIEW, CMD_DIFF } },
	{ "Files", { CMD_CONVERT, CMD_RECOVER, CMD_INFO, CMD_VERIFY,
	    CMD_DUMP } },
};

static const struct command *
command_of_bit(uint32_t bit)
{
	const struct command *c;
	size_t i;

	for (i = 0; (c = command_get(i)) != NULL; i++)
		if (c->bit == bit)
			return c;
	return NULL;
}

/* Lists the commands of all chapters. Returns which they are. */
static uint32_t
command_lists(FILE *f)
{
	const struct command *c;
	uint32_t listed = 0;
	size_t i, k;

	for (i = 0; i < sizeof(chapters) / sizeof(chapters[0]); i++) {
		help_title(f, chapters[i].title);
		for (k = 0; k < 6; k++) {
			c = command_of_bit(chapters[i].commands[k]);
			if (c == NULL)
				break;
			help_entry(f, c->name, c->summary, 12);
			listed |= c->bit;
		}
	}
	return listed;
}

static void
brief_overview(FILE *f)
{
	const struct command *c;
	uint32_t listed;
	size_t i;

	put_head(f, "", "where PHP and Python spend their time");
	listed = command_lists(f);
	(void)fputs("\nAlso:", f);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		if ((c->bit & listed) == 0)
			(void)fprintf(f, " %s", c->name);
	(void)fputs(".\n'bobbin COMMAND --help' explains it; 'bobbin help "
	    COMING_FROM "': like py-spy.\n", f);
}

/* How many options of the command help_command explains. */
static size_t
count_options(const struct command *c)
{
	struct opt o;
	size_t i, n = 0;

	for (i = 0; opt_get(c, i, &o); i++)
		n += !o.is_hidden;
	return n;
}

static void
brief_entry(FILE *f, const struct command *c, const struct brief_option *b)
{
	struct opt o;
	size_t i;

	for (i = 0; opt_get(c, i, &o); i++) {
		if (o.id != b->id || o.is_hidden ||
		    (b->name != NULL && strcmp(o.name, b->name) != 0))
			continue;
		o.help = b->what;
		if (o.arg != NULL && strlen(o.arg) > 10)
			o.arg = "WHAT";
		option_entry(f, &o);
		return;
	}
}

static void
brief_command(FILE *f, const struct command *c, const struct brief_option *b)
{
	size_t i;

	put_head(f, c->name, c->summary);
	help_title(f, "Usage");
	(void)fprintf(f, "  bobbin %s ", c->name);
	plain_wrap(f, c->synopsis, strlen(c->name) + 10, 6, WIDTH);
	help_title(f, "Options");
	for (i = 0; i < BRIEF_OPTIONS; i++)
		brief_entry(f, c, &b[i]);
	put_examples(f, c, BRIEF_EXAMPLES);
	(void)fprintf(f, "\n'bobbin %s --help-all': all %zu options.\n",
	    c->name, count_options(c));
}

void
help_print(FILE *f, const struct command *c, int is_all)
{
	const struct brief_option *b = c != NULL ? brief_options(c) : NULL;

	if (c == NULL)
		brief_overview(f);
	if (c == NULL && is_all)
		overview(f);
	else if (b != NULL && !is_all)
		brief_command(f, c, b);
	else if (c != NULL)
		help_command(f, c);
}

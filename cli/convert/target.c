/* Which format a conversion writes, and with which options. */
#include "conv.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "msg.h"

int
conv_is_stdout(const struct conv *c)
{
	return c->path == NULL || strcmp(c->path, "-") == 0;
}

int
conv_check_terminal(const struct conv *c)
{
	if (!conv_is_stdout(c) || c->to->is_text || !isatty(STDOUT_FILENO))
		return EXIT_OK;
	(void)msg_usage("%s is binary: not to a terminal", c->to->name);
	msg_hint("-o FILE writes a file; > and | work too");
	return EXIT_USAGE;
}

/* True, after saying so, when what was named is the suffix of a format. */
static int
hint_suffix(const char *name)
{
	const struct bob_format_info *f;
	char path[64];

	(void)snprintf(path, sizeof(path), "x.%s", name);
	f = bob_format_of_path(path);
	if (f != NULL)
		msg_hint("-t %s writes .%s", f->name, name);
	return f != NULL;
}

static int
no_target(const struct conv *c, const char *name)
{
	if (name != NULL && *name == '-') {
		(void)msg_usage("-t needs a format, and '%s' is none", name);
		msg_hint("py-spy's -t is --threads here");
		return EXIT_USAGE;
	}
	if (name != NULL)
		(void)msg_usage("there is no format '%s'", name);
	else if (conv_is_stdout(c))
		(void)msg_usage("%s: to which format?",
		    c->job.args->command->name);
	else
		(void)msg_usage("%s: the suffix says no format", c->path);
	if (name != NULL && hint_suffix(name))
		return EXIT_USAGE;
	msg_hint("-t FORMAT says what to write; 'bobbin formats' lists what "
	    "can be written");
	return EXIT_USAGE;
}

int
conv_has_option(const struct bob_format_info *f, const char *key)
{
	const struct bob_option_info *o = f->options;

	for (; o != NULL && o->key != NULL; o++)
		if (strcmp(o->key, key) == 0)
			return 1;
	return 0;
}

/* Where the target has no dialects, --dialect can only mean the input's. */
static int
is_dialect_of_input(struct conv *c, const struct bob_option *o)
{
	if (strcmp(o->key, "dialect") != 0 || c->job.dialect.key != NULL)
		return 0;
	c->job.dialect = *o;
	return 1;
}

/* All formats with an option of this name, in the words of a hint. */
static void
hint_formats(const struct conv *c, const char *key)
{
	char list[BOB_MAX_TEXT] = "";
	struct opt o;
	size_t i, n = 0;

	for (i = 0; opt_get(c->job.args->command, i, &o); i++)
		if (o.id == OPT_TARGET && strcmp(o.name, key) == 0 &&
		    n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    "%s%s", n > 0 ? ", " : "", o.formats);
	msg_hint("it is an option of %s", list);
}

/* A trace names files, and may come from anybody. */
static void
tell_source(const struct conv *c)
{
	size_t i;

	for (i = 0; i < c->n_options; i++)
		if (strcmp(c->options[i].key, "source") == 0)
			return;
	if (conv_has_option(c->to, "source"))
		msg_note("no source shown: give --source DIR");
}

/* An option that some other format has. */
static int
check_options(struct conv *c)
{
	size_t i, n = 0;

	for (i = 0; i < c->n_options; i++) {
		const struct bob_option o = c->options[i];

		if (conv_has_option(c->to, o.key)) {
			c->options[n++] = o;
		} else if (!is_dialect_of_input(c, &o)) {
			(void)msg_usage("%s has no option --%s", c->to->name,
			    o.key);
			hint_formats(c, o.key);
			return EXIT_USAGE;
		}
	}
	c->n_options = n;
	tell_source(c);
	return EXIT_OK;
}

/* A name that ends in .gz promises a packed file. */
static void
pack_by_suffix(struct conv *c)
{
	size_t n = conv_is_stdout(c) ? 0 : strlen(c->path), i;

	if (n < 3 || strcmp(c->path + n - 3, ".gz") != 0 ||
	    !conv_has_option(c->to, "compress"))
		return;
	for (i = 0; i < c->n_options; i++)
		if (strcmp(c->options[i].key, "compress") == 0)
			return;
	conv_add_option(c, "compress", NULL);
}

/* By one of its suffixes, or by its name as suffix. */
static const struct bob_format_info *
format_of_output(const char *path)
{
	const struct bob_format_info *f = bob_format_of_path(path);
	const char *dot = strrchr(path, '.');

	return f != NULL || dot == NULL ? f : bob_format_named(dot + 1);
}

int
conv_set_target(struct conv *c, const char *forced, const char *fallback)
{
	const char *name = args_value(c->job.args, OPT_TO);

	if (forced != NULL && name != NULL && strcmp(name, forced) != 0) {
		(void)msg_usage("%s always writes %s",
		    c->job.args->spelling->name, forced);
		msg_hint("'bobbin convert -t %s' writes %s", name, name);
		return EXIT_USAGE;
	}
	if (forced != NULL)
		name = forced;
	if (name == NULL && !conv_is_stdout(c))
		c->to = format_of_output(c->path);
	if (name == NULL && c->to == NULL)
		name = fallback;
	if (name != NULL)
		c->to = bob_format_named(name);
	if (c->to == NULL)
		return no_target(c, name);
	if (!c->to->can_write) {
		(void)msg_usage("%s can be read, but not written",
		    c->to->name);
		msg_hint("'bobbin formats' lists what can be written");
		return EXIT_USAGE;
	}
	pack_by_suffix(c);
	return check_options(c);
}

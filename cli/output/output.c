/*
 * Finds the format of an output and checks its options; see the header. A
 * mistake is answered with the formats or options that were probably meant.
 */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/msg.h"

int
output_init(struct output *o, const struct args *args)
{
	int code = EXIT_OK;
	size_t i;

	memset(o, 0, sizeof(*o));
	o->args = args;
	o->path = args_value(args, OPT_OUTPUT);
	for (i = 0; code == EXIT_OK && i < args->n_opts; i++)
		if (args->opts[i].opt.id == OPT_OF_FORMAT)
			code = output_add_option(o, args->opts[i].opt.name,
			    args->opts[i].value);
	return code;
}

void
output_done(struct output *o)
{
	free(o->options);
}

int
output_add_option(struct output *o, const char *key, const char *value)
{
	size_t cap = 2 * o->cap_options + 8;
	struct bob_option *v;

	if (o->n_options == o->cap_options) {
		v = realloc(o->options, cap * sizeof(*v));
		if (v == NULL)
			return msg_no_memory();
		o->options = v;
		o->cap_options = cap;
	}
	o->options[o->n_options++] = (struct bob_option){ key, value };
	return EXIT_OK;
}

int
output_is_stdout(const struct output *o)
{
	return o->path == NULL || strcmp(o->path, "-") == 0;
}

int
output_check_terminal(const struct output *o)
{
	if (!output_is_stdout(o) || o->format->is_text ||
	    !isatty(STDOUT_FILENO))
		return EXIT_OK;
	(void)msg_usage("%s is binary and cannot be written to a terminal",
	    o->format->name);
	msg_hint("-o FILE writes a file; > and | work too");
	return EXIT_USAGE;
}

/* If the name is the suffix of a format, hints at the format. Returns 1 if it
 * did. */
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

/* The first suffix of each format that can be written. */
static void
hint_suffixes(void)
{
	const struct bob_format_info *f;
	char list[512] = "";
	size_t i, n = 0;

	for (i = 0; (f = bob_format_get(i)) != NULL; i++)
		if (f->can_write && *f->suffixes != '\0' && n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    " %.*s", (int)strcspn(f->suffixes, " "),
			    f->suffixes);
	msg_hint("suffixes are%s; -t FORMAT allows any name", list);
}

static int
unknown_format(const struct output *o, const char *name)
{
	if (name != NULL && *name == '-') {
		(void)msg_usage("-t '%s' is not a format", name);
		msg_hint("py-spy's -t is --threads here");
		return EXIT_USAGE;
	}
	if (name != NULL)
		(void)msg_usage("no such format: %s", name);
	else if (output_is_stdout(o))
		(void)msg_usage("%s: no output format given",
		    o->args->command->name);
	else
		(void)msg_usage("%s: no format has this suffix", o->path);
	if (name == NULL && !output_is_stdout(o)) {
		hint_suffixes();
		return EXIT_USAGE;
	}
	if (name != NULL && hint_suffix(name))
		return EXIT_USAGE;
	msg_hint("-t FORMAT says what to write; 'bobbin formats' lists what "
	    "can be written");
	return EXIT_USAGE;
}

int
output_takes(const struct output *o, const char *key)
{
	const struct bob_option_info *i = o->format->options;

	for (; i != NULL && i->key != NULL; i++)
		if (strcmp(i->key, key) == 0)
			return 1;
	return 0;
}

int
output_has_option(const struct output *o, const char *key)
{
	size_t i;

	for (i = 0; i < o->n_options; i++)
		if (strcmp(o->options[i].key, key) == 0)
			return 1;
	return 0;
}

/* Where the format has no dialects, --dialect can only mean the input's. */
static int
is_dialect_of_input(struct output *o, const struct bob_option *option)
{
	if (strcmp(option->key, "dialect") != 0 || o->input_dialect == NULL ||
	    o->input_dialect->key != NULL)
		return 0;
	*o->input_dialect = *option;
	return 1;
}

/* Prints a hint that lists the formats with this option. */
static void
hint_formats(const struct output *o, const char *key)
{
	char list[BOB_MAX_TEXT] = "";
	struct opt opt;
	size_t i, n = 0;

	for (i = 0; opt_get(o->args->command, i, &opt); i++)
		if (opt.id == OPT_OF_FORMAT && strcmp(opt.name, key) == 0 &&
		    n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
			    "%s%s", n > 0 ? ", " : "", opt.formats);
	msg_hint("it is an option of %s", list);
}

/* Source is only shown from directories that the user names: a trace from a
 * stranger may name any file. */
static void
tell_source(const struct output *o)
{
	if (output_takes(o, "source") && !output_has_option(o, "source"))
		msg_note("no source shown: give --source DIR");
}

/* Refuses options that only other formats have. */
static int
check_options(struct output *o)
{
	size_t i, n = 0;

	for (i = 0; i < o->n_options; i++) {
		const struct bob_option given = o->options[i];

		if (output_takes(o, given.key)) {
			o->options[n++] = given;
		} else if (!is_dialect_of_input(o, &given)) {
			(void)msg_usage("%s has no option --%s",
			    o->format->name, given.key);
			hint_formats(o, given.key);
			return EXIT_USAGE;
		}
	}
	o->n_options = n;
	tell_source(o);
	return EXIT_OK;
}

/* A name that ends in .gz asks for a packed file. */
static int
pack_by_suffix(struct output *o)
{
	size_t n = output_is_stdout(o) ? 0 : strlen(o->path);

	if (n < 3 || strcmp(o->path + n - 3, ".gz") != 0 ||
	    !output_takes(o, "compress") || output_has_option(o, "compress"))
		return EXIT_OK;
	return output_add_option(o, "compress", NULL);
}

/* Finds a format by the suffix of a path; its name counts as one. */
static const struct bob_format_info *
format_of_output(const char *path)
{
	const struct bob_format_info *f = bob_format_of_path(path);
	const char *dot = strrchr(path, '.');

	return f != NULL || dot == NULL ? f : bob_format_named(dot + 1);
}

int
output_set_format(struct output *o, const char *forced, const char *fallback)
{
	const char *name = args_value(o->args, OPT_TO);

	if (forced != NULL && name != NULL && strcmp(name, forced) != 0) {
		(void)msg_usage("%s always writes %s",
		    o->args->spelling->name, forced);
		msg_hint("'bobbin convert -t %s' writes %s", name, name);
		return EXIT_USAGE;
	}
	if (forced != NULL)
		name = forced;
	if (name == NULL && !output_is_stdout(o))
		o->format = format_of_output(o->path);
	if (name == NULL && o->format == NULL)
		name = fallback;
	if (name != NULL)
		o->format = bob_format_named(name);
	if (o->format == NULL)
		return unknown_format(o, name);
	if (!o->format->can_write) {
		(void)msg_usage("%s can be read, but not written",
		    o->format->name);
		msg_hint("'bobbin formats' lists what can be written");
		return EXIT_USAGE;
	}
	if (pack_by_suffix(o) != EXIT_OK)
		return EXIT_FAILED;
	return check_options(o);
}

void
output_tell_plan(struct output *o, const char *lost)
{
	/* Several inputs of one format lose the same: once is enough. */
	if (*lost == '\0' || strcmp(o->lost, lost) == 0)
		return;
	(void)snprintf(o->lost, sizeof(o->lost), "%s", lost);
	if (o->tells_plan)
		msg_note("%s cannot carry: %s", o->format->name, lost);
}

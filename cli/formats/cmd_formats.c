/* bobbin formats: the formats of the library and their options. */
#include <stdio.h>
#include <string.h>

#include <bobbin/convert.h>

#include "args/args.h"
#include "print/json.h"
#include "print/plain.h"
#include "print/msg.h"

/* What a format can carry, in the words of bob_plan. */
static const char *
carries(const struct bob_format_info *f, char *buf, size_t cap)
{
	return bob_plan(f->caps, 0, buf, cap) != 0 ? buf : "sums per stack";
}

static void
print_options(const struct bob_option_info *o, const char *when)
{
	char buf[BOB_MAX_TEXT];

	for (; o != NULL && o->key != NULL; o++) {
		int n = printf("  %s--%s%s%s%s", color_on(stdout, "36"),
		    o->key, o->arg != NULL ? " " : "",
		    o->arg != NULL ? o->arg : "", color_off(stdout));

		n -= (int)(strlen(color_on(stdout, "36")) +
		    strlen(color_off(stdout)));
		if (n > 26)
			(void)putchar('\n');
		(void)snprintf(buf, sizeof(buf), "%s%s", when, o->help);
		plain_wrap(stdout, buf, n > 26 ? 0 : (size_t)n, 28, 79);
	}
}

static void
print_format(const struct bob_format_info *f)
{
	char buf[BOB_MAX_TEXT];

	(void)printf("%s%s%s: %s\n", color_on(stdout, "1"), f->name,
	    color_off(stdout), f->summary);
	(void)printf("  %s%s%s%s%s%s\n", f->can_read ? "read" : "",
	    f->can_read && f->can_write ? ", " : "",
	    f->can_write ? "written" : "", f->is_text ? ", text" : ", binary",
	    f->suffixes[0] != '\0' ? "; " : "", f->suffixes);
	(void)printf("  carries");
	plain_wrap(stdout, carries(f, buf, sizeof(buf)), 9, 10, 79);
	print_options(f->options, "");
	print_options(f->read_options, "when read: ");
}

static void
json_words(struct json *j, const char *key, const char *text, const char *sep)
{
	json_open(j, key, '[');
	while (*text != '\0') {
		size_t n = strcspn(text, sep);

		if (n > 0)
			json_bytes(j, NULL, text, n);
		text += n;
		text += strspn(text, ", ");
	}
	json_close(j, '[');
}

static void
json_options(struct json *j, const char *key, const struct bob_option_info *o)
{
	json_open(j, key, '[');
	for (; o != NULL && o->key != NULL; o++) {
		json_open(j, NULL, '{');
		json_str(j, "key", o->key);
		if (o->arg != NULL)
			json_str(j, "arg", o->arg);
		else
			json_null(j, "arg");
		json_str(j, "help", o->help);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void
json_format(struct json *j, const struct bob_format_info *f)
{
	char buf[BOB_MAX_TEXT];

	json_open(j, NULL, '{');
	json_str(j, "name", f->name);
	json_str(j, "summary", f->summary);
	json_words(j, "suffixes", f->suffixes, " ");
	json_bool(j, "can_read", f->can_read);
	json_bool(j, "can_write", f->can_write);
	json_bool(j, "is_text", f->is_text);
	(void)bob_plan(f->caps, 0, buf, sizeof(buf));
	json_words(j, "carries", buf, ",");
	json_options(j, "options", f->options);
	json_options(j, "read_options", f->read_options);
	json_close(j, '{');
	json_end(j);
}

int
cmd_formats(const struct args *args)
{
	struct json j = { .f = stdout };
	const struct bob_format_info *f;
	size_t i;

	for (i = 0; (f = bob_format_get(i)) != NULL; i++) {
		if (args_has(args, OPT_JSON)) {
			json_format(&j, f);
			continue;
		}
		if (i > 0)
			(void)putchar('\n');
		print_format(f);
	}
	return EXIT_OK;
}

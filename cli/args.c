/*
 * The parser. It knows no option by name; what it cannot place it compares
 * with everything that could have been meant.
 */
#include "args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "msg.h"

/* Names longer than this are nobody's typing mistake. */
#define MAX_NAME 32

static size_t
smallest(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* How many letters must be changed, added, dropped or swapped to get from one
 * name to the other. */
static size_t
distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[3][MAX_NAME + 1]; /* two rows above and the current one */
	size_t i, j;

	for (j = 0; j <= m; j++)
		row[0][j] = j;
	for (i = 1; i <= n; i++) {
		size_t *cur = row[i % 3], *up = row[(i + 2) % 3];
		size_t *up2 = row[(i + 1) % 3];

		cur[0] = i;
		for (j = 1; j <= m; j++) {
			cur[j] = smallest(up[j] + 1, cur[j - 1] + 1,
			    up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && up2[j - 2] + 1 < cur[j])
				cur[j] = up2[j - 2] + 1;
		}
	}
	return row[n % 3][m];
}

/* How far a typed name is from a real one: 0 for a beginning of it. */
static size_t
mistake(const char *typed, size_t n, const char *real)
{
	size_t m = strlen(real);

	if (n == 0 || n > MAX_NAME || m > MAX_NAME)
		return SIZE_MAX;
	if (n < m && memcmp(typed, real, n) == 0)
		return 0;
	return distance(typed, n, real, m);
}

/* A mistake that is worth a suggestion: a third of the letters at most. */
static int
is_close(size_t d, size_t n)
{
	return d <= (n < 3 ? 0 : n < 6 ? 1 : 2);
}

/* msg_usage with the command in front, and where to read on. */
static int BOB_PRINTF(2, 3)
complain(const struct args *a, const char *fmt, ...)
{
	const char *name = a->command != NULL ? a->command->name : "";
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)msg_usage("%s%s%s", name, *name != '\0' ? ": " : "", text);
	msg_hint("'bobbin help%s%s' lists all options",
	    *name != '\0' ? " " : "", name);
	return EXIT_USAGE;
}

static int
unknown_option(const struct args *a, const char *name, size_t n)
{
	const char *best = NULL;
	size_t best_d = SIZE_MAX, d, i;
	struct opt o;

	for (i = 0; opt_get(a->command, i, &o); i++) {
		d = o.is_hidden ? SIZE_MAX : mistake(name, n, o.name);
		if (d < best_d && is_close(d, n)) {
			best = o.name;
			best_d = d;
		}
	}
	return complain(a, "unknown option --%.*s%s%s%s",
	    (int)(n < 64 ? n : 64), name,
	    best != NULL ? " (did you mean --" : "",
	    best != NULL ? best : "", best != NULL ? "?)" : "");
}

static int
unknown_command(const char *name)
{
	const struct command *c;
	const char *best = NULL;
	size_t n = strlen(name), best_d = SIZE_MAX, i;

	for (i = 0; (c = command_get(i)) != NULL; i++) {
		size_t d = mistake(name, n, c->name);

		if (d < best_d && is_close(d, n)) {
			best = c->name;
			best_d = d;
		}
	}
	(void)msg_usage("unknown command '%s'%s%s%s", name,
	    best != NULL ? " (did you mean " : "", best != NULL ? best : "",
	    best != NULL ? "?)" : "");
	if (best == NULL && access(name, R_OK) == 0)
		msg_hint("'bobbin info %s' tells what is in that file", name);
	else
		msg_hint("'bobbin help' lists all commands");
	return EXIT_USAGE;
}

static void
add_option(struct args *a, const struct opt *o, const char *value)
{
	a->opts[a->n_opts++] = (struct arg){ *o, value };
}

/* A word that begins with two dashes; *next is the word behind it, or NULL. */
static int
parse_long(struct args *a, const char *word, char *const **next)
{
	size_t n = strcspn(word, "=");
	const char *value = word[n] == '=' ? word + n + 1 : NULL;
	struct opt o;

	if (!opt_named(a->command, word, n, &o))
		return unknown_option(a, word, n);
	if (o.arg == NULL && value != NULL)
		return complain(a, "--%s takes no value", o.name);
	if (o.arg != NULL && value == NULL && !o.may_be_bare) {
		if (**next == NULL)
			return complain(a, "--%s needs a value: %s", o.name,
			    o.arg);
		value = *(*next)++;
	}
	add_option(a, &o, value);
	return EXIT_OK;
}

/* A word that begins with one dash: switches, the last perhaps with value. */
static int
parse_short(struct args *a, const char *word, char *const **next)
{
	for (; *word != '\0'; word++) {
		struct opt o;
		char letter = *word;
		const char *value = word + 1;

		if (letter == 'f' && a->spelling != NULL &&
		    a->spelling->f_is_to)
			letter = 't';
		if (!opt_lettered(a->command, letter, &o))
			return complain(a, "unknown option -%c", *word);
		if (o.arg == NULL) {
			add_option(a, &o, NULL);
			continue;
		}
		if (*value == '\0') {
			if (**next == NULL)
				return complain(a, "-%c needs a value: %s",
				    *word, o.arg);
			value = *(*next)++;
		}
		add_option(a, &o, value);
		break;
	}
	return EXIT_OK;
}

static int
parse_operand(struct args *a, const char *word)
{
	if (a->command == NULL) {
		a->command = command_named(word, &a->spelling);
		return a->command == NULL ? unknown_command(word) : EXIT_OK;
	}
	if (a->n_operands == a->command->max_operands) {
		(void)msg_usage("%s: '%s' is one operand too many",
		    a->command->name, word);
		msg_hint("usage: bobbin %s %s", a->command->name,
		    a->command->synopsis);
		return EXIT_USAGE;
	}
	a->operands[a->n_operands++] = word;
	return EXIT_OK;
}

/* Each letter of each word could be a switch. */
static size_t
most_options(char *const *argv)
{
	size_t n = 1;

	for (; *argv != NULL; argv++)
		n += strlen(*argv);
	return n;
}

int
args_parse(struct args *a, int argc, char *const *argv)
{
	char *const *next = argv + (argc > 0);
	int only_operands = 0, r = EXIT_OK;

	memset(a, 0, sizeof(*a));
	a->opts = calloc(most_options(argv), sizeof(*a->opts));
	a->operands = calloc((size_t)argc + 1, sizeof(*a->operands));
	if (a->opts == NULL || a->operands == NULL) {
		msg_error("out of memory");
		return EXIT_FAILED;
	}
	while (r == EXIT_OK && *next != NULL) {
		const char *word = *next++;

		if (only_operands || word[0] != '-' || word[1] == '\0')
			r = parse_operand(a, word);
		else if (word[1] != '-')
			r = parse_short(a, word + 1, &next);
		else if (word[2] != '\0')
			r = parse_long(a, word + 2, &next);
		else
			only_operands = 1;
	}
	return r;
}

void
args_done(struct args *a)
{
	free(a->opts);
	free(a->operands);
}

const char *
args_value(const struct args *a, int id)
{
	size_t i;

	for (i = a->n_opts; i > 0; i--)
		if (a->opts[i - 1].opt.id == id)
			return a->opts[i - 1].value;
	return NULL;
}

int
args_has(const struct args *a, int id)
{
	return args_count(a, id) > 0;
}

size_t
args_count(const struct args *a, int id)
{
	size_t n = 0, i;

	for (i = 0; i < a->n_opts; i++)
		n += a->opts[i].opt.id == id;
	return n;
}

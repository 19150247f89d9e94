/*
 * The parser of the command line. It knows no option by name. For an unknown
 * name it suggests the most similar one.
 */
#include <bobbin/when.h>

#include "args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/msg.h"
#include "system/clock.h"
#include "spellings.h"

/* Longer names get no suggestion. */
#define MAX_NAME 32

static size_t
smallest(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* The edit distance: letters that are changed, added, dropped or swapped. */
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

/* How far a typed name is from a real one; 0 if it is a prefix of it. */
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

/* True if a mistake is small enough for a suggestion. */
static int
is_close(size_t d, size_t n)
{
	return d <= (n < 3 ? 0 : n < 6 ? 1 : 2);
}

/* msg_usage with the name of the command, and a hint at its help. */
static int BOB_PRINTF(2, 3)
complain(const struct args *a, const char *fmt, ...)
{
	const char *name = a->spelling != NULL ? a->spelling->name :
	    a->command != NULL ? a->command->name : "";
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)msg_usage("%s%s%s", name, *name != '\0' ? ": " : "", text);
	msg_hint("'bobbin %s%s--help-all' lists all options", name,
	    *name != '\0' ? " " : "");
	return EXIT_USAGE;
}

/* Commands about the bytes of files. */
static int
store_is_none(const struct command *c)
{
	(void)msg_usage("%s: --store: it reads files, not what a store has",
	    c->name);
	msg_hint("'bobbin query DIR -o FILE' makes a file of it; 'bobbin store "
	    "--check DIR' looks for damage");
	return EXIT_USAGE;
}

static int
unknown_option(const struct args *a, const char *name, size_t n)
{
	const char *best = NULL;
	size_t best_d = SIZE_MAX, d, i;
	struct opt o;

	if (a->command != NULL && (a->command->bit & CMD_READING) != 0 &&
	    n == 5 && memcmp(name, "store", n) == 0)
		return store_is_none(a->command);
	for (i = 0; opt_get(a->command, i, &o); i++) {
		d = o.is_hidden ? SIZE_MAX : mistake(name, n, o.name);
		/* Of equally close names, the shortest. */
		if (is_close(d, n) && (best == NULL || d < best_d ||
		    (d == best_d && strlen(o.name) < strlen(best)))) {
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
		msg_hint("'bobbin info %s' shows what is in that file", name);
	else
		msg_hint("'bobbin help' lists all commands");
	return EXIT_USAGE;
}

/* A moment, or for diff a range of them. */
static int
is_when(const struct command *c, const char *value)
{
	uint64_t t;

	return bob_when(value, clock_us(CLOCK_REALTIME), &t) ||
	    (c->bit == CMD_DIFF && strstr(value, "..") != NULL);
}

/* --from and --to take a format or a moment. No format is called like one. */
static struct opt
told_apart(const struct args *a, const struct opt *o, const char *value)
{
	struct opt to = *o;

	if ((o->id != OPT_FROM && o->id != OPT_TO) || a->command == NULL ||
	    (a->command->bit & (o->id == OPT_FROM ? CMD_OF_STORES
	        : CMD_ASKING)) == 0 || !is_when(a->command, value))
		return to;
	to.id = o->id == OPT_FROM ? OPT_SINCE : OPT_UNTIL;
	to.group = GROUP_FILTER;
	return to;
}

static int
add_option(struct args *a, const struct opt *o, const char *value)
{
	size_t cap = 2 * a->cap_opts + 16;
	struct arg *v;

	if (a->n_opts == a->cap_opts) {
		v = realloc(a->opts, cap * sizeof(*v));
		if (v == NULL)
			return msg_no_memory();
		a->opts = v;
		a->cap_opts = cap;
	}
	a->opts[a->n_opts++] = (struct arg){ told_apart(a, o, value), value };
	return EXIT_OK;
}

/* Makes a text that lives as long as the arguments: the n bytes at s, with the
 * value in place of a star. NULL: out of memory. */
static const char *
make_value(struct args *a, const char *s, size_t n, const char *value)
{
	const char *star = memchr(s, '*', n);
	char **made = realloc(a->made, (a->n_made + 1) * sizeof(*made));
	size_t room = n + (value != NULL ? strlen(value) : 0) + 1;
	char *text = malloc(room);

	if (made != NULL)
		a->made = made;
	if (made == NULL || text == NULL) {
		free(text);
		return NULL;
	}
	a->made[a->n_made++] = text;
	if (star == NULL || value == NULL)
		(void)snprintf(text, room, "%.*s", (int)n, s);
	else
		(void)snprintf(text, room, "%.*s%s%.*s", (int)(star - s), s,
		    value, (int)(s + n - star - 1), star + 1);
	return text;
}

/* Adds one of our options: the n bytes at s are NAME or NAME=VALUE. */
static int
add_ours(struct args *a, const char *s, size_t n, const char *value)
{
	const char *sign = memchr(s, '=', n), *text = NULL;
	size_t n_name = sign != NULL ? (size_t)(sign - s) : n;
	struct opt o;

	if (!opt_named(a->command, s, n_name, &o))
		return unknown_option(a, s, n_name);
	if (sign != NULL) {
		text = make_value(a, sign + 1, n - n_name - 1, value);
		if (text == NULL)
			return msg_no_memory();
	}
	return add_option(a, &o, text);
}

/* Adds our options for one of another profiler; `is` as in struct respelled. */
static int
add_meaning(struct args *a, const char *is, const char *value)
{
	int r = EXIT_OK;
	size_t n;

	for (; r == EXIT_OK && *is != '\0'; is += n + strspn(is + n, " ")) {
		n = strcspn(is, " ");
		r = add_ours(a, is, n, value);
	}
	return r;
}

/* Adds what the spelling of the command implies, unless options say
 * otherwise. */
static int
add_implied(struct args *a)
{
	const struct implied *i = a->spelling != NULL ? a->spelling->implied
	                                              : NULL;
	int r = EXIT_OK;

	for (; r == EXIT_OK && i != NULL && i->is != NULL; i++)
		if (!args_has(a, i->unless[0]) && !args_has(a, i->unless[1]))
			r = add_meaning(a, i->is, NULL);
	return r;
}

/* An option that was typed: one of ours, or of another profiler. */
struct found {
	struct opt opt;
	const struct respelled *other; /* NULL: ours */
};

static void
found_other(struct found *ret, const struct respelled *r)
{
	ret->other = r;
	ret->opt = (struct opt){ .letter = r->letter, .name = r->name,
		.arg = r->arg,
		.may_be_bare = (r->flags & RESPELLED_BARE) != 0 };
}

/* Finds an option by its letter, or by its name if letter is 0. Options of the
 * spelling come first, then our own, then those of other profilers that the
 * command takes. Returns 1 and sets *ret; 0 if there is none. */
static int
find_option(const struct args *a, const char *name, size_t n, char letter,
    struct found *ret)
{
	const struct respelled *lists[2] = { NULL, NULL }, *r;
	int i;

	if (a->spelling != NULL)
		lists[0] = a->spelling->options;
	if (a->command != NULL)
		lists[1] = a->command->respelled;
	for (i = 0; i < 2; i++) {
		r = letter != 0 ? respelled_lettered(lists[i], letter)
		                : respelled_named(lists[i], name, n);
		if (r != NULL) {
			found_other(ret, r);
			return 1;
		}
		ret->other = NULL;
		if (i == 0 && (letter != 0
		        ? opt_lettered(a->command, letter, &ret->opt)
		        : opt_named(a->command, name, n, &ret->opt)))
			return 1;
	}
	return 0;
}

static int
refuse(const struct args *a, const struct respelled *r)
{
	/* NOLINT(clang-analyzer-core.NullDereference): a spelling is one of a
	 * command. */
	const char *name = a->command->name;

	if (r->name != NULL)
		(void)msg_usage("%s: bobbin has no --%s", name, r->name);
	else
		(void)msg_usage("%s: bobbin has no -%c", name, r->letter);
	msg_hint("%s", r->is);
	return EXIT_USAGE;
}

static int
add_found(struct args *a, const struct found *f, const char *value)
{
	if (f->other != NULL && (f->other->flags & RESPELLED_REFUSED) != 0)
		return refuse(a, f->other);
	if (f->other != NULL)
		return add_meaning(a, respelled_meaning(f->other, value),
		    value);
	return add_option(a, &f->opt, value);
}

/* True if a word is one of "a|b|N"; N stands for any number. */
static int
is_one_of(const char *list, const char *word)
{
	size_t len = strlen(word), n;

	for (;; list += n + 1) {
		n = strcspn(list, "|");
		if (n == len && memcmp(list, word, n) == 0)
			return 1;
		if (*list >= 'A' && *list <= 'Z' && len > 0 &&
		    strspn(word, "0123456789") == len)
			return 1;
		if (list[n] == '\0')
			return 0;
	}
}

/* True if the next word is the value of an option. */
static int
takes_next(const struct opt *o, const char *next)
{
	if (!o->may_be_bare)
		return 1;
	return next != NULL && strchr(o->arg, '|') != NULL &&
	    is_one_of(o->arg, next);
}

static int
begins_rest(const struct found *f)
{
	return f->other != NULL && (f->other->flags & RESPELLED_REST) != 0;
}

/* Parses a word behind two dashes; *next points to the word after it. */
static int
parse_long(struct args *a, const char *word, char *const **next)
{
	size_t n = strcspn(word, "=");
	const char *value = word[n] == '=' ? word + n + 1 : NULL;
	struct found f;

	if (!find_option(a, word, n, 0, &f))
		return unknown_option(a, word, n);
	if (f.opt.arg == NULL && value != NULL)
		return complain(a, "--%s takes no value", f.opt.name);
	if (f.opt.arg != NULL && value == NULL && takes_next(&f.opt, **next)) {
		if (**next == NULL)
			return complain(a, "--%s needs a value: %s",
			    f.opt.name, f.opt.arg);
		value = *(*next)++;
	}
	return add_found(a, &f, value);
}

/* Parses a word behind one dash: switches; the last may have a value. */
static int
parse_short(struct args *a, const char *word, char *const **next)
{
	int r = EXIT_OK;

	for (; r == EXIT_OK && *word != '\0'; word++) {
		const char *value = word + 1;
		struct found f;

		if (!find_option(a, NULL, 0, *word, &f))
			return complain(a, "unknown option -%c", *word);
		if (f.opt.arg == NULL) {
			r = add_found(a, &f, NULL);
			continue;
		}
		if (*value == '\0') {
			if (**next == NULL)
				return complain(a, "-%c needs a value: %s",
				    *word, f.opt.arg);
			value = *(*next)++;
		}
		return add_found(a, &f, value);
	}
	return r;
}

/* True if this word and all after it are operands. */
static int
is_rest(const struct args *a, const char *word)
{
	struct found f;

	if (a->spelling == NULL || a->spelling->operands != OPERANDS_SCRIPT)
		return 0;
	if (word[0] != '-')
		return 1;
	return word[1] == '-'
	    ? find_option(a, word + 2, strlen(word + 2), 0, &f) &&
	        begins_rest(&f)
	    : find_option(a, NULL, 0, word[1], &f) && begins_rest(&f);
}

/* The directory of bobbin query. */
static int
parse_store(struct args *a, const char *word)
{
	if (!args_has(a, OPT_STORE))
		return add_ours(a, "store=*", 7, word);
	(void)msg_usage("%s: '%s' is one argument too many", a->spelling->name,
	    word);
	msg_hint("a question is asked to one store; its hosts are "
	    "subdirectories");
	return EXIT_USAGE;
}

static int
parse_operand(struct args *a, const char *word)
{
	if (a->command == NULL) {
		a->command = command_named(word, &a->spelling);
		return a->command == NULL ? unknown_command(word) : EXIT_OK;
	}
	if (a->spelling != NULL && a->spelling->operands == OPERANDS_STORE)
		return parse_store(a, word);
	if (a->n_operands == a->command->max_operands) {
		(void)msg_usage("%s: '%s' is one argument too many",
		    a->command->name, word);
		msg_hint("usage: bobbin %s %s", a->command->name,
		    a->command->synopsis);
		return EXIT_USAGE;
	}
	a->operands[a->n_operands++] = word;
	return EXIT_OK;
}

int
args_parse(struct args *a, int argc, char *const *argv)
{
	char *const *next = argv + (argc > 0);
	int only_operands = 0, has_dashes = 0, r = EXIT_OK;

	memset(a, 0, sizeof(*a));
	a->operands = calloc((size_t)argc + 1, sizeof(*a->operands));
	if (a->operands == NULL)
		return msg_no_memory();
	while (r == EXIT_OK && *next != NULL) {
		const char *word = *next++;

		if (a->command != NULL && is_rest(a, word))
			only_operands = 1;
		if (only_operands || word[0] != '-' || word[1] == '\0')
			r = parse_operand(a, word);
		else if (word[1] != '-')
			r = parse_short(a, word + 1, &next);
		else if (word[2] != '\0')
			r = parse_long(a, word + 2, &next);
		else {
			only_operands = has_dashes = 1;
			a->n_plain = a->n_operands;
		}
	}
	if (!has_dashes)
		a->n_plain = a->n_operands;
	return r == EXIT_OK ? add_implied(a) : r;
}

void
args_done(struct args *a)
{
	size_t i;

	for (i = 0; i < a->n_made; i++)
		free(a->made[i]);
	free(a->made);
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

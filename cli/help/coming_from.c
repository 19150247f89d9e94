/*
 * `bobbin help coming-from`: what users of other profilers type, and what that
 * is here. The options come from the tables of args/spellings.h, which the
 * parser uses; the command lines are here, and tests/cli/test_help.py checks
 * that bobbin knows every option in them.
 */
#include "help.h"

#include <string.h>
#include <strings.h>

#include "args/spellings.h"
#include "print/msg.h"
#include "print/plain.h"

#define WIDTH 79
#define COLUMN 38

struct line {
	const char *theirs, *ours;
};

struct profiler {
	const char *name, *also; /* another name, or NULL */
	const char *whose;       /* in struct spelling, or NULL */
	const char *note;
	int is_respelled; /* bobbin takes some of its options as they are */
	struct line lines[10]; /* end with a NULL */
};

#define TACHYON "python -m profiling.sampling "

static const struct profiler profilers[] = {
	{ "py-spy", NULL, NULL,
	    "bobbin takes py-spy's words: write bobbin for py-spy. -d is "
	    "seconds unless it has a unit. All threads are sampled; reports "
	    "set idle ones aside.", 1, {
		{ "py-spy record -o x.svg --pid 12",
		    "bobbin record -o x.svg -p 12" },
		{ "py-spy record -o x.svg -- python a.py",
		    "bobbin record -o x.svg -- python a.py" },
		{ "py-spy record -f speedscope --pid 12",
		    "bobbin record -t speedscope -p 12" },
		{ "py-spy record -s --native --pid 12",
		    "bobbin record --subprocesses --native -p 12" },
		{ "py-spy record --gil --pid 12",
		    "bobbin record --mode gil -p 12" },
		{ "py-spy top --pid 12", "bobbin top -p 12" },
		{ "py-spy dump --pid 12", "bobbin stack -p 12" },
		{ "py-spy dump --locals --pid 12",
		    "bobbin stack --locals -p 12" },
		{ NULL, NULL } } },
	{ "phpspy", NULL, NULL,
	    "bobbin reads phpspy's text and writes it (-t phpspy).", 0, {
		{ "phpspy -p 12 -o traces", "bobbin record -t phpspy -p 12 "
		    "-o traces" },
		{ "phpspy -P '-x php-fpm'", "bobbin record -P php-fpm" },
		{ "phpspy -H 999 -i 30000 -p 12",
		    "bobbin record -r 999 -d 30s -p 12" },
		{ "phpspy -r cup -p 12", "bobbin record --request --cookie "
		    "-p 12" },
		{ "phpspy -m -p 12", "bobbin record --memory -p 12" },
		{ "phpspy -g server.REQUEST_URI -p 12",
		    "bobbin record --trace-var "
		    "'global::$_SERVER[REQUEST_URI]' -p 12" },
		{ "phpspy -S -p 12", "bobbin record --pause -p 12" },
		{ "phpspy -t -p 12", "bobbin top -p 12" },
		{ NULL, NULL } } },
	{ "reli", NULL, "reli",
	    "bobbin takes reli's commands and their options; these are our "
	    "own words for them.", 0, {
		{ "reli inspector:trace -p 12",
		    "bobbin record -t phpspy -p 12 -o -" },
		{ "reli inspector:trace -F rbt -p 12 -o t.rbt",
		    "bobbin record -p 12 -o t.rbt" },
		{ "reli inspector:daemon -P php-fpm",
		    "bobbin daemon -P php-fpm" },
		{ "reli inspector:top -P php-fpm", "bobbin top -P php-fpm" },
		{ "reli rbt:analyze t.rbt", "bobbin analyze t.rbt" },
		{ "reli rbt:explore t.rbt", "bobbin explore t.rbt" },
		{ "reli rbt:recover < t.rbt", "bobbin recover t.rbt" },
		{ "reli converter:speedscope < t.rbt",
		    "bobbin convert -t speedscope t.rbt" },
		{ NULL, NULL } } },
	{ "austin", NULL, NULL,
	    "bobbin reads austin's text.", 0, {
		{ "austin -o x.austin python a.py",
		    "bobbin record -- python a.py" },
		{ "austin -i 10ms -x 30 -p 12",
		    "bobbin record --period 10ms -d 30s -p 12" },
		{ "austin -C -p 12", "bobbin record --subprocesses -p 12" },
		{ "austin -s -p 12", "bobbin record --mode cpu -p 12" },
		{ "austin -w 12", "bobbin stack -p 12" },
		{ "austinp -p 12", "bobbin record --native -p 12" },
		{ "austin-tui -p 12", "bobbin top -p 12" },
		{ NULL, NULL } } },
	{ "perf", NULL, NULL,
	    "bobbin reads the text of perf script. perf sees C and the kernel, "
	    "bobbin PHP and Python, with --native also C.", 0, {
		{ "perf record -g -p 12 -- sleep 30",
		    "bobbin record --native -d 30s -p 12" },
		{ "perf record -F 999 -g -p 12",
		    "bobbin record --native -r 999 -p 12" },
		{ "perf record -g ./program",
		    "bobbin record --native-only -- ./program" },
		{ "perf report", "bobbin explore FILE" },
		{ "perf report --stdio", "bobbin analyze FILE" },
		{ "perf report --no-children", "bobbin analyze --sections self "
		    "FILE" },
		{ "perf top -p 12", "bobbin top -p 12" },
		{ "perf diff a.data b.data", "bobbin diff a.rbt b.rbt" },
		{ "perf script", "bobbin dump FILE" },
		{ NULL, NULL } } },
	{ "Tachyon", "cpython", "CPython's profiler",
	    "CPython's profiler, `" TACHYON "...`. bobbin takes its commands "
	    "and most of its options, and reads and writes its binary "
	    "profiles.", 1, {
		{ "... run script.py", "bobbin run script.py" },
		{ "... run --flamegraph -o x.html a.py",
		    "bobbin record -o x.html -- python a.py" },
		{ "... run -r 10khz -d 60 a.py",
		    "bobbin record -r 10k -d 60s -- python a.py" },
		{ "... attach -a 12", "bobbin record -p 12" },
		{ "... attach --live 12", "bobbin top -p 12" },
		{ "... attach --async-aware 12",
		    "bobbin record --async running -p 12" },
		{ "... dump 12", "bobbin stack -p 12" },
		{ "... replay --flamegraph -o x.html p.bin",
		    "bobbin convert -o x.html p.bin" },
		{ NULL, NULL } } },
};

#define N_PROFILERS (sizeof(profilers) / sizeof(profilers[0]))

static int
is_named(const struct profiler *p, const char *name)
{
	return name == NULL || strcasecmp(p->name, name) == 0 ||
	    (p->also != NULL && strcasecmp(p->also, name) == 0);
}

/* Where a page of options goes: to the terminal, or into a man page. */
struct page {
	FILE *f;
	int is_man;
};

static void
heading(const struct page *page, const char *before, const char *what)
{
	char text[80];

	if (page->is_man) {
		(void)fprintf(page->f, "## %s%s\n\n", before, what);
		return;
	}
	(void)snprintf(text, sizeof(text), "%s%s", before, what);
	help_title(page->f, text);
}

static void
entry(const struct page *page, const char *left, const char *right)
{
	if (page->is_man)
		man_entry(page->f, left, right);
	else
		help_entry(page->f, left, right, COLUMN);
}

static void
put_options(const struct page *page, const char *of, const char *command,
    const struct respelled *r)
{
	char left[80], right[512];

	if (r == NULL)
		return;
	heading(page, of, command);
	for (; r->is != NULL; r++) {
		respelled_left(r, left, sizeof(left));
		respelled_right(r, right, sizeof(right));
		entry(page, left, right);
	}
}

/* The options that the parser takes from users of this profiler. */
static void
put_all_options(const struct page *page, const struct profiler *p)
{
	const struct spelling *s;
	const struct command *c;
	size_t i;

	for (i = 0; (c = command_get(i)) != NULL; i++) {
		/* A man page has those of all profilers once. */
		if (p->is_respelled && (!page->is_man || p->whose == NULL))
			put_options(page, "Options of bobbin ", c->name,
			    c->respelled);
		s = p->whose != NULL ? c->spellings : NULL;
		for (; s != NULL && s->name != NULL; s++)
			if (s->whose != NULL && strcmp(s->whose, p->whose) == 0)
				put_options(page, "Options of bobbin ",
				    s->name, s->options);
	}
}

static void
put_lines(const struct page *page, const struct profiler *p)
{
	const struct line *l;

	heading(page, p->name, "");
	if (page->is_man) {
		man_put(page->f, p->note, "");
		(void)fputs("\n\n", page->f);
	} else {
		(void)fputs("  ", page->f);
		plain_wrap(page->f, p->note, 2, 2, WIDTH);
	}
	for (l = p->lines; l->theirs != NULL; l++)
		entry(page, l->theirs, l->ours);
}

int
coming_from(FILE *f, const char *name)
{
	const struct page page = { f, 0 };
	int is_any = 0;
	size_t i;

	for (i = 0; i < N_PROFILERS; i++)
		is_any |= is_named(&profilers[i], name);
	if (!is_any)
		return 0;
	(void)fprintf(f, "%sbobbin help %s%s: what you type there, and here\n",
	    color_on(f, "1"), COMING_FROM, color_off(f));
	for (i = 0; i < N_PROFILERS; i++) {
		if (!is_named(&profilers[i], name))
			continue;
		put_lines(&page, &profilers[i]);
		if (name != NULL)
			put_all_options(&page, &profilers[i]);
	}
	if (name == NULL)
		(void)fputs("\n'bobbin help " COMING_FROM " py-spy': its "
		    "options too; reli and Tachyon also.\n", f);
	return 1;
}

void
coming_from_names(char *buf, size_t cap)
{
	size_t i, n = 0;

	for (i = 0; i < N_PROFILERS && n < cap; i++)
		n += (size_t)snprintf(buf + n, cap - n, "%s%s",
		    i > 0 ? ", " : "", profilers[i].name);
}

void
coming_from_man(FILE *f)
{
	const struct page page = { f, 1 };
	size_t i;

	man_head(f, "-", COMING_FROM, "what users of other profilers type, "
	    "and what that is here");
	(void)fputs("*bobbin help* " COMING_FROM " \\[_PROFILER_]\n\n"
	    "# PROFILERS\n\n", f);
	for (i = 0; i < N_PROFILERS; i++)
		put_lines(&page, &profilers[i]);
	(void)fputs("# OPTIONS\n\n", f);
	for (i = 0; i < N_PROFILERS; i++)
		if (profilers[i].whose != NULL || profilers[i].is_respelled) {
			man_put(f, profilers[i].name, "");
			(void)fputs(":\n\n", f);
			put_all_options(&page, &profilers[i]);
		}
	man_see_also(f, NULL);
}

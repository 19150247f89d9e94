/*
 * Completions for shells. The scripts contain everything as literals, so that
 * completing never starts bobbin; only process ids are looked up when needed.
 *
 * Descriptions are in single quotes; words to choose from are names and need no
 * quotes.
 */
#include "completion.h"

#include <string.h>

#include "help/help.h"

/* Words to choose from, a space between. */
static void
choices(FILE *f, const char *arg)
{
	const char *word = NULL;
	size_t i, n;

	for (i = 0; (n = help_choice(arg, i, &word)) > 0; i++)
		(void)fprintf(f, "%s%.*s", i > 0 ? " " : "", (int)n, word);
}

static int
is_choice(const char *arg)
{
	const char *word;

	return help_choice(arg, 0, &word) > 0;
}

static int
is_file(const char *arg)
{
	return arg != NULL && strcmp(arg, "FILE") == 0;
}

/* True if the value is a process id. */
static int
is_pid(const char *arg)
{
	return arg != NULL && strcmp(arg, "PID") == 0;
}

#define BASH_PIDS "$(pgrep -f 'php|python' 2>/dev/null)"

/* True for the first of several options of one name (formats may share
 * some). */
static int
is_first(const struct command *c, size_t i, const char *name)
{
	struct opt o;
	size_t k;

	for (k = 0; k < i && opt_get(c, k, &o); k++)
		if (strcmp(o.name, name) == 0)
			return 0;
	return 1;
}

/* The i-th option that a completion should offer, as opt_get; hidden and
 * doubled ones come back with an empty name. */
static int
offer(const struct command *c, size_t i, struct opt *ret)
{
	if (!opt_get(c, i, ret))
		return 0;
	if (ret->is_hidden || !is_first(c, i, ret->name))
		ret->name = "";
	return 1;
}

/* --- bash ------------------------------------------------------------- */

/* The values of each option of a command. */
static void
bash_values(FILE *f, const struct command *c)
{
	struct opt o;
	size_t i;

	for (i = 0; offer(c, i, &o); i++) {
		if (o.arg == NULL || *o.name == '\0' || is_file(o.arg) ||
		    o.may_be_bare)
			continue;
		(void)fprintf(f, "\t%s:--%s", c->name, o.name);
		if (o.letter != 0)
			(void)fprintf(f, " | %s:-%c", c->name, o.letter);
		(void)fputs(") words=\"", f);
		if (is_pid(o.arg))
			(void)fputs(BASH_PIDS, f);
		choices(f, o.arg);
		(void)fputs("\" ;;\n", f);
	}
}

static void
bash_words(FILE *f, const struct command *c)
{
	struct opt o;
	size_t i;

	(void)fprintf(f, "\t%s:-*) words=\"", c->name);
	for (i = 0; offer(c, i, &o); i++)
		if (*o.name != '\0')
			(void)fprintf(f, "%s--%s", i > 0 ? " " : "", o.name);
	(void)fputs("\" ;;\n", f);
	if (is_choice(c->operand) || is_pid(c->operand)) {
		(void)fprintf(f, "\t%s:*) words=\"", c->name);
		if (is_pid(c->operand))
			(void)fputs(BASH_PIDS, f);
		choices(f, c->operand);
		(void)fputs("\" ;;\n", f);
	}
}

static void
bash(FILE *f)
{
	const struct command *c;
	size_t i;

	(void)fputs(
	    "# bash completion for bobbin, made by `bobbin completion bash`\n"
	    "_bobbin()\n"
	    "{\n"
	    "\tlocal cur prev cmd= words= i\n"
	    "\tcur=${COMP_WORDS[COMP_CWORD]}\n"
	    "\tprev=${COMP_WORDS[COMP_CWORD-1]}\n"
	    "\t# bash splits --name=value at the sign.\n"
	    "\tif [[ $cur == = ]]; then\n"
	    "\t\tcur=\n"
	    "\telif [[ $prev == = ]]; then\n"
	    "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	    "\tfi\n"
	    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	    "\t\tif [[ ${COMP_WORDS[i]} != -* ]]; then\n"
	    "\t\t\tcmd=${COMP_WORDS[i]}\n"
	    "\t\t\tbreak\n"
	    "\t\tfi\n"
	    "\tdone\n"
	    "\tCOMPREPLY=()\n"
	    "\tcase $cmd:$prev in\n", f);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		bash_values(f, c);
	(void)fputs("\t*) words=- ;;\n\tesac\n"
	    "\tif [[ $words != - ]]; then\n"
	    "\t\t# Numbers and patterns are no files.\n"
	    "\t\tcompopt +o default 2>/dev/null\n"
	    "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	    "\t\treturn\n"
	    "\tfi\n"
	    "\tcase $cmd:$cur in\n"
	    "\t:*) words=\"", f);
	choices(f, "COMMAND");
	(void)fputs(" --help --version\" ;;\n", f);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		bash_words(f, c);
	(void)fputs("\t*) words= ;;\n\tesac\n"
	    "\tif [[ -n $words ]]; then\n"
	    "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	    "\tfi\n"
	    "}\n"
	    "complete -o default -F _bobbin bobbin\n", f);
}

/* --- zsh -------------------------------------------------------------- */

/* A description between brackets or behind a colon, in single quotes. */
static void
zsh_text(FILE *f, const char *s)
{
	for (; *s != '\0'; s++) {
		if (strchr("[]:\\", *s) != NULL)
			(void)fputc('\\', f);
		(void)fputs(*s == '\'' ? "'\\'" : "", f);
		(void)fputc(*s, f);
	}
}

static void
zsh_value(FILE *f, const char *arg, int may_be_bare)
{
	if (arg == NULL)
		return;
	(void)fputs(may_be_bare ? "::" : ":", f);
	zsh_text(f, arg);
	(void)fputc(':', f);
	if (is_file(arg))
		(void)fputs("_files", f);
	else if (is_pid(arg))
		(void)fputs("_pids", f);
	else if (is_choice(arg)) {
		(void)fputc('(', f);
		choices(f, arg);
		(void)fputc(')', f);
	}
}

static void
zsh_option(FILE *f, const struct opt *o)
{
	const char *eq = o->may_be_bare ? "=-" : o->arg != NULL ? "=" : "";
	const char *plus = o->arg != NULL ? "+" : "";
	int repeats = o->id == OPT_PID || o->id == OPT_ANNOTATION ||
	    o->id == OPT_THREAD;

	(void)fputs(" \\\n\t\t\t", f);
	if (repeats)
		(void)fputs("'*'", f);
	else if (o->letter != 0)
		(void)fprintf(f, "'(-%c --%s)'", o->letter, o->name);
	if (o->letter != 0)
		(void)fprintf(f, "{-%c%s,--%s%s}'[", o->letter, plus, o->name,
		    eq);
	else
		(void)fprintf(f, "'--%s%s[", o->name, eq);
	zsh_text(f, o->help);
	(void)fputc(']', f);
	zsh_value(f, o->arg, o->may_be_bare);
	(void)fputc('\'', f);
}

static void
zsh_command(FILE *f, const struct command *c)
{
	struct opt o;
	size_t i;

	(void)fprintf(f, "\t\t%s)\n\t\t\t_arguments -s -S", c->name);
	for (i = 0; offer(c, i, &o); i++)
		if (*o.name != '\0')
			zsh_option(f, &o);
	if (c->operand != NULL) {
		(void)fprintf(f, " \\\n\t\t\t'%s",
		    c->max_operands == 1 ? "1" : "*");
		zsh_value(f, c->operand, 0);
		(void)fputc('\'', f);
	}
	(void)fputs(" ;;\n", f);
}

static void
zsh(FILE *f)
{
	const struct command *c;
	size_t i;

	(void)fputs("#compdef bobbin\n"
	    "# zsh completion for bobbin, made by `bobbin completion zsh`\n"
	    "_bobbin()\n"
	    "{\n"
	    "\tlocal curcontext=$curcontext state line\n"
	    "\tlocal -a commands\n"
	    "\tcommands=(\n", f);
	for (i = 0; (c = command_get(i)) != NULL; i++) {
		(void)fprintf(f, "\t\t'%s:", c->name);
		zsh_text(f, c->summary);
		(void)fputs("'\n", f);
	}
	(void)fputs("\t)\n"
	    "\t_arguments -C '1:command:->command' '*::argument:->rest'\n"
	    "\tcase $state in\n"
	    "\tcommand) _describe command commands ;;\n"
	    "\trest)\n"
	    "\t\tcase $words[1] in\n", f);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		zsh_command(f, c);
	(void)fputs("\t\tesac ;;\n"
	    "\tesac\n"
	    "}\n"
	    "if [ \"$funcstack[1]\" = _bobbin ]; then\n"
	    "\t_bobbin \"$@\"\n"
	    "else\n"
	    "\tcompdef _bobbin bobbin\n"
	    "fi\n", f);
}

/* --- fish ------------------------------------------------------------- */

static void
fish_text(FILE *f, const char *s)
{
	(void)fputs(" -d '", f);
	for (; *s != '\0'; s++)
		(void)fprintf(f, "%s%c", strchr("'\\", *s) != NULL ? "\\" : "",
		    *s);
	(void)fputc('\'', f);
}

static void
fish_value(FILE *f, const char *arg)
{
	if (arg == NULL)
		return;
	(void)fputs(is_file(arg) ? " -r -F" : " -x", f);
	if (is_pid(arg))
		(void)fputs(" -a '(__fish_complete_pids)'", f);
	if (is_choice(arg)) {
		(void)fputs(" -a '", f);
		choices(f, arg);
		(void)fputc('\'', f);
	}
}

static void
fish_command(FILE *f, const struct command *c)
{
	struct opt o;
	size_t i;

	(void)fprintf(f, "complete -c bobbin -n __fish_use_subcommand "
	    "-f -a %s", c->name);
	fish_text(f, c->summary);
	(void)fputc('\n', f);
	for (i = 0; offer(c, i, &o); i++) {
		if (*o.name == '\0')
			continue;
		(void)fprintf(f, "complete -c bobbin -n "
		    "'__fish_seen_subcommand_from %s'", c->name);
		if (o.letter != 0)
			(void)fprintf(f, " -s %c", o.letter);
		(void)fprintf(f, " -l %s", o.name);
		if (!o.may_be_bare)
			fish_value(f, o.arg);
		fish_text(f, o.help);
		(void)fputc('\n', f);
	}
	if (is_pid(c->operand))
		(void)fprintf(f, "complete -c bobbin -n "
		    "'__fish_seen_subcommand_from %s' -f "
		    "-a '(__fish_complete_pids)'\n", c->name);
	if (is_choice(c->operand)) {
		(void)fprintf(f, "complete -c bobbin -n "
		    "'__fish_seen_subcommand_from %s' -f -a '", c->name);
		choices(f, c->operand);
		(void)fputs("'\n", f);
	}
}

static void
fish(FILE *f)
{
	const struct command *c;
	size_t i;

	(void)fputs("# fish completion for bobbin, made by "
	    "`bobbin completion fish`\n", f);
	for (i = 0; (c = command_get(i)) != NULL; i++)
		fish_command(f, c);
}

int
completion_print(FILE *f, const char *shell)
{
	static const struct {
		const char *name;
		void (*print)(FILE *f);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
	size_t i;

	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].print(f);
			return 1;
		}
	}
	return 0;
}

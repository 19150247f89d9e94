/*
 * The table of commands (commands.c) and the table of options (options.c). The
 * parser (args.c), --help (help/help.c), man pages (help/man.c) and completions
 * (completion/) are all made from these two.
 *
 * The options of an output format are declared by the format itself: opt_get
 * lists them after those of the command.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

struct args;

enum opt_id {
	OPT_FROM = 1,
	OPT_DIALECT,
	OPT_FROM_DIALECT,
	OPT_ORDER,
	OPT_BASELINE,
	OPT_RECOVER,
	OPT_STRICT,
	OPT_FORCE,
	OPT_THREADS,
	OPT_PID,
	OPT_THREAD,
	OPT_STATUS,
	OPT_TIME,
	OPT_ANNOTATION,
	OPT_HIDE,
	OPT_MATCH,
	OPT_NO_LINE,
	OPT_IDLE,
	OPT_LINES,
	OPT_TO,
	OPT_OUTPUT,
	OPT_LIVE,
	OPT_STRICT_PLAN,
	OPT_EXACT,
	OPT_JSON,
	OPT_MD,
	OPT_CSV,
	OPT_TOP,
	OPT_LAST,
	OPT_LAST_DEPTH,
	OPT_CALLERS,
	OPT_CALLEES,
	OPT_GROUP_BY,
	OPT_WITH_OPCODE,
	OPT_PATH,
	OPT_CROP,
	OPT_CROP_ANCHOR,
	OPT_SECTIONS,
	OPT_TREE,
	OPT_INVERT,
	OPT_DEPTH,
	OPT_MIN_PERCENT,
	OPT_TIMELINE,
	OPT_REQUESTS,
	OPT_REQUEST_KEY,
	OPT_BUDGET,
	OPT_FOLLOW,
	OPT_INTERVAL,
	OPT_ASCII,
	OPT_NORMALIZE,
	OPT_FAIL_OVER,
	OPT_KEYMAP,
	OPT_PATH_MAP,
	OPT_SOURCE,
	OPT_DIAGNOSE,
	OPT_THEME,
	OPT_DIFF,
	OPT_PROCESS,
	OPT_WINDOW,
	OPT_COUNT,
	OPT_SORT,
	OPT_RATE,
	OPT_PERIOD,
	OPT_DURATION,
	OPT_PAUSE,
	OPT_REQUEST_FACTS,
	OPT_NO_REQUEST_FACTS,
	OPT_QUERY_STRING,
	OPT_COOKIE,
	OPT_TRACE_VAR,
	OPT_REDACT,
	OPT_LOCALS,
	OPT_MEMORY,
	OPT_RUNTIME,
	OPT_RUNTIME_VERSION,
	OPT_MODE,
	OPT_SAMPLED_THREADS,
	OPT_ON_CPU,
	OPT_SUBPROCESSES,
	OPT_NATIVE_MARKS,
	OPT_ASYNC,
	OPT_NATIVE,
	OPT_NATIVE_ONLY,
	OPT_BUNDLED,
	OPT_NO_SANDBOX,
	OPT_NO_REALTIME,
	OPT_APART,
	OPT_NEAR,
	OPT_ROTATE_FILES,
	OPT_ROTATE_TIME,
	OPT_ROTATE_SIZE,
	OPT_KEEP,
	OPT_MAX_CPU,
	OPT_SHIP_TO,
	OPT_SHIP_STATUS,
	OPT_ONCE,
	OPT_LOGIN,
	OPT_CA_FILE,
	OPT_TIMEOUT,
	OPT_CLUSTER,
	OPT_KEEP_SUMS,
	OPT_DRY_RUN,
	OPT_METRICS,
	OPT_MAX_SPOOL,
	OPT_MAX_WAIT,
	OPT_RETRY,
	OPT_MAX_OUTPUT,
	OPT_MAX_MEMORY,
	OPT_MAX_TEMP,
	OPT_PORT,
	OPT_BIND,
	OPT_NO_OPEN,
	OPT_SEAL,
	OPT_REBUILD,
	OPT_CHECK,
	OPT_STORE,
	OPT_SINCE,
	OPT_UNTIL,
	OPT_AGAINST,
	OPT_SERVICE,
	OPT_HOST,
	OPT_ROUTE,
	OPT_EXPLAIN,
	OPT_ALL,
	OPT_MAN,
	OPT_QUIET,
	OPT_COLOR,
	OPT_HELP,
	OPT_HELP_ALL,
	OPT_VERSION,
	OPT_REPLAY, /* an output of replay; its name says which */
	OPT_OF_FORMAT  /* an option of a format; its name is the key */
};

enum opt_group {
	GROUP_CAPTURE,
	GROUP_INPUT,
	GROUP_FILTER,
	GROUP_OUTPUT,
	GROUP_REPORT,
	GROUP_GENERAL,
	GROUP_FORMAT,
	N_GROUPS
};

/* Commands as bits, for struct opt. CMD_NONE: before any command. */
enum cmd_bit {
	CMD_NONE = 1 << 0,
	CMD_CONVERT = 1 << 1,
	CMD_RECOVER = 1 << 2,
	CMD_INFO = 1 << 3,
	CMD_VERIFY = 1 << 4,
	CMD_DUMP = 1 << 5,
	CMD_FORMATS = 1 << 6,
	CMD_COMPLETION = 1 << 7,
	CMD_HELP = 1 << 8,
	CMD_REPLAY = 1 << 9,
	CMD_ANALYZE = 1 << 10,
	CMD_EXPLORE = 1 << 11,
	CMD_DIFF = 1 << 12,
	CMD_RECORD = 1 << 13,
	CMD_STACK = 1 << 14,
	CMD_DOCTOR = 1 << 15,
	CMD_TOP = 1 << 16,
	CMD_DAEMON = 1 << 17,
	CMD_VIEW = 1 << 18,
	CMD_STORE = 1 << 19,
	CMD_FLEET = 1 << 20,
	CMD_SHIP = 1 << 21,
	/* Those that write what they sample into a file. */
	CMD_RECORDING = CMD_RECORD | CMD_VIEW,
	/* Those that read samples one by one. */
	CMD_PASSING = CMD_CONVERT | CMD_RECOVER | CMD_INFO | CMD_VERIFY |
	    CMD_DUMP | CMD_REPLAY,
	CMD_READING = CMD_PASSING | CMD_ANALYZE | CMD_EXPLORE |
	    CMD_DIFF | CMD_VIEW,
	/* Those that take samples by date, and out of a store. */
	CMD_ASKING = CMD_CONVERT | CMD_INFO | CMD_DUMP | CMD_ANALYZE |
	    CMD_EXPLORE | CMD_VIEW,
	/* Those and one that compares two ranges of dates. */
	CMD_OF_STORES = CMD_ASKING | CMD_DIFF,
	/* Those that have filters. */
	CMD_CHOOSING = CMD_READING | CMD_RECORD,
	CMD_ALL = (1 << 22) - 1
};

struct opt {
	int id;
	int group;
	uint32_t commands; /* enum cmd_bit */
	char letter;       /* 0: long only */
	const char *name;
	/*
	 * Placeholder of its value; NULL: a switch. It also says what
	 * completes it: FILE, PID, FROM and TO (formats), DIALECT, COMMAND,
	 * TOPIC (of help), or the words of "a|b|c".
	 */
	const char *arg;
	const char *help;
	int is_hidden; /* works, but nothing mentions it */
	int may_be_bare; /* the value may be left out: --name[=VALUE] */
	/* GROUP_FORMAT: whose option it is, as "tach, tach-v2". */
	char formats[64];
};

struct example {
	const char *line, *what;
};

enum operands {
	OPERANDS_OWN = 0, /* as the command has them */
	OPERANDS_PIDS,    /* numbers of processes */
	OPERANDS_STORE,   /* a directory, as --store DIR */
	OPERANDS_SCRIPT   /* a script and its arguments: the first operand ends
	                   * the options */
};

struct respelled; /* spellings.h */

/* Options that a name of a command implies. */
struct implied {
	int unless[2];  /* one of these (enum opt_id; 0: none) was given */
	const char *is; /* as in struct respelled */
};

/* Another name of a command. */
struct spelling {
	const char *name;
	const char *whose; /* the profiler with that name; NULL: bobbin */
	const char *to;    /* the output format it stands for, or NULL; of
	                    * captures only the default */
	const char *usual; /* the format if neither -t nor -o says it, or
	                    * NULL */
	const struct respelled *options; /* of that profiler, or NULL */
	const struct implied *implied; /* ends with a NULL; or NULL */
	enum operands operands;
	int reports;       /* a capture that names no output is analyzed */
};

/* A key of a command that fills the screen, for its manual. */
struct key_help {
	const char *group; /* a heading; "" if there are none */
	char keys[64];
	const char *what;
};

/* Fills *ret with the i-th key. Returns 1; 0 behind the last. */
typedef int key_help_fn(size_t i, struct key_help *ret);
key_help_fn explore_key_help;
key_help_fn top_key_help;

struct command {
	uint32_t bit;
	const char *name;
	const char *synopsis; /* behind `bobbin NAME` */
	const char *summary;  /* one line, lower case, no stop */
	const char *description; /* paragraphs between "\n" */
	const struct example *examples;   /* end with a NULL line */
	const struct spelling *spellings; /* end with a NULL name, or NULL */
	const struct respelled *respelled; /* other names of options, or NULL */
	const char *operand; /* what completes an operand, as opt.arg */
	size_t max_operands; /* 0: no operand at all */
	key_help_fn *keys;   /* NULL: it has none */
	int (*run)(const struct args *args); /* returns an exit code */
};

/* The i-th command; NULL behind the last. */
const struct command *command_get(size_t i);

/* Finds a command by its name (then *ret_spelling is NULL) or by a spelling.
 * NULL: none. */
const struct command *command_named(const char *name,
    const struct spelling **ret_spelling);

/* The i-th option of a command (NULL: before any command), those of formats
 * last; an option that several formats declare with the same text comes once.
 * Returns 1 and sets *ret; 0 behind the last. */
int opt_get(const struct command *c, size_t i, struct opt *ret);

/* True if the i-th option of a command is the first of those that belong to the
 * same formats: a list of their options begins here. */
int opt_opens_formats(const struct command *c, size_t i);

/* Finds an option by its long name, also by reli's name for it, or by its
 * letter. Returns 1 and sets *ret; 0 if there is none. */
int opt_named(const struct command *c, const char *name, size_t len,
    struct opt *ret);
int opt_lettered(const struct command *c, char letter, struct opt *ret);

/* What --help shows of a command: the options that people need, the most needed
 * first (brief.c). The other options are on --help-all. */
#define BRIEF_OPTIONS 5

struct brief_option {
	int id;           /* enum opt_id */
	const char *what; /* fits behind the option, on its line */
	const char *name; /* which, if several options have this id; or NULL */
};

/* BRIEF_OPTIONS of them; NULL: --help shows all options of the command. */
const struct brief_option *brief_options(const struct command *c);

/* The title of a group, as "Filters". */
const char *opt_group_title(int group);

/* The commands, each in a folder of its own. */
int cmd_analyze(const struct args *args);
int cmd_convert(const struct args *args);
int cmd_record(const struct args *args);
int cmd_diff(const struct args *args);
int cmd_replay(const struct args *args);
int cmd_recover(const struct args *args);
int cmd_info(const struct args *args);
int cmd_verify(const struct args *args);
int cmd_doctor(const struct args *args);
int cmd_dump(const struct args *args);
int cmd_stack(const struct args *args);
int cmd_top(const struct args *args);
int cmd_daemon(const struct args *args);
int cmd_explore(const struct args *args);
int cmd_view(const struct args *args);
int cmd_store(const struct args *args);
int cmd_fleet(const struct args *args);
int cmd_ship(const struct args *args);
int cmd_formats(const struct args *args);
int cmd_completion(const struct args *args);
int cmd_help(const struct args *args);

#endif

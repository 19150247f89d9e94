/* The tables, and how to look things up in them. */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include <bobbin/convert.h>

#include "replay.h"

#define ANY_NUMBER ((size_t)-1)

static const struct opt options[] = {
	{ OPT_PID, GROUP_CAPTURE, CMD_RECORD, 'p', "pid", "PID",
	    "sample this process; may be given several times" },
	{ OPT_PID, GROUP_CAPTURE, CMD_STACK | CMD_DOCTOR | CMD_LIVE_TOP, 'p',
	    "pid", "PID",
	    "this process; may be given several times" },
	{ OPT_PROCESS, GROUP_CAPTURE, CMD_DAEMON | CMD_STACK | CMD_DOCTOR |
	    CMD_LIVE_TOP,
	    'P', "process", "RE",
	    "all processes whose command line matches; the pattern is "
	    "Perl's" },
	{ OPT_RATE, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON |
	    CMD_LIVE_TOP, 'r', "rate", "HZ",
	    "samples per second, 99 by default; max: as many as possible" },
	{ OPT_PERIOD, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON |
	    CMD_LIVE_TOP, 0, "period",
	    "TIME",
	    "time between samples instead, as 10ms" },
	{ OPT_DURATION, GROUP_CAPTURE, CMD_RECORD |
	    CMD_LIVE_TOP, 'd', "duration", "TIME",
	    "stop after this time, as 30s or 5m; by default when the process "
	    "ends or on SIGINT" },
	{ OPT_PAUSE, GROUP_CAPTURE, CMD_RECORD | CMD_STACK | CMD_DOCTOR |
	    CMD_LIVE_TOP, 0,
	    "pause", NULL,
	    "stop the process for the moment of each sample: stacks are "
	    "exact, and the process is slower" },
	{ OPT_DEPTH, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON |
	    CMD_LIVE_TOP, 0, "depth", "N",
	    "keep the N innermost frames of a stack; 0, the default: all" },
	{ OPT_WITH_OPCODE, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK,
	    0, "opcodes",
	    NULL,
	    "also what the interpreter executes" },
	{ OPT_REQUEST_FACTS, GROUP_CAPTURE, CMD_RECORD, 0, "request", NULL,
	    "annotate samples with the request that is served: method, uri "
	    "without query, route (numbers and ids in the uri as {n} and "
	    "{id}) and script" },
	{ OPT_QUERY_STRING, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0,
	    "query-string", NULL,
	    "and with its query string, which may hold secrets" },
	{ OPT_COOKIE, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0, "cookie", NULL,
	    "and with its cookies, which do" },
	{ OPT_MEMORY, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0, "memory", NULL,
	    "annotate samples with the memory in use and its peak" },
	{ OPT_SUBPROCESSES, GROUP_CAPTURE, CMD_RECORD, 0, "subprocesses",
	    NULL, "also sample processes that these start, and theirs; "
	    "samples carry their pids" },
	{ OPT_MODE, GROUP_CAPTURE, CMD_RECORD, 0, "mode",
	    "wall|cpu|gil|exception",
	    "sample all threads, or only those on a CPU; in Python also those "
	    "with the interpreter's lock or with an exception" },
	{ OPT_SAMPLED_THREADS, GROUP_CAPTURE, CMD_RECORD, 0, "threads",
	    "all|main|TID",
	    "Python: sample all threads, the main one, or that one" },
	{ OPT_ON_CPU, GROUP_CAPTURE, CMD_RECORD, 0, "on-cpu", NULL,
	    "Python: also tell which threads are on a CPU, which takes some "
	    "microseconds for each" },
	{ OPT_NATIVE_MARKS, GROUP_CAPTURE, CMD_RECORD, 0, "native-marks",
	    NULL, "Python: a frame <native> where C has called back into "
	    "Python" },
	{ OPT_RUNTIME, GROUP_CAPTURE, CMD_RECORD | CMD_STACK | CMD_DOCTOR |
	    CMD_LIVE_TOP, 0,
	    "runtime", "NAME",
	    "take the process for this runtime instead of finding out" },
	{ OPT_RUNTIME_VERSION, GROUP_CAPTURE, CMD_RECORD | CMD_STACK |
	    CMD_DOCTOR |
	    CMD_LIVE_TOP, 0,
	    "runtime-version", "X.Y",
	    "take the runtime for this version instead of finding out; "
	    "reli's --php-version says the same" },

	{ OPT_BUNDLED, GROUP_CAPTURE, CMD_DAEMON, 0, "bundled", NULL,
	    "one file for all processes, whose samples carry their pids; by "
	    "default each has its own" },
	{ OPT_MAX_CPU, GROUP_CAPTURE, CMD_DAEMON, 0, "max-cpu", "SHARE",
	    "stay below this share of one processor, as 2%: samples less "
	    "often when need be" },

	{ OPT_FROM, GROUP_INPUT, CMD_READING, 'f', "from", "FROM",
	    "take the input for this format instead of looking at its "
	    "content" },
	{ OPT_DIALECT, GROUP_INPUT, CMD_INFO | CMD_VERIFY | CMD_DUMP |
	    CMD_REPLAY | CMD_ANALYZE | CMD_EXPLORE | CMD_DIFF, 0, "dialect",
	    "DIALECT",
	    "take the input for this dialect of its format instead of "
	    "looking at its content" },
	{ OPT_FROM_DIALECT, GROUP_INPUT, CMD_CONVERT | CMD_RECOVER, 0,
	    "from-dialect", "DIALECT",
	    "take the input for this dialect of its format instead of "
	    "looking at its content; --dialect says the same where the "
	    "target has no dialects" },
	{ OPT_ORDER, GROUP_INPUT, CMD_PASSING, 0, "order", "file|time",
	    "samples as they stand in the input, the default, or those of "
	    "all threads by time; a segment is then held back as a whole, on "
	    "disk when it is large" },
	{ OPT_RECOVER, GROUP_INPUT, CMD_CONVERT | CMD_DUMP | CMD_ANALYZE |
	    CMD_EXPLORE | CMD_DIFF, 0,
	    "recover", NULL, "pass over damage instead of stopping at it; "
	    "exit status 4 when something was lost" },
	{ OPT_BASELINE, GROUP_INPUT, CMD_CONVERT, 'b', "baseline", "FILE",
	    "show what differs from FILE, in formats that can (flamegraph, "
	    "html): red grew, blue shrank" },
	{ OPT_FOLLOW, GROUP_INPUT, CMD_ANALYZE, 0, "follow", NULL,
	    "report again and again while the inputs grow; of a directory, "
	    "new files too. Ends when no input can grow any more, or by "
	    "SIGINT" },
	{ OPT_FOLLOW, GROUP_INPUT, CMD_ANALYZE, 0, "watch", NULL,
	    "the same as --follow" },
	{ OPT_INTERVAL, GROUP_INPUT, CMD_ANALYZE, 0, "interval", "TIME",
	    "between two reports of --follow; 1s by default" },
	{ OPT_DIFF, GROUP_INPUT, CMD_EXPLORE, 0, "diff", NULL,
	    "compare two inputs, before and after: changes of shares, red "
	    "grew, blue shrank" },
	{ OPT_FOLLOW, GROUP_INPUT, CMD_EXPLORE, 0, "follow", NULL,
	    "show what is added to the inputs while you look; of a directory, "
	    "new files too" },
	{ OPT_THREADS, GROUP_INPUT, CMD_CONVERT, 'j', "threads", "N",
	    "decode with at most N threads; 0, the default, is one per "
	    "processor" },

	{ OPT_PID, GROUP_FILTER, CMD_READING, 'p', "pid", "N",
	    "only samples of this process; may be given several times" },
	{ OPT_THREAD, GROUP_FILTER, CMD_READING, 0, "thread", "TID",
	    "only samples of this thread; may be given several times" },
	{ OPT_STATUS, GROUP_FILTER, CMD_READING, 0, "status", "LIST",
	    "only samples in all of these states: gil, wants-gil, cpu, idle, "
	    "exception, main, commas between; !gil: those not in it" },
	{ OPT_TIME, GROUP_FILTER, CMD_READING, 0, "time", "A..B",
	    "only samples from A up to B after the first time of the trace, "
	    "as 1.5s..2m; units us, ms, s, m, h, seconds when bare; either "
	    "end may be left out" },
	{ OPT_ANNOTATION, GROUP_FILTER, CMD_READING, 'a', "annotation",
	    "KEY=VALUE", "only samples with this annotation; KEY alone: with "
	    "any value; may be given several times, all must hold" },
	{ OPT_HIDE, GROUP_FILTER, CMD_READING, 0, "hide", "RE",
	    "drop frames that match; the pattern is Perl's and sees "
	    "'function file:line'" },
	{ OPT_MATCH, GROUP_FILTER, CMD_READING, 'm', "match", "RE",
	    "only samples with a frame that matches, after --hide" },
	{ OPT_NO_LINE, GROUP_FILTER, CMD_PASSING | CMD_DIFF, 0, "no-line", NULL,
	    "merge frames that differ by their line only" },

	{ OPT_TO, GROUP_OUTPUT, CMD_CONVERT | CMD_RECOVER | CMD_RECORD |
	    CMD_DAEMON, 't',
	    "to", "TO",
	    "write this format; by default the suffix of the output "
	    "decides" },
	{ OPT_TO, GROUP_OUTPUT, CMD_DIFF, 't', "to",
	    "text|json|md|folded|svg|html",
	    "what to write; by default the suffix of the output decides, and "
	    "text is for terminals. folded is a line per stack with its "
	    "samples before and after, svg and html are flame graphs" },
	{ OPT_OUTPUT, GROUP_OUTPUT, CMD_CONVERT | CMD_RECOVER | CMD_DUMP |
	    CMD_REPLAY | CMD_DIFF, 'o', "output", "FILE",
	    "write to FILE, which gets its name when it is whole; - is "
	    "standard output, the default" },
	{ OPT_OUTPUT, GROUP_OUTPUT, CMD_DAEMON, 'o', "output", "DIR",
	    "the directory to write to; $XDG_STATE_HOME/bobbin by default" },
	{ OPT_ROTATE_FILES, GROUP_OUTPUT, CMD_DAEMON, 0, "rotate",
	    "TIME|SIZE", "begin new files after this time, or when one has "
	    "this size, as 10m or 64M; 1h by default" },
	{ OPT_KEEP, GROUP_OUTPUT, CMD_DAEMON, 0, "keep", "SIZE|AGE",
	    "remove the oldest files when all take more than this, as 2G, or "
	    "are older than that, as 7d; both may be given" },
	{ OPT_OUTPUT, GROUP_OUTPUT, CMD_RECORD, 'o', "output", "FILE",
	    "write to FILE, which is for its owner alone; by default a new "
	    "file in this folder. - is standard output" },
	{ OPT_LIVE, GROUP_OUTPUT, CMD_CONVERT, 0, "live", NULL,
	    "write FILE in place, with everything on its way to the disk "
	    "after a second at most: for input that is still coming; SIGINT "
	    "and SIGTERM end the input, and FILE properly. A format whose "
	    "tables come last is FILE.part and FILE.part.defs until then" },
	{ OPT_STRICT_PLAN, GROUP_OUTPUT, CMD_CONVERT, 0, "strict-plan", NULL,
	    "refuse, with exit status 3, when the target cannot carry all "
	    "that the source can have" },
	{ OPT_EXACT, GROUP_OUTPUT, CMD_RECOVER, 0, "exact", NULL,
	    "copy intact segments byte for byte" },

	{ OPT_FAIL_OVER, GROUP_REPORT, CMD_DIFF, 0, "fail-over",
	    "X%[:RE]", "exit with status 3 when anything, or what matches RE, "
	    "has grown by X % of the whole profile, and that is not chance; "
	    "may be given several times" },
	{ OPT_NORMALIZE, GROUP_REPORT, CMD_DIFF, 0, "normalize",
	    "samples|time", "compare shares of the samples, the default, or "
	    "of the time that they took" },
	{ OPT_GROUP_BY, GROUP_REPORT, CMD_DIFF, 'g', "group-by", "WHAT",
	    "what is compared: function (and file; the default), name, line, "
	    "file, module; or samples by pid, thread, status, "
	    "annotation:KEY" },
	{ OPT_TOP, GROUP_REPORT, CMD_DIFF, 'n', "top", "N",
	    "rows in a table, 10 by default; JSON has all" },
	{ OPT_DEPTH, GROUP_REPORT, CMD_DIFF, 0, "depth", "N",
	    "call paths of up to N frames; 0, the default: all" },
	{ OPT_MIN_PERCENT, GROUP_REPORT, CMD_DIFF, 0, "min-percent", "X",
	    "call paths that have X % of the whole before or after; 1 by "
	    "default" },
	{ OPT_GROUP_BY, GROUP_REPORT, CMD_ANALYZE, 'g', "group-by", "WHAT",
	    "what rows of the tables stand for: line (function, file and line; "
	    "the default), function (and file), name, file, module; or "
	    "samples by pid, thread, status, annotation:KEY, segment, "
	    "minute" },
	{ OPT_NO_LINE, GROUP_REPORT, CMD_ANALYZE, 0, "no-line", NULL,
	    "the same as --group-by name" },
	{ OPT_WITH_OPCODE, GROUP_REPORT, CMD_ANALYZE, 0, "with-opcode", NULL,
	    "tell frames apart by their opcode too" },
	{ OPT_TOP, GROUP_REPORT, CMD_ANALYZE, 'n', "top", "N",
	    "rows in a table, 20 by default; 0 leaves out self and total" },
	{ OPT_CALLERS, GROUP_REPORT, CMD_ANALYZE, 0, "callers", "RE",
	    "who calls the frames that match: of each sample the innermost "
	    "one counts" },
	{ OPT_CALLEES, GROUP_REPORT, CMD_ANALYZE, 0, "callees", "RE",
	    "what they call: of each sample the outermost one counts" },
	{ OPT_LAST, GROUP_REPORT, CMD_ANALYZE, 0, "last", "N",
	    "the last samples with their frames; 1 unless N is given",
	    .may_be_bare = 1 },
	{ OPT_LAST_DEPTH, GROUP_REPORT, CMD_ANALYZE, 0, "last-depth", "N",
	    "at most N frames of these, the innermost; 0: all" },
	{ OPT_TREE, GROUP_REPORT, CMD_ANALYZE, 0, "tree", NULL,
	    "the call tree, heaviest branch first" },
	{ OPT_INVERT, GROUP_REPORT, CMD_ANALYZE, 0, "invert", NULL,
	    "the tree from where samples ended, outwards" },
	{ OPT_DEPTH, GROUP_REPORT, CMD_ANALYZE, 0, "depth", "N",
	    "the tree down to level N; 0: all" },
	{ OPT_MIN_PERCENT, GROUP_REPORT, CMD_ANALYZE, 0, "min-percent", "X",
	    "leave out nodes of the tree with less than X % of the samples; "
	    "1 by default" },
	{ OPT_TIMELINE, GROUP_REPORT, CMD_ANALYZE, 0, "timeline", NULL,
	    "samples over time, and the part of the heaviest rows in them" },
	{ OPT_REQUESTS, GROUP_REPORT, CMD_ANALYZE, 0, "requests", NULL,
	    "the slowest requests, and all of them by route: most time and "
	    "most frequent first; for traces whose annotations tell requests "
	    "apart" },
	{ OPT_REQUEST_KEY, GROUP_REPORT, CMD_ANALYZE, 0, "request-key", "KEY",
	    "the annotation that does; by default the first of request.id, "
	    "request_id, request.uri, http.url, uri, url, request.route and "
	    "route that a sample has" },
	{ OPT_SECTIONS, GROUP_REPORT, CMD_ANALYZE, 0, "sections", "SPEC",
	    "which parts, and where: , stacks them and + puts them side by "
	    "side, as in self+total,tail; self, total, callers, callees, tree, "
	    "timeline, requests, routes, frequent, tail" },
	{ OPT_PATH, GROUP_REPORT, CMD_ANALYZE, 0, "path", "full|short",
	    "how files are shown: short is the last part alone" },
	{ OPT_CROP, GROUP_REPORT, CMD_ANALYZE, 0, "crop", "N|auto",
	    "cut tables to N columns; auto, the default on terminals, is "
	    "their width; elsewhere 1000; 0 cuts nothing" },
	{ OPT_CROP_ANCHOR, GROUP_REPORT, CMD_ANALYZE, 0, "crop-anchor",
	    "left|right", "which end of a frame stays; left by default" },
	{ OPT_BUDGET, GROUP_REPORT, CMD_ANALYZE, 0, "budget", "LINES",
	    "at most so many lines (8 or more), shared by all parts; a line "
	    "says what was left out. In JSON rows count as lines" },
	{ OPT_MD, GROUP_REPORT, CMD_ANALYZE | CMD_DIFF, 0, "md", NULL,
	    "report as Markdown" },
	{ OPT_CSV, GROUP_REPORT, CMD_ANALYZE, 0, "csv", NULL,
	    "report as CSV, one table for all parts" },
	{ OPT_ASCII, GROUP_REPORT, CMD_ANALYZE, 0, "ascii", NULL,
	    "draw with ASCII alone; the default on terminals whose locale is "
	    "not UTF-8" },
	{ OPT_JSON, GROUP_REPORT, CMD_ANALYZE | CMD_DIFF, 0, "json", NULL,
	    "report as JSON, on one line" },
	{ OPT_JSON, GROUP_REPORT, CMD_RECOVER | CMD_INFO | CMD_VERIFY |
	    CMD_FORMATS, 0, "json", NULL, "report as JSON, one line per "
	    "input" },
	{ OPT_WINDOW, GROUP_REPORT, CMD_LIVE_TOP, 0, "window", "TIME",
	    "what self and total are of: the last 10s by default" },
	{ OPT_GROUP_BY, GROUP_REPORT, CMD_LIVE_TOP, 'g', "group-by",
	    "function|line|file|route|pid|thread",
	    "what rows stand for; function (and file) by default" },
	{ OPT_SORT, GROUP_REPORT, CMD_LIVE_TOP, 0, "sort",
	    "self|total|all-self|all-total",
	    "heaviest first by this; all is since the start" },
	{ OPT_INTERVAL, GROUP_REPORT, CMD_LIVE_TOP, 0, "interval", "TIME",
	    "between two tables; 1s by default" },
	{ OPT_COUNT, GROUP_REPORT, CMD_LIVE_TOP, 0, "count", "N",
	    "print N tables and end, also on a terminal" },
	{ OPT_TOP, GROUP_REPORT, CMD_LIVE_TOP, 'n', "top", "N",
	    "rows of a table that is printed, 20 by default; 0: all" },
	{ OPT_JSON, GROUP_REPORT, CMD_LIVE_TOP, 0, "json", NULL,
	    "print each table as a line of JSON" },
	{ OPT_JSON, GROUP_REPORT, CMD_STACK | CMD_DOCTOR | CMD_DAEMON, 0,
	    "json", NULL,
	    "report as JSON, on one line" },
	{ OPT_ALL, GROUP_REPORT, CMD_INFO, 0, "all", NULL,
	    "list everything, not only the first or the largest few" },
	{ OPT_MAN, GROUP_REPORT, CMD_HELP, 0, "man", NULL,
	    "print the source of the man page", 1 },

	{ OPT_GROUP_BY, GROUP_REPORT, CMD_EXPLORE, 'g', "group-by", "WHAT",
	    "what rows are to begin with: line, function, name, file, module; "
	    "or samples by pid, thread, status, annotation:KEY, segment, "
	    "minute" },
	{ OPT_NO_LINE, GROUP_REPORT, CMD_EXPLORE, 0, "no-line", NULL,
	    "the same as --group-by name" },
	{ OPT_PATH_MAP, GROUP_REPORT, CMD_EXPLORE, 0, "path-map", "FROM=TO",
	    "where source files are here, when they were elsewhere; may be "
	    "given several times, the longest FROM that fits wins" },
	{ OPT_KEYMAP, GROUP_REPORT, CMD_EXPLORE, 0, "keymap", "FILE",
	    "other keys: JSON, {\"action\": [\"key\", ...]}; what it does not "
	    "name keeps its keys" },
	{ OPT_THEME, GROUP_REPORT, CMD_EXPLORE, 0, "theme",
	    "auto|dark|light", "what the terminal's background is; auto looks "
	    "at COLORFGBG" },
	{ OPT_DIAGNOSE, GROUP_REPORT, CMD_EXPLORE, 0, "diagnose", NULL,
	    "show what each key and the mouse send, until q; needs no input" },

	{ OPT_QUIET, GROUP_GENERAL, CMD_ALL, 'q', "quiet", NULL,
	    "say nothing but errors" },
	{ OPT_COLOR, GROUP_GENERAL, CMD_ALL, 0, "color",
	    "auto|always|never", "colour messages and reports; auto is on "
	    "terminals, unless NO_COLOR is set or TERM is dumb" },
	{ OPT_HELP, GROUP_GENERAL, CMD_ALL, 'h', "help", NULL,
	    "print this help" },
	{ OPT_VERSION, GROUP_GENERAL, CMD_TOP, 'V', "version", NULL,
	    "print the version" },
};

#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

/* How reli spells some of them. */
static const struct {
	const char *name, *stands_for;
} synonyms[] = {
	{ "rbt-timestamps", "timestamps" },
	{ "rbt-compress", "compress" },
	{ "sampling-period", "period" },
	{ "target-regex", "process" },
	{ "php-version", "runtime-version" },
	{ "stop-process", "pause" },
};

#define N_SYNONYMS (sizeof(synonyms) / sizeof(synonyms[0]))

static const struct example convert_examples[] = {
	{ "bobbin convert -o graph.svg trace.rbt", "a flame graph" },
	{ "bobbin convert -b before.rbt -o diff.html after.rbt",
	    "what grew and what shrank, as a page" },
	{ "bobbin convert -o all.rbt.gz worker_*.rbt",
	    "join and pack the files of several workers" },
	{ "bobbin convert --match 'PDO::' --no-line -t folded trace.rbt",
	    "only the samples inside the database layer, by function" },
	{ "phpspy -p 1234 | bobbin convert --live --compress -o t.rbt.gz",
	    "pack a trace while it is made, safe against crashes" },
	{ "bobbin convert --rotate-time 1m -o 'trace-{}.rbt' long.rbt",
	    "a file per minute, trace-0000.rbt and so on" },
	{ NULL, NULL },
};

static const struct example record_examples[] = {
	{ "bobbin record -p 1234 -d 30s -o trace.rbt",
	    "half a minute of a process" },
	{ "bobbin record -- php script.php", "a script from start to end" },
	{ "bobbin record -p 1234 -r 1000 -t folded -o - | flamegraph.pl",
	    "a thousand samples a second, until ^C" },
	{ NULL, NULL },
};

static const struct spelling record_spellings[] = {
	{ "inspector:trace", NULL, 1 },
	{ NULL, NULL, 0 },
};

static const struct example replay_examples[] = {
	{ "bobbin replay --collapsed -o out.folded profile.bin",
	    "the lines that CPython's profiler would write" },
	{ "bobbin replay --collapsed profile.bin | flamegraph.pl > graph.svg",
	    "a flame graph, with a tower for each thread" },
	{ "bobbin replay --binary --compression none -o out.bin profile.bin",
	    "unpack a profile; CPython reads it as before" },
	{ NULL, NULL },
};

static const struct spelling convert_spellings[] = {
	{ "converter:folded", "folded", 0, 0 },
	{ "converter:phpspy", "phpspy", 0, 0 },
	{ "converter:rbt", "rbt", 0, 0 },
	{ "converter:speedscope", "speedscope", 0, 0 },
	{ "converter:pprof", "pprof", 0, 0 },
	{ "converter:callgrind", "callgrind", 0, 0 },
	{ "converter:flamegraph", "flamegraph", 0, 0 },
	{ NULL, NULL, 0, 0 },
};

static const struct example recover_examples[] = {
	{ "bobbin recover -o good.rbt bad.rbt", "rescue a damaged file" },
	{ "bobbin recover --exact --json -o good.rbt bad.rbt",
	    "keep intact segments as they are, report for programs" },
	{ "bobbin rbt:recover -f phpspy < bad.rbt > good.txt",
	    "as reli spells it" },
	{ NULL, NULL },
};

static const struct spelling recover_spellings[] = {
	{ "rbt:recover", NULL, 1, 0 },
	{ NULL, NULL, 0, 0 },
};

static const struct example analyze_examples[] = {
	{ "bobbin analyze trace.rbt", "where did the time go?" },
	{ "bobbin analyze --tree --no-line --sections tree profile.bin",
	    "and how did it get there" },
	{ "bobbin analyze --callers 'PDO::' --path short trace.rbt",
	    "who queries the database?" },
	{ "bobbin analyze --group-by annotation:http.url --time 1m.. t.rbt",
	    "which requests, from the second minute on" },
	{ "bobbin analyze --follow --last --sections tail,self+total dir/",
	    "watch it while it is recorded" },
	{ "bobbin analyze --json trace.rbt | jq .sections.self.rows[0]",
	    "for programs" },
	{ NULL, NULL },
};

static const struct spelling analyze_spellings[] = {
	{ "report", NULL, 0, 1 },
	{ "rbt:analyze", NULL, 0, 0 },
	{ NULL, NULL, 0, 0 },
};

static const struct example explore_examples[] = {
	{ "bobbin explore trace.rbt", "look around" },
	{ "bobbin explore --follow trace.rbt", "while it is recorded" },
	{ "bobbin explore --diff before.rbt after.rbt",
	    "what grew, what shrank" },
	{ "bobbin explore --path-map /srv/app=$HOME/app profile.bin",
	    "with the source that is here (v)" },
	{ NULL, NULL },
};

static const struct spelling explore_spellings[] = {
	{ "rbt:explore", NULL, 0, 0 },
	{ NULL, NULL, 0, 0 },
};

static const struct example diff_examples[] = {
	{ "bobbin diff before.rbt after.rbt", "what has changed?" },
	{ "bobbin diff --fail-over 5% main.rbt branch.rbt",
	    "in CI: exit status 3 when something became slower" },
	{ "bobbin diff --fail-over '1%:^Cart::' --md -o pr.md a.rbt b.rbt",
	    "the same for some functions, as a comment for a pull request" },
	{ "bobbin diff -o diff.svg before.bin after.bin",
	    "a flame graph: red grew, blue shrank" },
	{ "bobbin diff -t folded a.rbt b.rbt | flamegraph.pl > diff.svg",
	    "the same, drawn by flamegraph.pl" },
	{ NULL, NULL },
};

static const struct example info_examples[] = {
	{ "bobbin info trace.rbt", "what is in it?" },
	{ "bobbin info --json *.rbt | jq .samples", "for programs" },
	{ NULL, NULL },
};

static const struct example verify_examples[] = {
	{ "bobbin verify *.rbt || echo some are damaged", "in a script" },
	{ NULL, NULL },
};

static const struct example dump_examples[] = {
	{ "bobbin dump trace.rbt | cut -f 1-8 | less", "who, when, how many" },
	{ "diff <(bobbin dump a.rbt) <(bobbin dump b.rbt)",
	    "what differs between two traces" },
	{ NULL, NULL },
};

static const struct example formats_examples[] = {
	{ "bobbin formats", "what can be read and written" },
	{ NULL, NULL },
};

static const struct example stack_examples[] = {
	{ "bobbin stack -p 1234", "what is it doing?" },
	{ "sudo bobbin stack -P 'php-fpm: pool'",
	    "all workers of a pool, with their requests" },
	{ "bobbin stack --json -p 1234 | jq .processes[0].threads",
	    "for programs" },
	{ NULL, NULL },
};

static const struct example doctor_examples[] = {
	{ "bobbin doctor", "what could be captured here?" },
	{ "bobbin doctor -p 1234", "why can this one not be read?" },
	{ "bobbin doctor -P php-fpm --json", "for programs" },
	{ NULL, NULL },
};

static const struct example top_examples[] = {
	{ "bobbin top -p 1234", "where does it spend its time?" },
	{ "sudo bobbin top -P 'php-fpm: pool' -g route",
	    "which requests keep the pool busy" },
	{ "bobbin top -- php worker.php", "of a command that is started" },
	{ "bobbin top -p 1234 --count 1 --interval 10s",
	    "one table of ten seconds" },
	{ "bobbin top -p 1234 --json | jq .rows[0]", "for programs" },
	{ NULL, NULL },
};

static const struct spelling top_spellings[] = {
	{ "inspector:top", NULL, 0, 0 },
	{ NULL, NULL, 0, 0 },
};

static const struct example completion_examples[] = {
	{ "eval \"$(bobbin completion bash)\"", "for this shell" },
	{ NULL, NULL },
};

static const struct example help_examples[] = {
	{ "bobbin help convert", "all about one command" },
	{ NULL, NULL },
};

static const struct example daemon_examples[] = {
	{ "sudo bobbin daemon -P 'php-fpm: pool' -o /var/lib/bobbin",
	    "a whole pool, day and night" },
	{ "bobbin daemon -P 'gunicorn|php-fpm' --max-cpu 2% --keep 2G "
	  "--keep 7d", "careful with processor and disk" },
	{ "bobbin daemon status", "how does it go?" },
	{ "bobbin analyze --follow /var/lib/bobbin", "look while it writes" },
	{ NULL, NULL },
};

static const struct spelling daemon_spellings[] = {
	{ "inspector:daemon", NULL, 0 },
	{ NULL, NULL, 0 },
};

static const struct command commands[] = {
	{ .bit = CMD_RECORD, .name = "record",
	    .synopsis = "-p PID... | -- COMMAND... [-o OUT] [-t TO] "
	                "[OPTION]...",
	    .summary = "sample the stacks of running processes",
	    .description =
	        "Reads the stacks of processes that run PHP or Python, from "
	        "outside: "
	        "nothing is loaded into them, and they do not stop unless "
	        "--pause is given. A stack that cannot be proven is lost, and "
	        "counted, never guessed."
	        "\n"
	        "The output is rbt with times, unless -t or the suffix of OUT "
	        "says otherwise, and can be read while it is written. SIGINT "
	        "and SIGTERM end it properly; so does the end of the process."
	        "\n"
	        "Needs the right to trace: the same user, or CAP_SYS_PTRACE.",
	    .examples = record_examples, .spellings = record_spellings,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_record },
	{ .bit = CMD_DAEMON, .name = "daemon",
	    .synopsis = "-P RE [-o DIR] [OPTION]... | status [-o DIR] "
	                "[--json]",
	    .summary = "sample all processes of a kind, as they come and go",
	    .description =
	        "Samples every process whose command line matches, from the "
	        "second it comes until it ends, into files of a directory, "
	        "with the request that is served as annotations. The files "
	        "can be read while they are written, and lose a second at "
	        "most when the daemon is killed. Only their owner can read "
	        "them."
	        "\n"
	        "SIGUSR1 and SIGHUP begin new files, SIGINT and SIGTERM end "
	        "it. What fails with one process or file is told and does "
	        "not end the others. After the start it keeps no rights but "
	        "those that reading other processes needs."
	        "\n"
	        "status asks the daemon of a directory how it goes.",
	    .examples = daemon_examples, .spellings = daemon_spellings,
	    .operand = "status", .max_operands = 1, .run = cmd_daemon },
	{ .bit = CMD_CONVERT, .name = "convert",
	    .synopsis = "[-f FROM] [-t TO] [-o OUT] [OPTION]... [IN]...",
	    .summary = "convert traces into another format, filter and join",
	    .description =
	        "Reads all inputs, in order, and writes one output. Formats "
	        "are found by content and by the suffix of the output; gzip is "
	        "unpacked on the way. Without IN, or with -, standard input is "
	        "read."
	        "\n"
	        "Before a conversion that loses something, one line on "
	        "standard error says what the target cannot carry."
	        "\n"
	        "An OUT with {} in its name (or %d, %04d) stands for a file "
	        "per segment, for formats that can rotate. An OUT that ends "
	        "in .gz is packed."
	        "\n"
	        "reli's --rbt-timestamps, --rbt-compress and --sampling-period "
	        "are --timestamps, --compress and --period.",
	    .examples = convert_examples, .spellings = convert_spellings,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_convert },
	{ .bit = CMD_REPLAY, .name = "replay",
	    .synopsis = "--collapsed|--binary|... [-o OUT] [OPTION]... "
	                "[IN]...",
	    .summary = "convert as `python -m profiling.sampling replay` does",
	    .description =
	        "Writes what CPython's sampling profiler makes of its binary "
	        "profiles, under the names it has there: a short form of "
	        "convert. Inputs may be of any format. Without -o the output "
	        "goes to standard output."
	        "\n"
	        "For the outputs that CPython offers and bobbin does not write "
	        "yet, replay says so.",
	    .examples = replay_examples, .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_replay },
	{ .bit = CMD_RECOVER, .name = "recover",
	    .synopsis = "[-t TO] [-o OUT] [--exact] [--json] [OPTION]... "
	                "[IN]...",
	    .summary = "read past damage, write what is there, report the rest",
	    .description =
	        "Reads damaged, cut or unfinished traces, passes over what "
	        "cannot be read, and writes a clean trace of every sample that "
	        "is still there. The report names each gap: where, how long, "
	        "why, and how many samples it cost, as far as that can be "
	        "known. The default target is rbt."
	        "\n"
	        "When IN.live stands beside IN, the segment that its writer "
	        "was working on when it died, it is taken along. So is "
	        "NAME.part.defs with NAME.part: the names in a profile that "
	        "was never finished."
	        "\n"
	        "With --json the report goes to standard output when -o names "
	        "a file, else to standard error. Exit status 4 means that "
	        "something was lost.",
	    .examples = recover_examples, .spellings = recover_spellings,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_recover },
	{ .bit = CMD_ANALYZE, .name = "analyze",
	    .synopsis = "[--tree] [--callers RE] [--json] [OPTION]... [IN]...",
	    .summary = "tell where the time went",
	    .description =
	        "Adds up the samples of all inputs, of any format, and shows "
	        "what they were in: self time (the innermost frame), total "
	        "time (anywhere in the stack), callers and callees, the call "
	        "tree, time lines, requests. A directory stands for the traces "
	        "in it."
	        "\n"
	        "Every share comes with its sampling error: half the width of "
	        "its 95 % interval, in percentage points, clumps of samples "
	        "taken into account. Time is that of the samples where all "
	        "have times, else samples times period; the head of the column "
	        "says which. Where periods differ, shares are of time."
	        "\n"
	        "As rbt:analyze it prints reli's tables, to the byte: without "
	        "errors and times.",
	    .examples = analyze_examples, .spellings = analyze_spellings,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_analyze },
	{ .bit = CMD_EXPLORE, .name = "explore",
	    .synopsis = "[--follow] [--diff] [OPTION]... [IN]...",
	    .summary = "look around in traces, full screen",
	    .description =
	        "Shows what took the time, who calls it and what it calls: "
	        "lists, callers and callees, flames, trees, samples over time, "
	        "and the source. Everything can be narrowed down by pattern, "
	        "time, process, thread, status and annotation. ? lists the "
	        "keys; those of reli's rbt:explore are the same."
	        "\n"
	        "Keys come from the terminal, so a trace may come from "
	        "standard input. At least 60 columns and 12 rows are needed.",
	    .examples = explore_examples, .spellings = explore_spellings,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_explore },
	{ .bit = CMD_DIFF, .name = "diff",
	    .synopsis = "[--fail-over X%[:RE]] [-o OUT] [OPTION]... A B",
	    .summary = "tell what changed between two traces, and whether it "
	        "is noise",
	    .description =
	        "Compares two traces of any format, or two directories of "
	        "them: the share that each function and each call path has in "
	        "A (before) and in B (after), the difference in points (% of "
	        "the whole), its 95 % interval, and q, which is small when "
	        "the difference is not chance: of all changes with q of at "
	        "most 0.05, some 5 % are none. What is new and what is gone "
	        "is listed by itself."
	        "\n"
	        "Samples come in clumps: the slow request is seen many times "
	        "in a row. How the shares vary along the recordings tells how "
	        "much a sample is worth, so that two recordings of the same "
	        "workload show no change."
	        "\n"
	        "--fail-over makes it a gate. Growth by 5 % is as much as 5 % "
	        "of what the whole profile had before. Exit status 3 means "
	        "that growth is certain (the chance of a false alarm is 1 % a "
	        "run) and that its interval reaches the limit.",
	    .examples = diff_examples, .operand = "FILE",
	    .max_operands = 2, .run = cmd_diff },
	{ .bit = CMD_STACK, .name = "stack",
	    .synopsis = "[-p PID]... [-P RE] [--pause] [--json] [PID]...",
	    .summary = "show what processes are doing right now",
	    .description =
	        "Reads the stack of each thread of running PHP and Python "
	        "processes once, from outside and without stopping them: "
	        "runtime and version, command line, threads with their "
	        "status, what is asked of a web server, and the functions, "
	        "innermost first."
	        "\n"
	        "A stack that changes while it is read is read again, for up "
	        "to a second. What still cannot be proven is not shown, and "
	        "said; then the exit status is 4. --pause always gets it."
	        "\n"
	        "`bobbin dump PID` is the same when there is no file of that "
	        "name, and so is `bobbin dump -p PID` when standard input is "
	        "a terminal.",
	    .examples = stack_examples, .operand = "PID",
	    .max_operands = ANY_NUMBER, .run = cmd_stack },
	{ .bit = CMD_DOCTOR, .name = "doctor",
	    .synopsis = "[-p PID]... [-P RE] [--pause] [--json] [PID]...",
	    .summary = "tell what would stop a capture, and the fix",
	    .description =
	        "Goes through what a capture needs: of this machine, or with "
	        "-p and -P of some processes, up to a few samples of them. "
	        "Each check is ok, a warning or a problem, with the reason "
	        "and the command that helps. Nothing is changed."
	        "\n"
	        "Without a process it also lists the PHP and Python processes "
	        "there are, and whether they may be read."
	        "\n"
	        "Exit status 1 means that something would stop a capture.",
	    .examples = doctor_examples, .operand = "PID",
	    .max_operands = ANY_NUMBER, .run = cmd_doctor },
	{ .bit = CMD_LIVE_TOP, .name = "top",
	    .synopsis = "[-p PID]... [-P RE] [OPTION]... [-- COMMAND...]",
	    .summary = "watch what processes spend their time in",
	    .description =
	        "Samples running PHP and Python processes and shows a table, "
	        "full screen, that follows them: self (the innermost function) "
	        "and total (anywhere in the stack) of the last seconds, and "
	        "since the start. Rows are functions, lines, files, routes of "
	        "requests, processes or threads. ? lists the keys."
	        "\n"
	        "With -P processes are looked for each second; they come and "
	        "go. A COMMAND that is started ends with top, and what it "
	        "prints is not shown on the full screen."
	        "\n"
	        "Where standard output is not a terminal, or with --count, a "
	        "table is printed each interval.",
	    .examples = top_examples, .spellings = top_spellings,
	    .operand = NULL, .max_operands = ANY_NUMBER, .run = cmd_top },
	{ .bit = CMD_INFO, .name = "info",
	    .synopsis = "[--json] [--all] [OPTION]... [IN]...",
	    .summary = "tell what is in a trace",
	    .description =
	        "Tells about each input: format and dialect, size, segments "
	        "with their periods and times, samples, sampled time, distinct "
	        "stacks, pids, threads and what state they were in, "
	        "annotations, metadata, and what the bytes are used for: of "
	        "CPython's profiles, how many samples each kind of record "
	        "holds, what that saves, and what packing does. Damage is "
	        "passed over and counted; then the exit status is 4.",
	    .examples = info_examples, .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_info },
	{ .bit = CMD_VERIFY, .name = "verify",
	    .synopsis = "[--json] [OPTION]... [IN]...",
	    .summary = "list everything that is wrong with a trace",
	    .description =
	        "Reads each input to its end and lists every complaint with "
	        "its byte offset (counted after unpacking). Exit status: 0 "
	        "clean, 1 damaged, 4 whole as far as it goes but ending inside "
	        "an event (cut, or still being written).",
	    .examples = verify_examples, .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_verify },
	{ .bit = CMD_DUMP, .name = "dump",
	    .synopsis = "[--recover] [OPTION]... [IN]...",
	    .summary = "print every sample, one line per run of equal ones",
	    .description =
	        "Prints the samples in the order of the input, one line for "
	        "each run of equal samples, fields between TABs: count, "
	        "segment, pid, tid, interpreter, status, time in microseconds, "
	        "annotations, then the frames, leaf first. - stands for a fact "
	        "that is absent. Annotations are k=v,k=v or {} when empty. "
	        "Frames are P;function;file;line;opcode for PHP, "
	        "Y;function;file;line;end_line;col;end_col;opcode for Python "
	        "(without any place in the source: four times -) and "
	        "N;symbol;module;offset for native code. Every byte outside "
	        "! to ~, and each of % , ; = inside a field, is %HH.",
	    .examples = dump_examples, .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_dump },
	{ .bit = CMD_FORMATS, .name = "formats", .synopsis = "[--json]",
	    .summary = "list the formats and their options",
	    .description =
	        "Lists each format with its suffixes, whether it can be read "
	        "and written, what it can carry, and its options. Those for "
	        "reading are given to convert and recover with from- in front, "
	        "as --from-dialect.",
	    .examples = formats_examples, .operand = NULL,
	    .max_operands = 0, .run = cmd_formats },
	{ .bit = CMD_COMPLETION, .name = "completion",
	    .synopsis = "bash|zsh|fish",
	    .summary = "print completions for a shell",
	    .description =
	        "Prints a script that teaches a shell to complete commands, "
	        "options, formats and file names. `make install` puts them "
	        "where shells look.",
	    .examples = completion_examples, .operand = "bash|zsh|fish",
	    .max_operands = 1, .run = cmd_completion },
	{ .bit = CMD_HELP, .name = "help", .synopsis = "[COMMAND]",
	    .summary = "explain bobbin or one of its commands",
	    .description =
	        "Without COMMAND, an overview; with it, all about that "
	        "command, as `bobbin COMMAND --help`.",
	    .examples = help_examples, .operand = "COMMAND",
	    .max_operands = 1, .run = cmd_help },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

const struct command *
command_get(size_t i)
{
	return i < N_COMMANDS ? &commands[i] : NULL;
}

const struct command *
command_named(const char *name, const struct spelling **ret_spelling)
{
	const struct spelling *s;
	size_t i;

	for (i = 0; i < N_COMMANDS; i++) {
		*ret_spelling = NULL;
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
		s = commands[i].spellings;
		for (; s != NULL && s->name != NULL; s++) {
			*ret_spelling = s;
			if (strcmp(s->name, name) == 0)
				return &commands[i];
		}
	}
	*ret_spelling = NULL;
	return NULL;
}

/* The i-th option of the table; 0 and *ret_rest, how far behind it i is. */
static int
table_get(uint32_t bit, size_t i, struct opt *ret, size_t *ret_rest)
{
	size_t k;

	for (k = 0; k < N_OPTIONS; k++) {
		if ((options[k].commands & bit) == 0 || i-- > 0)
			continue;
		*ret = options[k];
		return 1;
	}
	*ret_rest = i;
	return 0;
}

static int
is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* True when a format declares an option in these words. */
static int
declares(const struct bob_format_info *f, const struct bob_option_info *o)
{
	const struct bob_option_info *p = f->options;

	for (; p != NULL && p->key != NULL; p++)
		if (strcmp(p->key, o->key) == 0 &&
		    is_same_text(p->arg, o->arg) &&
		    is_same_text(p->help, o->help))
			return 1;
	return 0;
}

/* The k-th format whose options a command has; *ret is NULL where it has not
 * those of the k-th. 0 behind the last. */
static int
target_format(uint32_t bit, size_t k, const struct bob_format_info **ret)
{
	const struct bob_format_info *f = bob_format_get(k);

	if (f == NULL || (bit & (CMD_CONVERT | CMD_RECOVER |
	    CMD_REPLAY | CMD_RECORD | CMD_DAEMON)) == 0)
		return 0;
	*ret = f->can_write && (bit != CMD_REPLAY || replay_writes(f->name))
	    ? f : NULL;
	return 1;
}

/* The names of all formats with this option; 0 when the k-th is not the first
 * of them. */
static int
list_formats(uint32_t bit, const struct bob_option_info *o, size_t k,
    char *buf, size_t cap)
{
	const struct bob_format_info *f;
	size_t i, n = 0;

	buf[0] = '\0';
	for (i = 0; target_format(bit, i, &f); i++) {
		if (f == NULL || !declares(f, o))
			continue;
		if (i < k)
			return 0;
		if (n < cap)
			n += (size_t)snprintf(buf + n, cap - n, "%s%s",
			    n > 0 ? ", " : "", f->name);
	}
	return 1;
}

/* True when the command uses the name for itself. */
static int
is_taken(uint32_t bit, const char *name)
{
	size_t k;

	if (bit == CMD_REPLAY && replay_sets(name))
		return 1;
	for (k = 0; k < N_OPTIONS; k++)
		if ((options[k].commands & bit) != 0 &&
		    strcmp(options[k].name, name) == 0)
			return 1;
	return 0;
}

/* The i-th option of the formats that can be written. */
static int
target_get(uint32_t bit, size_t i, struct opt *ret)
{
	const struct bob_format_info *f;
	const struct bob_option_info *o;
	size_t k;

	for (k = 0; target_format(bit, k, &f); k++) {
		o = f != NULL ? f->options : NULL;
		for (; o != NULL && o->key != NULL; o++) {
			*ret = (struct opt){ .id = OPT_TARGET,
				.group = GROUP_TARGET, .commands = bit,
				.name = o->key, .arg = o->arg,
				.help = o->help };
			if (!is_taken(bit, o->key) &&
			    list_formats(bit, o, k, ret->formats,
			        sizeof(ret->formats)) && i-- == 0)
				return 1;
		}
	}
	return 0;
}

int
opt_get(const struct command *c, size_t i, struct opt *ret)
{
	uint32_t bit = c == NULL ? CMD_TOP : c->bit;

	if (bit == CMD_REPLAY && replay_get(i, ret))
		return 1;
	if (bit == CMD_REPLAY)
		i -= replay_count();
	return table_get(bit, i, ret, &i) || target_get(bit, i, ret);
}

int
opt_opens_formats(const struct command *c, size_t i)
{
	struct opt o, before;
	size_t k;

	if (!opt_get(c, i, &o) || o.group != GROUP_TARGET)
		return 0;
	for (k = 0; k < i && opt_get(c, k, &before); k++)
		if (strcmp(before.formats, o.formats) == 0)
			return 0;
	return 1;
}

int
opt_named(const struct command *c, const char *name, size_t len,
    struct opt *ret)
{
	struct opt o;
	size_t i;

	for (i = 0; i < N_SYNONYMS; i++) {
		if (strlen(synonyms[i].name) == len &&
		    memcmp(synonyms[i].name, name, len) == 0) {
			name = synonyms[i].stands_for;
			len = strlen(name);
			break;
		}
	}
	for (i = 0; opt_get(c, i, &o); i++) {
		if (strlen(o.name) == len && memcmp(o.name, name, len) == 0) {
			*ret = o;
			return 1;
		}
	}
	return 0;
}

int
opt_lettered(const struct command *c, char letter, struct opt *ret)
{
	struct opt o;
	size_t i;

	for (i = 0; opt_get(c, i, &o); i++) {
		if (o.letter == letter) {
			*ret = o;
			return 1;
		}
	}
	return 0;
}

const char *
opt_group_title(int group)
{
	static const char *const titles[N_GROUPS] = {
		[GROUP_INPUT] = "Input",
		[GROUP_FILTER] = "Filters",
		[GROUP_OUTPUT] = "Output",
		[GROUP_REPORT] = "Report",
		[GROUP_GENERAL] = "General",
		[GROUP_CAPTURE] = "Capture",
		[GROUP_TARGET] = "Options of the target format",
	};

	return titles[group];
}

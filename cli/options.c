/* The options of all commands, and how to look them up. */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include <bobbin/convert.h>

#include "convert/replay.h"

static const struct opt options[] = {
	{ OPT_PID, GROUP_CAPTURE, CMD_RECORD, 'p', "pid", "PID",
	    "sample this process; may be given several times" },
	{ OPT_PID, GROUP_CAPTURE, CMD_STACK | CMD_DOCTOR | CMD_LIVE_TOP, 'p',
	    "pid", "PID",
	    "this process; may be given several times" },
	{ OPT_PROCESS, GROUP_CAPTURE, CMD_RECORD, 'P', "process", "RE",
	    "all processes that run now and whose command line matches; the "
	    "pattern is Perl's" },
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
	{ OPT_PAUSE, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK |
	    CMD_DOCTOR | CMD_LIVE_TOP, 0,
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
	{ OPT_REQUEST_FACTS, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0,
	    "request", NULL,
	    "annotate samples with the request that is served: id, method, uri "
	    "without query, route (numbers and ids in the uri as {n} and "
	    "{id}) and script; daemon does so by itself" },
	{ OPT_NO_REQUEST_FACTS, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0,
	    "no-request", NULL,
	    "do not; record does not by itself" },
	{ OPT_QUERY_STRING, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0,
	    "query-string", NULL,
	    "and with its query string, which may hold secrets" },
	{ OPT_COOKIE, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0, "cookie", NULL,
	    "and with its cookies, which do" },
	{ OPT_MEMORY, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0, "memory", NULL,
	    "annotate samples with the memory in use and its peak" },
	{ OPT_TRACE_VAR, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK, 0,
	    "trace-var", "VARIABLE",
	    "PHP: annotate samples with the value of a variable, as "
	    "'global::$name', 'local::Class::method()$name', "
	    "'static::Class::$name', 'func_static::function()$name' or "
	    "memory::memory_get_usage; [key] and ->property may follow a "
	    "name; may be given several times" },
	{ OPT_LOCALS, GROUP_CAPTURE, CMD_STACK | CMD_DUMP, 'l', "locals", NULL,
	    "arguments and variables of each frame, which may hold secrets; "
	    "stops threads of Python for that moment" },
	{ OPT_REDACT, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK |
	    CMD_LIVE_TOP, 0, "redact", "RE",
	    "tell what matches within the value of an annotation or variable "
	    "as ***, as in 'token=\\w+|\\d{16}'; the pattern is Perl's" },
	{ OPT_REDACT, GROUP_CAPTURE, CMD_DUMP, 0, "redact", "RE",
	    "of processes that run: tell what matches within the value of a "
	    "variable as ***" },
	{ OPT_PAUSE, GROUP_CAPTURE, CMD_DUMP, 0, "pause", NULL,
	    "of processes that run: stop them for the moment" },
	{ OPT_WITH_OPCODE, GROUP_CAPTURE, CMD_DUMP, 0, "opcodes", NULL,
	    "of processes that run: also what the interpreter executes" },
	{ OPT_ASYNC, GROUP_CAPTURE, CMD_DUMP, 0, "async", "running|all",
	    "of processes that run: tasks of Python's asyncio and those that "
	    "await them" },
	{ OPT_NATIVE, GROUP_CAPTURE, CMD_DUMP, 0, "native", NULL,
	    "of processes that run: also frames of C" },
	{ OPT_SUBPROCESSES, GROUP_CAPTURE, CMD_RECORD | CMD_LIVE_TOP, 0,
	    "subprocesses", NULL,
	    "also sample processes that these start, and theirs; samples "
	    "carry their pids" },
	{ OPT_MODE, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_LIVE_TOP, 0,
	    "mode", "wall|cpu|gil|exception",
	    "sample all threads, or only those on a CPU; in Python also those "
	    "with the interpreter's lock or with an exception" },
	{ OPT_SAMPLED_THREADS, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON |
	    CMD_LIVE_TOP, 0, "threads", "all|main|TID",
	    "Python: sample all threads, the default, the main one, or that "
	    "one", .may_be_bare = 1 },
	{ OPT_ON_CPU, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0, "on-cpu", NULL,
	    "Python: also tell which threads are on a CPU, which takes some "
	    "microseconds for each" },
	{ OPT_NATIVE_MARKS, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON, 0,
	    "native-marks", NULL,
	    "Python: a frame <native> where C has called back into Python" },
	{ OPT_ASYNC, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK |
	    CMD_LIVE_TOP, 0, "async", "running|all",
	    "Python: stacks of asyncio's tasks and of those that await them, "
	    "of the ones that run or also of those that wait" },
	{ OPT_NATIVE, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK |
	    CMD_DOCTOR | CMD_LIVE_TOP, 0, "native", NULL,
	    "also frames of C, between those of the interpreter; stops the "
	    "process for the moment of each sample" },
	{ OPT_NATIVE_ONLY, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK |
	    CMD_DOCTOR | CMD_LIVE_TOP, 0, "native-only", NULL,
	    "frames of C alone, of a process of any kind, all its threads" },
	{ OPT_RUNTIME, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK |
	    CMD_DOCTOR | CMD_LIVE_TOP, 0,
	    "runtime", "NAME",
	    "take the process for this runtime instead of finding out" },
	{ OPT_RUNTIME_VERSION, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON |
	    CMD_STACK | CMD_DOCTOR | CMD_LIVE_TOP, 0,
	    "runtime-version", "X.Y",
	    "take the runtime for this version instead of finding out; "
	    "reli's --php-version says the same" },

	{ OPT_NO_SANDBOX, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON | CMD_STACK |
	    CMD_LIVE_TOP, 0, "no-sandbox", NULL,
	    "do not restrict bobbin's own system calls while it captures" },
	{ OPT_NO_REALTIME, GROUP_CAPTURE, CMD_RECORD | CMD_DAEMON |
	    CMD_LIVE_TOP, 0, "no-realtime", NULL,
	    "take samples with an ordinary priority; on a busy machine shares "
	    "are biased then" },
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
	{ OPT_MAX_MEMORY, GROUP_INPUT, CMD_READING, 0, "max-memory", "SIZE",
	    "fail rather than hold more than SIZE bytes in memory for what is "
	    "read, as 500M; by default three quarters of what the machine or "
	    "the cgroup has, none: no limit. For files of people whom you do "
	    "not trust" },
	{ OPT_MAX_TEMP, GROUP_INPUT, CMD_READING, 0, "max-temp", "SIZE",
	    "fail rather than keep more than SIZE bytes in temporary files, as "
	    "100M; 4G by default, none: no limit" },
	{ OPT_THREADS, GROUP_INPUT, CMD_CONVERT, 'j', "threads", "N",
	    "decode with at most N threads; 0, the default, is one per "
	    "processor" },

	{ OPT_PID, GROUP_FILTER, CMD_READING, 'p', "pid", "N",
	    "only samples of this process; may be given several times" },
	{ OPT_THREAD, GROUP_FILTER, CMD_CHOOSING, 0, "thread", "TID",
	    "only samples of this thread; may be given several times" },
	{ OPT_STATUS, GROUP_FILTER, CMD_CHOOSING, 0, "status", "LIST",
	    "only samples in all of these states: gil, wants-gil, cpu, idle, "
	    "exception, main, commas between; !gil: those not in it" },
	{ OPT_TIME, GROUP_FILTER, CMD_READING, 0, "time", "A..B",
	    "only samples from A up to B after the first time of the trace, "
	    "as 1.5s..2m; units us, ms, s, m, h, seconds when bare; either "
	    "end may be left out" },
	{ OPT_ANNOTATION, GROUP_FILTER, CMD_CHOOSING, 'a', "annotation",
	    "KEY=VALUE", "only samples with this annotation; KEY alone: with "
	    "any value; may be given several times, all must hold" },
	{ OPT_HIDE, GROUP_FILTER, CMD_CHOOSING, 0, "hide", "RE",
	    "drop frames that match; the pattern is Perl's and sees "
	    "'function file:line'" },
	{ OPT_MATCH, GROUP_FILTER, CMD_CHOOSING, 'm', "match", "RE",
	    "only samples with a frame that matches, after --hide" },
	{ OPT_NO_LINE, GROUP_FILTER, CMD_PASSING | CMD_DIFF | CMD_RECORD, 0,
	    "no-line", NULL,
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
	    "file in this folder. - is standard output; {} in it stands for "
	    "the number of the file" },
	{ OPT_ROTATE_TIME, GROUP_OUTPUT, CMD_RECORD, 0, "rotate-time", "TIME",
	    "begin a new file after TIME, as 10m; a new segment when FILE has "
	    "no {}. So does SIGUSR1" },
	{ OPT_ROTATE_SIZE, GROUP_OUTPUT, CMD_RECORD, 0, "rotate-size", "SIZE",
	    "the same when there are SIZE bytes, as 64M, before packing" },
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
	{ OPT_MAX_OUTPUT, GROUP_OUTPUT, CMD_RECORD, 0, "max-output", "SIZE",
	    "end the capture, with exit status 1, rather than write more than "
	    "SIZE bytes to a file, packed or unpacked, as 100M; what is "
	    "written stays. No limit by default" },
	{ OPT_MAX_MEMORY, GROUP_OUTPUT, CMD_RECORD, 0, "max-memory", "SIZE",
	    "the same rather than hold more than SIZE bytes in memory for "
	    "names, stacks and sums; by default three quarters of what the "
	    "machine or the cgroup has, none: no limit" },
	{ OPT_MAX_TEMP, GROUP_OUTPUT, CMD_RECORD, 0, "max-temp", "SIZE",
	    "the same rather than keep more than SIZE bytes in temporary "
	    "files; 4G by default, none: no limit" },
	{ OPT_MAX_OUTPUT, GROUP_OUTPUT, CMD_CONVERT | CMD_RECOVER | CMD_DUMP |
	    CMD_REPLAY | CMD_DIFF, 0, "max-output", "SIZE",
	    "fail rather than write more than SIZE bytes to a file, packed or "
	    "unpacked, as 100M; 16G by default, none: no limit. For files of "
	    "people whom you do not trust" },

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
	{ OPT_JSON, GROUP_REPORT, CMD_DUMP, 0, "json", NULL,
	    "of processes that run: as JSON, on one line" },
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
	{ OPT_SOURCE, GROUP_REPORT, CMD_EXPLORE, 0, "source", "[FROM=]DIR",
	    "show the source that is below this directory; FROM: where it was "
	    "when the trace was made; may be given several times, the longest "
	    "that fits wins" },
	{ OPT_PATH_MAP, GROUP_REPORT, CMD_EXPLORE, 0, "path-map", "FROM=TO",
	    "the same as --source FROM=TO" },
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
	{ "filter", "match" },
	{ "php-version", "runtime-version" },
	{ "stop-process", "pause" },
	{ "with-native-trace", "native" },
};

#define N_SYNONYMS (sizeof(synonyms) / sizeof(synonyms[0]))

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

	if ((bit & (CMD_REPLAY | CMD_RECORD)) != 0) {
		if (replay_get(i, bit, ret))
			return 1;
		i -= replay_count();
	}
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

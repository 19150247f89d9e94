/* The table of options of all commands, and how to find one in it. */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include <bobbin/convert.h>

#include "replay/replay.h"

static const struct opt options[] = {
	{ OPT_PID, GROUP_CAPTURE, CMD_RECORD, 'p', "pid", "PID",
	    "sample this process; may be given several times" },
	{ OPT_PID, GROUP_CAPTURE, CMD_STACK | CMD_DOCTOR | CMD_TOP, 'p',
	    "pid", "PID",
	    "this process; may be given several times" },
	{ OPT_PID, GROUP_CAPTURE, CMD_VIEW, 'p', "pid", "PID",
	    "without an input: sample this process while you look at it; with "
	    "inputs: show only its samples. May be given several times" },
	{ OPT_PROCESS, GROUP_CAPTURE, CMD_RECORDING, 'P', "process", "RE",
	    "all running processes whose command line matches this Perl "
	    "regular expression" },
	{ OPT_PROCESS, GROUP_CAPTURE, CMD_DAEMON | CMD_STACK | CMD_DOCTOR |
	    CMD_TOP,
	    'P', "process", "RE",
	    "all processes whose command line matches this Perl regular "
	    "expression" },
	{ OPT_RATE, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_TOP, 'r', "rate", "HZ",
	    "samples per second, 99 by default; max: as many as possible" },
	{ OPT_PERIOD, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_TOP, 0, "period",
	    "TIME",
	    "time between samples, instead of --rate, as 10ms" },
	{ OPT_DURATION, GROUP_CAPTURE, CMD_RECORDING |
	    CMD_TOP, 'd', "duration", "TIME",
	    "stop after this time, as 30s or 5m; by default when the process "
	    "ends, or on SIGINT" },
	{ OPT_PAUSE, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_STACK |
	    CMD_DOCTOR | CMD_TOP, 0,
	    "pause", NULL,
	    "stop the process while a sample is taken: stacks are exact, and "
	    "the process is slower" },
	{ OPT_DEPTH, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_TOP, 0, "depth", "N",
	    "keep the N innermost frames of a stack; 0, the default: all" },
	{ OPT_WITH_OPCODE, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_STACK,
	    0, "opcodes",
	    NULL,
	    "also the opcode of each frame" },
	{ OPT_REQUEST_FACTS, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON, 0,
	    "request", NULL,
	    "annotate samples with the request that is served: id, method, uri "
	    "without query, route (numbers and ids in the uri as {n} and {id}) "
	    "and script; the default of daemon" },
	{ OPT_NO_REQUEST_FACTS, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON, 0,
	    "no-request", NULL,
	    "do not annotate samples with the request: the default of record" },
	{ OPT_QUERY_STRING, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON, 0,
	    "query-string", NULL,
	    "annotate samples with the query string of the request, which may "
	    "hold secrets" },
	{ OPT_COOKIE, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON, 0, "cookie",
	    NULL,
	    "annotate samples with the cookies of the request, which hold "
	    "secrets" },
	{ OPT_MEMORY, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON, 0, "memory",
	    NULL,
	    "annotate samples with the memory in use and its peak" },
	{ OPT_TRACE_VAR, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_STACK,
	    0,
	    "trace-var", "VARIABLE",
	    "PHP: annotate samples with the value of a variable, as "
	    "'global::$name', 'local::Class::method()$name', "
	    "'static::Class::$name', 'func_static::function()$name' or "
	    "memory::memory_get_usage; [key] and ->property may follow a "
	    "name; may be given several times" },
	{ OPT_LOCALS, GROUP_CAPTURE, CMD_STACK | CMD_DUMP, 'l', "locals", NULL,
	    "arguments and variables of each frame, which may hold secrets; "
	    "stops Python threads while they are read" },
	{ OPT_REDACT, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_STACK |
	    CMD_TOP, 0, "redact", "RE",
	    "replace what matches this Perl regular expression in values of "
	    "annotations and variables by ***, as in 'token=\\w+|\\d{16}'" },
	{ OPT_REDACT, GROUP_CAPTURE, CMD_DUMP, 0, "redact", "RE",
	    "of running processes: replace what matches in values of variables "
	    "by ***" },
	{ OPT_PAUSE, GROUP_CAPTURE, CMD_DUMP, 0, "pause", NULL,
	    "of running processes: stop them while they are read" },
	{ OPT_WITH_OPCODE, GROUP_CAPTURE, CMD_DUMP, 0, "opcodes", NULL,
	    "of running processes: also the opcode of each frame" },
	{ OPT_ASYNC, GROUP_CAPTURE, CMD_DUMP, 0, "async", "running|all",
	    "of running processes: Python's asyncio tasks and the tasks that "
	    "await them" },
	{ OPT_NATIVE, GROUP_CAPTURE, CMD_DUMP, 0, "native", NULL,
	    "of running processes: also C frames" },
	{ OPT_SUBPROCESSES, GROUP_CAPTURE, CMD_RECORDING | CMD_TOP, 0,
	    "subprocesses", NULL,
	    "also sample child processes, and their children; samples carry "
	    "their pids" },
	{ OPT_MODE, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_TOP, 0,
	    "mode", "wall|cpu|gil|exception",
	    "sample all threads, or only those on a CPU; in Python also only "
	    "those that hold the GIL, or that handle an exception" },
	{ OPT_SAMPLED_THREADS, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_TOP, 0, "threads", "all|main|TID",
	    "Python: sample all threads (the default), the main thread, or one "
	    "thread", .may_be_bare = 1 },
	{ OPT_ON_CPU, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON, 0, "on-cpu",
	    NULL,
	    "Python: also record which threads are on a CPU, which takes some "
	    "microseconds for each" },
	{ OPT_NATIVE_MARKS, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON, 0,
	    "native-marks", NULL,
	    "Python: add a frame <native> where C has called back into "
	    "Python" },
	{ OPT_ASYNC, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_STACK |
	    CMD_TOP, 0, "async", "running|all",
	    "Python: stacks of asyncio tasks and of the tasks that await them; "
	    "only those that run, or all, also those that wait" },
	{ OPT_NATIVE, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_STACK |
	    CMD_DOCTOR | CMD_TOP, 0, "native", NULL,
	    "also C frames, between those of the interpreter; stops the "
	    "process while a sample is taken" },
	{ OPT_NATIVE_ONLY, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_STACK |
	    CMD_DOCTOR | CMD_TOP, 0, "native-only", NULL,
	    "C frames only, of all threads, of a process of any kind" },
	{ OPT_RUNTIME, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_STACK |
	    CMD_DOCTOR | CMD_TOP, 0,
	    "runtime", "NAME",
	    "assume this runtime instead of detecting it" },
	{ OPT_RUNTIME_VERSION, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_STACK | CMD_DOCTOR | CMD_TOP, 0,
	    "runtime-version", "X.Y",
	    "assume this version of the runtime instead of detecting it; "
	    "reli's --php-version is the same" },

	{ OPT_NO_SANDBOX, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_STACK |
	    CMD_TOP, 0, "no-sandbox", NULL,
	    "do not restrict bobbin's own system calls while it captures" },
	{ OPT_NO_REALTIME, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON |
	    CMD_TOP, 0, "no-realtime", NULL,
	    "sample without real-time priority; on a busy machine shares are "
	    "biased then" },
	{ OPT_APART, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_TOP, 0,
	    "apart", NULL,
	    "sample from any processor: the process never waits for a sample, "
	    "but calls of a few microseconds are measured less exactly. By "
	    "default a single process, at up to 200 Hz, and processes with "
	    "--pause, at up to 1000 Hz, are sampled from the processor that "
	    "they run on" },
	{ OPT_NEAR, GROUP_CAPTURE, CMD_RECORDING | CMD_DAEMON | CMD_TOP, 0,
	    "near", NULL,
	    "sample each process from the processor that it runs on, at up to "
	    "1000 Hz, which costs the process about 2 %; with several "
	    "processes, only where no other process wants their processors" },
	{ OPT_BUNDLED, GROUP_CAPTURE, CMD_DAEMON, 0, "bundled", NULL,
	    "one file for all processes, with pids in the samples; by default "
	    "each process has its own file" },
	{ OPT_SERVICE, GROUP_CAPTURE, CMD_DAEMON, 0, "service", "NAME",
	    "write this name of a service into the metadata of all files; "
	    "--service of other commands finds it" },
	{ OPT_MAX_CPU, GROUP_CAPTURE, CMD_DAEMON, 0, "max-cpu", "SHARE",
	    "stay below this share of one processor, as 2%: the rate is "
	    "lowered if necessary" },

	{ OPT_FROM, GROUP_INPUT, CMD_ASKING, 'f', "from", "FROM",
	    "assume this format of the input instead of detecting it; or a "
	    "time: only samples from that moment on, as -15m or 14:02" },
	{ OPT_FROM, GROUP_INPUT, CMD_DIFF, 'f', "from", "FROM",
	    "assume this format of the input instead of detecting it; or, with "
	    "--store, a range of times that is compared, as "
	    "14:02..14:05" },
	{ OPT_FROM, GROUP_INPUT, CMD_READING & ~CMD_OF_STORES, 'f', "from",
	    "FROM",
	    "assume this format of the input instead of detecting it" },
	{ OPT_DIALECT, GROUP_INPUT, CMD_INFO | CMD_VERIFY | CMD_DUMP |
	    CMD_REPLAY | CMD_ANALYZE | CMD_EXPLORE | CMD_DIFF | CMD_VIEW,
	    0, "dialect",
	    "DIALECT",
	    "assume this dialect of the input's format instead of detecting "
	    "it" },
	{ OPT_FROM_DIALECT, GROUP_INPUT, CMD_CONVERT | CMD_RECOVER, 0,
	    "from-dialect", "DIALECT",
	    "assume this dialect of the input's format instead of detecting "
	    "it; --dialect is the same if the output format has no dialects" },
	{ OPT_ORDER, GROUP_INPUT, CMD_PASSING, 0, "order", "file|time",
	    "keep the order of the input (the default), or sort the samples of "
	    "all threads by time; sorting holds a whole segment back, on disk "
	    "if it is large" },
	{ OPT_RECOVER, GROUP_INPUT, CMD_CONVERT | CMD_DUMP | CMD_ANALYZE |
	    CMD_EXPLORE | CMD_DIFF | CMD_VIEW, 0,
	    "recover", NULL, "skip damage, with exit status 4 if something was "
	    "lost: the default of all commands but dump" },
	{ OPT_STRICT, GROUP_INPUT, CMD_CONVERT | CMD_REPLAY | CMD_INFO |
	    CMD_ANALYZE | CMD_EXPLORE | CMD_DIFF | CMD_VIEW, 0,
	    "strict", NULL, "stop at damage, with exit status 1, instead of "
	    "skipping it" },
	{ OPT_BASELINE, GROUP_INPUT, CMD_CONVERT, 'b', "baseline", "FILE",
	    "show what differs from FILE, in formats that can (flamegraph, "
	    "html): red grew, blue shrank, grey is not beyond noise" },
	{ OPT_FOLLOW, GROUP_INPUT, CMD_ANALYZE, 0, "follow", NULL,
	    "report again and again while the inputs grow; of a directory, new "
	    "files too. Ends when no input can grow any more, or on SIGINT" },
	{ OPT_FOLLOW, GROUP_INPUT, CMD_ANALYZE, 0, "watch", NULL,
	    "the same as --follow" },
	{ OPT_INTERVAL, GROUP_INPUT, CMD_ANALYZE, 0, "interval", "TIME",
	    "time between two reports of --follow; 1s by default" },
	{ OPT_DIFF, GROUP_INPUT, CMD_EXPLORE | CMD_VIEW, 0, "diff", NULL,
	    "compare two inputs, before and after: changes of shares, red "
	    "grew, blue shrank" },
	{ OPT_FOLLOW, GROUP_INPUT, CMD_EXPLORE | CMD_VIEW, 0, "follow", NULL,
	    "show what is added to the inputs while you look; of a directory, "
	    "new files too" },
	{ OPT_MAX_MEMORY, GROUP_INPUT, CMD_READING, 0, "max-memory", "SIZE",
	    "fail if what is read needs more than SIZE bytes of memory, as "
	    "500M; by default three quarters of the memory of the machine or "
	    "the cgroup; none: no limit. For files from people whom you do not "
	    "trust" },
	{ OPT_MAX_TEMP, GROUP_INPUT, CMD_READING, 0, "max-temp", "SIZE",
	    "fail if temporary files need more than SIZE bytes, as 100M; 4G by "
	    "default; none: no limit" },
	{ OPT_THREADS, GROUP_INPUT, CMD_CONVERT, 'j', "threads", "N",
	    "decode with at most N threads; 0, the default, is one per "
	    "processor" },

	{ OPT_STORE, GROUP_INPUT, CMD_OF_STORES, 0, "store", "DIR",
	    "instead of inputs: the traces in this directory, as a daemon "
	    "writes them, and in its subdirectories; only those are read that "
	    "have what is asked for" },
	{ OPT_EXPLAIN, GROUP_INPUT, CMD_OF_STORES, 0, "explain", NULL,
	    "say which traces of a store are read, and why others are not" },

	{ OPT_UNTIL, GROUP_FILTER, CMD_ASKING & ~CMD_CONVERT, 0, "to", "TIME",
	    "only samples before this moment; --from takes the first one. As "
	    "-15m, 14:02, 'yesterday 14:02', 2026-11-19T14:02:03+01:00 or "
	    "@SECONDS since 1970; without a zone it is the local one" },
	{ OPT_AGAINST, GROUP_FILTER, CMD_DIFF, 0, "against", "FROM..TO",
	    "with --store: the range of times before, which the one of --from "
	    "is compared with. Times as 'yesterday 14:02', -15m or "
	    "2026-11-19T14:02:03Z; a time alone behind the dots is one of the "
	    "same day" },
	{ OPT_SERVICE, GROUP_FILTER, CMD_OF_STORES, 0, "service", "NAME",
	    "only traces of a store whose metadata name this service" },
	{ OPT_HOST, GROUP_FILTER, CMD_OF_STORES, 0, "host", "NAME",
	    "only traces of a store that were made on this host" },
	{ OPT_ROUTE, GROUP_FILTER, CMD_OF_STORES, 0, "route", "ROUTE",
	    "only samples of requests with this route: the same as "
	    "--annotation request.route=ROUTE" },
	{ OPT_PID, GROUP_FILTER, CMD_READING & ~CMD_VIEW, 'p', "pid", "N",
	    "only samples of this process; may be given several times" },
	{ OPT_THREAD, GROUP_FILTER, CMD_CHOOSING, 0, "thread", "TID",
	    "only samples of this thread; may be given several times" },
	{ OPT_STATUS, GROUP_FILTER, CMD_CHOOSING, 0, "status", "LIST",
	    "only samples in all of these states, separated by commas: gil, "
	    "wants-gil, cpu, idle, exception, main; !gil: not in it" },
	{ OPT_TIME, GROUP_FILTER, CMD_READING, 0, "time", "A..B",
	    "only samples from A to B, counted from the first time of the "
	    "trace, as 1.5s..2m; units us, ms, s, m, h, d; seconds if there is "
	    "no unit; either end may be left out" },
	{ OPT_ANNOTATION, GROUP_FILTER, CMD_CHOOSING, 'a', "annotation",
	    "KEY=VALUE", "only samples with this annotation; KEY alone: with "
	    "any value; may be given several times, all must hold" },
	{ OPT_HIDE, GROUP_FILTER, CMD_CHOOSING, 0, "hide", "RE",
	    "drop frames whose 'function file:line' matches this Perl regular "
	    "expression" },
	{ OPT_MATCH, GROUP_FILTER, CMD_CHOOSING, 'm', "match", "RE",
	    "only samples with a frame that matches, after --hide" },
	{ OPT_IDLE, GROUP_FILTER, CMD_ANALYZE | CMD_EXPLORE | CMD_DIFF |
	    CMD_VIEW | CMD_TOP, 0, "idle", NULL,
	    "also samples of threads that wait for work; by default they are "
	    "left out, and a line says how many there are" },
	{ OPT_IDLE, GROUP_FILTER, CMD_CONVERT | CMD_RECOVER | CMD_REPLAY |
	    CMD_RECORD, 0, "idle", NULL,
	    "flame graphs and heat maps: also samples of threads that wait for "
	    "work; by default they are left out, and a line says how many "
	    "there are. Other formats have all samples" },
	{ OPT_NO_LINE, GROUP_FILTER, CMD_PASSING | CMD_DIFF | CMD_RECORD |
	    CMD_VIEW, 0,
	    "no-line", NULL,
	    "merge frames that differ only in their line" },

	{ OPT_TO, GROUP_OUTPUT, CMD_CONVERT, 't', "to", "TO",
	    "write this format; by default the suffix of the output "
	    "decides. Or a time: only samples before that moment" },
	{ OPT_TO, GROUP_OUTPUT, CMD_RECOVER | CMD_RECORD | CMD_DAEMON, 't',
	    "to", "TO",
	    "write this format; by default the suffix of the output "
	    "decides" },
	{ OPT_TO, GROUP_OUTPUT, CMD_DIFF, 't', "to",
	    "text|json|md|folded|svg|html",
	    "what to write; by default the suffix of the output decides, and "
	    "text is for terminals. folded is a line per stack with its "
	    "samples before and after, svg is a flame graph, html a page" },
	{ OPT_OUTPUT, GROUP_OUTPUT, CMD_CONVERT | CMD_RECOVER | CMD_DUMP |
	    CMD_REPLAY | CMD_DIFF, 'o', "output", "FILE",
	    "write to FILE, which gets this name when it is complete; - is "
	    "standard output, the default" },
	{ OPT_OUTPUT, GROUP_OUTPUT, CMD_DAEMON, 'o', "output", "DIR",
	    "the directory to write to; $XDG_STATE_HOME/bobbin by default" },
	{ OPT_ROTATE_FILES, GROUP_OUTPUT, CMD_DAEMON, 0, "rotate",
	    "TIME|SIZE", "begin new files after this time, or when one has "
	    "this size, as 10m or 64M; 1h by default" },
	{ OPT_KEEP, GROUP_OUTPUT, CMD_DAEMON, 0, "keep", "SIZE|AGE",
	    "remove the oldest files when all take more than this, as 2G, or "
	    "are older than that, as 7d; both may be given" },
	{ OPT_SHIP_TO, GROUP_OUTPUT, CMD_SHIP, 0, "to", "URL",
	    "send samples there: clickhouse://HOST[:PORT]/DATABASE, "
	    "s3://HOST[:PORT]/BUCKET/PREFIX, or dir:PATH; may be given several "
	    "times" },
	{ OPT_ONCE, GROUP_OUTPUT, CMD_SHIP, 0, "once", NULL,
	    "send what is there and end; exit status 1 after five failures in "
	    "a row" },
	{ OPT_MAX_SPOOL, GROUP_OUTPUT, CMD_SHIP, 0, "max-spool", "SIZE",
	    "when segments that wait take more than this, as 2G, give up the "
	    "oldest, and count their samples; by default there is no limit" },
	{ OPT_MAX_WAIT, GROUP_OUTPUT, CMD_SHIP, 0, "max-wait", "AGE",
	    "give up segments that are older than this, as 7d" },
	{ OPT_RETRY, GROUP_OUTPUT, CMD_SHIP, 0, "retry", "TIME",
	    "how long to wait after a failure, 1s by default; it doubles up "
	    "to five minutes" },
	{ OPT_INTERVAL, GROUP_OUTPUT, CMD_SHIP, 0, "interval", "TIME",
	    "time between two looks at the directory; 10s by default" },
	{ OPT_SHIP_STATUS, GROUP_REPORT, CMD_SHIP, 0, "status", NULL,
	    "send nothing: print how many samples were sent, and what became "
	    "of them" },
	{ OPT_JSON, GROUP_REPORT, CMD_SHIP, 0, "json", NULL,
	    "with --status: JSON" },
	{ OPT_METRICS, GROUP_REPORT, CMD_SHIP, 0, "metrics", NULL,
	    "with --status: metrics as text, for Prometheus and OpenMetrics" },
	{ OPT_KEEP, GROUP_OUTPUT, CMD_FLEET, 0, "keep", "AGE",
	    "the server removes samples after that, as 14d, the default; 0: "
	    "never" },
	{ OPT_KEEP_SUMS, GROUP_OUTPUT, CMD_FLEET, 0, "keep-sums", "AGE",
	    "the same for the sums of each minute and for names of functions; "
	    "90d by default" },
	{ OPT_CLUSTER, GROUP_OUTPUT, CMD_FLEET, 0, "cluster", "NAME",
	    "make the tables on all machines of this cluster of the server's "
	    "configuration, replicated; its macros shard and replica must be "
	    "set" },
	{ OPT_DRY_RUN, GROUP_OUTPUT, CMD_FLEET, 0, "dry-run", NULL,
	    "change nothing, and print the statements" },
	{ OPT_LOGIN, GROUP_OUTPUT, CMD_FLEET | CMD_SHIP, 0, "login", "FILE",
	    "user and password, in the format of netrc(5); only its owner may "
	    "be able to read it. Without it the environment has them: "
	    "BOBBIN_SHIP_USER and BOBBIN_SHIP_PASSWORD" },
	{ OPT_TIMEOUT, GROUP_OUTPUT, CMD_FLEET | CMD_SHIP, 0, "timeout",
	    "TIME",
	    "give up a request after this; 5m by default" },
	{ OPT_CA_FILE, GROUP_OUTPUT, CMD_FLEET | CMD_SHIP, 0, "ca-file",
	    "FILE",
	    "trust servers whose certificate is signed by one of these, "
	    "instead of the system's" },
	{ OPT_OUTPUT, GROUP_OUTPUT, CMD_RECORD, 'o', "output", "FILE",
	    "write to FILE, which only its owner can read; by default a new "
	    "file in this directory. - is standard output; {} in the name "
	    "stands for the number of the file" },
	{ OPT_OUTPUT, GROUP_OUTPUT, CMD_VIEW, 'o', "output", "FILE",
	    "keep the recording as FILE, an .rbt that only its owner can read; "
	    "by default it is temporary, and is removed at the end" },
	{ OPT_FORCE, GROUP_OUTPUT, CMD_RECORDING, 0, "force", NULL,
	    "overwrite FILE; by default an old FILE is kept as FILE.old" },
	{ OPT_ROTATE_TIME, GROUP_OUTPUT, CMD_RECORD, 0, "rotate-time", "TIME",
	    "begin a new file after TIME, as 10m; a new segment if FILE has no "
	    "{}. SIGUSR1 does the same" },
	{ OPT_ROTATE_SIZE, GROUP_OUTPUT, CMD_RECORD, 0, "rotate-size", "SIZE",
	    "begin a new file, or segment, after SIZE bytes, as 64M, before "
	    "packing" },
	{ OPT_LIVE, GROUP_OUTPUT, CMD_CONVERT, 0, "live", NULL,
	    "write FILE in place, while its input is still coming; each sample "
	    "is handed to the system after a second at most. SIGINT and "
	    "SIGTERM end the input and complete FILE. A format with tables at "
	    "its end is FILE.part and FILE.part.defs until then" },
	{ OPT_STRICT_PLAN, GROUP_OUTPUT, CMD_CONVERT, 0, "strict-plan", NULL,
	    "refuse, with exit status 3, if the output format cannot carry all "
	    "that the input format can" },
	{ OPT_EXACT, GROUP_OUTPUT, CMD_RECOVER, 0, "exact", NULL,
	    "copy intact segments byte for byte" },
	{ OPT_MAX_OUTPUT, GROUP_OUTPUT, CMD_RECORD, 0, "max-output", "SIZE",
	    "end the capture, with exit status 1, before a file has more than "
	    "SIZE bytes, packed or unpacked, as 100M; what is written stays. "
	    "No limit by default" },
	{ OPT_MAX_MEMORY, GROUP_OUTPUT, CMD_RECORD, 0, "max-memory", "SIZE",
	    "the same if names, stacks and sums need more than SIZE bytes of "
	    "memory; by default three quarters of the memory of the machine or "
	    "the cgroup; none: no limit" },
	{ OPT_MAX_TEMP, GROUP_OUTPUT, CMD_RECORD, 0, "max-temp", "SIZE",
	    "the same if temporary files need more than SIZE bytes; 4G by "
	    "default; none: no limit" },
	{ OPT_MAX_OUTPUT, GROUP_OUTPUT, CMD_CONVERT | CMD_RECOVER | CMD_DUMP |
	    CMD_REPLAY | CMD_DIFF, 0, "max-output", "SIZE",
	    "fail before a file has more than SIZE bytes, packed or unpacked, "
	    "as 100M; 16G by default; none: no limit. For files from people "
	    "whom you do not trust" },

	{ OPT_FAIL_OVER, GROUP_REPORT, CMD_DIFF, 0, "fail-over",
	    "X%[:RE]", "exit with status 3 if anything, or anything that "
	    "matches RE, has grown by X % of the whole profile and this is not "
	    "chance; may be given several times" },
	{ OPT_NORMALIZE, GROUP_REPORT, CMD_DIFF, 0, "normalize",
	    "samples|time", "compare shares of the samples, the default, or "
	    "of the time that they took" },
	{ OPT_GROUP_BY, GROUP_REPORT, CMD_DIFF, 'g', "group-by", "WHAT",
	    "what is compared: function (and file; the default), name, line, "
	    "file, class, module; or samples by pid, thread, status, "
	    "annotation:KEY" },
	{ OPT_TOP, GROUP_REPORT, CMD_DIFF, 'n', "top", "N",
	    "rows in a table, 10 by default; JSON has all" },
	{ OPT_DEPTH, GROUP_REPORT, CMD_DIFF, 0, "depth", "N",
	    "show call paths of up to N frames; 0, the default: all" },
	{ OPT_MIN_PERCENT, GROUP_REPORT, CMD_DIFF, 0, "min-percent", "X",
	    "show call paths with at least X % of the whole, before or after; "
	    "1 by default" },
	{ OPT_GROUP_BY, GROUP_REPORT, CMD_ANALYZE, 'g', "group-by", "WHAT",
	    "what rows of the tables stand for: function (and file; the "
	    "default), line (function, file and line), name, file, "
	    "class, module; or samples by pid, thread, status, "
	    "annotation:KEY, segment, minute" },
	{ OPT_NO_LINE, GROUP_REPORT, CMD_ANALYZE, 0, "no-line", NULL,
	    "the same as --group-by name" },
	{ OPT_LINES, GROUP_REPORT, CMD_ANALYZE | CMD_DIFF, 0, "lines", NULL,
	    "the same as --group-by line" },
	{ OPT_WITH_OPCODE, GROUP_REPORT, CMD_ANALYZE, 0, "with-opcode", NULL,
	    "distinguish frames by their opcode too" },
	{ OPT_TOP, GROUP_REPORT, CMD_ANALYZE, 'n', "top", "N",
	    "rows in a table, 20 by default; 0 leaves out self and total" },
	{ OPT_CALLERS, GROUP_REPORT, CMD_ANALYZE, 0, "callers", "RE",
	    "show the callers of frames that match; the innermost match of "
	    "each sample counts" },
	{ OPT_CALLEES, GROUP_REPORT, CMD_ANALYZE, 0, "callees", "RE",
	    "show the callees of frames that match; the outermost match of "
	    "each sample counts" },
	{ OPT_LAST, GROUP_REPORT, CMD_ANALYZE, 0, "last", "N",
	    "show the last N samples with their frames; 1 if N is left out",
	    .may_be_bare = 1 },
	{ OPT_LAST_DEPTH, GROUP_REPORT, CMD_ANALYZE, 0, "last-depth", "N",
	    "show at most N frames of each, the innermost; 0: all" },
	{ OPT_TREE, GROUP_REPORT, CMD_ANALYZE, 0, "tree", NULL,
	    "show the call tree, heaviest branch first" },
	{ OPT_INVERT, GROUP_REPORT, CMD_ANALYZE, 0, "invert", NULL,
	    "show the tree inverted: from the innermost frames to their "
	    "callers" },
	{ OPT_DEPTH, GROUP_REPORT, CMD_ANALYZE, 0, "depth", "N",
	    "show the tree down to level N; 0: all" },
	{ OPT_MIN_PERCENT, GROUP_REPORT, CMD_ANALYZE, 0, "min-percent", "X",
	    "leave out nodes of the tree with less than X % of the samples; "
	    "1 by default" },
	{ OPT_TIMELINE, GROUP_REPORT, CMD_ANALYZE, 0, "timeline", NULL,
	    "show samples over time: all, and those of the heaviest rows" },
	{ OPT_REQUESTS, GROUP_REPORT, CMD_ANALYZE, 0, "requests", NULL,
	    "show the slowest requests, and all requests by route: most time "
	    "first, and most frequent first; needs annotations that identify "
	    "requests" },
	{ OPT_REQUEST_KEY, GROUP_REPORT, CMD_ANALYZE, 0, "request-key", "KEY",
	    "the annotation that identifies a request; by default the first of "
	    "request.id, request_id, request.uri, http.url, uri, url, "
	    "request.route, http.route and route that a sample has" },
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
	    "left|right", "which end of a frame is kept; left by default" },
	{ OPT_BUDGET, GROUP_REPORT, CMD_ANALYZE, 0, "budget", "LINES",
	    "print at most LINES lines (8 or more) in all; one of them says "
	    "what was left out. In JSON rows count as lines" },
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
	{ OPT_WINDOW, GROUP_REPORT, CMD_TOP, 0, "window", "TIME",
	    "the time that self and total cover: the last 10s by default" },
	{ OPT_GROUP_BY, GROUP_REPORT, CMD_TOP, 'g', "group-by",
	    "function|line|file|route|pid|thread",
	    "what rows stand for; function (and file) by default" },
	{ OPT_SORT, GROUP_REPORT, CMD_TOP, 0, "sort",
	    "self|total|all-self|all-total",
	    "sort by this, heaviest first; all-: since the start" },
	{ OPT_INTERVAL, GROUP_REPORT, CMD_TOP, 0, "interval", "TIME",
	    "time between two tables; 1s by default" },
	{ OPT_COUNT, GROUP_REPORT, CMD_TOP, 0, "count", "N",
	    "print N tables and end, also on a terminal" },
	{ OPT_TOP, GROUP_REPORT, CMD_TOP, 'n', "top", "N",
	    "rows of a printed table, 20 by default; 0: all" },
	{ OPT_JSON, GROUP_REPORT, CMD_TOP, 0, "json", NULL,
	    "print each table as a line of JSON" },
	{ OPT_JSON, GROUP_REPORT, CMD_STORE, 0, "json", NULL,
	    "report as JSON, one line per segment" },
	{ OPT_JSON, GROUP_REPORT, CMD_STACK | CMD_DOCTOR | CMD_DAEMON, 0,
	    "json", NULL,
	    "report as JSON, on one line" },
	{ OPT_JSON, GROUP_REPORT, CMD_DUMP, 0, "json", NULL,
	    "of running processes: as JSON, on one line" },
	{ OPT_ALL, GROUP_REPORT, CMD_INFO, 0, "all", NULL,
	    "list everything, not only the first or the largest few" },
	{ OPT_MAN, GROUP_REPORT, CMD_HELP, 0, "man", NULL,
	    "print the source of the man page", 1 },

	{ OPT_GROUP_BY, GROUP_REPORT, CMD_EXPLORE, 'g', "group-by", "WHAT",
	    "what rows stand for at first: line, function, name, file, "
	    "class, module; or samples by pid, thread, status, "
	    "annotation:KEY, segment, minute" },
	{ OPT_NO_LINE, GROUP_REPORT, CMD_EXPLORE, 0, "no-line", NULL,
	    "the same as --group-by name" },
	{ OPT_SOURCE, GROUP_REPORT, CMD_EXPLORE | CMD_VIEW, 0, "source",
	    "[FROM=]DIR",
	    "show source code from this directory; FROM is its path in the "
	    "trace; may be given several times, the longest match wins" },
	{ OPT_PATH_MAP, GROUP_REPORT, CMD_EXPLORE | CMD_VIEW, 0, "path-map",
	    "FROM=TO", "the same as --source FROM=TO" },
	{ OPT_KEYMAP, GROUP_REPORT, CMD_EXPLORE, 0, "keymap", "FILE",
	    "read key bindings from FILE: JSON, {\"action\": [\"key\", ...]}; "
	    "actions that it does not name keep their keys" },
	{ OPT_THEME, GROUP_REPORT, CMD_EXPLORE, 0, "theme",
	    "auto|dark|light", "the background of the terminal; auto looks at "
	    "COLORFGBG, or asks the terminal" },
	{ OPT_DIAGNOSE, GROUP_REPORT, CMD_EXPLORE, 0, "diagnose", NULL,
	    "show what each key and the mouse send, until q; needs no input" },

	{ OPT_NO_OPEN, GROUP_REPORT, CMD_VIEW, 0, "no-open", NULL,
	    "print the address of the page, and open no browser" },
	{ OPT_PORT, GROUP_REPORT, CMD_VIEW, 0, "port", "PORT",
	    "listen on this port; by default any that is free" },
	{ OPT_BIND, GROUP_REPORT, CMD_VIEW, 0, "bind", "ADDRESS",
	    "listen on this address of this machine, so that others can "
	    "connect who know the secret in the page's address; 127.0.0.1 by "
	    "default" },

	{ OPT_SEAL, GROUP_REPORT, CMD_STORE, 0, "seal", NULL,
	    "first seal what a killed daemon has left" },
	{ OPT_REBUILD, GROUP_REPORT, CMD_STORE, 0, "rebuild", NULL,
	    "first make all indexes again" },
	{ OPT_CHECK, GROUP_REPORT, CMD_STORE, 0, "check", NULL,
	    "compare all segments with their hashes" },

	{ OPT_QUIET, GROUP_GENERAL, CMD_ALL, 'q', "quiet", NULL,
	    "print nothing but errors" },
	{ OPT_COLOR, GROUP_GENERAL, CMD_ALL, 0, "color",
	    "auto|always|never", "colour messages and reports; auto: on "
	    "terminals, unless NO_COLOR is set or TERM is dumb" },
	{ OPT_HELP, GROUP_GENERAL, CMD_ALL, 'h', "help", NULL,
	    "print the help that fits one screen" },
	{ OPT_HELP_ALL, GROUP_GENERAL, CMD_ALL, 0, "help-all", NULL,
	    "print all of the help" },
	{ OPT_VERSION, GROUP_GENERAL, CMD_NONE, 'V', "version", NULL,
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

/* The i-th option of the table. Returns 1 and sets *ret; 0 behind the last, and
 * sets *ret_rest to how far behind. */
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

/* True if a format declares an option with the same texts. */
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

/* Sets *ret to the k-th format, or to NULL if the command does not have its
 * options. Returns 0 behind the last. */
static int
output_format(uint32_t bit, size_t k, const struct bob_format_info **ret)
{
	const struct bob_format_info *f = bob_format_get(k);

	if (f == NULL || (bit & (CMD_CONVERT | CMD_RECOVER |
	    CMD_REPLAY | CMD_RECORD | CMD_DAEMON)) == 0)
		return 0;
	*ret = f->can_write && (bit != CMD_REPLAY || replay_writes(f->name))
	    ? f : NULL;
	return 1;
}

/* Lists the names of all formats with this option. Returns 0 if the k-th format
 * is not the first of them. */
static int
list_formats(uint32_t bit, const struct bob_option_info *o, size_t k,
    char *buf, size_t cap)
{
	const struct bob_format_info *f;
	size_t i, n = 0;

	buf[0] = '\0';
	for (i = 0; output_format(bit, i, &f); i++) {
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

/* True if the command has an option of this name itself. */
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
format_option_get(uint32_t bit, size_t i, struct opt *ret)
{
	const struct bob_format_info *f;
	const struct bob_option_info *o;
	size_t k;

	for (k = 0; output_format(bit, k, &f); k++) {
		o = f != NULL ? f->options : NULL;
		for (; o != NULL && o->key != NULL; o++) {
			*ret = (struct opt){ .id = OPT_OF_FORMAT,
				.group = GROUP_FORMAT, .commands = bit,
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
	uint32_t bit = c == NULL ? CMD_NONE : c->bit;

	if ((bit & (CMD_REPLAY | CMD_RECORD)) != 0) {
		if (replay_get(i, bit, ret))
			return 1;
		i -= replay_count();
	}
	return table_get(bit, i, ret, &i) || format_option_get(bit, i, ret);
}

int
opt_opens_formats(const struct command *c, size_t i)
{
	struct opt o, before;
	size_t k;

	if (!opt_get(c, i, &o) || o.group != GROUP_FORMAT)
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
		[GROUP_FORMAT] = "Options of the output format",
	};

	return titles[group];
}

/* The table of commands: names, help texts and examples. */
#include "options.h"

#include <string.h>

#include "spellings.h"

#define ANY_NUMBER ((size_t)-1)

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
	{ "bobbin query /var/lib/bobbin --from -15m --route /cart -o cart.rbt",
	    "what a daemon has recorded, as a file" },
	{ "bobbin convert --rotate-time 1m -o 'trace-{}.rbt' long.rbt",
	    "a file per minute, trace-0000.rbt and so on" },
	{ NULL, NULL },
};

static const struct example record_examples[] = {
	{ "bobbin record -p 1234 -d 30s -o trace.rbt",
	    "half a minute of a process" },
	{ "bobbin record -- php script.php", "a script from start to end" },
	{ "bobbin record -P gunicorn --subprocesses -d 1m -o graph.svg",
	    "a minute of gunicorn and its workers, as a flame graph" },
	{ "bobbin record -p 1234 --rotate-time 10m -o 'trace-{}.rbt.gz'",
	    "a packed file every ten minutes, until ^C" },
	{ "bobbin record -p 1234 -r 1k --match 'PDO::' -t folded -o -",
	    "1000 samples a second; those in PDO are written" },
	{ "bobbin record --native -p 1234 -d 30s -o graph.html",
	    "with C frames between those of PHP or Python" },
	{ "bobbin record --async all -p 1234 -d 30s -o graph.html",
	    "asyncio tasks, also waiting ones, below those that await them" },
	{ "bobbin run --flamegraph -o out.html script.py --option",
	    "as CPython's profiler spells it" },
	{ NULL, NULL },
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

static const struct example recover_examples[] = {
	{ "bobbin recover -o good.rbt bad.rbt", "rescue a damaged file" },
	{ "bobbin recover --exact --json -o good.rbt bad.rbt",
	    "keep intact segments as they are, report for programs" },
	{ "bobbin rbt:recover -f phpspy < bad.rbt > good.txt",
	    "as reli spells it" },
	{ NULL, NULL },
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

static const struct example explore_examples[] = {
	{ "bobbin explore trace.rbt", "look around" },
	{ "bobbin explore --follow trace.rbt", "while it is recorded" },
	{ "bobbin explore --diff before.rbt after.rbt",
	    "what grew, what shrank" },
	{ "bobbin explore --source /srv/app=$HOME/app profile.bin",
	    "with the source that is here (v)" },
	{ NULL, NULL },
};

static const struct example view_examples[] = {
	{ "bobbin view trace.rbt", "look around in the browser" },
	{ "bobbin view -p 1234", "a process, while it runs" },
	{ "bobbin view -o trace.rbt -- php script.php",
	    "a script from start to end; the recording is kept" },
	{ "bobbin view --diff before.rbt after.rbt",
	    "what grew, what shrank, what is noise" },
	{ "bobbin view --no-open --port 8080 trace.rbt",
	    "on a server; ssh -L 8080:localhost:8080 brings it here" },
	{ NULL, NULL },
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
	{ "bobbin diff --store DIR --from -1h.. --against -2h..-1h",
	    "two ranges of times of what a daemon has recorded" },
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
	{ "bobbin stack -p 1234 --trace-var 'global::$config[debug]'",
	    "with the value of a PHP variable" },
	{ "bobbin stack -p 1234 --locals --redact '(?i)(?<=token=)\\w+'",
	    "with the variables of each frame, without secrets" },
	{ "bobbin stack --native-only -p 1234",
	    "C frames of a process of any kind, all threads" },
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
	{ "bobbin top --subprocesses -p 1234",
	    "with its child processes" },
	{ "bobbin top -p 1234 --count 1 --interval 10s",
	    "one table of ten seconds" },
	{ "bobbin top -p 1234 --json | jq .rows[0]", "for programs" },
	{ NULL, NULL },
};

static const struct example store_examples[] = {
	{ "bobbin store --check /var/lib/bobbin",
	    "what is in it, and is it whole?" },
	{ NULL, NULL },
};

static const struct example completion_examples[] = {
	{ "eval \"$(bobbin completion bash)\"", "for this shell" },
	{ NULL, NULL },
};

static const struct example help_examples[] = {
	{ "bobbin help convert", "all about one command" },
	{ "bobbin help coming-from py-spy",
	    "what you type in py-spy, and what it is here" },
	{ NULL, NULL },
};

static const struct example daemon_examples[] = {
	{ "sudo bobbin daemon -P 'php-fpm: pool' -o /var/lib/bobbin",
	    "a whole pool, day and night" },
	{ "bobbin daemon -P 'gunicorn|php-fpm' --max-cpu 2% --keep 2G "
	  "--keep 7d", "with limits for processor and disk" },
	{ "bobbin daemon status", "what does it sample, and what was lost?" },
	{ "bobbin analyze --follow /var/lib/bobbin",
	    "a report while it writes" },
	{ NULL, NULL },
};

static const struct example ship_examples[] = {
	{ "bobbin ship /var/lib/bobbin --to clickhouse://db1/bobbin",
	    "day and night, beside a daemon" },
	{ "bobbin ship --once /var/lib/bobbin --to dir:/mnt/profiles",
	    "copy what is there" },
	{ "bobbin ship --status /var/lib/bobbin", "how far is it?" },
	{ NULL, NULL },
};

static const struct example fleet_examples[] = {
	{ "bobbin fleet init --dry-run clickhouse://db1/bobbin",
	    "which statements would be run?" },
	{ "bobbin fleet init --keep 7d --login ~/.ship clickhouse://db1/bobbin",
	    "make the tables; samples stay a week" },
	{ NULL, NULL },
};

static const struct command commands[] = {
	{ .bit = CMD_RECORD,
	    .name = "record",
	    .synopsis = "-p PID... | -P RE | -- COMMAND... [-o OUT] [-t TO] "
	                "[OPTION]...",
	    .summary = "sample the stacks of running processes",
	    .description =
	        "Reads the stacks of PHP and Python processes from outside: "
	        "nothing is loaded into them, and they are not stopped unless "
	        "--pause or --native is given. A stack that changed while it "
	        "was read is discarded and counted, never guessed."
	        "\n"
	        "The output is rbt with times, unless -t or the suffix of OUT "
	        "says otherwise, and can be read while it is written. Formats "
	        "that only have sums, such as flame graphs, are written at the "
	        "end. The capture ends on SIGINT or SIGTERM, or when all "
	        "processes have ended. SIGUSR1 begins a new file if OUT "
	        "contains {}, else a new segment."
	        "\n"
	        "Filters select which samples are written."
	        "\n"
	        "You need permission to trace the process: be the same user, "
	        "or have CAP_SYS_PTRACE. All other privileges are dropped "
	        "after the start."
	        "\n"
	        "run starts a script with the interpreter that its #! line "
	        "names, else with PHP if its name ends in .php, else with "
	        "Python; attach takes process ids. Both sample the main "
	        "thread 1000 times a second, and print a report if no output "
	        "is named.",
	    .examples = record_examples, .spellings = spellings_of_record,
	    .respelled = respelled_record,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_record },
	{ .bit = CMD_DAEMON,
	    .name = "daemon",
	    .synopsis = "-P RE [-o DIR] [OPTION]... | status [-o DIR] "
	                "[--json]",
	    .summary = "sample all processes of a kind, as they come and go",
	    .description =
	        "Samples every process whose command line matches, from the "
	        "second it starts until it ends, and writes files into a "
	        "directory. Samples are annotated with the request that is "
	        "served. The files can be read while they are written; at most "
	        "a second is lost if the daemon is killed. Only their owner "
	        "can read them."
	        "\n"
	        "SIGUSR1 and SIGHUP begin new files, SIGINT and SIGTERM end "
	        "the daemon. A failure with one process or file is reported "
	        "and does not affect the others. After the start the daemon "
	        "keeps only the privileges that it needs to read other "
	        "processes."
	        "\n"
	        "status prints the state of the daemon that writes to a "
	        "directory.",
	    .examples = daemon_examples, .spellings = spellings_of_daemon,
	    .operand = "status", .max_operands = 1, .run = cmd_daemon },
	{ .bit = CMD_CONVERT,
	    .name = "convert",
	    .synopsis = "[-f FROM] [-t TO] [-o OUT] [OPTION]... [IN]...",
	    .summary = "convert traces into another format, filter and join",
	    .description =
	        "Reads all inputs, in order, and writes one output. The input "
	        "format is detected by content, the output format by the "
	        "suffix of OUT; gzip is unpacked on the way. Without IN, or "
	        "with -, standard input is read."
	        "\n"
	        "Before a conversion that loses something, one line on "
	        "standard error says what the output format cannot carry."
	        "\n"
	        "If the name OUT contains {} (or %d, %04d), each segment gets "
	        "a file of its own, in formats that can rotate. An OUT that "
	        "ends in .gz is packed."
	        "\n"
	        "query DIR is convert --store DIR, and writes rbt unless -t or "
	        "the suffix of OUT says otherwise."
	        "\n"
	        "reli's --rbt-timestamps, --rbt-compress and "
	        "--sampling-period are --timestamps, --compress and --period.",
	    .examples = convert_examples, .spellings = spellings_of_convert,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_convert },
	{ .bit = CMD_REPLAY,
	    .name = "replay",
	    .synopsis = "--collapsed|--binary|... [-o OUT] [OPTION]... "
	                "[IN]...",
	    .summary = "convert as `python -m profiling.sampling replay` does",
	    .description =
	        "Writes the outputs that CPython's sampling profiler makes of "
	        "its binary profiles, with the option names of that profiler: "
	        "a short form of convert. Inputs may be of any format. Without "
	        "-o the output goes to standard output.",
	    .examples = replay_examples, .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_replay },
	{ .bit = CMD_RECOVER,
	    .name = "recover",
	    .synopsis = "[-t TO] [-o OUT] [--exact] [--json] [OPTION]... "
	                "[IN]...",
	    .summary = "read past damage, write what is there, report the rest",
	    .description =
	        "Reads damaged, cut or unfinished traces, skips what cannot be "
	        "read, and writes a clean trace of every sample that is still "
	        "there. The report names each gap: where, how long, why, and "
	        "how many samples it cost, as far as that can be known. The "
	        "default format is rbt."
	        "\n"
	        "If there is a file IN.live beside IN (the segment that was "
	        "being written when the writer died), it is read too. So is "
	        "NAME.part.defs beside NAME.part: the names in a profile that "
	        "was never finished."
	        "\n"
	        "With --json the report goes to standard output if -o names a "
	        "file, else to standard error. Exit status 4 means that "
	        "something was lost.",
	    .examples = recover_examples, .spellings = spellings_of_recover,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_recover },
	{ .bit = CMD_ANALYZE,
	    .name = "analyze",
	    .synopsis = "[--tree] [--callers RE] [--json] [OPTION]... [IN]...",
	    .summary = "show where the time went",
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
	    .examples = analyze_examples, .spellings = spellings_of_analyze,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_analyze },
	{ .bit = CMD_EXPLORE,
	    .name = "explore",
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
	        "standard input. At least 40 columns and 10 rows are needed.",
	    .examples = explore_examples, .spellings = spellings_of_explore,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .keys = explore_key_help, .run = cmd_explore },
	{ .bit = CMD_VIEW,
	    .name = "view",
	    .synopsis = "[--diff] [OPTION]... [IN]... | -p PID... | "
	                "-P RE | -- COMMAND...",
	    .summary = "look around in traces, in the browser",
	    .description =
	        "Serves a page that shows what took the time: samples over "
	        "time, flame graphs, tables, callers and callees, requests. "
	        "What is selected stands in the address of the page, and can "
	        "be saved: as pictures, folded stacks, CSV and in every format."
	        "\n"
	        "With -p, -P or a command it records as record does, and shows "
	        "the samples while they come. The recording is temporary "
	        "unless -o names a file. Ctrl-C ends the recording and the "
	        "page; the exit status is that of the command. A command's "
	        "standard output is its own: the address of the page is on "
	        "standard error then."
	        "\n"
	        "The server listens on a loopback address. The address of the "
	        "page has a secret: without it nothing is answered. The page "
	        "loads nothing from elsewhere.",
	    .examples = view_examples,
	    .operand = "FILE", .max_operands = ANY_NUMBER,
	    .run = cmd_view },
	{ .bit = CMD_DIFF,
	    .name = "diff",
	    .synopsis = "[--fail-over X%[:RE]] [-o OUT] A B | --store DIR "
	        "[OPTION]...",
	    .summary = "show what changed between two traces, and whether it "
	        "is noise",
	    .description =
	        "Compares two traces of any format, or two directories of "
	        "them: the share that each function and each call path has in "
	        "A (before) and in B (after), the difference in points (% of "
	        "the whole), its 95 % interval, and q, which is small if the "
	        "difference is not chance: of all changes with q of at most "
	        "0.05, about 5 % are chance. What is new and what is gone is "
	        "listed separately."
	        "\n"
	        "With --store it compares two ranges of times: --from is "
	        "after, --against is before."
	        "\n"
	        "Samples come in clumps: a slow request is seen many times in "
	        "a row. How much the shares vary along the recordings tells "
	        "how much a sample is worth, so that two recordings of the "
	        "same workload show no change."
	        "\n"
	        "--fail-over makes it a gate. Growth by 5 % is as much as 5 % "
	        "of what the whole profile had before. Exit status 3 means "
	        "that growth is certain (the chance of a false alarm is 1 % a "
	        "run) and that its interval reaches the limit.",
	    .examples = diff_examples, .operand = "FILE",
	    .max_operands = 2, .run = cmd_diff },
	{ .bit = CMD_SHIP,
	    .name = "ship",
	    .synopsis = "DIR --to URL... [--once] [OPTION]... | DIR --status "
	                "[--json]",
	    .summary = "send what a daemon has recorded to servers",
	    .description =
	        "Sends the files of a daemon's directory to servers, each as "
	        "soon as it is complete, and knows of every sample whether it "
	        "is there: a sample is acknowledged when the server counts it. "
	        "It may be killed at any time: it goes on where it was."
	        "\n"
	        "Files that wait are kept by hard links in DIR/.ship, also if "
	        "the daemon removes them."
	        "\n"
	        "SIGINT and SIGTERM end it.",
	    .examples = ship_examples, .operand = "FILE", .max_operands = 1,
	    .run = cmd_ship },
	{ .bit = CMD_FLEET,
	    .name = "fleet",
	    .synopsis = "init [--dry-run] [OPTION]... URL",
	    .summary = "make the tables for the samples of many machines",
	    .description =
	        "Creates the tables of a ClickHouse server that bobbin ship "
	        "sends samples to, or changes those of an older bobbin. It can "
	        "be repeated. Servers from 18.16 on will do; it says which "
	        "version it met."
	        "\n"
	        "URL is clickhouse://HOST[:PORT]/DATABASE, or clickhouse+https "
	        "for an encrypted connection, whose certificate is verified.",
	    .examples = fleet_examples, .max_operands = 2,
	    .run = cmd_fleet },
	{ .bit = CMD_STACK,
	    .name = "stack",
	    .synopsis = "[-p PID]... [-P RE] [--pause] [--json] [PID]...",
	    .summary = "show what processes are doing right now",
	    .description =
	        "Reads the stack of each thread of running PHP and Python "
	        "processes once, from outside and without stopping them: "
	        "runtime and version, command line, threads with their status, "
	        "the request that is served, and the functions, innermost "
	        "first."
	        "\n"
	        "A stack that changes while it is read is read again, for up "
	        "to a second. If it still changes, it is not shown, a line "
	        "says so, and the exit status is 4. --pause always reads it."
	        "\n"
	        "`bobbin dump PID` is the same if there is no file of that "
	        "name, and so is `bobbin dump -p PID` if standard input is a "
	        "terminal or /dev/null.",
	    .examples = stack_examples, .respelled = respelled_stack,
	    .operand = "PID",
	    .max_operands = ANY_NUMBER, .run = cmd_stack },
	{ .bit = CMD_DOCTOR,
	    .name = "doctor",
	    .synopsis = "[-p PID]... [-P RE] [--pause] [--json] [PID]...",
	    .summary = "show what would prevent a capture, and how to fix it",
	    .description =
	        "Checks what a capture needs from this machine or, with -p and "
	        "-P, from processes; it takes a few samples of them. Each "
	        "check is ok, a warning or a problem, with the reason and the "
	        "command that helps. Nothing is changed."
	        "\n"
	        "Without a process it also lists the running PHP and Python "
	        "processes, and whether they can be read."
	        "\n"
	        "Exit status 1 means that something would prevent a capture.",
	    .examples = doctor_examples, .operand = "PID",
	    .max_operands = ANY_NUMBER, .run = cmd_doctor },
	{ .bit = CMD_TOP,
	    .name = "top",
	    .synopsis = "[-p PID]... [-P RE] [OPTION]... [-- COMMAND...]",
	    .summary = "watch what processes spend their time in",
	    .description =
	        "Samples running PHP and Python processes and shows a live "
	        "table, full screen: the shares of functions in the last "
	        "seconds, own (the innermost function) and total (anywhere in "
	        "the stack), and their time since the start. Rows are "
	        "functions, lines, files, routes of requests, processes or "
	        "threads. Enter opens the explorer on what was sampled, s "
	        "saves it, ? lists the keys."
	        "\n"
	        "With -P, processes are looked for every second. COMMAND is "
	        "started, and ended when top ends; its output is not shown on "
	        "the full screen."
	        "\n"
	        "If standard output is not a terminal, or with --count, a "
	        "table is printed each interval.",
	    .examples = top_examples, .spellings = spellings_of_top,
	    .respelled = respelled_top,
	    .operand = NULL, .max_operands = ANY_NUMBER, .keys = top_key_help,
	    .run = cmd_top },
	{ .bit = CMD_INFO,
	    .name = "info",
	    .synopsis = "[--json] [--all] [OPTION]... [IN]...",
	    .summary = "show what is in a trace",
	    .description =
	        "Shows for each input: format and dialect, size, segments with "
	        "their periods and times, samples, wall time, thread time "
	        "and idle time, distinct stacks, pids, threads and their "
	        "states, annotations, "
	        "metadata, and what the bytes are used for: of CPython's "
	        "profiles, how many samples each kind of record holds, what "
	        "that saves, and what packing saves. Damage is skipped and "
	        "counted; then the exit status is 4.",
	    .examples = info_examples, .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_info },
	{ .bit = CMD_VERIFY,
	    .name = "verify",
	    .synopsis = "[--json] [OPTION]... [IN]...",
	    .summary = "list everything that is wrong with a trace",
	    .description =
	        "Reads each input to its end and lists every complaint with "
	        "its byte offset (counted after unpacking). Exit status: 0 "
	        "clean, 1 damaged, 4 whole as far as it goes but ending inside "
	        "an event (cut, or still being written).",
	    .examples = verify_examples, .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_verify },
	{ .bit = CMD_DUMP,
	    .name = "dump",
	    .synopsis = "[--recover] [OPTION]... [IN]... | PID... [--json]",
	    .summary = "print every sample, one line per run of equal ones",
	    .description =
	        "Prints the samples in the order of the input, one line for "
	        "each run of equal samples, fields between TABs: count, "
	        "segment, pid, tid, interpreter, status, time in microseconds, "
	        "annotations, then the frames, leaf first. - stands for a fact "
	        "that is absent. Annotations are k=v,k=v or {} if empty. "
	        "Frames are P;function;file;line;opcode for PHP, "
	        "Y;function;file;line;end_line;col;end_col;opcode for Python "
	        "(- four times if there is no place in the source) and "
	        "N;symbol;module;offset for native code. Every byte outside ! "
	        "to ~, and each of % , ; = inside a field, is %HH."
	        "\n"
	        "With process ids, it shows what these processes do now, as "
	        "stack does.",
	    .examples = dump_examples, .respelled = respelled_dump,
	    .operand = "FILE",
	    .max_operands = ANY_NUMBER, .run = cmd_dump },
	{ .bit = CMD_STORE,
	    .name = "store",
	    .synopsis = "[--seal] [--rebuild] [--check] [--json] DIR",
	    .summary = "show what a directory of traces holds",
	    .description =
	        "Lists the traces of a daemon, or of many hosts in its "
	        "subdirectories.",
	    .examples = store_examples, .operand = "DIR",
	    .max_operands = 1, .run = cmd_store },
	{ .bit = CMD_FORMATS,
	    .name = "formats", .synopsis = "[--json]",
	    .summary = "list the formats and their options",
	    .description =
	        "Lists each format with its suffixes, whether it can be read "
	        "and written, what it can carry, and its options. Those for "
	        "reading are given to convert and recover with from- in front, "
	        "as --from-dialect.",
	    .examples = formats_examples, .operand = NULL,
	    .max_operands = 0, .run = cmd_formats },
	{ .bit = CMD_COMPLETION,
	    .name = "completion",
	    .synopsis = "bash|zsh|fish",
	    .summary = "print completions for a shell",
	    .description =
	        "Prints a script that teaches a shell to complete commands, "
	        "options, formats and file names. `make install` puts them "
	        "where shells look.",
	    .examples = completion_examples, .operand = "bash|zsh|fish",
	    .max_operands = 1, .run = cmd_completion },
	{ .bit = CMD_HELP,
	    .name = "help", .synopsis = "[COMMAND | coming-from [PROFILER]]",
	    .summary = "explain bobbin or one of its commands",
	    .description =
	        "Without COMMAND, the list of commands; with it, all about "
	        "that command, as `bobbin COMMAND --help-all`."
	        "\n"
	        "coming-from says what commands and options of py-spy, phpspy, "
	        "reli, austin, perf and Tachyon (CPython's profiler) are here.",
	    .examples = help_examples, .operand = "TOPIC",
	    .max_operands = 2, .run = cmd_help },
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

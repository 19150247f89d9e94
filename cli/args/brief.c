/* What `bobbin COMMAND --help` shows of each command: the options that most
 * people need, in the order in which they need them, a line each. */
#include "options.h"

struct brief {
	uint32_t command; /* enum cmd_bit */
	struct brief_option options[BRIEF_OPTIONS];
};

static const struct brief briefs[] = {
	{ CMD_RECORD, {
		{ OPT_PID, "this process; may be given several times" },
		{ OPT_PROCESS, "all whose command line matches" },
		{ OPT_DURATION, "how long, as 30s or 5m; else until Ctrl-C" },
		{ OPT_RATE, "samples per second, 99 by default" },
		{ OPT_OUTPUT, "its suffix is the format: .rbt .html .svg" } } },
	{ CMD_DAEMON, {
		{ OPT_PROCESS, "all whose command line matches" },
		{ OPT_OUTPUT, "the directory to write to" },
		{ OPT_MAX_CPU, "at most this share of a processor, as 2%" },
		{ OPT_KEEP, "remove old files: above 2G, or after 7d" },
		{ OPT_ROTATE_FILES, "begin new files; 1h by default" } } },
	{ CMD_CONVERT, {
		{ OPT_OUTPUT, "its suffix is the format: .html .svg" },
		{ OPT_TO, "the format, if the suffix does not say it" },
		{ OPT_MATCH, "only samples with a frame that matches" },
		{ OPT_BASELINE, "show what differs from this trace" },
		{ OPT_NO_LINE, "merge the lines of a function" } } },
	{ CMD_REPLAY, {
		{ OPT_REPLAY, "folded stacks, for flame graph tools",
		    "collapsed" },
		{ OPT_REPLAY, "a flame graph as a page", "flamegraph" },
		{ OPT_REPLAY, "a file for Python's pstats", "pstats" },
		{ OPT_REPLAY, "a profile again, filtered or joined", "binary" },
		{ OPT_OUTPUT, "write to FILE; standard output by default" } } },
	{ CMD_RECOVER, {
		{ OPT_OUTPUT, "write to FILE; standard output by default" },
		{ OPT_TO, "the format, if the suffix does not say it" },
		{ OPT_EXACT, "copy intact segments byte for byte" },
		{ OPT_JSON, "the report for programs" },
		{ OPT_FROM, "the format of the input" } } },
	{ CMD_INFO, {
		{ OPT_ALL, "list everything, not only the first few" },
		{ OPT_JSON, "for programs" },
		{ OPT_PID, "only samples of this process" },
		{ OPT_MATCH, "only samples with a frame that matches" },
		{ OPT_TIME, "only samples of this time, as 10s..1m" } } },
	{ CMD_VERIFY, {
		{ OPT_JSON, "for programs" },
		{ OPT_FROM, "the format of the input" },
		{ OPT_MAX_MEMORY, "fail if a file needs more, as 500M" },
		{ OPT_MAX_TEMP, "fail if temporary files need more" },
		{ OPT_QUIET, "print nothing: the exit status says it" } } },
	{ CMD_DUMP, {
		{ OPT_RECOVER, "skip damage instead of stopping at it" },
		{ OPT_OUTPUT, "write to FILE; standard output by default" },
		{ OPT_PID, "only samples of this process" },
		{ OPT_MATCH, "only samples with a frame that matches" },
		{ OPT_TIME, "only samples of this time, as 10s..1m" } } },
	{ CMD_ANALYZE, {
		{ OPT_GROUP_BY, "function, line, file, pid, route, ..." },
		{ OPT_CALLERS, "who calls what matches" },
		{ OPT_TREE, "how the time got there" },
		{ OPT_REQUESTS, "the slowest requests, and routes" },
		{ OPT_MATCH, "only samples with a frame that matches" } } },
	{ CMD_EXPLORE, {
		{ OPT_FOLLOW, "while it is recorded" },
		{ OPT_DIFF, "compare two: what grew is red" },
		{ OPT_SOURCE, "show source code from this directory" },
		{ OPT_MATCH, "only samples with a frame that matches" },
		{ OPT_TIME, "only samples of this time, as 10s..1m" } } },
	{ CMD_VIEW, {
		{ OPT_PID, "record this process, and show it meanwhile" },
		{ OPT_FOLLOW, "while somebody else records it" },
		{ OPT_SOURCE, "show source code from this directory" },
		{ OPT_NO_OPEN, "print the address, open no browser" },
		{ OPT_MATCH, "only samples with a frame that matches" } } },
	{ CMD_DIFF, {
		{ OPT_FAIL_OVER, "exit status 3 if something grew by X %" },
		{ OPT_OUTPUT, "its suffix is the format: .html .svg .md" },
		{ OPT_GROUP_BY, "function, name, line, file, pid, ..." },
		{ OPT_TOP, "rows in a table; 10 by default" },
		{ OPT_MATCH, "only samples with a frame that matches" } } },
	{ CMD_SHIP, {
		{ OPT_SHIP_TO, "as clickhouse://HOST/DB, or dir:PATH" },
		{ OPT_ONCE, "send what is there, and end" },
		{ OPT_SHIP_STATUS, "what was sent, and what became of it" },
		{ OPT_LOGIN, "user and password, in the format of netrc" },
		{ OPT_MAX_SPOOL, "give up the oldest above this, as 2G" } } },
	{ CMD_FLEET, {
		{ OPT_DRY_RUN, "change nothing, and print the statements" },
		{ OPT_KEEP, "how long samples stay; 14d by default" },
		{ OPT_KEEP_SUMS, "and sums per minute; 90d by default" },
		{ OPT_LOGIN, "user and password, in the format of netrc" },
		{ OPT_CLUSTER, "on all machines of this cluster" } } },
	{ CMD_STACK, {
		{ OPT_PID, "this process; may be given several times" },
		{ OPT_PROCESS, "all whose command line matches" },
		{ OPT_LOCALS, "variables too, which may hold secrets" },
		{ OPT_NATIVE, "C frames too" },
		{ OPT_JSON, "for programs" } } },
	{ CMD_DOCTOR, {
		{ OPT_PID, "this process; may be given several times" },
		{ OPT_PROCESS, "all whose command line matches" },
		{ OPT_NATIVE, "would C frames work?" },
		{ OPT_PAUSE, "would --pause work?" },
		{ OPT_JSON, "for programs" } } },
	{ CMD_TOP, {
		{ OPT_PID, "this process; may be given several times" },
		{ OPT_PROCESS, "all whose command line matches" },
		{ OPT_GROUP_BY, "function, line, file, route, pid, thread" },
		{ OPT_RATE, "samples per second, 99 by default" },
		{ OPT_SUBPROCESSES, "its child processes too" } } },
};

const struct brief_option *
brief_options(const struct command *c)
{
	size_t i;

	for (i = 0; i < sizeof(briefs) / sizeof(briefs[0]); i++)
		if (briefs[i].command == c->bit)
			return briefs[i].options;
	return NULL;
}

/* The names of other profilers; see the header. */
#include "spellings.h"

#include <stdio.h>
#include <string.h>

/* --- reli ----------------------------------------------------------------- */

static const struct respelled_value reli_versions[] = {
	{ "auto", "" },
	{ "v70", "runtime-version=7.0" },
	{ "v71", "runtime-version=7.1" },
	{ "v72", "runtime-version=7.2" },
	{ "v73", "runtime-version=7.3" },
	{ "v74", "runtime-version=7.4" },
	{ "v80", "runtime-version=8.0" },
	{ "v81", "runtime-version=8.1" },
	{ "v82", "runtime-version=8.2" },
	{ "v83", "runtime-version=8.3" },
	{ "v84", "runtime-version=8.4" },
	{ "v85", "runtime-version=8.5" },
	{ NULL, NULL },
};

static const struct respelled_value reli_formats[] = {
	{ "template:phpspy", "to=phpspy" },
	{ "template:phpspy_with_opcode", "to=phpspy opcodes" },
	{ "template:json_lines", "to=jsonl" },
	{ "phpspy_with_opcode", "to=phpspy opcodes" },
	{ "json_lines", "to=jsonl" },
	{ "rbt-bundled", "to=rbt" },
	{ NULL, NULL },
};

static const struct respelled_value reli_daemon_formats[] = {
	{ "template:phpspy", "to=phpspy" },
	{ "template:phpspy_with_opcode", "to=phpspy opcodes" },
	{ "template:json_lines", "to=jsonl" },
	{ "rbt-bundled", "to=rbt bundled" },
	{ NULL, NULL },
};

/* -d, -r, -s, -t and -f mean something else in bobbin. What reli must be told
 * about the interpreter, bobbin detects. */
#define RELI_CAPTURE                                                         \
	{ 'd', "depth", "N", "depth=*" },                                    \
	{ 's', "sleep-ns", "NS", "period=*ns" },                             \
	{ 'r', "max-retries", "N", "" },                                     \
	{ 'S', "stop-process", NULL, "pause" },                              \
	{ 0, "php-version", "auto|v70|...|v85", "runtime-version=*",         \
	    reli_versions },                                                 \
	{ 0, "bulk-stack-copy", "SIZE", "", NULL, RESPELLED_BARE },          \
	{ 0, "no-bulk-stack-copy", NULL, "" },                               \
	{ 0, "with-native-trace", NULL, "native" },                          \
	{ 0, "native-trace-anytime", NULL, "" },                             \
	{ 0, "no-cache", NULL, "" },                                         \
	{ 0, "php-regex", "RE", "" },                                        \
	{ 0, "php-path", "FILE", "" },                                       \
	{ 0, "libpthread-regex", "RE", "" },                                 \
	{ 0, "libpthread-path", "FILE", "" },                                \
	{ 0, "zts-globals-regex", "RE", "" }

static const struct respelled reli_trace[] = {
	RELI_CAPTURE,
	{ 'f', "output-format", "FORMAT", "to=*", reli_formats },
	{ 't', "template", "NAME", "to=*", reli_formats },
	{ 0, NULL, NULL, NULL },
};

static const struct respelled reli_daemon[] = {
	RELI_CAPTURE,
	{ 'T', "threads", "N", "" },
	{ 'f', "output-format", "FORMAT", "to=*", reli_daemon_formats },
	{ 0, NULL, NULL, NULL },
};

static const struct respelled reli_top[] = {
	RELI_CAPTURE,
	{ 0, NULL, NULL, NULL },
};

static const struct respelled reli_recover[] = {
	{ 'f', "output-format", "FORMAT", "to=*" },
	{ 0, NULL, NULL, NULL },
};

/* --- CPython's profiler --------------------------------------------------- */

static const struct respelled_value cpython_compressions[] = {
	{ "auto", "" },
	{ NULL, NULL },
};

#define CPYTHON_CAPTURE                                                      \
	{ 'r', "sampling-rate", "RATE", "rate=*" },                          \
	{ 'a', "all-threads", NULL, "threads=all" },                         \
	{ 0, "native", NULL, "native-marks" },                               \
	{ 0, "no-gc", NULL, "hide=^<GC>" },                                  \
	{ 0, "blocking", NULL, "pause" },                                    \
	{ 0, "async-aware", NULL, "async=running" },                         \
	{ 0, "async-mode", "running|all", "async=*" },                       \
	{ 0, "realtime-stats", NULL, "" },                                   \
	{ 0, "no-summary", NULL, "" },                                       \
	{ 0, "live", NULL, "'bobbin top' shows a table while it samples",    \
	    NULL, RESPELLED_REFUSED },                                       \
	{ 0, "browser", NULL, "no program is started: open the file",        \
	    NULL, RESPELLED_REFUSED },                                       \
	{ 0, "sort", "COLUMN", "'bobbin analyze FILE' makes tables of what " \
	    "was recorded", NULL, RESPELLED_REFUSED },                       \
	{ 'l', "limit", "N", "'bobbin analyze --top N FILE' prints tables "  \
	    "of N rows", NULL, RESPELLED_REFUSED },                          \
	{ 0, "compression", "auto|zstd|none", "compression=*",               \
	    cpython_compressions }

static const struct respelled cpython_run[] = {
	CPYTHON_CAPTURE,
	{ 'm', "module", "MODULE", "", NULL, RESPELLED_REST },
	{ 0, NULL, NULL, NULL },
};

static const struct respelled cpython_attach[] = {
	CPYTHON_CAPTURE,
	{ 0, NULL, NULL, NULL },
};

/* --- commands under other names ------------------------------------------- */

static const struct implied reli_implies[] = {
	{ { OPT_PERIOD, OPT_RATE }, "period=10ms" },
	{ { 0 }, NULL },
};

static const struct implied reli_trace_implies[] = {
	{ { OPT_PERIOD, OPT_RATE }, "period=10ms" },
	{ { OPT_OUTPUT }, "output=-" },
	{ { 0 }, NULL },
};

static const struct implied cpython_implies[] = {
	{ { OPT_PERIOD, OPT_RATE }, "rate=1000" },
	{ { OPT_SAMPLED_THREADS }, "threads=main" },
	{ { 0 }, NULL },
};

#define RELI "reli"
#define CPYTHON "CPython's profiler"

const struct spelling spellings_of_analyze[] = {
	{ .name = "report" },
	{ .name = "rbt:analyze", .whose = RELI },
	{ .name = NULL },
};

const struct spelling spellings_of_convert[] = {
	{ .name = "query", .usual = "rbt", .operands = OPERANDS_STORE },
	{ .name = "converter:folded", .whose = RELI, .to = "folded" },
	{ .name = "converter:phpspy", .whose = RELI, .to = "phpspy" },
	{ .name = "converter:rbt", .whose = RELI, .to = "rbt" },
	{ .name = "converter:speedscope", .whose = RELI, .to = "speedscope" },
	{ .name = "converter:pprof", .whose = RELI, .to = "pprof" },
	{ .name = "converter:callgrind", .whose = RELI, .to = "callgrind" },
	{ .name = "converter:flamegraph", .whose = RELI, .to = "flamegraph" },
	{ .name = NULL },
};

const struct spelling spellings_of_daemon[] = {
	{ .name = "inspector:daemon", .whose = RELI, .options = reli_daemon,
	    .implied = reli_implies },
	{ .name = NULL },
};

const struct spelling spellings_of_explore[] = {
	{ .name = "rbt:explore", .whose = RELI },
	{ .name = NULL },
};

const struct spelling spellings_of_record[] = {
	{ .name = "run", .whose = CPYTHON, .options = cpython_run,
	    .operands = OPERANDS_SCRIPT, .implied = cpython_implies,
	    .reports = 1 },
	{ .name = "attach", .whose = CPYTHON, .options = cpython_attach,
	    .operands = OPERANDS_PIDS, .implied = cpython_implies,
	    .reports = 1 },
	{ .name = "inspector:trace", .whose = RELI, .to = "phpspy",
	    .options = reli_trace, .implied = reli_trace_implies },
	{ .name = NULL },
};

const struct spelling spellings_of_recover[] = {
	{ .name = "rbt:recover", .whose = RELI, .options = reli_recover },
	{ .name = NULL },
};

const struct spelling spellings_of_top[] = {
	{ .name = "inspector:top", .whose = RELI, .options = reli_top,
	    .implied = reli_implies },
	{ .name = NULL },
};

/* --- options under other names -------------------------------------------- */

static const struct respelled_value pyspy_formats[] = {
	{ "raw", "to=folded" },
	{ "chrometrace", "to=chrome" },
	{ NULL, NULL },
};

/* py-spy's, and CPython's where py-spy has none. */
const struct respelled respelled_record[] = {
	{ 'f', "format", "raw|flamegraph|speedscope|chrometrace", "to=*",
	    pyspy_formats },
	{ 's', NULL, NULL, "subprocesses" },
	{ 'F', "function", NULL, "no-line" },
	{ 0, "nolineno", NULL, "no-line" },
	{ 'g', "gil", NULL, "mode=gil" },
	{ 'i', "idle", NULL, "mode=wall" },
	{ 'n', NULL, NULL, "native" },
	{ 0, "nonblocking", NULL, "" },
	{ 0, "blocking", NULL, "pause" },
	{ 0, "full-filenames", NULL, "" },
	{ 0, "sampling-rate", "RATE", "rate=*" },
	{ 0, "all-threads", NULL, "threads=all" },
	{ 0, NULL, NULL, NULL },
};

#define NO_CORES "core files are not read: look at processes that run"
#define NO_CHILDREN                                                          \
	"'bobbin stack -P PATTERN' takes all whose command line matches"

const struct respelled respelled_dump[] = {
	{ 'j', NULL, NULL, "json" },
	{ 'n', NULL, NULL, "native" },
	{ 0, "all-threads", NULL, "" },
	{ 0, "async-aware", NULL, "async=all" },
	{ 0, "async-mode", "running|all", "async=*" },
	{ 0, "nonblocking", NULL, "" },
	{ 0, "blocking", NULL, "pause" },
	{ 0, "full-filenames", NULL, "" },
	{ 'c', "core", "FILE", NO_CORES, NULL, RESPELLED_REFUSED },
	{ 's', "subprocesses", NULL, NO_CHILDREN, NULL, RESPELLED_REFUSED },
	{ 0, NULL, NULL, NULL },
};

const struct respelled respelled_stack[] = {
	{ 'j', NULL, NULL, "json" },
	{ 'n', NULL, NULL, "native" },
	{ 'a', "all-threads", NULL, "" },
	{ 0, "full-filenames", NULL, "" },
	{ 'c', "core", "FILE", NO_CORES, NULL, RESPELLED_REFUSED },
	{ 's', "subprocesses", NULL, NO_CHILDREN, NULL, RESPELLED_REFUSED },
	{ 0, "async-aware", NULL, "async=all" },
	{ 0, "async-mode", "running|all", "async=*" },
	{ 0, "nonblocking", NULL, "" },
	{ 0, "blocking", NULL, "pause" },
	{ 0, NULL, NULL, NULL },
};

const struct respelled respelled_top[] = {
	{ 's', NULL, NULL, "subprocesses" },
	{ 0, "function", NULL, "group-by=function" },
	{ 0, "gil", NULL, "mode=gil" },
	{ 'i', NULL, NULL, "idle" },
	{ 0, "delay", "SECONDS", "interval=*" },
	{ 0, "nonblocking", NULL, "" },
	{ 0, "blocking", NULL, "pause" },
	{ 0, "full-filenames", NULL, "" },
	{ 0, "sampling-rate", "RATE", "rate=*" },
	{ 0, NULL, NULL, NULL },
};

const struct respelled *
respelled_named(const struct respelled *r, const char *name, size_t len)
{
	for (; r != NULL && r->is != NULL; r++)
		if (r->name != NULL && strlen(r->name) == len &&
		    memcmp(r->name, name, len) == 0)
			return r;
	return NULL;
}

const struct respelled *
respelled_lettered(const struct respelled *r, char letter)
{
	for (; r != NULL && r->is != NULL; r++)
		if (r->letter == letter)
			return r;
	return NULL;
}

const char *
respelled_meaning(const struct respelled *r, const char *value)
{
	const struct respelled_value *v = r->values;

	for (; v != NULL && value != NULL && v->theirs != NULL; v++)
		if (strcmp(v->theirs, value) == 0)
			return v->is;
	return r->is;
}

void
respelled_left(const struct respelled *r, char *buf, size_t cap)
{
	char letter[5] = { '-', r->letter, '\0' };

	if (r->letter != 0 && r->name != NULL)
		memcpy(letter + 2, ", ", 3);
	(void)snprintf(buf, cap, "%s%s%s%s%s%s", r->letter != 0 ? letter : "",
	    r->name != NULL ? "--" : "", r->name != NULL ? r->name : "",
	    (r->flags & RESPELLED_BARE) != 0 ? "[=" :
	        r->arg != NULL ? " " : "",
	    r->arg != NULL ? r->arg : "",
	    (r->flags & RESPELLED_BARE) != 0 ? "]" : "");
}

/* Appends a meaning in our words: "--to folded --tachyon-names". */
static size_t
put_meaning(const struct respelled *r, const char *is, char *buf, size_t cap)
{
	size_t n = 0;
	int begins = 1;

	for (; *is != '\0' && n + 8 < cap; is++) {
		if (begins)
			n += (size_t)snprintf(buf + n, cap - n, "--");
		begins = *is == ' ';
		if (*is == '*' && r->arg != NULL)
			n += (size_t)snprintf(buf + n, cap - n, "%.*s",
			    (int)strcspn(r->arg, "|"), r->arg);
		else
			buf[n++] = (char)(*is == '=' ? ' ' : *is);
		if (n >= cap)
			n = cap - 1;
	}
	buf[n] = '\0';
	return n;
}

void
respelled_right(const struct respelled *r, char *buf, size_t cap)
{
	const struct respelled_value *v = r->values;
	size_t n;

	if (v == reli_versions)
		v = NULL; /* they speak for themselves */
	if ((r->flags & RESPELLED_REST) != 0) {
		(void)snprintf(buf, cap, "starts a module of Python");
		return;
	}
	if ((r->flags & RESPELLED_REFUSED) != 0) {
		(void)snprintf(buf, cap, "not here: %s", r->is);
		return;
	}
	if (*r->is == '\0') {
		(void)snprintf(buf, cap, "not needed here");
		return;
	}
	n = put_meaning(r, r->is, buf, cap);
	for (; v != NULL && v->theirs != NULL && n + 32 < cap; v++) {
		if (*v->is == '\0')
			continue;
		n += (size_t)snprintf(buf + n, cap - n, "; %s: ", v->theirs);
		if (n < cap)
			n += put_meaning(r, v->is, buf + n, cap - n);
	}
}

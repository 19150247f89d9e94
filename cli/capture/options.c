/*
 * How often samples are taken, and which facts of a process; see the header.
 * Which of its threads: threads.c.
 */
#include "options.h"

#include <string.h>
#include <strings.h>

#include <bobbin/units.h>

#include "args/values.h"
#include "print/plain.h"
#include "print/msg.h"

#define DEFAULT_HZ 99
#define MAX_HZ 1000000

/* Reads a number, perhaps with hz, k or khz. Returns 1 and sets *ret; else
 * 0. */
static int
get_hz(const char *s, uint64_t *ret)
{
	size_t n = strspn(s, "0123456789");
	char digits[16];
	uint64_t v;

	if (n == 0 || n >= sizeof(digits))
		return 0;
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (!plain_get_u64(digits, &v))
		return 0;
	if (s[n] == 'k' || s[n] == 'K') {
		v = plain_mul(v, 1000);
		n++;
	}
	*ret = v;
	return v > 0 && v <= MAX_HZ &&
	    (s[n] == '\0' || strcasecmp(s + n, "hz") == 0);
}

static int
rate_of(const char *rate, uint64_t *ret_period_ns)
{
	uint64_t n;

	if (strcmp(rate, "max") == 0) {
		*ret_period_ns = 0;
		return EXIT_OK;
	}
	if (get_hz(rate, &n)) {
		*ret_period_ns = 1000000000 / n;
		return EXIT_OK;
	}
	(void)msg_usage("--rate '%s' is not a rate", rate);
	msg_hint("samples per second, 1 to %d, as 1000 or 1k, or max", MAX_HZ);
	return EXIT_USAGE;
}

static int
period_of(const char *period, uint64_t *ret_period_ns)
{
	uint64_t ns;

	if (bob_parse_time(period, strlen(period), &ns) &&
	    ns >= 1000000000 / MAX_HZ && ns <= UINT64_C(3600) * 1000000000) {
		*ret_period_ns = ns;
		return EXIT_OK;
	}
	(void)msg_usage("--period '%s' is not a time", period);
	msg_hint("as 10ms, 500us or 1s");
	return EXIT_USAGE;
}

uint32_t
capture_sampler_flags(const struct args *args)
{
	uint32_t flags = 0;

	if (args_has(args, OPT_NO_REALTIME))
		flags |= BOB_SAMPLER_NO_REALTIME;
	if (args_has(args, OPT_APART))
		flags |= BOB_SAMPLER_APART;
	if (args_has(args, OPT_NEAR))
		flags |= BOB_SAMPLER_NEAR;
	return flags;
}

int
capture_rate(const struct args *args, uint64_t *ret_period_ns)
{
	const char *rate = args_value(args, OPT_RATE);
	const char *period = args_value(args, OPT_PERIOD);

	*ret_period_ns = 1000000000 / DEFAULT_HZ;
	if (rate != NULL && period != NULL) {
		(void)msg_usage("--rate and --period exclude each other");
		msg_hint("give one of them");
		return EXIT_USAGE;
	}
	if (rate != NULL)
		return rate_of(rate, ret_period_ns);
	return period != NULL ? period_of(period, ret_period_ns) : EXIT_OK;
}

/* --native and --native-only. */
static int
set_native(const struct args *args, struct bob_attach_opts *ret)
{
	int only = args_has(args, OPT_NATIVE_ONLY);

	if (args_has(args, OPT_NATIVE))
		ret->flags |= BOB_ATTACH_NATIVE;
	if (!only)
		return EXIT_OK;
	if (ret->runtime != NULL || args_has(args, OPT_NATIVE)) {
		(void)msg_usage("--native-only and %s exclude each other",
		    ret->runtime != NULL ? "--runtime" : "--native");
		msg_hint("give one of them");
		return EXIT_USAGE;
	}
	ret->runtime = "native";
	return EXIT_OK;
}

static int
set_depth(const struct args *args, struct bob_attach_opts *ret)
{
	const char *s = args_value(args, OPT_DEPTH);
	uint64_t n = ret->max_depth;
	int r = EXIT_OK;

	if (s != NULL)
		r = value_count("depth", s, 0, BOB_MAX_CAPTURE_DEPTH,
		    "0 is all frames", &n);
	ret->max_depth = (uint32_t)n;
	return r;
}

int
capture_set_attach(const struct args *args, struct bob_attach_opts *ret)
{
	static const struct {
		int id;
		uint32_t flag;
	} flags[] = {
		{ OPT_PAUSE, BOB_ATTACH_PAUSE },
		{ OPT_WITH_OPCODE, BOB_ATTACH_OPCODES },
		{ OPT_REQUEST_FACTS, BOB_ATTACH_REQUEST },
		{ OPT_QUERY_STRING, BOB_ATTACH_QUERY },
		{ OPT_COOKIE, BOB_ATTACH_COOKIE },
		{ OPT_MEMORY, BOB_ATTACH_MEMORY },
	};
	size_t i;

	memset(ret, 0, sizeof(*ret));
	ret->size = sizeof(*ret);
	ret->runtime = args_value(args, OPT_RUNTIME);
	ret->version = args_value(args, OPT_RUNTIME_VERSION);
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (args_has(args, flags[i].id))
			ret->flags |= flags[i].flag;
	if (args_has(args, OPT_REQUEST_FACTS) &&
	    args_has(args, OPT_NO_REQUEST_FACTS)) {
		(void)msg_usage("--request and --no-request contradict each "
		    "other");
		msg_hint("give one of them");
		return EXIT_USAGE;
	}
	if (set_native(args, ret) != EXIT_OK)
		return EXIT_USAGE;
	return set_depth(args, ret);
}

int
capture_set_annotations(struct output *o)
{
	if (!output_takes(o, "annotate") || output_has_option(o, "annotate"))
		return EXIT_OK;
	return output_add_option(o, "annotate", "changes");
}

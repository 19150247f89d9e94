/* Options that commands which capture share; see the header. */
#include "capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "live/native.h"
#include "live/source.h"
#include "msg.h"
#include "plain.h"

#define DEFAULT_HZ 99
#define MAX_HZ 1000000

/* Digits, perhaps with hz, k or khz: 1, or 0. */
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

/* A time in ns, up to an hour: 1, or 0. */
static int
get_ns(const char *s, uint64_t *ret)
{
	size_t n = strspn(s, "0123456789");
	char digits[24];

	if (n == 0 || n >= sizeof(digits) || strcmp(s + n, "ns") != 0)
		return 0;
	memcpy(digits, s, n);
	digits[n] = '\0';
	return plain_get_u64(digits, ret) && *ret >= 1000000000 / MAX_HZ &&
	    *ret <= UINT64_C(3600) * 1000000000;
}

static int
period_of(const char *period, uint64_t *ret_period_ns)
{
	uint64_t n;

	if (get_ns(period, ret_period_ns))
		return EXIT_OK;
	if (plain_get_time(period, strlen(period), &n) && n > 0 &&
	    n <= 3600000000u) {
		*ret_period_ns = n * 1000;
		return EXIT_OK;
	}
	(void)msg_usage("--period '%s' is not a time", period);
	msg_hint("as 10ms, 500us or 1s");
	return EXIT_USAGE;
}

uint32_t
capture_sampler_flags(const struct args *args)
{
	return args_has(args, OPT_NO_REALTIME) ? BOB_SAMPLER_NO_REALTIME : 0;
}

int
capture_rate(const struct args *args, uint64_t *ret_period_ns)
{
	const char *rate = args_value(args, OPT_RATE);
	const char *period = args_value(args, OPT_PERIOD);

	*ret_period_ns = 1000000000 / DEFAULT_HZ;
	if (rate != NULL && period != NULL) {
		(void)msg_usage("--rate and --period say the same thing");
		msg_hint("give one of them");
		return EXIT_USAGE;
	}
	if (rate != NULL)
		return rate_of(rate, ret_period_ns);
	return period != NULL ? period_of(period, ret_period_ns) : EXIT_OK;
}

static int
set_depth(const struct args *args, struct bob_attach_opts *ret)
{
	const char *s = args_value(args, OPT_DEPTH);
	uint64_t n;

	if (s == NULL)
		return EXIT_OK;
	if (!plain_get_u64(s, &n) || n > BOB_MAX_LIVE_DEPTH) {
		(void)msg_usage("--depth '%s' is not a number of frames", s);
		msg_hint("0 to %u; 0 is all", BOB_MAX_LIVE_DEPTH);
		return EXIT_USAGE;
	}
	ret->max_depth = (uint32_t)n;
	return EXIT_OK;
}

int
capture_attach(const struct args *args, struct bob_attach_opts *ret)
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
	if (native_set(args, ret) != EXIT_OK)
		return EXIT_USAGE;
	return set_depth(args, ret);
}

int
capture_target(const struct args *args, struct conv *c)
{
	size_t i;

	c->job.args = args;
	/* And for what the command and a suffix may imply. */
	c->options = calloc(args->n_opts + 6, sizeof(*c->options));
	if (c->options == NULL) {
		msg_error("out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; i < args->n_opts; i++)
		if (args->opts[i].opt.id == OPT_TARGET)
			conv_add_option(c, args->opts[i].opt.name,
			    args->opts[i].value);
	return EXIT_OK;
}

static void
annotate(struct conv *c)
{
	size_t i;

	if (!conv_has_option(c->to, "annotate"))
		return;
	for (i = 0; i < c->n_options; i++)
		if (strcmp(c->options[i].key, "annotate") == 0)
			return;
	conv_add_option(c, "annotate", "changes");
}

static int
swallow(void *user, const void *p, size_t n)
{
	(void)user;
	(void)p;
	(void)n;
	return 0;
}

static int
swallow_at(void *user, uint64_t at, const void *p, size_t n)
{
	(void)at;
	return swallow(user, p, n);
}

int
capture_settle_target(struct conv *c, struct bob_ctx *ctx,
    const struct bob_filter *filter)
{
	struct bob_target nowhere = { .write = swallow, .patch = swallow_at };
	struct bob_write_opts o = { .size = sizeof(o), .format = c->to->name,
		.filter = filter };
	struct bob_sources *sources;
	struct bob_writer *out;
	const char *bad;
	int code = EXIT_OK;

	annotate(c);
	o.options = c->options;
	o.n_options = c->n_options;
	sources = live_sources_new(o.options, o.n_options, &bad);
	if (sources == NULL) {
		msg_error("source directory %s: %s", bad, strerror(errno));
		return EXIT_FAILED;
	}
	o.sources = sources;
	if (bob_create(ctx, &nowhere, &o, &out) == BOB_OK) {
		bob_discard(out);
	} else {
		msg_error("%s", bob_ctx_error(ctx)->text);
		code = msg_exit_code(bob_ctx_error(ctx));
	}
	bob_sources_free(sources);
	return code;
}

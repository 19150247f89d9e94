/*
 * bobbin recover: a conversion that skips damage, with a report. Gaps are
 * printed as they are found, so that a million of them needs no memory.
 */
#include <stdio.h>

#include <bobbin/convert.h>

#include "convert/conv.h"
#include "print/json.h"
#include "print/plain.h"
#include "print/gaps.h"
#include "print/msg.h"

struct report {
	struct conv *conv;
	struct json json;
	int is_json;
};

static void
on_gap(void *user, const char *input, const struct bob_gap *gap)
{
	struct report *rep = user;

	if (rep->is_json)
		gap_json(&rep->json, input, gap);
	else
		gap_print(stderr, input, gap);
}

static void
report_begin(struct report *rep)
{
	const struct job *j = &rep->conv->job;
	size_t i;

	if (!rep->is_json)
		return;
	json_open(&rep->json, NULL, '{');
	json_open(&rep->json, "inputs", '[');
	for (i = 0; i < j->n_inputs; i++)
		json_str(&rep->json, NULL, j->inputs[i]);
	json_close(&rep->json, '[');
	json_open(&rep->json, "gaps", '[');
}

static void
report_end_json(struct report *rep, int code)
{
	const struct bob_converted *d = &rep->conv->done;
	const struct conv *c = rep->conv;

	json_close(&rep->json, '[');
	json_str(&rep->json, "output",
	    c->output.path != NULL ? c->output.path : "-");
	json_str(&rep->json, "format", c->output.format->name);
	json_u64(&rep->json, "samples", d->n_samples);
	json_u64(&rep->json, "segments", d->n_segments);
	json_u64(&rep->json, "bytes_in", d->bytes_in);
	json_u64(&rep->json, "bytes_out", d->bytes_out);
	json_u64(&rep->json, "n_gaps", d->n_gaps);
	json_u64(&rep->json, "samples_lost", d->n_lost);
	json_u64(&rep->json, "samples_rootless", d->n_rootless);
	json_bool(&rep->json, "incomplete", d->is_incomplete);
	json_bool(&rep->json, "ok", code == EXIT_OK);
	if (code != EXIT_OK && code != EXIT_PARTIAL)
		json_str(&rep->json, "error",
		    bob_ctx_error(c->job.ctx)->text);
	json_close(&rep->json, '{');
	json_end(&rep->json);
}

static void
report_end_text(const struct report *rep, int code)
{
	const struct bob_converted *d = &rep->conv->done;
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], e[NUMBER_TEXT];
	char f[NUMBER_TEXT];

	if (code != EXIT_OK && code != EXIT_PARTIAL)
		return;
	msg_report("%s in %s recovered%s%s%s; %s%s%s%s",
	    number_nouns(a, d->n_samples, "sample"),
	    number_nouns(b, d->n_segments, "segment"),
	    d->n_rootless > 0 ? ", " : "",
	    d->n_rootless > 0 ? number_count(f, d->n_rootless) : "",
	    d->n_rootless > 0 ? " of them without outer frames" : "",
	    d->n_gaps == 0 ? "nothing was lost" : number_nouns(c, d->n_gaps,
	        "gap"),
	    d->n_lost > 0 ? ", at least " : "",
	    d->n_lost > 0 ? number_nouns(e, d->n_lost, "sample") : "",
	    d->n_lost > 0 ? " lost" : "");
}

int
cmd_recover(const struct args *args)
{
	struct conv c;
	struct report rep = { .conv = &c };
	int r = conv_init(&c, args);

	if (r == EXIT_OK)
		r = output_set_format(&c.output, NULL, "rbt");
	if (r == EXIT_OK) {
		rep.is_json = args_has(args, OPT_JSON);
		rep.json.f = output_is_stdout(&c.output) ? stderr : stdout;
		c.output.tells_plan = 1;
		c.job.hides_truncation = 1;
		c.gap = on_gap;
		c.user = &rep;
		c.flags = BOB_CONVERT_RECOVER |
		    (args_has(args, OPT_EXACT) ? BOB_CONVERT_EXACT : 0);
		report_begin(&rep);
		r = conv_run(&c);
		if (rep.is_json)
			report_end_json(&rep, r);
		else
			report_end_text(&rep, r);
	}
	conv_done(&c);
	return r;
}

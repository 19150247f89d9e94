/*
 * bobbin verify: lists every complaint about a trace, with its byte offset.
 *
 * Damage is skipped, so that all of it is found, and complaints are printed as
 * they come. A gap or a warning is damage; an input that only ends too early is
 * incomplete.
 */
#include <stdio.h>

#include <bobbin/read.h>

#include "input/job.h"
#include "print/json.h"
#include "print/plain.h"
#include "print/gaps.h"
#include "print/msg.h"

struct verify {
	struct job job;
	struct json json;
	int is_json;
	const char *input;
	uint64_t n_samples, n_segments, n_complaints;
	uint64_t noted_at; /* offset of the last note about that */
	int is_incomplete;
};

static void
json_offset(struct json *j, uint64_t offset)
{
	if (offset == BOB_NO_OFFSET)
		json_null(j, "offset");
	else
		json_u64(j, "offset", offset);
}

static void
verify_complain(struct verify *v, const char *severity,
    const struct bob_error *e)
{
	if (v->is_json) {
		json_open(&v->json, NULL, '{');
		json_str(&v->json, "severity", severity);
		json_offset(&v->json, e->offset);
		json_str(&v->json, "code", msg_code_name(e->code));
		json_str(&v->json, "text", e->text);
		json_close(&v->json, '{');
		return;
	}
	progress_wipe();
	if (*e->input != '\0') {
		(void)plain_safe_str(stdout, e->input);
		(void)fputs(": ", stdout);
	}
	if (e->status == BOB_OK)
		(void)printf("%s: ", severity);
	(void)plain_safe_str(stdout, e->text);
	(void)putchar('\n');
}

static void
on_diag(void *user, const struct bob_error *e)
{
	struct verify *v = user;

	v->n_complaints += e->status == BOB_WARN;
	if (e->code == BOB_E_TRUNCATED)
		v->noted_at = e->offset;
	verify_complain(v, e->status == BOB_WARN ? "warning" : "note", e);
}

static void
on_gap(struct verify *v, const struct bob_gap *gap)
{
	/* An unfinished input is not damaged, and a note may have said so
	 * already. */
	v->n_complaints += gap->code != BOB_E_TRUNCATED;
	if (gap->code == BOB_E_TRUNCATED && gap->offset == v->noted_at)
		return;
	if (!v->is_json) {
		gap_print(stdout, v->input, gap);
		return;
	}
	json_open(&v->json, NULL, '{');
	json_str(&v->json, "severity", gap->code == BOB_E_TRUNCATED ? "note"
	                                                            : "error");
	json_u64(&v->json, "offset", gap->offset);
	json_u64(&v->json, "length", gap->length);
	json_u64(&v->json, "lost", gap->lost);
	json_bool(&v->json, "lost_is_exact", gap->lost_is_exact);
	json_u64(&v->json, "rootless", gap->rootless);
	json_str(&v->json, "code", msg_code_name(gap->code));
	json_str(&v->json, "text", gap->why);
	json_close(&v->json, '{');
}

static void
on_event(struct verify *v, const struct bob_event *ev)
{
	size_t i;

	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		v->n_segments++;
		break;
	case BOB_EVENT_MARK:
		if (ev->mark->kind == BOB_MARK_GAP)
			on_gap(v, ev->mark->gap);
		break;
	case BOB_EVENT_RUNS:
		for (i = 0; i < ev->n_runs; i++)
			v->n_samples = plain_add(v->n_samples,
			    ev->runs[i].count);
		break;
	}
}

static int
verdict(const struct verify *v)
{
	if (v->n_complaints > 0)
		return EXIT_FAILED;
	return v->is_incomplete ? EXIT_PARTIAL : EXIT_OK;
}

static void
verify_begin(struct verify *v, const char *input)
{
	v->input = input;
	v->n_samples = v->n_segments = v->n_complaints = 0;
	v->noted_at = BOB_NO_OFFSET;
	if (!v->is_json)
		return;
	json_open(&v->json, NULL, '{');
	json_str(&v->json, "input", input);
	json_open(&v->json, "complaints", '[');
}

static void
conclude(struct verify *v, int code)
{
	const char *status = code == EXIT_OK ? "clean"
	    : code == EXIT_PARTIAL ? "incomplete" : "damaged";
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];

	if (v->is_json) {
		json_close(&v->json, '[');
		json_str(&v->json, "status", status);
		json_u64(&v->json, "samples", v->n_samples);
		json_u64(&v->json, "segments", v->n_segments);
		json_u64(&v->json, "n_complaints", v->n_complaints);
		json_bool(&v->json, "incomplete", v->is_incomplete);
		json_close(&v->json, '{');
		json_end(&v->json);
		return;
	}
	if (msg_is_quiet())
		return;
	(void)plain_safe_str(stdout, job_name(v->input));
	(void)printf(": %s%s%s: ", color_on(stdout,
	    code == EXIT_OK ? "32" : code == EXIT_PARTIAL ? "33" : "31"),
	    status, color_off(stdout));
	if (v->n_complaints > 0)
		(void)printf("%s, ", number_nouns(c, v->n_complaints,
		    "complaint"));
	(void)printf("%s in %s\n", number_nouns(a, v->n_samples, "sample"),
	    number_nouns(b, v->n_segments, "segment"));
}

/* True if the error is not about the trace. */
static int
is_ours(const struct bob_error *e)
{
	return e->code == BOB_E_IO || e->code == BOB_E_NOMEM ||
	    e->code == BOB_E_USAGE || e->code == BOB_E_BUDGET;
}

static int
verify_input(struct verify *v, const char *input)
{
	const struct bob_error *e = bob_ctx_error(v->job.ctx);
	struct bob_reader *in = NULL;
	struct bob_event ev;
	int r, code;

	/* Everything is decoded, but no records are counted. */
	r = job_open(&v->job, input, BOB_READ_RECOVER,
	    BOB_WANT_ALL & ~(uint32_t)BOB_WANT_STATS, &in);
	if (r < 0 && is_ours(e))
		return job_error(&v->job);
	verify_begin(v, input);
	while (r == BOB_OK && (r = job_next(&v->job, in, &ev)) == BOB_OK)
		on_event(v, &ev);
	progress_wipe();
	v->is_incomplete = in != NULL && bob_reader_is_incomplete(in);
	bob_close(in);
	if (r < 0) {
		v->n_complaints++;
		verify_complain(v, "error", e);
	}
	code = verdict(v);
	conclude(v, code);
	return r < 0 && is_ours(e) ? job_error(&v->job) : code;
}

static int
verify_inputs(struct verify *v)
{
	int worst = EXIT_OK;
	size_t i;

	for (i = 0; i < v->job.n_inputs && worst != EXIT_USAGE; i++) {
		int code = verify_input(v, v->job.inputs[i]);

		/* Damage outweighs an early end. */
		if (worst == EXIT_OK || code == EXIT_FAILED)
			worst = code;
	}
	return worst;
}

int
cmd_verify(const struct args *args)
{
	struct verify v = { .json.f = stdout };
	int worst = job_init(&v.job, args);

	if (worst == EXIT_OK) {
		v.is_json = args_has(args, OPT_JSON);
		bob_ctx_on_diag(v.job.ctx, on_diag, &v);
		worst = verify_inputs(&v);
	}
	job_done(&v.job);
	return worst;
}

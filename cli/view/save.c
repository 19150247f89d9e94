/* Reads the inputs again and writes the selection; see the header. */
#include "save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <bobbin/convert.h>
#include <bobbin/read.h>
#include <bobbin/write.h>

#include "input/budget.h"
#include "input/job.h"
#include "print/json.h"
#include "print/msg.h"
#include "question.h"
#include "system/signals.h"

struct saving {
	const struct job *job;
	struct bob_filter filter; /* that of the command */
	struct bob_ctx *ctx; /* its own: what it warns of was said before */
	struct bob_dict *dict;
	struct bob_writer *out;
	uint64_t n_segments;
};

/* ---- The selection ----------------------------------------------------- */

/* A view takes the bins of its time line whose middle is in the range. */
static void
round_range(struct bob_filter *filter, uint64_t bin)
{
	uint64_t half = bin / 2, *end[2] = { &filter->t_from, &filter->t_to };
	int i;

	if (bin == 0 || (filter->flags & BOB_FILTER_TIME) == 0)
		return;
	for (i = 0; i < 2; i++)
		if (*end[i] < UINT64_MAX - bin)
			*end[i] = *end[i] <= half ? 0
			    : (*end[i] - half + bin - 1) / bin * bin;
}

/* Both ranges count from the first time of the trace, which only a filter sees
 * that drops nothing before: so one filter has both. */
static void
join_ranges(struct bob_filter *to, struct bob_filter *from)
{
	if ((to->flags & from->flags & BOB_FILTER_TIME) == 0)
		return;
	if (from->t_from > to->t_from)
		to->t_from = from->t_from;
	if (from->t_to < to->t_to)
		to->t_to = from->t_to;
	from->flags &= ~(uint32_t)BOB_FILTER_TIME;
}

/* Sets the filter to what the page shows, and *ret_samples to how many samples
 * a writer of the format gets then: one that hides idle samples gets them too,
 * because it says how many there were. */
static int
selection_as_shown(struct selection *s, const struct view *v,
    const char *format, uint64_t *ret_samples, char *err, size_t n)
{
	const struct bob_format_info *info = bob_format_named(format);
	struct bob_filter filter = *selection_filter(s);
	struct bob_view_opts o = { .size = sizeof(o), .group = s->group,
		.side = selection_side(s), .filter = &filter };
	struct bob_timeline line;
	struct bob_view *view;

	if (info != NULL && info->hides_idle)
		filter.idle = BOB_IDLE_KEEP;
	if (bob_view_new(v->profile, &o, &view) < 0)
		return question_failed(v, err, n);
	*ret_samples = bob_view_total(view).samples;
	if (bob_view_timeline(view, 0, &line) < 0) {
		bob_view_free(view);
		return question_failed(v, err, n);
	}
	s->filter = *selection_filter(s);
	round_range(&s->filter, line.bin_us);
	bob_view_free(view);
	return 0;
}

/* ---- Reading and writing ----------------------------------------------- */

static int
failed(const struct saving *x, char *err, size_t n)
{
	(void)snprintf(err, n, "%s", bob_ctx_error(x->ctx)->text);
	return -1;
}

static int
copy_events(struct saving *x, struct bob_reader *in)
{
	const volatile int *stopped = signals_stopped();
	struct bob_event ev;
	int r;

	while ((r = bob_next(in, &ev)) == BOB_OK && !*stopped) {
		x->n_segments += ev.kind == BOB_EVENT_SEGMENT;
		r = bob_write_event(x->out, &ev);
		if (r < 0)
			break;
	}
	return r < 0 ? -1 : 0;
}

static int
copy_input(struct saving *x, const char *path)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = x->job->from,
		.flags = BOB_READ_REGULAR |
		    (x->job->is_strict ? 0 : BOB_READ_RECOVER),
		.filter = &x->filter, .dict = x->dict,
		.first_segment = x->n_segments, .options = &x->job->dialect,
		.n_options = job_n_options(x->job) };
	struct bob_reader *in;
	int r;

	if (bob_open(x->ctx, path, &o, &in) < 0)
		return -1;
	r = copy_events(x, in);
	bob_close(in);
	return r;
}

/* All inputs, or that of the side that is shown. */
static int
copy_inputs(struct saving *x, const struct view *v, int side)
{
	size_t i;

	for (i = 0; i < x->job->n_inputs; i++)
		if ((!v->is_diff || i == (size_t)side) &&
		    copy_input(x, x->job->inputs[i]) < 0)
			return -1;
	return 0;
}

/* Inputs that grow are always a little ahead of the page. */
static int
check_samples(const struct saving *x, const struct view *v, int has_range,
    uint64_t want, char *err, size_t n)
{
	uint64_t samples = bob_writer_samples(x->out);

	if (v->follows || samples == want)
		return 0;
	(void)snprintf(err, n, "the input has %llu samples in this selection, "
	    "the page shows %llu: %s", (unsigned long long)samples,
	    (unsigned long long)want, has_range
	    ? "samples without times cannot be cut by time; folded stacks and "
	      "CSV can be saved" : "it has changed since it was read");
	return -1;
}

static int
write_file(struct saving *x, const struct view *v, const char *format,
    struct selection *s, FILE *to, char *err, size_t n)
{
	struct bob_target target = { .fd = fileno(to) };
	struct bob_write_opts o = { .size = sizeof(o), .format = format,
		.dict = x->dict, .filter = &s->filter };
	int has_range = (s->filter.flags & BOB_FILTER_TIME) != 0;
	uint64_t want = 0;

	if (selection_as_shown(s, v, format, &want, err, n) < 0)
		return -1;
	join_ranges(&s->filter, &x->filter);
	if (bob_create(x->ctx, &target, &o, &x->out) < 0 ||
	    copy_inputs(x, v, selection_side(s)) < 0) {
		(void)failed(x, err, n);
	} else if (check_samples(x, v, has_range, want, err, n) == 0) {
		if (bob_finish(x->out) == BOB_OK)
			return 0;
		return failed(x, err, n);
	}
	bob_discard(x->out);
	return -1;
}

/* With a context and a dictionary of its own. */
static int
save(const struct view *v, const char *format, struct selection *s, FILE *to,
    char *err, size_t n)
{
	struct saving x = { .job = v->job, .ctx = bob_ctx_new(),
		.filter = v->job->filters.spec };
	int r = -1;

	if (x.ctx != NULL && budget_set(x.ctx, v->job->args) == EXIT_OK)
		x.dict = bob_dict_new(x.ctx);
	if (x.dict != NULL)
		r = write_file(&x, v, format, s, to, err, n);
	else
		(void)question_no_memory(err, n);
	bob_dict_free(x.dict);
	bob_ctx_free(x.ctx);
	return r;
}

int
save_selection(const struct view *v, const struct request *rq,
    const char *format, FILE **ret, size_t *ret_size, char *err, size_t n)
{
	struct selection s;
	struct stat st;
	FILE *to;
	int r;

	if (v->job == NULL) {
		(void)snprintf(err, n, "the input cannot be read again");
		return -1;
	}
	if (selection_init(&s, rq, v->is_diff ? 2 : 1, v->idle, err, n) < 0)
		return -1;
	to = tmpfile();
	r = to == NULL ? -1 : save(v, format, &s, to, err, n);
	if (to == NULL || (r == 0 && fstat(fileno(to), &st) < 0)) {
		(void)snprintf(err, n, "no temporary file: %s",
		    strerror(errno));
		r = -1;
	}
	selection_done(&s);
	if (r < 0) {
		if (to != NULL)
			(void)fclose(to);
		return -1;
	}
	*ret = to;
	*ret_size = (size_t)st.st_size;
	return 0;
}

/* ---- Formats ----------------------------------------------------------- */

static void
put_format(struct json *j, const struct bob_format_info *info)
{
	size_t n = strcspn(info->suffixes, " ");

	json_open(j, NULL, '{');
	json_str(j, "name", info->name);
	json_bytes(j, "suffix", info->suffixes, n);
	json_str(j, "summary", info->summary);
	json_close(j, '{');
}

int
save_formats(const struct view *v, struct answer *ret)
{
	const struct bob_format_info *info;
	struct json j = { NULL, 0 };
	size_t i;

	j.f = open_memstream(&ret->text, &ret->n);
	if (j.f == NULL)
		return -1;
	json_open(&j, NULL, '{');
	json_open(&j, "formats", '[');
	for (i = 0; v->job != NULL && (info = bob_format_get(i)) != NULL; i++)
		if (info->can_write)
			put_format(&j, info);
	json_close(&j, '[');
	json_close(&j, '{');
	json_end(&j);
	return fclose(j.f) == 0 ? 1 : -1;
}

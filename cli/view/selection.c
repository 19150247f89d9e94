/* Parameters of a request as a filter; see the header. */
#include "selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/profile.h>

#include "input/grouping.h"
#include "param.h"

static int
read_time(struct selection *s, const struct request *rq, char *err, size_t n)
{
	int has_from, has_to;

	s->filter.t_to = UINT64_MAX;
	has_from = param_number(rq, "from", &s->filter.t_from, err, n);
	if (has_from < 0)
		return -1;
	has_to = param_number(rq, "to", &s->filter.t_to, err, n);
	if (has_to < 0)
		return -1;
	if (has_from || has_to)
		s->filter.flags |= BOB_FILTER_TIME;
	else
		s->filter.t_to = 0;
	return 0;
}

static int
read_group(struct selection *s, const struct request *rq, char *err, size_t n)
{
	const char *word = request_param(rq, "by");
	const char *annotation;

	s->group = BOB_GROUP_FUNCTION;
	if (word == NULL)
		return 0;
	if (grouping_parse(word, &s->group, &annotation) &&
	    s->group <= BOB_GROUP_MODULE)
		return 0;
	(void)snprintf(err, n, "by is line, name, function, file or module");
	return -1;
}

static int
read_side(struct selection *s, const struct request *rq, int n_sides,
    char *err, size_t n)
{
	uint64_t side = (uint64_t)n_sides - 1;

	if (param_number(rq, "side", &side, err, n) < 0)
		return -1;
	if (side >= (uint64_t)n_sides) {
		(void)snprintf(err, n, "there is no such side");
		return -1;
	}
	s->side = (int)side;
	return 0;
}

static int
read_idle(struct selection *s, const struct request *rq, char *err, size_t n)
{
	uint64_t shown;
	int r = param_number(rq, "idle", &shown, err, n);

	if (r > 0)
		s->filter.idle = shown != 0 ? BOB_IDLE_KEEP : BOB_IDLE_HIDE;
	return r < 0 ? -1 : 0;
}

static void
put_ids(FILE *f, const uint64_t *id, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		(void)fprintf(f, "%" PRIu64 ",", id[i]);
	(void)putc('\n', f);
}

/* Lengths come before patterns, so that no two selections have one text. */
static int
make_text(struct selection *s, const char *match, const char *hide)
{
	const struct bob_filter *o = &s->filter;
	size_t n = 0, n_match = match != NULL ? strlen(match) + 1 : 0;
	FILE *f = open_memstream(&s->text, &n);

	if (f == NULL)
		return -1;
	if (match != NULL)
		(void)fwrite(match, 1, n_match, f);
	if (hide != NULL)
		(void)fwrite(hide, 1, strlen(hide) + 1, f);
	(void)fprintf(f, "%zu %d %d %u %" PRIu64 " %" PRIu64 "\n", n_match,
	    s->group, o->idle, o->flags, o->t_from, o->t_to);
	put_ids(f, s->pid, o->n_pids);
	put_ids(f, s->tid, o->n_tids);
	if (fclose(f) != 0) {
		free(s->text);
		s->text = NULL;
		return -1;
	}
	s->n_text = n;
	s->filter.match = match != NULL ? s->text : NULL;
	s->filter.hide = hide != NULL ? s->text + n_match : NULL;
	return 0;
}

static const char *
pattern(const struct request *rq, const char *name)
{
	const char *p = request_param(rq, name);

	return p != NULL && *p != '\0' ? p : NULL;
}

int
selection_init(struct selection *s, const struct request *rq, int n_sides,
    int idle, char *err, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->filter.size = sizeof(s->filter);
	s->filter.idle = idle;
	if (read_time(s, rq, err, n) < 0 || read_group(s, rq, err, n) < 0 ||
	    read_side(s, rq, n_sides, err, n) < 0 ||
	    read_idle(s, rq, err, n) < 0 ||
	    param_numbers(rq, "pid", s->pid, SELECTION_IDS,
	    &s->filter.n_pids, err, n) < 0 ||
	    param_numbers(rq, "tid", s->tid, SELECTION_IDS,
	    &s->filter.n_tids, err, n) < 0)
		return -1;
	s->filter.pids = s->filter.n_pids > 0 ? s->pid : NULL;
	s->filter.tids = s->filter.n_tids > 0 ? s->tid : NULL;
	if (make_text(s, pattern(rq, "match"), pattern(rq, "hide")) < 0) {
		(void)snprintf(err, n, "out of memory");
		return -1;
	}
	return 0;
}

void
selection_done(struct selection *s)
{
	free(s->text);
	s->text = NULL;
}

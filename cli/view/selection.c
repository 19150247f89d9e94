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
	(void)snprintf(err, n, "by is line, name, function, file, class or "
	    "module");
	return -1;
}

static int
read_base(struct selection *s, const struct request *rq, char *err, size_t n)
{
	const char *p = request_param(rq, "base");

	if (p == NULL || *p == '\0')
		return 0;
	s->has_base = param_range(p, &s->base.t_from, &s->base.t_to) == 0;
	if (s->has_base)
		return 0;
	(void)snprintf(err, n, "base is FROM-TO, in microseconds");
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

static void
put_param(FILE *f, const char *p)
{
	(void)fprintf(f, "%zu:%s", p != NULL ? strlen(p) : 0,
	    p != NULL ? p : "");
}

/* Lengths come before patterns, so that no two selections have one text. */
static int
make_text(struct selection *s, const struct request *rq, const char *match,
    const char *hide)
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
	put_param(f, request_param(rq, "annot"));
	put_param(f, request_param(rq, "shape"));
	put_param(f, request_param(rq, "base"));
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

/* ---- Lines ------------------------------------------------------------- */

/* Cuts the next line off: copies it to *to without its escapes, with a NUL
 * behind it, and moves both on. Returns its bytes. */
static size_t
take_line(const char **from, char **to)
{
	const char *p = *from;
	char *q = *to;

	for (; *p != '\0' && *p != '\n'; p++) {
		if (*p == '\\' && p[1] != '\0')
			*q++ = *++p == 'n' ? '\n' : *p;
		else
			*q++ = *p;
	}
	*q = '\0';
	*from = p + (*p == '\n');
	p = *to;
	*to = q + 1;
	return (size_t)(q - p);
}

static int
read_rule(struct bob_shape *ret, const char *line, size_t n)
{
	static const struct {
		const char *word;
		int kind;
	} kinds[] = {
		{ "focus ", BOB_SHAPE_FOCUS },
		{ "hide ", BOB_SHAPE_HIDE },
		{ "collapse ", BOB_SHAPE_COLLAPSE },
	};
	const char *annotation, *text, *end = line + n;
	char group[16];
	size_t i, len;

	if (strcmp(line, "recursion") == 0) {
		*ret = (struct bob_shape){ .kind = BOB_SHAPE_RECURSION };
		return 0;
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(line, kinds[i].word, strlen(kinds[i].word)) == 0)
			break;
	if (i == sizeof(kinds) / sizeof(kinds[0]))
		return -1;
	ret->kind = kinds[i].kind;
	line += strlen(kinds[i].word);
	text = strchr(line, ' ');
	len = text != NULL ? (size_t)(text - line) : sizeof(group);
	if (len >= sizeof(group))
		return -1;
	memcpy(group, line, len);
	group[len] = '\0';
	ret->text = (struct bob_bytes){ text + 1, (size_t)(end - text) - 1 };
	return grouping_parse(group, &ret->group, &annotation) &&
	    ret->group <= BOB_GROUP_MODULE ? 0 : -1;
}

static int
read_shape(struct selection *s, const char *from, char **to)
{
	const char *line;
	size_t n;

	while (*from != '\0') {
		line = *to;
		n = take_line(&from, to);
		if (n == 0)
			continue;
		if (s->n_shapes == SELECTION_LINES ||
		    read_rule(&s->shape[s->n_shapes++], line, n) < 0)
			return -1;
	}
	return 0;
}

static int
read_annotations(struct selection *s, const char *from, char **to)
{
	struct bob_filter *f = &s->filter;

	while (*from != '\0') {
		if (f->n_annotations == SELECTION_LINES)
			return -1;
		s->annot[f->n_annotations++] = *to;
		(void)take_line(&from, to);
	}
	f->annotations = f->n_annotations > 0 ? s->annot : NULL;
	return 0;
}

static int
read_lines(struct selection *s, const struct request *rq, char *err, size_t n)
{
	const char *annot = pattern(rq, "annot"), *shape = pattern(rq, "shape");
	size_t room = (annot != NULL ? strlen(annot) : 0) +
	    (shape != NULL ? strlen(shape) : 0) + 2;
	char *to = s->lines = malloc(room);

	if (to == NULL) {
		(void)snprintf(err, n, "out of memory");
		return -1;
	}
	if ((annot != NULL && read_annotations(s, annot, &to) < 0) ||
	    (shape != NULL && read_shape(s, shape, &to) < 0)) {
		(void)snprintf(err, n, "annot or shape has a line that is no "
		    "rule, or more than %d", SELECTION_LINES);
		return -1;
	}
	return 0;
}

/* ---- All of it --------------------------------------------------------- */

static int
read_params(struct selection *s, const struct request *rq, int n_sides,
    char *err, size_t n)
{
	if (read_time(s, rq, err, n) < 0 || read_group(s, rq, err, n) < 0 ||
	    (n_sides == 1 && read_base(s, rq, err, n) < 0) ||
	    read_side(s, rq, s->has_base ? 2 : n_sides, err, n) < 0 ||
	    read_idle(s, rq, err, n) < 0 ||
	    param_numbers(rq, "pid", s->pid, SELECTION_IDS,
	    &s->filter.n_pids, err, n) < 0 ||
	    param_numbers(rq, "tid", s->tid, SELECTION_IDS,
	    &s->filter.n_tids, err, n) < 0)
		return -1;
	s->filter.pids = s->filter.n_pids > 0 ? s->pid : NULL;
	s->filter.tids = s->filter.n_tids > 0 ? s->tid : NULL;
	return read_lines(s, rq, err, n);
}

static void
set_base(struct selection *s)
{
	uint64_t from = s->base.t_from, to = s->base.t_to;

	s->base = s->filter;
	s->base.flags |= BOB_FILTER_TIME;
	s->base.t_from = from;
	s->base.t_to = to;
}

int
selection_init(struct selection *s, const struct request *rq, int n_sides,
    int idle, char *err, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->filter.size = sizeof(s->filter);
	s->filter.idle = idle;
	if (read_params(s, rq, n_sides, err, n) < 0) {
		selection_done(s);
		return -1;
	}
	if (make_text(s, rq, pattern(rq, "match"), pattern(rq, "hide")) < 0) {
		(void)snprintf(err, n, "out of memory");
		selection_done(s);
		return -1;
	}
	if (s->has_base)
		set_base(s);
	return 0;
}

int
selection_side(const struct selection *s)
{
	return s->has_base ? 0 : s->side;
}

const struct bob_filter *
selection_filter(const struct selection *s)
{
	return s->has_base && s->side == 0 ? &s->base : &s->filter;
}

void
selection_done(struct selection *s)
{
	free(s->text);
	free(s->lines);
	s->text = s->lines = NULL;
}

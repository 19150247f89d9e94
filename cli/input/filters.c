/* From options to a filter of the library. */
#include "filters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/model.h>
#include <bobbin/when.h>

#include "args/values.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/clock.h"

static int
set_time(struct bob_filter *f, const char *text)
{
	const char *dots = strstr(text, "..");
	const char *to = dots != NULL ? dots + 2 : NULL;

	f->t_from = 0;
	f->t_to = UINT64_MAX;
	f->flags |= BOB_FILTER_TIME;
	if (dots == NULL ||
	    (dots > text &&
	        !plain_get_time(text, (size_t)(dots - text), &f->t_from)) ||
	    (*to != '\0' && !plain_get_time(to, strlen(to), &f->t_to)) ||
	    f->t_from >= f->t_to) {
		(void)msg_usage("--time '%s' is not a range of times", text);
		msg_hint("as in --time 1.5s..2m, --time 30.., --time ..500ms");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

/* Adds one word of --status to the bits that must be set or clear. Returns 1; 0
 * if the word is unknown. */
static int
set_state(struct bob_filter *f, const char *word, size_t n)
{
	static const struct {
		const char *name;
		uint8_t set, clear;
	} states[] = {
		{ "gil", BOB_STATUS_HAS_GIL, 0 },
		{ "wants-gil", BOB_STATUS_WANTS_GIL, 0 },
		{ "cpu", BOB_STATUS_ON_CPU, 0 },
		{ "idle", 0, BOB_STATUS_ON_CPU | BOB_STATUS_UNKNOWN },
		{ "exception", BOB_STATUS_EXCEPTION, 0 },
		{ "main", BOB_STATUS_MAIN_THREAD, 0 },
	};
	int negated = n > 0 && *word == '!';
	size_t i;

	word += negated;
	n -= (size_t)negated;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (strlen(states[i].name) != n ||
		    memcmp(states[i].name, word, n) != 0)
			continue;
		if (!negated) {
			f->status_set |= states[i].set;
			f->status_clear |= states[i].clear;
		} else if (states[i].set != 0)
			f->status_clear |= states[i].set;
		else /* not idle: known to be on a processor */
			f->status_set |= BOB_STATUS_ON_CPU;
		return 1;
	}
	return 0;
}

static int
set_status(struct bob_filter *f, const char *list)
{
	const char *word = list;
	size_t n;

	for (;; word += n + 1) {
		n = strcspn(word, ",");
		if (!set_state(f, word, n)) {
			(void)msg_usage("--status '%.*s' is not a "
			    "status", (int)(n < 64 ? n : 64), word);
			msg_hint("there are gil, wants-gil, cpu, idle, "
			    "exception and main, each also as !gil");
			return EXIT_USAGE;
		}
		if (word[n] == '\0')
			break;
	}
	if ((f->status_set & f->status_clear) == 0)
		return EXIT_OK;
	(void)msg_usage("--status '%s' asks for a state and its opposite",
	    list);
	msg_hint("no sample can be in both");
	return EXIT_USAGE;
}

/* One end of a range of dates. */
static int
set_date(struct bob_filter *f, const struct arg *a)
{
	int is_from = a->opt.id == OPT_SINCE;

	if ((f->flags & BOB_FILTER_DATE) == 0)
		f->date_to = UINT64_MAX;
	f->flags |= BOB_FILTER_DATE;
	if (bob_when(a->value, clock_us(CLOCK_REALTIME), is_from
	        ? &f->date_from : &f->date_to))
		return EXIT_OK;
	(void)msg_usage("--%s '%s' is not a time", a->opt.name, a->value);
	msg_hint("as -15m, 14:02, 'yesterday 14:02', 2026-11-19T14:02:03Z");
	return EXIT_USAGE;
}

/* The dates of one side of a comparison. */
static int
set_range(struct bob_filter *f, const struct arg *a)
{
	f->flags |= BOB_FILTER_DATE;
	if (bob_when_range(a->value, clock_us(CLOCK_REALTIME), &f->date_from,
	        &f->date_to))
		return EXIT_OK;
	(void)msg_usage("--%s '%s' is not a range of times", a->opt.name,
	    a->value);
	msg_hint("as 14:02..14:05, 'yesterday 14:02..14:05' or -15m.., from "
	    "the first moment until before the second");
	return EXIT_USAGE;
}

/* A second --route: no sample has both. */
static int
set_route(struct filters *v, const char *route)
{
	static const char key[] = "request.route=";
	size_t room = sizeof(key) + strlen(route);

	if (v->route != NULL) {
		(void)msg_usage("--route can be given once");
		return EXIT_USAGE;
	}
	v->route = malloc(room);
	if (v->route == NULL)
		return msg_no_memory();
	(void)snprintf(v->route, room, "%s%s", key, route);
	v->annotations[v->spec.n_annotations++] = v->route;
	return EXIT_OK;
}

static int
set_option(struct filters *v, const struct arg *a)
{
	struct bob_filter *f = &v->spec;

	switch (a->opt.id) {
	case OPT_PID:
		return value_count("pid", a->value, 0, UINT64_MAX,
		    "'bobbin info' lists the pids of a trace",
		    &v->pids[f->n_pids++]);
	case OPT_THREAD:
		return value_count("thread", a->value, 0, UINT64_MAX,
		    "'bobbin info' lists the threads of a trace",
		    &v->tids[f->n_tids++]);
	case OPT_STATUS:
		return set_status(f, a->value);
	case OPT_SINCE:
	case OPT_UNTIL:
		return v->is_pair ? set_range(f, a) : set_date(f, a);
	case OPT_AGAINST:
		v->has_before = 1;
		return set_range(&v->before, a);
	case OPT_ROUTE:
		return set_route(v, a->value);
	case OPT_ANNOTATION:
		v->annotations[f->n_annotations++] = a->value;
		break;
	case OPT_TIME:
		return set_time(f, a->value);
	case OPT_HIDE:
		f->hide = a->value;
		break;
	case OPT_MATCH:
		f->match = a->value;
		break;
	case OPT_NO_LINE:
		f->flags |= BOB_FILTER_NO_LINE;
		break;
	case OPT_IDLE:
		f->idle = BOB_IDLE_KEEP;
		break;
	default:
		return EXIT_OK;
	}
	return EXIT_OK;
}

int
filters_idle(const struct command *command)
{
	return (command->bit & (CMD_ANALYZE | CMD_EXPLORE | CMD_DIFF |
	    CMD_VIEW)) != 0 ? BOB_IDLE_HIDE : BOB_IDLE_KEEP;
}

/* --against is a filter that differs by its dates. */
static void
set_before(struct filters *v)
{
	uint64_t from = v->before.date_from, to = v->before.date_to;

	v->before = v->spec;
	v->before.date_from = from;
	v->before.date_to = to;
}

int
filters_init(struct filters *v, const struct args *a)
{
	struct bob_filter *f = &v->spec;
	size_t i;
	int r = EXIT_OK;

	memset(v, 0, sizeof(*v));
	f->size = sizeof(*f);
	v->is_pair = a->command->bit == CMD_DIFF;
	f->idle = filters_idle(a->command);
	v->is_set = f->idle != BOB_IDLE_KEEP;
	v->pids = calloc(args_count(a, OPT_PID) + 1, sizeof(*v->pids));
	v->tids = calloc(args_count(a, OPT_THREAD) + 1, sizeof(*v->tids));
	v->annotations = calloc(args_count(a, OPT_ANNOTATION) + 2,
	    sizeof(*v->annotations));
	if (v->pids == NULL || v->tids == NULL || v->annotations == NULL)
		return msg_no_memory();
	for (i = 0; r == EXIT_OK && i < a->n_opts; i++) {
		if (a->opts[i].opt.group != GROUP_FILTER)
			continue;
		r = set_option(v, &a->opts[i]);
		v->is_set = 1;
	}
	if (r == EXIT_OK && (f->flags & BOB_FILTER_DATE) != 0 &&
	    f->date_from >= f->date_to) {
		(void)msg_usage("--to is not after --from");
		return EXIT_USAGE;
	}
	f->pids = f->n_pids > 0 ? v->pids : NULL;
	f->tids = f->n_tids > 0 ? v->tids : NULL;
	f->annotations = f->n_annotations > 0 ? v->annotations : NULL;
	set_before(v);
	return r;
}

int
filters_for_output(struct filters *v, const struct args *a,
    const struct bob_format_info *to)
{
	if (to->hides_idle && !args_has(a, OPT_IDLE))
		v->spec.idle = BOB_IDLE_HIDE;
	return v->is_set || v->spec.idle != BOB_IDLE_KEEP;
}

void
filters_done(struct filters *v)
{
	free(v->pids);
	free(v->tids);
	free(v->annotations);
	free(v->route);
}

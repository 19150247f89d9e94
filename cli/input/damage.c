/* Collects damage, and says what was lost; see the header. */
#include "damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/msg.h"
#include "print/plain.h"

/* Inputs that get a warning of their own. */
#define MAX_TOLD 20

static void
forget_damages(struct damages *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		free(d->v[i].input);
	free(d->v);
	memset(d, 0, sizeof(*d));
}

/* Inputs are read one after the other, so only the last is looked at. NULL
 * without memory: then damage is not told. */
static struct damage *
damages_of(struct damages *d, const char *input)
{
	struct damage *v;

	if (d->n > 0 && strcmp(d->v[d->n - 1].input, input) == 0)
		return &d->v[d->n - 1];
	if (d->n == d->cap) {
		v = realloc(d->v, (2 * d->cap + 4) * sizeof(*v));
		if (v == NULL)
			return NULL;
		d->v = v;
		d->cap = 2 * d->cap + 4;
	}
	v = &d->v[d->n];
	*v = (struct damage){ .input = strdup(input), .lost_is_exact = 1 };
	if (v->input == NULL)
		return NULL;
	d->n++;
	return v;
}

static void
keep_why(struct damage *v, const char *why)
{
	if (v->why[0] == '\0')
		(void)snprintf(v->why, sizeof(v->why), "%s", why);
}

int
damages_add_diag(struct damages *d, const struct bob_error *e)
{
	struct damage *v;

	if (e->code != BOB_E_TRUNCATED && e->code != BOB_E_SKIPPED)
		return 0;
	v = damages_of(d, e->input);
	if (v == NULL)
		return 0;
	keep_why(v, e->text);
	if (e->code == BOB_E_TRUNCATED)
		v->is_cut = 1;
	else
		v->n_lines++;
	return 1;
}

void
damages_add_gap(struct damages *d, const char *input,
    const struct bob_gap *gap)
{
	struct damage *v = damages_of(d, input);

	if (v == NULL)
		return;
	keep_why(v, gap->why);
	v->n_lost = plain_add(v->n_lost, gap->lost);
	if (gap->code == BOB_E_TRUNCATED) {
		v->is_cut = 1;
		return;
	}
	v->n_gaps++;
	v->n_bytes = plain_add(v->n_bytes, gap->length);
	v->lost_is_exact &= gap->lost_is_exact;
}

/* ", 12 bytes skipped, at least 3 samples lost" */
static void
describe_loss(const struct damage *v, char *buf, size_t cap)
{
	char bytes[NUMBER_TEXT], n[NUMBER_TEXT], places[NUMBER_TEXT];
	int at = 0;

	buf[0] = '\0';
	if (v->n_lines > 0)
		at = snprintf(buf, cap, "; %s%s skipped",
		    v->n_lines >= 100 ? "at least " : "",
		    number_nouns(n, v->n_lines, "line"));
	if (v->n_gaps > 0 && at >= 0 && (size_t)at < cap)
		at += snprintf(buf + at, cap - (size_t)at,
		    "; %s skipped%s%s", number_nouns(bytes, v->n_bytes,
		        "byte"), v->n_gaps > 1 ? " in " : "",
		    v->n_gaps > 1 ? number_nouns(places, v->n_gaps, "place")
		                  : "");
	if (v->n_gaps + v->n_lost == 0 || at < 0 || (size_t)at >= cap)
		return;
	if (v->n_lost > 0)
		(void)snprintf(buf + at, cap - (size_t)at, ", %s%s lost",
		    v->lost_is_exact ? "" : "at least ",
		    number_nouns(n, v->n_lost, "sample"));
	else
		(void)snprintf(buf + at, cap - (size_t)at, ", %s",
		    v->lost_is_exact ? "no sample lost"
		                     : "an unknown number of samples lost");
}

static void
tell(const struct damage *v, int is_error, int is_all)
{
	char loss[256], line[BOB_MAX_TEXT + 512];

	describe_loss(v, loss, sizeof(loss));
	(void)snprintf(line, sizeof(line), "%s%s%s%s", is_all
	        ? "no sample in it can be read: " : "", v->why, loss,
	    v->n_gaps + v->n_lines > 0 && v->is_cut ? ", and it ends too early"
	                                            : "");
	if (is_error)
		msg_error("%s: %s", v->input, line);
	else
		msg_warn("%s: %s", v->input, line);
}

int
damages_tell(struct damages *d, enum damages_as as)
{
	int code = d->n > 0 ? EXIT_PARTIAL : EXIT_OK, is_error;
	size_t i;

	for (i = 0; i < d->n; i++) {
		is_error = as == DAMAGES_ERROR ||
		    (as == DAMAGES_STRICT && d->v[i].n_lines > 0);
		if (is_error)
			code = EXIT_FAILED;
		if (i < MAX_TOLD)
			tell(&d->v[i], is_error, as == DAMAGES_ERROR);
	}
	if (d->n > MAX_TOLD)
		msg_warn("%zu more inputs are damaged", d->n - MAX_TOLD);
	forget_damages(d);
	return code;
}

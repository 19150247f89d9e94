/* bobbin ship --status: what the journals of a store say. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/units.h>

#include "print/json.h"
#include "print/msg.h"
#include "print/plain.h"
#include "ship.h"

enum form { FORM_TEXT, FORM_JSON, FORM_METRICS };

struct target {
	char *url;
	struct bob_shipped n;
};

struct show {
	enum form form;
	struct json json;
	struct target *target;
	size_t n, cap;
	int is_full; /* no memory */
};

/* The places where a sample can be; their sum is what was recorded. */
struct place {
	const char *name, *what;
	uint64_t n;
};

#define PLACES (5 + BOB_N_SHIP_CAUSES)

static void
find_places(struct place v[PLACES], const struct bob_shipped *n)
{
	size_t i;

	v[0] = (struct place){ "waiting", "", n->waiting };
	v[1] = (struct place){ "sent", "", n->sent };
	v[2] = (struct place){ "unknown", "", n->unknown };
	v[3] = (struct place){ "acknowledged", "", n->acknowledged };
	v[4] = (struct place){ "expired", "", n->expired };
	for (i = 0; i < BOB_N_SHIP_CAUSES; i++)
		v[5 + i] = (struct place){ "dropped",
			bob_ship_cause_name((int)i), n->dropped[i] };
}

static void
show_text(const char *url, const struct bob_shipped *n)
{
	struct place v[PLACES];
	char buf[32];
	size_t i;

	(void)plain_safe_str(stdout, url);
	(void)printf("\n  recorded      %14s\n",
	    bob_count_text(buf, sizeof(buf), n->recorded));
	find_places(v, n);
	for (i = 0; i < PLACES; i++)
		if (v[i].n > 0)
			(void)printf("  %-13s %14s%s%s\n", v[i].name,
			    bob_count_text(buf, sizeof(buf), v[i].n),
			    *v[i].what != '\0' ? "  " : "", v[i].what);
	if (n->n_waiting_segments > 0)
		(void)printf("  %s segments wait\n", bob_count_text(buf,
		    sizeof(buf), n->n_waiting_segments));
}

static void
show_json(struct json *j, const char *url, const struct bob_shipped *n)
{
	int i;

	json_open(j, NULL, '{');
	json_str(j, "target", url);
	json_u64(j, "recorded", n->recorded);
	json_u64(j, "waiting", n->waiting);
	json_u64(j, "sent", n->sent);
	json_u64(j, "unknown", n->unknown);
	json_u64(j, "acknowledged", n->acknowledged);
	json_u64(j, "expired", n->expired);
	json_open(j, "dropped", '{');
	for (i = 0; i < BOB_N_SHIP_CAUSES; i++)
		json_u64(j, bob_ship_cause_name(i), n->dropped[i]);
	json_close(j, '{');
	json_u64(j, "segments", n->n_segments);
	json_u64(j, "segments_waiting", n->n_waiting_segments);
	json_u64(j, "bytes_waiting", n->bytes_waiting);
	json_u64(j, "bytes_sent", n->bytes_sent);
	json_u64(j, "failures", n->n_failures);
	json_u64_if(j, "oldest_us", n->oldest_us, n->oldest_us != 0);
	json_close(j, '{');
}

/* A value of a label of OpenMetrics. */
static void
put_label(const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '\\' || *s == '"')
			(void)putchar('\\');
		(void)putchar(*s >= ' ' && *s <= '~' ? *s : '_');
	}
}

static void
put_metric(const char *name, const char *url, const char *more, uint64_t v)
{
	(void)printf("bobbin_ship_%s{target=\"", name);
	put_label(url);
	(void)printf("\"%s} %llu\n", more, (unsigned long long)v);
}

/* All lines of a metric stand together, as OpenMetrics wants it. */
static void
show_metrics(const struct show *s)
{
	static const struct {
		const char *family, *suffix, *type;
		size_t at;
	} more[] = {
#define METRIC(family, suffix, type, field)                                  \
	{ family, suffix, type, offsetof(struct bob_shipped, field) }
		METRIC("recorded_samples", "", "gauge", recorded),
		METRIC("waiting_segments", "", "gauge", n_waiting_segments),
		METRIC("waiting_bytes", "", "gauge", bytes_waiting),
		METRIC("sent_bytes", "_total", "counter", bytes_sent),
		METRIC("failures", "_total", "counter", n_failures),
	};
	struct place v[PLACES];
	char name[64];
	uint64_t value;
	size_t i, k;

	(void)printf("# TYPE bobbin_ship_samples gauge\n");
	for (i = 0; i < s->n; i++) {
		find_places(v, &s->target[i].n);
		for (k = 0; k < PLACES; k++) {
			(void)snprintf(name, sizeof(name),
			    ",state=\"%s\",cause=\"%s\"", v[k].name,
			    v[k].what);
			put_metric("samples", s->target[i].url, name, v[k].n);
		}
	}
	for (k = 0; k < sizeof(more) / sizeof(more[0]); k++) {
		(void)printf("# TYPE bobbin_ship_%s %s\n", more[k].family,
		    more[k].type);
		(void)snprintf(name, sizeof(name), "%s%s", more[k].family,
		    more[k].suffix);
		for (i = 0; i < s->n; i++) {
			memcpy(&value, (const char *)&s->target[i].n +
			    more[k].at, sizeof(value));
			put_metric(name, s->target[i].url, "", value);
		}
	}
	(void)printf("# EOF\n");
}

static void
take(void *user, const char *url, const struct bob_shipped *n)
{
	struct show *s = user;
	struct target *more;

	if (s->n == s->cap) {
		s->cap = 2 * s->cap + 8;
		more = realloc(s->target, s->cap * sizeof(*more));
		if (more == NULL) {
			s->is_full = 1;
			s->cap = s->n;
			return;
		}
		s->target = more;
	}
	s->target[s->n].url = strdup(url);
	s->target[s->n].n = *n;
	if (s->target[s->n].url == NULL)
		s->is_full = 1;
	else
		s->n++;
}

static void
show_all(struct show *s, const char *dir)
{
	size_t i;

	if (s->form == FORM_METRICS) {
		show_metrics(s);
		return;
	}
	if (s->form == FORM_JSON)
		json_open(&s->json, NULL, '[');
	for (i = 0; i < s->n; i++) {
		if (s->form == FORM_JSON)
			show_json(&s->json, s->target[i].url,
			    &s->target[i].n);
		else
			show_text(s->target[i].url, &s->target[i].n);
	}
	if (s->form == FORM_JSON) {
		json_close(&s->json, '[');
		json_end(&s->json);
	} else if (s->n == 0) {
		msg_step("nothing was shipped from %s", dir);
	}
}

int
ship_status(const struct args *args, const char *dir)
{
	struct show s = { .form = args_has(args, OPT_JSON) ? FORM_JSON :
		args_has(args, OPT_METRICS) ? FORM_METRICS : FORM_TEXT,
		.json = { .f = stdout } };
	struct bob_ctx *ctx = bob_ctx_new();
	int r = EXIT_OK;

	if (ctx == NULL)
		return msg_no_memory();
	if (bob_ship_status(ctx, dir, take, &s) < 0)
		r = msg_ctx_error(ctx);
	else if (s.is_full)
		r = msg_no_memory();
	else
		show_all(&s, dir);
	while (s.n > 0)
		free(s.target[--s.n].url);
	free(s.target);
	bob_ctx_free(ctx);
	return r;
}

/* The state of a spool from its journal; see the header. */
#include "ship/spool_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/sha256.h"

/* Longest name of a file, service or host in a journal. */
#define TEXT 4097

uint64_t
spool_hash(const char *text)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 h;
	uint64_t v = 0;
	size_t i;

	sha256_init(&h);
	sha256_add(&h, text, strlen(text));
	sha256_end(&h, digest);
	for (i = 0; i < 8; i++)
		v |= (uint64_t)digest[i] << 8 * i;
	return v;
}

/* --- entries ------------------------------------------------------------- */

static struct spool_entry **
bucket_of(const struct spool *s, uint64_t seg)
{
	return &s->bucket[seg % s->n_bucket];
}

struct spool_entry *
spool_find(const struct spool *s, uint64_t seg)
{
	struct spool_entry *e;

	if (s->n_bucket == 0)
		return NULL;
	for (e = *bucket_of(s, seg); e != NULL; e = e->next)
		if (e->seg == seg)
			return e;
	return NULL;
}

static int
more_buckets(struct spool *s)
{
	size_t n = s->n_bucket == 0 ? 64 : 2 * s->n_bucket, i;
	struct spool_entry **old = s->bucket, *e;
	size_t n_old = s->n_bucket;

	s->bucket = calloc(n, sizeof(struct spool_entry *));
	if (s->bucket == NULL) {
		s->bucket = old;
		return err_nomem(s->ctx);
	}
	s->n_bucket = n;
	for (i = 0; i < n_old; i++) {
		while ((e = old[i]) != NULL) {
			old[i] = e->next;
			e->next = *bucket_of(s, e->seg);
			*bucket_of(s, e->seg) = e;
		}
	}
	free(old);
	return BOB_OK;
}

void
spool_forget(struct spool *s, struct spool_entry *e)
{
	struct spool_entry **at = bucket_of(s, e->seg);
	size_t i = s->n_order;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	s->n_entry--;
	/* It is the oldest or the newest. */
	if (i > 0 && s->order[i - 1] == e)
		s->n_order--;
	else if (i > 0 && s->order[0] == e)
		memmove(s->order, s->order + 1,
		    --s->n_order * sizeof(*s->order));
	free(e->name);
	free(e->service);
	free(e->host);
	free(e);
}

/* Where the samples of an entry are counted. */
static uint64_t *
place_of(struct spool *s, enum spool_state state)
{
	return state == SPOOL_WAITS ? &s->n.waiting :
	    state == SPOOL_SENT ? &s->n.sent : &s->n.unknown;
}

int
spool_know(struct spool *s, const char *name)
{
	if (MEM_GROW(s->ctx, s, known, s->n_known + 1) < 0)
		return BOB_FATAL;
	s->known[s->n_known++] = (struct spool_known){ spool_hash(name), 1 };
	s->is_sorted = 0;
	return BOB_OK;
}

int
spool_queue(struct spool *s, const struct spool_entry *like)
{
	struct spool_entry *e;

	if (spool_find(s, like->seg) != NULL)
		return BOB_OK;
	if ((s->n_entry >= s->n_bucket && more_buckets(s) < 0) ||
	    spool_know(s, like->name) < 0)
		return BOB_FATAL;
	e = malloc(sizeof(*e));
	if (e == NULL)
		return err_nomem(s->ctx);
	*e = *like;
	e->name = strdup(like->name);
	e->service = strdup(like->service);
	e->host = strdup(like->host);
	e->next = *bucket_of(s, e->seg);
	*bucket_of(s, e->seg) = e;
	s->n_entry++;
	if (e->name == NULL || e->service == NULL || e->host == NULL) {
		spool_forget(s, e);
		return err_nomem(s->ctx);
	}
	s->n.n_segments++;
	s->n.n_waiting_segments++;
	s->n.recorded = count_add(s->n.recorded, e->n_samples);
	s->n.waiting = count_add(s->n.waiting, e->n_samples);
	s->n.bytes_waiting = count_add(s->n.bytes_waiting, e->n_bytes);
	return BOB_OK;
}

void
spool_set_state(struct spool *s, struct spool_entry *e,
    enum spool_state state)
{
	*place_of(s, e->state) -= e->n_samples;
	e->state = state;
	*place_of(s, e->state) += e->n_samples;
}

void
spool_counts_of(const struct spool_entry *e, const struct spool_end *end,
    uint64_t v[SPOOL_COUNTS])
{
	uint64_t sum;
	size_t i;

	v[0] = end->acknowledged;
	v[1] = end->expired;
	v[2] = 0;
	sum = count_add(v[0], v[1]);
	for (i = 0; i < BOB_N_SHIP_CAUSES; i++) {
		v[3 + i] = end->dropped[i];
		sum = count_add(sum, end->dropped[i]);
	}
	if (sum < e->n_samples)
		v[end->rest < 0 ? 2 : 3 + end->rest] += e->n_samples - sum;
}

void
spool_counts_text(char to[SPOOL_COUNTS * 24], const uint64_t v[SPOOL_COUNTS])
{
	size_t i, n = 0;

	for (i = 0; i < SPOOL_COUNTS; i++)
		n += (size_t)snprintf(to + n, 24, " %" PRIu64, v[i]);
}

/* Adds what became of samples; the sum is returned. */
static uint64_t
add_counts(struct bob_shipped *n, const uint64_t v[SPOOL_COUNTS])
{
	uint64_t sum = 0;
	size_t i;

	n->acknowledged = count_add(n->acknowledged, v[0]);
	n->expired = count_add(n->expired, v[1]);
	n->unknown = count_add(n->unknown, v[2]);
	for (i = 0; i < BOB_N_SHIP_CAUSES; i++)
		n->dropped[i] = count_add(n->dropped[i], v[3 + i]);
	for (i = 0; i < SPOOL_COUNTS; i++)
		sum = count_add(sum, v[i]);
	return sum;
}

void
spool_finish(struct spool *s, struct spool_entry *e,
    const uint64_t v[SPOOL_COUNTS])
{
	*place_of(s, e->state) -= e->n_samples;
	s->n.bytes_waiting -= e->n_bytes;
	s->n.n_waiting_segments--;
	s->n.recorded -= e->n_samples;
	s->n.recorded = count_add(s->n.recorded, add_counts(&s->n, v));
	spool_forget(s, e);
}

/* --- lines --------------------------------------------------------------- */

static int
take_counts(const char *p, uint64_t v[SPOOL_COUNTS])
{
	size_t i;

	for (i = 0; i < SPOOL_COUNTS; i++)
		if (!shiplog_number(&p, &v[i]))
			return 0;
	return 1;
}

static int
replay_url(struct spool *s, const char *p)
{
	char url[TEXT], *copy;

	if (!shiplog_string(&p, url, sizeof(url)))
		return BOB_OK;
	copy = strdup(url);
	if (copy == NULL)
		return err_nomem(s->ctx);
	free(s->url);
	s->url = copy;
	return BOB_OK;
}

static int
replay_queue(struct spool *s, const char *p)
{
	char name[TEXT], service[TEXT], host[TEXT];
	struct spool_entry e = { .name = name, .service = service,
		.host = host };

	if (!shiplog_number(&p, &e.seg) || !shiplog_number(&p, &e.n_samples) ||
	    !shiplog_number(&p, &e.n_bytes) ||
	    !shiplog_number(&p, &e.t_first) ||
	    !shiplog_number(&p, &e.t_last) ||
	    !shiplog_string(&p, name, sizeof(name)) ||
	    !shiplog_string(&p, service, sizeof(service)) ||
	    !shiplog_string(&p, host, sizeof(host)))
		return BOB_OK;
	return spool_queue(s, &e);
}

/* What was going out when the shipper ended is unknown. */
static int
replay_sent(struct spool *s, const char *p)
{
	struct spool_entry *e;
	uint64_t seg;

	if (shiplog_number(&p, &seg) && (e = spool_find(s, seg)) != NULL)
		spool_set_state(s, e, SPOOL_UNKNOWN);
	return BOB_OK;
}

static int
replay_waits(struct spool *s, const char *p)
{
	struct spool_entry *e;
	uint64_t seg;

	if (shiplog_number(&p, &seg) && (e = spool_find(s, seg)) != NULL)
		spool_set_state(s, e, SPOOL_WAITS);
	return BOB_OK;
}

static int
replay_end(struct spool *s, const char *p)
{
	uint64_t seg, v[SPOOL_COUNTS];
	struct spool_entry *e;

	if (shiplog_number(&p, &seg) && take_counts(p, v) &&
	    (e = spool_find(s, seg)) != NULL)
		spool_finish(s, e, v);
	return BOB_OK;
}

static int
replay_known(struct spool *s, const char *p)
{
	uint64_t name;

	if (!shiplog_number(&p, &name))
		return BOB_OK;
	if (MEM_GROW(s->ctx, s, known, s->n_known + 1) < 0)
		return BOB_FATAL;
	s->known[s->n_known++] = (struct spool_known){ name, 1 };
	s->is_sorted = 0;
	return BOB_OK;
}

static int
replay_totals(struct spool *s, const char *p)
{
	uint64_t v[SPOOL_COUNTS], n;

	if (shiplog_number(&p, &n) && take_counts(p, v)) {
		s->n.n_segments += n;
		s->n.recorded = count_add(s->n.recorded,
		    add_counts(&s->n, v));
	}
	return BOB_OK;
}

static int
replay_traffic(struct spool *s, const char *p)
{
	uint64_t bytes, failures;

	if (shiplog_number(&p, &bytes) && shiplog_number(&p, &failures)) {
		s->n.bytes_sent = bytes;
		s->n.n_failures = failures;
	}
	return BOB_OK;
}

int
spool_replay(void *user, const char *p, size_t n)
{
	static const struct {
		const char *verb;
		int (*fn)(struct spool *s, const char *p);
	} verbs[] = {
		{ "url ", replay_url },
		{ "queue ", replay_queue },
		{ "sent ", replay_sent },
		{ "unknown ", replay_sent },
		{ "waits ", replay_waits },
		{ "end ", replay_end },
		{ "known ", replay_known },
		{ "totals ", replay_totals },
		{ "traffic ", replay_traffic },
	};
	size_t i, len;

	(void)n;
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		len = strlen(verbs[i].verb);
		if (strncmp(p, verbs[i].verb, len) == 0)
			return verbs[i].fn(user, p + len);
	}
	return BOB_OK; /* of a later version */
}

/* --- the next journal ---------------------------------------------------- */

/* Counts of segments that have ended: those that wait come as lines. */
static int
write_totals(struct spool *s)
{
	uint64_t v[SPOOL_COUNTS] = { s->n.acknowledged, s->n.expired,
		s->n.unknown };
	char text[SPOOL_COUNTS * 24];
	const struct spool_entry *e;
	size_t i;

	for (i = 0; i < s->n_bucket; i++)
		for (e = s->bucket[i]; e != NULL; e = e->next)
			if (e->state == SPOOL_UNKNOWN)
				v[2] -= e->n_samples;
	for (i = 0; i < BOB_N_SHIP_CAUSES; i++)
		v[3 + i] = s->n.dropped[i];
	spool_counts_text(text, v);
	if (shiplog_add_next(&s->journal, "totals %" PRIu64 "%s",
	        s->n.n_segments - s->n_entry, text) < 0)
		return BOB_FAILED;
	return shiplog_add_next(&s->journal, "traffic %" PRIu64 " %" PRIu64,
	    s->n.bytes_sent, s->n.n_failures);
}

static int
write_entry(struct spool *s, const struct spool_entry *e)
{
	char name[3 * TEXT], service[3 * TEXT], host[3 * TEXT];

	shiplog_escape(name, e->name);
	shiplog_escape(service, e->service);
	shiplog_escape(host, e->host);
	if (shiplog_add_next(&s->journal, "queue %" PRIu64 " %" PRIu64 " %"
	        PRIu64 " %" PRIu64 " %" PRIu64 " %s %s %s", e->seg,
	        e->n_samples, e->n_bytes, e->t_first, e->t_last, name,
	        service, host) < 0)
		return BOB_FAILED;
	return e->state == SPOOL_WAITS ? BOB_OK :
	    shiplog_add_next(&s->journal, "sent %" PRIu64, e->seg);
}

int
spool_write_all(struct spool *s)
{
	char url[3 * TEXT];
	const struct spool_entry *e;
	size_t i;

	shiplog_escape(url, s->url);
	if (shiplog_add_next(&s->journal, "url %s", url) < 0 ||
	    write_totals(s) < 0)
		return BOB_FAILED;
	for (i = 0; i < s->n_known; i++)
		if (shiplog_add_next(&s->journal, "known %" PRIu64,
		        s->known[i].name) < 0)
			return BOB_FAILED;
	for (i = 0; i < s->n_bucket; i++)
		for (e = s->bucket[i]; e != NULL; e = e->next)
			if (write_entry(s, e) < 0)
				return BOB_FAILED;
	return BOB_OK;
}

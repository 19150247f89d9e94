/*
 * Shipping a store: looks at the directory, ships what waits, and waits after a
 * failure; see bobbin/ship.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/store.h>

#include "core/clock.h"
#include "core/mem.h"
#include "ship/blocks.h"
#include "ship/spool.h"
#include "ship/target.h"

#define SECOND ((uint64_t)1000000)
/* The longest wait between two attempts. */
#define MOST_WAIT (300 * SECOND)
/* Attempts to ship a segment that is refused, or that cannot be read. */
#define MOST_REFUSED 3

struct bob_shipper {
	struct bob_ctx *ctx;
	struct bob_shipper_opts opts;
	struct bob_target_opts to;
	const struct target_ops *ops;
	void *state;
	struct spool spool;
	uint64_t scan_at, retry_at; /* on the monotonic clock, us */
	unsigned n_failed;          /* in a row */
	char trouble[BOB_MAX_TEXT];
};

static uint64_t
now_us(void)
{
	return clock_ns() / 1000;
}

/* --- a handle ------------------------------------------------------------ */

int
bob_shipper_new(struct bob_ctx *ctx, const struct bob_shipper_opts *opts,
    struct bob_shipper **ret)
{
	struct bob_shipper *s = calloc(1, sizeof(*s));
	struct ship_url url;

	if (s == NULL)
		return err_nomem(ctx), BOB_FAILED;
	s->ctx = ctx;
	memcpy(&s->opts, opts, opts->size < sizeof(s->opts) ? opts->size :
	    sizeof(s->opts));
	s->to = *opts->to;
	s->opts.to = &s->to;
	if (s->opts.retry_us == 0)
		s->opts.retry_us = SECOND;
	if (s->opts.scan_us == 0)
		s->opts.scan_us = 10 * SECOND;
	if (ship_url_parse(ctx, s->to.url, &url) < 0)
		goto fail;
	s->ops = target_ops_of(url.kind);
	if (s->ops->open(ctx, &s->to, &s->state) < 0 ||
	    spool_open_for(&s->spool, ctx, opts->dir, s->to.url) < 0 ||
	    spool_scanned(&s->spool) < 0)
		goto fail;
	*ret = s;
	return BOB_OK;
fail:
	bob_shipper_free(s);
	return err_set_status(ctx, BOB_FAILED);
}

void
bob_shipper_free(struct bob_shipper *s)
{
	if (s == NULL)
		return;
	spool_close_it(&s->spool);
	if (s->state != NULL)
		s->ops->close(s->state);
	free(s);
}

struct bob_shipped
bob_shipper_counts(const struct bob_shipper *s)
{
	struct bob_shipped n = s->spool.n;
	const struct spool_entry *e = spool_oldest(&s->spool);

	n.oldest_us = e != NULL ? e->t_last : 0;
	return n;
}

const char *
bob_shipper_trouble(const struct bob_shipper *s)
{
	return s->trouble;
}

const char *
bob_ship_cause_name(int cause)
{
	static const char *const names[BOB_N_SHIP_CAUSES] = {
		[BOB_SHIP_FULL] = "full",
		[BOB_SHIP_OLD] = "old",
		[BOB_SHIP_REFUSED] = "refused",
		[BOB_SHIP_UNDATED] = "undated",
		[BOB_SHIP_UNREADABLE] = "unreadable",
		[BOB_SHIP_GONE] = "gone",
	};

	return cause >= 0 && cause < BOB_N_SHIP_CAUSES ? names[cause] : NULL;
}

/* --- looking at the directory -------------------------------------------- */

/* Leaves out segments that were shipped or wait. */
static int
is_new(void *user, const char *name)
{
	struct bob_shipper *s = user;

	return !spool_knows(&s->spool, name);
}

/* Seals what a killed writer has left, and adds what is sealed. */
static int
take_segment(struct bob_shipper *s, struct bob_store *store, size_t i)
{
	const struct bob_segment_info *info = bob_store_get(store, i);
	int r;

	if (info->state == BOB_SEGMENT_LEFT) {
		r = bob_store_seal(store, i, 0);
		if (r != BOB_OK)
			return r == BOB_AGAIN ? BOB_OK : r;
		info = bob_store_get(store, i);
	}
	return info->state != BOB_SEGMENT_SEALED ? BOB_OK :
	    spool_add(&s->spool, info);
}

/* Gives up what is too much or too old. */
static int
stay_in_bounds(struct bob_shipper *s)
{
	uint64_t now = (uint64_t)time(NULL) * SECOND;
	struct spool_end end;
	struct spool_entry *e;
	int is_full, is_old;

	while ((e = spool_oldest(&s->spool)) != NULL) {
		is_full = s->opts.max_bytes > 0 &&
		    s->spool.n.bytes_waiting > s->opts.max_bytes;
		is_old = s->opts.max_age_us > 0 && now > s->opts.max_age_us &&
		    e->t_last < now - s->opts.max_age_us;
		if (!is_full && !is_old)
			break;
		memset(&end, 0, sizeof(end));
		end.rest = e->state != SPOOL_WAITS ? -1 :
		    is_full ? BOB_SHIP_FULL : BOB_SHIP_OLD;
		if (spool_end(&s->spool, e, &end) < 0)
			return BOB_FAILED;
	}
	return BOB_OK;
}

static int
scan(struct bob_shipper *s)
{
	struct bob_store_opts o = { .size = sizeof(o), .only = is_new,
		.user = s };
	struct bob_store *store;
	size_t i, n;
	int r, worst = BOB_OK;

	s->scan_at = now_us() + s->opts.scan_us;
	if (bob_store_open(s->ctx, s->opts.dir, &o, &store) < 0)
		return BOB_FAILED;
	n = bob_store_count(store);
	/* A segment that cannot be sealed holds up no other. */
	for (i = 0; i < n; i++) {
		r = take_segment(s, store, i);
		if (r < 0)
			worst = r;
	}
	bob_store_close(store);
	if (spool_scanned(&s->spool) < 0 || stay_in_bounds(s) < 0)
		return BOB_FAILED;
	return worst < 0 ? BOB_FAILED : BOB_OK;
}

/* --- one segment --------------------------------------------------------- */

/* From half of `us` to one and a half: those who wait for one server must not
 * all come back at once. */
static uint64_t
jitter(uint64_t us)
{
	uint32_t random;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(random))
		random = (uint32_t)clock_ns() << 8;
	return us / 2 + us * (random >> 16) / 65536;
}

/* Notes a failure and says when to try again. */
static void
back_off(struct bob_shipper *s, const struct send_result *res)
{
	unsigned n = s->n_failed < 20 ? s->n_failed : 20;
	uint64_t us = s->opts.retry_us << n;

	s->n_failed++;
	us = jitter(us < MOST_WAIT ? us : MOST_WAIT);
	if (res->retry_after_s * SECOND > us)
		us = res->retry_after_s * SECOND + jitter(SECOND);
	s->retry_at = now_us() + us;
	memcpy(s->trouble, bob_ctx_error(s->ctx)->text, sizeof(s->trouble));
}

static int
finish(struct bob_shipper *s, struct spool_entry *e,
    const struct send_result *res, int rest)
{
	struct spool_end end = { .acknowledged = res->acknowledged,
		.expired = res->expired, .rest = rest };

	end.dropped[BOB_SHIP_UNDATED] = res->undated;
	return spool_end(&s->spool, e, &end);
}

/* After an attempt that failed: what to do with the entry. What was unknown
 * stays unknown until the server answers. */
static int
judge(struct bob_shipper *s, struct spool_entry *e, enum spool_state before,
    const struct send_result *res)
{
	int rest = res->why == SHIP_LOCAL ? BOB_SHIP_UNREADABLE :
	    BOB_SHIP_REFUSED;

	if (res->why == SHIP_REFUSED || res->why == SHIP_LOCAL)
		e->n_refused++;
	if (e->n_refused >= MOST_REFUSED)
		return finish(s, e, res, rest);
	return res->has_sent || before == SPOOL_UNKNOWN
	    ? spool_unknown(&s->spool, e) : spool_waits(&s->spool, e);
}

static int
send_entry(struct bob_shipper *s, struct spool_entry *e, int fd,
    struct send_result *res)
{
	const char *slash = strrchr(e->name, '/');
	struct block_source src = { .fd = fd, .name = e->name,
		.file = slash != NULL ? slash + 1 : e->name, .seg = e->seg,
		.size = e->n_bytes, .n_samples = e->n_samples,
		.service = e->service, .host = e->host,
		.t_first = e->t_first, .t_last = e->t_last };

	return s->ops->send(s->state, &src, res);
}

/* Ships an entry. Returns BOB_OK; FAILED if it has to wait; FATAL if the spool
 * cannot be written. */
static int
ship(struct bob_shipper *s, struct spool_entry *e)
{
	struct send_result res = { .why = SHIP_FINE };
	enum spool_state before = e->state;
	int fd, r;

	/* What a writer has left that was killed at once. */
	if (e->n_samples == 0)
		return finish(s, e, &res, BOB_SHIP_UNREADABLE);
	fd = spool_fd(&s->spool, e);
	if (fd < 0 && errno == ENOENT)
		return finish(s, e, &res, BOB_SHIP_GONE);
	if (fd < 0) {
		(void)err_sys(s->ctx, BOB_FAILED, errno, "%s", e->name);
		back_off(s, &res);
		return BOB_FAILED;
	}
	r = spool_sent(&s->spool, e);
	if (r == BOB_OK)
		r = send_entry(s, e, fd, &res);
	(void)close(fd);
	if (r < 0) {
		back_off(s, &res);
		return judge(s, e, before, &res) < 0 ||
		    spool_traffic(&s->spool, res.bytes_sent, 1) < 0
		    ? BOB_FAILED : r;
	}
	if (spool_traffic(&s->spool, res.bytes_sent, 0) < 0)
		return BOB_FAILED;
	s->n_failed = 0;
	s->trouble[0] = '\0';
	return finish(s, e, &res, BOB_SHIP_UNREADABLE);
}

int
bob_shipper_step(struct bob_shipper *s, uint64_t *ret_us)
{
	uint64_t now = now_us();
	struct spool_entry *e;
	int r;

	*ret_us = 0;
	if (now >= s->scan_at) {
		r = scan(s);
		if (r < 0)
			memcpy(s->trouble, bob_ctx_error(s->ctx)->text,
			    sizeof(s->trouble));
		*ret_us = r < 0 ? s->opts.retry_us : 0;
		return r;
	}
	e = s->ops->newest_first ? spool_newest(&s->spool) :
	    spool_oldest(&s->spool);
	if (e == NULL || now < s->retry_at) {
		*ret_us = s->scan_at - now;
		if (e != NULL && s->retry_at < s->scan_at)
			*ret_us = s->retry_at - now;
		return BOB_AGAIN;
	}
	r = ship(s, e);
	if (r < 0 && s->retry_at > now)
		*ret_us = s->retry_at - now;
	return r < 0 ? BOB_FAILED : BOB_OK;
}

/* --- looking at it ------------------------------------------------------- */

int
bob_ship_status(struct bob_ctx *ctx, const char *dir,
    void (*fn)(void *user, const char *url, const struct bob_shipped *n),
    void *user)
{
	return spool_status(ctx, dir, fn, user);
}
